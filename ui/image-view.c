/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "ui/image-view-accessible.h"
#include "ui/image-view-private.h"
#include "ui/readout.h"

/* One click of the wheel, and of the zoom buttons. */
#define WHEEL_STEP 1.25

/* How near the divider the pointer takes hold of it, and what one key press moves it by. */
#define DIVIDER_REACH 12
#define DIVIDER_STEP 0.02

/* What an arrow key moves the picture by, in device pixels. */
#define KEY_PAN 64

/* Pixels between the two panes side by side. */
#define PANE_GAP 4

const char *const ms_view_mode_names[MS_N_VIEW_MODES + 1] = {"original",     "filtered",   "split",
                                                             "side-by-side", "difference", NULL};

G_DEFINE_FINAL_TYPE(MsImageView, ms_image_view, GTK_TYPE_DRAWING_AREA)

enum {
  PROP_0,
  PROP_DOCUMENT,
  PROP_MODE,
  PROP_PEEK,
  PROP_DIVIDER,
  PROP_GAIN,
  PROP_ZOOM,
  PROP_READOUT,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

static void
notify(MsImageView *self, guint property)
{
  g_object_notify_by_pspec(G_OBJECT(self), properties[property]);
}

/** ms_image_view_effective_mode: the mode, or the original while it is peeked at. */
MsViewMode
ms_image_view_effective_mode(MsImageView *self)
{
  return self->peek ? MS_VIEW_ORIGINAL : self->mode;
}

static double
scale_of(MsImageView *self)
{
  return gtk_widget_get_scale_factor(GTK_WIDGET(self));
}

/** ms_image_view_pane_width: the width of one pane in device pixels. */
double
ms_image_view_pane_width(MsImageView *self)
{
  double width = gtk_widget_get_allocated_width(GTK_WIDGET(self)) * scale_of(self);

  return ms_image_view_effective_mode(self) == MS_VIEW_SIDE_BY_SIDE ? floor((width - PANE_GAP) / 2) : width;
}

/* What is visible is what the document filters first. */
static void
geometry_changed(MsImageView *self)
{
  MsRegion visible = ms_image_view_get_visible(self);

  if (self->document)
    ms_document_set_visible(self->document, &visible);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  notify(self, PROP_ZOOM);
}

static void
update_pane(MsImageView *self)
{
  double height = gtk_widget_get_allocated_height(GTK_WIDGET(self)) * scale_of(self);

  ms_view_geometry_set_pane(&self->geometry, ms_image_view_pane_width(self), height);
  geometry_changed(self);
}

static void
update_pictures(MsImageView *self)
{
  MsImage *a = ms_document_get_picture_a(self->document), *b = ms_document_get_picture_b(self->document);
  gboolean differs = self->mode == MS_VIEW_DIFFERENCE && a && b;

  ms_view_slot_show(&self->a, a ? a : ms_document_get_source(self->document), NULL, GTK_WIDGET(self));
  ms_view_slot_show(&self->b, b, NULL, GTK_WIDGET(self));
  ms_view_slot_show(&self->difference, differs ? a : NULL, differs ? b : NULL, GTK_WIDGET(self));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* The readout */

static const guint8 *
pixel_of(MsImage *image, const MsRegion *region, int x, int y)
{
  x -= region->x;
  y -= region->y;
  if (x < 0 || y < 0 || x >= region->width || y >= region->height)
    return NULL;
  return ms_image_get_pixels(image) + ((gsize)y * region->width + x) * 4;
}

static const guint8 *
filtered_pixel(MsImageView *self, int x, int y)
{
  GPtrArray *pieces = ms_document_get_pieces(self->document);
  MsImage *image = ms_document_get_picture_b(self->document);

  for (guint i = pieces->len; i-- > 0 && !ms_document_get_run_b(self->document);) {
    const MsPiece *piece = g_ptr_array_index(pieces, i);
    const guint8 *found = pixel_of(piece->image, &piece->region, x, y);
    if (found)
      return found;
  }
  if (!image)
    return NULL;
  MsRegion extent = ms_image_get_extent(image);
  return pixel_of(image, &extent, x, y);
}

static char *
readout_at_pointer(MsImageView *self)
{
  MsImage *a = ms_document_get_picture_a(self->document);
  double pane_x = self->pointer_x * scale_of(self), pane = ms_image_view_pane_width(self), x, y;

  if (ms_image_view_effective_mode(self) == MS_VIEW_SIDE_BY_SIDE && pane_x > pane)
    pane_x -= pane + PANE_GAP;
  ms_view_geometry_to_picture(&self->geometry, pane_x, self->pointer_y * scale_of(self), &x, &y);
  if (!a || !self->pointer_inside || x < 0 || y < 0 || x >= self->geometry.width || y >= self->geometry.height)
    return g_strdup("");
  return ms_readout_format(a, filtered_pixel(self, (int)x, (int)y),
                           &ms_document_get_settings(self->document)->params, (int)x, (int)y);
}

static void
update_readout(MsImageView *self)
{
  g_autofree char *text = self->document ? readout_at_pointer(self) : g_strdup("");

  if (g_strcmp0(text, self->readout) == 0)
    return;
  g_free(self->readout);
  self->readout = g_steal_pointer(&text);
  notify(self, PROP_READOUT);
}

/* Properties */

static void
pictures_changed_cb(MsImageView *self)
{
  update_pictures(self);
  update_readout(self);
}

static void
set_document(MsImageView *self, MsDocument *document)
{
  MsImage *source = ms_document_get_source(document);

  self->document = g_object_ref(document);
  g_signal_connect_object(document, "notify::run-a", G_CALLBACK(pictures_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::run-b", G_CALLBACK(pictures_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "pieces-changed", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "settings-changed", G_CALLBACK(update_readout), self, G_CONNECT_SWAPPED);
  ms_view_geometry_set_picture(&self->geometry, ms_image_get_width(source), ms_image_get_height(source));
  update_pictures(self);
}

static void
ms_image_view_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  MsImageView *self = MS_IMAGE_VIEW(object);

  switch (id) {
  case PROP_DOCUMENT:
    g_value_set_object(value, self->document);
    break;
  case PROP_MODE:
    g_value_set_int(value, self->mode);
    break;
  case PROP_PEEK:
    g_value_set_boolean(value, self->peek);
    break;
  case PROP_DIVIDER:
    g_value_set_double(value, self->divider);
    break;
  case PROP_GAIN:
    g_value_set_int(value, self->gain);
    break;
  case PROP_ZOOM:
    g_value_set_double(value, self->geometry.zoom);
    break;
  case PROP_READOUT:
    g_value_set_string(value, ms_image_view_get_readout(self));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
ms_image_view_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MsImageView *self = MS_IMAGE_VIEW(object);

  switch (id) {
  case PROP_DOCUMENT:
    set_document(self, g_value_get_object(value));
    break;
  case PROP_MODE:
    ms_image_view_set_mode(self, g_value_get_int(value));
    break;
  case PROP_PEEK:
    ms_image_view_set_peek(self, g_value_get_boolean(value));
    break;
  case PROP_DIVIDER:
    ms_image_view_set_divider(self, g_value_get_double(value));
    break;
  case PROP_GAIN:
    ms_image_view_set_gain(self, g_value_get_int(value));
    break;
  case PROP_ZOOM:
    ms_image_view_set_zoom(self, g_value_get_double(value));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

/* Widget */

static void
ms_image_view_dispose(GObject *object)
{
  MsImageView *self = MS_IMAGE_VIEW(object);

  ms_view_slot_clear(&self->a);
  ms_view_slot_clear(&self->b);
  ms_view_slot_clear(&self->difference);
  g_clear_object(&self->scroll);
  g_clear_object(&self->motion);
  g_clear_object(&self->drag);
  g_clear_object(&self->pinch);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(ms_image_view_parent_class)->dispose(object);
}

static void
ms_image_view_finalize(GObject *object)
{
  g_free(MS_IMAGE_VIEW(object)->readout);
  G_OBJECT_CLASS(ms_image_view_parent_class)->finalize(object);
}

static gboolean
ms_image_view_draw_widget(GtkWidget *widget, cairo_t *cr)
{
  GtkStyleContext *style = gtk_widget_get_style_context(widget);

  gtk_render_background(style, cr, 0, 0, gtk_widget_get_allocated_width(widget),
                        gtk_widget_get_allocated_height(widget));
  if (MS_IMAGE_VIEW(widget)->document) {
    cairo_save(cr);
    ms_image_view_draw(MS_IMAGE_VIEW(widget), cr);
    cairo_restore(cr);
  }
  if (gtk_widget_has_visible_focus(widget))
    gtk_render_focus(style, cr, 1, 1, gtk_widget_get_allocated_width(widget) - 2,
                     gtk_widget_get_allocated_height(widget) - 2);
  return TRUE;
}

static void
ms_image_view_size_allocate(GtkWidget *widget, GtkAllocation *allocation)
{
  GTK_WIDGET_CLASS(ms_image_view_parent_class)->size_allocate(widget, allocation);
  update_pane(MS_IMAGE_VIEW(widget));
}

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
  geometry_changed(self);
  return TRUE;
}

/* Arrows move the picture, with Shift the divider, so that nothing needs a pointer. */
static gboolean
ms_image_view_key_press(GtkWidget *widget, GdkEventKey *event)
{
  MsImageView *self = MS_IMAGE_VIEW(widget);
  GdkModifierType modifiers = event->state & gtk_accelerator_get_default_mod_mask();

  if (modifiers == 0 || modifiers == GDK_SHIFT_MASK)
    if (move_by_key(self, event->keyval, modifiers == GDK_SHIFT_MASK))
      return TRUE;
  return GTK_WIDGET_CLASS(ms_image_view_parent_class)->key_press_event(widget, event);
}

static void
ms_image_view_class_init(MsImageViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  const GParamFlags writable = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = ms_image_view_get_property;
  object_class->set_property = ms_image_view_set_property;
  object_class->dispose = ms_image_view_dispose;
  object_class->finalize = ms_image_view_finalize;
  widget_class->draw = ms_image_view_draw_widget;
  widget_class->size_allocate = ms_image_view_size_allocate;
  widget_class->key_press_event = ms_image_view_key_press;
  properties[PROP_DOCUMENT] = g_param_spec_object("document", NULL, NULL, MS_TYPE_DOCUMENT,
                                                  G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  properties[PROP_MODE] = g_param_spec_int("mode", NULL, NULL, 0, MS_N_VIEW_MODES - 1, MS_VIEW_FILTERED, writable);
  properties[PROP_PEEK] = g_param_spec_boolean("peek", NULL, NULL, FALSE, writable);
  properties[PROP_DIVIDER] = g_param_spec_double("divider", NULL, NULL, 0, 1, 0.5, writable);
  properties[PROP_GAIN] = g_param_spec_int("gain", NULL, NULL, 1, 64, 8, writable);
  properties[PROP_ZOOM] = g_param_spec_double("zoom", NULL, NULL, MS_ZOOM_MIN, MS_ZOOM_MAX, 1, writable);
  properties[PROP_READOUT] =
    g_param_spec_string("readout", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name(widget_class, "imageview");
  gtk_widget_class_set_accessible_type(widget_class, MS_TYPE_IMAGE_VIEW_ACCESSIBLE);
}

/* Input */

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
motion_cb(MsImageView *self, double x, double y)
{
  self->pointer_x = x;
  self->pointer_y = y;
  self->pointer_inside = TRUE;
  if (!gtk_gesture_is_active(self->drag))
    set_cursor(self, over_divider(self, x) ? "col-resize" : NULL);
  update_readout(self);
}

static void
leave_cb(MsImageView *self)
{
  self->pointer_inside = FALSE;
  update_readout(self);
}

static void
pane_point(MsImageView *self, double *x, double *y)
{
  double pane = ms_image_view_pane_width(self);

  *x = self->pointer_x * scale_of(self);
  *y = self->pointer_y * scale_of(self);
  if (ms_image_view_effective_mode(self) == MS_VIEW_SIDE_BY_SIDE && *x > pane)
    *x -= pane + PANE_GAP;
}

static void
zoom_at_pointer(MsImageView *self, double zoom)
{
  double x, y;

  pane_point(self, &x, &y);
  ms_view_geometry_zoom_at(&self->geometry, zoom, x, y);
  geometry_changed(self);
  update_readout(self);
}

static void
scroll_cb(MsImageView *self, double dx, double dy)
{
  zoom_at_pointer(self, self->geometry.zoom * pow(WHEEL_STEP, -dy));
}

static void
drag_begin_cb(MsImageView *self, double x, double y)
{
  gtk_widget_grab_focus(GTK_WIDGET(self));
  self->drags_divider = over_divider(self, x);
  self->drag_x = self->drags_divider ? divider_x(self) : 0;
  self->drag_y = 0;
  set_cursor(self, self->drags_divider ? "col-resize" : "grabbing");
}

static void
drag_update_cb(MsImageView *self, double dx, double dy)
{
  double scale = scale_of(self);

  if (self->drags_divider) {
    ms_image_view_set_divider(self, (self->drag_x + dx) / gtk_widget_get_allocated_width(GTK_WIDGET(self)));
    return;
  }
  ms_view_geometry_pan(&self->geometry, (dx - self->drag_x) * scale, (dy - self->drag_y) * scale);
  self->drag_x = dx;
  self->drag_y = dy;
  geometry_changed(self);
}

static void
drag_end_cb(MsImageView *self)
{
  set_cursor(self, NULL);
}

static void
pinch_begin_cb(MsImageView *self)
{
  self->pinch_zoom = self->geometry.zoom;
}

static void
pinch_cb(MsImageView *self, double factor)
{
  zoom_at_pointer(self, self->pinch_zoom * factor);
}

static void
add_gestures(MsImageView *self)
{
  GtkWidget *widget = GTK_WIDGET(self);

  self->scroll = gtk_event_controller_scroll_new(widget, GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  g_signal_connect_swapped(self->scroll, "scroll", G_CALLBACK(scroll_cb), self);
  self->motion = gtk_event_controller_motion_new(widget);
  g_signal_connect_swapped(self->motion, "motion", G_CALLBACK(motion_cb), self);
  g_signal_connect_swapped(self->motion, "leave", G_CALLBACK(leave_cb), self);
  self->drag = gtk_gesture_drag_new(widget);
  g_signal_connect_swapped(self->drag, "drag-begin", G_CALLBACK(drag_begin_cb), self);
  g_signal_connect_swapped(self->drag, "drag-update", G_CALLBACK(drag_update_cb), self);
  g_signal_connect_swapped(self->drag, "drag-end", G_CALLBACK(drag_end_cb), self);
  self->pinch = gtk_gesture_zoom_new(widget);
  g_signal_connect_swapped(self->pinch, "begin", G_CALLBACK(pinch_begin_cb), self);
  g_signal_connect_swapped(self->pinch, "scale-changed", G_CALLBACK(pinch_cb), self);
}

static void
ms_image_view_init(MsImageView *self)
{
  GtkWidget *widget = GTK_WIDGET(self);

  self->mode = MS_VIEW_FILTERED;
  self->divider = 0.5;
  self->gain = 8;
  self->geometry.zoom = 1;
  self->geometry.fit = TRUE;
  gtk_widget_set_can_focus(widget, TRUE);
  gtk_widget_add_events(widget, GDK_POINTER_MOTION_MASK | GDK_LEAVE_NOTIFY_MASK | GDK_SCROLL_MASK |
                                  GDK_SMOOTH_SCROLL_MASK | GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK |
                                  GDK_KEY_PRESS_MASK | GDK_TOUCH_MASK | GDK_TOUCHPAD_GESTURE_MASK);
  add_gestures(self);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(update_pane), NULL);
}

/* What the window calls */

GtkWidget *
ms_image_view_new(MsDocument *document)
{
  return g_object_new(MS_TYPE_IMAGE_VIEW, "document", document, NULL);
}

MsDocument *
ms_image_view_get_document(MsImageView *self)
{
  return self->document;
}

MsViewMode
ms_image_view_get_mode(MsImageView *self)
{
  return self->mode;
}

void
ms_image_view_set_mode(MsImageView *self, MsViewMode mode)
{
  if (mode == self->mode)
    return;
  self->mode = mode;
  update_pictures(self);
  update_pane(self);
  notify(self, PROP_MODE);
}

/** ms_image_view_set_peek: shows the original for as long as @peek is set. */
void
ms_image_view_set_peek(MsImageView *self, gboolean peek)
{
  if (peek == self->peek)
    return;
  self->peek = peek;
  update_pane(self);
  notify(self, PROP_PEEK);
}

double
ms_image_view_get_divider(MsImageView *self)
{
  return self->divider;
}

/** ms_image_view_set_divider: where the split mode changes sides, as a share of the width. */
void
ms_image_view_set_divider(MsImageView *self, double divider)
{
  self->divider = CLAMP(divider, 0, 1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  notify(self, PROP_DIVIDER);
}

int
ms_image_view_get_gain(MsImageView *self)
{
  return self->gain;
}

/** ms_image_view_set_gain: what differences are multiplied by. */
void
ms_image_view_set_gain(MsImageView *self, int gain)
{
  self->gain = CLAMP(gain, 1, 64);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  notify(self, PROP_GAIN);
}

double
ms_image_view_get_zoom(MsImageView *self)
{
  return self->geometry.zoom;
}

/** ms_image_view_set_zoom: zooms about the middle; 1 is one device pixel for each of the picture's. */
void
ms_image_view_set_zoom(MsImageView *self, double zoom)
{
  ms_view_geometry_zoom_at(&self->geometry, zoom, self->geometry.pane_width / 2, self->geometry.pane_height / 2);
  geometry_changed(self);
}

void
ms_image_view_zoom_in(MsImageView *self)
{
  ms_image_view_set_zoom(self, self->geometry.zoom * WHEEL_STEP * WHEEL_STEP);
}

void
ms_image_view_zoom_out(MsImageView *self)
{
  ms_image_view_set_zoom(self, self->geometry.zoom / WHEEL_STEP / WHEEL_STEP);
}

/** ms_image_view_fit: shows the whole picture, also after the window changes its size. */
void
ms_image_view_fit(MsImageView *self)
{
  ms_view_geometry_fit(&self->geometry);
  geometry_changed(self);
}

/** ms_image_view_get_visible: the part of the picture on the screen. */
MsRegion
ms_image_view_get_visible(MsImageView *self)
{
  return ms_view_geometry_visible(&self->geometry);
}

/** ms_image_view_get_readout: (transfer none): what is under the pointer, empty for nothing. */
const char *
ms_image_view_get_readout(MsImageView *self)
{
  return self->readout ? self->readout : "";
}

/** ms_image_view_describe: (transfer full): what is shown, in words, for those who do not see it. */
char *
ms_image_view_describe(MsImageView *self)
{
  static const char *const words[] = {"original", "filtered", "split", "side by side", "difference"};

  return g_strdup_printf("%s, %s, zoom %.0f %%", self->document ? ms_document_get_title(self->document) : "no picture",
                         words[ms_image_view_effective_mode(self)], self->geometry.zoom * 100);
}
