/* SPDX-License-Identifier: MIT */
/*
 * Kind swap-example: the divergence example of [BD], three branches by work-item, plain or with thread swapping by
 * range.
 */
#include <string.h>

#include "core/lab/kinds/bench-arrays.h"
#include "core/lab/kinds/kind-table.h"

#include <glib/gi18n-lib.h>
#include "core/lab/kinds/warp-model.h"
#include "core/reduce/swap/swap-example.h"
#include "core/reduce/swap/swap.h"

#define WARPS (MS_SWAP_EXAMPLE_GROUP / MS_WARP_SIZE)

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  guint range;
  guint n;
  guint warp; /* whose accesses are counted: 1 to 8, 0 for the mean of all */
  const float *a;
  float *b;
  MsSwapExample *example;
  MsTimingLog *log;
} SwapSubject;

static gboolean
swap_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  SwapSubject *self = (SwapSubject *)subject;

  self->a = ms_lab_bench_array(self->bench, MS_ELEMENT_FLOAT, self->n, NULL, error);
  if (!self->a)
    return FALSE;
  self->b = g_new(float, self->n);
  for (guint i = 0; i < self->n; i++)
    self->b[i] = self->a[self->n - 1 - i];
  self->example = ms_swap_example_new(ms_lab_bench_context(self->bench), &(MsSwapArrays){self->a, self->b, self->n},
                                      self->range, NULL, error);
  return self->example != NULL;
}

static gboolean
swap_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  SwapSubject *self = (SwapSubject *)subject;

  ms_timing_log_clear(self->log);
  if (!ms_swap_example_run(self->example, self->log, error) || !ms_timing_log_resolve(self->log, error))
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_KERNEL);
  return TRUE;
}

static gboolean
swap_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  SwapSubject *self = (SwapSubject *)subject;
  g_autofree float *expected = g_new(float, self->n), *result = g_new(float, self->n);

  if (!ms_swap_example_read(self->example, result, error))
    return FALSE;
  ms_swap_example_serial(self->a, self->b, expected, self->n);
  verification->total = self->n;
  for (guint i = 0; i < self->n; i++)
    verification->mismatches += memcmp(&result[i], &expected[i], sizeof *expected) != 0;
  verification->against = g_strdup(N_("the serial loop"));
  return TRUE;
}

static void
swap_release(MsSubject *subject)
{
  SwapSubject *self = (SwapSubject *)subject;

  g_clear_pointer(&self->b, g_free);
  g_clear_pointer(&self->example, ms_swap_example_free);
}

static void
swap_finalize(MsSubject *subject)
{
  g_object_unref(((SwapSubject *)subject)->log);
}

static const MsSubjectFuncs swap_funcs = {swap_prepare, swap_run, swap_verify, swap_release, swap_finalize};

static gboolean
swap_knows(const char *key)
{
  return strcmp(key, "size") == 0 || strcmp(key, "swap-range") == 0 || strcmp(key, "warp") == 0;
}

static char *
swap_group(const MsFactors *factors)
{
  return g_strdup_printf("swap-example size:%s", ms_factors_get_or(factors, "size", "2^20"));
}

/* Counts the accesses of one work-group by the model of warps; all other groups repeat its pattern. */
static void
count_accesses(SwapSubject *self)
{
  guint16 map[MS_SWAP_EXAMPLE_GROUP];
  MsWork *work = &self->parent.work;
  guint counted = 0;

  ms_swap_example_map(map, self->range);
  for (guint warp = 0; warp < WARPS; warp++) {
    MsWarpCounts counts = ms_warp_model_count(map, warp * MS_WARP_SIZE, ms_swap_example_outcome);
    work->uncoalesced += (double)counts.uncoalesced * self->n / MS_SWAP_EXAMPLE_GROUP;
    if (self->warp > 0 && warp + 1 != self->warp)
      continue;
    work->accesses += counts.accesses;
    counted++;
  }
  work->accesses /= counted;
}

static gboolean
parse_range(SwapSubject *self, const char *text, GError **error)
{
  self->range = strcmp(text, "off") == 0 ? 0 : (guint)g_ascii_strtoull(text, NULL, 10);
  return strcmp(text, "off") == 0 || ms_swap_range_is_valid(self->range, MS_SWAP_EXAMPLE_GROUP, error);
}

static gboolean
parse_warp(SwapSubject *self, const char *text, GError **error)
{
  guint64 number = 0;

  if (strcmp(text, "all") != 0 && !g_ascii_string_to_unsigned(text, 10, 1, WARPS, &number, NULL)) {
    ms_set_error(error, MS_ERROR_USAGE, "“%s” is not a warp of the example; choose all or 1 to %d.", text, WARPS);
    return FALSE;
  }
  self->warp = (guint)number;
  return TRUE;
}

static MsSubject *
swap_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  const char *range = ms_factors_get_or(factors, "swap-range", "off");
  gint64 width, height;

  if (!ms_factors_parse_size(ms_factors_get_or(factors, "size", "2^20"), &width, &height, error))
    return NULL;
  if (width * height > G_MAXINT32) {
    ms_set_error_literal(error, MS_ERROR_TOO_LARGE, "The example takes 2^31 elements at most.");
    return NULL;
  }
  SwapSubject *self = g_new0(SwapSubject, 1);
  ms_subject_init(&self->parent, &swap_funcs, label);
  self->bench = bench;
  self->log = ms_timing_log_new();
  self->n = (guint)(width * height);
  self->parent.work.elements = self->n;
  self->parent.work.bytes = 3.0 * self->n * sizeof(float);
  if (!parse_range(self, range, error) || !parse_warp(self, ms_factors_get_or(factors, "warp", "all"), error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  count_accesses(self);
  return &self->parent;
}

const MsLabKind ms_lab_kind_swap_example = {"swap-example", swap_knows, swap_group, swap_create, NULL, NULL};
