/* SPDX-License-Identifier: MIT */
#include "ui/panels/regions/picture-regions.h"

#include "core/engine/filter-modes.h"
#include "ui/document/document-runs.h"

/*
 * What was asked for, and the results so far. @filtered and @modes depend on @source and @settings alone, so that a
 * change of @min_pixels filters nothing again.
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
  GObject parent_instance;
  Work known;
  Work wanted;               /* of the running request; only what was asked for */
  GCancellable *cancellable; /* (nullable): of the running request */
  char *problem;
};

G_DEFINE_FINAL_TYPE(MsPictureRegions, ms_picture_regions, G_TYPE_OBJECT)

static guint changed_signal;

static void
clear_work(Work *work)
{
  g_clear_object(&work->source);
  g_clear_object(&work->filtered);
  g_clear_pointer(&work->modes, g_free);
  g_clear_pointer(&work->segmentation, ms_segmentation_free);
  g_clear_pointer(&work->table, ms_segment_table_free);
}

static void
free_work(gpointer data)
{
  clear_work(data);
  g_free(data);
}

static void
forget_request(MsPictureRegions *self)
{
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  clear_work(&self->wanted);
}

static void
ms_picture_regions_dispose(GObject *object)
{
  MsPictureRegions *self = MS_PICTURE_REGIONS(object);

  forget_request(self);
  clear_work(&self->known);
  g_clear_pointer(&self->problem, g_free);
  G_OBJECT_CLASS(ms_picture_regions_parent_class)->dispose(object);
}

static void
ms_picture_regions_class_init(MsPictureRegionsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_picture_regions_dispose;
  changed_signal =
    g_signal_new("changed", MS_TYPE_PICTURE_REGIONS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
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

static gboolean
same_filter(const Work *a, const Work *b)
{
  return a->source == b->source && ms_settings_equal(&a->settings, &b->settings);
}

/* Runs on the engine's thread. */
static gpointer
find_regions(MsContext *context, GCancellable *cancellable, gpointer data, GError **error)
{
  Work *asked = data, *work = g_new(Work, 1);
  const MsRegionOptions options = {asked->min_pixels, MS_REGION_RANGE_DEFAULT};

  *work = *asked;
  *asked = (Work){NULL};
  if (!work->filtered)
    work->filtered = ms_filter_modes_run(context, work->source, &work->settings, &work->modes, cancellable, error);
  if (work->filtered)
    work->segmentation = ms_segmentation_new_on(context, work->filtered, work->modes, &work->settings.params, &options,
                                                cancellable, error);
  if (work->segmentation) {
    work->table = ms_segment_table_new(work->segmentation, work->source);
    return work;
  }
  free_work(work);
  return NULL;
}

/* After a failure the request stays known, so that it is not repeated. */
static void
take_result(MsPictureRegions *self, Work *work, const GError *error)
{
  clear_work(&self->known);
  g_clear_pointer(&self->problem, g_free);
  if (work) {
    self->known = *work;
    g_free(work);
  } else {
    self->known = self->wanted;
    self->wanted = (Work){NULL};
    self->problem = g_strdup(error->message);
  }
  forget_request(self);
  g_signal_emit(self, changed_signal, 0);
}

static void
on_found(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsPictureRegions) self = data;
  g_autoptr(GError) error = NULL;
  Work *work = ms_window_engine_call_finish(MS_WINDOW_ENGINE(source), result, &error);
  const gboolean current = self->cancellable && g_task_get_cancellable(G_TASK(result)) == self->cancellable;

  if (current && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    take_result(self, work, error);
  else if (work)
    free_work(work);
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
  const Work *latest = self->cancellable ? &self->wanted : &self->known;
  Work asked;

  if (!ask(document, min_pixels, &asked) || (same_filter(latest, &asked) && latest->min_pixels == asked.min_pixels))
    return;
  forget_request(self);
  self->cancellable = g_cancellable_new();
  self->wanted = asked;
  g_object_ref(self->wanted.source);

  Work *work = g_memdup2(&asked, sizeof asked);
  g_object_ref(work->source);
  if (same_filter(&self->known, &asked) && self->known.filtered) {
    work->filtered = g_object_ref(self->known.filtered);
    work->modes = g_memdup2(self->known.modes, ms_image_get_byte_size(work->filtered));
  }
  ms_window_engine_call_async(ms_document_get_engine(document), find_regions, work, free_work, free_work,
                              self->cancellable, on_found, g_object_ref(self));
}

/** ms_picture_regions_get_segmentation: (nullable): the regions found last */
const MsSegmentation *
ms_picture_regions_get_segmentation(MsPictureRegions *self)
{
  return self->known.segmentation;
}

/** ms_picture_regions_get_table: (nullable): the table of these regions */
const MsSegmentTable *
ms_picture_regions_get_table(MsPictureRegions *self)
{
  return self->known.table;
}

/** ms_picture_regions_get_problem: (nullable): the reason why there are no regions */
const char *
ms_picture_regions_get_problem(MsPictureRegions *self)
{
  return self->problem;
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
  const Work *known = &self->known;

  if (!known->segmentation)
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
