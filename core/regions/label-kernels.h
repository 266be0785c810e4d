/* SPDX-License-Identifier: MIT */
/* MsLabelKernels: the kernels that label and merge regions, the buffers they share, and how each is launched. */
#pragma once

#include "core/opencl/context.h"

G_BEGIN_DECLS

/** MsLabelStep: the kernels, in the order in which they run; %MS_LABEL_STEP_SPREAD is the last one before merging. */
typedef enum {
  MS_LABEL_STEP_START,
  MS_LABEL_STEP_JOIN,
  MS_LABEL_STEP_COUNT,
  MS_LABEL_STEP_NUMBER,
  MS_LABEL_STEP_SPREAD,
  MS_LABEL_STEP_CLEAR,
  MS_LABEL_STEP_ADD_UP,
  MS_LABEL_STEP_CHAIN,
  MS_LABEL_STEP_BEGIN,
  MS_LABEL_STEP_MERGE,
  MS_LABEL_STEP_NUMBER_REGIONS,
  MS_LABEL_STEP_RENUMBER,
} MsLabelStep;

#define MS_LABEL_N_STEPS (MS_LABEL_STEP_RENUMBER + 1)

/** MsLabelBuffer: what the kernels read and write; all after %MS_LABEL_BUFFER_COUNTS belong to merging. */
typedef enum {
  MS_LABEL_BUFFER_COLOURS,
  MS_LABEL_BUFFER_MODES,
  MS_LABEL_BUFFER_PARENTS,
  MS_LABEL_BUFFER_LABELS,
  MS_LABEL_BUFFER_COUNTS,
  MS_LABEL_BUFFER_SIZES,
  MS_LABEL_BUFFER_SUMS,
  MS_LABEL_BUFFER_HEADS,
  MS_LABEL_BUFFER_TAILS,
  MS_LABEL_BUFFER_MEANS,
  MS_LABEL_BUFFER_ROOTS,
  MS_LABEL_BUFFER_FIRSTS,
  MS_LABEL_BUFFER_WAITING,
  MS_LABEL_BUFFER_TURN,
  MS_LABEL_BUFFER_NEIGHBOURS,
  MS_LABEL_BUFFER_STATE,
} MsLabelBuffer;

#define MS_LABEL_N_BUFFERS (MS_LABEL_BUFFER_STATE + 1)

/**
 * MsLabelKernels:
 * @log: (nullable): gets the builds and launches
 * @image: width, height, spatial radius and squared colour distance, as the kernels take them
 * @merging: number of regions, least number of pixels, and the size being merged, as the kernels take them
 * @n_spans: number of runs of consecutive pixels, each of which is one work-item's
 * @group: work-items of the group that merges
 */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  cl_int4 image;
  cl_int4 merging;
  gsize n_pixels;
  gsize n_spans;
  gsize group;
  cl_kernel kernels[MS_LABEL_N_STEPS];
  cl_mem buffers[MS_LABEL_N_BUFFERS];
} MsLabelKernels;

void ms_label_kernels_init(MsLabelKernels *self, MsContext *context, cl_int4 image, guint group);
gboolean ms_label_kernels_build(MsLabelKernels *self, gboolean merges, GError **error);
gboolean ms_label_kernels_create_buffers(MsLabelKernels *self, MsLabelBuffer first, MsLabelBuffer last, GError **error);
gboolean ms_label_kernels_launch(MsLabelKernels *self, MsLabelStep first, MsLabelStep last, GError **error);
void ms_label_kernels_clear(MsLabelKernels *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsLabelKernels, ms_label_kernels_clear)

G_END_DECLS
