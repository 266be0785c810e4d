/* SPDX-License-Identifier: MIT */
/* Shared by the kinds that filter an image: its default size and the check of a result against the serial reference. */
#pragma once

#include "core/lab/kinds/bench.h"

const char *ms_lab_image_size(const MsFactors *factors);
MsImage *ms_lab_image_open(MsLabBench *bench, const MsFactors *factors, MsWork *work, GError **error);
/**
 * MsLabImageTask: an image to filter, and how.
 * @work: (inout): gets the number of window samples of the reference
 */
typedef struct {
  MsLabBench *bench;
  MsImage *image;
  const MsParams *params;
  MsWork *work;
} MsLabImageTask;

gboolean ms_lab_image_verify(const MsLabImageTask *task, MsImage *result, MsVerification *verification,
                             GCancellable *cancellable, GError **error);
