/* SPDX-License-Identifier: MIT */
/* Kind mean-shift: the filter with any option of its table, on the device or by the serial reference. */
#include <string.h>

#include "core/filter/mean-shift.h"
#include "core/filter/reference.h"
#include "core/filter/settings/settings-factors.h"
#include "core/lab/kinds/kind-table.h"
#include "core/lab/measure/clock.h"
#include "core/lab/kinds/run-image.h"

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsImage *image;
  MsSettings settings;
  gboolean serial;
  MsPlan *plan;
  MsMeanShift *filter;
  MsTimingLog *log;
  guint8 *pixels;
  MsImage *serial_result;
} FilterSubject;

static gboolean
filter_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  FilterSubject *self = (FilterSubject *)subject;

  if (self->serial)
    return TRUE;
  self->filter = ms_mean_shift_new(ms_lab_bench_context(self->bench));
  self->pixels = g_malloc(ms_image_get_byte_size(self->image));
  return ms_context_build(ms_lab_bench_context(self->bench), self->plan->program, NULL, error) != NULL;
}

static gboolean
run_serial(FilterSubject *self, MsSample *sample, GCancellable *cancellable, GError **error)
{
  guint64 start = ms_clock_now_ns();

  g_clear_object(&self->serial_result);
  self->serial_result =
    ms_reference_run(self->image, &self->settings.params, &(MsReferenceRun){.cancellable = cancellable}, error);
  ms_sample_add_event(sample, &(MsLabEvent){"host", "reference", start, ms_clock_now_ns(), 0, TRUE});
  return self->serial_result != NULL;
}

static gboolean
filter_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  FilterSubject *self = (FilterSubject *)subject;

  if (self->serial)
    return run_serial(self, sample, cancellable, error);
  ms_timing_log_clear(self->log);
  if (!ms_mean_shift_run_plan_into(self->filter, &(MsPlanRun){self->image, self->plan, self->log, cancellable},
                                   self->pixels, error))
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_KERNEL);
  return TRUE;
}

static gboolean
filter_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  FilterSubject *self = (FilterSubject *)subject;
  g_autoptr(MsImage) result = NULL;

  if (self->serial)
    result = g_object_ref(self->serial_result);
  else
    result = ms_image_new_take(ms_image_get_width(self->image), ms_image_get_height(self->image),
                               g_memdup2(self->pixels, ms_image_get_byte_size(self->image)), NULL);
  if (!ms_lab_image_verify(&(MsLabImageTask){self->bench, self->image, &self->settings.params, &self->parent.work},
                           result, verification, cancellable, error))
    return FALSE;
  if (self->pixels)
    memset(self->pixels, 0x5a,
           ms_image_get_byte_size(self->image)); /* a run that writes nothing then fails the next check */
  return TRUE;
}

static void
filter_release(MsSubject *subject)
{
  FilterSubject *self = (FilterSubject *)subject;

  g_clear_object(&self->filter);
  g_clear_pointer(&self->pixels, g_free);
  g_clear_object(&self->serial_result);
}

static void
filter_finalize(MsSubject *subject)
{
  FilterSubject *self = (FilterSubject *)subject;

  g_clear_pointer(&self->plan, ms_plan_free);
  g_clear_object(&self->log);
  g_clear_object(&self->image);
}

static const MsSubjectFuncs filter_funcs = {filter_prepare, filter_run, filter_verify, filter_release, filter_finalize};

static gboolean
filter_knows(const char *key)
{
  return ms_option_find(key) || strcmp(key, "size") == 0 || strcmp(key, "device") == 0;
}

/* Configurations with equal filter parameters give the same pixels, so their times may be compared. */
static char *
filter_group(const MsFactors *factors)
{
  g_autoptr(GString) group = g_string_new("mean-shift");
  const MsOptionInfo *table = ms_options.rows;

  g_string_append_printf(group, " size:%s", ms_lab_image_size(factors));
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (table[i].group == MS_OPTION_GROUP_FILTER && ms_factors_get(factors, table[i].name))
      g_string_append_printf(group, " %s:%s", table[i].name, ms_factors_get(factors, table[i].name));
  return g_string_free(g_steal_pointer(&group), FALSE);
}

static gboolean
parse_device(FilterSubject *self, const MsFactors *factors, GError **error)
{
  const char *device = ms_factors_get_or(factors, "device", "selected");

  self->serial = strcmp(device, "reference") == 0;
  if (self->serial || strcmp(device, "selected") == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "“%s” is not a device of an experiment; it can be selected or reference.",
               device);
  return FALSE;
}

static gboolean
make_plan(FilterSubject *self, GError **error)
{
  MsPlanRequest request = ms_plan_request(&self->settings, ms_context_get_limits(ms_lab_bench_context(self->bench)),
                                          ms_image_get_width(self->image), ms_image_get_height(self->image));

  if (self->serial)
    return TRUE;
  self->plan = ms_plan_new(&request, error);
  self->log = ms_timing_log_new();
  return self->plan != NULL;
}

static MsSubject *
filter_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  FilterSubject *self = g_new0(FilterSubject, 1);

  ms_subject_init(&self->parent, &filter_funcs, label);
  self->bench = bench;
  self->image = ms_lab_image_open(bench, factors, &self->parent.work, error);
  if (!self->image || !ms_settings_from_factors(factors, &self->settings, error) ||
      !parse_device(self, factors, error) || !make_plan(self, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  return &self->parent;
}

/* Kernels, toggles and work-group shapes of the table; the plan refuses combinations that cannot run. */
static void
filter_add_space(MsTuneSpace *space, const MsFactors *problem, const MsDeviceLimits *limits)
{
  static const char *const shapes[] = {"auto", "8x4",  "8x8",  "16x4", "16x8", "16x16", "32x1",  "32x2",
                                       "32x4", "32x8", "64x1", "64x2", "64x4", "128x1", "256x1", NULL};
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const char *const given[] = {ms_factors_get(problem, table[i].name), NULL};
    if (table[i].group != MS_OPTION_GROUP_TOGGLE)
      continue;
    if (given[0])
      ms_tune_space_add(space, table[i].name, given); /* a fixed toggle becomes part of the winner */
    else if (table[i].kind == MS_OPTION_SHAPE)
      ms_tune_space_add(space, table[i].name, shapes);
    else if (strcmp(table[i].name, "kernel") == 0)
      ms_tune_space_add(space, table[i].name, table[i].values + 1); /* all but auto */
    else if (table[i].kind == MS_OPTION_CHOICE)
      ms_tune_space_add(space, table[i].name, table[i].values);
  }
}

/* The toggles of a plan as factors; the work-group stays `auto`. */
static MsFactors *
toggles_of(const MsSettings *settings, const MsFactors *problem)
{
  MsFactors *factors = ms_factors_new();
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const char *given = ms_factors_get(problem, table[i].name);
    if (table[i].group != MS_OPTION_GROUP_TOGGLE)
      continue;
    g_autofree char *value = ms_option_get_text(&table[i], settings);
    ms_factors_set(factors, table[i].name, given ? given : table[i].kind == MS_OPTION_SHAPE ? "auto" : value);
  }
  return factors;
}

static MsFactors *
filter_propose(MsLabBench *bench, const MsFactors *problem, GCancellable *cancellable, GError **error)
{
  MsImage *image = ms_lab_bench_image(bench, ms_lab_image_size(problem), error);
  MsSettings settings;

  if (!image || !ms_settings_from_factors(problem, &settings, error) ||
      !ms_lab_bench_reference(bench, image, &settings.params, cancellable, error))
    return NULL;
  MsPlanRequest request = ms_plan_request(&settings, ms_context_get_limits(ms_lab_bench_context(bench)),
                                          ms_image_get_width(image), ms_image_get_height(image));
  g_autoptr(MsPlan) plan = ms_plan_new(&request, error);
  return plan ? toggles_of(&plan->settings, problem) : NULL;
}

const MsLabKind ms_lab_kind_mean_shift = {"mean-shift",  filter_knows,     filter_group,
                                          filter_create, filter_add_space, filter_propose};
