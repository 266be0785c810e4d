/* SPDX-License-Identifier: MIT */
#include "core/engine/engine.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/engine/self-tune.h"
#include "core/engine/tuned.h"
#include "core/filter/reference.h"
#include "core/opencl/device-choice.h"
#include "core/opencl/driver-cache.h"
#include "core/opencl/icd.h"
#include "core/text.h"

/* Options that can be combined at any size of the image can be combined at this one. */
#define USUAL_SIDE 512

/* Images in flight on a device with its own memory: one uploads, one computes, one downloads, and one waits. */
#define IMAGES_AT_ONCE 4

/*
 * A filter on one OpenCL device, where the processor may take over after a failure, or on several; or the serial
 * reference.
 * @filter: (nullable): %NULL for the reference
 * @name, @platform, @driver: of all devices
 * @memory_budget: of the machine's memory, 0 for the default of the devices
 * @is_measured: whether devices that are new here have had their turn; see ms_self_tune()
 * @stand_in: (nullable): for tests
 */
struct _MsEngine {
  MsMeanShift *filter;
  char *name;
  char *platform;
  char *driver;
  guint64 memory_budget;
  gboolean is_measured;
  MsKnownWinners winners;
  MsFallback fallback;
  MsEngineNote note;
  gpointer note_data;
  const MsEngineStandIn *stand_in;
  gpointer stand_in_data;
  GDestroyNotify free_data;
};

MsEngine *
ms_engine_ref(MsEngine *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
release_filter(MsEngine *self)
{
  g_clear_pointer(&self->filter, ms_mean_shift_free);
  g_clear_pointer(&self->name, g_free);
  g_clear_pointer(&self->platform, g_free);
  g_clear_pointer(&self->driver, g_free);
}

static void
clear_engine(gpointer data)
{
  MsEngine *self = data;

  release_filter(self);
  ms_known_winners_clear(&self->winners);
  if (self->free_data)
    self->free_data(self->stand_in_data);
}

void
ms_engine_unref(MsEngine *self)
{
  g_atomic_rc_box_release_full(self, clear_engine);
}

/** ms_reference_engine_new: (transfer full): the serial reference in plain C on one thread. */
MsEngine *
ms_reference_engine_new(void)
{
  return g_atomic_rc_box_new0(MsEngine);
}

/** ms_engine_new_stand_in: (transfer full): @data: freed by @free_data with the engine */
MsEngine *
ms_engine_new_stand_in(const MsEngineStandIn *stand_in, gpointer data, GDestroyNotify free_data)
{
  MsEngine *self = ms_reference_engine_new();

  self->stand_in = stand_in;
  self->stand_in_data = data;
  self->free_data = free_data;
  return self;
}

/** ms_engine_get_context: (transfer none) (nullable): the first OpenCL device, where there is one. */
MsContext *
ms_engine_get_context(MsEngine *self)
{
  return self->filter ? ms_mean_shift_get_context(self->filter) : NULL;
}

/** ms_engine_describe: the device as reports name it. */
MsEngineInfo
ms_engine_describe(MsEngine *self)
{
  if (self->stand_in)
    return self->stand_in->info;
  if (!self->filter)
    return (MsEngineInfo){.name = MS_ENGINE_REFERENCE, .platform = "host", .driver = "serial C", .type = "cpu"};
  const gboolean is_alone = ms_mean_shift_get_n_devices(self->filter) == 1;
  const MsDeviceType type = ms_engine_get_context(self)->device->limits.type;
  return (MsEngineInfo){self->name, self->platform, self->driver, is_alone ? ms_device_type_name(type) : "several"};
}

/* %FALSE with the plan's reason when @settings cannot run on this device. */
static gboolean
check_on(MsContext *context, const MsSettings *settings, GError **error)
{
  const MsJob job = {.settings = settings, .size = {USUAL_SIDE, USUAL_SIDE}};
  g_autoptr(MsPlan) plan = ms_plan_new(&job, &(MsDeviceShare){.limits = &context->device->limits}, error);

  return plan != NULL;
}

/**
 * ms_engine_check: %FALSE with the plan's reason when no image could be filtered with @settings, before one is read.
 * The settings must be valid on every device, because each may compute a part of every image.
 */
gboolean
ms_engine_check(MsEngine *self, const MsSettings *settings, GError **error)
{
  if (!self->filter)
    return ms_params_validate(&settings->params, error);
  for (guint i = 0; i < ms_mean_shift_get_n_devices(self->filter); i++)
    if (!check_on(ms_mean_shift_get_device(self->filter, i), settings, error))
      return FALSE;
  return TRUE;
}

/** ms_engine_set_memory_budget: bytes of the machine's memory that buffers of the devices may take together. */
void
ms_engine_set_memory_budget(MsEngine *self, guint64 bytes)
{
  self->memory_budget = bytes;
  if (self->filter)
    ms_mean_shift_set_host_budget(self->filter, bytes);
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

/* @sentences: (nullable): reported one by one; @note: (nullable) */
static void
note_all(GStrv sentences, MsEngineNote note, gpointer note_data)
{
  for (gsize i = 0; note && sentences && sentences[i]; i++)
    note(sentences[i], note_data);
}

/**
 * ms_engine_note_driver: reports drivers that are left out, changes to and problems of the cache of the OpenCL driver,
 * and damaged results of tuning.
 */
void
ms_engine_note_driver(MsEngineNote note, gpointer note_data)
{
  const char *const problems[] = {ms_icd_prepare(), ms_driver_cache_prepare()};

  for (gsize i = 0; note && i < G_N_ELEMENTS(problems); i++)
    if (problems[i])
      note(problems[i], note_data);
  if (!note)
    return;
  g_auto(GStrv) damaged = ms_winner_store_find_damaged(NULL);
  for (gsize i = 0; damaged[i]; i++) {
    g_autofree char *path = ms_printable(damaged[i], "");
    g_autofree char *sentence =
      g_strdup_printf(_("The result of tuning in '%s' is damaged and is ignored; repeat --tune."), path);
    note(sentence, note_data);
  }
}

static MsImage *
run_reference(MsJob *job, GError **error)
{
  gint64 start = g_get_monotonic_time();
  MsImage *result = ms_reference_run(job, error);

  if (result && job->log) {
    ms_timing_log_add_host(job->log, MS_STAGE_KERNEL, MS_ENGINE_REFERENCE, 2 * ms_image_get_byte_size(result), start);
    ms_timing_log_add_filter_span(job->log, start);
  }
  return result;
}

/* @member: the offset of a text in #MsDevice */
static char *
join(MsMeanShift *filter, glong member)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < ms_mean_shift_get_n_devices(filter); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? " + " : "",
                           G_STRUCT_MEMBER(char *, ms_mean_shift_get_device(filter, i)->device, member));
  return g_string_free(text, FALSE);
}

/* @filter: (transfer full): on the devices that are used from now on */
static void
use_filter(MsEngine *self, MsMeanShift *filter)
{
  release_filter(self);
  self->filter = filter;
  self->is_measured = FALSE;
  self->name = join(filter, G_STRUCT_OFFSET(MsDevice, name));
  self->platform = join(filter, G_STRUCT_OFFSET(MsDevice, platform));
  self->driver = join(filter, G_STRUCT_OFFSET(MsDevice, driver));
  ms_mean_shift_set_host_budget(filter, self->memory_budget);
}

/* Lets @self be one of several engines on a device, whose memory and threads of the host they share. */
static void
share_device(MsEngine *self)
{
  MsContext *context = ms_mean_shift_get_context(self->filter);

  ms_mean_shift_set_shares_device(self->filter, TRUE);
  ms_mean_shift_set_memory_budget(self->filter, context->device->limits.global_memory / 2 / IMAGES_AT_ONCE);
  context->processors = MAX(g_get_num_processors() / IMAGES_AT_ONCE, 1);
}

/*
 * Has each device that is new here measure its kernels, before the first picture whose rows are in memory; %FALSE when
 * cancelled.
 */
static gboolean
measure_new_devices(MsEngine *self, const MsJob *job, GError **error)
{
  if (self->is_measured || job->stream || !ms_settings_are_automatic(job->settings))
    return TRUE;
  for (guint i = 0; i < ms_mean_shift_get_n_devices(self->filter); i++) {
    g_autoptr(GError) cancelled = NULL;
    g_autofree char *told =
      ms_self_tune(ms_mean_shift_get_device(self->filter, i), job->source, job->cancellable, &cancelled);
    if (told && self->note)
      self->note(told, self->note_data);
    if (cancelled) {
      g_propagate_error(error, g_steal_pointer(&cancelled));
      return FALSE;
    }
  }
  self->is_measured = TRUE;
  return TRUE;
}

/* Each device uses its own fastest kernels, since all kernels compute the same picture. */
static MsImage *
run_once(MsEngine *self, MsJob *job, GError **error)
{
  const MsSettings *asked = job->settings;
  MsSettings tuned[MS_DEVICES_MAX];

  if (!measure_new_devices(self, job, error))
    return NULL;
  for (guint i = 0; i < ms_mean_shift_get_n_devices(self->filter); i++)
    tuned[i] = ms_tuned_settings(&self->winners, job, ms_mean_shift_get_device(self->filter, i)->device);
  job->settings = tuned;
  job->settings_of = tuned;
  MsImage *result = ms_mean_shift_run(self->filter, job, error);
  job->settings = asked;
  job->settings_of = NULL;
  return result;
}

static gboolean
change_to_processor(MsEngine *self, const GError *reason)
{
  MsDevice *failed = ms_engine_get_context(self)->device;
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
  use_filter(self, ms_mean_shift_new(context));
  return TRUE;
}

static MsImage *
run_on_devices(MsEngine *self, MsJob *job, GError **error)
{
  g_autoptr(GError) failure = NULL;
  MsImage *result = run_once(self, job, &failure);
  const gboolean is_fault = !result && ms_engine_is_device_fault(failure) && !(job->stream && job->stream->failed);

  if (is_fault && change_to_processor(self, failure)) {
    if (job->log)
      ms_timing_log_clear(job->log);
    return run_once(self, job, error);
  }
  if (!result)
    g_propagate_error(error, g_steal_pointer(&failure));
  return result;
}

/**
 * ms_engine_run: the one place that asks whether devices compute or the reference.
 *
 * Returns: (transfer full): the filtered image, or %NULL with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
MsImage *
ms_engine_run(MsEngine *self, MsJob *job, GError **error)
{
  if (self->stand_in)
    return self->stand_in->run(self->stand_in_data, job, error);
  return self->filter ? run_on_devices(self, job, error) : run_reference(job, error);
}

/** ms_engine_get_images_at_once: how many may be on the device, one in this engine and one in each sibling. */
guint
ms_engine_get_images_at_once(MsEngine *self)
{
  if (self->stand_in)
    return MAX(self->stand_in->images, 1);
  const gboolean is_one_device = self->filter && ms_mean_shift_get_n_devices(self->filter) == 1;
  return is_one_device && ms_device_has_own_memory(ms_engine_get_context(self)->device) ? IMAGES_AT_ONCE : 1;
}

/** ms_device_engine_new: (transfer full): an engine on a device that is open already. */
MsEngine *
ms_device_engine_new(MsContext *context, MsFallback fallback, MsEngineNote note, gpointer note_data)
{
  MsEngine *self = ms_reference_engine_new();

  self->fallback = fallback;
  self->note = note;
  self->note_data = note_data;
  use_filter(self, ms_mean_shift_new(context));
  return self;
}

/**
 * ms_engine_new_sibling: for engines that may have several images on the device at once
 *
 * Returns: (transfer full): an engine on the same device for one more thread, or %NULL with #MS_ERROR_DEVICE
 */
MsEngine *
ms_engine_new_sibling(MsEngine *self, GError **error)
{
  if (self->stand_in)
    return self->stand_in->new_sibling(self->stand_in_data, error);
  g_autoptr(MsContext) context = ms_context_new_sibling(ms_engine_get_context(self), error);
  MsEngine *sibling = context ? ms_device_engine_new(context, MS_FALLBACK_FAIL, NULL, NULL) : NULL;
  if (!sibling)
    return NULL;
  share_device(self);
  share_device(sibling);
  return sibling;
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
    note_all(rejected, note, note_data);
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

/* Several devices. */

static gboolean
is_new_device(GPtrArray *contexts, MsContext *context)
{
  for (guint i = 0; i < contexts->len; i++)
    if (((MsContext *)g_ptr_array_index(contexts, i))->device->id == context->device->id)
      return FALSE;
  return TRUE;
}

/* Opens one of @devices, unless it is among @contexts. */
static gboolean
add_context(GPtrArray *contexts, GPtrArray *devices, const char *device_selector, char ***rejected, GError **error)
{
  g_autoptr(MsContext) context = ms_device_choose_among(devices, device_selector, rejected, error);

  if (!context)
    return FALSE;
  if (!is_new_device(contexts, context)) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "--devices names the device %s twice; name each once, by its place in --list-devices.",
                 context->device->name);
    return FALSE;
  }
  g_ptr_array_add(contexts, g_steal_pointer(&context));
  return TRUE;
}

/**
 * ms_engine_open_contexts:
 * @list: selectors for ms_device_choose(), separated by commas
 *
 * Returns: (transfer full) (element-type MsContext): the devices, each once, or %NULL with #MS_ERROR_USAGE or
 *   #MS_ERROR_NO_DEVICE
 */
GPtrArray *
ms_engine_open_contexts(const char *list, MsEngineNote note, gpointer note_data, GError **error)
{
  g_autoptr(GPtrArray) contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);
  g_auto(GStrv) selectors = g_strsplit(list, ",", -1);
  g_autoptr(GPtrArray) devices = NULL;

  if (g_strv_length(selectors) > MS_DEVICES_MAX || g_strv_contains((const char *const *)selectors, "") ||
      g_strv_contains((const char *const *)selectors, MS_ENGINE_REFERENCE)) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "--devices cannot be '%s'; it takes up to %d devices with commas between, as in 0:0,1:0.", list,
                 MS_DEVICES_MAX);
    return NULL;
  }
  devices = ms_device_enumerate(error);
  ms_engine_note_driver(note, note_data);
  for (gsize i = 0; devices && selectors[i]; i++) {
    g_auto(GStrv) rejected = NULL;
    if (!add_context(contexts, devices, selectors[i], &rejected, error))
      return NULL;
    note_all(rejected, note, note_data);
  }
  return devices ? g_steal_pointer(&contexts) : NULL;
}

/** ms_engine_open_several: (transfer full): an engine over the devices of @list; see ms_engine_open_contexts(). */
MsEngine *
ms_engine_open_several(const char *list, MsDivision division, MsEngineNote note, gpointer note_data, GError **error)
{
  g_autoptr(GPtrArray) contexts = ms_engine_open_contexts(list, note, note_data, error);

  if (!contexts)
    return NULL;
  MsEngine *self = ms_reference_engine_new();
  self->fallback = MS_FALLBACK_FAIL;
  use_filter(self, ms_mean_shift_new_several(contexts));
  ms_mean_shift_set_division(self->filter, division);
  return self;
}
