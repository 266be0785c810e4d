/* SPDX-License-Identifier: MIT */
#include "ui/device-chooser.h"
#include "ui/options-panel.h"
#include "ui/panels.h"
#include "ui/window-private.h"

/* Shorter runs than this show no progress bar: it would only flicker. */
#define PROGRESS_DELAY_MS 400

G_DEFINE_FINAL_TYPE(MsWindow, ms_window, GTK_TYPE_APPLICATION_WINDOW)

enum {
  PROP_0,
  PROP_DOCUMENT,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

/** ms_window_get_view: (transfer none) (nullable): the view whose tab is in front. */
MsImageView *
ms_window_get_view(MsWindow *self)
{
  int page = self->notebook ? gtk_notebook_get_current_page(GTK_NOTEBOOK(self->notebook)) : -1;

  return page >= 0 ? MS_IMAGE_VIEW(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), page)) : NULL;
}

/** ms_window_get_document: (transfer none) (nullable): the picture whose tab is in front. */
MsDocument *
ms_window_get_document(MsWindow *self)
{
  return self->document;
}

guint
ms_window_get_n_documents(MsWindow *self)
{
  return self->notebook ? gtk_notebook_get_n_pages(GTK_NOTEBOOK(self->notebook)) : 0;
}

GtkWidget *
ms_window_get_options_panel(MsWindow *self)
{
  return self->options_panel;
}

/* The header bar says which picture, how large, and what it is computed on. */
static void
update_title(MsWindow *self)
{
  MsImage *source = self->document ? ms_document_get_source(self->document) : NULL;
  const char *title = self->document ? ms_document_get_title(self->document) : "Meanshift Lab";
  MsRun *run = self->document ? ms_document_get_current_run(self->document) : NULL;
  g_autofree char *size =
    source ? g_strdup_printf("%d × %d", ms_image_get_width(source), ms_image_get_height(source)) : NULL;
  g_autofree char *subtitle =
    run ? g_strdup_printf("%s — %.1f ms", size, ms_run_get_kernel_ms(run)) : g_strdup(size);

  if (!self->notebook)
    return;
  gtk_header_bar_set_title(GTK_HEADER_BAR(self->header), title);
  gtk_header_bar_set_subtitle(GTK_HEADER_BAR(self->header), subtitle);
  gtk_window_set_title(GTK_WINDOW(self), title);
}

static void
update_readout(MsWindow *self)
{
  MsImageView *view = ms_window_get_view(self);
  g_autofree char *zoom = g_strdup_printf("%.3g %%", view ? ms_image_view_get_zoom(view) * 100 : 100);
  g_autofree char *name = g_strdup_printf("Zoom, %s", zoom);

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

static void
update_progress(MsWindow *self)
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
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress),
                                busy ? ms_document_get_progress(self->document) : 0);
  ms_window_update_actions(self);
}

static void
run_ended_cb(MsWindow *self)
{
  update_title(self);
  update_readout(self);
  /* A run that went well takes back what was said about one that did not. */
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
  g_autofree char *text =
    g_strdup_printf("%u earlier %s left the memory; timings and settings are kept. Preferences say how much they may take.",
                    n, n == 1 ? "picture has" : "pictures have");

  ms_window_report(self, GTK_MESSAGE_INFO, text, MS_OFFER_NOTHING, NULL);
}

static void
follow(MsWindow *self, MsDocument *document, MsImageView *view)
{
  g_signal_connect_object(document, "notify::current-run", G_CALLBACK(run_ended_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::busy", G_CALLBACK(update_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::progress", G_CALLBACK(update_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "settings-changed", G_CALLBACK(ms_window_update_actions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "problem", G_CALLBACK(problem_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "pictures-dropped", G_CALLBACK(pictures_dropped_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(view, "notify::readout", G_CALLBACK(update_readout), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(view, "notify::zoom", G_CALLBACK(update_readout), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(view, "notify::mode", G_CALLBACK(ms_window_update_actions), self, G_CONNECT_SWAPPED);
}

static void
unfollow(MsWindow *self, MsDocument *document)
{
  g_signal_handlers_disconnect_by_data(document, self);
  for (guint i = 0; i < ms_window_get_n_documents(self); i++)
    g_signal_handlers_disconnect_by_data(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), i), self);
}

static void
bind_gain(MsWindow *self, MsImageView *view)
{
  g_clear_pointer(&self->gain_binding, g_binding_unbind);
  if (view)
    self->gain_binding =
      g_object_bind_property(view, "gain", self->gain, "value", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
}

static void
set_front(MsWindow *self, MsImageView *view)
{
  MsDocument *document = view ? ms_image_view_get_document(view) : NULL;

  if (document == self->document)
    return;
  if (self->document)
    unfollow(self, self->document);
  bind_gain(self, view);
  g_set_object(&self->document, document);
  if (document)
    follow(self, document, view);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_DOCUMENT]);
  update_title(self);
  update_readout(self);
  update_progress(self);
}

/* Tabs */

static void
switch_page_cb(MsWindow *self)
{
  set_front(self, ms_window_get_view(self));
}

static void
pages_changed_cb(MsWindow *self)
{
  guint n = ms_window_get_n_documents(self);

  if (!self->notebook || gtk_widget_in_destruction(GTK_WIDGET(self)))
    return;
  gtk_notebook_set_show_tabs(GTK_NOTEBOOK(self->notebook), n > 1);
  gtk_stack_set_visible_child_name(GTK_STACK(self->pages), n > 0 ? "work" : "placeholder");
  if (n == 0)
    set_front(self, NULL);
}

static void
close_view(MsWindow *self, GtkWidget *view)
{
  MsDocument *document = ms_image_view_get_document(MS_IMAGE_VIEW(view));

  ms_document_set_live(document, FALSE);
  ms_document_cancel(document);
  gtk_widget_destroy(view);
}

static void
close_clicked_cb(GtkButton *button, GtkWidget *view)
{
  MsWindow *self = MS_WINDOW(gtk_widget_get_toplevel(view));

  close_view(self, view);
}

/** ms_window_close_tab: closes the picture in front; its run ends, nothing on the disk changes. */
void
ms_window_close_tab(MsWindow *self)
{
  MsImageView *view = ms_window_get_view(self);

  if (view)
    close_view(self, GTK_WIDGET(view));
}

static GtkWidget *
new_tab_label(GtkWidget *view, const char *title)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new(title);
  GtkWidget *button = gtk_button_new_from_icon_name("window-close-symbolic", GTK_ICON_SIZE_MENU);
  g_autofree char *name = g_strdup_printf("Close %s", title);

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

  /* A new picture starts with the settings in front, so that one look can be tried on many. */
  if (self->document) {
    ms_document_set_live(document, FALSE);
    ms_document_set_settings(document, ms_document_get_settings(self->document), NULL);
  }
  picture_memory_changed_cb(self->settings, NULL, document);
  live_changed_cb(self->settings, NULL, document);
  g_signal_connect_object(self->settings, "changed::picture-memory", G_CALLBACK(picture_memory_changed_cb), document, 0);
  g_signal_connect_object(self->settings, "changed::live", G_CALLBACK(live_changed_cb), document, 0);
  return document;
}

/* The first request waits for the view to know its size, so that what is visible can come first. */
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

/* Pictures that were asked for together stand in the order in which they were named, not in which they were ready. */
static int
place_for(MsWindow *self, guint order)
{
  int place = (int)ms_window_get_n_documents(self);

  while (place > 0 && order_of(gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), place - 1)) > order)
    place--;
  return place;
}

/** ms_window_add_image: @file: (nullable): shows @image in a tab of its own, in front of the others. */
void
ms_window_add_image(MsWindow *self, MsImage *image, GFile *file, const char *title)
{
  ms_window_add_in_order(self, image, file, title, self->next_order++);
}

/** ms_window_add_in_order: @order: from next_order, when the picture was asked for; the newest asked for is in front. */
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
  page = gtk_notebook_insert_page(GTK_NOTEBOOK(self->notebook), view, new_tab_label(view, title),
                                  place_for(self, order));
  gtk_notebook_set_tab_reorderable(GTK_NOTEBOOK(self->notebook), view, TRUE);
  gtk_notebook_set_current_page(GTK_NOTEBOOK(self->notebook), page);
  set_front(self, MS_IMAGE_VIEW(view));
  gtk_widget_grab_focus(view);
  g_idle_add_full(G_PRIORITY_LOW, first_request_cb, g_object_ref(document), g_object_unref);
}

/* Keys */

static gboolean
takes_space(GtkWidget *focus)
{
  return focus && (GTK_IS_EDITABLE(focus) || GTK_IS_BUTTON(focus) || GTK_IS_TEXT_VIEW(focus) ||
                   GTK_IS_TREE_VIEW(focus) || GTK_IS_SWITCH(focus) || GTK_IS_LIST_BOX_ROW(focus) ||
                   GTK_IS_FLOW_BOX_CHILD(focus));
}

static gboolean
peek(MsWindow *self, GdkEventKey *event, gboolean down)
{
  MsImageView *view = ms_window_get_view(self);

  if (!view || event->keyval != GDK_KEY_space || (event->state & gtk_accelerator_get_default_mod_mask()) != 0 ||
      takes_space(gtk_window_get_focus(GTK_WINDOW(self))))
    return FALSE;
  ms_image_view_set_peek(view, down);
  return TRUE;
}

/* A field that is being typed in gets its keys before the window's shortcuts, which are plain digits too. */
static gboolean
ms_window_key_press(GtkWidget *widget, GdkEventKey *event)
{
  MsWindow *self = MS_WINDOW(widget);
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));

  if (focus && (GTK_IS_EDITABLE(focus) || GTK_IS_TEXT_VIEW(focus)) &&
      (event->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) == 0 &&
      gtk_window_propagate_key_event(GTK_WINDOW(self), event))
    return TRUE;
  return peek(self, event, TRUE) || GTK_WIDGET_CLASS(ms_window_parent_class)->key_press_event(widget, event);
}

static gboolean
ms_window_key_release(GtkWidget *widget, GdkEventKey *event)
{
  return peek(MS_WINDOW(widget), event, FALSE) ||
         GTK_WIDGET_CLASS(ms_window_parent_class)->key_release_event(widget, event);
}

/* State that is remembered */

static gboolean
ms_window_state_event(GtkWidget *widget, GdkEventWindowState *event)
{
  MsWindow *self = MS_WINDOW(widget);

  self->maximized = (event->new_window_state & GDK_WINDOW_STATE_MAXIMIZED) != 0;
  self->fullscreen = (event->new_window_state & GDK_WINDOW_STATE_FULLSCREEN) != 0;
  ms_window_update_actions(self);
  return GTK_WIDGET_CLASS(ms_window_parent_class)->window_state_event(widget, event);
}

static void
remember_size(MsWindow *self)
{
  int width, height;

  g_settings_set_boolean(self->settings, "window-maximized", self->maximized);
  if (self->maximized || self->fullscreen)
    return;
  gtk_window_get_size(GTK_WINDOW(self), &width, &height);
  g_settings_set_int(self->settings, "window-width", width);
  g_settings_set_int(self->settings, "window-height", height);
}

static void
remember_panels(MsWindow *self)
{
  int side = gtk_widget_get_allocated_width(self->side_panel);
  int bottom = gtk_widget_get_allocated_height(self->bottom_panel);

  if (ms_window_get_n_documents(self) == 0)
    return;
  if (gtk_widget_get_visible(self->side_panel) && side > 1)
    g_settings_set_int(self->settings, "side-panel-width", side);
  if (gtk_widget_get_visible(self->bottom_panel) && bottom > 1)
    g_settings_set_int(self->settings, "bottom-panel-height", bottom);
}

static void
restore_state(MsWindow *self)
{
  gtk_window_set_default_size(GTK_WINDOW(self), g_settings_get_int(self->settings, "window-width"),
                              g_settings_get_int(self->settings, "window-height"));
  if (g_settings_get_boolean(self->settings, "window-maximized"))
    gtk_window_maximize(GTK_WINDOW(self));
  gtk_widget_set_size_request(self->side_panel, 300, -1);
  g_settings_bind(self->settings, "side-panel", self->side_panel, "visible", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "bottom-panel", self->bottom_panel, "visible", G_SETTINGS_BIND_DEFAULT);
}

/* A GtkPaned counts from the left and the top; what is kept is the size of the panels. */
static void
place_panel(GtkWidget *paned, int extent, int size)
{
  if (extent > 1)
    gtk_paned_set_position(GTK_PANED(paned), MAX(extent - size, extent / 4));
}

static gboolean
place_panels_cb(gpointer data)
{
  MsWindow *self = data;

  place_panel(self->side_paned, gtk_widget_get_allocated_width(self->side_paned),
              g_settings_get_int(self->settings, "side-panel-width"));
  place_panel(self->bottom_paned, gtk_widget_get_allocated_height(self->bottom_paned),
              g_settings_get_int(self->settings, "bottom-panel-height"));
  return G_SOURCE_REMOVE;
}

static void
work_mapped_cb(MsWindow *self)
{
  g_signal_handlers_disconnect_by_func(self->side_paned, work_mapped_cb, self);
  g_idle_add_full(G_PRIORITY_HIGH_IDLE + 30, place_panels_cb, g_object_ref(self), g_object_unref);
}

static gboolean
ms_window_delete_event(GtkWidget *widget, GdkEventAny *event)
{
  MsWindow *self = MS_WINDOW(widget);

  remember_size(self);
  remember_panels(self);
  return GDK_EVENT_PROPAGATE;
}

static void
ms_window_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_DOCUMENT)
    g_value_set_object(value, MS_WINDOW(object)->document);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void
cancel_all(MsWindow *self)
{
  for (guint i = 0; self->notebook && i < ms_window_get_n_documents(self); i++) {
    GtkWidget *view = gtk_notebook_get_nth_page(GTK_NOTEBOOK(self->notebook), i);
    MsDocument *document = ms_image_view_get_document(MS_IMAGE_VIEW(view));
    ms_document_set_live(document, FALSE);
    ms_document_cancel(document);
  }
}

static void
ms_window_dispose(GObject *object)
{
  MsWindow *self = MS_WINDOW(object);

  if (self->closing)
    g_cancellable_cancel(self->closing);
  if (self->document) {
    cancel_all(self);
    unfollow(self, self->document);
    g_clear_object(&self->document);
    g_object_notify_by_pspec(object, properties[PROP_DOCUMENT]);
  }
  bind_gain(self, NULL);
  self->notebook = NULL;
  g_clear_handle_id(&self->progress_delay, g_source_remove);
  g_clear_object(&self->engine);
  g_clear_object(&self->settings);
  g_clear_object(&self->closing);
  G_OBJECT_CLASS(ms_window_parent_class)->dispose(object);
}

static void
ms_window_finalize(GObject *object)
{
  MsWindow *self = MS_WINDOW(object);

  g_free(self->message_detail);
  g_free(self->last_saved);
  G_OBJECT_CLASS(ms_window_parent_class)->finalize(object);
}

static void
message_response_cb(MsWindow *self, int response)
{
  if (response == 1)
    ms_window_show_log(self);
  if (response == 2)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->device_chooser), TRUE);
  if (response == 3)
    g_action_group_activate_action(G_ACTION_GROUP(self), "use-processor", NULL);
  if (response != 1)
    ms_window_clear_message(self);
}

static void
message_close_cb(MsWindow *self)
{
  ms_window_clear_message(self);
}

#define BIND(name) gtk_widget_class_bind_template_child(widget_class, MsWindow, name)

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(widget_class, "/io/github/meanshift_lab/MeanshiftLab/ui/window.ui");
  BIND(header);
  BIND(recent_button);
  BIND(device_chooser);
  BIND(pages);
  BIND(notebook);
  BIND(side_paned);
  BIND(bottom_paned);
  BIND(side_panel);
  BIND(bottom_panel);
  BIND(bottom_stack);
  BIND(options_panel);
  BIND(status_bar);
  BIND(readout);
  BIND(zoom_label);
  BIND(gain);
  BIND(gain_box);
  BIND(progress_box);
  BIND(progress);
  BIND(message_revealer);
  BIND(message_bar);
  BIND(message);
  BIND(message_log);
  BIND(message_cpu);
  BIND(message_device);
  gtk_widget_class_bind_template_callback(widget_class, switch_page_cb);
  gtk_widget_class_bind_template_callback(widget_class, pages_changed_cb);
  gtk_widget_class_bind_template_callback(widget_class, message_response_cb);
  gtk_widget_class_bind_template_callback(widget_class, message_close_cb);
}

static void
ms_window_class_init(MsWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  object_class->get_property = ms_window_get_property;
  object_class->dispose = ms_window_dispose;
  object_class->finalize = ms_window_finalize;
  widget_class->key_press_event = ms_window_key_press;
  widget_class->key_release_event = ms_window_key_release;
  widget_class->window_state_event = ms_window_state_event;
  widget_class->delete_event = ms_window_delete_event;
  properties[PROP_DOCUMENT] =
    g_param_spec_object("document", NULL, NULL, MS_TYPE_DOCUMENT, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  g_type_ensure(MS_TYPE_DEVICE_CHOOSER);
  g_type_ensure(MS_TYPE_OPTIONS_PANEL);
  bind_template(widget_class);
}

static void
ms_window_init(MsWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->closing = g_cancellable_new();
  ms_window_accept_drops(self);
  g_signal_connect_swapped(self->side_paned, "map", G_CALLBACK(work_mapped_cb), self);
  g_object_bind_property(self, "document", self->options_panel, "document", G_BINDING_SYNC_CREATE);
}

static void
device_chosen_cb(MsWindow *self, const char *wish)
{
  g_settings_set_string(self->settings, "device", wish);
}

static void
engine_changed_cb(MsWindow *self)
{
  const GError *problem = ms_engine_get_problem(self->engine);

  if (problem && ms_engine_get_state(self->engine) == MS_ENGINE_FAILED)
    ms_window_report_error(self, problem);
  else if (ms_engine_get_state(self->engine) == MS_ENGINE_READY)
    ms_window_clear_message(self);
}

static void
recent_chosen_cb(GtkRecentChooser *chooser, MsWindow *self)
{
  g_autofree char *uri = gtk_recent_chooser_get_current_uri(chooser);
  g_autoptr(GFile) file = uri ? g_file_new_for_uri(uri) : NULL;

  if (file)
    ms_window_open(self, file);
}

static void
add_recent_menu(MsWindow *self)
{
  GtkWidget *menu = gtk_recent_chooser_menu_new();
  GtkRecentFilter *filter = gtk_recent_filter_new();

  gtk_recent_filter_add_application(filter, g_get_application_name());
  gtk_recent_chooser_add_filter(GTK_RECENT_CHOOSER(menu), filter);
  gtk_recent_chooser_set_sort_type(GTK_RECENT_CHOOSER(menu), GTK_RECENT_SORT_MRU);
  gtk_recent_chooser_set_show_not_found(GTK_RECENT_CHOOSER(menu), FALSE);
  gtk_recent_chooser_set_local_only(GTK_RECENT_CHOOSER(menu), FALSE);
  g_signal_connect(menu, "item-activated", G_CALLBACK(recent_chosen_cb), self);
  gtk_menu_button_set_popup(GTK_MENU_BUTTON(self->recent_button), menu);
}

/** ms_window_new: (transfer none): an empty window; GTK holds it until it is closed. */
MsWindow *
ms_window_new(GtkApplication *application, MsEngine *engine, GSettings *settings)
{
  MsWindow *self = g_object_new(MS_TYPE_WINDOW, "application", application, NULL);

  self->engine = g_object_ref(engine);
  self->settings = g_object_ref(settings);
  ms_panels_add(GTK_STACK(self->bottom_stack), G_OBJECT(self));
  g_settings_bind(settings, "bottom-page", self->bottom_stack, "visible-child-name", G_SETTINGS_BIND_DEFAULT);
  ms_window_add_actions(self);
  ms_device_chooser_set_engine(MS_DEVICE_CHOOSER(self->device_chooser), engine);
  g_signal_connect_object(self->device_chooser, "chosen", G_CALLBACK(device_chosen_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(engine, "changed", G_CALLBACK(engine_changed_cb), self, G_CONNECT_SWAPPED);
  add_recent_menu(self);
  restore_state(self);
  update_title(self);
  update_progress(self);
  return self;
}
