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

/** ms_reduce_image_new: (transfer full): an image for a chunk of the plan, or for @n elements when those are all. */
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

  if (!ms_cl_check(status, error, "making an image of %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT " texels",
                   shape.image_width, shape.image_height))
    return NULL;
  return image;
}

/** Rectangle: texels of an image that lie one after the other in the array, from element @element on. */
typedef struct {
  gsize origin[3];
  gsize region[3];
  guint64 element;
} Rectangle;

static gboolean
write_rectangle(MsContext *context, const MsReducePlan *plan, cl_mem image, const Rectangle *r,
                const MsReduceImageSource *source, MsTimingLog *log, GError **error)
{
  cl_command_queue queue = ms_context_get_queue(context);
  g_auto(cl_event) event = NULL;
  guint64 bytes = (guint64)r->region[0] * r->region[1] * TEXEL * plan->element_bytes;
  cl_int status;

  if (r->region[0] == 0 || r->region[1] == 0)
    return TRUE;
  if (source->host)
    status = clEnqueueWriteImage(queue, image, CL_TRUE, r->origin, r->region, 0, 0,
                                 source->host + r->element * plan->element_bytes, 0, NULL, &event);
  else
    status =
      clEnqueueCopyBufferToImage(queue, source->buffer, image, (source->first + r->element) * plan->element_bytes,
                                 r->origin, r->region, 0, NULL, &event);
  if (!ms_cl_check(status, error, "filling an image"))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_UPLOAD, "image", bytes, event);
  return TRUE;
}

/* The last texel when it is not full: copied by way of the host, since its other elements may not exist. */
static gboolean
write_last_texel(MsContext *context, const MsReducePlan *plan, cl_mem image, guint64 n,
                 const MsReduceImageSource *source, MsTimingLog *log, GError **error)
{
  guint64 whole = n / TEXEL * TEXEL, texel = n / TEXEL;
  gsize rest = (gsize)(n - whole) * plan->element_bytes;
  guint8 bytes[TEXEL * sizeof(double)] = {0};
  MsReduceImageSource from = {.host = bytes};
  Rectangle last = {{texel % plan->image_width, texel / plan->image_width, 0}, {1, 1, 1}, 0};

  if (rest == 0)
    return TRUE;
  if (source->host)
    memcpy(bytes, source->host + whole * plan->element_bytes, rest);
  else if (!ms_context_download(context, source->buffer, (source->first + whole) * plan->element_bytes, rest, bytes,
                                NULL, error))
    return FALSE;
  return write_rectangle(context, plan, image, &last, &from, log, error);
}

/** ms_reduce_image_fill: puts @n elements into the image; what is beyond them stays undefined and is never folded. */
gboolean
ms_reduce_image_fill(MsContext *context, const MsReducePlan *plan, cl_mem image, const MsReduceImageSource *source,
                     guint64 n, MsTimingLog *log, GError **error)
{
  guint64 texels = n / TEXEL, rows = texels / plan->image_width;
  Rectangle body = {{0}, {plan->image_width, (gsize)rows, 1}, 0};
  Rectangle rest = {{0, (gsize)rows, 0}, {texels % plan->image_width, 1, 1}, rows * plan->image_width * TEXEL};

  return write_rectangle(context, plan, image, &body, source, log, error) &&
         write_rectangle(context, plan, image, &rest, source, log, error) &&
         write_last_texel(context, plan, image, n, source, log, error);
}
