/* SPDX-License-Identifier: MIT */
#include "ui/panels/figures/figures.h"

/* What one request computes from, and into; pictures whose figures are known already are not reduced again. */
typedef struct {
  MsImage *before;
  MsImage *after; /* (nullable) */
  MsImageStatistics *before_figures;
  MsImageStatistics *after_figures;
  MsImageComparison *comparison;
} Work;

struct _MsFigures {
  GObject parent_instance;
  Work known;
  MsImage *wanted_before; /* of the request under way */
  MsImage *wanted_after;
  GCancellable *cancellable; /* (nullable): of the request under way */
  char *problem;
};

G_DEFINE_FINAL_TYPE(MsFigures, ms_figures, G_TYPE_OBJECT)

static guint changed_signal;

static void
clear_work(Work *work)
{
  g_clear_object(&work->before);
  g_clear_object(&work->after);
  g_clear_pointer(&work->before_figures, g_free);
  g_clear_pointer(&work->after_figures, g_free);
  g_clear_pointer(&work->comparison, g_free);
}

static void
free_work(gpointer data)
{
  clear_work(data);
  g_free(data);
}

static void
forget_request(MsFigures *self)
{
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_clear_object(&self->wanted_before);
  g_clear_object(&self->wanted_after);
}

static void
ms_figures_dispose(GObject *object)
{
  MsFigures *self = MS_FIGURES(object);

  forget_request(self);
  clear_work(&self->known);
  g_clear_pointer(&self->problem, g_free);
  G_OBJECT_CLASS(ms_figures_parent_class)->dispose(object);
}

static void
ms_figures_class_init(MsFiguresClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_figures_dispose;
  changed_signal = g_signal_new("changed", MS_TYPE_FIGURES, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_figures_init(MsFigures *self)
{
}

/** ms_figures_of: (transfer none): the figures of @document, shared by all who show them. */
MsFigures *
ms_figures_of(MsDocument *document)
{
  static const char key[] = "ms-figures";
  MsFigures *self = g_object_get_data(G_OBJECT(document), key);

  if (!self) {
    self = g_object_new(MS_TYPE_FIGURES, NULL);
    g_object_set_data_full(G_OBJECT(document), key, self, g_object_unref);
  }
  return self;
}

static gboolean
reduce_image(MsContext *context, MsImage *image, MsImageStatistics **figures, GCancellable *cancellable, GError **error)
{
  if (!image || *figures)
    return TRUE;
  *figures = g_new0(MsImageStatistics, 1);
  if (context)
    return ms_image_statistics(context, image, *figures, NULL, cancellable, error);
  ms_image_statistics_serial(ms_image_get_pixels(image), ms_image_get_byte_size(image) / 4, *figures);
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
  if (reduce_image(context, work->before, &work->before_figures, cancellable, error) &&
      reduce_image(context, work->after, &work->after_figures, cancellable, error) &&
      compare_images(context, work, cancellable, error))
    return work;
  free_work(work);
  return NULL;
}

static void
take_result(MsFigures *self, Work *work, const GError *error)
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
  g_autoptr(MsFigures) self = data;
  g_autoptr(GError) error = NULL;
  Work *work = ms_engine_call_finish(MS_ENGINE(source), result, &error);
  gboolean current = self->cancellable && g_task_get_cancellable(G_TASK(result)) == self->cancellable;

  if (!current || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    if (work)
      free_work(work);
    return;
  }
  take_result(self, work, error);
}

static MsImageStatistics *
copy_figures(const MsFigures *self, MsImage *image)
{
  const Work *known = &self->known;

  if (image && image == known->before && known->before_figures)
    return g_memdup2(known->before_figures, sizeof *known->before_figures);
  if (image && image == known->after && known->after_figures)
    return g_memdup2(known->after_figures, sizeof *known->after_figures);
  return NULL;
}

/**
 * ms_figures_update: computes the figures of the pictures that @document compares now, unless they are known or under
 * way.
 */
void
ms_figures_update(MsFigures *self, MsDocument *document)
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
  work->before_figures = copy_figures(self, before);
  work->after_figures = copy_figures(self, after);
  ms_engine_call_async(ms_document_get_engine(document), reduce_both, work, free_work, free_work, self->cancellable,
                       on_reduced, g_object_ref(self));
}

/** ms_figures_get_before: (nullable): of the picture on side A */
const MsImageStatistics *
ms_figures_get_before(MsFigures *self)
{
  return self->known.before_figures;
}

/** ms_figures_get_after: (nullable): of the picture on side B */
const MsImageStatistics *
ms_figures_get_after(MsFigures *self)
{
  return self->known.after_figures;
}

/** ms_figures_get_comparison: (nullable): of both, where they are of one size */
const MsImageComparison *
ms_figures_get_comparison(MsFigures *self)
{
  return self->known.comparison;
}

/** ms_figures_get_problem: (nullable): why there are no figures */
const char *
ms_figures_get_problem(MsFigures *self)
{
  return self->problem;
}

gboolean
ms_figures_is_busy(MsFigures *self)
{
  return self->cancellable != NULL;
}

/** ms_figures_name_before: (transfer full): what a person calls the picture on side A */
char *
ms_figures_name_before(MsDocument *document)
{
  MsRun *run = ms_document_get_run_a(document);

  return g_strdup(run ? ms_run_get_label(run) : "Original");
}

/** ms_figures_name_after: (transfer full): what a person calls the picture on side B */
char *
ms_figures_name_after(MsDocument *document)
{
  MsRun *run = ms_document_get_run_b(document);

  if (!run)
    run = ms_document_get_current_run(document);
  return g_strdup(run ? ms_run_get_label(run) : "Filtered");
}
