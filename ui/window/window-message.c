/* SPDX-License-Identifier: MIT */

#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/common/format.h"

/*
 * The bar shows the newest of the most serious messages that are about the window or about the picture in front. Each
 * stays until a person dismisses it or until what it says is over, whatever tab is in front meanwhile.
 */

/* @is_alone: a further message replaces it, since it tells the state of the same thing */
static const struct {
  GtkMessageType type;
  gboolean is_alone;
} topics[] = {
  [MS_TOPIC_RUN] = {GTK_MESSAGE_ERROR, TRUE},      [MS_TOPIC_DEVICE] = {GTK_MESSAGE_ERROR, TRUE},
  [MS_TOPIC_DRIVER] = {GTK_MESSAGE_WARNING, TRUE}, [MS_TOPIC_TASK] = {GTK_MESSAGE_ERROR, FALSE},
  [MS_TOPIC_FILE] = {GTK_MESSAGE_WARNING, FALSE},  [MS_TOPIC_LOSSES] = {GTK_MESSAGE_INFO, TRUE},
};

typedef struct {
  MsTopic topic;
  MsDocument *about; /* (nullable): %NULL for the window */
  char *text;
  MsOffer offers;
  char *detail;
  gboolean is_over; /* what failed has succeeded since */
} Message;

static GtkMessageType
type_of(const Message *message)
{
  return message->is_over ? GTK_MESSAGE_INFO : topics[message->topic].type;
}

static void
message_free(gpointer data)
{
  Message *message = data;

  g_clear_object(&message->about);
  g_free(message->text);
  g_free(message->detail);
  g_free(message);
}

/** ms_window_new_messages: (transfer full): an empty list of messages, the newest last. */
GPtrArray *
ms_window_new_messages(void)
{
  return g_ptr_array_new_with_free_func(message_free);
}

/* (transfer none) (nullable): what the bar shows */
static const Message *
shown_message(MsWindow *self)
{
  const Message *shown = NULL;

  for (guint i = 0; i < self->messages->len; i++) {
    const Message *message = self->messages->pdata[i];
    if ((!message->about || message->about == self->document) && (!shown || type_of(message) >= type_of(shown)))
      shown = message;
  }
  return shown;
}

/** ms_window_get_message: (transfer none): the text of the info bar, else of the toast, empty while both are hidden. */
const char *
ms_window_get_message(MsWindow *self)
{
  const Message *message = shown_message(self);

  if (message)
    return message->text;
  return gtk_revealer_get_reveal_child(GTK_REVEALER(self->toast)) ? gtk_label_get_text(GTK_LABEL(self->toast_text))
                                                                  : "";
}

/* (transfer none) (nullable): why the newest run of the picture failed */
static const char *
failure_of(MsWindow *self, MsDocument *document)
{
  for (guint i = 0; i < self->messages->len; i++) {
    const Message *message = self->messages->pdata[i];
    if (message->topic == MS_TOPIC_RUN && message->about == document && !message->is_over)
      return message->text;
  }
  return NULL;
}

/** ms_window_update_message: shows what is to be said now in the bar, and marks the tabs of pictures that failed. */
void
ms_window_update_message(MsWindow *self)
{
  const Message *message = shown_message(self);

  if (!self->notebook)
    return;
  for (guint i = 0; i < ms_window_get_n_documents(self); i++) {
    GtkWidget *view = gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), (int)i);
    ms_window_mark_tab(self, view, failure_of(self, ms_image_view_get_document(MS_IMAGE_VIEW(view))));
  }
  gtk_revealer_set_reveal_child(GTK_REVEALER(self->message_revealer), message != NULL);
  if (!message)
    return;
  gtk_info_bar_set_message_type(GTK_INFO_BAR(self->message_bar), type_of(message));
  gtk_label_set_text(GTK_LABEL(self->message), message->text);
  gtk_widget_set_visible(self->message_log, (message->offers & MS_OFFER_LOG) != 0);
  gtk_widget_set_visible(self->message_device, (message->offers & MS_OFFER_DEVICE) != 0);
  gtk_widget_set_visible(self->message_cpu, (message->offers & MS_OFFER_CPU) != 0);
}

/** ms_window_forget: takes back what was said of @topic about a picture, %NULL for the window: it is over. */
void
ms_window_forget(MsWindow *self, MsTopic topic, MsDocument *about)
{
  for (guint i = self->messages->len; i-- > 0;) {
    const Message *message = self->messages->pdata[i];
    if (message->topic == topic && message->about == about)
      g_ptr_array_remove_index(self->messages, i);
  }
  ms_window_update_message(self);
}

/** ms_window_run_succeeded: says so beside the failure before, which stays until it is dismissed. */
void
ms_window_run_succeeded(MsWindow *self, MsDocument *document)
{
  for (guint i = 0; i < self->messages->len; i++) {
    Message *message = self->messages->pdata[i];
    if (message->topic != MS_TOPIC_RUN || message->about != document || message->is_over)
      continue;
    g_autofree char *text = g_steal_pointer(&message->text);
    message->text = g_strdup_printf(_("%s The picture has been filtered since."), text);
    message->offers &= MS_OFFER_LOG;
    message->is_over = TRUE;
  }
  ms_window_update_message(self);
}

/** ms_window_forget_document: takes back what was said about a picture that is closed. */
void
ms_window_forget_document(MsWindow *self, MsDocument *document)
{
  for (guint i = self->messages->len; i-- > 0;)
    if (((const Message *)self->messages->pdata[i])->about == document)
      g_ptr_array_remove_index(self->messages, i);
  if (self->toast_document == document)
    ms_window_hide_toast(self);
  ms_window_update_message(self);
}

/**
 * ms_window_report:
 * @about: (nullable): the picture that it is about, whose tab may be behind others; %NULL for the window
 * @detail: (nullable): shown by MS_OFFER_LOG
 */
void
ms_window_report(MsWindow *self, MsTopic topic, MsDocument *about, const char *text, MsOffer offers, const char *detail)
{
  Message *message = g_new0(Message, 1);

  *message = (Message){topic, about ? g_object_ref(about) : NULL, ms_words_of_window(text), offers, g_strdup(detail)};
  if (topics[topic].is_alone)
    ms_window_forget(self, topic, about);
  g_ptr_array_add(self->messages, message);
  ms_window_update_message(self);
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

/** ms_window_report_error: says an error with buttons that may help; a build log is available through one of them. */
void
ms_window_report_error(MsWindow *self, MsTopic topic, MsDocument *about, const GError *error)
{
  const char *end = strchr(error->message, '\n');
  g_autofree char *sentence = end ? g_strndup(error->message, end - error->message) : g_strdup(error->message);
  MsOffer offers = offers_for(error);

  if (end)
    offers |= MS_OFFER_LOG;
  ms_window_report(self, topic, about, sentence, offers, error->message);
}

/** ms_window_dismiss_message: forgets the message of the bar, behind which an earlier one comes up, or the toast. */
void
ms_window_dismiss_message(MsWindow *self)
{
  const Message *message = shown_message(self);

  if (message)
    g_ptr_array_remove(self->messages, (gpointer)message);
  else
    ms_window_hide_toast(self);
  ms_window_update_message(self);
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
  const Message *message = shown_message(self);

  if (response == 1 && message)
    show_log(self, message->detail);
  if (response == 2)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->device_chooser), TRUE);
  if (response == 3)
    g_action_group_activate_action(G_ACTION_GROUP(self), "use-processor", NULL);
  if (response != 1)
    ms_window_dismiss_message(self);
}

/* Toasts */

/* Time after which a toast leaves. */
#define TOAST_S 5

void
ms_window_hide_toast(MsWindow *self)
{
  g_clear_handle_id(&self->toast_timer, g_source_remove);
  g_clear_object(&self->toast_document);
  g_clear_object(&self->toast_run);
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

/** ms_window_toast_removed: says that a run was removed, which the button puts back whatever tab is in front then. */
void
ms_window_toast_removed(MsWindow *self, MsDocument *document, MsRun *run)
{
  g_autofree char *text = g_strdup_printf(_("The run '%s' was deleted."), ms_run_get_label(run));

  ms_window_toast(self, text, MS_TOAST_UNDO, NULL);
  self->toast_document = g_object_ref(document);
  self->toast_run = g_object_ref(run);
}

static void
show_folder(MsWindow *self, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path), folder = g_file_get_parent(file);
  g_autofree char *uri = g_file_get_uri(folder ? folder : file);
  g_autoptr(GError) error = NULL;

  if (!gtk_show_uri_on_window(GTK_WINDOW(self), uri, GDK_CURRENT_TIME, &error))
    ms_window_report_error(self, MS_TOPIC_TASK, NULL, error);
}

/** ms_window_on_toast_clicked: does what the button of the toast offers. */
void
ms_window_on_toast_clicked(MsWindow *self)
{
  g_autoptr(MsDocument) document = g_steal_pointer(&self->toast_document);
  g_autoptr(MsRun) run = g_steal_pointer(&self->toast_run);

  ms_window_hide_toast(self);
  switch (self->toast_offer) {
  case MS_TOAST_PLAIN:
    break;
  case MS_TOAST_FOLDER:
    show_folder(self, self->toast_path);
    break;
  case MS_TOAST_UNDO:
    if (document && ms_document_get_removed_run(document) == run) {
      ms_document_undo_removal(document);
      ms_window_show_document(self, document);
    }
    break;
  case MS_TOAST_LOG:
    show_log(self, self->toast_path);
    break;
  }
}
