/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-page.h"
#include "ui/options/device-chooser.h"
#include "ui/options/options-panel.h"
#include "ui/panels/runs/run-strip.h"
#include "ui/window/folder-strip.h"
#include "ui/window/window-actions.h"
#include "ui/window/window-folder.h"
#include "ui/window/window-front.h"
#include "ui/window/window-message.h"
#include "ui/window/window-open.h"
#include "ui/window/window-private.h"
#include "ui/window/window-state.h"
#include "ui/window/window-tabs.h"
#include "ui/window/window-workspaces.h"

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
  ms_window_remember_state(MS_WINDOW(widget));
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
ms_window_dispose(GObject *object)
{
  MsWindow *self = MS_WINDOW(object);
  g_clear_weak_pointer(&self->replaced);

  if (self->closing)
    g_cancellable_cancel(self->closing);
  if (self->document)
    ms_window_cancel_tabs(self);
  ms_window_leave_front(self);
  self->notebook = NULL;
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
  BIND(undo);
  BIND(redo);
  BIND(recent_button);
  BIND(device_chooser);
  BIND(pages);
  BIND(notebook);
  BIND(side_paned);
  BIND(bottom_paned);
  BIND(side_panel);
  BIND(bottom_panel);
  BIND(folder_strip);
  BIND(run_strip);
  BIND(bottom_stack);
  BIND(options_panel);
  BIND(status_bar);
  BIND(readout);
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
  gtk_widget_class_bind_template_callback(widget_class, ms_window_open_in_place);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_tab_switched);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_tab_removed);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_tabs_changed);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_message_answered);
  gtk_widget_class_bind_template_callback(widget_class, ms_window_clear_message);
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
  g_type_ensure(MS_TYPE_FOLDER_STRIP);
  g_type_ensure(MS_TYPE_OPTIONS_PANEL);
  g_type_ensure(MS_TYPE_RUN_STRIP);
  bind_template(widget_class);
}

static void
ms_window_init(MsWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->closing = g_cancellable_new();
  ms_window_accept_drops(self);
  g_object_bind_property(self, "document", self->options_panel, "document", G_BINDING_SYNC_CREATE);
}

static void
device_chosen_cb(MsWindow *self, const char *device_selector)
{
  g_settings_set_string(self->settings, "device", device_selector);
}

static void
engine_changed_cb(MsWindow *self)
{
  const GError *problem = ms_window_engine_get_problem(self->engine);

  if (problem && ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_FAILED)
    ms_window_report_error(self, problem);
  else if (ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_READY)
    ms_window_clear_message(self);
}

/* A warning belongs to the window, not to the picture that is shown. */
static void
engine_recovered_cb(MsWindow *self, const GError *report)
{
  const char *end = strchr(report->message, '\n');
  g_autofree char *sentence = g_strndup(report->message, end - report->message);

  ms_window_report(self, GTK_MESSAGE_WARNING, sentence, MS_OFFER_LOG | MS_OFFER_DEVICE, end + 1);
}

/** ms_window_new: (transfer none): an empty window, owned by GTK until it is closed. */
MsWindow *
ms_window_new(GtkApplication *application, MsWindowEngine *engine, GSettings *settings)
{
  MsWindow *self = g_object_new(MS_TYPE_WINDOW, "application", application, NULL);

  self->engine = g_object_ref(engine);
  self->settings = g_object_ref(settings);
  ms_window_add_workspaces(self);
  ms_window_add_actions(self);
  ms_device_chooser_set_engine(MS_DEVICE_CHOOSER(self->device_chooser), engine);
  g_signal_connect_object(self->device_chooser, "chosen", G_CALLBACK(device_chosen_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(engine, "changed", G_CALLBACK(engine_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(engine, "recovered", G_CALLBACK(engine_recovered_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(engine, "holders-changed", G_CALLBACK(ms_window_update_actions), self, G_CONNECT_SWAPPED);
  ms_window_add_recent_menu(self);
  ms_window_restore_state(self);
  ms_window_update_title(self);
  ms_window_update_progress(self);
  return self;
}
