/* SPDX-License-Identifier: MIT */
/* Draws histograms with cairo. */
#pragma once

#include "ui/panels/statistics/histogram-private.h"

MsHistogramFrame ms_histogram_frame(MsHistogramPlot *self, cairo_t *cr);
void ms_histogram_draw(MsHistogramPlot *self, cairo_t *cr);
