/* SPDX-License-Identifier: MIT */
/* Kind sort: bitonic sort in its forms, with thread swapping and its ranges, or the serial sort. */
#include <string.h>

#include "core/lab/kinds/bench-arrays.h"
#include "core/lab/kinds/kind-table.h"

#include <glib/gi18n-lib.h>
#include "core/lab/measure/clock.h"
#include "core/opencl/context-transfer.h"
#include "core/option/choice.h"
#include "core/reduce/sort/sort-serial.h"
#include "core/reduce/sort/sort.h"

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsSortOptions options;
  MsElementType type;
  guint64 n;
  gboolean serial;
  const void *data; /* unsorted, shared */
  void *keys;       /* result of the serial sort, or of the device once it is verified */
  void *expected;
  cl_mem unsorted; /* on the device, shared */
  cl_mem buffer;   /* result of the last run on the device */
  MsTimingLog *log;
} SortSubject;

static gsize
byte_size(const SortSubject *self)
{
  return (gsize)self->n * ms_element_type_size(self->type);
}

static gboolean
sort_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  SortSubject *self = (SortSubject *)subject;

  self->data = ms_lab_bench_array(self->bench, self->type, self->n, self->serial ? NULL : &self->unsorted, error);
  if (!self->data)
    return FALSE;
  self->keys = g_malloc(byte_size(self));
  if (self->serial)
    return TRUE;
  self->buffer =
    ms_context_create_buffer(ms_lab_bench_context(self->bench), CL_MEM_READ_WRITE, byte_size(self), NULL, error);
  return self->buffer != NULL;
}

static gboolean
run_serial(SortSubject *self, MsSample *sample)
{
  memcpy(self->keys, self->data, byte_size(self));
  guint64 start = ms_clock_now_ns();
  ms_sort_serial(self->type, self->keys, self->n);
  guint64 end = ms_clock_now_ns();
  ms_sample_add_event(sample, &(MsLabEvent){"host", "serial sort", start, end, 0, TRUE});
  return TRUE;
}

static gboolean
sort_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  SortSubject *self = (SortSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);

  if (self->serial)
    return run_serial(self, sample);
  ms_timing_log_clear(self->log);
  if (!ms_sort_buffer(&(MsDeviceRun){context, self->log, cancellable},
                      &(MsSortRequest){self->options, self->type, self->n}, self->unsorted, self->buffer, error) ||
      !ms_timing_log_resolve(self->log, error))
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_KERNEL);
  return TRUE;
}

/* Also overwrites the result on the device, so that a later run that writes nothing is noticed. */
static gboolean
read_keys(SortSubject *self, GError **error)
{
  MsContext *context = ms_lab_bench_context(self->bench);
  g_autofree void *other = g_malloc(byte_size(self));

  memset(other, 0x5a, byte_size(self));
  return ms_context_download(context, &(MsBufferRange){self->buffer, 0, byte_size(self)}, self->keys, NULL, error) &&
         ms_context_upload(context, &(MsBufferRange){self->buffer, 0, byte_size(self)}, other, NULL, error);
}

static gboolean
sort_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  SortSubject *self = (SortSubject *)subject;
  gsize size = ms_element_type_size(self->type);

  if (!self->serial && !read_keys(self, error))
    return FALSE;
  if (!self->expected) {
    self->expected = g_memdup2(self->data, byte_size(self));
    ms_sort_serial(self->type, self->expected, self->n);
  }
  verification->total = self->n;
  for (guint64 i = 0; i < self->n; i++)
    verification->mismatches += memcmp((char *)self->keys + i * size, (char *)self->expected + i * size, size) != 0;
  verification->against = g_strdup(N_("the serial sort"));
  return TRUE;
}

static void
sort_release(MsSubject *subject)
{
  SortSubject *self = (SortSubject *)subject;

  g_clear_pointer(&self->buffer, clReleaseMemObject);
  g_clear_pointer(&self->keys, g_free);
  g_clear_pointer(&self->expected, g_free);
  self->data = NULL;
}

static void
sort_finalize(MsSubject *subject)
{
  g_object_unref(((SortSubject *)subject)->log);
}

static const MsSubjectFuncs sort_funcs = {sort_prepare, sort_run, sort_verify, sort_release, sort_finalize};

static gboolean
sort_knows(const char *key)
{
  static const char *const own[] = {"type", "size", "form", "swap", "swap-range", "group-size", "device", NULL};

  return g_strv_contains(own, key);
}

static char *
sort_group(const MsFactors *factors)
{
  return g_strdup_printf("sort type:%s size:%s", ms_factors_get_or(factors, "type", "uint"),
                         ms_factors_get_or(factors, "size", "2^16"));
}

static gboolean
parse_choice(const MsFactors *factors, const char *key, const char *const *names, int *value, GError **error)
{
  int index = ms_choice_parse(names, key, ms_factors_get_or(factors, key, names[0]), error);

  if (index >= 0)
    *value = index;
  return index >= 0;
}

static gboolean
parse_settings(SortSubject *self, const MsFactors *factors, GError **error)
{
  static const char *const forms[] = {"fast", "study", NULL};
  static const char *const swaps[] = {"off", "plain", "refined", NULL};
  static const char *const devices[] = {"selected", "reference", NULL};
  gint64 width, height;
  int form, swap, device;

  self->options = ms_sort_options_default();
  if (!parse_choice(factors, "form", forms, &form, error) || !parse_choice(factors, "swap", swaps, &swap, error) ||
      !parse_choice(factors, "device", devices, &device, error) ||
      !ms_element_type_parse(ms_factors_get_or(factors, "type", "uint"), &self->type, error) ||
      !ms_factors_parse_size(ms_factors_get_or(factors, "size", "2^16"), &width, &height, error))
    return FALSE;
  self->options.form = (MsSortForm)form;
  self->options.swap = (MsSwap)swap;
  self->options.swap_range = (int)g_ascii_strtoll(ms_factors_get_or(factors, "swap-range", "64"), NULL, 10);
  self->options.work_group = (int)g_ascii_strtoll(ms_factors_get_or(factors, "group-size", "0"), NULL, 10);
  self->serial = device == 1;
  self->n = (guint64)width * (guint64)height;
  return TRUE;
}

static gboolean
check_plan(SortSubject *self, GError **error)
{
  const MsDeviceLimits *limits = ms_context_get_limits(ms_lab_bench_context(self->bench));

  return self->serial || ms_sort_check(&self->options, self->type, limits, self->n, error);
}

static MsSubject *
sort_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  SortSubject *self = g_new0(SortSubject, 1);

  ms_subject_init(&self->parent, &sort_funcs, label);
  self->bench = bench;
  self->log = ms_timing_log_new();
  if (!parse_settings(self, factors, error) || !check_plan(self, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  self->parent.work.elements = (double)self->n;
  return &self->parent;
}

const MsLabKind ms_lab_kind_sort = {"sort", sort_knows, sort_group, sort_create, NULL, NULL};
