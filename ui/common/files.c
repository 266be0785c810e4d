/* SPDX-License-Identifier: MIT */
#include "ui/common/files.h"

#include <glib/gi18n-lib.h>

#define CHOSEN_KEY "ms-chosen"

/* NOLINTBEGIN(readability-function-size): a signature of GTK */
/* GTK finishes the drag itself because of GTK_DEST_DEFAULT_ALL. */
static void
on_received(GtkWidget *widget, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info, guint time,
            gpointer dropped)
{
  g_auto(GStrv) uris = gtk_selection_data_get_uris(data);

  ((MsDropFunc)dropped)(widget, uris);
}
/* NOLINTEND(readability-function-size) */

/** ms_drops_accept: calls @dropped whenever files are dropped on @widget. */
void
ms_drops_accept(GtkWidget *widget, MsDropFunc dropped)
{
  gtk_drag_dest_set(widget, GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_dest_add_uri_targets(widget);
  g_signal_connect(widget, "drag-data-received", G_CALLBACK(on_received), (gpointer)dropped);
}

static void
on_response(GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  MsFileFunc chosen = (MsFileFunc)g_object_get_data(G_OBJECT(dialog), CHOSEN_KEY);
  GSList *files = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog)) : NULL;

  for (GSList *l = files; l; l = l->next)
    chosen(widget, l->data);
  g_slist_free_full(files, g_object_unref);
  g_object_unref(dialog);
}

/** ms_files_choose: asks in a dialog of @widget's window, and calls @chosen with each file of the answer. */
void
ms_files_choose(GtkWidget *widget, const MsFileQuestion *question, MsFileFunc chosen)
{
  GtkWidget *window = gtk_widget_get_toplevel(widget);
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(question->title, GTK_IS_WINDOW(window) ? GTK_WINDOW(window) : NULL, question->action,
                                question->accept, _("_Cancel"));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER(dialog);

  gtk_file_chooser_set_select_multiple(chooser, question->several);
  gtk_file_chooser_set_do_overwrite_confirmation(chooser, TRUE);
  if (question->folder)
    gtk_file_chooser_set_current_folder(chooser, question->folder);
  if (question->name)
    gtk_file_chooser_set_current_name(chooser, question->name);
  if (question->prepare)
    question->prepare(chooser, widget);
  g_object_set_data(G_OBJECT(dialog), CHOSEN_KEY, (gpointer)chosen);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_response), widget, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* Files that are written */

/**
 * ms_files_saving: (transfer none): the files (GFile) that are being written for the window of @widget, which is not to
 * close before. Who writes one appends it and takes it out by ms_files_end_saving().
 */
GListStore *
ms_files_saving(GtkWidget *widget)
{
  static const char key[] = "ms-files-saving";
  GObject *window = G_OBJECT(gtk_widget_get_toplevel(widget));
  GListStore *saving = g_object_get_data(window, key);

  if (!saving)
    g_object_set_data_full(window, key, saving = g_list_store_new(G_TYPE_FILE), g_object_unref);
  return saving;
}

/** ms_files_end_saving: takes @file out of the list @saving, one of those that are equal. */
void
ms_files_end_saving(GListStore *saving, GFile *file)
{
  guint at;

  if (g_list_store_find(saving, file, &at))
    g_list_store_remove(saving, at);
}
