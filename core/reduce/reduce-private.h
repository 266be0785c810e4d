/* SPDX-License-Identifier: MIT */
/*
 * The inside of MsReducer: reduce-launch.c folds what lies on the device, reduce-feed.c brings arrays there in chunks.
 */
#pragma once

#include "core/reduce/reduce.h"

G_BEGIN_DECLS

/** MsReduceCentre: an element as it lies in memory, which moments are taken about; zero for everything else. */
typedef union {
  float narrow;
  double wide;
} MsReduceCentre;

struct _MsReducer {
  GObject parent_instance;
  MsContext *context;
  MsReducePlan *plan;
  cl_kernel kernel;
  cl_kernel partials_kernel;
  cl_mem out[2]; /* the second takes turns with the first in recursive launches */
  gsize out_bytes;
  gboolean out_is_clear;
  cl_mem map;
  cl_mem upload;
  cl_mem image;
  guint64 image_elements;
  MsReduceCentre centre;
  MsReducer
    *opposite; /* the maximum, asked for when a minimum alone cannot tell NaN from infinity, and the other way */
};

/** MsReduceSpan: @to - @from elements, counted from element @origin of a buffer, where a whole vector starts. */
typedef struct {
  guint64 origin;
  cl_int from;
  cl_int to;
} MsReduceSpan;

gboolean ms_reducer_run_span(MsReducer *self, cl_mem source, const MsReduceSpan *span, guint64 first_element,
                             MsReduceResult *result, MsTimingLog *log, GError **error);

gboolean ms_reducer_fold_host(MsReducer *self, const void *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
                              GCancellable *cancellable, GError **error);
gboolean ms_reducer_fold_buffer(MsReducer *self, cl_mem buffer, guint64 first, guint64 n, MsReduceResult *result,
                                MsTimingLog *log, GCancellable *cancellable, GError **error);

G_END_DECLS
