/* SPDX-License-Identifier: MIT */
/* The zoom and position of the picture in an image view, and the mouse, touch and keys that change them. */
#include "ui/image-view/image-view-private.h"

#include <math.h>

/* Pixels between the two panes side by side. */
#define PANE_GAP 4

/** ms_image_view_effective_mode: the mode, or the original while Space is held. */
MsViewMode
ms_image_view_effective_mode(MsImageView *self)
{
  return self->peek ? MS_VIEW_ORIGINAL : self->mode;
}

/** ms_image_view_scale: device pixels per widget pixel. */
double
ms_image_view_scale(MsImageView *self)
{
  return gtk_widget_get_scale_factor(GTK_WIDGET(self));
}

/** ms_image_view_pane_width: the width of one pane in device pixels. */
double
ms_image_view_pane_width(MsImageView *self)
{
  double width = gtk_widget_get_allocated_width(GTK_WIDGET(self)) * ms_image_view_scale(self);

  return ms_image_view_effective_mode(self) == MS_VIEW_SIDE_BY_SIDE ? floor((width - PANE_GAP) / 2) : width;
}

/** ms_image_view_pointer_in_pane: the position of the pointer in its pane, in device pixels. */
void
ms_image_view_pointer_in_pane(MsImageView *self, double *x, double *y)
{
  double pane = ms_image_view_pane_width(self);

  *x = self->pointer_x * ms_image_view_scale(self);
  *y = self->pointer_y * ms_image_view_scale(self);
  if (ms_image_view_effective_mode(self) == MS_VIEW_SIDE_BY_SIDE && *x > pane)
    *x -= pane + PANE_GAP;
}

/** ms_image_view_moved: passes the visible part to the document, which filters it first. */
void
ms_image_view_moved(MsImageView *self)
{
  MsRegion visible = ms_image_view_get_visible(self);

  if (self->document)
    ms_document_set_visible(self->document, &visible);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit_by_name(self, "readout-changed");
}

/** ms_image_view_update_pane: updates the geometry after the size, scale or mode has changed. */
void
ms_image_view_update_pane(MsImageView *self)
{
  double height = gtk_widget_get_allocated_height(GTK_WIDGET(self)) * ms_image_view_scale(self);

  ms_view_geometry_set_pane(&self->geometry, ms_image_view_pane_width(self), height);
  ms_image_view_moved(self);
}

double
ms_image_view_get_zoom(MsImageView *self)
{
  return self->geometry.zoom;
}

/** ms_image_view_set_zoom: zooms about the centre; 1 is one device pixel per pixel of the picture. */
void
ms_image_view_set_zoom(MsImageView *self, double zoom)
{
  ms_view_geometry_zoom_at(&self->geometry, zoom, self->geometry.pane_width / 2, self->geometry.pane_height / 2);
  ms_image_view_moved(self);
}

void
ms_image_view_zoom_in(MsImageView *self)
{
  ms_image_view_set_zoom(self, self->geometry.zoom * MS_VIEW_WHEEL_STEP * MS_VIEW_WHEEL_STEP);
}

void
ms_image_view_zoom_out(MsImageView *self)
{
  ms_image_view_set_zoom(self, self->geometry.zoom / MS_VIEW_WHEEL_STEP / MS_VIEW_WHEEL_STEP);
}

/** ms_image_view_fit: shows the whole picture, and keeps doing so when the window is resized. */
void
ms_image_view_fit(MsImageView *self)
{
  ms_view_geometry_fit(&self->geometry);
  ms_image_view_moved(self);
}

/** ms_image_view_get_visible: the visible part of the picture. */
MsRegion
ms_image_view_get_visible(MsImageView *self)
{
  return ms_view_geometry_visible(&self->geometry);
}

/* Pointer and keys */

/* Distance from which the pointer grabs the divider, and the step of one key press. */
#define DIVIDER_REACH 12
#define DIVIDER_STEP 0.02

/* Step of an arrow key, in device pixels. */
#define KEY_PAN 64

static gboolean
move_by_key(MsImageView *self, guint key, gboolean divider)
{
  int x = (key == GDK_KEY_Right) - (key == GDK_KEY_Left), y = (key == GDK_KEY_Down) - (key == GDK_KEY_Up);

  if (x == 0 && y == 0)
    return FALSE;
  if (divider) {
    ms_image_view_set_divider(self, self->divider + x * DIVIDER_STEP);
    return TRUE;
  }
  ms_view_geometry_pan(&self->geometry, -x * KEY_PAN, -y * KEY_PAN);
  ms_image_view_moved(self);
  return TRUE;
}

/** ms_image_view_press_key: arrow keys move the picture, with Shift the divider. */
gboolean
ms_image_view_press_key(MsImageView *self, GdkEventKey *event)
{
  GdkModifierType modifiers = event->state & gtk_accelerator_get_default_mod_mask();

  return (modifiers == 0 || modifiers == GDK_SHIFT_MASK) &&
         move_by_key(self, event->keyval, modifiers == GDK_SHIFT_MASK);
}

static double
divider_x(MsImageView *self)
{
  return self->divider * gtk_widget_get_allocated_width(GTK_WIDGET(self));
}

static gboolean
over_divider(MsImageView *self, double x)
{
  return ms_image_view_effective_mode(self) == MS_VIEW_SPLIT && fabs(x - divider_x(self)) <= DIVIDER_REACH;
}

static void
set_cursor(MsImageView *self, const char *name)
{
  GdkWindow *window = gtk_widget_get_window(GTK_WIDGET(self));
  g_autoptr(GdkCursor) cursor = NULL;

  if (!window)
    return;
  cursor = name ? gdk_cursor_new_from_name(gdk_window_get_display(window), name) : NULL;
  gdk_window_set_cursor(window, cursor);
}

static void
on_motion(MsImageView *self, double x, double y)
{
  self->pointer_x = x;
  self->pointer_y = y;
  self->pointer_inside = TRUE;
  if (!gtk_gesture_is_active(self->drag))
    set_cursor(self, over_divider(self, x) ? "col-resize" : NULL);
  ms_image_view_update_readout(self);
}

static void
on_leave(MsImageView *self)
{
  self->pointer_inside = FALSE;
  ms_image_view_update_readout(self);
}

static void
zoom_at_pointer(MsImageView *self, double zoom)
{
  double x, y;

  ms_image_view_pointer_in_pane(self, &x, &y);
  ms_view_geometry_zoom_at(&self->geometry, zoom, x, y);
  ms_image_view_moved(self);
  ms_image_view_update_readout(self);
}

static void
on_scroll(MsImageView *self, double dx, double dy)
{
  zoom_at_pointer(self, self->geometry.zoom * pow(MS_VIEW_WHEEL_STEP, -dy));
}

static void
on_drag_begin(MsImageView *self, double x, double y)
{
  gtk_widget_grab_focus(GTK_WIDGET(self));
  self->drags_divider = over_divider(self, x);
  self->drag_x = self->drags_divider ? divider_x(self) : 0;
  self->drag_y = 0;
  set_cursor(self, self->drags_divider ? "col-resize" : "grabbing");
}

static void
on_drag_update(MsImageView *self, double dx, double dy)
{
  double scale = ms_image_view_scale(self);

  if (self->drags_divider) {
    ms_image_view_set_divider(self, (self->drag_x + dx) / gtk_widget_get_allocated_width(GTK_WIDGET(self)));
    return;
  }
  ms_view_geometry_pan(&self->geometry, (dx - self->drag_x) * scale, (dy - self->drag_y) * scale);
  self->drag_x = dx;
  self->drag_y = dy;
  ms_image_view_moved(self);
}

static void
on_drag_end(MsImageView *self, double dx, double dy)
{
  double x, y;

  set_cursor(self, NULL);
  if (self->drags_divider || gtk_drag_check_threshold(GTK_WIDGET(self), 0, 0, (int)dx, (int)dy))
    return;
  if (gtk_gesture_drag_get_start_point(GTK_GESTURE_DRAG(self->drag), &x, &y))
    ms_image_view_click(self, x, y);
}

static void
on_pinch_begin(MsImageView *self)
{
  self->pinch_zoom = self->geometry.zoom;
}

static void
on_pinch(MsImageView *self, double factor)
{
  zoom_at_pointer(self, self->pinch_zoom * factor);
}

/** ms_image_view_add_input: connects wheel, pointer and touch gestures. */
void
ms_image_view_add_input(MsImageView *self)
{
  GtkWidget *widget = GTK_WIDGET(self);

  gtk_widget_add_events(widget, GDK_POINTER_MOTION_MASK | GDK_LEAVE_NOTIFY_MASK | GDK_SCROLL_MASK |
                                  GDK_SMOOTH_SCROLL_MASK | GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK |
                                  GDK_KEY_PRESS_MASK | GDK_TOUCH_MASK | GDK_TOUCHPAD_GESTURE_MASK);
  self->scroll = gtk_event_controller_scroll_new(widget, GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  g_signal_connect_swapped(self->scroll, "scroll", G_CALLBACK(on_scroll), self);
  self->motion = gtk_event_controller_motion_new(widget);
  g_signal_connect_swapped(self->motion, "motion", G_CALLBACK(on_motion), self);
  g_signal_connect_swapped(self->motion, "leave", G_CALLBACK(on_leave), self);
  self->drag = gtk_gesture_drag_new(widget);
  g_signal_connect_swapped(self->drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
  g_signal_connect_swapped(self->drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect_swapped(self->drag, "drag-end", G_CALLBACK(on_drag_end), self);
  self->pinch = gtk_gesture_zoom_new(widget);
  g_signal_connect_swapped(self->pinch, "begin", G_CALLBACK(on_pinch_begin), self);
  g_signal_connect_swapped(self->pinch, "scale-changed", G_CALLBACK(on_pinch), self);
}
