/* SPDX-License-Identifier: MIT */
/* MsCloseRows: which pixels of a row are close to their neighbours on the left and in the row above. */
#pragma once

#include "core/regions/closeness.h"

/** MsCloseFlags: what holds for a pixel of a row. */
enum {
  MS_CLOSE_BEGINS = 1,     /* it is not close to the one on its left */
  MS_CLOSE_ABOVE_LEFT = 2, /* it must be joined with this pixel of the row above */
  MS_CLOSE_ABOVE = 4,
  MS_CLOSE_ABOVE_RIGHT = 8,
};

/**
 * MsCloseRows:
 * @flags: of the pixels of the newest row
 * @half: that of @planes and of @links in which the newest row is, 0 or 1
 */
typedef struct {
  const MsCloseness *closeness;
  float *planes;
  guint8 *links;
  guint8 *flags;
  int half;
} MsCloseRows;

guint64 ms_close_rows_bytes(int width);
void ms_close_rows_init(MsCloseRows *self, const MsCloseness *closeness);
void ms_close_rows_next(MsCloseRows *self, int y);
void ms_close_rows_clear(MsCloseRows *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsCloseRows, ms_close_rows_clear)
