/* SPDX-License-Identifier: MIT */
#include "mslab-regions.h"

#include <string.h>

#include "api-private.h"
#include "core/engine/engine.h"
#include "core/regions/segment-table.h"

/**
 * MslabRegions:
 *
 * The regions of an image, as mslab_engine_find_regions() finds them: labels from 1 in the order of the regions' first
 * pixels, 0 for pixels without data, and the numbers of each region. They are immutable, so threads may share them.
 */
struct _MslabRegions {
  GObject parent_instance;
  MsImage *original;
  MsSegmentation *segmentation;
  MsSegmentTable *table;
};

G_DEFINE_FINAL_TYPE(MslabRegions, mslab_regions, G_TYPE_OBJECT)

static void
mslab_regions_finalize(GObject *object)
{
  MslabRegions *self = MSLAB_REGIONS(object);

  g_clear_object(&self->original);
  g_clear_pointer(&self->segmentation, ms_segmentation_free);
  g_clear_pointer(&self->table, ms_segment_table_free);
  G_OBJECT_CLASS(mslab_regions_parent_class)->finalize(object);
}

static void
mslab_regions_class_init(MslabRegionsClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = mslab_regions_finalize;
}

static void
mslab_regions_init(MslabRegions *self)
{
}

/* ms_api_regions_new: (transfer full): computed by @engine, which may fall back to a processor. */
MslabRegions *
ms_api_regions_new(MsEngine *engine, MsJob *job, guint min_pixels, GError **error)
{
  g_autoptr(MslabRegions) self = g_object_new(MSLAB_TYPE_REGIONS, NULL);
  const MsRegionOptions options = {min_pixels, MS_REGION_RANGE_DEFAULT, NULL};
  g_autoptr(MsNoData) no_data = ms_no_data_find(job->source, (MsRows){0, ms_image_get_height(job->source)});

  job->wants_modes = TRUE;
  job->may_stay =
    !no_data && ms_engine_get_context(engine) && ms_segmentation_fits(ms_engine_get_context(engine), job->source);
  g_autoptr(MsImage) filtered = ms_engine_run(engine, job, error);
  const MsDeviceRun run = {ms_engine_get_context(engine), NULL, job->cancellable};
  const MsFiltered found = {.image = filtered,
                            .modes = job->modes,
                            .params = &job->settings->params,
                            .on_device = job->stayed,
                            .absent = no_data ? no_data->absent : NULL};

  if (filtered)
    self->segmentation = ms_segmentation_new_on(run.context, &found, &options, run.cancellable, error);
  ms_job_clear(job);
  if (self->segmentation && ms_segmentation_check(self->segmentation, error))
    self->table = ms_segment_table_new_on(run.context ? &run : NULL, self->segmentation, job->source, error);
  if (!self->table)
    return NULL;
  ms_segment_table_set_space(self->table, job->settings->params.space, job->source);
  if (no_data)
    ms_left_out_drop(no_data, self->segmentation, self->table);
  self->original = g_object_ref(job->source);
  return g_steal_pointer(&self);
}

/**
 * mslab_regions_get_count:
 * @self: regions
 *
 * Gets the number of regions.
 *
 * Returns: the number, which is also the greatest label
 */
guint
mslab_regions_get_count(MslabRegions *self)
{
  g_return_val_if_fail(MSLAB_IS_REGIONS(self), 0);
  return self->table->n;
}

/**
 * mslab_regions_get_labels:
 * @self: regions
 *
 * Gets the label of each pixel, row by row: integers of 32 bits without sign, in the byte order of the machine. Nothing
 * is copied.
 *
 * Returns: (transfer full): 4 * width * height bytes
 */
GBytes *
mslab_regions_get_labels(MslabRegions *self)
{
  g_return_val_if_fail(MSLAB_IS_REGIONS(self), NULL);

  const MsSegmentation *s = self->segmentation;
  gsize size = (gsize)s->width * s->height * sizeof *s->labels;
  return g_bytes_new_with_free_func(s->labels, size, g_object_unref, g_object_ref(self));
}

static const MsSegment *
find(MslabRegions *self, guint label)
{
  return &self->table->segments[label - 1];
}

/**
 * mslab_regions_get_region:
 * @self: regions
 * @label: a label, from 1 to the number of regions
 * @region: (out caller-allocates): receives the numbers
 *
 * Gets the numbers of one region.
 */
void
mslab_regions_get_region(MslabRegions *self, guint label, MslabRegion *region)
{
  g_return_if_fail(MSLAB_IS_REGIONS(self) && label >= 1 && label <= self->table->n);

  const MsSegment *s = find(self, label);
  *region = (MslabRegion){.pixels = s->pixels,
                          .left = s->left,
                          .top = s->top,
                          .right = s->right,
                          .bottom = s->bottom,
                          .x = s->x,
                          .y = s->y,
                          .perimeter = s->perimeter};
  memcpy(region->mean, s->mean, sizeof region->mean);
  memcpy(region->deviation, s->deviation, sizeof region->deviation);
}

/**
 * mslab_regions_get_neighbours:
 * @self: regions
 * @label: a label, from 1 to the number of regions
 * @n_neighbours: (out): receives the number of neighbours
 *
 * Gets the labels of the regions that touch one region, also at corners of pixels, in ascending order.
 *
 * Returns: (transfer none) (array length=n_neighbours): the labels
 */
const guint32 *
mslab_regions_get_neighbours(MslabRegions *self, guint label, gsize *n_neighbours)
{
  g_return_val_if_fail(MSLAB_IS_REGIONS(self) && label >= 1 && label <= self->table->n, NULL);

  const MsSegment *s = find(self, label);
  *n_neighbours = s->n_neighbours;
  return s->neighbours;
}

/**
 * mslab_regions_get_means:
 * @self: regions
 *
 * Makes the image in which each pixel has the mean colour of its region, with the alpha of the image.
 *
 * Returns: (transfer full): the image
 */
MslabImage *
mslab_regions_get_means(MslabRegions *self)
{
  g_return_val_if_fail(MSLAB_IS_REGIONS(self), NULL);
  g_autoptr(MsImage) image = ms_segment_table_paint(self->table, self->segmentation, self->original);

  return ms_api_image_new(image);
}

/**
 * mslab_regions_get_outlines:
 * @self: regions
 *
 * Makes the image with the outlines of its regions in red.
 *
 * Returns: (transfer full): the image
 */
MslabImage *
mslab_regions_get_outlines(MslabRegions *self)
{
  g_return_val_if_fail(MSLAB_IS_REGIONS(self), NULL);
  g_autoptr(MsImage) image = ms_segmentation_outline(self->segmentation, self->original);

  return ms_api_image_new(image);
}

/**
 * mslab_regions_to_csv:
 * @self: regions
 *
 * Writes the table of the regions as CSV, as the program's `--regions --csv` does.
 *
 * Returns: (transfer full): a heading and a line for each region
 */
char *
mslab_regions_to_csv(MslabRegions *self)
{
  g_return_val_if_fail(MSLAB_IS_REGIONS(self), NULL);
  return ms_segment_table_to_csv(self->table);
}

/**
 * mslab_regions_to_json:
 * @self: regions
 *
 * Writes the table of the regions as JSON, as the program's `--regions --json` does.
 *
 * Returns: (transfer full): an object whose member `regions` has an object for each region, and whose member `profile`
 *   names the colour profile by which their colours were converted, null for the colours of the picture
 */
char *
mslab_regions_to_json(MslabRegions *self)
{
  g_return_val_if_fail(MSLAB_IS_REGIONS(self), NULL);
  return ms_segment_table_to_json(self->table);
}
