/* SPDX-License-Identifier: MIT */
#include "ui/window/window-tabs.h"

#include "ui/document/document-filter.h"
#include "ui/document/document-runs.h"
#include "ui/document/document-settings.h"
#include "ui/window/window-front.h"
#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>

/** ms_window_get_view: (transfer none) (nullable): the view in the current tab. */
MsImageView *
ms_window_get_view(MsWindow *self)
{
  int page = self->notebook ? gtk_notebook_get_current_page(GTK_NOTEBOOK(self->notebook)) : -1;

  return page >= 0 ? MS_IMAGE_VIEW(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), page)) : NULL;
}

guint
ms_window_get_n_documents(MsWindow *self)
{
  return self->notebook ? gtk_notebook_get_n_pages(GTK_NOTEBOOK(self->notebook)) : 0;
}

void
ms_window_tab_switched(MsWindow *self)
{
  ms_window_set_front(self, ms_window_get_view(self));
}

void
ms_window_tabs_changed(MsWindow *self)
{
  guint n = ms_window_get_n_documents(self);

  if (!self->notebook || gtk_widget_in_destruction(GTK_WIDGET(self)))
    return;
  gtk_notebook_set_show_tabs(GTK_NOTEBOOK(self->notebook), n > 1);
  gtk_stack_set_visible_child_name(GTK_STACK(self->pages), n > 0 ? "work" : "placeholder");
  if (n == 0)
    ms_window_set_front(self, NULL);
}

#define PAGE_KEY "ms-page"

/**
 * ms_window_tab_removed:
 *
 * Suppresses the notification of assistive technology about the new parent of a closed tab, because handling it reads
 * the label of the tab, which no longer exists, and GTK warns.
 */
void
ms_window_tab_removed(MsWindow *self, GtkWidget *view)
{
  GObject *page = g_object_get_data(G_OBJECT(view), PAGE_KEY);

  if (page)
    g_object_freeze_notify(page);
  ms_window_tabs_changed(self);
}

static void
stop_filtering(GtkWidget *view)
{
  MsDocument *document = ms_image_view_get_document(MS_IMAGE_VIEW(view));

  ms_document_set_live(document, FALSE);
  ms_document_cancel(document);
}

/**
 * ms_window_close_view: closes the tab of @view and cancels its run. The document is disconnected from the settings of
 * the window, since others may still refer to it and a closed picture must not be filtered.
 */
void
ms_window_close_view(GtkWidget *view)
{
  MsWindow *self = MS_WINDOW(gtk_widget_get_toplevel(view));

  g_signal_handlers_disconnect_by_data(self->settings, ms_image_view_get_document(MS_IMAGE_VIEW(view)));
  stop_filtering(view);
  gtk_widget_destroy(view);
}

static void
close_clicked_cb(GtkButton *button, GtkWidget *view)
{
  ms_window_close_view(view);
}

/** ms_window_close_tab: closes the current picture and cancels its run; no file changes. */
void
ms_window_close_tab(MsWindow *self)
{
  MsImageView *view = ms_window_get_view(self);

  if (view)
    ms_window_close_view(GTK_WIDGET(view));
}

/** ms_window_cancel_tabs: cancels the runs of all pictures. */
void
ms_window_cancel_tabs(MsWindow *self)
{
  for (guint i = 0; self->notebook && i < ms_window_get_n_documents(self); i++)
    stop_filtering(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), i));
}

static GtkWidget *
new_tab_label(GtkWidget *view, const char *title)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new(title);
  GtkWidget *button = gtk_button_new_from_icon_name("window-close-symbolic", GTK_ICON_SIZE_MENU);
  g_autofree char *name = g_strdup_printf(_("Close %s"), title);

  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars(GTK_LABEL(label), 16);
  gtk_widget_set_tooltip_text(label, title);
  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text(button, name);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_signal_connect(button, "clicked", G_CALLBACK(close_clicked_cb), view);
  gtk_box_pack_start(GTK_BOX(box), label, TRUE, TRUE, 0);
  gtk_box_pack_end(GTK_BOX(box), button, FALSE, FALSE, 0);
  gtk_widget_show_all(box);
  return box;
}

static MsViewMode
first_mode(MsWindow *self)
{
  MsImageView *front = ms_window_get_view(self);
  g_autofree char *name = g_settings_get_string(self->settings, "view-mode");

  if (front)
    return ms_image_view_get_mode(front);
  for (int i = 0; ms_view_mode_names[i]; i++)
    if (g_str_equal(ms_view_mode_names[i], name))
      return i;
  return MS_VIEW_SPLIT;
}

static void
picture_memory_changed_cb(GSettings *settings, const char *key, MsDocument *document)
{
  ms_document_set_memory_bound(document, (guint64)g_settings_get_int(settings, "picture-memory") << 20);
}

static void
live_changed_cb(GSettings *settings, const char *key, MsDocument *document)
{
  ms_document_set_live(document, g_settings_get_boolean(settings, "live"));
}

static MsDocument *
new_document(MsWindow *self, MsImage *image, GFile *file, const char *title)
{
  MsDocument *document = ms_document_new(self->engine, image, file, title);

  /* A new picture starts with the current settings, so that they can be tried on many pictures. */
  if (self->document) {
    ms_document_set_live(document, FALSE);
    ms_document_set_settings(document, ms_document_get_settings(self->document));
  }
  picture_memory_changed_cb(self->settings, NULL, document);
  live_changed_cb(self->settings, NULL, document);
  g_signal_connect_object(self->settings, "changed::picture-memory", G_CALLBACK(picture_memory_changed_cb), document,
                          0);
  g_signal_connect_object(self->settings, "changed::live", G_CALLBACK(live_changed_cb), document, 0);
  return document;
}

/* The first request waits for the size of the view, so that the visible part is computed first. */
static gboolean
first_request_cb(gpointer data)
{
  MsDocument *document = data;

  if (ms_document_is_live(document) && !ms_document_get_current_run(document) && !ms_document_is_busy(document))
    ms_document_request_filter(document);
  return G_SOURCE_REMOVE;
}

static guint
order_of(GtkWidget *view)
{
  return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(view), "ms-order"));
}

/* Tabs are in the order in which pictures were requested, not in which they were loaded. */
static int
place_for(MsWindow *self, guint order)
{
  int place = (int)ms_window_get_n_documents(self);

  while (place > 0 && order_of(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), place - 1)) > order)
    place--;
  return place;
}

/** ms_window_add_image: @file: (nullable): opens @image in a new tab. */
void
ms_window_add_image(MsWindow *self, MsImage *image, GFile *file, const char *title)
{
  ms_window_add_in_order(self, image, file, title, self->next_order++);
}

static void
name_page(MsWindow *self, GtkWidget *view, int page, const char *title)
{
  AtkObject *tab = atk_object_ref_accessible_child(gtk_widget_get_accessible(self->notebook), page);

  if (!tab)
    return;
  atk_object_set_name(tab, title);
  g_object_set_data_full(G_OBJECT(view), PAGE_KEY, tab, g_object_unref);
}

/**
 * ms_window_add_in_order: @order: taken from next_order when the picture was requested; the last requested is in front.
 */
void
ms_window_add_in_order(MsWindow *self, MsImage *image, GFile *file, const char *title, guint order)
{
  g_autoptr(MsDocument) document = new_document(self, image, file, title);
  GtkWidget *view = ms_image_view_new(document);
  MsViewMode mode = first_mode(self);
  int page;

  gtk_widget_show(view);
  ms_image_view_set_gain(MS_IMAGE_VIEW(view), g_settings_get_int(self->settings, "difference-gain"));
  ms_image_view_set_mode(MS_IMAGE_VIEW(view), mode);
  g_object_set_data(G_OBJECT(view), "ms-order", GUINT_TO_POINTER(order));
  page =
    gtk_notebook_insert_page(GTK_NOTEBOOK(self->notebook), view, new_tab_label(view, title), place_for(self, order));
  name_page(self, view, page, title);
  gtk_notebook_set_tab_reorderable(GTK_NOTEBOOK(self->notebook), view, TRUE);
  gtk_notebook_set_current_page(GTK_NOTEBOOK(self->notebook), page);
  ms_window_set_front(self, MS_IMAGE_VIEW(view));
  /* A view that is not on the screen must not get keys. */
  if (g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->workspaces)), "picture") == 0)
    gtk_widget_grab_focus(view);
  g_idle_add_full(G_PRIORITY_LOW, first_request_cb, g_object_ref(document), g_object_unref);
}
