/* SPDX-License-Identifier: MIT */
/* The engine of every caller, and its two kinds for one processor: an OpenCL device, and the serial reference. */
#include "core/engine/engine.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/engine/tuned.h"
#include "core/opencl/device-choice.h"
#include "core/opencl/driver-cache.h"
#include "core/text.h"

/* Options that can be combined at any size of the image can be combined at this one. */
#define USUAL_SIDE 512

/* Rows of a strip when finished rows are reported: few, since one row of the reference may take a second. */
#define STRIP_ROWS 16

/* Images in flight on a device with its own memory: one uploads, one computes, one downloads, and one waits. */
#define LANES 4

/* With at most this many iterations, a band of the plan takes well below a second. */
#define USUAL_ITERATIONS 5

/** ms_engine_new: (transfer full): a new engine; @size: of the structure that begins with it, filled with zeros */
gpointer
ms_engine_new(const MsEngineKind *kind, gsize size)
{
  MsEngine *self = g_atomic_rc_box_alloc0(size);

  self->kind = kind;
  return self;
}

MsEngine *
ms_engine_ref(MsEngine *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_engine(gpointer data)
{
  MsEngine *self = data;

  if (self->kind->clear)
    self->kind->clear(self);
}

void
ms_engine_unref(MsEngine *self)
{
  g_atomic_rc_box_release_full(self, clear_engine);
}

/** ms_engine_run_clear: frees what a run reported. */
void
ms_engine_run_clear(MsEngineRun *self)
{
  g_clear_pointer(&self->rejected, g_free);
  g_clear_pointer(&self->program, ms_program_spec_unref);
  g_clear_pointer(&self->modes, g_free);
  ms_device_result_clear(&self->stayed);
}

MsEngineInfo
ms_engine_describe(MsEngine *self)
{
  return self->kind->describe(self);
}

/** ms_engine_check: %FALSE with the plan's reason when no image could be filtered with @settings. */
gboolean
ms_engine_check(MsEngine *self, const MsSettings *settings, GError **error)
{
  return self->kind->check ? self->kind->check(self, settings, error) : ms_params_validate(&settings->params, error);
}

/**
 * ms_engine_run:
 *
 * Returns: (transfer full): the filtered image, or %NULL with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
MsImage *
ms_engine_run(MsEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  const int width = ms_image_get_width(source), height = ms_image_get_height(source);
  MsImage *result;

  ms_engine_run_clear(run);
  if (run->want_modes) {
    run->modes = g_try_new(guint16, 2 * (gsize)width * height);
    if (!run->modes) {
      ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the modes of %dx%d pixels.", width, height);
      return NULL;
    }
  }
  result = self->kind->run(self, source, settings, run, error);
  if (!result || run->stayed.colours)
    g_clear_pointer(&run->modes, g_free);
  return result;
}

/** ms_engine_get_context: (transfer none) (nullable): the OpenCL device, where there is one. */
MsContext *
ms_engine_get_context(MsEngine *self)
{
  return self->kind->context ? self->kind->context(self) : NULL;
}

/**
 * ms_engine_set_memory_budget: limits the machine's memory that the device's buffers take, where the engine supports
 * it.
 */
void
ms_engine_set_memory_budget(MsEngine *self, guint64 bytes)
{
  if (self->kind->set_memory_budget)
    self->kind->set_memory_budget(self, bytes);
}

/** ms_engine_save_learned: saves what was learned about the devices, for a process that does not close them. */
void
ms_engine_save_learned(MsEngine *self)
{
  if (self->kind->save_learned)
    self->kind->save_learned(self);
}

/** ms_engine_get_lanes: how many images may be on the device at once, one in this engine and one in each open lane. */
guint
ms_engine_get_lanes(MsEngine *self)
{
  return self->kind->get_lanes ? self->kind->get_lanes(self) : 1;
}

/**
 * ms_engine_open_lane: for engines with several lanes
 *
 * Returns: (transfer full): an engine on the same device for one more thread, or %NULL with #MS_ERROR_DEVICE
 */
MsEngine *
ms_engine_open_lane(MsEngine *self, GError **error)
{
  return self->kind->open_lane(self, error);
}

/**
 * ms_engine_is_device_fault: whether another device may succeed, since neither the settings, the image nor the user
 * caused @error.
 */
gboolean
ms_engine_is_device_fault(const GError *error)
{
  return g_error_matches(error, MS_ERROR, MS_ERROR_DEVICE) || g_error_matches(error, MS_ERROR, MS_ERROR_BUILD) ||
         g_error_matches(error, MS_ERROR, MS_ERROR_TIMEOUT) || g_error_matches(error, MS_ERROR, MS_ERROR_MEMORY);
}

/** ms_engine_note_all: @sentences: (nullable): reported one by one; @note: (nullable) */
void
ms_engine_note_all(GStrv sentences, MsEngineNote note, gpointer note_data)
{
  for (gsize i = 0; note && sentences && sentences[i]; i++)
    note(sentences[i], note_data);
}

/**
 * ms_engine_note_driver: reports changes to and problems of the cache of the OpenCL driver, and damaged results of
 * tuning.
 */
void
ms_engine_note_driver(MsEngineNote note, gpointer note_data)
{
  const char *driver = ms_driver_cache_prepare();

  if (!note)
    return;
  if (driver)
    note(driver, note_data);
  g_auto(GStrv) damaged = ms_winner_store_find_damaged(NULL);
  for (gsize i = 0; damaged[i]; i++) {
    g_autofree char *path = ms_printable(damaged[i], "");
    g_autofree char *sentence =
      g_strdup_printf(_("The result of tuning in '%s' is damaged and is ignored; repeat --tune."), path);
    note(sentence, note_data);
  }
}

/* The serial reference in plain C on one thread, which needs no OpenCL device. */

static MsEngineInfo
describe_reference(MsEngine *self)
{
  return (MsEngineInfo){.name = MS_ENGINE_REFERENCE, .platform = "host", .driver = "serial C", .type = "cpu"};
}

static MsImage *
run_strips(MsImage *source, const MsParams *params, MsEngineRun *run, GError **error)
{
  const MsRegion region = run->region ? *run->region : ms_image_get_extent(source);
  gsize stride = (gsize)region.width * 4;
  g_autofree guint8 *pixels =
    ms_image_check_memory(g_try_malloc(stride * region.height), region.width, region.height, error);

  if (!pixels)
    return NULL;
  for (int y = 0; y < region.height; y += STRIP_ROWS) {
    const MsRegion strip = {region.x, region.y + y, region.width, MIN(STRIP_ROWS, region.height - y)};
    const MsReferenceRun rows = {.region = &strip, .cancellable = run->cancellable};
    g_autoptr(MsImage) image = ms_reference_run(source, params, &rows, error);
    if (!image)
      return NULL;
    memcpy(pixels + y * stride, ms_image_get_pixels(image), ms_image_get_byte_size(image));
    run->rows(pixels, y + strip.height, run->rows_data);
    if (run->progress)
      run->progress(y + strip.height, region.height, run->progress_data);
  }
  return ms_image_new_take(region.width, region.height, g_steal_pointer(&pixels), ms_image_get_metadata(source));
}

static MsImage *
compute_reference(MsImage *source, const MsParams *params, MsEngineRun *run, GError **error)
{
  MsReferenceRun reference = {
    .progress = run->progress, .progress_data = run->progress_data, .cancellable = run->cancellable};
  MsImage *result;

  if (run->want_modes && params->rule == MS_RULE_REPLICATE) {
    ms_set_error(error, MS_ERROR_USAGE, "Regions need a rule under which pixels stay in the image.");
    return NULL;
  }
  if (run->want_modes)
    return ms_reference_run_with_modes(source, params, run->modes, &reference, error);
  /* With levels, each strip would compute the levels of the whole picture again. */
  if (run->rows && params->levels == 0)
    return run_strips(source, params, run, error);
  reference.region = run->region;
  reference.coarser = run->coarser;
  result = ms_reference_run(source, params, &reference, error);
  if (result && run->rows)
    run->rows(ms_image_get_pixels(result), ms_image_get_height(result), run->rows_data);
  return result;
}

static MsImage *
run_reference(MsEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  gint64 start = g_get_monotonic_time();
  MsImage *result = compute_reference(source, &settings->params, run, error);

  run->used = *settings;
  if (result && run->log) {
    ms_timing_log_add_host(run->log, MS_STAGE_KERNEL, MS_ENGINE_REFERENCE, 2 * ms_image_get_byte_size(result), start);
    ms_timing_log_add_filter_span(run->log, start);
  }
  return result;
}

static const MsEngineKind reference_kind = {.describe = describe_reference, .run = run_reference};

/** ms_reference_engine_new: (transfer full): an engine that runs the serial reference. */
MsEngine *
ms_reference_engine_new(void)
{
  return ms_engine_new(&reference_kind, sizeof(MsEngine));
}

/* Filters on one OpenCL device, and on the processor after a failure where the caller allows it. */
typedef struct {
  MsEngine base;
  MsMeanShift *filter;
  guint64 memory_budget; /* of the machine's memory, 0 for the default of the device */
  MsFallback fallback;
  MsEngineNote note;
  gpointer note_data;
  gboolean has_lanes; /* so that transfers of one picture overlap the kernels of another */
} MsDeviceEngine;

static MsContext *
get_context(MsEngine *engine)
{
  return ms_mean_shift_get_context(((MsDeviceEngine *)engine)->filter);
}

static MsDevice *
get_device(MsEngine *engine)
{
  return get_context(engine)->device;
}

static MsEngineInfo
describe(MsEngine *engine)
{
  MsDevice *device = get_device(engine);

  return (MsEngineInfo){.name = device->name,
                        .platform = device->platform,
                        .driver = device->driver,
                        .type = ms_device_type_name(device->limits.type)};
}

/** ms_device_settings_check: %FALSE with the plan's reason when @settings cannot run on this device. */
gboolean
ms_device_settings_check(MsContext *context, const MsSettings *settings, GError **error)
{
  MsPlanRequest request = ms_plan_request(settings, &context->device->limits, USUAL_SIDE, USUAL_SIDE);
  g_autoptr(MsPlan) plan = ms_plan_new(&request, error);

  return plan != NULL;
}

static gboolean
check(MsEngine *engine, const MsSettings *settings, GError **error)
{
  return ms_device_settings_check(get_context(engine), settings, error);
}

static void
use_context(MsDeviceEngine *self, MsContext *context)
{
  guint64 budget = self->memory_budget;

  if (ms_device_has_own_memory(context->device))
    budget = context->device->limits.global_memory / 2 / LANES;
  g_clear_pointer(&self->filter, ms_mean_shift_free);
  self->filter = ms_mean_shift_new(context);
  ms_mean_shift_set_memory_budget(self->filter, budget);
}

static void
set_memory_budget(MsEngine *engine, guint64 bytes)
{
  MsDeviceEngine *self = (MsDeviceEngine *)engine;

  self->memory_budget = bytes;
  if (!ms_device_has_own_memory(get_device(engine)))
    ms_mean_shift_set_memory_budget(self->filter, bytes);
}

/* A run that reports its finished rows to the caller. */
typedef struct {
  const MsEngineRun *run;
  const guint8 *pixels;
} ReportingRun;

static void
on_rows_done(int done, int total, gpointer data)
{
  const ReportingRun *reporting = data;
  const MsEngineRun *run = reporting->run;

  run->rows(reporting->pixels, done, run->rows_data);
  if (run->progress)
    run->progress(done, total, run->progress_data);
}

/* Fills the caller's memory, or new memory. */
static MsImage *
run_plan(MsDeviceEngine *self, const MsFilterRequest *request, const MsPlan *plan, MsEngineRun *run, GError **error)
{
  const int width = plan->request.region.width, height = plan->request.region.height;
  const gboolean may_pin = request->pipelined && self->memory_budget == 0;
  g_autoptr(GBytes) bytes = run->into ? g_bytes_new_static(run->into, (gsize)width * (gsize)height * 4)
                                      : ms_mean_shift_alloc_result(self->filter, plan, may_pin, error);
  guint8 *pixels = bytes ? (guint8 *)g_bytes_get_data(bytes, NULL) : NULL;
  ReportingRun reporting = {run, pixels};
  MsFilterRequest reported = *request;

  if (run->rows) {
    reported.early_rows = TRUE;
    reported.progress = on_rows_done;
    reported.progress_data = &reporting;
  }
  if (!pixels || !ms_mean_shift_run_plan_into(self->filter, &reported, plan, pixels, error))
    return NULL;
  return ms_image_new(width, height, bytes, run->into ? NULL : ms_image_get_metadata(request->source));
}

static MsImage *
run_with_modes(MsDeviceEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  const MsFilterRequest request = {.source = source,
                                   .settings = settings,
                                   .modes = run->modes,
                                   .stay = run->may_stay ? &run->stayed : NULL,
                                   .progress = run->progress,
                                   .progress_data = run->progress_data,
                                   .log = run->log,
                                   .cancellable = run->cancellable};

  run->used = *settings;
  return ms_mean_shift_run(self->filter, &request, error);
}

static MsImage *
run_once(MsDeviceEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  if (run->want_modes)
    return run_with_modes(self, source, settings, run, error);

  const int iterations = settings->params.max_iterations;
  MsSettings tuned =
    ms_tuned_settings(settings, get_device(&self->base), ms_image_get_width(source), ms_image_get_height(source));
  const MsFilterRequest request = {.source = source,
                                   .settings = &tuned,
                                   .region = run->region,
                                   .coarser = run->coarser,
                                   .pipelined = !run->rows && !self->has_lanes,
                                   .progress = run->progress,
                                   .progress_data = run->progress_data,
                                   .log = run->log,
                                   .cancellable = run->cancellable};

  g_autoptr(MsPlan) plan = ms_mean_shift_plan(self->filter, &request, error);
  if (!plan)
    return NULL;
  run->used = plan->settings;
  g_free(run->rejected);
  run->rejected = g_strdup(plan->rejected);
  g_clear_pointer(&run->program, ms_program_spec_unref);
  run->program = ms_program_spec_ref(plan->program);
  /* An interactive caller can cancel within a second however many iterations a pixel takes. */
  if (run->interactive && iterations > USUAL_ITERATIONS)
    plan->band_rows = MAX(1, plan->band_rows * USUAL_ITERATIONS / iterations);
  return run_plan(self, &request, plan, run, error);
}

static gboolean
change_to_processor(MsDeviceEngine *self, const GError *reason)
{
  MsDevice *failed = get_device(&self->base);
  g_autoptr(MsContext) context = NULL;

  if (self->fallback != MS_FALLBACK_CPU || failed->limits.type == MS_DEVICE_TYPE_CPU)
    return FALSE;
  context = ms_device_choose("cpu", NULL, NULL);
  if (!context)
    return FALSE;
  g_autofree char *sentence = g_strdup_printf(_("The device %s failed, so %s is used instead: %s"), failed->title,
                                              context->device->title, reason->message);
  if (self->note)
    self->note(sentence, self->note_data);
  use_context(self, context);
  return TRUE;
}

static MsImage *
run(MsEngine *engine, MsImage *source, const MsSettings *settings, MsEngineRun *about, GError **error)
{
  MsDeviceEngine *self = (MsDeviceEngine *)engine;
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
  return ms_device_has_own_memory(get_device(engine)) ? LANES : 1;
}

static MsEngine *
open_lane(MsEngine *engine, GError **error)
{
  g_autoptr(MsContext) sibling = ms_context_new_sibling(get_context(engine), error);
  MsEngine *lane = sibling ? ms_device_engine_new(sibling, MS_FALLBACK_FAIL, NULL, NULL) : NULL;

  if (!lane)
    return NULL;
  ((MsDeviceEngine *)engine)->has_lanes = ((MsDeviceEngine *)lane)->has_lanes = TRUE;
  /* Each lane transfers with its share of the processors, which several images at once use better than one. */
  get_context(engine)->processors = MAX(g_get_num_processors() / LANES, 1);
  sibling->processors = MAX(g_get_num_processors() / LANES, 1);
  return lane;
}

static void
clear(MsEngine *engine)
{
  ms_mean_shift_free(((MsDeviceEngine *)engine)->filter);
}

static const MsEngineKind device_kind = {.describe = describe,
                                         .check = check,
                                         .run = run,
                                         .context = get_context,
                                         .set_memory_budget = set_memory_budget,
                                         .get_lanes = get_lanes,
                                         .open_lane = open_lane,
                                         .clear = clear};

/** ms_device_engine_new: (transfer full): an engine on a device that is open already. */
MsEngine *
ms_device_engine_new(MsContext *context, MsFallback fallback, MsEngineNote note, gpointer note_data)
{
  MsDeviceEngine *self = ms_engine_new(&device_kind, sizeof *self);

  self->fallback = fallback;
  self->note = note;
  self->note_data = note_data;
  use_context(self, context);
  return &self->base;
}

static MsFallback
resolve_fallback(const char *device_selector, MsFallback fallback)
{
  if (fallback != MS_FALLBACK_DEFAULT)
    return fallback;
  return strcmp(device_selector, "auto") == 0 ? MS_FALLBACK_CPU : MS_FALLBACK_FAIL;
}

/**
 * ms_engine_open_context: opens the device alone, for work that filters no image.
 * @device_selector: for ms_device_choose()
 * @note: (nullable): receives why devices were rejected
 *
 * Returns: (transfer full): the device, or %NULL with #MS_ERROR_NO_DEVICE
 */
MsContext *
ms_engine_open_context(const char *device_selector, MsFallback fallback, MsEngineNote note, gpointer note_data,
                       GError **error)
{
  g_autoptr(GError) reason = NULL;
  g_auto(GStrv) rejected = NULL;
  MsContext *context = ms_device_choose(device_selector, &rejected, &reason);

  ms_engine_note_driver(note, note_data);
  if (context) {
    ms_engine_note_all(rejected, note, note_data);
    return context;
  }
  if (resolve_fallback(device_selector, fallback) == MS_FALLBACK_FAIL || strcmp(device_selector, "auto") == 0) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return NULL;
  }
  context = ms_device_choose("cpu", NULL, error);
  if (context && note) {
    g_autofree char *sentence =
      g_strdup_printf(_("%s The processor %s is used instead."), reason->message, context->device->title);
    note(sentence, note_data);
  }
  return context;
}

/**
 * ms_engine_open:
 * @device_selector: `reference`, or a selector for ms_device_choose()
 * @note: (nullable): receives why devices were rejected, now and while running
 *
 * Returns: (transfer full): the engine, or %NULL with #MS_ERROR_NO_DEVICE
 */
MsEngine *
ms_engine_open(const char *device_selector, MsFallback fallback, MsEngineNote note, gpointer note_data, GError **error)
{
  if (strcmp(device_selector, MS_ENGINE_REFERENCE) == 0)
    return ms_reference_engine_new();
  g_autoptr(MsContext) context = ms_engine_open_context(device_selector, fallback, note, note_data, error);
  return context ? ms_device_engine_new(context, resolve_fallback(device_selector, fallback), note, note_data) : NULL;
}
