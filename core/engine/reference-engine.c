/* SPDX-License-Identifier: MIT */
#include "core/engine/reference-engine.h"

#include <string.h>

#include "core/engine/filter-modes.h"

/* Rows of a strip when finished rows are reported: few, since one row may take a second. */
#define STRIP_ROWS 16

struct _MsReferenceEngine {
  MsEngine parent_instance;
};

G_DEFINE_FINAL_TYPE(MsReferenceEngine, ms_reference_engine, MS_TYPE_ENGINE)

static MsEngineInfo
describe(MsEngine *self)
{
  return (MsEngineInfo){.name = MS_ENGINE_REFERENCE, .platform = "host", .driver = "serial C", .type = "cpu"};
}

static gboolean
run_strip(MsImage *source, const MsParams *params, const MsReferenceRun *strip, guint8 *into, GError **error)
{
  g_autoptr(MsImage) image = ms_reference_run(source, params, strip, error);

  if (!image)
    return FALSE;
  memcpy(into, ms_image_get_pixels(image), ms_image_get_byte_size(image));
  return TRUE;
}

static MsImage *
run_strips(MsEngine *self, MsImage *source, const MsParams *params, MsEngineRun *run, GError **error)
{
  const MsRegion region = run->region ? *run->region : ms_image_get_extent(source);
  gsize stride = (gsize)region.width * 4;
  g_autofree guint8 *pixels = g_try_malloc(stride * region.height);

  if (!pixels) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a result of %dx%d pixels.", region.width,
                 region.height);
    return NULL;
  }
  for (int y = 0; y < region.height; y += STRIP_ROWS) {
    const MsRegion strip = {region.x, region.y + y, region.width, MIN(STRIP_ROWS, region.height - y)};
    const MsReferenceRun rows = {.region = &strip, .cancellable = run->cancellable};
    if (!run_strip(source, params, &rows, pixels + y * stride, error))
      return NULL;
    run->rows(pixels, y + strip.height, run->rows_data);
    ms_engine_report_progress(y + strip.height, region.height, self);
  }
  return ms_image_new_take(region.width, region.height, g_steal_pointer(&pixels), ms_image_get_metadata(source));
}

static MsImage *
run_with_modes(MsEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  MsModesRun modes = {.progress = ms_engine_report_progress, .progress_data = self, .cancellable = run->cancellable};
  MsImage *result = ms_filter_modes_run_on(NULL, source, settings, &modes, error);

  run->modes = modes.modes;
  return result;
}

static MsImage *
compute(MsEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  const MsReferenceRun reference = {.region = run->region,
                                    .coarser = run->coarser,
                                    .progress = ms_engine_report_progress,
                                    .progress_data = self,
                                    .cancellable = run->cancellable};

  if (run->want_modes)
    return run_with_modes(self, source, settings, run, error);
  /* With levels, each strip would compute the levels of the whole picture again. */
  if (run->rows && settings->params.levels == 0)
    return run_strips(self, source, &settings->params, run, error);
  MsImage *result = ms_reference_run(source, &settings->params, &reference, error);
  if (result && run->rows)
    run->rows(ms_image_get_pixels(result), ms_image_get_height(result), run->rows_data);
  return result;
}

static MsImage *
run(MsEngine *self, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  gint64 start = g_get_monotonic_time();
  MsImage *result = compute(self, source, settings, run, error);

  run->used = *settings;
  if (result && run->log) {
    ms_timing_log_add_host(run->log, MS_STAGE_KERNEL, MS_ENGINE_REFERENCE, 2 * ms_image_get_byte_size(result), start);
    ms_timing_log_add_filter_span(run->log, start);
  }
  return result;
}

static void
ms_reference_engine_class_init(MsReferenceEngineClass *klass)
{
  MsEngineClass *engine = MS_ENGINE_CLASS(klass);

  engine->describe = describe;
  engine->run = run;
}

static void
ms_reference_engine_init(MsReferenceEngine *self)
{
}

/** ms_reference_engine_new: (transfer full): an engine that runs the serial reference. */
MsEngine *
ms_reference_engine_new(void)
{
  return g_object_new(MS_TYPE_REFERENCE_ENGINE, NULL);
}
