/* SPDX-License-Identifier: MIT */
#include "ui/document/picture-regions.h"

#include "core/image/common/losses.h"
#include "core/image/image-save.h"
#include "core/regions/array-file.h"
#include "core/service/protocol.h"
#include "ui/document/document.h"

#define MIN_PIXELS_DEFAULT 50

/* A request is cancelled at this age when another one or a run of the filter waits. */
#define FINISH_MS 250

/* The work of one request. */
typedef struct {
  MsImage *source;
  MsSettings settings;
  guint min_pixels;
  double range;
  MsSegmentation *segmentation;
  MsSegmentTable *table;
} Work;

struct _MsPictureRegions {
  MsPictureResult parent_instance;
  guint min_pixels;
  double range; /* of closeness, in colour radii */
  guint32 selected;
  int x; /* the pixel whose region is selected, -1 for none */
  int y;
  MsWindowEngine *engine; /* (nullable): of the last request */
  Work *next;             /* (nullable): requested when the running request ends */
  gint64 began_us;        /* of the running request */
  guint timer;            /* cancels the running request */
};

G_DEFINE_FINAL_TYPE(MsPictureRegions, ms_picture_regions, MS_TYPE_PICTURE_RESULT)

enum {
  PROP_0,
  PROP_MIN_PIXELS,
  PROP_RANGE,
  PROP_SELECTED,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

/* The work */

static void
clear_work(gpointer data)
{
  Work *work = data;

  g_clear_object(&work->source);
  g_clear_pointer(&work->segmentation, ms_segmentation_free);
  g_clear_pointer(&work->table, ms_segment_table_free);
}

static void
release_work(gpointer work)
{
  g_atomic_rc_box_release_full(work, clear_work);
}

static MsWindowRequest *
describe(gconstpointer data)
{
  const Work *work = data;
  MsWindowRequest *request = ms_window_request_new(
    MS_REQUEST_REGIONS, g_variant_new("(@" MS_PICTURE_TYPE "(ud)@as)", ms_service_picture(work->source),
                                      work->min_pixels, work->range, ms_settings_to_variant(&work->settings)));

  ms_window_request_add_image(request, work->source);
  return request;
}

static gboolean
take(gpointer data, const MsAnswer *answer)
{
  Work *work = data;

  return ms_regions_answer_read(answer->content, answer->fd, work->source, &work->segmentation, &work->table);
}

static const Work *
get_known(MsPictureRegions *self)
{
  return ms_picture_result_get_known(MS_PICTURE_RESULT(self));
}

static gboolean
same_work(const Work *a, const Work *b)
{
  return a && a->source == b->source && ms_settings_equal(&a->settings, &b->settings) &&
         a->min_pixels == b->min_pixels && a->range == b->range;
}

/* Requests */

static void
begin_next(MsPictureRegions *self)
{
  self->began_us = g_get_monotonic_time();
  ms_picture_result_request(MS_PICTURE_RESULT(self), self->engine, g_steal_pointer(&self->next));
}

static gboolean
on_end_late(gpointer data)
{
  MsPictureRegions *self = data;

  self->timer = 0;
  ms_picture_result_cancel(MS_PICTURE_RESULT(self));
  if (self->next)
    begin_next(self);
  return G_SOURCE_REMOVE;
}

/* While a slider moves, a short request is completed, so that regions are shown; a long one is cancelled. */
static void
end_soon(MsPictureRegions *self)
{
  const gint64 age_ms = (g_get_monotonic_time() - self->began_us) / 1000;

  if (ms_picture_result_is_busy(MS_PICTURE_RESULT(self)) && self->timer == 0)
    self->timer = g_timeout_add((guint)CLAMP(FINISH_MS - age_ms, 0, FINISH_MS), on_end_late, self);
}

/*
 * The request for the shown run's settings, with default toggles: they change no pixel, and some kernels give no modes.
 */
static gboolean
describe_request(MsPictureRegions *self, MsDocument *document, Work *request)
{
  MsRun *run = ms_document_get_shown_run(document);

  *request = (Work){.source = ms_document_get_source(document),
                    .settings = ms_settings_default(),
                    .min_pixels = self->min_pixels,
                    .range = self->range};
  if (run)
    request->settings.params = ms_run_get_requested(run)->params;
  return request->source && run;
}

/** ms_picture_regions_update: finds the regions of the run shown unless they are known or are being found. */
void
ms_picture_regions_update(MsPictureRegions *self, MsDocument *document)
{
  const Work *latest = self->next ? self->next : (const Work *)ms_picture_result_get_latest(MS_PICTURE_RESULT(self));
  Work request;

  if (!describe_request(self, document, &request) || same_work(latest, &request))
    return;
  g_set_object(&self->engine, ms_document_get_engine(document));
  g_clear_pointer(&self->next, release_work);
  self->next = g_atomic_rc_box_dup(sizeof request, &request);
  g_object_ref(self->next->source);
  if (ms_picture_result_is_busy(MS_PICTURE_RESULT(self)))
    end_soon(self);
  else
    begin_next(self);
}

/* The selection */

/* Selects the region at the selected pixel again when other regions were found. */
static void
find_selected(MsPictureRegions *self)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(self);
  const gboolean inside = s && self->x >= 0 && self->y >= 0 && self->x < s->width && self->y < s->height;
  const guint32 label = inside ? s->labels[(gsize)self->y * s->width + self->x] : 0;

  if (label == self->selected)
    return;
  self->selected = label;
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_SELECTED]);
}

/** ms_picture_regions_select_pixel: selects the region of a pixel, also of regions that are found later. */
void
ms_picture_regions_select_pixel(MsPictureRegions *self, int x, int y)
{
  self->x = x;
  self->y = y;
  find_selected(self);
}

/** ms_picture_regions_select: selects the region of this label at its first pixel; 0 for none. */
void
ms_picture_regions_select(MsPictureRegions *self, guint32 label)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(self);
  const MsSegmentTable *table = ms_picture_regions_get_table(self);
  const MsSegment *segment = table && label > 0 && label <= table->n ? &table->segments[label - 1] : NULL;
  int x = segment ? segment->left : -1;

  if (label == self->selected)
    return;
  while (segment && x < segment->right && s->labels[(gsize)segment->top * s->width + x] != label)
    x++;
  ms_picture_regions_select_pixel(self, x, segment ? segment->top : -1);
}

/** ms_picture_regions_get_selected: the label of the selected region, 0 for none */
guint32
ms_picture_regions_get_selected(MsPictureRegions *self)
{
  return self->selected;
}

static void
on_result_changed(MsPictureRegions *self)
{
  g_clear_handle_id(&self->timer, g_source_remove);
  if (self->next && same_work(get_known(self), self->next))
    g_clear_pointer(&self->next, release_work);
  else if (self->next)
    begin_next(self);
  find_selected(self);
}

/* The object */

static void
ms_picture_regions_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  MsPictureRegions *self = MS_PICTURE_REGIONS(object);

  if (id == PROP_RANGE)
    g_value_set_double(value, self->range);
  else
    g_value_set_uint(value, id == PROP_MIN_PIXELS ? self->min_pixels : self->selected);
}

static void
ms_picture_regions_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MsPictureRegions *self = MS_PICTURE_REGIONS(object);

  if (id == PROP_RANGE ? self->range == g_value_get_double(value) : self->min_pixels == g_value_get_uint(value))
    return;
  if (id == PROP_RANGE)
    self->range = g_value_get_double(value);
  else
    self->min_pixels = g_value_get_uint(value);
  g_object_notify_by_pspec(object, pspec);
}

static void
ms_picture_regions_dispose(GObject *object)
{
  MsPictureRegions *self = MS_PICTURE_REGIONS(object);

  g_clear_handle_id(&self->timer, g_source_remove);
  g_clear_pointer(&self->next, release_work);
  g_clear_object(&self->engine);
  G_OBJECT_CLASS(ms_picture_regions_parent_class)->dispose(object);
}

static void
ms_picture_regions_class_init(MsPictureRegionsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  MS_PICTURE_RESULT_CLASS(klass)->describe = describe;
  MS_PICTURE_RESULT_CLASS(klass)->take = take;
  MS_PICTURE_RESULT_CLASS(klass)->release = release_work;
  object_class->get_property = ms_picture_regions_get_property;
  object_class->set_property = ms_picture_regions_set_property;
  object_class->dispose = ms_picture_regions_dispose;
  properties[PROP_MIN_PIXELS] = g_param_spec_uint("min-pixels", NULL, NULL, 0, G_MAXINT, MIN_PIXELS_DEFAULT,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_RANGE] = g_param_spec_double("range", NULL, NULL, 0, 2, MS_REGION_RANGE_DEFAULT,
                                               G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_SELECTED] =
    g_param_spec_uint("selected", NULL, NULL, 0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
}

static void
ms_picture_regions_init(MsPictureRegions *self)
{
  self->min_pixels = MIN_PIXELS_DEFAULT;
  self->range = MS_REGION_RANGE_DEFAULT;
  self->x = self->y = -1;
  g_signal_connect(self, "changed", G_CALLBACK(on_result_changed), NULL);
}

/* A run of the filter has to wait for the request for regions, so that is shortened. */
static void
on_busy(MsPictureRegions *self, GParamSpec *pspec, MsDocument *document)
{
  if (ms_document_is_busy(document))
    end_soon(self);
}

/** ms_picture_regions_of: (transfer none): the regions of @document, shared by its view and its panel. */
MsPictureRegions *
ms_picture_regions_of(MsDocument *document)
{
  static const char key[] = "ms-picture-regions";
  MsPictureRegions *self = g_object_get_data(G_OBJECT(document), key);

  if (self)
    return self;
  self = g_object_new(MS_TYPE_PICTURE_REGIONS, NULL);
  g_object_set_data_full(G_OBJECT(document), key, self, g_object_unref);
  g_signal_connect_object(document, "notify::busy", G_CALLBACK(on_busy), self, G_CONNECT_SWAPPED);
  return self;
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

/* Painting */

static void
paint_in_thread(GTask *task, gpointer source, gpointer work, GCancellable *cancellable)
{
  const int picture = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(task), "ms-picture"));
  const Work *w = work;

  g_task_return_pointer(task, ms_region_picture_paint((MsRegionPicture)picture, w->segmentation, w->table, w->source),
                        g_object_unref);
}

/** ms_picture_regions_paint_async: paints the known regions; requires that some are known. */
void
ms_picture_regions_paint_async(MsPictureRegions *self, MsRegionPicture picture, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, data);

  g_task_set_source_tag(task, ms_picture_regions_paint_async);
  g_task_set_task_data(task, g_atomic_rc_box_acquire((gpointer)get_known(self)), release_work);
  g_object_set_data(G_OBJECT(task), "ms-picture", GINT_TO_POINTER(picture));
  g_task_run_in_thread(task, paint_in_thread);
}

/** ms_picture_regions_paint_finish: (transfer full): %NULL with the error set where it was cancelled. */
MsImage *
ms_picture_regions_paint_finish(MsPictureRegions *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

/* Consecutive labels get colours that are easily distinguished. */
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

/** ms_region_picture_paint: (transfer full): the size of @source, from which @segmentation and @table come. */
MsImage *
ms_region_picture_paint(MsRegionPicture self, const MsSegmentation *segmentation, const MsSegmentTable *table,
                        MsImage *source)
{
  switch (self) {
  case MS_REGION_PICTURE_OUTLINES:
    return ms_segmentation_outline(segmentation, source);
  case MS_REGION_PICTURE_LABELS:
    return paint_labels(segmentation);
  case MS_REGION_PICTURE_MEANS:
    return ms_segment_table_paint(table, segmentation, source);
  case MS_N_REGION_PICTURES:
    break;
  }
  g_assert_not_reached();
}

/* Saving */

/* What a task saves. */
typedef struct {
  Work *work;
  MsRegionFile kind;
  char *path;
  MsSaveNotes notes;
} Save;

static void
save_free(gpointer data)
{
  Save *save = data;

  release_work(save->work);
  g_free(save->path);
  g_free(save);
}

static gboolean
save_picture(Save *save, MsRegionPicture picture, GError **error)
{
  const Work *w = save->work;
  g_autoptr(MsImage) image = ms_region_picture_paint(picture, w->segmentation, w->table, w->source);
  MsSaveOptions options = ms_save_options_default();

  options.overwrite = TRUE; /* the dialog has asked */
  return ms_image_save(image, save->path, &options, &save->notes, NULL, error);
}

static gboolean
save_text(const Save *save, char *taken, GError **error)
{
  g_autofree char *text = taken;

  return g_file_set_contents(save->path, text, -1, error);
}

static gboolean
save_file(Save *save, GError **error)
{
  const MsSegmentation *s = save->work->segmentation;
  const MsMetadata *metadata = ms_image_get_metadata(save->work->source);
  const MsPixelArray labels = {s->labels, s->width, s->height, 1, s->n, metadata ? metadata->geo : NULL};

  switch (save->kind) {
  case MS_REGION_FILE_MEANS:
    return save_picture(save, MS_REGION_PICTURE_MEANS, error);
  case MS_REGION_FILE_OUTLINES:
    return save_picture(save, MS_REGION_PICTURE_OUTLINES, error);
  case MS_REGION_FILE_LABELS:
    save->notes.geo_dropped = ms_geo_has_place(labels.geo) && !ms_array_file_keeps_place(save->path);
    return ms_array_file_save(save->path, &labels, TRUE, NULL, error);
  case MS_REGION_FILE_CSV:
    return save_text(save, ms_segment_table_to_csv(save->work->table), error);
  case MS_REGION_FILE_JSON:
    ms_segment_table_set_space(save->work->table, save->work->settings.params.space, save->work->source);
    return save_text(save, ms_segment_table_to_json(save->work->table), error);
  }
  g_return_val_if_reached(FALSE);
}

static void
save_in_thread(GTask *task, gpointer source, gpointer save, GCancellable *cancellable)
{
  GError *error = NULL;

  if (save_file(save, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

/** ms_picture_regions_save_async: writes what --regions writes of the known regions; requires that some are known. */
void
ms_picture_regions_save_async(MsPictureRegions *self, MsRegionFile kind, const char *path, GAsyncReadyCallback callback,
                              gpointer data)
{
  g_autoptr(GTask) task = g_task_new(self, NULL, callback, data);
  Save *save = g_new0(Save, 1);

  *save = (Save){g_atomic_rc_box_acquire((gpointer)get_known(self)), kind, g_strdup(path)};
  g_task_set_source_tag(task, ms_picture_regions_save_async);
  g_task_set_task_data(task, save, save_free);
  g_task_run_in_thread(task, save_in_thread);
}

/** ms_picture_regions_save_finish: @losses: (out) (nullable) (transfer full): a sentence on what the file lacks. */
gboolean
ms_picture_regions_save_finish(MsPictureRegions *self, GAsyncResult *result, char **losses, GError **error)
{
  const Save *save = g_task_get_task_data(G_TASK(result));
  g_autofree char *name = g_filename_display_basename(save->path);

  *losses = ms_losses_describe(NULL, &save->notes, name, MS_LANGUAGE_USER);
  return g_task_propagate_boolean(G_TASK(result), error);
}
