/* SPDX-License-Identifier: MIT */
/* Shared by the model, the scales, the layout and the drawing of a chart. */
#pragma once

#include "core/chart/chart-style.h"

typedef struct {
  char *label;
  MsChartStyle style;
  GArray *points; /* MsChartPoint */
} MsChartSeries;

typedef struct {
  char *title;
  gboolean logarithmic;
} MsChartAxis;

struct _MsChart {
  MsChartType type;
  MsLanguage language; /* of the chart's own texts */
  char *title;
  char *subtitle;
  char *empty_text;
  MsChartAxis x;
  MsChartAxis y;
  GPtrArray *categories; /* char * */
  GPtrArray *series;     /* MsChartSeries */
  MsChart *panel;        /* (nullable): the panel below */
  guint n_measured;
  guint n_published;
};
