/* SPDX-License-Identifier: MIT */
/* Passes arrays to the device, in place, by uploads or as images, in chunks that a launch can process. */
#include <math.h>
#include <string.h>

#include "core/opencl/context-transfer.h"
#include "core/reduce/plan-layout.h"
#include "core/reduce/reduce-private.h"
#include "core/reduce/reduce-words.h"

/* Alignment that a host pointer needs to be used in place: the widest vector of OpenCL. */
#define HOST_ALIGNMENT 128

/* A part of @input: @n elements from element @done on. */
static MsReduceInput
part_of(const MsReducePlan *plan, const MsReduceInput *input, guint64 done, guint64 n)
{
  return (MsReduceInput){.host = input->host ? (const guint8 *)input->host + done * plan->element_bytes : NULL,
                         .buffer = input->buffer,
                         .first = input->first + done,
                         .n = n};
}

static gboolean
run_image(MsReducer *self, const MsReduceInput *part, guint64 place, const MsReduceJob *job, GError **error)
{
  MsReduceSpan span = {0, 0, (cl_int)part->n, place};

  if (self->image_elements < part->n) {
    g_clear_pointer(&self->image, clReleaseMemObject);
    self->image = ms_reduce_image_new(self->context, self->plan, part->n, error);
    self->image_elements = self->image ? part->n : 0;
  }
  const MsReduceImage image = {self->context, self->plan, self->image};
  return self->image && ms_reduce_image_fill(&image, part, job->log, error) &&
         ms_reducer_run_span(self, self->image, &span, job, error);
}

/* A span starts at a multiple of the vector width; `from` skips the elements before the array. */
static gboolean
run_buffer(MsReducer *self, const MsReduceInput *part, guint64 place, const MsReduceJob *job, GError **error)
{
  guint64 from = part->first % (guint64)self->plan->options.vector;
  MsReduceSpan span = {part->first - from, (cl_int)from, (cl_int)(from + part->n), place};

  return ms_reducer_run_span(self, part->buffer, &span, job, error);
}

/* @place: index of the first element of @input in the whole array. */
static gboolean
run_chunks(MsReducer *self, const MsReduceInput *input, guint64 place, const MsReduceJob *job, GError **error)
{
  gboolean image = self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE;

  for (guint64 done = 0; done < input->n; done += self->plan->chunk) {
    MsReduceInput part = part_of(self->plan, input, done, MIN(input->n - done, self->plan->chunk));
    if (!(image ? run_image : run_buffer)(self, &part, place + done, job, error) ||
        g_cancellable_set_error_if_cancelled(job->cancellable, error))
      return FALSE;
  }
  return TRUE;
}

/* Number of elements of a host array that are on the device at the same time. */
static guint64
upload_chunk(const MsReducePlan *plan)
{
  guint64 bytes = MIN(plan->limits.max_allocation, plan->limits.global_memory / 4);

  return CLAMP(bytes / plan->element_bytes / 16 * 16, 16, plan->chunk);
}

static gboolean
upload_and_run(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error)
{
  guint64 chunk = MIN(upload_chunk(self->plan), input->n);
  gsize size = self->plan->element_bytes;

  g_clear_pointer(&self->upload, clReleaseMemObject);
  self->upload = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY, chunk * size, NULL, error);
  for (guint64 done = 0; self->upload && done < input->n; done += chunk) {
    MsReduceInput part = {.buffer = self->upload, .n = MIN(input->n - done, chunk)};
    if (!ms_context_upload(self->context, &(MsBufferRange){self->upload, 0, part.n * size},
                           (const guint8 *)input->host + done * size, job->log, error) ||
        !run_chunks(self, &part, done, job, error))
      return FALSE;
  }
  return self->upload != NULL;
}

/* Where host and device share memory, an aligned array is read without a copy. */
static gboolean
run_in_place(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error)
{
  guint64 chunk = MIN(upload_chunk(self->plan) / HOST_ALIGNMENT * HOST_ALIGNMENT, input->n);
  gsize size = self->plan->element_bytes;

  for (guint64 done = 0; done < input->n; done += chunk) {
    guint64 n = MIN(input->n - done, chunk);
    g_auto(cl_mem) buffer = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, n * size,
                                                     (guint8 *)input->host + done * size, error);
    MsReduceInput part = {.buffer = buffer, .n = n};
    if (!buffer || !run_chunks(self, &part, done, job, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
can_run_in_place(const MsReducePlan *plan, const void *data)
{
  return plan->limits.host_unified && (guintptr)data % HOST_ALIGNMENT == 0 && upload_chunk(plan) >= HOST_ALIGNMENT;
}

static gboolean
wants_centre(const MsReducePlan *plan)
{
  return ms_reduce_operator(plan->spec.op)->about_centre && ms_reduce_total_is_real(plan);
}

static gboolean
read_first(MsReducer *self, const MsReduceInput *input, MsReduceCentre *first, GError **error)
{
  const gsize size = self->plan->element_bytes;

  if (!input->host)
    return ms_context_download(self->context, &(MsBufferRange){input->buffer, input->first * size, size}, first, NULL,
                               error);
  memcpy(first, input->host, size);
  return TRUE;
}

/* Any number near the elements serves as centre: the first element, unless it is infinite or NaN. */
static gboolean
set_centre(MsReducer *self, const MsReduceInput *input, MsReduceResult *result, GError **error)
{
  MsReduceCentre first = {.wide = 0};
  double value;

  if (!wants_centre(self->plan))
    return TRUE;
  if (!read_first(self, input, &first, error))
    return FALSE;
  value = self->plan->spec.type == MS_ELEMENT_FLOAT ? (double)first.narrow : first.wide;
  self->centre = isfinite(value) ? first : (MsReduceCentre){.wide = 0};
  result->centre = isfinite(value) ? value : 0;
  return TRUE;
}

/** ms_reducer_fold: computes the sums or extremes of an array; ms_reduce_result_complete() derives the result. */
gboolean
ms_reducer_fold(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error)
{
  ms_reduce_result_begin(self->plan, job->result);
  job->result->n = input->n;
  if (!set_centre(self, input, job->result, error))
    return FALSE;
  if (!input->host || self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE)
    return run_chunks(self, input, 0, job, error);
  if (can_run_in_place(self->plan, input->host))
    return run_in_place(self, input, job, error);
  return upload_and_run(self, input, job, error);
}
