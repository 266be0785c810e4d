/* SPDX-License-Identifier: MIT */
#include "ui/document/document-filter.h"
#include "ui/document/document-repeat.h"
#include "ui/document/document-runs.h"
#include "ui/engine/window-engine-hold.h"
#include "ui/image-view/image-view-accessible.h"

#include <glib/gi18n-lib.h>

#include "ui/image-view/image-view-draw.h"
#include "ui/image-view/image-view-slot.h"
#include "ui/image-view/image-view-input.h"
#include "ui/image-view/image-view-private.h"
#include "ui/image-view/image-view-readout.h"
#include "ui/image-view/image-view-regions.h"
#include "ui/image-view/image-view-zoom.h"

const char *const ms_view_mode_names[MS_N_VIEW_MODES + 1] = {"original",   "filtered", "split", "side-by-side",
                                                             "difference", "regions",  NULL};

G_DEFINE_FINAL_TYPE(MsImageView, ms_image_view, GTK_TYPE_DRAWING_AREA)

enum {
  PROP_0,
  PROP_DOCUMENT,
  PROP_MODE,
  PROP_PEEK,
  PROP_DIVIDER,
  PROP_GAIN,
  PROP_REGION_PICTURE,
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

static void
update_pictures(MsImageView *self)
{
  MsImage *a = ms_document_get_picture_a(self->document), *b = ms_document_get_picture_b(self->document);
  gboolean differs = self->mode == MS_VIEW_DIFFERENCE && a && b;

  ms_view_slot_show(&self->a, a ? a : ms_document_get_source(self->document), NULL, GTK_WIDGET(self));
  ms_view_slot_show(&self->b, b, NULL, GTK_WIDGET(self));
  ms_view_slot_show(&self->difference, differs ? a : NULL, differs ? b : NULL, GTK_WIDGET(self));
  ms_image_view_update_regions(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Properties */

static void
pictures_changed_cb(MsImageView *self)
{
  update_pictures(self);
  ms_image_view_update_readout(self);
}

static void
set_document(MsImageView *self, MsDocument *document)
{
  MsImage *source = ms_document_get_source(document);

  self->document = g_object_ref(document);
  g_signal_connect_object(document, "notify::run-a", G_CALLBACK(pictures_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::run-b", G_CALLBACK(pictures_changed_cb), self, G_CONNECT_SWAPPED);
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
  case PROP_REGION_PICTURE:
    g_value_set_int(value, self->region_picture);
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
  case PROP_REGION_PICTURE:
    set_region_picture(self, g_value_get_int(value));
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

/* A hidden view requests no regions. */
static void
ms_image_view_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(ms_image_view_parent_class)->map(widget);
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
  const GParamFlags writable = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = ms_image_view_get_property;
  object_class->set_property = ms_image_view_set_property;
  object_class->dispose = ms_image_view_dispose;
  object_class->finalize = ms_image_view_finalize;
  widget_class->draw = ms_image_view_draw_widget;
  widget_class->map = ms_image_view_map;
  widget_class->size_allocate = ms_image_view_size_allocate;
  widget_class->key_press_event = ms_image_view_key_press;
  properties[PROP_DOCUMENT] = g_param_spec_object("document", NULL, NULL, MS_TYPE_DOCUMENT,
                                                  G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  properties[PROP_MODE] = g_param_spec_int("mode", NULL, NULL, 0, MS_N_VIEW_MODES - 1, MS_VIEW_FILTERED, writable);
  properties[PROP_PEEK] = g_param_spec_boolean("peek", NULL, NULL, FALSE, writable);
  properties[PROP_DIVIDER] = g_param_spec_double("divider", NULL, NULL, 0, 1, 0.5, writable);
  properties[PROP_GAIN] = g_param_spec_int("gain", NULL, NULL, 1, 64, 8, writable);
  properties[PROP_REGION_PICTURE] =
    g_param_spec_int("region-picture", NULL, NULL, 0, MS_N_REGION_PICTURES - 1, MS_REGION_PICTURE_OUTLINES, writable);
  properties[PROP_ZOOM] = g_param_spec_double("zoom", NULL, NULL, MS_ZOOM_MIN, MS_ZOOM_MAX, 1, writable);
  properties[PROP_READOUT] =
    g_param_spec_string("readout", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  g_signal_new("region-clicked", MS_TYPE_IMAGE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name(widget_class, "imageview");
  gtk_widget_class_set_accessible_type(widget_class, MS_TYPE_IMAGE_VIEW_ACCESSIBLE);
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
  notify(self, PROP_PEEK);
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
