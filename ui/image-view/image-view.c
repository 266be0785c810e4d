/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/image-view/readout.h"

const char *const ms_view_mode_names[MS_N_VIEW_MODES + 1] = {"original",   "filtered", "split", "side-by-side",
                                                             "difference", "regions",  NULL};

G_DEFINE_FINAL_TYPE(MsImageView, ms_image_view, GTK_TYPE_DRAWING_AREA)

static GType ms_image_view_accessible_get_type(void);

enum {
  PROP_0,
  PROP_MODE,
  PROP_DIVIDER,
  PROP_GAIN,
  PROP_REGION_PICTURE,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

static void
notify(MsImageView *self, guint property)
{
  g_object_notify_by_pspec(G_OBJECT(self), properties[property]);
}

static void
update_pictures(MsImageView *self)
{
  MsImage *source = ms_document_get_source(self->document);
  MsImage *a = ms_document_get_picture_a(self->document), *b = ms_document_get_picture_b(self->document);
  gboolean differs = self->mode == MS_VIEW_DIFFERENCE && a && b;

  ms_view_slot_show(&self->original, source, NULL, GTK_WIDGET(self));
  ms_view_slot_show(&self->a, a == source ? NULL : a, NULL, GTK_WIDGET(self));
  ms_view_slot_show(&self->b, b, NULL, GTK_WIDGET(self));
  ms_view_slot_show(&self->difference, differs ? a : NULL, differs ? b : NULL, GTK_WIDGET(self));
  ms_image_view_update_regions(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Properties */

static void
on_pictures_changed(MsImageView *self)
{
  update_pictures(self);
  ms_image_view_update_readout(self);
}

/* To be called once. */
static void
set_document(MsImageView *self, MsDocument *document)
{
  MsImage *source = ms_document_get_source(document);

  self->document = g_object_ref(document);
  g_signal_connect_object(document, "notify::run-a", G_CALLBACK(on_pictures_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::shown-run", G_CALLBACK(on_pictures_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::busy", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::progress", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "settings-changed", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "pieces-changed", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "settings-changed", G_CALLBACK(ms_image_view_update_readout), self,
                          G_CONNECT_SWAPPED);
  ms_image_view_follow_regions(self);
  ms_view_geometry_set_picture(&self->geometry, ms_image_get_width(source), ms_image_get_height(source));
  update_pictures(self);
}

static void
set_region_picture(MsImageView *self, MsRegionPicture picture)
{
  if (picture == self->region_picture)
    return;
  self->region_picture = picture;
  ms_image_view_paint_regions(self);
  notify(self, PROP_REGION_PICTURE);
}

static void
ms_image_view_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  MsImageView *self = MS_IMAGE_VIEW(object);

  switch (id) {
  case PROP_MODE:
    g_value_set_int(value, self->mode);
    break;
  case PROP_DIVIDER:
    g_value_set_double(value, self->divider);
    break;
  case PROP_GAIN:
    g_value_set_int(value, self->gain);
    break;
  case PROP_REGION_PICTURE:
    g_value_set_int(value, self->region_picture);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
ms_image_view_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_GAIN)
    ms_image_view_set_gain(MS_IMAGE_VIEW(object), g_value_get_int(value));
  else if (id == PROP_REGION_PICTURE)
    set_region_picture(MS_IMAGE_VIEW(object), g_value_get_int(value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

/* Widget */

static void
ms_image_view_dispose(GObject *object)
{
  MsImageView *self = MS_IMAGE_VIEW(object);

  ms_view_slot_clear(&self->original);
  ms_view_slot_clear(&self->a);
  ms_view_slot_clear(&self->b);
  ms_view_slot_clear(&self->difference);
  ms_image_view_leave_regions(self);
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
  ms_image_view_update_pane(MS_IMAGE_VIEW(widget));
}

/* Another monitor may have another profile. */
static gboolean
on_window_moved(MsImageView *self)
{
  if (ms_screen_colours_monitor_of(GTK_WIDGET(self)) != self->monitor)
    gtk_widget_queue_draw(GTK_WIDGET(self));
  return GDK_EVENT_PROPAGATE;
}

static void
follow(MsImageView *self, gpointer object, const char *signal, GCallback handler)
{
  g_signal_handlers_disconnect_by_func(object, handler, self);
  g_signal_connect_object(object, signal, handler, self, G_CONNECT_SWAPPED);
}

/* A hidden view requests no regions. */
static void
ms_image_view_map(GtkWidget *widget)
{
  MsImageView *self = MS_IMAGE_VIEW(widget);

  GTK_WIDGET_CLASS(ms_image_view_parent_class)->map(widget);
  follow(self, gtk_widget_get_toplevel(widget), "configure-event", G_CALLBACK(on_window_moved));
  follow(self, ms_screen_colours_of(widget), "changed", G_CALLBACK(ms_image_view_draw_anew));
  ms_image_view_update_regions(MS_IMAGE_VIEW(widget));
}

static gboolean
ms_image_view_key_press(GtkWidget *widget, GdkEventKey *event)
{
  return ms_image_view_press_key(MS_IMAGE_VIEW(widget), event) ||
         GTK_WIDGET_CLASS(ms_image_view_parent_class)->key_press_event(widget, event);
}

static void
ms_image_view_class_init(MsImageViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags writable = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = ms_image_view_get_property;
  object_class->set_property = ms_image_view_set_property;
  object_class->dispose = ms_image_view_dispose;
  object_class->finalize = ms_image_view_finalize;
  widget_class->draw = ms_image_view_draw_widget;
  widget_class->map = ms_image_view_map;
  widget_class->size_allocate = ms_image_view_size_allocate;
  widget_class->key_press_event = ms_image_view_key_press;
  properties[PROP_MODE] = g_param_spec_int("mode", NULL, NULL, 0, MS_N_VIEW_MODES - 1, MS_VIEW_FILTERED, readable);
  properties[PROP_DIVIDER] = g_param_spec_double("divider", NULL, NULL, 0, 1, 0.5, readable);
  properties[PROP_GAIN] = g_param_spec_int("gain", NULL, NULL, 1, 64, 8, writable);
  properties[PROP_REGION_PICTURE] =
    g_param_spec_int("region-picture", NULL, NULL, 0, MS_N_REGION_PICTURES - 1, MS_REGION_PICTURE_OUTLINES, writable);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  g_signal_new("readout-changed", MS_TYPE_IMAGE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("region-clicked", MS_TYPE_IMAGE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name(widget_class, "imageview");
  gtk_widget_class_set_accessible_type(widget_class, ms_image_view_accessible_get_type());
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
  ms_image_view_add_input(self);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(ms_image_view_update_pane), NULL);
}

/* Public functions */

GtkWidget *
ms_image_view_new(MsDocument *document)
{
  MsImageView *self = g_object_new(MS_TYPE_IMAGE_VIEW, NULL);

  set_document(self, document);
  return GTK_WIDGET(self);
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
  ms_image_view_update_pane(self);
  ms_image_view_update_readout(self);
  notify(self, PROP_MODE);
}

/** ms_image_view_set_peek: shows the original while @peek is set. */
void
ms_image_view_set_peek(MsImageView *self, gboolean peek)
{
  if (peek == self->peek)
    return;
  self->peek = peek;
  ms_image_view_update_pane(self);
}

double
ms_image_view_get_divider(MsImageView *self)
{
  return self->divider;
}

/** ms_image_view_set_divider: sets the position of the divider as a share of the width. */
void
ms_image_view_set_divider(MsImageView *self, double divider)
{
  self->divider = CLAMP(divider, 0, 1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  notify(self, PROP_DIVIDER);
}

/** ms_image_view_set_gain: sets the factor that differences are multiplied by. */
void
ms_image_view_set_gain(MsImageView *self, int gain)
{
  self->gain = CLAMP(gain, 1, 64);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  notify(self, PROP_GAIN);
}

/* During a shorter run the badge stays as it is, because it would flicker. */
#define BADGE_DELAY_MS 300

/** ms_image_view_badge: (transfer full): what the newest picture on side B is, in one or two words. */
char *
ms_image_view_badge(MsImageView *self)
{
  double percent = ms_document_get_progress(self->document) * 100;
  gboolean is_busy = ms_document_is_busy(self->document);
  gboolean is_stale = ms_document_is_stale(self->document);
  MsRun *run = ms_document_get_current_run(self->document);

  if (ms_document_is_repeating(self->document))
    return g_strdup_printf(is_stale ? _("Measuring… %.0f %%; changes wait") : _("Measuring… %.0f %%"), percent);
  if (is_busy && ms_window_engine_is_held(ms_document_get_engine(self->document)))
    return g_strdup(_("Waiting until measuring has ended"));
  if (is_busy && (!run || ms_document_get_busy_ms(self->document) >= BADGE_DELAY_MS))
    return percent > 0 ? g_strdup_printf(_("Filtering… %.0f %%"), percent) : g_strdup(_("Building kernels…"));
  if (!run)
    return g_strdup(_("Not filtered yet"));
  if (!is_busy && is_stale)
    return g_strdup(_("Filtered with other settings"));
  return g_strdup(_("Filtered"));
}

/** ms_image_view_describe: (transfer full): a description of the view for screen readers. */
char *
ms_image_view_describe(MsImageView *self)
{
  static const char *const words[] = {N_("original"),     N_("filtered"),   N_("split"),
                                      N_("side by side"), N_("difference"), N_("regions")};
  g_autofree char *badge = self->document ? ms_image_view_badge(self) : g_strdup("");
  g_autofree char *regions = self->document ? ms_image_view_caption_regions(self) : NULL;
  MsRun *a = self->document ? ms_document_get_run_a(self->document) : NULL;

  return g_strdup_printf(
    /* Translators: the picture's name, what is shown of it, the zoom, the state, the left side, and the regions. */
    _("%s, %s, zoom %.0f %%. %s. Side A: %s%s%s"),
    self->document ? ms_document_get_title(self->document) : _("no picture"),
    _(words[ms_image_view_effective_mode(self)]), self->geometry.zoom * 100, badge,
    a ? ms_run_get_label(a) : _("original"), regions ? _(". ") : "", regions ? regions : "");
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

/* Tells the panels of the pixel; @b: (nullable): its colour on side B, where it is known */
static void
point_at(MsImageView *self, MsImage *a, const guint8 *b, int x, int y)
{
  MsPointed pointed = {.x = x, .y = y};

  memcpy(pointed.a, ms_image_get_pixels(a) + (gsize)y * ms_image_get_stride(a) + (gsize)x * 4, 4);
  memcpy(pointed.b, b ? b : pointed.a, 4);
  ms_document_set_pointed(self->document, &pointed);
}

static char *
readout_at_pointer(MsImageView *self)
{
  MsImage *a = ms_document_get_picture_a(self->document);
  double pane_x, pane_y, x, y;

  ms_image_view_pointer_in_pane(self, &pane_x, &pane_y);
  ms_view_geometry_to_picture(&self->geometry, pane_x, pane_y, &x, &y);
  if (!a || !self->pointer_inside || x < 0 || y < 0 || x >= self->geometry.width || y >= self->geometry.height) {
    ms_document_set_pointed(self->document, NULL);
    return g_strdup("");
  }
  const guint8 *b = filtered_pixel(self, (int)x, (int)y);
  point_at(self, a, b, (int)x, (int)y);
  return ms_readout_format(a, b, &ms_document_get_settings(self->document)->params, (int)x, (int)y);
}

/** ms_image_view_update_readout: called when the pointer, the picture or its position has changed. */
void
ms_image_view_update_readout(MsImageView *self)
{
  g_autofree char *text = self->document ? readout_at_pointer(self) : g_strdup("");

  if (g_strcmp0(text, self->readout) == 0)
    return;
  g_free(self->readout);
  self->readout = g_steal_pointer(&text);
  g_signal_emit_by_name(self, "readout-changed");
}

/** ms_image_view_get_readout: (transfer none): the text about the pixel under the pointer, empty for none. */
const char *
ms_image_view_get_readout(MsImageView *self)
{
  return self->readout ? self->readout : "";
}

/* What assistive technology reads: a picture with a description, and the position of the divider as its value */

typedef struct {
  GtkWidgetAccessible parent_instance;
  char *description;
} MsImageViewAccessible;

typedef struct {
  GtkWidgetAccessibleClass parent_class;
} MsImageViewAccessibleClass;

static MsImageView *
view_of(gpointer accessible)
{
  return (MsImageView *)gtk_accessible_get_widget(GTK_ACCESSIBLE(accessible));
}

static void
get_value_and_text(AtkValue *value, double *number, char **text)
{
  MsImageView *view = view_of(value);

  *number = view ? ms_image_view_get_divider(view) * 100 : 0;
  if (text)
    *text = view ? ms_image_view_describe(view) : NULL;
}

static AtkRange *
get_range(AtkValue *value)
{
  return atk_range_new(0, 100, _("Divider of the split view, in percent of the width"));
}

static double
get_increment(AtkValue *value)
{
  return 1;
}

static void
set_value(AtkValue *value, const double number)
{
  MsImageView *view = view_of(value);

  if (view)
    ms_image_view_set_divider(view, number / 100);
}

static void
value_iface_init(AtkValueIface *iface)
{
  iface->get_value_and_text = get_value_and_text;
  iface->get_range = get_range;
  iface->get_increment = get_increment;
  iface->set_value = set_value;
}

G_DEFINE_TYPE_WITH_CODE(MsImageViewAccessible, ms_image_view_accessible, GTK_TYPE_WIDGET_ACCESSIBLE,
                        G_IMPLEMENT_INTERFACE(ATK_TYPE_VALUE, value_iface_init))

static const char *
get_description(AtkObject *object)
{
  MsImageViewAccessible *self = (MsImageViewAccessible *)object;
  MsImageView *view = view_of(self);

  g_free(self->description);
  self->description = view ? ms_image_view_describe(view) : NULL;
  return self->description;
}

static void
on_view_changed(MsImageView *view, GParamSpec *pspec, AtkObject *object)
{
  g_object_notify(G_OBJECT(object), "accessible-description");
}

static void
initialize(AtkObject *object, gpointer data)
{
  ATK_OBJECT_CLASS(ms_image_view_accessible_parent_class)->initialize(object, data);
  atk_object_set_role(object, ATK_ROLE_IMAGE);
  atk_object_set_name(object, _("Picture"));
  g_signal_connect_object(data, "notify::mode", G_CALLBACK(on_view_changed), object, 0);
  g_signal_connect_object(data, "notify::divider", G_CALLBACK(on_view_changed), object, 0);
}

static void
ms_image_view_accessible_finalize(GObject *object)
{
  g_free(((MsImageViewAccessible *)object)->description);
  G_OBJECT_CLASS(ms_image_view_accessible_parent_class)->finalize(object);
}

static void
ms_image_view_accessible_class_init(MsImageViewAccessibleClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_image_view_accessible_finalize;
  ATK_OBJECT_CLASS(klass)->initialize = initialize;
  ATK_OBJECT_CLASS(klass)->get_description = get_description;
}

static void
ms_image_view_accessible_init(MsImageViewAccessible *self)
{
}
