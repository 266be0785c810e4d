/* SPDX-License-Identifier: MIT */
/*
 * The private parts of MsReducer: reduce-launch.c folds elements on the device, reduce-feed.c transfers arrays to it in
 * chunks.
 */
#pragma once

#include "core/reduce/reduce-image.h"
#include "core/reduce/reduce.h"

/** MsReduceCentre: the element that moments are taken about, as stored in memory; zero for other operators. */
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
  cl_mem out[2]; /* recursive launches alternate between the two */
  gsize out_bytes;
  gboolean out_is_clear;
  cl_mem map;
  cl_mem upload;
  cl_mem image;
  guint64 image_elements;
  MsReduceCentre centre;
  MsReducer *opposite; /* the maximum where a minimum alone cannot distinguish NaN from infinity, or vice versa */
};

/**
 * MsReduceSpan: @to - @from elements, counted from element @origin of a buffer, where a whole vector starts.
 * @place: index of the first of them in the whole array
 */
typedef struct {
  guint64 origin;
  cl_int from;
  cl_int to;
  guint64 place;
} MsReduceSpan;

gboolean ms_reducer_run_span(MsReducer *self, cl_mem source, const MsReduceSpan *span, const MsReduceJob *job,
                             GError **error);
gboolean ms_reducer_fold(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error);
