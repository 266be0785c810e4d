/* SPDX-License-Identifier: MIT */
/* A search as a report, so that it is written in all forms that reports have. */
#pragma once

#include "core/lab/report/report.h"
#include "core/lab/tune/tuner.h"

MsReport *ms_lab_tune_report(const MsTuneRecord *record);
