/* SPDX-License-Identifier: MIT */
/*
 * The layout: the figures at the left, the settings at the right, the details below. Both sides show where the window
 * has room for them; a narrower one shows one side at most, and the narrowest none until a person asks for it.
 */
#include "ui/window/window-private.h"

/* The least widths of a window with both sides, and with one that nobody asked for. */
#define BOTH_WIDTH 1100
#define ONE_WIDTH 800

/* The bar below a narrower picture has no room for the zoom, which keys and the wheel change as well. */
#define ZOOM_WIDTH 560

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

/** ms_window_remember_layout: saves the size of the window, and the height of the details where it was dragged. */
void
ms_window_remember_layout(MsWindow *self)
{
  remember_size(self);
  if (self->details_is_set && gtk_widget_get_visible(self->details))
    g_settings_set_int(self->settings, "details-height", gtk_widget_get_allocated_height(self->details));
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
  self->details_is_set |= is_moved_by_hand(paned);
}

/* GtkPaned measures from the top, but what is remembered is the height of the details. */
static void
place_details(MsWindow *self)
{
  const int height = gtk_widget_get_allocated_height(self->details_paned);

  if (!self->details_is_set && height > 1)
    gtk_paned_set_position(GTK_PANED(self->details_paned),
                           MAX(height - g_settings_get_int(self->settings, "details-height"), height / 4));
}

/* What is shown */

static gboolean
is_side_shown(MsWindow *self, GtkWidget *side, const char *key)
{
  if (self->only_picture)
    return FALSE;
  return self->room == MS_ROOM_BOTH ? g_settings_get_boolean(self->settings, key) : self->opened == side;
}

static void
show_side(MsWindow *self, GtkWidget *side, const char *key)
{
  GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self), key);
  const gboolean shown = is_side_shown(self, side, key);

  gtk_widget_set_visible(side, shown);
  g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_boolean(shown));
}

static int
width_of_side(GtkWidget *side)
{
  int width = 0;

  if (gtk_widget_get_visible(side))
    gtk_widget_get_preferred_width(side, NULL, &width);
  return width;
}

static void
show_panels(MsWindow *self)
{
  show_side(self, self->left_panel, "left-panel");
  show_side(self, self->side_panel, "side-panel");
  gtk_widget_set_visible(self->details, !self->only_picture && g_settings_get_boolean(self->settings, "details"));
  gtk_widget_set_visible(self->folder_strip,
                         !self->only_picture && g_settings_get_boolean(self->settings, "folder-strip"));
  gtk_widget_set_visible(self->strip, !self->only_picture);
  gtk_widget_set_visible(self->status_bar, !self->only_picture);
  gtk_widget_set_visible(self->steps_box, self->room != MS_ROOM_NONE);
  gtk_widget_set_visible(self->zoom_box,
                         self->width - width_of_side(self->left_panel) - width_of_side(self->side_panel) >= ZOOM_WIDTH);
}

static void
make_room(MsWindow *self, MsRoom room)
{
  if (room == self->room)
    return;
  self->room = room;
  self->opened = room == MS_ROOM_ONE && g_settings_get_boolean(self->settings, "side-panel") ? self->side_panel : NULL;
}

/** ms_window_show_side: shows or hides a side; a narrow window hides the other, and forgets it. @key: the setting */
void
ms_window_show_side(MsWindow *self, GtkWidget *side, const char *key, gboolean shown)
{
  if (self->room == MS_ROOM_BOTH)
    g_settings_set_boolean(self->settings, key, shown);
  else if (shown || self->opened == side)
    self->opened = shown ? side : NULL;
  show_panels(self);
}

static gboolean
on_lay_out(gpointer data)
{
  MsWindow *self = data;

  self->layout_source = 0;
  make_room(self, self->width >= BOTH_WIDTH ? MS_ROOM_BOTH : self->width >= ONE_WIDTH ? MS_ROOM_ONE : MS_ROOM_NONE);
  show_panels(self);
  place_details(self);
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
  g_signal_connect_object(self->settings, "changed", G_CALLBACK(show_panels), self, G_CONNECT_SWAPPED);
  g_signal_connect(self->details_paned, "notify::position", G_CALLBACK(on_position), self);
  g_signal_connect_swapped(self->details, "map", G_CALLBACK(on_shown), self);
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
  show_panels(self);
  if (only_picture)
    gtk_window_fullscreen(GTK_WINDOW(self));
  else
    gtk_window_unfullscreen(GTK_WINDOW(self));
  ms_window_update_actions(self);
}

/** ms_window_forget_layout: takes the handler away before the panels are destroyed. */
void
ms_window_forget_layout(MsWindow *self)
{
  g_clear_handle_id(&self->layout_source, g_source_remove);
}
