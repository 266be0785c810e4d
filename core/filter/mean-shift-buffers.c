/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-buffers.h"

#include "core/filter/plan/bands.h"
#include "core/filter/space/space-tables.h"
#include "core/opencl/cl-error.h"

/* Bytes after the mask that kernels may read in whole vectors; see kernels/levels/marks-on.cl. */
#define MASK_PADDING 64

static gboolean
reserve(MsDeviceBuffer *buffer, MsContext *context, cl_mem_flags flags, gsize bytes, GError **error)
{
  if (buffer->bytes >= bytes)
    return TRUE;
  g_clear_pointer(&buffer->mem, clReleaseMemObject);
  buffer->bytes = 0;
  buffer->mem = ms_context_create_buffer(context, flags, bytes, NULL, error);
  if (!buffer->mem)
    return FALSE;
  buffer->bytes = bytes;
  return TRUE;
}

static gboolean
reserve_image(MsFilterBuffers *self, MsContext *context, gsize width, gsize height, GError **error)
{
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
  cl_int status = CL_SUCCESS;

  if (self->image && self->image_width == width && self->image_height == height)
    return TRUE;
  g_clear_pointer(&self->image, clReleaseMemObject);
  self->image = clCreateImage(ms_context_get_cl(context), CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
  self->image_width = width;
  self->image_height = height;
  return ms_cl_check(status, error, "creating an image object of %zux%zu", width, height);
}

static gboolean
reserve_source(MsFilterBuffers *self, MsContext *context, const MsPlan *plan, int rows, GError **error)
{
  gsize width = plan->request.width;

  if (plan->source_is_image)
    return reserve_image(self, context, width, rows, error);
  return reserve(&self->source, context, CL_MEM_READ_WRITE, width * rows * 4, error);
}

static gboolean
reserve_mask(MsFilterBuffers *self, MsContext *context, const MsPlan *plan, int source_rows, GError **error)
{
  const MsPlan *above = plan->coarser;

  if (!ms_plan_is_masked(plan))
    return TRUE;
  return reserve(&self->mask, context, CL_MEM_READ_WRITE, (gsize)plan->request.width * source_rows + MASK_PADDING,
                 error) &&
         reserve(&self->edges, context, CL_MEM_READ_WRITE,
                 (gsize)above->request.width * ms_bands_coarser_most(source_rows, above->request.height), error);
}

static gboolean
reserve_tables(MsFilterBuffers *self, MsContext *context, const MsPlan *plan, GError **error)
{
  if (plan->settings.params.space != MS_SPACE_RGB && !self->tables)
    self->tables = ms_context_create_buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, MS_SPACE_TABLES_BYTES,
                                            (void *)ms_space_tables_get(), error);
  return plan->settings.params.space == MS_SPACE_RGB || self->tables;
}

/** ms_filter_buffers_reserve: allocates the buffers for a stripe of @plan, including its scratch buffers. */
gboolean
ms_filter_buffers_reserve(MsFilterBuffers *self, MsContext *context, const MsPlan *plan, MsStripeRows rows,
                          GError **error)
{
  gsize result_bytes = (gsize)rows.result * plan->request.region.width * 4;

  if (!reserve_tables(self, context, plan, error) || !reserve_mask(self, context, plan, rows.source, error) ||
      !reserve_source(self, context, plan, rows.source, error) ||
      !reserve(&self->result, context, CL_MEM_READ_WRITE, result_bytes, error) ||
      (plan->request.modes && !reserve(&self->modes, context, CL_MEM_READ_WRITE, result_bytes, error)))
    return FALSE;
  for (guint i = 0; i < plan->n_scratch; i++) {
    gsize bytes = rows.source * plan->scratch[i].row_bytes + plan->scratch[i].fixed_bytes;
    if (!reserve(&self->scratch[i], context, CL_MEM_READ_WRITE, bytes, error))
      return FALSE;
  }
  return TRUE;
}

/** ms_filter_buffers_clear_scratch: fills the scratch buffers with zeros where the plan requires it. */
gboolean
ms_filter_buffers_clear_scratch(MsFilterBuffers *self, MsContext *context, const MsPlan *plan, GError **error)
{
  const cl_uint zero = 0;

  for (guint i = 0; i < plan->n_scratch; i++) {
    const MsDeviceBuffer *buffer = &self->scratch[i];
    gsize bytes = buffer->bytes / sizeof zero * sizeof zero;
    if (!plan->scratch[i].cleared)
      continue;
    if (!ms_cl_check(
          clEnqueueFillBuffer(ms_context_get_queue(context), buffer->mem, &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
          error, "clearing a scratch buffer"))
      return FALSE;
  }
  return TRUE;
}

/** ms_filter_buffers_release: releases the device memory; the structure can be used again. */
void
ms_filter_buffers_release(MsFilterBuffers *self)
{
  g_clear_pointer(&self->source.mem, clReleaseMemObject);
  g_clear_pointer(&self->result.mem, clReleaseMemObject);
  g_clear_pointer(&self->image, clReleaseMemObject);
  g_clear_pointer(&self->modes.mem, clReleaseMemObject);
  g_clear_pointer(&self->mask.mem, clReleaseMemObject);
  g_clear_pointer(&self->edges.mem, clReleaseMemObject);
  g_clear_pointer(&self->tables, clReleaseMemObject);
  for (guint i = 0; i < MS_PLAN_MAX_SCRATCH; i++)
    g_clear_pointer(&self->scratch[i].mem, clReleaseMemObject);
  *self = (MsFilterBuffers){0};
}
