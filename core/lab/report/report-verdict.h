/* SPDX-License-Identifier: MIT */
/* Whether the measurements of a report show what the study found, by the rules [Expect] of the experiment. */
#pragma once

#include "core/lab/report/report.h"
#include "core/record/record.h"

/** MsFindingVerdict: what a rule, or all rules of an experiment together, came to. */
typedef enum {
  MS_FINDING_NOT_MEASURED,
  MS_FINDING_UNCERTAIN,
  MS_FINDING_AGREES,
  MS_FINDING_NO_DIFFERENCE,
  MS_FINDING_OPPOSITE,
  MS_FINDING_PARTLY, /* of several rules only */
} MsFindingVerdict;

/**
 * MsFinding: a rule and what was measured of it.
 * @value: how many times as fast, or as much; the value itself for a rule without a comparison; NAN if not measured
 * @low: lower end of its interval
 * @high: upper end
 * @rows: how many configurations it was taken from
 */
typedef struct {
  const MsExpect *expect;
  MsFindingVerdict verdict;
  double value;
  double low;
  double high;
  guint rows;
} MsFinding;

/** ms_finding_record: the members of a finding in a report. */
extern const MsRecord ms_finding_record;

GArray *ms_report_find_findings(const MsReport *self);
MsFindingVerdict ms_report_judge(const MsReport *self);
const char *ms_finding_verdict_name(MsFindingVerdict verdict);
char *ms_report_verdict_text(const MsReport *self, MsLanguage language);
