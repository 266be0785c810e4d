/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/kind.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/filter/settings/settings.h"
#include "core/lab/kinds/kernel-notes.h"
#include "core/option/option.h"

/** ms_lab_kind_find: (transfer none): the kind of this name, or %NULL. */
const MsLabKind *
ms_lab_kind_find(const char *name)
{
  const MsLabKind *const tables[] = {ms_lab_array_kinds, ms_lab_memory_kinds, ms_lab_picture_kinds, ms_lab_split_kinds,
                                     ms_lab_peer_kinds};

  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++)
    for (const MsLabKind *kind = tables[i]; kind->name; kind++)
      if (g_strcmp0(kind->name, name) == 0)
        return kind;
  return NULL;
}

static const MsLabKey *
find_key(const MsLabKind *kind, const char *key)
{
  for (const MsLabKey *row = kind->keys; row && row->key; row++)
    if (strcmp(row->key, key) == 0)
      return row;
  return NULL;
}

static const char *
get_setting(const MsLabKind *kind, const MsFactors *factors, const char *key)
{
  const MsLabKey *row = find_key(kind, key);

  return ms_factors_get_or(factors, key, row ? row->usual : NULL);
}

/**
 * ms_lab_check_keys: whether @kind knows every key of @factors; %FALSE with #MS_ERROR_USAGE names one that it does not.
 */
gboolean
ms_lab_check_keys(const MsLabKind *kind, const MsFactors *factors, GError **error)
{
  for (guint i = 0; i < ms_factors_size(factors); i++) {
    const char *key = ms_factors_key(factors, i);
    if (strcmp(key, "case") == 0 || strcmp(key, "kind") == 0 || find_key(kind, key) ||
        (kind->find_option && kind->find_option(key)))
      continue;
    ms_set_error(error, MS_ERROR_USAGE, "The kind '%s' has no setting '%s'.", kind->name, key);
    return FALSE;
  }
  return TRUE;
}

/* Configurations with equal filter parameters give the same pixels, so their times may be compared. */
static void
add_filter_parameters(GString *group, const MsFactors *factors)
{
  for (guint i = 0; i < ms_options.n_rows; i++) {
    const MsOptionInfo *option = &((const MsOptionInfo *)ms_options.rows)[i];
    const char *value = ms_factors_get(factors, option->name);
    if (option->group == MS_OPTION_GROUP_FILTER && value)
      g_string_append_printf(group, " %s:%s", option->name, value);
  }
}

/** ms_lab_kind_group: (transfer full): text that is equal for configurations that may be compared. */
char *
ms_lab_kind_group(const MsLabKind *kind, const MsFactors *factors)
{
  g_autoptr(GString) group = g_string_new(NULL);
  g_auto(GStrv) parts = g_strsplit_set(kind->group, "{}", -1); /* every other part is a key */

  for (guint i = 0; parts[i]; i++) {
    const char *value = i % 2 == 0 ? parts[i] : get_setting(kind, factors, parts[i]);
    if (i % 2 == 1 && strcmp(parts[i], "filter") == 0)
      add_filter_parameters(group, factors);
    else
      g_string_append(group, value ? value : "");
  }
  return g_string_free(g_steal_pointer(&group), FALSE);
}

/** ms_configuration_get: (nullable): the value of a setting, the usual one where none was given. */
const char *
ms_configuration_get(const MsConfiguration *self, const char *key)
{
  return get_setting(self->kind, self->factors, key);
}

/** ms_configuration_choose: the index of a setting's value among @names, or -1 with #MS_ERROR_USAGE. */
int
ms_configuration_choose(const MsConfiguration *self, const char *key, const char *const *names, GError **error)
{
  return ms_choice_parse(names, key, ms_configuration_get(self, key), error);
}

/**
 * ms_configuration_take_clock: reads the settings "device", selected or reference, and "clock", events or wall: one
 * clock for all that an experiment compares. What the host computes is always timed by the wall clock.
 */
gboolean
ms_configuration_take_clock(MsConfiguration *self, GError **error)
{
  static const char *const devices[] = {"selected", "reference", NULL}, *const clocks[] = {"events", "wall", NULL};
  const int device = ms_configuration_choose(self, "device", devices, error);
  const int clock = device < 0 ? -1 : ms_configuration_choose(self, "clock", clocks, error);

  self->on_host = device == 1;
  self->wall = !self->on_host && clock == 1;
  return clock >= 0;
}

const MsDeviceLimits *
ms_configuration_limits(const MsConfiguration *self)
{
  return &self->context->device->limits;
}

/**
 * ms_configuration_check_image: compares @result with the serial reference.
 *
 * Returns: %FALSE when the reference could not be computed; @verification says whether the images are equal
 */
gboolean
ms_configuration_check_image(MsConfiguration *self, MsImage *result, MsVerification *verification,
                             GCancellable *cancellable, GError **error)
{
  const MsParams *params = &self->settings.params;
  MsImage *reference = ms_lab_bench_reference(self->bench, self->image, params, cancellable, error);

  if (!reference)
    return FALSE;
  self->work.window_samples = ms_lab_bench_window_samples(self->bench, self->image, params);
  g_autoptr(MsImage) rows = ms_lab_bench_referenced_rows(self->bench, result);
  MsImageDifference difference = ms_image_compare(rows, reference);
  verification->total = (guint64)ms_image_get_width(rows) * ms_image_get_height(rows);
  verification->mismatches = difference.mismatched_pixels;
  verification->max_difference = difference.max_difference;
  verification->against = g_strdup(N_("the serial reference"));
  return TRUE;
}

/** ms_verification_compare: counts those of @n elements of @size bytes that differ from those of @against. */
void
ms_verification_compare(MsVerification *self, const void *result, const void *expected, guint64 n, gsize size,
                        const char *against)
{
  const char *a = result, *b = expected;

  self->total = n;
  for (guint64 i = 0; i < n; i++)
    self->mismatches += memcmp(a + i * size, b + i * size, size) != 0;
  self->against = g_strdup(against);
}

/** ms_verification_agree: says whether a result as a whole agrees with that of @against. */
void
ms_verification_agree(MsVerification *self, gboolean agrees, const char *against)
{
  self->total = 1;
  self->mismatches = agrees ? 0 : 1;
  self->against = g_strdup(against);
}

/** ms_sample_add_host: adds work of the host that began at @start_ns and has just ended, as the time of the run. */
void
ms_sample_add_host(MsSample *sample, const char *name, guint64 start_ns)
{
  ms_sample_add_event(sample, &(MsLabEvent){"host", name, start_ns, ms_clock_now_ns(), 0, TRUE});
}

/** ms_configuration_prepare: builds kernels and puts the data on the device; may be called again after a release. */
gboolean
ms_configuration_prepare(MsConfiguration *self, GCancellable *cancellable, GError **error)
{
  if (self->n > 0) {
    self->data = ms_lab_bench_array(self->bench, self->type, self->n, self->uploads ? &self->buffer : NULL, error);
    if (!self->data)
      return FALSE;
  }
  return !self->kind->prepare || self->kind->prepare(self, cancellable, error);
}

/* The time of building is part of preparing. */
static void
take_log(MsConfiguration *self, MsSample *sample)
{
  const guint headline = self->kind->headline ? self->kind->headline : 1u << MS_STAGE_KERNEL;

  for (guint i = 0; i < ms_timing_log_get_length(self->log); i++) {
    const MsTiming *row = ms_timing_log_get(self->log, i);
    if (row->stage != MS_STAGE_BUILD)
      ms_sample_add_event(sample, &(MsLabEvent){ms_stage_name(row->stage), row->kernel, row->started_ns, row->ended_ns,
                                                row->bytes, (headline >> row->stage & 1) != 0});
  }
}

/* Runs once; the kernels of the first run are recorded where a column tells of them. */
static gboolean
run_kind(MsConfiguration *self, MsSample *sample, GCancellable *cancellable, GError **error)
{
  if (self->launches || self->on_host || !self->context || self->bench->columns == MS_COLUMNS_NONE)
    return self->kind->run(self, sample, cancellable, error);
  self->launches = g_array_new(FALSE, TRUE, sizeof(MsLaunch));
  ms_context_record_launches(self->context, self->launches);
  const gboolean good = self->kind->run(self, sample, cancellable, error);
  ms_context_record_launches(self->context, NULL);
  return good;
}

/** ms_configuration_describe: adds what the driver tells of the kernels of the first run, of #MsKernelNote, once. */
void
ms_configuration_describe(MsConfiguration *self, GPtrArray *kernels)
{
  if (!self->launches)
    return;
  ms_kernel_notes_collect(self->context, self->launches, self->bench->columns, kernels);
  g_array_set_size(self->launches, 0);
}

/** ms_configuration_run: runs once, fills the sample, and returns when the device has finished. */
gboolean
ms_configuration_run(MsConfiguration *self, MsSample *sample, GCancellable *cancellable, GError **error)
{
  const guint64 start = ms_clock_now_ns();

  ms_timing_log_clear(self->log);
  if (!run_kind(self, sample, cancellable, error))
    return FALSE;
  if (self->wall)
    sample->ns = (double)(ms_clock_now_ns() - start);
  if (!ms_timing_log_resolve(self->log, error))
    return FALSE;
  take_log(self, sample);
  return TRUE;
}

/** ms_configuration_check: compares the result of the last run with the reference. */
gboolean
ms_configuration_check(MsConfiguration *self, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  return self->kind->check(self, verification, cancellable, error);
}

/** ms_configuration_release: frees what preparing allocated; may be called without it, and several times. */
void
ms_configuration_release(MsConfiguration *self)
{
  if (self->kind->release)
    self->kind->release(self);
  self->data = NULL;
  self->buffer = NULL;
}

void
ms_configuration_free(MsConfiguration *self)
{
  if (!self)
    return;
  ms_configuration_release(self);
  if (self->kind->finalize)
    self->kind->finalize(self);
  g_clear_object(&self->image);
  ms_timing_log_unref(self->log);
  g_clear_pointer(&self->launches, g_array_unref);
  ms_factors_free(self->factors);
  g_free(self->label);
  g_free(self->key);
  g_free(self);
}

static gboolean
take_picture(MsConfiguration *self, GError **error)
{
  MsImage *image = ms_lab_bench_image(self->bench, ms_configuration_get(self, "size"), error);

  if (!image)
    return FALSE;
  self->image = g_object_ref(image);
  self->work.pixels = (double)ms_image_get_width(image) * ms_image_get_height(image);
  return ms_settings_from_factors(self->factors, &self->settings, error);
}

/**
 * ms_configuration_new: (transfer full): a configuration of @kind; fails with #MS_ERROR_UNSUPPORTED when the plan
 * refuses it, with #MS_ERROR_USAGE when a value is malformed.
 */
MsConfiguration *
ms_configuration_new(const MsLabKind *kind, MsLabBench *bench, const MsFactors *factors, const char *label,
                     GError **error)
{
  MsConfiguration *self = g_malloc0(kind->size);

  self->label = g_strdup(label);
  self->kind = kind;
  self->bench = bench;
  self->factors = ms_factors_copy(factors);
  self->context = bench->context;
  self->log = ms_timing_log_new();
  if ((!kind->pictures || take_picture(self, error)) && (!kind->set_up || kind->set_up(self, error)))
    return self;
  ms_configuration_free(self);
  return NULL;
}
