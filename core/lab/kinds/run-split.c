/* SPDX-License-Identifier: MIT */
/*
 * Kind split: one image on several devices with equal, learned or adaptive shares; the time is the wall time of the
 * whole image. With a simulated partner one device is enough, and the time is that of the slower of the two at each
 * step.
 */
#include <string.h>

#include "core/filter/settings/settings-factors.h"
#include "core/filter/split/split.h"
#include "core/lab/kinds/kind-table.h"
#include "core/lab/measure/clock.h"
#include "core/lab/kinds/run-image.h"

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsImage *image;
  MsSettings settings;
  MsSplitMode mode;
  gboolean alone; /* only the first device, for comparison */
  double ratio;   /* speed of the first device over a simulated partner's; 0 for real devices */
  MsSplit *split;
  MsImage *result;
} SplitSubject;

static gboolean
split_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  SplitSubject *self = (SplitSubject *)subject;
  g_autoptr(GPtrArray) one = g_ptr_array_new();

  g_ptr_array_add(one, ms_lab_bench_context(self->bench));
  self->split = ms_split_new(self->alone || self->ratio > 0 ? one : ms_lab_bench_contexts(self->bench), self->mode);
  if (self->ratio > 0)
    ms_split_add_partner(self->split, self->ratio);
  ms_split_set_store(self->split, ms_lab_bench_scratch_file(self->bench));
  return TRUE;
}

static gboolean
split_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  SplitSubject *self = (SplitSubject *)subject;
  guint64 start = ms_clock_now_ns();

  g_clear_object(&self->result);
  self->result = ms_split_run(
    self->split, &(MsFilterRequest){.source = self->image, .settings = &self->settings, .cancellable = cancellable},
    error);
  guint64 end = ms_clock_now_ns();
  ms_sample_add_event(sample, &(MsLabEvent){"host", "split", start, end, 0, TRUE});
  if (self->ratio > 0)
    sample->ns = ms_split_get_simulated_ms(self->split) * 1e6;
  return self->result != NULL;
}

static gboolean
split_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  SplitSubject *self = (SplitSubject *)subject;

  return ms_lab_image_verify(&(MsLabImageTask){self->bench, self->image, &self->settings.params, &self->parent.work},
                             self->result, verification, cancellable, error);
}

static void
split_release(MsSubject *subject)
{
  SplitSubject *self = (SplitSubject *)subject;

  g_clear_object(&self->split);
  g_clear_object(&self->result);
}

static void
split_finalize(MsSubject *subject)
{
  g_clear_object(&((SplitSubject *)subject)->image);
}

static const MsSubjectFuncs split_funcs = {split_prepare, split_run, split_verify, split_release, split_finalize};

static gboolean
split_knows(const char *key)
{
  return ms_option_find(key) || strcmp(key, "size") == 0 || strcmp(key, "split") == 0 || strcmp(key, "partner") == 0;
}

static char *
split_group(const MsFactors *factors)
{
  return g_strdup_printf("split size:%s sp:%s sr:%s partner:%s", ms_lab_image_size(factors),
                         ms_factors_get_or(factors, "sp", ""), ms_factors_get_or(factors, "sr", ""),
                         ms_factors_get_or(factors, "partner", "real"));
}

/* "real", or how many times slower than the device a simulated partner is. */
static gboolean
parse_partner(SplitSubject *self, const MsFactors *factors, GError **error)
{
  const char *text = ms_factors_get_or(factors, "partner", "real");
  char *end;

  if (strcmp(text, "real") == 0)
    return TRUE;
  self->ratio = g_ascii_strtod(text, &end);
  if (self->ratio >= 0.01 && self->ratio <= 100 && !*end)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "“%s” is not a partner; it can be real or a ratio from 0.01 to 100.", text);
  return FALSE;
}

static gboolean
parse_mode(SplitSubject *self, const MsFactors *factors, GError **error)
{
  const char *mode = ms_factors_get_or(factors, "split", "equal");
  GPtrArray *contexts = ms_lab_bench_contexts(self->bench);

  self->alone = strcmp(mode, "alone") == 0;
  if (!self->alone && !ms_split_mode_parse(mode, &self->mode, error))
    return FALSE;
  if (self->alone || self->ratio > 0 || (contexts && contexts->len > 1))
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED, "Sharing an image takes at least two devices; name them with --devices.");
  return FALSE;
}

static MsSubject *
split_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  SplitSubject *self = g_new0(SplitSubject, 1);

  ms_subject_init(&self->parent, &split_funcs, label);
  self->bench = bench;
  self->image = ms_lab_image_open(bench, factors, &self->parent.work, error);
  if (!self->image || !ms_settings_from_factors(factors, &self->settings, error) ||
      !parse_partner(self, factors, error) || !parse_mode(self, factors, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  return &self->parent;
}

const MsLabKind ms_lab_kind_split = {"split", split_knows, split_group, split_create, NULL, NULL};
