/* SPDX-License-Identifier: MIT */
/*
 * MsBatchEngine: what filters the images of a batch: an OpenCL device, the serial reference, or whatever else can be
 * made one.
 */
#pragma once

#include "core/filter/mean-shift.h"

G_BEGIN_DECLS

/** MS_BATCH_ENGINE_REFERENCE: the device_selector for the serial reference. */
#define MS_BATCH_ENGINE_REFERENCE "reference"

/**
 * MsFallback: what happens when the requested device is not there or fails.
 * @MS_FALLBACK_DEFAULT: CPU for the device_selector `auto`, FAIL for any other
 */
typedef enum {
  MS_FALLBACK_DEFAULT,
  MS_FALLBACK_FAIL,
  MS_FALLBACK_CPU,
} MsFallback;

/** MsBatchEngineInfo: who does the work, as reports name it. */
typedef struct {
  const char *name;
  const char *platform;
  const char *driver;
  const char *type;
} MsBatchEngineInfo;

/**
 * MsBatchEngineRun: what one run says about itself.
 * @log: (transfer none): gets build, upload, kernel and download rows
 * @used: (out): the settings with every `auto` resolved
 * @rejected: (out) (nullable) (transfer full): why `auto` did not take faster kernels
 */
typedef struct {
  MsTimingLog *log;
  MsSettings used;
  char *rejected;
} MsBatchEngineRun;

/** MsBatchEngineNote: told a sentence that a person should know: a device passed over, a change to another one. */
typedef void (*MsBatchEngineNote)(const char *sentence, gpointer data);

#define MS_TYPE_BATCH_ENGINE (ms_batch_engine_get_type())
G_DECLARE_DERIVABLE_TYPE(MsBatchEngine, ms_batch_engine, MS, BATCH_ENGINE, GObject)

/**
 * MsBatchEngineClass:
 * @describe: who does the work
 * @check: (nullable): whether such settings can run here at all, before any image is read
 * @run: filters one image
 * @context: (nullable): the device for other work on the same images
 */
struct _MsBatchEngineClass {
  GObjectClass parent_class;
  MsBatchEngineInfo (*describe)(MsBatchEngine *self);
  gboolean (*check)(MsBatchEngine *self, const MsSettings *settings, GError **error);
  MsImage *(*run)(MsBatchEngine *self, MsImage *source, const MsSettings *settings, MsBatchEngineRun *run,
                  GCancellable *cancellable, GError **error);
  MsContext *(*context)(MsBatchEngine *self);
};

MsBatchEngine *ms_batch_engine_open(const char *device_selector, MsFallback fallback, MsBatchEngineNote note,
                                    gpointer note_data, GError **error);
MsBatchEngine *ms_batch_engine_new_reference(void);

MsBatchEngineInfo ms_batch_engine_describe(MsBatchEngine *self);
gboolean ms_batch_engine_check(MsBatchEngine *self, const MsSettings *settings, GError **error);
MsImage *ms_batch_engine_run(MsBatchEngine *self, MsImage *source, const MsSettings *settings, MsBatchEngineRun *run,
                             GCancellable *cancellable, GError **error);
MsContext *ms_batch_engine_get_context(MsBatchEngine *self);
void ms_batch_engine_set_progress(MsBatchEngine *self, MsProgressFunc progress, gpointer data);
void ms_batch_engine_report_progress(int done, int total, gpointer self);

G_END_DECLS
