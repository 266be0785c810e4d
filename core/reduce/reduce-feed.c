/* SPDX-License-Identifier: MIT */
/* Arrays on their way to the device: in place, uploaded or as images, in chunks that a launch can take. */
#include <math.h>
#include <string.h>

#include "core/opencl/context-transfer.h"
#include "core/reduce/plan-parts.h"
#include "core/reduce/reduce-image.h"
#include "core/reduce/reduce-private.h"
#include "core/reduce/reduce-words.h"

/* Alignment that a host pointer needs to be used in place: the widest vector of OpenCL. */
#define HOST_ALIGNMENT 128

/* A span starts where a vector does; the elements in front of the array are left out by `from`. */
static MsReduceSpan
span_of(const MsReducePlan *plan, guint64 first, guint64 n)
{
  guint64 from = first % (guint64)plan->options.vector;

  return (MsReduceSpan){first - from, (cl_int)from, (cl_int)(from + n)};
}

static gboolean
run_image_chunk(MsReducer *self, const MsReduceImageSource *from, guint64 n, guint64 first_element,
                MsReduceResult *result, MsTimingLog *log, GError **error)
{
  MsReduceSpan span = {0, 0, (cl_int)n};

  if (self->image_elements < n) {
    g_clear_pointer(&self->image, clReleaseMemObject);
    self->image = ms_reduce_image_new(self->context, self->plan, n, error);
    self->image_elements = self->image ? n : 0;
  }
  return self->image && ms_reduce_image_fill(self->context, self->plan, self->image, from, n, log, error) &&
         ms_reducer_run_span(self, self->image, &span, first_element, result, log, error);
}

static gboolean
run_chunks_of_buffer(MsReducer *self, cl_mem buffer, guint64 first, guint64 n, guint64 base, MsReduceResult *result,
                     MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  for (guint64 done = 0; done < n;) {
    guint64 part = MIN(n - done, self->plan->chunk);
    MsReduceSpan span = span_of(self->plan, first + done, part);
    MsReduceImageSource source = {.buffer = buffer, .first = first + done};
    gboolean good = self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE
                      ? run_image_chunk(self, &source, part, base + done, result, log, error)
                      : ms_reducer_run_span(self, buffer, &span, base + done, result, log, error);
    if (!good || g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    done += part;
  }
  return TRUE;
}

static gboolean
run_image_of_host(MsReducer *self, const guint8 *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
                  GCancellable *cancellable, GError **error)
{
  for (guint64 done = 0; done < n;) {
    guint64 part = MIN(n - done, self->plan->chunk);
    MsReduceImageSource source = {.host = data + done * self->plan->element_bytes};
    if (!run_image_chunk(self, &source, part, done, result, log, error) ||
        g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    done += part;
  }
  return TRUE;
}

/* Elements that are on the device at a time when an array comes from the host. */
static guint64
upload_chunk(const MsReducePlan *plan)
{
  guint64 bytes = MIN(plan->limits.max_allocation, plan->limits.global_memory / 4);

  return CLAMP(bytes / plan->element_bytes / 16 * 16, 16, plan->chunk);
}

static gboolean
upload_and_run(MsReducer *self, const guint8 *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
               GCancellable *cancellable, GError **error)
{
  guint64 chunk = MIN(upload_chunk(self->plan), n);
  gsize size = self->plan->element_bytes;

  g_clear_pointer(&self->upload, clReleaseMemObject);
  self->upload = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY, chunk * size, NULL, error);
  for (guint64 done = 0; self->upload && done < n; done += chunk) {
    guint64 part = MIN(n - done, chunk);
    if (!ms_context_upload(self->context, self->upload, 0, part * size, data + done * size, log, error) ||
        !run_chunks_of_buffer(self, self->upload, 0, part, done, result, log, cancellable, error))
      return FALSE;
  }
  return self->upload != NULL;
}

/* Where host and device share memory, an aligned array is read where it lies. */
static gboolean
run_in_place(MsReducer *self, const guint8 *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
             GCancellable *cancellable, GError **error)
{
  guint64 chunk = MIN(upload_chunk(self->plan) / HOST_ALIGNMENT * HOST_ALIGNMENT, n);
  gsize size = self->plan->element_bytes;

  for (guint64 done = 0; done < n; done += chunk) {
    guint64 part = MIN(n - done, chunk);
    g_auto(cl_mem) buffer = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, part * size,
                                                     (gpointer)(data + done * size), error);
    if (!buffer || !run_chunks_of_buffer(self, buffer, 0, part, done, result, log, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
can_run_in_place(const MsReducePlan *plan, const void *data)
{
  return plan->limits.host_unified && (guintptr)data % HOST_ALIGNMENT == 0 && upload_chunk(plan) >= HOST_ALIGNMENT;
}

/* Any number near the elements will do; the first is one. Not finite, it would spoil the others. */
static void
take_centre(MsReducer *self, MsReduceCentre first, MsReduceResult *result)
{
  gboolean narrow = self->plan->spec.type == MS_ELEMENT_FLOAT;
  double value = narrow ? (double)first.narrow : first.wide;

  self->centre = isfinite(value) ? first : (MsReduceCentre){.wide = 0};
  result->centre = isfinite(value) ? value : 0;
}

static gboolean
wants_centre(const MsReducePlan *plan)
{
  return ms_reduce_operator(plan->spec.op)->about_centre && ms_reduce_total_is_real(plan);
}

/** ms_reducer_fold_host: the words of a host array's result; ms_reducer_run_host() makes figures of them. */
gboolean
ms_reducer_fold_host(MsReducer *self, const void *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
                     GCancellable *cancellable, GError **error)
{
  MsReduceCentre first = {.wide = 0};

  ms_reduce_result_begin(self->plan, result);
  result->n = n;
  if (wants_centre(self->plan)) {
    memcpy(&first, data, self->plan->element_bytes);
    take_centre(self, first, result);
  }
  if (self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE)
    return run_image_of_host(self, data, n, result, log, cancellable, error);
  if (can_run_in_place(self->plan, data))
    return run_in_place(self, data, n, result, log, cancellable, error);
  return upload_and_run(self, data, n, result, log, cancellable, error);
}

/** ms_reducer_fold_buffer: the same for elements that are on the device, from @first on. */
gboolean
ms_reducer_fold_buffer(MsReducer *self, cl_mem buffer, guint64 first, guint64 n, MsReduceResult *result,
                       MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  MsReduceCentre centre = {.wide = 0};
  const gsize size = self->plan->element_bytes;

  ms_reduce_result_begin(self->plan, result);
  result->n = n;
  if (wants_centre(self->plan)) {
    if (!ms_context_download(self->context, buffer, first * size, size, &centre, NULL, error))
      return FALSE;
    take_centre(self, centre, result);
  }
  return run_chunks_of_buffer(self, buffer, first, n, 0, result, log, cancellable, error);
}
