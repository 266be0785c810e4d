/* SPDX-License-Identifier: MIT */
/* Saves the files of reports in a folder. */
#pragma once

#include "core/lab/report/report.h"

/** MS_REPORT_INDEX: the page over all reports of a folder. */
#define MS_REPORT_INDEX "index.html"

/** MS_REPORT_DOCUMENT: the same for pdflatex; MS_REPORT_STUDIES: the studies that it cites. */
#define MS_REPORT_DOCUMENT "report.tex"
#define MS_REPORT_STUDIES "studies.bib"

void ms_report_add_paths(const char *name, const char *directory, GPtrArray *paths);
gboolean ms_report_save(const MsReport *self, const char *directory, GError **error);
gboolean ms_report_save_index(GPtrArray *reports, const char *directory, GError **error);
