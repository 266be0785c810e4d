/* SPDX-License-Identifier: MIT */
/*
 * The verdict of a report. A rule compares the configurations that contain its `Where` with those that differ from them
 * in its `Over` alone; ratios of several configurations are joined to their geometric mean, whose interval takes their
 * errors as independent. Configurations that were measured in the same rounds have the interval of their speed-up,
 * others that of their medians; those with too few samples for an interval count only where no other was measured.
 */
#include "core/lab/report/report-verdict.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/lab/report/report-column.h"
#include "core/text.h"

/* Ratios that a study calls equal, and the least difference that counts as one. */
#define EQUAL_WITHIN 0.1
#define LEAST_DIFFERENCE 0.02

static const char *const verdict_names[] = {
  N_("not measured"), N_("uncertain"), N_("agrees"), N_("no difference"), N_("opposite"), N_("partly"),
};

/** ms_finding_verdict_name: "agrees", "opposite", …, in English. */
const char *
ms_finding_verdict_name(MsFindingVerdict verdict)
{
  return verdict_names[verdict];
}

static gboolean
is_of_time(const MsExpect *expect)
{
  return g_str_has_prefix(expect->metric, "time");
}

/* Whether a metric is counted by a model, or told by the driver, which no disturbance changes. */
static gboolean
is_of_model(const MsExpect *expect)
{
  static const char *const names[] = {"accesses", "uncoalesced", "bank-conflicts", NULL};

  return g_strv_contains(names, expect->metric) || ms_metric_is_of_kernel(expect->metric);
}

/* NAN where the row is not ranked. */
static double
value_of(const MsReport *self, const MsReportRow *row, const MsExpect *expect)
{
  if (ms_report_leaves_out(self, row) && !is_of_model(expect))
    return NAN;
  return ms_report_row_metric(row, expect->metric);
}

/* Whether @other has the settings @over, and otherwise those of @row where the experiment varies them. */
static gboolean
is_partner(const MsReport *self, const MsReportRow *row, const MsReportRow *other, const MsFactors *over)
{
  const MsExperiment *e = self->experiment;
  g_autoptr(MsFactors) scaled = ms_experiment_published_scale(e, other->factors, self->quick);

  if (!ms_factors_contains(scaled, over))
    return FALSE;
  for (guint i = 0; i <= e->axes->len; i++) {
    const char *key = i < e->axes->len ? ((MsAxis *)e->axes->pdata[i])->key : "case";
    if (!ms_factors_get(over, key) && g_strcmp0(ms_factors_get(row->factors, key), ms_factors_get(other->factors, key)))
      return FALSE;
  }
  return TRUE;
}

static const MsReportRow *
find_partner(const MsReport *self, const MsReportRow *row, const MsFactors *over)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (is_partner(self, row, self->rows->pdata[i], over))
      return self->rows->pdata[i];
  return NULL;
}

/* The interval of a ratio of two medians, each with its notch; of values that are not times there is none. */
static MsSpeedup
ratio_of_values(const MsReport *self, const MsReportRow *row, const MsReportRow *partner, const MsExpect *expect)
{
  const double a = value_of(self, partner, expect), b = value_of(self, row, expect);

  if (!is_of_time(expect))
    return (MsSpeedup){MS_VERDICT_UNCERTAIN, b / a, b / a, b / a};
  const double wide = (1 + row->summary.spread) * (1 + partner->summary.spread);
  return (MsSpeedup){MS_VERDICT_UNCERTAIN, a / b, a / b / wide, a / b * wide};
}

static MsSpeedup
compare(const MsReport *self, const MsReportRow *row, const MsReportRow *partner, const MsExpect *expect)
{
  MsTimes a = ms_measurement_times(partner->measurement), b = ms_measurement_times(row->measurement);

  if (!is_of_time(expect) || g_strcmp0(row->group, partner->group) != 0)
    return ratio_of_values(self, row, partner, expect);
  return ms_speedup_side_by_side(&a, &b, self->noise);
}

/* Adds the logarithm of the ratio of @row, and the squares of the logarithmic widths of its interval, to @found. */
static void
add_ratio(const MsReport *self, const MsReportRow *row, gboolean bounded, MsFinding *found)
{
  const MsReportRow *partner = find_partner(self, row, found->expect->over);

  if (!partner || partner == row || !isfinite(value_of(self, partner, found->expect)))
    return;
  const MsSpeedup one = compare(self, row, partner, found->expect);
  if (!isfinite(one.ratio) || one.ratio <= 0 || (bounded && !(one.low > 0 && isfinite(one.high))))
    return;
  found->value += log(one.ratio);
  found->low += pow(log(one.ratio / one.low), 2);
  found->high += pow(log(one.high / one.ratio), 2);
  found->rows++;
}

/* @sign: 1 where the study found an increase, -1 for a decrease */
static MsFindingVerdict
judge_direction(const MsFinding *found, double noise, int sign)
{
  const double least = 1 + fmax(noise, LEAST_DIFFERENCE);
  const double low = sign > 0 ? found->low : 1 / found->high, high = sign > 0 ? found->high : 1 / found->low;

  if (low > 1 && (sign > 0 ? found->value : 1 / found->value) > least)
    return MS_FINDING_AGREES;
  if (high < 1 && (sign > 0 ? found->value : 1 / found->value) < 1 / least)
    return MS_FINDING_OPPOSITE;
  return low > 1 / (1 + EQUAL_WITHIN) && high < 1 + EQUAL_WITHIN ? MS_FINDING_NO_DIFFERENCE : MS_FINDING_UNCERTAIN;
}

static MsFindingVerdict
judge_equal(const MsFinding *found)
{
  if (found->low > 1 / (1 + EQUAL_WITHIN) && found->high < 1 + EQUAL_WITHIN)
    return MS_FINDING_AGREES;
  return found->low > 1 + EQUAL_WITHIN || found->high < 1 / (1 + EQUAL_WITHIN) ? MS_FINDING_OPPOSITE
                                                                               : MS_FINDING_UNCERTAIN;
}

static MsFindingVerdict
judge(const MsFinding *found, double noise)
{
  const MsExpect *expect = found->expect;
  const gboolean absolute = !expect->over;

  if (found->rows == 0)
    return MS_FINDING_NOT_MEASURED;
  switch (expect->relation) {
  case MS_EXPECT_FASTER:
  case MS_EXPECT_MORE:
    if (absolute)
      return found->value > expect->low ? MS_FINDING_AGREES : MS_FINDING_OPPOSITE;
    return judge_direction(found, noise, 1);
  case MS_EXPECT_SLOWER:
  case MS_EXPECT_LESS:
    if (absolute)
      return found->value < expect->low ? MS_FINDING_AGREES : MS_FINDING_OPPOSITE;
    return judge_direction(found, noise, -1);
  case MS_EXPECT_EQUAL:
    return judge_equal(found);
  }
  g_return_val_if_reached(MS_FINDING_UNCERTAIN);
}

/* @bounded: whether to leave out ratios without an interval */
static MsFinding
evaluate(const MsReport *self, const MsExpect *expect, gboolean bounded)
{
  MsFinding found = {.expect = expect};

  for (guint i = 0; i < self->rows->len; i++) {
    const MsReportRow *row = self->rows->pdata[i];
    g_autoptr(MsFactors) scaled = ms_experiment_published_scale(self->experiment, row->factors, self->quick);
    const double value = value_of(self, row, expect);
    if (!ms_factors_contains(scaled, expect->where) || !isfinite(value))
      continue;
    if (expect->over) {
      add_ratio(self, row, bounded, &found);
    } else {
      found.value += value;
      found.rows++;
    }
  }
  if (found.rows == 0 && bounded)
    return evaluate(self, expect, FALSE);
  const double n = found.rows;
  if (!expect->over)
    found.value = found.low = found.high = found.value / n;
  else
    found = (MsFinding){expect,
                        MS_FINDING_NOT_MEASURED,
                        exp(found.value / n),
                        exp((found.value - sqrt(found.low)) / n),
                        exp((found.value + sqrt(found.high)) / n),
                        found.rows};
  found.verdict = judge(&found, self->noise);
  return found;
}

/** ms_report_find_findings: (transfer full) (element-type MsFinding): one for each rule of the experiment. */
GArray *
ms_report_find_findings(const MsReport *self)
{
  GArray *findings = g_array_new(FALSE, FALSE, sizeof(MsFinding));

  for (guint i = 0; i < self->experiment->expects->len; i++) {
    const MsFinding found = evaluate(self, self->experiment->expects->pdata[i], TRUE);
    g_array_append_val(findings, found);
  }
  return findings;
}

static MsFindingVerdict
join(const GArray *findings)
{
  guint counts[G_N_ELEMENTS(verdict_names)] = {0};

  for (guint i = 0; i < findings->len; i++)
    counts[g_array_index(findings, MsFinding, i).verdict]++;
  const guint measured = findings->len - counts[MS_FINDING_NOT_MEASURED];
  for (MsFindingVerdict v = MS_FINDING_UNCERTAIN; v < MS_FINDING_PARTLY; v++)
    if (measured > 0 && counts[v] == measured)
      return v;
  if (measured == 0)
    return MS_FINDING_NOT_MEASURED;
  return counts[MS_FINDING_AGREES] > 0     ? MS_FINDING_PARTLY
         : counts[MS_FINDING_OPPOSITE] > 0 ? MS_FINDING_OPPOSITE
                                           : MS_FINDING_UNCERTAIN;
}

/** ms_report_judge: the verdict on all rules together; rules that could not be measured do not count. */
MsFindingVerdict
ms_report_judge(const MsReport *self)
{
  g_autoptr(GArray) findings = ms_report_find_findings(self);

  return join(findings);
}

/* "×" of a ratio, else a blank and the unit of the metric. */
static char *
unit_of(const MsExpect *expect)
{
  const MsMetric *metric = ms_metric_find(expect->metric);

  return expect->over || !metric ? g_strdup("×") : g_strconcat(" ", metric->unit, NULL);
}

/* "1.34×", "8–11.5×", "89 %", or empty. */
static char *
study_number(const MsExpect *expect)
{
  g_autofree char *unit = unit_of(expect);

  if (!isfinite(expect->low))
    return g_strdup("");
  g_autofree char *low = ms_number_text(expect->low), *high = ms_number_text(expect->high);
  const gboolean range = expect->low < expect->high;
  return g_strdup_printf("%s%s%s%s", low, range ? "–" : "", range ? high : "", unit);
}

static const char *
relation_word(const MsExpect *expect, MsLanguage language)
{
  static const char *const words[] = {N_("faster"), N_("slower"), N_("more"), N_("less"), N_("no difference")};

  if (!expect->over && expect->relation == MS_EXPECT_MORE)
    return ms_text(language, "over");
  if (!expect->over && expect->relation == MS_EXPECT_LESS)
    return ms_text(language, "under");
  return ms_text(language, words[expect->relation]);
}

/* As ms_ratio_text(), "93 %", or a dash. */
static char *
measured_text(const MsFinding *found)
{
  g_autofree char *unit = unit_of(found->expect);

  if (found->rows == 0)
    return g_strdup("–");
  if (found->expect->over)
    return ms_ratio_text(found->value, found->low, found->high);
  g_autofree char *value = ms_number_format(found->value, "%.3g");
  return g_strconcat(value, unit, NULL);
}

static void
append_finding(GString *text, const MsFinding *found, MsLanguage language)
{
  const MsExpect *expect = found->expect;
  const char *word = relation_word(expect, language);
  g_autofree char *number = study_number(expect), *here = measured_text(found);
  g_autofree char *study = *number ? g_strdup_printf("%s %s", word, number) : g_strdup(word);

  /* Translators: a claim of a study, what the study found, what was measured here, and the verdict. */
  g_string_append_printf(text, ms_text(language, "%s: in the study %s, here %s, %s"),
                         ms_experiment_text(expect->claim, language), study, here,
                         ms_text(language, verdict_names[found->verdict]));
}

/**
 * ms_report_verdict_text: (transfer full) (nullable): in one line whether this device shows what the study found; %NULL
 * for an experiment without rules
 */
char *
ms_report_verdict_text(const MsReport *self, MsLanguage language)
{
  g_autoptr(GArray) findings = ms_report_find_findings(self);
  g_autoptr(GString) text = g_string_new(NULL);

  if (findings->len == 0)
    return NULL;
  g_string_append_printf(text, ms_text(language, "Verdict: %s. "), ms_text(language, verdict_names[join(findings)]));
  for (guint i = 0; i < findings->len; i++) {
    g_string_append(text, i > 0 ? ms_text(language, "; ") : "");
    append_finding(text, &g_array_index(findings, MsFinding, i), language);
  }
  g_string_append(text, ms_text(language, "."));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *
dup_claim(gconstpointer finding)
{
  return g_strdup(((const MsFinding *)finding)->expect->claim);
}

static char *
dup_verdict(gconstpointer finding)
{
  return g_strdup(verdict_names[((const MsFinding *)finding)->verdict]);
}

#define FINDING(member, form) MS_FIELD(MsFinding, member, form, #member)
static const MsField finding_fields[] = {
  MS_FIELD_OF(COMPUTED_TEXT, "claim", .text = dup_claim),
  MS_FIELD_OF(COMPUTED_TEXT, "verdict", .text = dup_verdict),
  FINDING(value, NUMBER),
  FINDING(low, NUMBER),
  FINDING(high, NUMBER),
  FINDING(rows, COUNT),
};
const MsRecord ms_finding_record = MS_RECORD(finding_fields);
