/* SPDX-License-Identifier: MIT */
/* Kind regions: dividing a filtered picture into regions, their table included; filtering is not part of the time. */
#include <string.h>

#include "core/engine/filter-modes.h"

#include <glib/gi18n-lib.h>
#include "core/filter/settings/settings-factors.h"
#include "core/lab/kinds/kind-table.h"
#include "core/lab/kinds/run-image.h"
#include "core/lab/measure/clock.h"
#include "core/option/choice.h"
#include "core/regions/segment-table.h"

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsImage *image;
  MsSettings settings;
  MsRegionOptions options;
  gboolean serial;
  MsImage *filtered;
  guint16 *modes;
  MsSegmentation *result;
} RegionsSubject;

static gboolean
regions_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  RegionsSubject *self = (RegionsSubject *)subject;

  MsModesRun run = {.cancellable = cancellable};

  self->filtered = ms_filter_modes_run(ms_lab_bench_context(self->bench), self->image, &self->settings, &run, error);
  self->modes = run.modes;
  return self->filtered != NULL;
}

static MsSegmentation *
divide(RegionsSubject *self, MsContext *context, GCancellable *cancellable, GError **error)
{
  const MsFiltered filtered = {self->filtered, self->modes, &self->settings.params};

  return ms_segmentation_new_on(context, &filtered, &self->options, cancellable, error);
}

static gboolean
regions_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  RegionsSubject *self = (RegionsSubject *)subject;
  const guint64 start = ms_clock_now_ns();

  g_clear_pointer(&self->result, ms_segmentation_free);
  self->result = divide(self, self->serial ? NULL : ms_lab_bench_context(self->bench), cancellable, error);
  if (!self->result)
    return FALSE;
  const guint64 found = ms_clock_now_ns();
  const MsDeviceRun run = {ms_lab_bench_context(self->bench), NULL, cancellable};
  g_autoptr(MsSegmentTable) table =
    ms_segment_table_new_on(self->serial ? NULL : &run, self->result, self->image, error);
  if (!table)
    return FALSE;
  ms_sample_add_event(sample, &(MsLabEvent){"host", "regions", start, found, 0, TRUE});
  ms_sample_add_event(sample, &(MsLabEvent){"host", "table", found, ms_clock_now_ns(), 0, TRUE});
  return TRUE;
}

static gboolean
regions_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  RegionsSubject *self = (RegionsSubject *)subject;
  g_autoptr(MsSegmentation) expected = divide(self, NULL, cancellable, error);
  const gsize n = (gsize)ms_image_get_width(self->image) * ms_image_get_height(self->image);

  if (!expected)
    return FALSE;
  verification->total = n;
  for (gsize i = 0; i < n; i++)
    verification->mismatches += self->result->labels[i] != expected->labels[i];
  verification->against = g_strdup(N_("the serial labels"));
  return TRUE;
}

static void
regions_release(MsSubject *subject)
{
  RegionsSubject *self = (RegionsSubject *)subject;

  g_clear_object(&self->filtered);
  g_clear_pointer(&self->modes, g_free);
  g_clear_pointer(&self->result, ms_segmentation_free);
}

static void
regions_finalize(MsSubject *subject)
{
  g_clear_object(&((RegionsSubject *)subject)->image);
}

static const MsSubjectFuncs regions_funcs = {regions_prepare, regions_run, regions_verify, regions_release,
                                             regions_finalize};

static gboolean
regions_knows(const char *key)
{
  return ms_option_find(key) || strcmp(key, "size") == 0 || strcmp(key, "min-region") == 0 ||
         strcmp(key, "labels") == 0;
}

static char *
regions_group(const MsFactors *factors)
{
  g_autofree char *filter = ms_lab_kind_mean_shift.group(factors);

  return g_strdup_printf("regions of %s min-region:%s", filter, ms_factors_get_or(factors, "min-region", "1"));
}

static gboolean
parse(RegionsSubject *self, const MsFactors *factors, GError **error)
{
  static const char *const places[] = {"device", "serial", NULL};
  const char *text = ms_factors_get_or(factors, "min-region", "1");
  const int place = ms_choice_parse(places, "labels", ms_factors_get_or(factors, "labels", places[0]), error);
  guint64 least;

  if (place < 0)
    return FALSE;
  self->serial = place == 1;
  if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT32, &least, NULL)) {
    ms_set_error(error, MS_ERROR_USAGE, "min-region cannot be “%s”; it takes a number of pixels.", text);
    return FALSE;
  }
  self->options = (MsRegionOptions){(guint)least, MS_REGION_RANGE_DEFAULT, NULL};
  return TRUE;
}

static MsSubject *
regions_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  RegionsSubject *self = g_new0(RegionsSubject, 1);

  ms_subject_init(&self->parent, &regions_funcs, label);
  self->bench = bench;
  self->image = ms_lab_image_open(bench, factors, &self->parent.work, error);
  if (!self->image || !ms_settings_from_factors(factors, &self->settings, error) || !parse(self, factors, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  return &self->parent;
}

const MsLabKind ms_lab_kind_regions = {"regions", regions_knows, regions_group, regions_create, NULL, NULL};
