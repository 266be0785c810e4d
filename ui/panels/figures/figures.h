/* SPDX-License-Identifier: MIT */
/*
 * MsFigures: statistics and histograms of the two pictures a document compares, reduced on the device off the main
 * thread.
 */
#pragma once

#include "core/reduce/image-statistics.h"
#include "ui/document/document.h"

G_BEGIN_DECLS

#define MS_TYPE_FIGURES (ms_figures_get_type())
/* Signal: "changed" (): figures arrived or went, or computing them failed. */
G_DECLARE_FINAL_TYPE(MsFigures, ms_figures, MS, FIGURES, GObject)

MsFigures *ms_figures_of(MsDocument *document);
void ms_figures_update(MsFigures *self, MsDocument *document);

const MsImageStatistics *ms_figures_get_before(MsFigures *self);
const MsImageStatistics *ms_figures_get_after(MsFigures *self);
const MsImageComparison *ms_figures_get_comparison(MsFigures *self);
const char *ms_figures_get_problem(MsFigures *self);
gboolean ms_figures_is_busy(MsFigures *self);
char *ms_figures_name_before(MsDocument *document);
char *ms_figures_name_after(MsDocument *document);

G_END_DECLS
