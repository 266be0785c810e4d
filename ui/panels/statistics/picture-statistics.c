/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/picture-statistics.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document-runs.h"

/* The work of one request. */
typedef struct {
  MsImage *before;
  MsImage *after; /* (nullable) */
  MsImageStatistics *before_numbers;
  MsImageStatistics *after_numbers;
  MsImageComparison *comparison;
} Work;

struct _MsPictureStatistics {
  MsPictureResult parent_instance;
};

G_DEFINE_FINAL_TYPE(MsPictureStatistics, ms_picture_statistics, MS_TYPE_PICTURE_RESULT)

static void
clear_work(gpointer data)
{
  Work *work = data;

  g_clear_object(&work->before);
  g_clear_object(&work->after);
  g_clear_pointer(&work->before_numbers, g_free);
  g_clear_pointer(&work->after_numbers, g_free);
  g_clear_pointer(&work->comparison, g_free);
}

static void
release_work(gpointer work)
{
  g_atomic_rc_box_release_full(work, clear_work);
}

static gboolean
reduce_image(MsContext *context, MsImage *image, MsImageStatistics **statistics, GCancellable *cancellable,
             GError **error)
{
  if (!image || *statistics)
    return TRUE;
  *statistics = g_new0(MsImageStatistics, 1);
  if (context)
    return ms_image_statistics(&(MsDeviceRun){context, NULL, cancellable}, image, *statistics, error);
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
    return ms_image_comparison(&(MsDeviceRun){context, NULL, cancellable}, work->before, work->after, work->comparison,
                               error);
  ms_image_comparison_serial(ms_image_get_pixels(work->before), ms_image_get_pixels(work->after),
                             ms_image_get_byte_size(work->before) / 4, work->comparison);
  return TRUE;
}

/* Runs on the engine's thread. */
static gpointer
reduce_both(MsContext *context, GCancellable *cancellable, gpointer data, GError **error)
{
  Work *work = data;

  if (reduce_image(context, work->before, &work->before_numbers, cancellable, error) &&
      reduce_image(context, work->after, &work->after_numbers, cancellable, error) &&
      compare_images(context, work, cancellable, error))
    return work;
  return NULL;
}

static void
ms_picture_statistics_class_init(MsPictureStatisticsClass *klass)
{
  MS_PICTURE_RESULT_CLASS(klass)->compute = reduce_both;
  MS_PICTURE_RESULT_CLASS(klass)->release = release_work;
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

static const Work *
get_known(MsPictureStatistics *self)
{
  return ms_picture_result_get_known(MS_PICTURE_RESULT(self));
}

static MsImageStatistics *
copy_numbers(MsPictureStatistics *self, MsImage *image)
{
  const Work *known = get_known(self);

  if (!known || !image)
    return NULL;
  if (image == known->before)
    return g_memdup2(known->before_numbers, sizeof *known->before_numbers);
  if (image == known->after)
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
  const Work *latest = ms_picture_result_get_latest(MS_PICTURE_RESULT(self));
  MsImage *before = ms_document_get_picture_a(document), *after = ms_document_get_picture_b(document);

  if (!before || (latest && before == latest->before && after == latest->after))
    return;
  Work *work = g_atomic_rc_box_new0(Work);
  work->before = g_object_ref(before);
  work->after = after ? g_object_ref(after) : NULL;
  work->before_numbers = copy_numbers(self, before);
  work->after_numbers = copy_numbers(self, after);
  ms_picture_result_request(MS_PICTURE_RESULT(self), ms_document_get_engine(document), work);
}

/** ms_picture_statistics_get_before: (nullable): of the picture on side A */
const MsImageStatistics *
ms_picture_statistics_get_before(MsPictureStatistics *self)
{
  const Work *known = get_known(self);

  return known ? known->before_numbers : NULL;
}

/** ms_picture_statistics_get_after: (nullable): of the picture on side B */
const MsImageStatistics *
ms_picture_statistics_get_after(MsPictureStatistics *self)
{
  const Work *known = get_known(self);

  return known ? known->after_numbers : NULL;
}

/** ms_picture_statistics_get_comparison: (nullable): of both pictures if they have the same size */
const MsImageComparison *
ms_picture_statistics_get_comparison(MsPictureStatistics *self)
{
  const Work *known = get_known(self);

  return known ? known->comparison : NULL;
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
