/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/job.h"

/** ms_device_result_clear: releases the memory. */
void
ms_device_result_clear(MsDeviceResult *self)
{
  g_clear_pointer(&self->colours, clReleaseMemObject);
  g_clear_pointer(&self->modes, clReleaseMemObject);
  g_clear_pointer(&self->source, clReleaseMemObject);
}

/** ms_job_get_size: columns and rows of the picture. */
MsPyramidSize
ms_job_get_size(const MsJob *self)
{
  return self->source ? (MsPyramidSize){ms_image_get_width(self->source), ms_image_get_height(self->source)}
                      : self->size;
}

/** ms_job_get_region: the rectangle that is computed. */
MsRegion
ms_job_get_region(const MsJob *self)
{
  const MsPyramidSize size = ms_job_get_size(self);

  return self->region ? *self->region : (MsRegion){0, 0, size.width, size.height};
}

/** ms_job_get_modes: (transfer none) (nullable): the memory that takes the modes. */
guint16 *
ms_job_get_modes(const MsJob *self)
{
  return self->modes_into ? self->modes_into : self->modes;
}

/**
 * ms_job_begin: frees the outputs of an earlier run, and allocates memory for the modes where the caller wants them.
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY
 */
gboolean
ms_job_begin(MsJob *self, GError **error)
{
  const int width = ms_image_get_width(self->source), height = ms_image_get_height(self->source);

  ms_job_clear(self);
  if (!self->wants_modes || self->modes_into)
    return TRUE;
  self->modes = g_try_new(guint16, 2 * (gsize)width * (gsize)height);
  if (!self->modes)
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the modes of %dx%d pixels.", width, height);
  return self->modes != NULL;
}

/** ms_job_clear: frees the outputs, and nothing that belongs to the caller. */
void
ms_job_clear(MsJob *self)
{
  g_clear_pointer(&self->rejected, g_free);
  g_clear_pointer(&self->program, ms_program_spec_unref);
  g_clear_pointer(&self->modes, g_free);
  ms_device_result_clear(&self->stayed);
}
