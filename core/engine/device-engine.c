/* SPDX-License-Identifier: MIT */
#include "core/engine/device-engine.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/engine/device-settings.h"
#include "core/engine/filter-modes.h"
#include "core/engine/tuned.h"
#include "core/opencl/device-chooser.h"

/* Images in flight on a device with its own memory: one uploads, one computes, one downloads, and one waits. */
#define LANES 4

/* With at most this many iterations, a band of the plan takes well below a second. */
#define USUAL_ITERATIONS 5

struct _MsDeviceEngine {
  MsEngine parent_instance;
  MsMeanShift *filter;
  guint64 memory_budget; /* of the machine's memory, 0 for the default of the device */
  MsFallback fallback;
  MsEngineNote note;
  gpointer note_data;
};

G_DEFINE_FINAL_TYPE(MsDeviceEngine, ms_device_engine, MS_TYPE_ENGINE)

static MsContext *
context_of(MsDeviceEngine *self)
{
  return ms_mean_shift_get_context(self->filter);
}

static MsEngineInfo
describe(MsEngine *engine)
{
  MsDevice *device = ms_context_get_device(context_of(MS_DEVICE_ENGINE(engine)));

  return (MsEngineInfo){.name = ms_device_get_name(device),
                        .platform = ms_device_get_platform(device),
                        .driver = ms_device_get_driver(device),
                        .type = ms_device_type_name(ms_device_get_limits(device)->type)};
}

static MsContext *
get_context(MsEngine *engine)
{
  return context_of(MS_DEVICE_ENGINE(engine));
}

static gboolean
check(MsEngine *engine, const MsSettings *settings, GError **error)
{
  return ms_device_settings_check(context_of(MS_DEVICE_ENGINE(engine)), settings, error);
}

static void
say(MsDeviceEngine *self, const char *sentence)
{
  if (self->note)
    self->note(sentence, self->note_data);
}

static void
use_context(MsDeviceEngine *self, MsContext *context)
{
  g_clear_object(&self->filter);
  self->filter = ms_mean_shift_new(context);
  ms_mean_shift_set_progress(self->filter, ms_engine_report_progress, self);
  if (ms_device_has_own_memory(ms_context_get_device(context)))
    ms_mean_shift_set_memory_budget(self->filter, ms_context_get_limits(context)->global_memory / 2 / LANES);
  else
    ms_mean_shift_set_memory_budget(self->filter, self->memory_budget);
}

static void
set_memory_budget(MsEngine *engine, guint64 bytes)
{
  MsDeviceEngine *self = MS_DEVICE_ENGINE(engine);

  self->memory_budget = bytes;
  if (!ms_device_has_own_memory(ms_context_get_device(context_of(self))))
    ms_mean_shift_set_memory_budget(self->filter, bytes);
}

/* The state of a run that reports its finished rows to the caller. */
typedef struct {
  MsDeviceEngine *self;
  MsEngineRun *run;
  guint8 *pixels;
} ReportingRun;

static void
report_rows(int done, int total, gpointer data)
{
  ReportingRun *reporting = data;

  reporting->run->rows(reporting->pixels, done, reporting->run->rows_data);
  ms_engine_report_progress(done, total, reporting->self);
}

static gboolean
run_into(ReportingRun *reporting, MsImage *source, const MsPlan *plan, GError **error)
{
  MsMeanShift *filter = reporting->self->filter;
  gboolean good;

  ms_mean_shift_set_progress(filter, report_rows, reporting);
  ms_mean_shift_set_early_rows(filter, TRUE);
  good = ms_mean_shift_run_plan_into(
    filter, &(MsPlanRun){source, plan, reporting->run->log, reporting->run->cancellable, NULL, reporting->run->coarser},
    reporting->pixels, error);
  ms_mean_shift_set_early_rows(filter, FALSE);
  ms_mean_shift_set_progress(filter, ms_engine_report_progress, reporting->self);
  return good;
}

/* Fills the caller's memory. */
static MsImage *
run_into_memory(MsDeviceEngine *self, MsImage *source, const MsPlan *plan, MsEngineRun *run, GError **error)
{
  const MsRegion *region = &plan->request.region;
  ReportingRun reporting = {self, run, run->into};
  const MsPlanRun plain = {source, plan, run->log, run->cancellable, NULL, run->coarser};
  const gsize size = (gsize)region->width * (gsize)region->height * 4;
  g_autoptr(GBytes) pixels = g_bytes_new_static(run->into, size);

  if (run->rows ? run_into(&reporting, source, plan, error)
                : ms_mean_shift_run_plan_into(self->filter, &plain, run->into, error))
    return ms_image_new(region->width, region->height, pixels, NULL);
  return NULL;
}

static MsImage *
run_reporting_rows(MsDeviceEngine *self, MsImage *source, const MsPlan *plan, MsEngineRun *run, GError **error)
{
  const MsRegion *region = &plan->request.region;
  ReportingRun reporting = {self, run, ms_image_try_alloc_pixels((guint64)region->width, (guint64)region->height)};

  if (!reporting.pixels) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a result of %dx%d pixels.", region->width,
                 region->height);
    return NULL;
  }
  if (run_into(&reporting, source, plan, error))
    return ms_image_new_take(region->width, region->height, reporting.pixels, ms_image_get_metadata(source));
  g_free(reporting.pixels);
  return NULL;
}

/* The plan assumes that pixels converge after a few iterations. Where they may take many, a band could last seconds. */
static void
shorten_bands(MsPlan *plan)
{
  int iterations = plan->settings.params.max_iterations;

  if (iterations > USUAL_ITERATIONS)
    plan->band_rows = MAX(1, plan->band_rows * USUAL_ITERATIONS / iterations);
}

static MsImage *
run_with_modes(MsDeviceEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  ms_engine_run_clear(run);
  ms_mean_shift_set_pipelined(self->filter, FALSE);
  run->used = *settings;
  MsModesRun modes = {.log = run->log, .cancellable = run->cancellable};
  MsImage *result = ms_filter_modes_run_on(self->filter, source, settings, &modes, error);
  run->modes = modes.modes;
  return result;
}

static MsImage *
run_once(MsDeviceEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  if (run->want_modes)
    return run_with_modes(self, source, settings, run, error);

  MsSettings tuned = ms_tuned_settings(settings, ms_context_get_device(context_of(self)), ms_image_get_width(source),
                                       ms_image_get_height(source));

  /* Several queues deliver no rows before the end, and cancelling waits for all of them. */
  ms_mean_shift_set_pipelined(self->filter, !run->interactive);
  const MsFilterRequest request = {
    .source = source, .settings = &tuned, .region = run->region, .coarser = run->coarser};
  g_autoptr(MsPlan) plan = ms_mean_shift_plan_request(self->filter, &request, error);
  if (!plan)
    return NULL;
  ms_engine_run_clear(run);
  run->used = plan->settings;
  run->rejected = g_strdup(plan->rejected);
  g_set_object(&run->program, plan->program);
  if (run->interactive)
    shorten_bands(plan);
  if (run->into)
    return run_into_memory(self, source, plan, run, error);
  return run->rows ? run_reporting_rows(self, source, plan, run, error)
                   : ms_mean_shift_run_plan(self->filter,
                                            &(MsPlanRun){.source = source,
                                                         .plan = plan,
                                                         .log = run->log,
                                                         .cancellable = run->cancellable,
                                                         .coarser = run->coarser},
                                            error);
}

static gboolean
change_to_processor(MsDeviceEngine *self, const GError *reason)
{
  MsDevice *failed = ms_context_get_device(context_of(self));
  g_autoptr(MsContext) context = NULL;

  if (self->fallback != MS_FALLBACK_CPU || ms_device_get_limits(failed)->type == MS_DEVICE_TYPE_CPU)
    return FALSE;
  context = ms_device_choose("cpu", NULL, NULL);
  if (!context)
    return FALSE;
  g_autofree char *sentence =
    g_strdup_printf(_("The device %s failed, so %s is used instead: %s"), ms_device_get_name(failed),
                    ms_device_get_name(ms_context_get_device(context)), reason->message);
  say(self, sentence);
  use_context(self, context);
  return TRUE;
}

static MsImage *
run(MsEngine *engine, MsImage *source, const MsSettings *settings, MsEngineRun *about, GError **error)
{
  MsDeviceEngine *self = MS_DEVICE_ENGINE(engine);
  g_autoptr(GError) failure = NULL;
  MsImage *result = run_once(self, source, settings, about, &failure);

  if (!result && ms_engine_is_device_fault(failure) && change_to_processor(self, failure)) {
    if (about->log)
      ms_timing_log_clear(about->log);
    return run_once(self, source, settings, about, error);
  }
  if (!result)
    g_propagate_error(error, g_steal_pointer(&failure));
  return result;
}

static guint
get_lanes(MsEngine *engine)
{
  return ms_device_has_own_memory(ms_context_get_device(context_of(MS_DEVICE_ENGINE(engine)))) ? LANES : 1;
}

static MsEngine *
open_lane(MsEngine *engine, GError **error)
{
  g_autoptr(MsContext) sibling = ms_context_new_sibling(context_of(MS_DEVICE_ENGINE(engine)), error);

  return sibling ? ms_device_engine_new(sibling, MS_FALLBACK_FAIL, NULL, NULL) : NULL;
}

static void
ms_device_engine_finalize(GObject *object)
{
  g_clear_object(&MS_DEVICE_ENGINE(object)->filter);
  G_OBJECT_CLASS(ms_device_engine_parent_class)->finalize(object);
}

static void
ms_device_engine_class_init(MsDeviceEngineClass *klass)
{
  MsEngineClass *engine = MS_ENGINE_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_device_engine_finalize;
  engine->describe = describe;
  engine->check = check;
  engine->run = run;
  engine->context = get_context;
  engine->set_memory_budget = set_memory_budget;
  engine->get_lanes = get_lanes;
  engine->open_lane = open_lane;
}

static void
ms_device_engine_init(MsDeviceEngine *self)
{
}

static MsFallback
resolve_fallback(MsFallback fallback, const char *device_selector)
{
  if (fallback != MS_FALLBACK_DEFAULT)
    return fallback;
  return strcmp(device_selector, "auto") == 0 ? MS_FALLBACK_CPU : MS_FALLBACK_FAIL;
}

static void
say_all(GStrv sentences, MsEngineNote note, gpointer data)
{
  for (gsize i = 0; note && sentences && sentences[i]; i++)
    note(sentences[i], data);
}

static MsContext *
open_processor_instead(const GError *reason, MsEngineNote note, gpointer data, GError **error)
{
  MsContext *context = ms_device_choose("cpu", NULL, error);

  if (context && note) {
    g_autofree char *sentence = g_strdup_printf(_("%s The processor %s is used instead."), reason->message,
                                                ms_device_get_name(ms_context_get_device(context)));
    note(sentence, data);
  }
  return context;
}

/** ms_device_engine_new: (transfer full): an engine on a device that is open already. */
MsEngine *
ms_device_engine_new(MsContext *context, MsFallback fallback, MsEngineNote note, gpointer note_data)
{
  MsDeviceEngine *self = g_object_new(MS_TYPE_DEVICE_ENGINE, NULL);

  self->fallback = fallback;
  self->note = note;
  self->note_data = note_data;
  use_context(self, context);
  return MS_ENGINE(self);
}

/** ms_device_engine_open: see ms_engine_open(); @device_selector is a device. */
MsEngine *
ms_device_engine_open(const char *device_selector, MsFallback fallback, MsEngineNote note, gpointer note_data,
                      GError **error)
{
  g_autoptr(GError) reason = NULL;
  g_auto(GStrv) rejected = NULL;
  MsFallback resolved = resolve_fallback(fallback, device_selector);
  g_autoptr(MsContext) context = ms_device_choose(device_selector, &rejected, &reason);

  ms_engine_note_driver(note, note_data);
  if (!context && (resolved == MS_FALLBACK_FAIL || strcmp(device_selector, "auto") == 0)) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return NULL;
  }
  if (!context)
    context = open_processor_instead(reason, note, note_data, error);
  else
    say_all(rejected, note, note_data);
  return context ? ms_device_engine_new(context, resolved, note, note_data) : NULL;
}
