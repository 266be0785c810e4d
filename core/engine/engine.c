/* SPDX-License-Identifier: MIT */
#include "core/engine/engine.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/engine/device-engine.h"
#include "core/engine/reference-engine.h"
#include "core/engine/winner-store.h"
#include "core/opencl/driver-cache.h"
#include "core/printable.h"

typedef struct {
  MsProgressFunc progress;
  gpointer data;
} MsEnginePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(MsEngine, ms_engine, G_TYPE_OBJECT)

static void
ms_engine_class_init(MsEngineClass *klass)
{
}

static void
ms_engine_init(MsEngine *self)
{
}

/** ms_engine_run_clear: frees what a run reported. */
void
ms_engine_run_clear(MsEngineRun *self)
{
  g_clear_pointer(&self->rejected, g_free);
  g_clear_object(&self->program);
  g_clear_pointer(&self->modes, g_free);
}

MsEngineInfo
ms_engine_describe(MsEngine *self)
{
  return MS_ENGINE_GET_CLASS(self)->describe(self);
}

/** ms_engine_check: %FALSE with the plan's reason when no image could be filtered with @settings. */
gboolean
ms_engine_check(MsEngine *self, const MsSettings *settings, GError **error)
{
  MsEngineClass *klass = MS_ENGINE_GET_CLASS(self);

  return klass->check ? klass->check(self, settings, error) : ms_params_validate(&settings->params, error);
}

/**
 * ms_engine_run:
 *
 * Returns: (transfer full): the filtered image, or %NULL with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
MsImage *
ms_engine_run(MsEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  return MS_ENGINE_GET_CLASS(self)->run(self, source, settings, run, error);
}

/** ms_engine_get_context: (transfer none) (nullable): the OpenCL device, where there is one. */
MsContext *
ms_engine_get_context(MsEngine *self)
{
  MsEngineClass *klass = MS_ENGINE_GET_CLASS(self);

  return klass->context ? klass->context(self) : NULL;
}

/**
 * ms_engine_set_memory_budget: limits the machine's memory that the device's buffers take, where the engine supports
 * it.
 */
void
ms_engine_set_memory_budget(MsEngine *self, guint64 bytes)
{
  MsEngineClass *klass = MS_ENGINE_GET_CLASS(self);

  if (klass->set_memory_budget)
    klass->set_memory_budget(self, bytes);
}

/** ms_engine_save_learned: saves what was learned about the devices, for a process that does not close them. */
void
ms_engine_save_learned(MsEngine *self)
{
  MsEngineClass *klass = MS_ENGINE_GET_CLASS(self);

  if (klass->save_learned)
    klass->save_learned(self);
}

/** ms_engine_get_lanes: how many images may be on the device at once, one in this engine and one in each open lane. */
guint
ms_engine_get_lanes(MsEngine *self)
{
  MsEngineClass *klass = MS_ENGINE_GET_CLASS(self);

  return klass->get_lanes ? klass->get_lanes(self) : 1;
}

/**
 * ms_engine_open_lane: for engines with several lanes
 *
 * Returns: (transfer full): an engine on the same device for one more thread, or %NULL with #MS_ERROR_DEVICE
 */
MsEngine *
ms_engine_open_lane(MsEngine *self, GError **error)
{
  return MS_ENGINE_GET_CLASS(self)->open_lane(self, error);
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

/** ms_engine_set_progress: @progress is called with rows done and rows in all, from the thread that runs. */
void
ms_engine_set_progress(MsEngine *self, MsProgressFunc progress, gpointer data)
{
  MsEnginePrivate *private = ms_engine_get_instance_private(self);

  private->progress = progress;
  private->data = data;
}

/** ms_engine_report_progress: for implementations: an #MsProgressFunc whose data is the engine. */
void
ms_engine_report_progress(int done, int total, gpointer self)
{
  MsEnginePrivate *private = ms_engine_get_instance_private(self);

  if (private->progress)
  private->progress(done, total, private->data);
}

static void
note_damaged_winners(MsEngineNote note, gpointer note_data)
{
  g_auto(GStrv) paths = ms_winner_store_find_damaged(NULL);

  for (gsize i = 0; paths[i]; i++) {
    g_autofree char *path = ms_printable(paths[i], "");
    g_autofree char *sentence =
      g_strdup_printf(_("The result of tuning in '%s' is damaged and is ignored; repeat --tune."), path);
    note(sentence, note_data);
  }
}

/**
 * ms_engine_note_driver: reports changes to and problems of the cache of the OpenCL driver, and damaged results of
 * tuning.
 */
void
ms_engine_note_driver(MsEngineNote note, gpointer note_data)
{
  const char *sentence = ms_driver_cache_prepare();

  if (note && sentence)
    note(sentence, note_data);
  if (note)
    note_damaged_winners(note, note_data);
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
  return ms_device_engine_open(device_selector, fallback, note, note_data, error);
}
