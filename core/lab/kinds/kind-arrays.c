/* SPDX-License-Identifier: MIT */
/* The kinds of experiments that compute on generated arrays: reduce, sort and swap-example. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/lab/kinds/kind.h"
#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"
#include "core/reduce/bank-model.h"
#include "core/reduce/reduce-options.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce.h"
#include "core/reduce/serial.h"
#include "core/reduce/sort.h"
#include "core/reduce/swap.h"

#define TOLERANCE 1e-6

/* Kind reduce: any operation, element type and variant, on the device or by the serial code. */
typedef struct {
  MsConfiguration base;
  MsReduceSpec spec;
  MsReduceOptions options;
  MsSerialOptions serial;
  MsReducePlan *plan;
  MsReducer *reducer;
  MsReduceResult result;
  MsReduceResult reference;
  double reference_ns; /* of computing @reference; 0 until it is */
} Reduce;

/* How the host computes: "serial" and "threads". */
static gboolean
take_serial(Reduce *self, GError **error)
{
  static const char *const forms[] = {"plain", "vectorised", NULL};
  const char *threads = ms_configuration_get(&self->base, "threads");
  const int form = ms_configuration_choose(&self->base, "serial", forms, error);
  guint64 n = g_get_num_processors();

  if (form < 0)
    return FALSE;
  if (strcmp(threads, "all") != 0 && !g_ascii_string_to_unsigned(threads, 10, 1, 64, &n, NULL)) {
    ms_set_error(error, MS_ERROR_USAGE, "'%s' is no number of threads; choose all or 1 to 64.", threads);
    return FALSE;
  }
  self->serial = (MsSerialOptions){form == 1, (guint)n};
  return TRUE;
}

static gboolean
reduce_set_up(MsConfiguration *base, GError **error)
{
  Reduce *self = (Reduce *)base;

  if (!ms_reduce_from_factors(base->factors, &self->spec, &self->options, &base->n, error))
    return FALSE;
  base->type = self->spec.type;
  base->work.elements = (double)base->n;
  base->work.bytes = (double)base->n * ms_element_type_size(base->type);
  if (!ms_configuration_take_clock(base, error) || !take_serial(self, error))
    return FALSE;
  if (base->on_host)
    return TRUE;
  const MsDeviceLimits *limits = ms_configuration_limits(base);
  self->plan = ms_reduce_plan_new(&self->spec, &self->options, limits, base->n, error);
  if (!self->plan)
    return FALSE;
  const MsBankCounts counts = ms_bank_model_count(self->plan);
  base->work.local_cycles = (double)counts.cycles;
  base->work.bank_conflicts = (double)counts.conflicts;
  base->uploads = base->work.bytes <= (double)limits->max_allocation;
  return TRUE;
}

static gboolean
reduce_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Reduce *self = (Reduce *)base;

  if (!base->on_host)
    self->reducer = ms_reducer_new(base->context, self->plan, NULL, error);
  return base->on_host || self->reducer;
}

static gboolean
reduce_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Reduce *self = (Reduce *)base;

  memset(&self->result, 0x5a, sizeof self->result); /* a run that writes nothing then fails the check */
  if (!base->on_host) {
    /* An array that exceeds one allocation of the device has no buffer and is transferred in chunks. */
    const MsReduceInput input = {.host = base->buffer ? NULL : base->data, .buffer = base->buffer, .n = base->n};
    return ms_reducer_run(self->reducer, &input, &(MsReduceJob){&self->result, base->log, cancellable}, error);
  }
  const guint64 start = ms_clock_now_ns();
  gboolean good = ms_reduce_baseline(&self->spec, base->data, base->n, &self->serial, &self->result, error);
  ms_sample_add_host(sample, "serial", start);
  return good;
}

static gboolean
reduce_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Reduce *self = (Reduce *)base;

  if (self->reference_ns <= 0) { /* the definition is slower than the loops that a person would write */
    MsReduceResult loops;
    if (!ms_reduce_define(&self->spec, base->data, base->n, &self->reference, error))
      return FALSE;
    const guint64 start = ms_clock_now_ns();
    if (!ms_reduce_baseline(&self->spec, base->data, base->n, &self->serial, &loops, error))
      return FALSE;
    self->reference_ns = (double)(ms_clock_now_ns() - start);
    if (self->plan)
      ms_reduce_result_wrap(self->plan, &self->reference);
  }
  ms_verification_agree(verification, ms_reduce_result_agrees(&self->result, &self->reference, TOLERANCE),
                        self->plan && self->plan->wraps ? N_("the serial result modulo 2^32")
                                                        : N_("the serial result"));
  verification->max_difference =
    verification->mismatches ? ms_reduce_result_number(&self->result) - ms_reduce_result_number(&self->reference) : 0;
  verification->result = ms_reduce_result_to_string(&self->result);
  verification->expected = ms_reduce_result_to_string(&self->reference);
  verification->reference_ns = self->reference_ns;
  return TRUE;
}

static void
reduce_release(MsConfiguration *base)
{
  g_clear_pointer(&((Reduce *)base)->reducer, ms_reducer_free);
}

static void
reduce_finalize(MsConfiguration *base)
{
  g_clear_pointer(&((Reduce *)base)->plan, ms_reduce_plan_free);
}

/* Kind sort: bitonic sort in its forms, with thread swapping and its ranges, or the serial sort. */
typedef struct {
  MsConfiguration base;
  MsSortOptions options;
  gsize bytes;
  void *keys;     /* result of the serial sort, or of the device once it is verified */
  void *expected; /* (nullable): keys in order */
  cl_mem sorted;  /* result of the last run on the device */
} Sort;

static gboolean
sort_set_up(MsConfiguration *base, GError **error)
{
  static const char *const forms[] = {"fast", "study", NULL};
  static const char *const swaps[] = {"off", "plain", "refined", NULL};
  static const char *const devices[] = {"selected", "reference", NULL};
  Sort *self = (Sort *)base;
  gint64 width, height;
  int form, swap, device;

  self->options = ms_sort_options_default();
  if ((form = ms_configuration_choose(base, "form", forms, error)) < 0 ||
      (swap = ms_configuration_choose(base, "swap", swaps, error)) < 0 ||
      (device = ms_configuration_choose(base, "device", devices, error)) < 0 ||
      !ms_element_type_parse(ms_configuration_get(base, "type"), &base->type, error) ||
      !ms_factors_parse_size(ms_configuration_get(base, "size"), &width, &height, error))
    return FALSE;
  self->options.form = (MsSortForm)form;
  self->options.swap = (MsSwap)swap;
  self->options.swap_range = (int)g_ascii_strtoll(ms_configuration_get(base, "swap-range"), NULL, 10);
  self->options.work_group = (int)g_ascii_strtoll(ms_configuration_get(base, "group-size"), NULL, 10);
  base->on_host = device == 1;
  base->uploads = !base->on_host;
  base->n = (guint64)width * (guint64)height;
  base->work.elements = (double)base->n;
  self->bytes = (gsize)base->n * ms_element_type_size(base->type);
  return base->on_host ? ms_sort_check_type(base->type, error)
                       : ms_sort_check(&self->options, base->type, ms_configuration_limits(base), base->n, error);
}

static gboolean
sort_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Sort *self = (Sort *)base;

  self->keys = g_malloc(self->bytes);
  if (!base->on_host)
    self->sorted = ms_context_create_buffer(base->context, CL_MEM_READ_WRITE, self->bytes, NULL, error);
  return base->on_host || self->sorted;
}

static gboolean
sort_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Sort *self = (Sort *)base;

  if (!base->on_host)
    return ms_sort_buffer(&(MsDeviceRun){base->context, base->log, cancellable},
                          &(MsSortRequest){self->options, base->type, base->n}, base->buffer, self->sorted, error);
  memcpy(self->keys, base->data, self->bytes);
  const guint64 start = ms_clock_now_ns();
  ms_sort_serial(base->type, self->keys, base->n);
  ms_sample_add_host(sample, "serial sort", start);
  return TRUE;
}

/* Also overwrites the result on the device, so that a later run that writes nothing is noticed. */
static gboolean
read_keys(Sort *self, GError **error)
{
  const MsBufferRange all = {self->sorted, 0, self->bytes};
  g_autofree void *other = g_malloc(self->bytes);

  memset(other, 0x5a, self->bytes);
  return ms_context_download(self->base.context, &all, self->keys, NULL, error) &&
         ms_context_upload(self->base.context, &all, other, NULL, error);
}

static gboolean
sort_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Sort *self = (Sort *)base;

  if (!base->on_host && !read_keys(self, error))
    return FALSE;
  if (!self->expected) {
    self->expected = g_memdup2(base->data, self->bytes);
    ms_sort_serial(base->type, self->expected, base->n);
  }
  ms_verification_compare(verification, self->keys, self->expected, base->n, ms_element_type_size(base->type),
                          N_("the serial sort"));
  return TRUE;
}

static void
sort_release(MsConfiguration *base)
{
  Sort *self = (Sort *)base;

  g_clear_pointer(&self->sorted, clReleaseMemObject);
  g_clear_pointer(&self->keys, g_free);
  g_clear_pointer(&self->expected, g_free);
}

/*
 * Kind swap-example: the divergence example of [BD], three branches by work-item, plain or with thread swapping by
 * range.
 */
#define WARPS (MS_SWAP_EXAMPLE_GROUP / MS_WARP_SIZE)

typedef struct {
  MsConfiguration base;
  guint range;
  float *b;
  MsSwapExample *example;
} Swap;

/*
 * Counts the accesses of one work-group by the model of warps; all other groups repeat its pattern. @only: the warp
 * whose accesses are counted: 1 to 8, 0 for the mean of all.
 */
static void
count_accesses(Swap *self, guint only)
{
  guint16 map[MS_SWAP_EXAMPLE_GROUP];
  MsWork *work = &self->base.work;

  ms_swap_example_map(map, self->range);
  for (guint warp = 0; warp < WARPS; warp++) {
    MsWarpCounts counts = ms_warp_model_count(map, warp * MS_WARP_SIZE, ms_swap_example_outcome);
    work->uncoalesced += (double)counts.uncoalesced * (double)self->base.n / MS_SWAP_EXAMPLE_GROUP;
    if (only == 0 || warp + 1 == only)
      work->accesses += counts.accesses;
  }
  if (only == 0)
    work->accesses /= WARPS;
}

static gboolean
swap_set_up(MsConfiguration *base, GError **error)
{
  Swap *self = (Swap *)base;
  const char *range = ms_configuration_get(base, "swap-range"), *warp = ms_configuration_get(base, "warp");
  guint64 only = 0;
  gint64 width, height;

  if (!ms_factors_parse_size(ms_configuration_get(base, "size"), &width, &height, error))
    return FALSE;
  if (width * height > G_MAXINT32) {
    ms_set_error_literal(error, MS_ERROR_TOO_LARGE, "The example takes 2^31 elements at most.");
    return FALSE;
  }
  base->type = MS_ELEMENT_FLOAT;
  base->n = (guint64)(width * height);
  base->work.elements = (double)base->n;
  base->work.bytes = 3.0 * (double)base->n * sizeof(float);
  self->range = strcmp(range, "off") == 0 ? 0 : (guint)g_ascii_strtoull(range, NULL, 10);
  if (strcmp(range, "off") != 0 && !ms_swap_range_is_valid(self->range, MS_SWAP_EXAMPLE_GROUP, error))
    return FALSE;
  if (strcmp(warp, "all") != 0 && !g_ascii_string_to_unsigned(warp, 10, 1, WARPS, &only, NULL)) {
    ms_set_error(error, MS_ERROR_USAGE, "'%s' is not a warp of the example; choose all or 1 to %d.", warp, WARPS);
    return FALSE;
  }
  count_accesses(self, (guint)only);
  return TRUE;
}

static gboolean
swap_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Swap *self = (Swap *)base;
  const float *a = base->data;
  const guint n = (guint)base->n;

  self->b = g_new(float, n);
  for (guint i = 0; i < n; i++)
    self->b[i] = a[n - 1 - i];
  self->example = ms_swap_example_new(base->context, &(MsSwapArrays){a, self->b, n}, self->range, NULL, error);
  return self->example != NULL;
}

static gboolean
swap_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  return ms_swap_example_run(((Swap *)base)->example, base->log, error);
}

static gboolean
swap_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Swap *self = (Swap *)base;
  const guint n = (guint)base->n;
  g_autofree float *expected = g_new(float, n), *result = g_new(float, n);

  if (!ms_swap_example_read(self->example, result, error))
    return FALSE;
  ms_swap_example_serial(base->data, self->b, expected, n);
  ms_verification_compare(verification, result, expected, n, sizeof *expected, N_("the serial loop"));
  return TRUE;
}

static void
swap_release(MsConfiguration *base)
{
  Swap *self = (Swap *)base;

  g_clear_pointer(&self->b, g_free);
  g_clear_pointer(&self->example, ms_swap_example_free);
}

const MsLabKind ms_lab_array_kinds[] = {
  {
    .name = "reduce",
    .size = sizeof(Reduce),
    .keys = (const MsLabKey[]){MS_LAB_REDUCE_KEYS, {NULL}},
    .find_option = ms_reduce_option_find,
    .group = MS_LAB_REDUCE_GROUP,
    .set_up = reduce_set_up,
    .prepare = reduce_prepare,
    .run = reduce_run,
    .check = reduce_check,
    .release = reduce_release,
    .finalize = reduce_finalize,
  },
  {
    .name = "sort",
    .size = sizeof(Sort),
    .keys = (const MsLabKey[]){{"type", "uint"},
                               {"size", "2^16"},
                               {"form", "fast"},
                               {"swap", "off"},
                               {"swap-range", "64"},
                               {"group-size", "0"},
                               {"device", "selected"},
                               {NULL}},
    .group = "sort type:{type} size:{size}",
    .set_up = sort_set_up,
    .prepare = sort_prepare,
    .run = sort_run,
    .check = sort_check,
    .release = sort_release,
  },
  {
    .name = "swap-example",
    .size = sizeof(Swap),
    .keys = (const MsLabKey[]){{"size", "2^20"}, {"swap-range", "off"}, {"warp", "all"}, {NULL}},
    .group = "swap-example size:{size}",
    .set_up = swap_set_up,
    .prepare = swap_prepare,
    .run = swap_run,
    .check = swap_check,
    .release = swap_release,
  },
  {NULL},
};
