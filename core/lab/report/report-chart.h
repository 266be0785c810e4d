/* SPDX-License-Identifier: MIT */
/* Makes the chart of a report. */
#pragma once

#include "core/lab/report/report.h"

MsChart *ms_report_to_chart(const MsReport *self, MsLanguage language);
