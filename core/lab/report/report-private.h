/* SPDX-License-Identifier: MIT */
/* Shared by the writers of a report: text, CSV, JSON, Markdown and chart. */
#pragma once

#include "core/factors-json.h"
#include "core/json.h"
#include "core/lab/report/report.h"

#define MS_REPORT_FORMAT "meanshift-lab experiment report"
#define MS_REPORT_VERSION 1
