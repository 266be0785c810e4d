/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/picture-statistics.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document.h"

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
same_size(MsImage *a, MsImage *b)
{
  return ms_image_get_width(a) == ms_image_get_width(b) && ms_image_get_height(a) == ms_image_get_height(b);
}

static guint
wanted_of(const Work *work)
{
  return (work->before_numbers ? 0 : MS_WANTED_BEFORE) | (work->after && !work->after_numbers ? MS_WANTED_AFTER : 0) |
         (work->after && same_size(work->before, work->after) ? MS_WANTED_COMPARISON : 0);
}

static MsWindowRequest *
describe(gconstpointer data)
{
  const Work *work = data;
  MsImage *after = work->after ? work->after : work->before;
  MsWindowRequest *request = ms_window_request_new(
    MS_REQUEST_STATISTICS, g_variant_new("(@" MS_PICTURE_TYPE "@" MS_PICTURE_TYPE "u)",
                                         ms_service_picture(work->before), ms_service_picture(after), wanted_of(work)));

  ms_window_request_add_image(request, work->before);
  ms_window_request_add_image(request, after);
  return request;
}

/* (transfer full): a struct from the bytes in @content; it is zero where there are too few. */
static gpointer
read_part(GVariant *content, gsize index, gsize size, gboolean *good)
{
  g_autoptr(GVariant) bytes = g_variant_get_child_value(content, index);
  gpointer part = g_malloc0(size);

  *good = ms_service_take_bytes(bytes, part, size) && *good;
  return part;
}

static gboolean
take(gpointer data, const MsAnswer *answer)
{
  Work *work = data;
  const guint wanted = wanted_of(work);
  gboolean good = TRUE;

  if (wanted & MS_WANTED_BEFORE)
    work->before_numbers = read_part(answer->content, 0, sizeof *work->before_numbers, &good);
  if (wanted & MS_WANTED_AFTER)
    work->after_numbers = read_part(answer->content, 1, sizeof *work->after_numbers, &good);
  if (wanted & MS_WANTED_COMPARISON)
    work->comparison = read_part(answer->content, 2, sizeof *work->comparison, &good);
  return good;
}

static void
ms_picture_statistics_class_init(MsPictureStatisticsClass *klass)
{
  MS_PICTURE_RESULT_CLASS(klass)->describe = describe;
  MS_PICTURE_RESULT_CLASS(klass)->take = take;
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

/** ms_picture_statistics_get: what is known */
MsPictureNumbers
ms_picture_statistics_get(MsPictureStatistics *self)
{
  const Work *known = get_known(self);

  return known ? (MsPictureNumbers){known->before_numbers, known->after_numbers, known->comparison}
               : (MsPictureNumbers){0};
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

/* The panels */

G_DEFINE_ABSTRACT_TYPE(MsPixelPanel, ms_pixel_panel, MS_TYPE_PANEL)

/** ms_pixel_panel_get_statistics: (transfer none) (nullable): %NULL while no picture is open. */
MsPictureStatistics *
ms_pixel_panel_get_statistics(MsPixelPanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));

  return document ? ms_picture_statistics_of(document) : NULL;
}

static void
show(MsPixelPanel *self)
{
  MS_PIXEL_PANEL_GET_CLASS(self)->show(self);
}

static void
ms_pixel_panel_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_connect(panel, ms_picture_statistics_of(document), "changed", G_CALLBACK(show));
}

static void
ms_pixel_panel_refresh(MsPanel *panel)
{
  MsDocument *document = ms_panel_get_document(panel);

  if (document)
    ms_picture_statistics_update(ms_picture_statistics_of(document), document);
  show(MS_PIXEL_PANEL(panel));
}

static void
ms_pixel_panel_class_init(MsPixelPanelClass *klass)
{
  static const char *const follows[] = {"notify::shown-run", "notify::run-a", "notify::busy", NULL};
  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->attach = ms_pixel_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_pixel_panel_refresh;
}

static void
ms_pixel_panel_init(MsPixelPanel *self)
{
}
