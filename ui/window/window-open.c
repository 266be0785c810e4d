/* SPDX-License-Identifier: MIT */
/* Opens pictures in a window, from files, samples, drops and the clipboard; a file is loaded on another thread. */
#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>

#include "core/image/codec.h"
#include "core/image/common/losses.h"
#include "core/image/image-io.h"
#include "core/service/shared-image.h"
#include "ui/batch/batch-page.h"
#include "ui/common/files.h"
#include "ui/common/thumbnails.h"
#include "ui/image-view/picture.h"

#define SAMPLE "/io/github/meanshift_lab/MeanshiftLab/harbour.png"
#define LOAD_ROW "/io/github/meanshift_lab/MeanshiftLab/ui/window/load-row.ui"

/* Progress of a shorter load is not shown, because it would flicker. */
#define SHOW_AFTER_MS 200
#define UPDATE_MS 100

/* Smaller pictures are decoded so quickly that a preview would only delay them. */
#define PREVIEW_PIXELS (G_GUINT64_CONSTANT(16) << 20)
#define PREVIEW_WIDTH 480
#define PREVIEW_HEIGHT 300

/* Size of the preview in the file chooser. */
#define CHOOSER_PREVIEW 192

/* Pixels of a picture that the file chooser previews, as many as decode quickly. */
#define MOST_PREVIEWED 64000000

/*
 * A picture that is being loaded.
 * @order: of the request among all pictures of the window
 * @losses: (nullable): what loading left out of the file
 * @row: (nullable), weak: with the progress, a preview, and a button that cancels
 * @permille: of the rows; written by the loading thread
 * @preview: (nullable) (atomic): passed from the loading thread to the main loop
 */
typedef struct {
  MsWindow *window; /* the source of the task, which keeps it */
  GFile *file;
  char *title;
  guint order;
  MsImageLimits limits;
  char *losses;
  GCancellable *cancellable;
  GtkWidget *replaced; /* (nullable), weak: the view that the picture takes the place of */
  GCancellable *closing;
  gulong closing_handler;
  GtkWidget *row;
  GtkProgressBar *progress;
  GtkImage *preview_image;
  guint timer;
  int permille;
  MsImage *preview;
} Load;

static void
load_free(gpointer data)
{
  Load *self = data;

  g_cancellable_disconnect(self->closing, self->closing_handler);
  g_clear_object(&self->closing);
  g_clear_object(&self->cancellable);
  g_clear_object(&self->preview);
  g_clear_weak_pointer(&self->row);
  g_clear_weak_pointer(&self->replaced);
  g_object_unref(self->file);
  g_free(self->title);
  g_free(self->losses);
  g_free(self);
}

/* On the thread */

static void
on_row(guint64 done, guint64 total, gpointer data)
{
  Load *self = data;

  g_atomic_int_set(&self->permille, (int)(done * 1000 / total));
}

static MsImage *
load_file(Load *self, MsImageFile *file, GError **error)
{
  g_autofree char *name = g_file_get_parse_name(self->file);

  file->rows = on_row;
  file->rows_data = self;
  MsImage *image = ms_image_file_load(file, error);
  if (image)
    self->losses = ms_losses_describe(&file->header, NULL, name, MS_LANGUAGE_USER);
  return image;
}

/* Reads a file that has no path; the messages of GIO do not name the file. */
static MsImage *
load_from_bytes(Load *self, GError **error)
{
  g_autofree char *name = g_file_get_parse_name(self->file);
  g_autoptr(GError) cause = NULL;
  g_autoptr(GBytes) bytes = g_file_load_bytes(self->file, self->cancellable, NULL, &cause);

  if (bytes) {
    g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(bytes, name, &self->limits, self->cancellable, error);
    return opened ? load_file(self, opened, error) : NULL;
  }
  g_set_error(error, cause->domain, cause->code,
              _("'%s' cannot be read: %s. Copy it to this computer and open it there."), name, cause->message);
  return NULL;
}

static MsImage *
load_from_path(Load *self, const char *path, GError **error)
{
  g_autoptr(MsImageFile) file = ms_image_file_open(path, &self->limits, self->cancellable, error);

  if (!file)
    return NULL;
  if (!file->bytes && (guint64)file->header.width * file->header.height >= PREVIEW_PIXELS)
    g_atomic_pointer_set(&self->preview, ms_image_file_load_preview(file, NULL));
  return load_file(self, file, error);
}

static void
load_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Load *self = data;
  g_autofree char *path = g_file_get_path(self->file);
  GError *error = NULL;
  MsImage *image = path ? load_from_path(self, path, &error) : load_from_bytes(self, &error);

  if (image)
    g_task_return_pointer(task, ms_shared_image_move(image), g_object_unref);
  else
    g_task_return_error(task, error);
}

/* The row with the progress */

static void
add_row(Load *self)
{
  g_autoptr(GtkBuilder) builder = gtk_builder_new_from_resource(LOAD_ROW);

  g_set_weak_pointer(&self->row, GTK_WIDGET(gtk_builder_get_object(builder, "row")));
  self->progress = GTK_PROGRESS_BAR(gtk_builder_get_object(builder, "progress"));
  self->preview_image = GTK_IMAGE(gtk_builder_get_object(builder, "preview"));
  g_signal_connect_object(gtk_builder_get_object(builder, "cancel"), "clicked", G_CALLBACK(g_cancellable_cancel),
                          self->cancellable, G_CONNECT_SWAPPED);
  gtk_container_add(GTK_CONTAINER(self->window->loads), self->row);
}

static void
show_fraction(Load *self, double fraction)
{
  g_autofree char *text = fraction > 0 ? g_strdup_printf(_("Loading %s… %.0f %%"), self->title, fraction * 100)
                                       : g_strdup_printf(_("Loading %s…"), self->title);

  gtk_progress_bar_set_fraction(self->progress, fraction);
  gtk_progress_bar_set_text(self->progress, text);
  atk_object_set_name(gtk_widget_get_accessible(GTK_WIDGET(self->progress)), text);
}

static void
show_preview(Load *self, MsImage *preview)
{
  g_autoptr(GdkPixbuf) pixbuf = ms_pixbuf_from_image(preview);
  int width = ms_image_get_width(preview), height = ms_image_get_height(preview);
  double scale = MIN(MIN((double)PREVIEW_WIDTH / width, (double)PREVIEW_HEIGHT / height), 1);
  g_autoptr(GdkPixbuf) scaled =
    gdk_pixbuf_scale_simple(pixbuf, MAX((int)(width * scale), 1), MAX((int)(height * scale), 1), GDK_INTERP_BILINEAR);
  g_autofree char *name = g_strdup_printf(_("Preview of %s"), self->title);

  gtk_image_set_from_pixbuf(self->preview_image, scaled);
  atk_object_set_name(gtk_widget_get_accessible(GTK_WIDGET(self->preview_image)), name);
  gtk_widget_show(GTK_WIDGET(self->preview_image));
}

static gboolean
on_update(gpointer data)
{
  Load *self = data;

  if (!self->window->notebook || g_cancellable_is_cancelled(self->closing))
    return G_SOURCE_CONTINUE;
  if (!self->row) {
    add_row(self);
    self->timer = g_timeout_add(UPDATE_MS, on_update, self);
  }
  show_fraction(self, g_atomic_int_get(&self->permille) / 1000.0);
  g_autoptr(MsImage) preview = g_atomic_pointer_get(&self->preview);
  if (preview) {
    g_atomic_pointer_set(&self->preview, NULL);
    show_preview(self, preview);
  }
  return g_source_get_id(g_main_current_source()) == self->timer;
}

/* Loading */

static char *
display_name(GFile *file)
{
  g_autofree char *base = g_file_get_basename(file);

  return base ? g_filename_display_name(base) : g_file_get_parse_name(file);
}

static void
remember(MsWindow *self, GFile *file)
{
  g_autoptr(GFile) folder = g_file_get_parent(file);
  g_autofree char *uri = g_file_get_uri(file), *folder_uri = folder ? g_file_get_uri(folder) : NULL;

  if (g_file_has_uri_scheme(file, "resource"))
    return;
  gtk_recent_manager_add_item(gtk_recent_manager_get_default(), uri);
  if (folder_uri)
    g_settings_set_string(self->settings, "last-folder", folder_uri);
}

/* Adds the name of the preference whose limit a picture exceeds. */
static void
report_failure(MsWindow *self, const GError *error)
{
  g_autofree char *text =
    g_error_matches(error, MS_ERROR, MS_ERROR_TOO_LARGE)
      ? g_strdup_printf("%s %s", error->message, _("The limit is 'Largest picture' in the preferences."))
      : g_strdup(error->message);

  ms_window_report(self, MS_TOPIC_FILE, NULL, text, MS_OFFER_NOTHING, NULL);
}

static void
on_loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  MsWindow *self = MS_WINDOW(source);
  Load *load = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) image = g_task_propagate_pointer(G_TASK(result), &error);

  g_clear_handle_id(&load->timer, g_source_remove);
  if (load->row)
    gtk_widget_destroy(load->row);
  if (!self->notebook || g_cancellable_is_cancelled(self->closing))
    return;
  self->n_opening--;
  if (!image) {
    if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      report_failure(self, error);
    return;
  }
  MsDocument *document = ms_window_add_in_order(self, image, load->file, load->title, load->order);
  if (load->replaced)
    ms_window_replace(load->replaced, document);
  remember(self, load->file);
  if (load->losses)
    ms_window_report(self, MS_TOPIC_LOSSES, document, load->losses, MS_OFFER_NOTHING, NULL);
}

static void
on_closing(GCancellable *closing, gpointer cancellable)
{
  g_cancellable_cancel(cancellable);
}

/* The load is cancelled with the window, and alone by the button of its row. @replaced: (nullable) */
static void
load(MsWindow *window, GFile *file, GtkWidget *replaced)
{
  g_autoptr(GTask) task = g_task_new(window, window->closing, on_loaded, NULL);
  Load *self = g_new0(Load, 1);

  self->window = window;
  g_set_weak_pointer(&self->replaced, replaced);
  self->file = g_object_ref(file);
  self->title = display_name(file);
  self->order = window->next_order++;
  self->limits = ms_image_limits_default();
  self->limits.accepts_streams = TRUE;
  self->limits.max_pixels = (guint64)g_settings_get_int(window->settings, "largest-picture") * 1000000;
  self->cancellable = g_cancellable_new();
  self->closing = g_object_ref(window->closing);
  self->closing_handler = g_cancellable_connect(self->closing, G_CALLBACK(on_closing), self->cancellable, NULL);
  self->timer = g_timeout_add(SHOW_AFTER_MS, on_update, self);
  g_task_set_task_data(task, self, load_free);
  g_task_run_in_thread(task, load_in_thread);
}

/* @replaced: (nullable): the view that the picture takes the place of */
static void
open_file(MsWindow *self, GFile *file, GtkWidget *replaced)
{
  if (g_file_query_file_type(file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY) {
    ms_batch_page_add(MS_BATCH_PAGE(self->batch), file);
    ms_window_show_workspace(self, "batch");
    return;
  }
  /* A message about one of several files stays when the others have been loaded. */
  if (self->n_opening == 0)
    ms_window_forget(self, MS_TOPIC_FILE, NULL);
  self->n_opening++;
  load(self, file, replaced);
}

/** ms_window_open: loads a picture into a new tab; a failure is shown in the info bar. A folder goes to Batch. */
void
ms_window_open(MsWindow *self, GFile *file)
{
  open_file(self, file, NULL);
}

/** ms_window_open_in_place: loads a picture, which replaces the one that is in front now. */
void
ms_window_open_in_place(MsWindow *self, GFile *file)
{
  if (self->n_opening == 0)
    open_file(self, file, GTK_WIDGET(ms_window_get_view(self)));
}

/** ms_window_is_opening: whether pictures are being loaded. */
gboolean
ms_window_is_opening(MsWindow *self)
{
  return self->n_opening > 0;
}

void
ms_window_open_sample(MsWindow *self)
{
  g_autoptr(GFile) file = g_file_new_for_uri("resource://" SAMPLE);

  ms_window_open(self, file);
}

/* Opens pictures and folders; reports of experiments, which are JSON, are shown in the workspace Lab. */
static void
open_uris(MsWindow *self, char **uris)
{
  g_autoptr(GPtrArray) reports = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; uris && uris[i]; i++) {
    g_autoptr(GFile) file = g_file_new_for_uri(uris[i]);
    g_autofree char *path = g_file_get_path(file);
    if (path && g_str_has_suffix(path, ".json"))
      g_ptr_array_add(reports, g_steal_pointer(&path));
    else
      ms_window_open(self, file);
  }
  if (reports->len == 0)
    return;
  g_ptr_array_add(reports, NULL);
  ms_window_show_reports(self, (const char *const *)reports->pdata);
}

/* Choosing */

static void
on_update_preview(GtkFileChooser *chooser, GtkWidget *preview)
{
  g_autofree char *path = gtk_file_chooser_get_preview_filename(chooser);
  g_autoptr(GdkPixbuf) pixbuf = path ? ms_thumbnail_load(path, CHOOSER_PREVIEW, CHOOSER_PREVIEW, MOST_PREVIEWED) : NULL;

  ms_thumbnail_show(GTK_IMAGE(preview), pixbuf);
  gtk_file_chooser_set_preview_widget_active(chooser, pixbuf != NULL);
}

static void
add_filters(GtkFileChooser *chooser)
{
  GtkFileFilter *pictures = gtk_file_filter_new(), *all = gtk_file_filter_new();
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  gtk_file_filter_set_name(pictures, _("Pictures"));
  for (guint i = 0; i < n; i++)
    for (const char *const *type = codecs[i].mime_types; ms_codec_is_readable(&codecs[i]) && *type; type++)
      gtk_file_filter_add_mime_type(pictures, *type);
  gtk_file_filter_set_name(all, _("All files"));
  gtk_file_filter_add_pattern(all, "*");
  gtk_file_chooser_add_filter(chooser, pictures);
  gtk_file_chooser_add_filter(chooser, all);
}

static void
prepare_chooser(GtkFileChooser *chooser, GtkWidget *window)
{
  GtkWidget *preview = gtk_image_new();
  g_autofree char *folder = g_settings_get_string(MS_WINDOW(window)->settings, "last-folder");

  gtk_file_chooser_set_preview_widget(chooser, preview);
  gtk_file_chooser_set_use_preview_label(chooser, FALSE);
  g_signal_connect(chooser, "update-preview", G_CALLBACK(on_update_preview), preview);
  add_filters(chooser);
  if (folder[0] != '\0')
    gtk_file_chooser_set_current_folder_uri(chooser, folder);
}

static void
on_chosen(GtkWidget *window, GFile *file)
{
  ms_window_open(MS_WINDOW(window), file);
}

/** ms_window_choose_files: opens the platform's file chooser. */
void
ms_window_choose_files(MsWindow *self)
{
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_OPEN, _("Open Pictures"), _("_Open"), .several = TRUE,
                                   .prepare = prepare_chooser};

  ms_files_choose(GTK_WIDGET(self), &question, on_chosen);
}

/* Pasting and dropping */

static void
on_pasted_image(GtkClipboard *clipboard, GdkPixbuf *pixbuf, gpointer data)
{
  g_autoptr(MsWindow) self = data;
  g_autoptr(MsImage) image = pixbuf ? ms_pixbuf_to_image(pixbuf) : NULL;

  if (!self->notebook)
    return;
  if (image)
    ms_window_add_image(self, image, NULL, _("Pasted picture"));
  else
    ms_window_report(self, MS_TOPIC_FILE, NULL, _("There is no picture on the clipboard. Copy one and paste again."),
                     MS_OFFER_NOTHING, NULL);
}

static void
on_pasted_uris(GtkClipboard *clipboard, char **uris, gpointer data)
{
  g_autoptr(MsWindow) self = data;

  if (!self->notebook)
    return;
  if (uris && uris[0])
    open_uris(self, uris);
  else
    gtk_clipboard_request_image(clipboard, on_pasted_image, g_object_ref(self));
}

/** ms_window_paste: opens the files or the picture on the clipboard. */
void
ms_window_paste(MsWindow *self)
{
  GtkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD);

  gtk_clipboard_request_uris(clipboard, on_pasted_uris, g_object_ref(self));
}

static void
on_dropped(GtkWidget *widget, char **uris)
{
  open_uris(MS_WINDOW(widget), uris);
}

void
ms_window_accept_drops(MsWindow *self)
{
  ms_drops_accept(GTK_WIDGET(self), on_dropped);
}
