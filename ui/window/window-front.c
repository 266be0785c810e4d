/* SPDX-License-Identifier: MIT */
#include "ui/window/window-front.h"

#include "ui/common/format.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document-filter.h"
#include "ui/document/document-runs.h"
#include "ui/image-view/image-view-readout.h"
#include "ui/image-view/image-view-zoom.h"
#include "ui/window/folder-strip.h"
#include "ui/window/window-actions.h"
#include "ui/window/window-message.h"
#include "ui/window/window-private.h"
#include "ui/window/window-tabs.h"
#include "ui/window/window-workspaces.h"

/* Shorter runs show no progress bar, because it would flicker. */
#define PROGRESS_DELAY_MS 400

/** ms_window_update_title: shows name, size and time of the picture in the header bar. */
void
ms_window_update_title(MsWindow *self)
{
  MsImage *source = self->document ? ms_document_get_source(self->document) : NULL;
  const char *title = self->document ? ms_document_get_title(self->document) : "Meanshift Lab";
  MsRun *run = self->document ? ms_document_get_current_run(self->document) : NULL;
  g_autofree char *size =
    source ? g_strdup_printf("%d × %d", ms_image_get_width(source), ms_image_get_height(source)) : NULL;
  g_autofree char *time = run ? ms_format_ms(ms_run_get_kernel_ms(run)) : NULL;
  g_autofree char *subtitle = run ? g_strdup_printf("%s — %s", size, time) : g_strdup(size);

  if (!self->notebook)
    return;
  g_autofree char *label = subtitle ? g_strdup_printf("%s, %s", title, subtitle) : g_strdup("");
  gtk_label_set_text(GTK_LABEL(self->title_label), label);
  gtk_widget_set_tooltip_text(self->title_label, label);
  gtk_window_set_title(GTK_WINDOW(self), title);
}

static void
update_readout(MsWindow *self)
{
  MsImageView *view = ms_window_get_view(self);
  double percent = view ? ms_image_view_get_zoom(view) * 100 : 100;
  g_autofree char *zoom = g_strdup_printf(percent < 10 ? "%.2g %%" : "%.0f %%", percent);
  g_autofree char *name = g_strdup_printf(_("Zoom, %s"), zoom);

  if (!self->notebook)
    return;
  gtk_label_set_text(GTK_LABEL(self->readout), view ? ms_image_view_get_readout(view) : "");
  gtk_label_set_text(GTK_LABEL(self->zoom_label), zoom);
  atk_object_set_name(gtk_widget_get_accessible(gtk_widget_get_ancestor(self->zoom_label, GTK_TYPE_MENU_BUTTON)), name);
}

static gboolean
show_progress_cb(gpointer data)
{
  MsWindow *self = data;

  self->progress_delay = 0;
  gtk_widget_show(self->progress_box);
  return G_SOURCE_REMOVE;
}

/* The time left is estimated only after this time, since an earlier estimate is inaccurate. */
#define ESTIMATE_MS 1000

/* (transfer full): the finished share, and for long runs the time left */
static char *
progress_text(MsDocument *document)
{
  double done = ms_document_get_progress(document), ms = ms_document_get_busy_ms(document);
  g_autofree char *left = done > 0 && ms >= ESTIMATE_MS ? ms_format_about(ms * (1 - done) / done) : NULL;

  if (done <= 0)
    return g_strdup("");
  return left ? g_strdup_printf(_("%.0f %%, about %s left"), done * 100, left) : g_strdup_printf("%.0f %%", done * 100);
}

/** ms_window_update_progress: updates the progress bar and the actions that depend on it. */
void
ms_window_update_progress(MsWindow *self)
{
  gboolean busy = self->document && ms_document_is_busy(self->document);

  if (!self->notebook)
    return;
  if (busy && self->progress_delay == 0 && !gtk_widget_get_visible(self->progress_box))
    self->progress_delay = g_timeout_add(PROGRESS_DELAY_MS, show_progress_cb, self);
  if (!busy) {
    g_clear_handle_id(&self->progress_delay, g_source_remove);
    gtk_widget_hide(self->progress_box);
  }
  g_autofree char *text = busy ? progress_text(self->document) : g_strdup("");
  gtk_label_set_text(GTK_LABEL(self->progress_text), text);
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), busy ? ms_document_get_progress(self->document) : 0);
  ms_window_update_actions(self);
}

static void
run_ended_cb(MsWindow *self)
{
  ms_window_update_title(self);
  update_readout(self);
  /* A successful run removes the message about a failed one. */
  if (gtk_info_bar_get_message_type(GTK_INFO_BAR(self->message_bar)) == GTK_MESSAGE_ERROR)
    ms_window_clear_message(self);
}

static void
problem_cb(MsWindow *self, const GError *error)
{
  ms_window_report_error(self, error);
}

static void
pictures_dropped_cb(MsWindow *self, guint n)
{
  g_autofree char *text = g_strdup_printf(
    g_dngettext(GETTEXT_PACKAGE,
                "%u earlier picture was removed to save memory; timings and settings are kept. The limit is set in "
                "Preferences.",
                "%u earlier pictures were removed to save memory; timings and settings are kept. The limit is set in "
                "Preferences.",
                n),
    n);

  ms_window_report(self, GTK_MESSAGE_INFO, text, MS_OFFER_NOTHING, NULL);
}

/* A click on a region shows the row of the region. */
static void
region_clicked_cb(MsWindow *self)
{
  if (self->only_picture)
    return;
  g_settings_set_boolean(self->settings, "bottom-panel", TRUE);
  gtk_stack_set_visible_child_name(GTK_STACK(self->bottom_stack), "regions");
}

static void
follow(MsWindow *self, MsDocument *document, MsImageView *view)
{
  g_signal_connect_object(document, "notify::current-run", G_CALLBACK(run_ended_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::busy", G_CALLBACK(ms_window_update_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::progress", G_CALLBACK(ms_window_update_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "settings-changed", G_CALLBACK(ms_window_update_actions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "settings-changed", G_CALLBACK(ms_window_update_lab_settings), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "problem", G_CALLBACK(problem_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "pictures-dropped", G_CALLBACK(pictures_dropped_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(view, "notify::readout", G_CALLBACK(update_readout), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(view, "notify::zoom", G_CALLBACK(update_readout), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(view, "region-clicked", G_CALLBACK(region_clicked_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(view, "notify::mode", G_CALLBACK(ms_window_update_actions), self, G_CONNECT_SWAPPED);
}

static void
unfollow(MsWindow *self, MsDocument *document)
{
  g_signal_handlers_disconnect_by_data(document, self);
  for (guint i = 0; i < ms_window_get_n_documents(self); i++)
    g_signal_handlers_disconnect_by_data(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), i), self);
}

/* @view: (nullable): the view whose mode the controls show and set */
static void
bind_controls(MsWindow *self, MsImageView *view)
{
  const GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;

  g_clear_pointer(&self->gain_binding, g_binding_unbind);
  g_clear_pointer(&self->region_picture_binding, g_binding_unbind);
  if (!view)
    return;
  self->gain_binding = g_object_bind_property(view, "gain", self->gain, "value", both);
  self->region_picture_binding = g_object_bind_property(view, "region-picture", self->region_picture, "active", both);
}

/** ms_window_set_front: @view: (nullable): the view whose title, readout and progress are shown */
void
ms_window_set_front(MsWindow *self, MsImageView *view)
{
  MsDocument *document = view ? ms_image_view_get_document(view) : NULL;

  if (document == self->document)
    return;
  if (self->document)
    unfollow(self, self->document);
  bind_controls(self, view);
  g_set_object(&self->document, document);
  if (document)
    follow(self, document, view);
  g_object_notify(G_OBJECT(self), "document");
  ms_folder_strip_set_file(MS_FOLDER_STRIP(self->folder_strip), document ? ms_document_get_file(document) : NULL);
  ms_window_show_message_of_tab(self);
  ms_window_update_lab_settings(self);
  ms_window_update_title(self);
  update_readout(self);
  ms_window_update_progress(self);
}

/** ms_window_leave_front: disconnects from the picture in front when the window is closed. */
void
ms_window_leave_front(MsWindow *self)
{
  if (self->document) {
    unfollow(self, self->document);
    g_clear_object(&self->document);
    g_object_notify(G_OBJECT(self), "document");
  }
  bind_controls(self, NULL);
  g_clear_handle_id(&self->message_timer, g_source_remove);
  g_clear_handle_id(&self->progress_delay, g_source_remove);
}
