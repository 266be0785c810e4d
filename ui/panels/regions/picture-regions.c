/* SPDX-License-Identifier: MIT */
#include "ui/panels/regions/picture-regions.h"

#include "core/engine/filter-modes.h"
#include "ui/document/document-runs.h"

/*
 * The work of one request. @filtered and @modes depend on @source and @settings alone, so that a change of @min_pixels
 * filters nothing again.
 */
typedef struct {
  MsImage *source;
  MsSettings settings;
  guint min_pixels;
  MsImage *filtered; /* (nullable) */
  guint16 *modes;
  MsSegmentation *segmentation;
  MsSegmentTable *table;
} Work;

struct _MsPictureRegions {
  MsPictureResult parent_instance;
};

G_DEFINE_FINAL_TYPE(MsPictureRegions, ms_picture_regions, MS_TYPE_PICTURE_RESULT)

static void
clear_work(gpointer data)
{
  Work *work = data;

  g_clear_object(&work->source);
  g_clear_object(&work->filtered);
  g_clear_pointer(&work->modes, g_free);
  g_clear_pointer(&work->segmentation, ms_segmentation_free);
  g_clear_pointer(&work->table, ms_segment_table_free);
}

static void
release_work(gpointer work)
{
  g_atomic_rc_box_release_full(work, clear_work);
}

/* Runs on the engine's thread. */
static gpointer
find_regions(MsContext *context, GCancellable *cancellable, gpointer data, GError **error)
{
  Work *work = data;
  const MsRegionOptions options = {work->min_pixels, MS_REGION_RANGE_DEFAULT};

  if (!work->filtered) {
    MsModesRun run = {.cancellable = cancellable};
    work->filtered = ms_filter_modes_run(context, work->source, &work->settings, &run, error);
    work->modes = run.modes;
  }
  if (work->filtered)
    work->segmentation = ms_segmentation_new_on(context, work->filtered, work->modes, &work->settings.params, &options,
                                                cancellable, error);
  if (!work->segmentation)
    return NULL;
  work->table = ms_segment_table_new(work->segmentation, work->source);
  return work;
}

static void
ms_picture_regions_class_init(MsPictureRegionsClass *klass)
{
  MS_PICTURE_RESULT_CLASS(klass)->compute = find_regions;
  MS_PICTURE_RESULT_CLASS(klass)->release = release_work;
}

static void
ms_picture_regions_init(MsPictureRegions *self)
{
}

MsPictureRegions *
ms_picture_regions_new(void)
{
  return g_object_new(MS_TYPE_PICTURE_REGIONS, NULL);
}

static const Work *
get_known(MsPictureRegions *self)
{
  return ms_picture_result_get_known(MS_PICTURE_RESULT(self));
}

static gboolean
same_filter(const Work *a, const Work *b)
{
  return a->source == b->source && ms_settings_equal(&a->settings, &b->settings);
}

/* What the run that is shown was asked for, without the toggles: they change no pixel, and not all give modes. */
static gboolean
ask(MsDocument *document, guint min_pixels, Work *asked)
{
  MsRun *run = ms_document_get_shown_run(document);

  *asked =
    (Work){.source = ms_document_get_source(document), .settings = ms_settings_default(), .min_pixels = min_pixels};
  if (run)
    asked->settings.params = ms_run_get_requested(run)->params;
  return asked->source && run;
}

/** ms_picture_regions_update: finds the regions of the run shown unless they are known or are being found. */
void
ms_picture_regions_update(MsPictureRegions *self, MsDocument *document, guint min_pixels)
{
  const Work *latest = ms_picture_result_get_latest(MS_PICTURE_RESULT(self)), *known = get_known(self);
  Work asked;

  if (!ask(document, min_pixels, &asked) ||
      (latest && same_filter(latest, &asked) && latest->min_pixels == asked.min_pixels))
    return;
  Work *work = g_atomic_rc_box_dup(sizeof asked, &asked);
  g_object_ref(work->source);
  if (known && same_filter(known, &asked)) {
    work->filtered = g_object_ref(known->filtered);
    work->modes = g_memdup2(known->modes, ms_image_get_byte_size(known->filtered));
  }
  ms_picture_result_request(MS_PICTURE_RESULT(self), ms_document_get_engine(document), work);
}

/** ms_picture_regions_get_segmentation: (nullable): the regions found last */
const MsSegmentation *
ms_picture_regions_get_segmentation(MsPictureRegions *self)
{
  const Work *known = get_known(self);

  return known ? known->segmentation : NULL;
}

/** ms_picture_regions_get_table: (nullable): the table of these regions */
const MsSegmentTable *
ms_picture_regions_get_table(MsPictureRegions *self)
{
  const Work *known = get_known(self);

  return known ? known->table : NULL;
}

/* Colours of labels that follow each other lie far apart. */
static MsImage *
paint_labels(const MsSegmentation *segmentation)
{
  const gsize n = (gsize)segmentation->width * segmentation->height;
  guint8 *pixels = g_malloc(n * 4);

  for (gsize i = 0; i < n; i++) {
    const guint32 colour = segmentation->labels[i] * 2654435769u;
    pixels[4 * i] = (guint8)(colour >> 24);
    pixels[4 * i + 1] = (guint8)(colour >> 16);
    pixels[4 * i + 2] = (guint8)(colour >> 8);
    pixels[4 * i + 3] = 255;
  }
  return ms_image_new_take(segmentation->width, segmentation->height, pixels, NULL);
}

/** ms_picture_regions_paint: (transfer full) (nullable): %NULL where no regions are known. */
MsImage *
ms_picture_regions_paint(MsPictureRegions *self, MsRegionPicture picture)
{
  const Work *known = get_known(self);

  if (!known)
    return NULL;
  switch (picture) {
  case MS_REGION_PICTURE_OUTLINES:
    return ms_segmentation_outline(known->segmentation, known->source);
  case MS_REGION_PICTURE_LABELS:
    return paint_labels(known->segmentation);
  case MS_REGION_PICTURE_MEANS:
    return ms_segment_table_paint(known->table, known->segmentation, known->source);
  }
  g_assert_not_reached();
}
