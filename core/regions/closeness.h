/* SPDX-License-Identifier: MIT */
/* MsCloseness: a filtered picture with its modes, and the rule by which neighbouring pixels are of one region. */
#pragma once

#include <glib.h>

/**
 * MsLabelRule: which two of eight neighbouring pixels are of one region.
 * @spatial: the largest difference of their modes in column and in row
 * @squared_range: the largest squared distance of their colours
 */
typedef struct {
  int spatial;
  int squared_range;
} MsLabelRule;

/**
 * MsCloseness:
 * @colours: four bytes a pixel, of which three are compared
 * @modes: column and row of each pixel's mode
 */
typedef struct {
  const guint8 *colours;
  const guint16 *modes;
  int width;
  int height;
  MsLabelRule rule;
} MsCloseness;

/* Whether the neighbouring pixels @a and @b are of one region. */
static inline gboolean
ms_are_close(const MsCloseness *self, gsize a, gsize b)
{
  const guint8 *p = self->colours + a * 4, *q = self->colours + b * 4;
  const guint16 *m = self->modes + a * 2, *o = self->modes + b * 2;
  const int d0 = p[0] - q[0], d1 = p[1] - q[1], d2 = p[2] - q[2];

  return ABS(m[0] - o[0]) <= self->rule.spatial && ABS(m[1] - o[1]) <= self->rule.spatial &&
         d0 * d0 + d1 * d1 + d2 * d2 <= self->rule.squared_range;
}
