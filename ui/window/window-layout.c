/* SPDX-License-Identifier: MIT */
/*
 * The sizes of the window and of its panels, which are remembered only where a person set them; in a narrow window the
 * side panel folds to a button.
 */
#include "ui/window/window-private.h"

/* Narrower windows have no room for the picture beside the side panel. */
#define FOLD_WIDTH 1000

#define SIDE_WIDTH 320

/* Remembering */

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

/** ms_window_remember_layout: saves the size of the window, and those of the panels whose border was dragged. */
void
ms_window_remember_layout(MsWindow *self)
{
  const int side = gtk_widget_get_allocated_width(self->side_panel);
  const int bottom = gtk_widget_get_allocated_height(self->bottom_panel);

  remember_size(self);
  if (self->side_is_set && gtk_widget_get_visible(self->side_panel) && side > 1)
    g_settings_set_int(self->settings, "side-panel-width", side);
  if (self->bottom_is_set && gtk_widget_get_visible(self->bottom_panel) && bottom > 1)
    g_settings_set_int(self->settings, "bottom-panel-height", bottom);
}

/* Whether the event that is handled now moves the handle of @paned. */
static gboolean
is_moved_by_hand(GtkPaned *paned)
{
  g_autoptr(GdkEvent) event = gtk_get_current_event();

  if (!event)
    return FALSE;
  if (event->type == GDK_KEY_PRESS)
    return gtk_widget_is_focus(GTK_WIDGET(paned));
  return event->any.window == gtk_paned_get_handle_window(paned);
}

static void
on_position(GtkPaned *paned, GParamSpec *pspec, MsWindow *self)
{
  if (!is_moved_by_hand(paned))
    return;
  if (GTK_WIDGET(paned) == self->side_paned)
    self->side_is_set = TRUE;
  else
    self->bottom_is_set = TRUE;
}

/* Placing */

/* GtkPaned measures from the left and the top, but the saved values are the sizes of the panels. */
static void
place_panel(GtkWidget *paned, int extent, int size)
{
  if (extent > 1)
    gtk_paned_set_position(GTK_PANED(paned), MAX(extent - size, extent / 4));
}

/* Panels are never smaller than their contents need. */
static void
place_panels(MsWindow *self)
{
  int width, height;

  gtk_widget_get_preferred_width(self->side_panel, &width, NULL);
  gtk_widget_get_preferred_height(self->bottom_panel, &height, NULL);
  if (!self->side_is_set)
    place_panel(self->side_paned, gtk_widget_get_allocated_width(self->side_paned),
                MAX(width, g_settings_get_int(self->settings, "side-panel-width")));
  if (!self->bottom_is_set)
    place_panel(self->bottom_paned, gtk_widget_get_allocated_height(self->bottom_paned),
                MAX(height, g_settings_get_int(self->settings, "bottom-panel-height")));
}

/* Folding */

/* The setting is unbound meanwhile, so that the next session shows the panels. */
static void
hide_panel(MsWindow *self, GtkWidget *panel, const char *key, gboolean hidden)
{
  if (hidden)
    g_settings_unbind(panel, "visible");
  gtk_widget_set_visible(panel, !hidden);
  if (!hidden)
    g_settings_bind(self->settings, key, panel, "visible", G_SETTINGS_BIND_DEFAULT);
}

/* Beside an unfolded panel a narrow window has no room for the zoom, which keys and the wheel change as well. */
static void
on_side_panel_visible(MsWindow *self)
{
  GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self), "side-panel");
  const gboolean shown = gtk_widget_get_visible(self->side_panel);

  g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_boolean(shown));
  gtk_widget_set_visible(self->zoom_box, !shown || !self->folded);
}

static void
fold(MsWindow *self, gboolean folded)
{
  if (folded == self->folded || self->only_picture)
    return;
  self->folded = folded;
  if (folded) {
    hide_panel(self, self->side_panel, "side-panel", TRUE);
  } else {
    g_settings_bind(self->settings, "side-panel", self->side_panel, "visible", G_SETTINGS_BIND_DEFAULT);
  }
  gtk_widget_set_visible(self->settings_button, folded);
  on_side_panel_visible(self);
}

/** ms_window_show_side_panel: shows or hides the side panel; a folded one is hidden again in the next session. */
void
ms_window_show_side_panel(MsWindow *self, gboolean shown)
{
  if (self->folded)
    gtk_widget_set_visible(self->side_panel, shown);
  else
    g_settings_set_boolean(self->settings, "side-panel", shown);
}

static gboolean
on_lay_out(gpointer data)
{
  MsWindow *self = data;

  self->layout_source = 0;
  fold(self, self->width < FOLD_WIDTH);
  place_panels(self);
  return G_SOURCE_REMOVE;
}

/* What is shown or hidden takes part in the next allocation, so it is changed after the present one. */
static void
on_allocated(MsWindow *self, GtkAllocation *allocation)
{
  const int width = gtk_widget_get_allocated_width(self->workspaces);
  const int height = gtk_widget_get_allocated_height(self->workspaces);

  if ((width == self->width && height == self->height) || self->layout_source != 0)
    return;
  self->width = width;
  self->height = height;
  self->layout_source = g_idle_add_full(G_PRIORITY_HIGH_IDLE + 30, on_lay_out, self, NULL);
}

static void
on_shown(MsWindow *self)
{
  self->width = 0;
  gtk_widget_queue_resize(self->workspaces);
}

/** ms_window_restore_layout: restores the size of the window and lays the panels out whenever that changes. */
void
ms_window_restore_layout(MsWindow *self)
{
  gtk_window_set_default_size(GTK_WINDOW(self), g_settings_get_int(self->settings, "window-width"),
                              g_settings_get_int(self->settings, "window-height"));
  if (g_settings_get_boolean(self->settings, "window-maximized"))
    gtk_window_maximize(GTK_WINDOW(self));
  gtk_widget_set_size_request(self->side_panel, SIDE_WIDTH, -1);
  g_signal_connect_swapped(self->side_panel, "notify::visible", G_CALLBACK(on_side_panel_visible), self);
  g_settings_bind(self->settings, "side-panel", self->side_panel, "visible", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "folder-strip", self->folder_strip, "visible", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "bottom-panel", self->bottom_panel, "visible", G_SETTINGS_BIND_DEFAULT);
  g_signal_connect(self->side_paned, "notify::position", G_CALLBACK(on_position), self);
  g_signal_connect(self->bottom_paned, "notify::position", G_CALLBACK(on_position), self);
  g_signal_connect_swapped(self->side_paned, "map", G_CALLBACK(on_shown), self);
  g_signal_connect_swapped(self->workspaces, "size-allocate", G_CALLBACK(on_allocated), self);
}

/** ms_window_show_only_picture: fills the screen with the picture, without any panel, or shows the panels again. */
void
ms_window_show_only_picture(MsWindow *self, gboolean only_picture)
{
  if (self->only_picture == only_picture)
    return;
  self->only_picture = only_picture;
  if (only_picture)
    ms_window_show_workspace(self, "picture");
  if (self->folded)
    gtk_widget_hide(self->side_panel);
  else
    hide_panel(self, self->side_panel, "side-panel", only_picture);
  hide_panel(self, self->folder_strip, "folder-strip", only_picture);
  hide_panel(self, self->bottom_panel, "bottom-panel", only_picture);
  gtk_widget_set_visible(self->status_bar, !only_picture);
  if (only_picture)
    gtk_window_fullscreen(GTK_WINDOW(self));
  else
    gtk_window_unfullscreen(GTK_WINDOW(self));
  self->width = 0;
  ms_window_update_actions(self);
}

/** ms_window_forget_layout: takes the handlers away before the panels are destroyed. */
void
ms_window_forget_layout(MsWindow *self)
{
  g_clear_handle_id(&self->layout_source, g_source_remove);
  if (self->side_panel)
    g_signal_handlers_disconnect_by_func(self->side_panel, on_side_panel_visible, self);
}
