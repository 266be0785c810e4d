/* SPDX-License-Identifier: MIT */
#include "ui/common/files.h"
#include "ui/window/window-open.h"

#include "core/image/codec.h"

#include <glib/gi18n-lib.h>
#include "core/image/image-io.h"
#include "ui/batch/batch-page.h"
#include "ui/image-view/pixbuf.h"
#include "ui/window/picture-load.h"
#include "ui/window/recent-popover.h"
#include "ui/window/window-message.h"
#include "ui/window/window-folder.h"
#include "ui/window/window-private.h"
#include "ui/window/window-tabs.h"
#include "ui/window/window-workspaces.h"

/* Size of the preview in the file chooser. */
#define PREVIEW_SIZE 192

#define SAMPLE "/io/github/meanshift_lab/MeanshiftLab/harbour.png"

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
      ? g_strdup_printf("%s %s", error->message, _("The limit is “Largest picture” in the preferences."))
      : g_strdup(error->message);

  ms_window_report(self, GTK_MESSAGE_WARNING, text, MS_OFFER_NOTHING, NULL);
}

static void
loaded_cb(GObject *source, GAsyncResult *result, gpointer data)
{
  MsWindow *self = MS_WINDOW(source);
  GFile *file;
  char *losses;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) image = ms_picture_load_finish(result, &file, &losses, &error);

  if (!self->notebook || g_cancellable_is_cancelled(self->closing))
    return;
  self->n_opening--;
  if (!image) {
    g_clear_weak_pointer(&self->replaced);
    /* A warning rather than an error, because a successful run removes errors. */
    if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      report_failure(self, error);
    return;
  }
  g_autofree char *title = display_name(file);
  ms_window_add_in_order(self, image, file, title, GPOINTER_TO_UINT(data));
  ms_window_replace(self);
  remember(self, file);
  if (losses)
    ms_window_report(self, GTK_MESSAGE_INFO, losses, MS_OFFER_NOTHING, NULL);
}

static gboolean
is_folder(GFile *file)
{
  return g_file_query_file_type(file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_DIRECTORY;
}

/** ms_window_open: loads a picture into a new tab; a failure is shown in the info bar. A folder goes to Batch. */
void
ms_window_open(MsWindow *self, GFile *file)
{
  if (is_folder(file)) {
    ms_batch_page_add(MS_BATCH_PAGE(self->batch), file);
    ms_window_show_workspace(self, "batch");
    return;
  }
  /* A message about one of several files stays when the others have been loaded. */
  if (self->n_opening == 0)
    ms_window_clear_message(self);
  self->n_opening++;
  guint64 megapixels = (guint64)g_settings_get_int(self->settings, "largest-picture");
  const MsPictureLoadRequest request = {GTK_WIDGET(self), GTK_CONTAINER(self->loads), file, megapixels * 1000000};
  ms_picture_load_async(&request, self->closing, loaded_cb, GUINT_TO_POINTER(self->next_order++));
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

static void
open_uris(MsWindow *self, char **uris)
{
  for (guint i = 0; uris && uris[i]; i++) {
    g_autoptr(GFile) file = g_file_new_for_uri(uris[i]);
    ms_window_open(self, file);
  }
}

/* Choosing */

static void
update_preview_cb(GtkFileChooser *chooser, GtkWidget *preview)
{
  g_autofree char *path = gtk_file_chooser_get_preview_filename(chooser);
  MsImageHeader header;
  g_autoptr(GdkPixbuf) pixbuf = NULL;

  /* The preview is limited to formats that the program can open and to sizes that decode quickly. */
  if (path && ms_image_peek_size(path, NULL, &header, NULL) && (guint64)header.width * header.height <= 64000000)
    pixbuf = gdk_pixbuf_new_from_file_at_size(path, PREVIEW_SIZE, PREVIEW_SIZE, NULL);
  gtk_image_set_from_pixbuf(GTK_IMAGE(preview), pixbuf);
  gtk_file_chooser_set_preview_widget_active(chooser, pixbuf != NULL);
}

static void
add_filters(GtkFileChooser *chooser)
{
  GtkFileFilter *pictures = gtk_file_filter_new(), *all = gtk_file_filter_new();
  g_autofree char *titles = ms_codec_list_titles(" and ");
  g_autofree char *name = g_strdup_printf(_("%s pictures"), titles);
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  gtk_file_filter_set_name(pictures, name);
  for (guint i = 0; i < n; i++)
    if (ms_codec_is_built(&codecs[i]))
      gtk_file_filter_add_mime_type(pictures, codecs[i].mime_type);
  gtk_file_filter_set_name(all, _("All files"));
  gtk_file_filter_add_pattern(all, "*");
  gtk_file_chooser_add_filter(chooser, pictures);
  gtk_file_chooser_add_filter(chooser, all);
}

static void
chosen_cb(GtkNativeDialog *dialog, int response, MsWindow *self)
{
  GSList *files = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog)) : NULL;

  for (GSList *l = files; l; l = l->next)
    ms_window_open(self, l->data);
  g_slist_free_full(files, g_object_unref);
  g_object_unref(dialog);
}

/** ms_window_choose_files: opens the platform's file chooser. */
void
ms_window_choose_files(MsWindow *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(_("Open Pictures"), GTK_WINDOW(self),
                                                             GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER(dialog);
  GtkWidget *preview = gtk_image_new();
  g_autofree char *folder = g_settings_get_string(self->settings, "last-folder");

  gtk_file_chooser_set_select_multiple(chooser, TRUE);
  gtk_file_chooser_set_preview_widget(chooser, preview);
  gtk_file_chooser_set_use_preview_label(chooser, FALSE);
  g_signal_connect(chooser, "update-preview", G_CALLBACK(update_preview_cb), preview);
  add_filters(chooser);
  if (folder[0] != '\0')
    gtk_file_chooser_set_current_folder_uri(chooser, folder);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(chosen_cb), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* Opening again */

/** ms_window_add_recent_menu: creates the list of recent pictures. */
void
ms_window_add_recent_menu(MsWindow *self)
{
  GtkWidget *popover = ms_recent_popover_new(self->recent_button);

  g_signal_connect_object(popover, "chosen", G_CALLBACK(ms_window_open), self, G_CONNECT_SWAPPED);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(self->recent_button), popover);
}

/* Pasting and dropping */

static void
pasted_image_cb(GtkClipboard *clipboard, GdkPixbuf *pixbuf, gpointer data)
{
  g_autoptr(MsWindow) self = data;
  g_autoptr(MsImage) image = pixbuf ? ms_pixbuf_to_image(pixbuf) : NULL;

  if (!self->notebook)
    return;
  if (image)
    ms_window_add_image(self, image, NULL, _("Pasted picture"));
  else
    ms_window_report(self, GTK_MESSAGE_INFO, _("There is no picture on the clipboard. Copy one and paste again."),
                     MS_OFFER_NOTHING, NULL);
}

static void
pasted_uris_cb(GtkClipboard *clipboard, char **uris, gpointer data)
{
  g_autoptr(MsWindow) self = data;

  if (!self->notebook)
    return;
  if (uris && uris[0])
    open_uris(self, uris);
  else
    gtk_clipboard_request_image(clipboard, pasted_image_cb, g_object_ref(self));
}

/** ms_window_paste: opens the files or the picture on the clipboard. */
void
ms_window_paste(MsWindow *self)
{
  GtkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD);

  gtk_clipboard_request_uris(clipboard, pasted_uris_cb, g_object_ref(self));
}

static void
dropped_cb(GtkWidget *widget, char **uris)
{
  open_uris(MS_WINDOW(widget), uris);
}

void
ms_window_accept_drops(MsWindow *self)
{
  ms_drops_accept(GTK_WIDGET(self), dropped_cb);
}
