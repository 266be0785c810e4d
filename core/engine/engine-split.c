/* SPDX-License-Identifier: MIT */
/* An engine that shares each image among several OpenCL devices. */
#include "core/engine/engine.h"
#include "core/engine/tuned.h"
#include "core/filter/pyramid/pyramid.h"
#include "core/filter/split/split.h"
#include "core/opencl/device-choice.h"

typedef struct {
  MsEngine base;
  MsSplit *split;
  char *name;
  char *platform;
  char *driver;
} MsSplitEngine;

static void
clear(MsEngine *engine)
{
  MsSplitEngine *self = (MsSplitEngine *)engine;

  ms_split_free(self->split);
  g_free(self->name);
  g_free(self->platform);
  g_free(self->driver);
}

static MsEngineInfo
describe(MsEngine *engine)
{
  MsSplitEngine *self = (MsSplitEngine *)engine;

  return (MsEngineInfo){.name = self->name, .platform = self->platform, .driver = self->driver, .type = "several"};
}

/* The settings must be valid on every device, because each one computes a part of every image. */
static gboolean
check(MsEngine *engine, const MsSettings *settings, GError **error)
{
  MsSplit *split = ((MsSplitEngine *)engine)->split;

  for (guint i = 0; i < ms_split_get_n_devices(split); i++)
    if (!ms_device_settings_check(ms_split_get_context(split, i), settings, error))
      return FALSE;
  return TRUE;
}

static MsContext *
get_context(MsEngine *engine)
{
  return ms_split_get_context(((MsSplitEngine *)engine)->split, 0);
}

/*
 * Each device uses its own fastest kernels, since all kernels compute the same picture. Those of a tuned device may not
 * write modes.
 */
static void
tune(MsSplitEngine *self, const MsJob *job, MsSettings *tuned)
{
  for (guint i = 0; i < ms_split_get_n_devices(self->split); i++)
    tuned[i] = job->wants_modes ? *job->settings
                                : ms_tuned_settings(job->settings, ms_split_get_context(self->split, i)->device,
                                                    ms_image_get_width(job->source), ms_image_get_height(job->source));
}

static MsImage *
run_whole(MsSplitEngine *self, MsJob *job, GError **error)
{
  MsSettings tuned[MS_SHARES_MAX];

  tune(self, job, tuned);
  return ms_split_run_each(self->split, job, tuned, error);
}

/* Filters the rows of a region with those that can influence them as an image, and keeps the rows of the region. */
static MsImage *
run(MsEngine *engine, MsJob *job, GError **error)
{
  MsSplitEngine *self = (MsSplitEngine *)engine;
  const MsRegion *region = job->region;
  MsImage *source = job->source;
  const int height = ms_image_get_height(source);

  g_return_val_if_fail(!job->rows, NULL);
  if (!region)
    return run_whole(self, job, error);
  g_return_val_if_fail(region->width == ms_image_get_width(source) && !job->wants_modes, NULL);
  g_return_val_if_fail(job->settings->params.levels == 0 && !job->coarser, NULL);
  const MsRows held =
    ms_bands_with_halo((MsRows){region->y, region->height}, ms_params_halo(&job->settings->params, height), height);
  g_autoptr(MsImage) rows = ms_image_new_rows(source, held.first, held.count);
  job->source = rows;
  job->region = NULL;
  g_autoptr(MsImage) result = run_whole(self, job, error);
  job->source = source;
  job->region = region;
  return result ? ms_image_new_rows(result, region->y - held.first, region->height) : NULL;
}

static void
set_memory_budget(MsEngine *engine, guint64 bytes)
{
  ms_split_set_memory_budget(((MsSplitEngine *)engine)->split, bytes);
}

static void
save_learned(MsEngine *engine)
{
  ms_split_save_speeds(((MsSplitEngine *)engine)->split);
}

static const MsEngineKind split_kind = {.describe = describe,
                                        .check = check,
                                        .run = run,
                                        .context = get_context,
                                        .set_memory_budget = set_memory_budget,
                                        .save_learned = save_learned,
                                        .clear = clear};

static MsDevice *
device_of(GPtrArray *contexts, guint index)
{
  return ((MsContext *)g_ptr_array_index(contexts, index))->device;
}

static gboolean
is_new_device(GPtrArray *contexts, MsContext *context)
{
  for (guint i = 0; i < contexts->len; i++)
    if (device_of(contexts, i)->id == context->device->id)
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
 * ms_split_engine_open_contexts:
 * @list: selectors for ms_device_choose(), separated by commas
 *
 * Returns: (transfer full) (element-type MsContext): the devices, each once, or %NULL with #MS_ERROR_USAGE or
 *   #MS_ERROR_NO_DEVICE
 */
GPtrArray *
ms_split_engine_open_contexts(const char *list, MsEngineNote note, gpointer note_data, GError **error)
{
  g_autoptr(GPtrArray) contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);
  g_auto(GStrv) selectors = g_strsplit(list, ",", -1);
  g_autoptr(GPtrArray) devices = NULL;

  if (g_strv_length(selectors) > MS_SHARES_MAX || g_strv_contains((const char *const *)selectors, "") ||
      g_strv_contains((const char *const *)selectors, MS_ENGINE_REFERENCE)) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "--devices cannot be '%s'; it takes up to %d devices with commas between, as in 0:0,1:0.", list,
                 MS_SHARES_MAX);
    return NULL;
  }
  devices = ms_device_enumerate(error);
  ms_engine_note_driver(note, note_data);
  for (gsize i = 0; devices && selectors[i]; i++) {
    g_auto(GStrv) rejected = NULL;
    if (!add_context(contexts, devices, selectors[i], &rejected, error))
      return NULL;
    ms_engine_note_all(rejected, note, note_data);
  }
  return devices ? g_steal_pointer(&contexts) : NULL;
}

/* @member: the offset of a text in #MsDevice */
static char *
join(GPtrArray *contexts, glong member)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < contexts->len; i++)
    g_string_append_printf(text, "%s%s", i > 0 ? " + " : "", G_STRUCT_MEMBER(char *, device_of(contexts, i), member));
  return g_string_free(text, FALSE);
}

/** ms_split_engine_open: (transfer full): an engine over the devices of @list; see ms_split_engine_open_contexts(). */
MsEngine *
ms_split_engine_open(const char *list, MsSplitMode mode, MsEngineNote note, gpointer note_data, GError **error)
{
  g_autoptr(GPtrArray) contexts = ms_split_engine_open_contexts(list, note, note_data, error);
  MsSplitEngine *self;

  if (!contexts)
    return NULL;
  self = ms_engine_new(&split_kind, sizeof *self);
  self->split = ms_split_new(contexts, mode);
  ms_split_set_compares(self->split, TRUE);
  self->name = join(contexts, G_STRUCT_OFFSET(MsDevice, name));
  self->platform = join(contexts, G_STRUCT_OFFSET(MsDevice, platform));
  self->driver = join(contexts, G_STRUCT_OFFSET(MsDevice, driver));
  return &self->base;
}
