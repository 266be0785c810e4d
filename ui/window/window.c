/* SPDX-License-Identifier: MIT */
/* The window: its panels and workspaces, and its keys. */
#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>

#include "ui/batch/batch-page.h"
#include "ui/common/files.h"
#include "ui/common/format.h"
#include "ui/options/device-chooser.h"
#include "ui/options/options-panel.h"
#include "ui/panels/compare/compare-panel.h"
#include "ui/panels/experiment/experiment-panel.h"
#include "ui/panels/kernel/source-view.h"
#include "ui/panels/regions/regions-panel.h"
#include "ui/panels/reports/reports-panel.h"
#include "ui/panels/runs/run-strip.h"
#include "ui/panels/runs/runs-panel.h"
#include "ui/panels/statistics/histogram-view.h"
#include "ui/panels/statistics/statistics-panel.h"
#include "ui/panels/timing/timing-view.h"
#include "ui/panels/tune/tune-panel.h"

G_DEFINE_FINAL_TYPE(MsWindow, ms_window, GTK_TYPE_APPLICATION_WINDOW)

enum {
  PROP_0,
  PROP_DOCUMENT,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

/** ms_window_get_document: (transfer none) (nullable): the picture in the current tab. */
MsDocument *
ms_window_get_document(MsWindow *self)
{
  return self->document;
}

/* The panels */

#define LEAST_HEIGHT 190

typedef struct {
  GType (*type)(void);
  const char *name;
  const char *title;
  gboolean in_lab;
  gboolean in_left; /* whether the side at the left has its short form, too */
  gboolean grows;   /* whether the short form takes the height that the others leave */
  const char *flag; /* (nullable): a boolean property that is set on this page's panel, whose type other pages share */
} Page;

static const Page pages[] = {
  {ms_timing_view_get_type, "timings", N_("Timings"), FALSE, TRUE},
  {ms_histogram_view_get_type, "histogram", N_("Histogram"), FALSE, TRUE, .grows = TRUE},
  {ms_statistics_panel_get_type, "statistics", N_("Statistics"), FALSE, TRUE},
  {ms_regions_panel_get_type, "regions", N_("Regions"), FALSE, FALSE},
  {ms_runs_panel_get_type, "runs", N_("Runs"), FALSE, FALSE},
  {ms_experiment_panel_get_type, "experiments", N_("Experiments"), TRUE, FALSE},
  {ms_experiment_panel_get_type, "learn", N_("Learn"), TRUE, FALSE, .flag = "learn"},
  {ms_compare_panel_get_type, "compare", N_("Compare"), TRUE, FALSE},
  {ms_tune_panel_get_type, "tune", N_("Tune"), TRUE, FALSE},
  {ms_reports_panel_get_type, "reports", N_("Reports"), TRUE, FALSE},
  {ms_source_view_get_type, "kernel", N_("Kernel"), TRUE, FALSE},
};

static void
on_panel_problem(MsWindow *self, const GError *error)
{
  ms_window_report_error(self, MS_TOPIC_TASK, NULL, error);
}

static GtkWidget *
new_panel(const Page *page, GObject *window, gboolean compact)
{
  GtkWidget *panel = g_object_new(page->type(), "visible", TRUE, "engine", MS_WINDOW(window)->engine, "compact",
                                  compact, page->flag, TRUE, NULL);

  g_object_bind_property(window, "document", panel, "document", G_BINDING_SYNC_CREATE);
  g_signal_connect_object(panel, "problem", G_CALLBACK(on_panel_problem), window, G_CONNECT_SWAPPED);
  return panel;
}

/* Panels scroll, so that no page makes the window larger than the screen. @panel: (nullable) */
static GtkWidget *
wrap(GtkWidget *panel, int least_height)
{
  GtkWidget *scrolled = gtk_scrolled_window_new(NULL, NULL);

  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scrolled), least_height);
  if (panel)
    gtk_container_add(GTK_CONTAINER(scrolled), panel);
  gtk_widget_show(scrolled);
  return scrolled;
}

/** ms_window_show_details: opens the drawer below the picture with the page of that name. */
void
ms_window_show_details(MsWindow *self, const char *page)
{
  g_settings_set_boolean(self->settings, "details", TRUE);
  gtk_stack_set_visible_child_name(GTK_STACK(self->details_stack), page);
}

static void
on_open_clicked(MsWindow *self, GtkWidget *button)
{
  ms_window_show_details(self, gtk_widget_get_name(button));
}

/* The button beside the title of a short form, which opens the full one. */
static GtkWidget *
new_opener(MsWindow *self, const Page *page)
{
  GtkWidget *button = gtk_button_new_from_icon_name("view-more-horizontal-symbolic", GTK_ICON_SIZE_MENU);
  g_autofree char *name = g_strdup_printf(_("Open %s"), _(page->title));

  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  gtk_widget_set_halign(button, GTK_ALIGN_END);
  gtk_widget_set_valign(button, GTK_ALIGN_START);
  gtk_widget_set_name(button, page->name);
  gtk_widget_set_tooltip_text(button, name);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  gtk_style_context_add_class(gtk_widget_get_style_context(button), "short");
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_open_clicked), self, G_CONNECT_SWAPPED);
  gtk_widget_show(button);
  return button;
}

/* Adds a panel in its short form to the left side, where it folds under its title. */
static void
add_section(MsWindow *self, const Page *page)
{
  GtkWidget *overlay = gtk_overlay_new(), *expander = gtk_expander_new(_(page->title));
  g_autofree char *key = g_strdup_printf("show-%s", page->name);

  gtk_expander_set_label_fill(GTK_EXPANDER(expander), TRUE);
  gtk_style_context_add_class(gtk_widget_get_style_context(gtk_expander_get_label_widget(GTK_EXPANDER(expander))),
                              "panel-heading");
  gtk_container_add(GTK_CONTAINER(expander), new_panel(page, G_OBJECT(self), TRUE));
  g_settings_bind(self->settings, key, expander, "expanded", G_SETTINGS_BIND_DEFAULT);
  if (page->grows)
    g_object_bind_property(expander, "expanded", overlay, "vexpand", G_BINDING_SYNC_CREATE);
  else
    gtk_widget_set_vexpand(overlay, FALSE);
  gtk_container_add(GTK_CONTAINER(overlay), expander);
  gtk_overlay_add_overlay(GTK_OVERLAY(overlay), new_opener(self, page));
  gtk_style_context_add_class(gtk_widget_get_style_context(overlay), "section");
  gtk_container_add(GTK_CONTAINER(self->left_box), overlay);
  gtk_widget_show(expander);
  gtk_widget_show(overlay);
}

/* A page gets its panel when it is first shown, because creating all of them delays the first picture. */
static void
on_fill(GtkContainer *scrolled, GObject *window)
{
  const Page *page = g_object_get_data(G_OBJECT(scrolled), "ms-page");

  g_signal_handlers_disconnect_by_func(scrolled, on_fill, window);
  gtk_container_add(scrolled, new_panel(page, window, FALSE));
}

static GtkWidget *
new_page(const Page *page, GObject *window)
{
  GtkWidget *scrolled = wrap(NULL, LEAST_HEIGHT);

  g_object_set_data(G_OBJECT(scrolled), "ms-page", (gpointer)page);
  g_signal_connect_object(scrolled, "map", G_CALLBACK(on_fill), window, 0);
  return scrolled;
}

/* Adds a page for every panel to its stack; panels follow the property "document" of the window. */
static void
add_panels(MsWindow *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    GtkWidget *stack = pages[i].in_lab ? self->lab_stack : self->details_stack;
    gtk_stack_add_titled(GTK_STACK(stack), new_page(&pages[i], G_OBJECT(self)), pages[i].name, _(pages[i].title));
    if (pages[i].in_left)
      add_section(self, &pages[i]);
  }
}

/* The workspaces */

/** ms_window_show_workspace: @name: picture, lab or batch */
void
ms_window_show_workspace(MsWindow *self, const char *name)
{
  gtk_stack_set_visible_child_name(GTK_STACK(self->workspaces), name);
}

/** ms_window_show_reports: adds the reports of files to the page Reports of the workspace Lab, and shows it. */
void
ms_window_show_reports(MsWindow *self, const char *const *paths)
{
  GtkStack *stack = GTK_STACK(self->lab_stack);
  GtkBin *page = GTK_BIN(gtk_stack_get_child_by_name(stack, "reports"));

  ms_window_show_workspace(self, "lab");
  gtk_stack_set_visible_child(stack, GTK_WIDGET(page));
  if (!gtk_bin_get_child(page)) /* a window that is not shown yet */
    on_fill(GTK_CONTAINER(page), G_OBJECT(self));
  ms_reports_panel_add(MS_REPORTS_PANEL(gtk_bin_get_child(GTK_BIN(gtk_bin_get_child(page)))), paths);
}

/** ms_window_update_lab_settings: shows the current settings in the workspace Lab. */
void
ms_window_update_lab_settings(MsWindow *self)
{
  g_autofree char *text = NULL;

  if (!self->notebook)
    return;
  if (self->document)
    text = ms_settings_text(ms_document_get_settings(self->document), NULL, TRUE);
  gtk_label_set_text(GTK_LABEL(self->lab_settings), text ? text : _("No picture is open."));
  atk_object_set_description(gtk_widget_get_accessible(self->lab_button), text ? text : "");
  gtk_widget_set_sensitive(self->lab_button, text != NULL);
}

/* The controls are created when they are first shown, and are updated only while they are visible. */
static void
on_lab_settings_shown(MsWindow *self)
{
  if (!gtk_bin_get_child(GTK_BIN(self->lab_popover))) {
    GtkWidget *panel = g_object_new(MS_TYPE_OPTIONS_PANEL, "visible", TRUE, NULL);
    ms_options_panel_put_toggles_first(MS_OPTIONS_PANEL(panel));
    g_signal_connect_object(panel, "problem", G_CALLBACK(on_panel_problem), self, G_CONNECT_SWAPPED);
    gtk_widget_set_size_request(panel, 340, 400);
    gtk_container_add(GTK_CONTAINER(self->lab_popover), panel);
  }
  g_object_set(gtk_bin_get_child(GTK_BIN(self->lab_popover)), "document", self->document, NULL);
}

static void
on_lab_settings_hidden(GtkBin *popover)
{
  if (gtk_bin_get_child(popover))
    g_object_set(gtk_bin_get_child(popover), "document", NULL, NULL);
}

static void
on_open(MsWindow *self, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);

  ms_window_show_workspace(self, "picture");
  ms_window_open(self, file);
}

static void
on_workspace_changed(MsWindow *self)
{
  GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self), "workspace");
  const char *name = gtk_stack_get_visible_child_name(GTK_STACK(self->workspaces));

  if (name && action)
    g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_string(name));
}

/* Fills the workspaces with their panels and restores which one was in use. */
static void
add_workspaces(MsWindow *self)
{
  add_panels(self);
  g_object_bind_property(self, "document", self->run_strip, "document", G_BINDING_SYNC_CREATE);
  ms_batch_page_set_engine(MS_BATCH_PAGE(self->batch), self->engine);
  g_object_bind_property(self, "document", self->batch, "document", G_BINDING_SYNC_CREATE);
  g_signal_connect_object(self->lab_popover, "show", G_CALLBACK(on_lab_settings_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect(self->lab_popover, "hide", G_CALLBACK(on_lab_settings_hidden), NULL);
  g_signal_connect_object(self->batch, "open", G_CALLBACK(on_open), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->workspaces, "notify::visible-child", G_CALLBACK(on_workspace_changed), self,
                          G_CONNECT_SWAPPED);
  g_settings_bind(self->settings, "details-page", self->details_stack, "visible-child-name", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "lab-page", self->lab_stack, "visible-child-name", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "workspace", self->workspaces, "visible-child-name", G_SETTINGS_BIND_DEFAULT);
}

/* Keys */

/* Space released within this time activates the focused control; held longer it shows the original. */
#define TAP_MS 300

static gboolean
types_space(GtkWidget *focus)
{
  return focus && (GTK_IS_EDITABLE(focus) || GTK_IS_TEXT_VIEW(focus) || GTK_IS_TREE_VIEW(focus));
}

static gboolean
peek(MsWindow *self, GdkEventKey *event, gboolean down)
{
  MsImageView *view = ms_window_get_view(self);
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));

  if (!view || event->keyval != GDK_KEY_space || (event->state & gtk_accelerator_get_default_mod_mask()) != 0 ||
      types_space(focus))
    return FALSE;
  if (down && !self->space_down)
    self->space_down = event->time;
  else if (!down && focus && focus != GTK_WIDGET(view) && event->time - self->space_down < TAP_MS)
    gtk_widget_activate(focus);
  if (!down)
    self->space_down = 0;
  ms_image_view_set_peek(view, down);
  return TRUE;
}

/* Lists and fields use these keys themselves, so they are handled here only for the picture. */
static gboolean
turn_page(MsWindow *self, GdkEventKey *event)
{
  gboolean down = event->keyval == GDK_KEY_Page_Down || event->keyval == GDK_KEY_KP_Page_Down;
  gboolean up = event->keyval == GDK_KEY_Page_Up || event->keyval == GDK_KEY_KP_Page_Up;

  if ((!down && !up) || (event->state & gtk_accelerator_get_default_mod_mask()) != 0)
    return FALSE;
  ms_window_open_neighbour(self, down ? 1 : -1);
  return TRUE;
}

/* A text field gets keys before the window's shortcuts, which include plain digits. */
static gboolean
ms_window_key_press(GtkWidget *widget, GdkEventKey *event)
{
  MsWindow *self = MS_WINDOW(widget);
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));

  if (focus && (GTK_IS_EDITABLE(focus) || GTK_IS_TEXT_VIEW(focus)) &&
      (event->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) == 0 &&
      gtk_window_propagate_key_event(GTK_WINDOW(self), event))
    return TRUE;
  return peek(self, event, TRUE) || GTK_WIDGET_CLASS(ms_window_parent_class)->key_press_event(widget, event) ||
         turn_page(self, event);
}

static gboolean
ms_window_key_release(GtkWidget *widget, GdkEventKey *event)
{
  return peek(MS_WINDOW(widget), event, FALSE) ||
         GTK_WIDGET_CLASS(ms_window_parent_class)->key_release_event(widget, event);
}

static gboolean
ms_window_state_event(GtkWidget *widget, GdkEventWindowState *event)
{
  MsWindow *self = MS_WINDOW(widget);

  self->maximized = (event->new_window_state & GDK_WINDOW_STATE_MAXIMIZED) != 0;
  self->fullscreen = (event->new_window_state & GDK_WINDOW_STATE_FULLSCREEN) != 0;
  if ((event->changed_mask & GDK_WINDOW_STATE_FULLSCREEN) && !self->fullscreen)
    ms_window_show_only_picture(self, FALSE);
  ms_window_update_actions(self);
  return GTK_WIDGET_CLASS(ms_window_parent_class)->window_state_event(widget, event);
}

static gboolean
ms_window_delete_event(GtkWidget *widget, GdkEventAny *event)
{
  ms_window_remember_layout(MS_WINDOW(widget));
  return ms_window_closes_later(MS_WINDOW(widget)) ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
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
ms_window_dispose(GObject *object)
{
  MsWindow *self = MS_WINDOW(object);

  if (self->engine)
    ms_window_forget_layout(self);
  if (self->closing)
    g_cancellable_cancel(self->closing);
  if (self->document)
    ms_window_cancel_tabs(self);
  ms_window_leave_front(self);
  ms_window_drop_saves(self);
  self->notebook = NULL;
  g_clear_object(&self->engine);
  g_clear_object(&self->settings);
  g_clear_object(&self->closing);
  g_clear_object(&self->folder_thumbnails);
  g_clear_object(&self->recent_thumbnails);
  G_OBJECT_CLASS(ms_window_parent_class)->dispose(object);
}

static void
ms_window_finalize(GObject *object)
{
  MsWindow *self = MS_WINDOW(object);

  g_object_unref(self->front);
  g_object_unref(self->front_view);
  g_object_unref(self->controls);
  g_ptr_array_unref(self->messages);
  g_free(self->toast_path);
  G_OBJECT_CLASS(ms_window_parent_class)->finalize(object);
}

#define BIND(name) gtk_widget_class_bind_template_child(widget_class, MsWindow, name)

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/window/window.ui");
  BIND(header);
  BIND(title_label);
  BIND(workspaces);
  BIND(lab_stack);
  BIND(lab_button);
  BIND(lab_popover);
  BIND(lab_settings);
  BIND(batch);
  BIND(menu_button);
  BIND(steps_box);
  BIND(undo);
  BIND(redo);
  BIND(recent_popover);
  BIND(recent_box);
  BIND(device_chooser);
  BIND(pages);
  BIND(notebook);
  BIND(left_panel);
  BIND(left_box);
  BIND(side_panel);
  BIND(details_paned);
  BIND(details);
  BIND(details_stack);
  BIND(folder_strip);
  BIND(folder_box);
  BIND(strip);
  BIND(run_strip);
  BIND(options_panel);
  BIND(status_bar);
  BIND(readout);
  BIND(zoom_box);
  BIND(zoom_label);
  BIND(gain);
  BIND(gain_box);
  BIND(region_picture);
  BIND(progress_box);
  BIND(progress);
  BIND(progress_text);
  BIND(loads);
  BIND(message_revealer);
  BIND(message_bar);
  BIND(message);
  BIND(message_log);
  BIND(message_cpu);
  BIND(message_device);
  BIND(toast);
  BIND(toast_text);
  BIND(toast_button);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_show_folder);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_list_recent);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_on_tab_switched);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_on_tab_removed);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_tabs_changed);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_on_message_answered);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_dismiss_message);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_on_toast_clicked);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_hide_toast);
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
  g_type_ensure(MS_TYPE_BATCH_PAGE);
  g_type_ensure(MS_TYPE_DEVICE_CHOOSER);
  g_type_ensure(MS_TYPE_OPTIONS_PANEL);
  g_type_ensure(MS_TYPE_RUN_STRIP);
  bind_template(widget_class);
}

static void
ms_window_init(MsWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->closing = g_cancellable_new();
  self->messages = ms_window_new_messages();
  g_queue_init(&self->saves);
  self->saving = ms_files_saving(GTK_WIDGET(self));
  g_signal_connect_object(self->saving, "items-changed", G_CALLBACK(ms_window_on_saving_changed), self,
                          G_CONNECT_SWAPPED);
  ms_window_add_front(self);
  ms_window_accept_drops(self);
  ms_window_add_thumbnails(self);
  g_object_bind_property(self, "document", self->options_panel, "document", G_BINDING_SYNC_CREATE);
  g_signal_connect_object(self->options_panel, "problem", G_CALLBACK(on_panel_problem), self, G_CONNECT_SWAPPED);
}

static void
on_device_chosen(MsWindow *self, const char *device_selector)
{
  g_settings_set_string(self->settings, "device", device_selector);
}

static void
on_engine_changed(MsWindow *self)
{
  const GError *problem = ms_window_engine_get_problem(self->engine);

  if (problem && ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_FAILED)
    ms_window_report_error(self, MS_TOPIC_DEVICE, NULL, problem);
  if (ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_READY) {
    ms_window_forget(self, MS_TOPIC_DEVICE, NULL);
    ms_window_forget(self, MS_TOPIC_DRIVER, NULL);
  }
}

static void
on_engine_recovered(MsWindow *self, const GError *report)
{
  const char *end = strchr(report->message, '\n');
  g_autofree char *sentence = g_strndup(report->message, end - report->message);

  ms_window_report(self, MS_TOPIC_DRIVER, NULL, sentence, MS_OFFER_LOG, end + 1);
}

/** ms_window_new: (transfer none): an empty window, owned by GTK until it is closed. */
MsWindow *
ms_window_new(GtkApplication *application, MsWindowEngine *engine, GSettings *settings)
{
  MsWindow *self = g_object_new(MS_TYPE_WINDOW, "application", application, NULL);

  self->engine = g_object_ref(engine);
  self->settings = g_object_ref(settings);
  add_workspaces(self);
  ms_window_add_actions(self);
  on_workspace_changed(self);
  ms_device_chooser_set_engine(MS_DEVICE_CHOOSER(self->device_chooser), engine);
  g_signal_connect_object(self->device_chooser, "chosen", G_CALLBACK(on_device_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(engine, "changed", G_CALLBACK(on_engine_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(engine, "recovered", G_CALLBACK(on_engine_recovered), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(engine, "holders-changed", G_CALLBACK(ms_window_update_actions), self, G_CONNECT_SWAPPED);
  ms_window_restore_layout(self);
  ms_window_update_title(self);
  ms_window_update_progress(self);
  return self;
}
