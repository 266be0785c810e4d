/* SPDX-License-Identifier: MIT */
/* The format of a report in JSON, for its writer and its reader. */
#pragma once

#include "core/factors-json.h"
#include "core/json.h"
#include "core/lab/report/report.h"

#define MS_REPORT_FORMAT "meanshift-lab experiment report"
#define MS_REPORT_VERSION 1
