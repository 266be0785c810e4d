/* SPDX-License-Identifier: MIT */
#include "ui/window/window-state.h"

#include "ui/window/window-actions.h"
#include "ui/window/window-workspaces.h"
#include "ui/window/window-private.h"
#include "ui/window/window-tabs.h"

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

/** ms_window_remember_state: saves the sizes of the window and its panels. */
void
ms_window_remember_state(MsWindow *self)
{
  remember_size(self);
  remember_panels(self);
}

/* GtkPaned measures from the left and the top, but the saved values are the sizes of the panels. */
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

  /* This idle handler runs after drawing, when the window may have been closed already. */
  if (!self->settings)
    return G_SOURCE_REMOVE;
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

/** ms_window_restore_state: restores the size of the window; panels are sized when first shown. */
void
ms_window_restore_state(MsWindow *self)
{
  gtk_window_set_default_size(GTK_WINDOW(self), g_settings_get_int(self->settings, "window-width"),
                              g_settings_get_int(self->settings, "window-height"));
  if (g_settings_get_boolean(self->settings, "window-maximized"))
    gtk_window_maximize(GTK_WINDOW(self));
  gtk_widget_set_size_request(self->side_panel, 300, -1);
  g_settings_bind(self->settings, "side-panel", self->side_panel, "visible", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "folder-strip", self->folder_strip, "visible", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "bottom-panel", self->bottom_panel, "visible", G_SETTINGS_BIND_DEFAULT);
  g_signal_connect_swapped(self->side_paned, "map", G_CALLBACK(work_mapped_cb), self);
}

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

/** ms_window_show_only_picture: fills the screen with the picture, without any panel, or shows the panels again. */
void
ms_window_show_only_picture(MsWindow *self, gboolean only_picture)
{
  if (self->only_picture == only_picture)
    return;
  self->only_picture = only_picture;
  if (only_picture)
    ms_window_show_workspace(self, "picture");
  hide_panel(self, self->side_panel, "side-panel", only_picture);
  hide_panel(self, self->folder_strip, "folder-strip", only_picture);
  hide_panel(self, self->bottom_panel, "bottom-panel", only_picture);
  gtk_widget_set_visible(self->status_bar, !only_picture);
  if (only_picture)
    gtk_window_fullscreen(GTK_WINDOW(self));
  else
    gtk_window_unfullscreen(GTK_WINDOW(self));
  ms_window_update_actions(self);
}
