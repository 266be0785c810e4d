/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-image.h"

#include <string.h>

#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"

#define TEXEL 4

static cl_channel_type
channel_type(MsElementType type)
{
  static const cl_channel_type types[] = {CL_UNSIGNED_INT8, CL_SIGNED_INT8,    CL_UNSIGNED_INT16, CL_SIGNED_INT16,
                                          CL_SIGNED_INT32,  CL_UNSIGNED_INT32, CL_FLOAT};

  return types[type];
}

/** ms_reduce_image_new: (transfer full): an image for a chunk of the plan, or for @n elements if that is fewer. */
cl_mem
ms_reduce_image_new(MsContext *context, const MsReducePlan *plan, guint64 n, GError **error)
{
  cl_image_format format = {CL_RGBA, channel_type(plan->spec.type)};
  guint64 elements = MIN(n, plan->chunk), row = plan->image_width * TEXEL;
  cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                         .image_width = plan->image_width,
                         .image_height = (gsize)((elements + row - 1) / row)};
  cl_int status = CL_SUCCESS;
  cl_mem image = clCreateImage(ms_context_get_cl(context), CL_MEM_READ_ONLY, &format, &shape, NULL, &status);

  if (!ms_cl_check(status, error, "making an image of %zu x %zu texels", shape.image_width, shape.image_height))
    return NULL;
  return image;
}

/** Rectangle: texels of an image that are consecutive in the array, from element @element on. */
typedef struct {
  gsize origin[3];
  gsize region[3];
  guint64 element;
} Rectangle;

static gboolean
write_rectangle(const MsReduceImage *self, const Rectangle *r, const MsReduceInput *input, MsTimingLog *log,
                GError **error)
{
  cl_command_queue queue = ms_context_get_queue(self->context);
  const gsize size = self->plan->element_bytes;
  g_auto(cl_event) event = NULL;
  guint64 bytes = (guint64)r->region[0] * r->region[1] * TEXEL * size;
  cl_int status;

  if (r->region[0] == 0 || r->region[1] == 0)
    return TRUE;
  if (input->host)
    status = clEnqueueWriteImage(queue, self->image, CL_TRUE, r->origin, r->region, 0, 0,
                                 (const guint8 *)input->host + r->element * size, 0, NULL, &event);
  else
    status = clEnqueueCopyBufferToImage(queue, input->buffer, self->image, (input->first + r->element) * size,
                                        r->origin, r->region, 0, NULL, &event);
  if (!ms_cl_check(status, error, "filling an image"))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_UPLOAD, "image", bytes, event);
  return TRUE;
}

/* A last texel that is not full is copied through host memory, since the array may end within it. */
static gboolean
write_last_texel(const MsReduceImage *self, const MsReduceInput *input, MsTimingLog *log, GError **error)
{
  const gsize size = self->plan->element_bytes;
  guint64 whole = input->n / TEXEL * TEXEL, texel = input->n / TEXEL;
  gsize rest = (gsize)(input->n - whole) * size;
  guint8 bytes[TEXEL * sizeof(double)] = {0};
  MsReduceInput from = {.host = bytes};
  Rectangle last = {{texel % self->plan->image_width, texel / self->plan->image_width, 0}, {1, 1, 1}, 0};

  if (rest == 0)
    return TRUE;
  if (input->host)
    memcpy(bytes, (const guint8 *)input->host + whole * size, rest);
  else if (!ms_context_download(self->context, &(MsBufferRange){input->buffer, (input->first + whole) * size, rest},
                                bytes, NULL, error))
    return FALSE;
  return write_rectangle(self, &last, &from, log, error);
}

/** ms_reduce_image_fill: writes the elements into the image; texels beyond them stay undefined and are never folded. */
gboolean
ms_reduce_image_fill(const MsReduceImage *self, const MsReduceInput *input, MsTimingLog *log, GError **error)
{
  const gsize width = self->plan->image_width;
  guint64 texels = input->n / TEXEL, rows = texels / width;
  Rectangle body = {{0}, {width, (gsize)rows, 1}, 0};
  Rectangle rest = {{0, (gsize)rows, 0}, {texels % width, 1, 1}, rows * width * TEXEL};

  return write_rectangle(self, &body, input, log, error) && write_rectangle(self, &rest, input, log, error) &&
         write_last_texel(self, input, log, error);
}
