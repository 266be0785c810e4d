/* SPDX-License-Identifier: MIT */
/* MsScale: maps values to positions on an axis, linearly or by their logarithm, and chooses its ticks. */
#pragma once

#include <glib.h>

/** MsScale: maps values to 0..1, linearly or by their logarithm. */
typedef struct {
  double minimum;
  double maximum;
  gboolean logarithmic;
} MsScale;

MsScale ms_scale_for_range(double minimum, double maximum, gboolean logarithmic, gboolean from_zero);
double ms_scale_map(const MsScale *self, double value);
GArray *ms_scale_ticks(const MsScale *self, guint wanted);
char *ms_scale_format_count(double value);
