/* SPDX-License-Identifier: MIT */
/* MsSplitPart: the rows of an image that one of several devices computes in one step. */
#pragma once

#include "core/filter/mean-shift.h"
#include "core/filter/split/shares.h"

/**
 * MsSplitPart: filled before its thread starts, read after it has ended.
 * @settings: of its device; in the template of the parts of a run, an array with those of each device
 * @rows: of the image
 * @pixels: of the whole result
 * @modes: (nullable): of the whole image, two numbers a pixel
 * @milliseconds, @good, @error: set by the run
 */
typedef struct {
  MsMeanShift *filter;
  MsImage *source;
  const MsSettings *settings;
  MsRows rows;
  guint8 *pixels;
  guint16 *modes;
  GCancellable *cancellable;
  MsTimingLog *log;
  double milliseconds;
  gboolean good;
  GError *error;
} MsSplitPart;

void ms_split_part_run(MsSplitPart *self);
double ms_split_part_speed_ms(const MsSplitPart *self);
void ms_split_parts_run(MsSplitPart *parts, guint n);
gboolean ms_split_parts_take_error(MsSplitPart *parts, guint n, GError **error);
