/* SPDX-License-Identifier: MIT */
/*
 * MsEngine: filters images for the batch, the window and the library, on an OpenCL device, on several together, or by
 * the serial reference.
 */
#pragma once

#include "core/filter/mean-shift.h"

/** MS_ENGINE_REFERENCE: the device_selector for the serial reference. */
#define MS_ENGINE_REFERENCE "reference"

/**
 * MsFallback: what happens when the requested device does not exist or fails.
 * @MS_FALLBACK_DEFAULT: CPU for the device_selector `auto`, FAIL for any other
 */
typedef enum {
  MS_FALLBACK_DEFAULT,
  MS_FALLBACK_FAIL,
  MS_FALLBACK_CPU,
} MsFallback;

/** MsEngineInfo: the device as reports name it. */
typedef struct {
  const char *name;
  const char *platform;
  const char *driver;
  const char *type;
} MsEngineInfo;

/** MsEngineNote: receives a sentence for the user: on a rejected device, one that took over, or a driver's cache. */
typedef void (*MsEngineNote)(const char *sentence, gpointer data);

typedef struct _MsEngine MsEngine;

/**
 * MsEngineStandIn: what takes the place of the devices in tests; @data is that of ms_engine_new_stand_in().
 * @images: that may be in it at once; more than one need @new_sibling
 */
typedef struct {
  MsEngineInfo info;
  guint images;
  MsImage *(*run)(gpointer data, MsJob *job, GError **error);
  MsEngine *(*new_sibling)(gpointer data, GError **error);
} MsEngineStandIn;

MsEngine *ms_engine_new_stand_in(const MsEngineStandIn *stand_in, gpointer data, GDestroyNotify free_data);
MsEngine *ms_engine_ref(MsEngine *self);
void ms_engine_unref(MsEngine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsEngine, ms_engine_unref)

MsEngine *ms_engine_open(const char *device_selector, MsFallback fallback, MsEngineNote note, gpointer note_data,
                         GError **error);
MsContext *ms_engine_open_context(const char *device_selector, MsFallback fallback, MsEngineNote note,
                                  gpointer note_data, GError **error);

void ms_engine_note_driver(MsEngineNote note, gpointer note_data);
MsEngineInfo ms_engine_describe(MsEngine *self);
gboolean ms_engine_check(MsEngine *self, const MsSettings *settings, GError **error);
MsImage *ms_engine_run(MsEngine *self, MsJob *job, GError **error);
MsContext *ms_engine_get_context(MsEngine *self);
void ms_engine_set_memory_budget(MsEngine *self, guint64 bytes);
guint ms_engine_get_images_at_once(MsEngine *self);
MsEngine *ms_engine_new_sibling(MsEngine *self, GError **error);
gboolean ms_engine_is_device_fault(const GError *error);

MsEngine *ms_device_engine_new(MsContext *context, MsFallback fallback, MsEngineNote note, gpointer note_data);
MsEngine *ms_reference_engine_new(void);

GPtrArray *ms_engine_open_contexts(const char *list, MsEngineNote note, gpointer note_data, GError **error);
MsEngine *ms_engine_open_several(const char *list, MsDivision division, MsEngineNote note, gpointer note_data,
                                 GError **error);
