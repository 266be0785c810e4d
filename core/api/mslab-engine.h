/* SPDX-License-Identifier: MIT */
/* MslabEngine: an open device, which filters images and reduces arrays. */
#pragma once

#include "mslab-image.h"
#include "mslab-reduction.h"
#include "mslab-regions.h"
#include "mslab-settings.h"
#include "mslab-statistics.h"

G_BEGIN_DECLS

/**
 * MslabProgressFunc:
 * @done: rows that are finished
 * @total: rows of the image
 * @user_data: as given to mslab_engine_set_progress()
 *
 * Called during a run on the thread that computes.
 */
typedef void (*MslabProgressFunc)(int done, int total, gpointer user_data);

#define MSLAB_TYPE_ENGINE (mslab_engine_get_type())

G_DECLARE_FINAL_TYPE(MslabEngine, mslab_engine, MSLAB, ENGINE, GObject)

MslabEngine *mslab_engine_open(const char *selector, GError **error);
const char *mslab_engine_get_name(MslabEngine *self);
char **mslab_engine_get_notes(MslabEngine *self);
void mslab_engine_set_progress(MslabEngine *self, MslabProgressFunc progress, gpointer user_data,
                               GDestroyNotify destroy);

MslabImage *mslab_engine_filter(MslabEngine *self, MslabImage *image, MslabSettings *settings,
                                GCancellable *cancellable, GError **error);
MslabImage *mslab_engine_filter_band(MslabEngine *self, MslabImage *band, int first_row, int image_height,
                                     MslabSettings *settings, GCancellable *cancellable, GError **error);
void mslab_engine_filter_async(MslabEngine *self, MslabImage *image, MslabSettings *settings, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
MslabImage *mslab_engine_filter_finish(MslabEngine *self, GAsyncResult *result, GError **error);

MslabStatistics *mslab_engine_get_statistics(MslabEngine *self, MslabImage *image, GCancellable *cancellable,
                                             GError **error);
MslabRegions *mslab_engine_find_regions(MslabEngine *self, MslabImage *image, MslabSettings *settings, guint min_pixels,
                                        GCancellable *cancellable, GError **error);
MslabReduction *mslab_engine_reduce(MslabEngine *self, const char *operation, const char *type, GBytes *elements,
                                    GCancellable *cancellable, GError **error);

G_END_DECLS
