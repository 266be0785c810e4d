/* SPDX-License-Identifier: MIT */
/* Kind transfer: an image to the device and back, from pageable or pinned memory, or staged. */
#include <string.h>

#include "core/lab/kinds/kind-table.h"

#include <glib/gi18n-lib.h>
#include "core/lab/kinds/run-image.h"
#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"

/*
 * Pageable memory handed to the driver, pinned memory, and pageable memory that threads copy to and from pinned slots.
 */
typedef enum {
  HOST_PAGEABLE,
  HOST_PINNED,
  HOST_STAGED,
} HostMemory;

static const char *const host_memories[] = {"pageable", "pinned", "staged", NULL};

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsImage *image;
  HostMemory memory;
  cl_mem device;
  cl_mem pinned_memory;
  guint8 *host; /* source and destination of both transfers */
  MsTimingLog *log;
} TransferSubject;

static gboolean
pin_host_memory(TransferSubject *self, MsContext *context, gsize bytes, GError **error)
{
  cl_int status = CL_SUCCESS;

  self->pinned_memory =
    ms_context_create_buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, error);
  if (!self->pinned_memory)
    return FALSE;
  self->host = clEnqueueMapBuffer(ms_context_get_queue(context), self->pinned_memory, CL_TRUE,
                                  CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &status);
  return ms_cl_check(status, error, "mapping %zu bytes of pinned memory", bytes);
}

static gboolean
transfer_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  TransferSubject *self = (TransferSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);
  gsize bytes = ms_image_get_byte_size(self->image);

  self->device = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (!self->device)
    return FALSE;
  if (self->memory == HOST_PINNED)
    return pin_host_memory(self, context, bytes, error);
  self->host = g_malloc(bytes);
  return TRUE;
}

static gboolean
move_there_and_back(TransferSubject *self, MsContext *context, GError **error)
{
  gsize bytes = ms_image_get_byte_size(self->image);

  memcpy(self->host, ms_image_get_pixels(self->image), bytes);
  if (!ms_context_upload(context, &(MsBufferRange){self->device, 0, bytes}, self->host, self->log, error))
    return FALSE;
  memset(self->host, 0x5a, bytes); /* the download must overwrite all of it */
  return ms_context_download(context, &(MsBufferRange){self->device, 0, bytes}, self->host, self->log, error) &&
         ms_timing_log_resolve(self->log, error);
}

static gboolean
transfer_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  TransferSubject *self = (TransferSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);

  ms_timing_log_clear(self->log);
  ms_context_set_transfer_form(context, self->memory == HOST_STAGED ? MS_TRANSFER_STAGED : MS_TRANSFER_PLAIN);
  gboolean moved = move_there_and_back(self, context, error);
  ms_context_set_transfer_form(context, MS_TRANSFER_AUTO);
  if (!moved)
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_UPLOAD | 1u << MS_STAGE_DOWNLOAD);
  return TRUE;
}

static gboolean
transfer_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  TransferSubject *self = (TransferSubject *)subject;
  const guint8 *sent = ms_image_get_pixels(self->image);
  gsize bytes = ms_image_get_byte_size(self->image);

  verification->total = bytes;
  for (gsize i = 0; i < bytes; i++)
    verification->mismatches += sent[i] != self->host[i];
  verification->against = g_strdup(N_("the bytes that were sent"));
  return TRUE;
}

static void
transfer_release(MsSubject *subject)
{
  TransferSubject *self = (TransferSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);

  if (self->pinned_memory && self->host) {
    clEnqueueUnmapMemObject(ms_context_get_queue(context), self->pinned_memory, self->host, 0, NULL, NULL);
    ms_context_finish(context, NULL);
  } else {
    g_free(self->host);
  }
  self->host = NULL;
  g_clear_pointer(&self->pinned_memory, clReleaseMemObject);
  g_clear_pointer(&self->device, clReleaseMemObject);
}

static void
transfer_finalize(MsSubject *subject)
{
  TransferSubject *self = (TransferSubject *)subject;

  g_clear_object(&self->log);
  g_clear_object(&self->image);
}

static const MsSubjectFuncs transfer_funcs = {transfer_prepare, transfer_run, transfer_verify, transfer_release,
                                              transfer_finalize};

static gboolean
transfer_knows(const char *key)
{
  return strcmp(key, "size") == 0 || strcmp(key, "host-memory") == 0;
}

static char *
transfer_group(const MsFactors *factors)
{
  return g_strdup_printf("transfer size:%s", ms_lab_image_size(factors));
}

static MsSubject *
transfer_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  const char *memory = ms_factors_get_or(factors, "host-memory", host_memories[HOST_PAGEABLE]);
  MsImage *image = ms_lab_bench_image(bench, ms_lab_image_size(factors), error);

  if (!image)
    return NULL;
  if (!g_strv_contains(host_memories, memory)) {
    ms_set_error(error, MS_ERROR_USAGE, "“%s” is not a kind of host memory; it can be pageable, pinned or staged.",
                 memory);
    return NULL;
  }
  TransferSubject *self = g_new0(TransferSubject, 1);
  ms_subject_init(&self->parent, &transfer_funcs, label);
  self->bench = bench;
  self->image = g_object_ref(image);
  while (strcmp(host_memories[self->memory], memory) != 0)
    self->memory++;
  self->log = ms_timing_log_new();
  self->parent.work.bytes = 2.0 * ms_image_get_byte_size(image);
  return &self->parent;
}

const MsLabKind ms_lab_kind_transfer = {"transfer", transfer_knows, transfer_group, transfer_create, NULL, NULL};
