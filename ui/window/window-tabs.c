/* SPDX-License-Identifier: MIT */
/* The tabs of a window, and what it shows of the picture in front: title, progress, readout. */
#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>

#include "ui/common/format.h"

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

/* The picture in front */

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
  g_autofree char *time = run && ms_run_get_kernel_ms(run) > 0 ? ms_format_ms(ms_run_get_kernel_ms(run)) : NULL;
  g_autofree char *subtitle = time ? g_strdup_printf("%s — %s", size, time) : g_strdup(size);

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
on_show_progress(gpointer data)
{
  MsWindow *self = data;

  self->progress_delay = 0;
  gtk_widget_show(self->progress_box);
  return G_SOURCE_REMOVE;
}

static char *
progress_text(MsDocument *document)
{
  const double done = ms_document_get_progress(document);

  if (done <= 0)
    return g_strdup(ms_document_is_compiling(document) ? _("Compiling…") : "");
  return ms_format_progress(done, ms_document_get_busy_ms(document));
}

/** ms_window_update_progress: updates the progress bar and the actions that depend on it. */
void
ms_window_update_progress(MsWindow *self)
{
  gboolean busy = self->document && ms_document_is_busy(self->document);

  if (!self->notebook)
    return;
  if (busy && self->progress_delay == 0 && !gtk_widget_get_visible(self->progress_box))
    self->progress_delay = g_timeout_add(PROGRESS_DELAY_MS, on_show_progress, self);
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
on_run_ended(MsWindow *self)
{
  ms_window_update_title(self);
  update_readout(self);
}

/* What is said about a picture, in front or behind */

/* (transfer none) (nullable) */
static MsWindow *
window_of(GtkWidget *view)
{
  GtkWidget *window = gtk_widget_get_toplevel(view);

  return MS_IS_WINDOW(window) ? MS_WINDOW(window) : NULL;
}

/* Without a device every request fails with the same words, which are said once for all pictures. */
static void
on_problem(GtkWidget *view, const GError *error, MsDocument *document)
{
  MsWindow *self = window_of(view);
  const GError *problem = ms_window_engine_get_problem(ms_document_get_engine(document));
  const gboolean is_of_device = problem && g_str_equal(problem->message, error->message);

  if (self)
    ms_window_report_error(self, is_of_device ? MS_TOPIC_DEVICE : MS_TOPIC_RUN, is_of_device ? NULL : document, error);
}

static void
on_run_succeeded(GtkWidget *view, GParamSpec *pspec, MsDocument *document)
{
  MsWindow *self = window_of(view);

  if (self)
    ms_window_run_succeeded(self, document);
}

static void
on_pictures_dropped(GtkWidget *view, guint n)
{
  MsWindow *self = window_of(view);
  g_autofree char *text = g_strdup_printf(
    g_dngettext(GETTEXT_PACKAGE,
                "%u earlier picture was removed to save memory; timings and settings are kept. The limit is set in "
                "Preferences.",
                "%u earlier pictures were removed to save memory; timings and settings are kept. The limit is set in "
                "Preferences.",
                n),
    n);

  if (self)
    ms_window_toast(self, text, MS_TOAST_PLAIN, NULL);
}

static void
on_run_removed(GtkWidget *view, MsRun *run, MsDocument *document)
{
  MsWindow *self = window_of(view);

  if (self)
    ms_window_toast_removed(self, document, run);
}

/* Unlike what follows the picture in front, as long as the picture is open. */
static void
listen(GtkWidget *view, MsDocument *document)
{
  g_signal_connect_object(document, "problem", G_CALLBACK(on_problem), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::current-run", G_CALLBACK(on_run_succeeded), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "pictures-dropped", G_CALLBACK(on_pictures_dropped), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "run-removed", G_CALLBACK(on_run_removed), view, G_CONNECT_SWAPPED);
}

/* A click on a region shows the row of the region. */
static void
on_region_clicked(MsWindow *self)
{
  if (self->only_picture)
    return;
  ms_window_show_details(self, "regions");
}

/** ms_window_add_front: what follows the picture in front and its view, whichever they are. */
void
ms_window_add_front(MsWindow *self)
{
  const GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  GSignalGroup *document = self->front = g_signal_group_new(MS_TYPE_DOCUMENT);
  GSignalGroup *view = self->front_view = g_signal_group_new(MS_TYPE_IMAGE_VIEW);

  g_signal_group_connect_swapped(document, "notify::current-run", G_CALLBACK(on_run_ended), self);
  g_signal_group_connect_swapped(document, "notify::busy", G_CALLBACK(ms_window_update_progress), self);
  g_signal_group_connect_swapped(document, "notify::progress", G_CALLBACK(ms_window_update_progress), self);
  g_signal_group_connect_swapped(document, "settings-changed", G_CALLBACK(ms_window_update_actions), self);
  g_signal_group_connect_swapped(document, "settings-changed", G_CALLBACK(ms_window_update_lab_settings), self);
  g_signal_group_connect_swapped(view, "readout-changed", G_CALLBACK(update_readout), self);
  g_signal_group_connect_swapped(view, "region-clicked", G_CALLBACK(on_region_clicked), self);
  g_signal_group_connect_swapped(view, "notify::mode", G_CALLBACK(ms_window_update_actions), self);
  self->controls = g_binding_group_new();
  g_binding_group_bind(self->controls, "gain", self->gain, "value", both);
  g_binding_group_bind(self->controls, "region-picture", self->region_picture, "active", both);
}

static void
follow_front(MsWindow *self, MsDocument *document, MsImageView *view)
{
  g_signal_group_set_target(self->front, document);
  g_signal_group_set_target(self->front_view, view);
  g_binding_group_set_source(self->controls, view);
}

/* @view: (nullable): the view whose title, readout and progress are shown */
static void
set_front(MsWindow *self, MsImageView *view)
{
  MsDocument *document = view ? ms_image_view_get_document(view) : NULL;

  if (document == self->document)
    return;
  g_set_object(&self->document, document);
  follow_front(self, document, view);
  g_object_notify(G_OBJECT(self), "document");
  ms_window_show_folder(self);
  ms_window_update_message(self);
  ms_window_update_lab_settings(self);
  ms_window_update_title(self);
  update_readout(self);
  ms_window_update_progress(self);
}

/** ms_window_leave_front: disconnects from the picture in front when the window is closed. */
void
ms_window_leave_front(MsWindow *self)
{
  follow_front(self, NULL, NULL);
  if (self->document) {
    g_clear_object(&self->document);
    g_object_notify(G_OBJECT(self), "document");
  }
  g_clear_handle_id(&self->toast_timer, g_source_remove);
  g_clear_object(&self->toast_document);
  g_clear_object(&self->toast_run);
  g_clear_handle_id(&self->progress_delay, g_source_remove);
}

/* Tabs */

void
ms_window_on_tab_switched(MsWindow *self)
{
  set_front(self, ms_window_get_view(self));
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
    set_front(self, NULL);
}

#define PAGE_KEY "ms-page"

/**
 * ms_window_on_tab_removed:
 *
 * Suppresses the notification of assistive technology about the new parent of a closed tab, because handling it reads
 * the label of the tab, which no longer exists, and GTK warns.
 */
void
ms_window_on_tab_removed(MsWindow *self, GtkWidget *view)
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
  g_autoptr(MsDocument) document = g_object_ref(ms_image_view_get_document(MS_IMAGE_VIEW(view)));

  g_signal_handlers_disconnect_by_data(self->settings, document);
  stop_filtering(view);
  gtk_widget_destroy(view);
  ms_window_forget_document(self, document);
}

static void
on_close_clicked(GtkButton *button, GtkWidget *view)
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

/** ms_window_show_document: brings the tab of a picture of this window to the front. */
void
ms_window_show_document(MsWindow *self, MsDocument *document)
{
  for (int i = 0; i < (int)ms_window_get_n_documents(self); i++)
    if (ms_image_view_get_document(MS_IMAGE_VIEW(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), i))) ==
        document)
      gtk_notebook_set_current_page(GTK_NOTEBOOK(self->notebook), i);
}

#define MARK_KEY "ms-mark"

/** ms_window_mark_tab: @failure: (nullable): why the newest run of the picture failed, which may be behind others */
void
ms_window_mark_tab(MsWindow *self, GtkWidget *view, const char *failure)
{
  GtkWidget *mark = g_object_get_data(G_OBJECT(view), MARK_KEY);

  gtk_widget_set_tooltip_text(mark, failure);
  gtk_widget_set_visible(mark, failure != NULL);
}

static GtkWidget *
new_mark(GtkWidget *view)
{
  GtkWidget *mark = gtk_image_new_from_icon_name("dialog-warning-symbolic", GTK_ICON_SIZE_MENU);

  gtk_widget_set_no_show_all(mark, TRUE);
  atk_object_set_name(gtk_widget_get_accessible(mark), _("The newest run failed"));
  g_object_set_data(G_OBJECT(view), MARK_KEY, mark);
  return mark;
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
  g_signal_connect(button, "clicked", G_CALLBACK(on_close_clicked), view);
  gtk_box_pack_start(GTK_BOX(box), new_mark(view), FALSE, FALSE, 0);
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
on_picture_memory_changed(GSettings *settings, const char *key, MsDocument *document)
{
  ms_document_set_memory_bound(document, (guint64)g_settings_get_int(settings, "picture-memory") << 20);
}

static void
on_live_changed(GSettings *settings, const char *key, MsDocument *document)
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
  on_picture_memory_changed(self->settings, NULL, document);
  on_live_changed(self->settings, NULL, document);
  g_signal_connect_object(self->settings, "changed::picture-memory", G_CALLBACK(on_picture_memory_changed), document,
                          0);
  g_signal_connect_object(self->settings, "changed::live", G_CALLBACK(on_live_changed), document, 0);
  return document;
}

/* The first request waits for the size of the view, so that the visible part is computed first. */
static gboolean
on_first_request(gpointer data)
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
 * ms_window_add_in_order:
 * @order: taken from next_order when the picture was requested; the last requested is in front
 *
 * Returns: (transfer none): the document
 */
MsDocument *
ms_window_add_in_order(MsWindow *self, MsImage *image, GFile *file, const char *title, guint order)
{
  g_autoptr(MsDocument) document = new_document(self, image, file, title);
  GtkWidget *view = ms_image_view_new(document);
  MsViewMode mode = first_mode(self);
  int page;

  listen(view, document);
  gtk_widget_show(view);
  ms_image_view_set_gain(MS_IMAGE_VIEW(view), g_settings_get_int(self->settings, "difference-gain"));
  ms_image_view_set_mode(MS_IMAGE_VIEW(view), mode);
  g_object_set_data(G_OBJECT(view), "ms-order", GUINT_TO_POINTER(order));
  page =
    gtk_notebook_insert_page(GTK_NOTEBOOK(self->notebook), view, new_tab_label(view, title), place_for(self, order));
  name_page(self, view, page, title);
  gtk_notebook_set_tab_reorderable(GTK_NOTEBOOK(self->notebook), view, TRUE);
  gtk_notebook_set_current_page(GTK_NOTEBOOK(self->notebook), page);
  set_front(self, MS_IMAGE_VIEW(view));
  /* A view that is not on the screen must not get keys. */
  if (g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->workspaces)), "picture") == 0)
    gtk_widget_grab_focus(view);
  g_idle_add_full(G_PRIORITY_LOW, on_first_request, g_object_ref(document), g_object_unref);
  return document; /* which its view keeps */
}
