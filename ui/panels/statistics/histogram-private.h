/* SPDX-License-Identifier: MIT */
/* Private members of MsHistogramPlot, for its drawing. */
#pragma once

#include "ui/panels/statistics/histogram-plot.h"
#include "ui/panels/common/panel-style.h"

#define MS_HISTOGRAM_PAD 6

struct _MsHistogramPlot {
  GtkDrawingArea parent_instance;
  MsHistogram before;
  MsHistogram after;
  gboolean has_before;
  gboolean has_after;
  gboolean shown[MS_N_CHANNELS];
  gboolean logarithmic;
  int bin; /* -1: none */
};

/** MsHistogramFrame: the layout in pixels, and the y axis: shares of pixels from @least to @most. */
typedef struct {
  GtkWidget *widget;
  cairo_t *cr;
  const MsChartPaint *paint;
  double left;
  double top;
  double width;
  double height;
  double least;
  double most;
  gboolean logarithmic;
} MsHistogramFrame;
