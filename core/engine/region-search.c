/* SPDX-License-Identifier: MIT */
#include "core/engine/region-search.h"

static gboolean
filter_source(MsRegionSearch *self, GError **error)
{
  MsContext *context = ms_engine_get_context(self->engine);
  MsJob *job = self->job;

  job->wants_modes = TRUE;
  job->may_stay = !self->keeps_modes && !self->no_data && context && ms_segmentation_fits(context, job->source);
  self->filtered = ms_engine_run(self->engine, job, error);
  self->modes = g_steal_pointer(&job->modes);
  return self->filtered != NULL;
}

/* The result is of no use once the regions are known. */
static void
release_result(MsRegionSearch *self)
{
  ms_device_result_clear(&self->job->stayed);
  if (!self->keeps_filtered)
    g_clear_object(&self->filtered);
  if (!self->keeps_modes)
    g_clear_pointer(&self->modes, g_free);
}

static gboolean
find_segments(MsRegionSearch *self, GError **error)
{
  const MsJob *job = self->job;
  const MsFiltered filtered = {.image = self->filtered,
                               .modes = self->modes,
                               .params = &job->settings->params,
                               .on_device = job->stayed,
                               .absent = self->no_data ? self->no_data->absent : NULL};
  const MsDeviceRun run = {ms_engine_get_context(self->engine), NULL, job->cancellable};

  ms_memory_budget_return(self->options.budget, self->plan.finding);
  self->segmentation = ms_segmentation_new_on(run.context, &filtered, &self->options, job->cancellable, error);
  release_result(self);
  if (!self->segmentation || !ms_segmentation_check(self->segmentation, error))
    return FALSE;
  ms_memory_budget_return(self->options.budget, self->plan.writing);
  self->table = ms_segment_table_new_within(run.context ? &run : NULL, self->segmentation, job->source,
                                            self->options.budget, error);
  return self->table != NULL;
}

/**
 * ms_region_search_run: filters the source of the job, and finds its regions and their table.
 *
 * Returns: %FALSE with the errors of ms_engine_run(), ms_segmentation_new_on(), ms_segmentation_check() and
 *   ms_segment_table_new_within()
 */
gboolean
ms_region_search_run(MsRegionSearch *self, GError **error)
{
  MsImage *source = self->job->source;

  self->no_data = ms_no_data_find(source, (MsRows){0, ms_image_get_height(source)});
  return (self->filtered || filter_source(self, error)) && find_segments(self, error);
}

void
ms_region_search_clear(MsRegionSearch *self)
{
  g_clear_object(&self->filtered);
  g_clear_pointer(&self->modes, g_free);
  g_clear_pointer(&self->no_data, ms_no_data_free);
  g_clear_pointer(&self->segmentation, ms_segmentation_free);
  g_clear_pointer(&self->table, ms_segment_table_free);
}
