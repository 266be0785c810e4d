/* SPDX-License-Identifier: MIT */
/* MsLabelKernels: the kernels that label regions, the buffers they share, and how each is launched. */
#pragma once

#include "core/opencl/context.h"

/** MsLabelStep: the kernels, in the order in which they run. */
typedef enum {
  MS_LABEL_STEP_START,
  MS_LABEL_STEP_JOIN,
  MS_LABEL_STEP_COUNT,
  MS_LABEL_STEP_NUMBER,
  MS_LABEL_STEP_SPREAD,
} MsLabelStep;

#define MS_LABEL_N_STEPS (MS_LABEL_STEP_SPREAD + 1)

/** MsLabelBuffer: what the kernels read and write. */
typedef enum {
  MS_LABEL_BUFFER_COLOURS,
  MS_LABEL_BUFFER_MODES,
  MS_LABEL_BUFFER_PARENTS,
  MS_LABEL_BUFFER_LABELS,
  MS_LABEL_BUFFER_COUNTS,
} MsLabelBuffer;

#define MS_LABEL_N_BUFFERS (MS_LABEL_BUFFER_COUNTS + 1)

/**
 * MsLabelKernels:
 * @log: (nullable): gets the builds and launches
 * @image: width, height, spatial radius and squared colour distance, as the kernels take them
 * @n_spans: number of runs of consecutive pixels, each of which is one work-item's
 */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  cl_int4 image;
  gsize n_pixels;
  gsize n_spans;
  cl_kernel kernels[MS_LABEL_N_STEPS];
  cl_mem buffers[MS_LABEL_N_BUFFERS];
} MsLabelKernels;

void ms_label_kernels_init(MsLabelKernels *self, MsContext *context, cl_int4 image);
gboolean ms_label_kernels_build(MsLabelKernels *self, GError **error);
gboolean ms_label_kernels_create_buffers(MsLabelKernels *self, GError **error);
gboolean ms_label_kernels_launch(MsLabelKernels *self, MsLabelStep first, MsLabelStep last, GError **error);
void ms_label_kernels_clear(MsLabelKernels *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsLabelKernels, ms_label_kernels_clear)
