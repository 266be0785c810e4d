/* SPDX-License-Identifier: MIT */
#include "core/batch/engine.h"

#include <string.h>

#include "core/batch/device-engine.h"

typedef struct {
  MsProgressFunc progress;
  gpointer data;
} MsBatchEnginePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(MsBatchEngine, ms_batch_engine, G_TYPE_OBJECT)

static void
ms_batch_engine_class_init(MsBatchEngineClass *klass)
{
}

static void
ms_batch_engine_init(MsBatchEngine *self)
{
}

MsBatchEngineInfo
ms_batch_engine_describe(MsBatchEngine *self)
{
  return MS_BATCH_ENGINE_GET_CLASS(self)->describe(self);
}

/** ms_batch_engine_check: %FALSE with the plan's reason when no image could be filtered with @settings. */
gboolean
ms_batch_engine_check(MsBatchEngine *self, const MsSettings *settings, GError **error)
{
  MsBatchEngineClass *klass = MS_BATCH_ENGINE_GET_CLASS(self);

  return klass->check ? klass->check(self, settings, error) : ms_params_validate(&settings->params, error);
}

/**
 * ms_batch_engine_run:
 *
 * Returns: (transfer full): the filtered image, or %NULL with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
MsImage *
ms_batch_engine_run(MsBatchEngine *self, MsImage *source, const MsSettings *settings, MsBatchEngineRun *run,
                    GCancellable *cancellable, GError **error)
{
  return MS_BATCH_ENGINE_GET_CLASS(self)->run(self, source, settings, run, cancellable, error);
}

/** ms_batch_engine_get_context: (transfer none) (nullable): the OpenCL device, where there is one. */
MsContext *
ms_batch_engine_get_context(MsBatchEngine *self)
{
  MsBatchEngineClass *klass = MS_BATCH_ENGINE_GET_CLASS(self);

  return klass->context ? klass->context(self) : NULL;
}

/** ms_batch_engine_set_progress: @progress is called with rows done and rows in all, from the thread that runs. */
void
ms_batch_engine_set_progress(MsBatchEngine *self, MsProgressFunc progress, gpointer data)
{
  MsBatchEnginePrivate *private = ms_batch_engine_get_instance_private(self);

  private->progress = progress;
  private->data = data;
}

/** ms_batch_engine_report_progress: for implementations: an #MsProgressFunc whose data is the engine. */
void
ms_batch_engine_report_progress(int done, int total, gpointer self)
{
  MsBatchEnginePrivate *private = ms_batch_engine_get_instance_private(self);

  if (private->progress)
  private->progress(done, total, private->data);
}

#define MS_TYPE_REFERENCE_ENGINE (ms_reference_engine_get_type())
G_DECLARE_FINAL_TYPE(MsReferenceEngine, ms_reference_engine, MS, REFERENCE_ENGINE, MsBatchEngine)

struct _MsReferenceEngine {
  MsBatchEngine parent_instance;
};

G_DEFINE_FINAL_TYPE(MsReferenceEngine, ms_reference_engine, MS_TYPE_BATCH_ENGINE)

static MsBatchEngineInfo
reference_describe(MsBatchEngine *self)
{
  return (MsBatchEngineInfo){
    .name = MS_BATCH_ENGINE_REFERENCE, .platform = "host", .driver = "serial C", .type = "cpu"};
}

static MsImage *
reference_run(MsBatchEngine *self, MsImage *source, const MsSettings *settings, MsBatchEngineRun *run,
              GCancellable *cancellable, GError **error)
{
  gint64 start = g_get_monotonic_time();
  MsImage *result =
    ms_reference_run(source, &settings->params, NULL, ms_batch_engine_report_progress, self, cancellable, error);

  run->used = *settings;
  if (result)
    ms_timing_log_add_host(run->log, MS_STAGE_KERNEL, MS_BATCH_ENGINE_REFERENCE, 2 * ms_image_get_byte_size(source),
                           start);
  return result;
}

static void
ms_reference_engine_class_init(MsReferenceEngineClass *klass)
{
  MsBatchEngineClass *engine = MS_BATCH_ENGINE_CLASS(klass);

  engine->describe = reference_describe;
  engine->run = reference_run;
}

static void
ms_reference_engine_init(MsReferenceEngine *self)
{
}

/** ms_batch_engine_new_reference: (transfer full): the definition itself, in plain C on one thread; needs no OpenCL. */
MsBatchEngine *
ms_batch_engine_new_reference(void)
{
  return g_object_new(MS_TYPE_REFERENCE_ENGINE, NULL);
}

/**
 * ms_batch_engine_open:
 * @device_selector: `reference`, or as ms_device_choose() takes it
 * @note: (nullable): told about devices that were passed over, now and while running
 *
 * Returns: (transfer full): the engine, or %NULL with #MS_ERROR_NO_DEVICE
 */
MsBatchEngine *
ms_batch_engine_open(const char *device_selector, MsFallback fallback, MsBatchEngineNote note, gpointer note_data,
                     GError **error)
{
  if (strcmp(device_selector, MS_BATCH_ENGINE_REFERENCE) == 0)
    return ms_batch_engine_new_reference();
  return ms_device_engine_open(device_selector, fallback, note, note_data, error);
}
