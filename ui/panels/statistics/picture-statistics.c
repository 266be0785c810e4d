/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/picture-statistics.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document-runs.h"

/* Input and output of one request; results that are known already are copied into it. */
typedef struct {
  MsImage *before;
  MsImage *after; /* (nullable) */
  MsImageStatistics *before_numbers;
  MsImageStatistics *after_numbers;
  MsImageComparison *comparison;
} Work;

struct _MsPictureStatistics {
  GObject parent_instance;
  Work known;
  MsImage *wanted_before; /* of the running request */
  MsImage *wanted_after;
  GCancellable *cancellable; /* (nullable): of the running request */
  char *problem;
};

G_DEFINE_FINAL_TYPE(MsPictureStatistics, ms_picture_statistics, G_TYPE_OBJECT)

static guint changed_signal;

static void
clear_work(Work *work)
{
  g_clear_object(&work->before);
  g_clear_object(&work->after);
  g_clear_pointer(&work->before_numbers, g_free);
  g_clear_pointer(&work->after_numbers, g_free);
  g_clear_pointer(&work->comparison, g_free);
}

static void
free_work(gpointer data)
{
  clear_work(data);
  g_free(data);
}

static void
forget_request(MsPictureStatistics *self)
{
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_clear_object(&self->wanted_before);
  g_clear_object(&self->wanted_after);
}

static void
ms_picture_statistics_dispose(GObject *object)
{
  MsPictureStatistics *self = MS_PICTURE_STATISTICS(object);

  forget_request(self);
  clear_work(&self->known);
  g_clear_pointer(&self->problem, g_free);
  G_OBJECT_CLASS(ms_picture_statistics_parent_class)->dispose(object);
}

static void
ms_picture_statistics_class_init(MsPictureStatisticsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_picture_statistics_dispose;
  changed_signal =
    g_signal_new("changed", MS_TYPE_PICTURE_STATISTICS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_picture_statistics_init(MsPictureStatistics *self)
{
}

/** ms_picture_statistics_of: (transfer none): the statistics of @document, shared by all panels. */
MsPictureStatistics *
ms_picture_statistics_of(MsDocument *document)
{
  static const char key[] = "ms-picture-statistics";
  MsPictureStatistics *self = g_object_get_data(G_OBJECT(document), key);

  if (!self) {
    self = g_object_new(MS_TYPE_PICTURE_STATISTICS, NULL);
    g_object_set_data_full(G_OBJECT(document), key, self, g_object_unref);
  }
  return self;
}

static gboolean
reduce_image(MsContext *context, MsImage *image, MsImageStatistics **statistics, GCancellable *cancellable,
             GError **error)
{
  if (!image || *statistics)
    return TRUE;
  *statistics = g_new0(MsImageStatistics, 1);
  if (context)
    return ms_image_statistics(context, image, *statistics, NULL, cancellable, error);
  ms_image_statistics_serial(ms_image_get_pixels(image), ms_image_get_byte_size(image) / 4, *statistics);
  return TRUE;
}

static gboolean
same_size(MsImage *a, MsImage *b)
{
  return ms_image_get_width(a) == ms_image_get_width(b) && ms_image_get_height(a) == ms_image_get_height(b);
}

static gboolean
compare_images(MsContext *context, Work *work, GCancellable *cancellable, GError **error)
{
  if (!work->after || !same_size(work->before, work->after))
    return TRUE;
  work->comparison = g_new0(MsImageComparison, 1);
  if (context)
    return ms_image_comparison(context, work->before, work->after, work->comparison, NULL, cancellable, error);
  ms_image_comparison_serial(ms_image_get_pixels(work->before), ms_image_get_pixels(work->after),
                             ms_image_get_byte_size(work->before) / 4, work->comparison);
  return TRUE;
}

/* Runs on the engine's thread. */
static gpointer
reduce_both(MsContext *context, GCancellable *cancellable, gpointer data, GError **error)
{
  Work *asked = data;
  Work *work = g_new0(Work, 1);

  *work = *asked;
  *asked = (Work){NULL};
  if (reduce_image(context, work->before, &work->before_numbers, cancellable, error) &&
      reduce_image(context, work->after, &work->after_numbers, cancellable, error) &&
      compare_images(context, work, cancellable, error))
    return work;
  free_work(work);
  return NULL;
}

static void
take_result(MsPictureStatistics *self, Work *work, const GError *error)
{
  forget_request(self);
  clear_work(&self->known);
  g_clear_pointer(&self->problem, g_free);
  if (work) {
    self->known = *work;
    g_free(work);
  } else {
    self->problem = g_strdup(error->message);
  }
  g_signal_emit(self, changed_signal, 0);
}

static void
on_reduced(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsPictureStatistics) self = data;
  g_autoptr(GError) error = NULL;
  Work *work = ms_window_engine_call_finish(MS_WINDOW_ENGINE(source), result, &error);
  gboolean current = self->cancellable && g_task_get_cancellable(G_TASK(result)) == self->cancellable;

  if (!current || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    if (work)
      free_work(work);
    return;
  }
  take_result(self, work, error);
}

static MsImageStatistics *
copy_numbers(const MsPictureStatistics *self, MsImage *image)
{
  const Work *known = &self->known;

  if (image && image == known->before && known->before_numbers)
    return g_memdup2(known->before_numbers, sizeof *known->before_numbers);
  if (image && image == known->after && known->after_numbers)
    return g_memdup2(known->after_numbers, sizeof *known->after_numbers);
  return NULL;
}

/**
 * ms_picture_statistics_update: computes the statistics of both sides of @document unless they are known or being
 * computed.
 */
void
ms_picture_statistics_update(MsPictureStatistics *self, MsDocument *document)
{
  MsImage *before = ms_document_get_picture_a(document), *after = ms_document_get_picture_b(document);

  if (!before || (before == self->wanted_before && after == self->wanted_after && self->cancellable))
    return;
  if (!self->cancellable && before == self->known.before && after == self->known.after)
    return;
  forget_request(self);
  self->cancellable = g_cancellable_new();
  self->wanted_before = g_object_ref(before);
  self->wanted_after = after ? g_object_ref(after) : NULL;

  Work *work = g_new0(Work, 1);
  work->before = g_object_ref(before);
  work->after = after ? g_object_ref(after) : NULL;
  work->before_numbers = copy_numbers(self, before);
  work->after_numbers = copy_numbers(self, after);
  ms_window_engine_call_async(ms_document_get_engine(document), reduce_both, work, free_work, free_work,
                              self->cancellable, on_reduced, g_object_ref(self));
}

/** ms_picture_statistics_get_before: (nullable): of the picture on side A */
const MsImageStatistics *
ms_picture_statistics_get_before(MsPictureStatistics *self)
{
  return self->known.before_numbers;
}

/** ms_picture_statistics_get_after: (nullable): of the picture on side B */
const MsImageStatistics *
ms_picture_statistics_get_after(MsPictureStatistics *self)
{
  return self->known.after_numbers;
}

/** ms_picture_statistics_get_comparison: (nullable): of both pictures if they have the same size */
const MsImageComparison *
ms_picture_statistics_get_comparison(MsPictureStatistics *self)
{
  return self->known.comparison;
}

/** ms_picture_statistics_get_problem: (nullable): the reason why there are no statistics */
const char *
ms_picture_statistics_get_problem(MsPictureStatistics *self)
{
  return self->problem;
}

gboolean
ms_picture_statistics_is_busy(MsPictureStatistics *self)
{
  return self->cancellable != NULL;
}

/** ms_picture_statistics_name_before: (transfer full): the name of the picture on side A */
char *
ms_picture_statistics_name_before(MsDocument *document)
{
  MsRun *run = ms_document_get_run_a(document);

  return g_strdup(run ? ms_run_get_label(run) : _("Original"));
}

/** ms_picture_statistics_name_after: (transfer full): the name of the picture on side B */
char *
ms_picture_statistics_name_after(MsDocument *document)
{
  MsRun *run = ms_document_get_run_b(document);

  if (!run)
    run = ms_document_get_current_run(document);
  return g_strdup(run ? ms_run_get_label(run) : _("Filtered"));
}
