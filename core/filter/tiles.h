/* SPDX-License-Identifier: MIT */
/*
 * MsTiles: the rows of a picture that no device has taken yet. Each device takes the next tile when it is free, so that
 * the picture is shared by speed without anything being known of the devices before. Of a picture that exceeds the
 * memory, the list reads the rows that a tile needs, and writes those that are computed, in order.
 */
#pragma once

#include "core/filter/plan/job.h"

/**
 * MsTiles:
 * @whole: all rows
 * @pixels: (nullable): of their result, unless it stays on a device or goes to a stream; @row_bytes: of a row of it
 * @n_devices: that take from the list
 * @speeds: rows a millisecond of each device; 0 where it is unknown
 * @is_handed_out: whether the rows of each device were handed out beforehand
 * @progress: (nullable): called with the number of computed rows and of all rows, never by two threads at the same time
 */
typedef struct {
  MsRows whole;
  guint n_devices;
  double speeds[MS_DEVICES_MAX];
  gboolean is_handed_out;
  MsProgressFunc progress;
  gpointer progress_data;
  guint8 *pixels;
  gsize row_bytes;
  /*< private >*/
  GMutex lock;
  GCond changed;
  MsRowStream *stream;
  GMutex reading;
  GArray *unwritten;
  gboolean is_writing;
  gboolean gave_up[MS_DEVICES_MAX];
  GError *failure;
  MsRows left[MS_DEVICES_MAX];
  int computed;
  gboolean stopped;
  gboolean has_ended[MS_DEVICES_MAX];
  GArray *returned;
  gint64 begun_us[MS_DEVICES_MAX];
  int rows[MS_DEVICES_MAX];
} MsTiles;

void ms_tiles_init(MsTiles *self, MsRows whole, guint n_devices);
void ms_tiles_clear(MsTiles *self);
void ms_tiles_hand_out(MsTiles *self, const MsRows *shares);
void ms_tiles_serve(MsTiles *self, const MsJob *job, int width, guint8 *pixels);
gboolean ms_tiles_take(MsTiles *self, guint device, int most, MsRows *tile);
gboolean ms_tiles_prepare(MsTiles *self, MsRows tile, MsRows held, guint8 **pixels, GError **error);
gboolean ms_tiles_finish(MsTiles *self, MsRows tile, guint8 *pixels, GError **error);
void ms_tiles_return(MsTiles *self, guint device, MsRows tile, guint8 *pixels);
void ms_tiles_count(MsTiles *self, guint device, int rows);
void ms_tiles_give_up(MsTiles *self, guint device, gboolean gives_up);
void ms_tiles_stop(MsTiles *self);
gboolean ms_tiles_end(MsTiles *self, GError *failure, GError **error);
gboolean ms_tiles_is_stream(const MsTiles *self);

guint ms_tiles_most(const MsTiles *self, int most);
int ms_tiles_even_rows(const MsTiles *self, int most, int halo);
int ms_tiles_choose_rows(int left, int most, const double *speeds, guint n_devices, guint device);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsTiles, ms_tiles_clear)
