/* SPDX-License-Identifier: MIT */
/* Resumes an interrupted run: finds its report in the folder and takes over its finished rows. */
#pragma once

#include "core/lab/report/report.h"

MsReport *ms_resume_find(const MsReport *report, const char *folder);
gboolean ms_resume_is_finished(const MsReport *earlier, const MsReport *report);
void ms_resume_take_rows(MsReport *report, MsReport *earlier);
