/* SPDX-License-Identifier: MIT */

#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/common/format.h"

/** ms_window_get_message: (transfer none): the text of the info bar, else of the toast, empty while both are hidden. */
const char *
ms_window_get_message(MsWindow *self)
{
  if (gtk_revealer_get_reveal_child(GTK_REVEALER(self->message_revealer)))
    return gtk_label_get_text(GTK_LABEL(self->message));
  return gtk_revealer_get_reveal_child(GTK_REVEALER(self->toast)) ? gtk_label_get_text(GTK_LABEL(self->toast_text))
                                                                  : "";
}

typedef struct {
  GtkMessageType type;
  char *text;
  MsOffer offers;
  char *detail;
} Message;

static void
message_free(gpointer data)
{
  Message *message = data;

  g_free(message->text);
  g_free(message->detail);
  g_free(message);
}

static void
show(MsWindow *self, const Message *message)
{
  g_free(self->message_detail);
  self->message_detail = g_strdup(message->detail);
  gtk_info_bar_set_message_type(GTK_INFO_BAR(self->message_bar), message->type);
  gtk_label_set_text(GTK_LABEL(self->message), message->text);
  gtk_widget_set_visible(self->message_log, (message->offers & MS_OFFER_LOG) != 0);
  gtk_widget_set_visible(self->message_device, (message->offers & MS_OFFER_DEVICE) != 0);
  gtk_widget_set_visible(self->message_cpu, (message->offers & MS_OFFER_CPU) != 0);
  gtk_revealer_set_reveal_child(GTK_REVEALER(self->message_revealer), TRUE);
}

/**
 * ms_window_show_message_of_tab: shows the message about the current picture in place of one about another picture.
 * Warnings are about files that could not be opened and belong to the window.
 */
void
ms_window_show_message_of_tab(MsWindow *self)
{
  const Message *message = self->document ? g_object_get_data(G_OBJECT(self->document), "ms-message") : NULL;

  if (message)
    show(self, message);
  else if (self->message_is_of_tab)
    gtk_revealer_set_reveal_child(GTK_REVEALER(self->message_revealer), FALSE);
  self->message_is_of_tab = self->message_is_of_tab || message;
}

/**
 * ms_window_report: shows a message in the info bar, replacing the previous one.
 * @detail: (nullable): shown by MS_OFFER_LOG
 */
void
ms_window_report(MsWindow *self, GtkMessageType type, const char *text, MsOffer offers, const char *detail)
{
  Message *message = g_new0(Message, 1);

  *message = (Message){type, ms_words_of_window(text), offers, g_strdup(detail)};
  show(self, message);
  self->message_is_of_tab = self->document && type != GTK_MESSAGE_WARNING;
  if (self->message_is_of_tab)
    g_object_set_data_full(G_OBJECT(self->document), "ms-message", message, message_free);
  else
    message_free(message);
}

static MsOffer
offers_for(const GError *error)
{
  if (error->domain != MS_ERROR)
    return MS_OFFER_NOTHING;
  switch ((MsError)error->code) {
  case MS_ERROR_BUILD:
    return MS_OFFER_LOG | MS_OFFER_DEVICE;
  case MS_ERROR_NO_DEVICE:
  case MS_ERROR_DEVICE:
  case MS_ERROR_TIMEOUT:
    return MS_OFFER_DEVICE | MS_OFFER_CPU;
  case MS_ERROR_MEMORY:
    return MS_OFFER_CPU;
  case MS_ERROR_USAGE:
  case MS_ERROR_FORMAT:
  case MS_ERROR_TOO_LARGE:
  case MS_ERROR_UNSUPPORTED:
  case MS_ERROR_IO:
  case MS_ERROR_EXISTS:
  case MS_ERROR_MISMATCH:
    return MS_OFFER_NOTHING;
  }
  g_return_val_if_reached(MS_OFFER_NOTHING);
}

/** ms_window_report_error: shows an error with buttons that may help; a build log is available through one of them. */
void
ms_window_report_error(MsWindow *self, const GError *error)
{
  const char *end = strchr(error->message, '\n');
  g_autofree char *sentence = end ? g_strndup(error->message, end - error->message) : g_strdup(error->message);
  MsOffer offers = offers_for(error);

  if (end)
    offers |= MS_OFFER_LOG;
  ms_window_report(self, GTK_MESSAGE_ERROR, sentence, offers, error->message);
}

/** ms_window_clear_message: hides the bar, and the toast. */
void
ms_window_clear_message(MsWindow *self)
{
  ms_window_hide_toast(self);
  if (self->document)
    g_object_set_data(G_OBJECT(self->document), "ms-message", NULL);
  gtk_revealer_set_reveal_child(GTK_REVEALER(self->message_revealer), FALSE);
}

static void
show_log(MsWindow *self, const char *text)
{
  GtkWidget *dialog = gtk_dialog_new_with_buttons(_("Log"), GTK_WINDOW(self), GTK_DIALOG_USE_HEADER_BAR, NULL, NULL);
  GtkWidget *scroller = gtk_scrolled_window_new(NULL, NULL), *view = gtk_text_view_new();

  gtk_text_buffer_set_text(gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)), text ? text : "", -1);
  gtk_text_view_set_editable(GTK_TEXT_VIEW(view), FALSE);
  gtk_text_view_set_monospace(GTK_TEXT_VIEW(view), TRUE);
  gtk_text_view_set_left_margin(GTK_TEXT_VIEW(view), 12);
  gtk_text_view_set_top_margin(GTK_TEXT_VIEW(view), 12);
  gtk_container_add(GTK_CONTAINER(scroller), view);
  gtk_box_pack_start(GTK_BOX(gtk_dialog_get_content_area(GTK_DIALOG(dialog))), scroller, TRUE, TRUE, 0);
  gtk_window_set_default_size(GTK_WINDOW(dialog), 760, 480);
  gtk_widget_show_all(dialog);
}

/** ms_window_on_message_answered: handles a button of the info bar; responses are defined in window.ui. */
void
ms_window_on_message_answered(MsWindow *self, int response)
{
  if (response == 1)
    show_log(self, self->message_detail);
  if (response == 2)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->device_chooser), TRUE);
  if (response == 3)
    g_action_group_activate_action(G_ACTION_GROUP(self), "use-processor", NULL);
  if (response != 1)
    ms_window_clear_message(self);
}

/* Toasts */

/* Time after which a toast leaves. */
#define TOAST_S 5

void
ms_window_hide_toast(MsWindow *self)
{
  g_clear_handle_id(&self->toast_timer, g_source_remove);
  gtk_revealer_set_reveal_child(GTK_REVEALER(self->toast), FALSE);
}

static gboolean
on_toast_leaves(gpointer data)
{
  MsWindow *self = data;

  self->toast_timer = 0;
  ms_window_hide_toast(self);
  return G_SOURCE_REMOVE;
}

static const char *
toast_label(MsToast offer)
{
  switch (offer) {
  case MS_TOAST_PLAIN:
    return "";
  case MS_TOAST_FOLDER:
    return _("Show in _Folder");
  case MS_TOAST_UNDO:
    return _("_Undo");
  case MS_TOAST_LOG:
    return _("Show _Log");
  }
  g_return_val_if_reached("");
}

/**
 * ms_window_toast: says for some seconds what has happened; what failed is reported by ms_window_report().
 * @detail: (nullable): the file of MS_TOAST_FOLDER, the text of MS_TOAST_LOG
 */
void
ms_window_toast(MsWindow *self, const char *text, MsToast offer, const char *detail)
{
  g_autofree char *words = ms_words_of_window(text);

  ms_window_hide_toast(self);
  self->toast_offer = offer;
  g_free(self->toast_path);
  self->toast_path = g_strdup(detail);
  gtk_label_set_text(GTK_LABEL(self->toast_text), words);
  gtk_button_set_label(GTK_BUTTON(self->toast_button), toast_label(offer));
  gtk_widget_set_visible(self->toast_button, offer != MS_TOAST_PLAIN);
  gtk_revealer_set_reveal_child(GTK_REVEALER(self->toast), TRUE);
  self->toast_timer = g_timeout_add_seconds(TOAST_S, on_toast_leaves, self);
}

static void
show_folder(MsWindow *self, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path), folder = g_file_get_parent(file);
  g_autofree char *uri = g_file_get_uri(folder ? folder : file);
  g_autoptr(GError) error = NULL;

  if (!gtk_show_uri_on_window(GTK_WINDOW(self), uri, GDK_CURRENT_TIME, &error))
    ms_window_report_error(self, error);
}

/** ms_window_on_toast_clicked: does what the button of the toast offers. */
void
ms_window_on_toast_clicked(MsWindow *self)
{
  ms_window_hide_toast(self);
  switch (self->toast_offer) {
  case MS_TOAST_PLAIN:
    break;
  case MS_TOAST_FOLDER:
    show_folder(self, self->toast_path);
    break;
  case MS_TOAST_UNDO:
    if (self->document)
      ms_document_undo_removal(self->document);
    break;
  case MS_TOAST_LOG:
    show_log(self, self->toast_path);
    break;
  }
}
