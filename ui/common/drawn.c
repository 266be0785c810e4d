/* SPDX-License-Identifier: MIT */
#include "ui/common/drawn.h"

#include <gtk/gtk-a11y.h>

/* Font size for which charts are laid out: 10 points at 96 dots an inch. */
#define USUAL_FONT_PIXELS 13.333

/** ms_drawn_theme: dark if the theme's text colour is light. */
MsChartTheme
ms_drawn_theme(GtkWidget *widget)
{
  GtkStyleContext *style = gtk_widget_get_style_context(widget);
  GdkRGBA text;

  gtk_style_context_get_color(style, gtk_style_context_get_state(style), &text);
  return 0.299 * text.red + 0.587 * text.green + 0.114 * text.blue > 0.5 ? MS_CHART_DARK : MS_CHART_LIGHT;
}

/** ms_drawn_text_scale: the size of the user's font relative to the default. */
double
ms_drawn_text_scale(GtkWidget *widget)
{
  const PangoFontDescription *font = pango_context_get_font_description(gtk_widget_get_pango_context(widget));
  double size = pango_font_description_get_size(font) / (double)PANGO_SCALE;
  double dpi = gdk_screen_get_resolution(gtk_widget_get_screen(widget));

  if (size <= 0)
    return 1.0;
  if (!pango_font_description_get_size_is_absolute(font))
    size *= (dpi > 0 ? dpi : 96.0) / 72.0;
  return CLAMP(size / USUAL_FONT_PIXELS, 0.75, 3.0);
}

/**
 * ms_drawn_show_text: draws text below the current point in the widget's font and the source colour, ellipsized at
 * @width pixels if positive.
 */
void
ms_drawn_show_text(GtkWidget *widget, cairo_t *cr, double width, const char *text)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);

  if (width > 0) {
    pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  }
  pango_cairo_show_layout(cr, layout);
}

void
ms_drawn_text_size(GtkWidget *widget, const char *text, int *width, int *height)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);

  pango_layout_get_pixel_size(layout, width, height);
}

/** ms_drawn_focus: draws the theme's focus frame if @widget has the focus. */
void
ms_drawn_focus(GtkWidget *widget, cairo_t *cr)
{
  if (gtk_widget_has_focus(widget))
    gtk_render_focus(gtk_widget_get_style_context(widget), cr, 1, 1, gtk_widget_get_allocated_width(widget) - 2,
                     gtk_widget_get_allocated_height(widget) - 2);
}

/* The accessible object of a widget that draws itself */

#define MS_TYPE_DRAWN_ACCESSIBLE (ms_drawn_accessible_get_type())
G_DECLARE_FINAL_TYPE(MsDrawnAccessible, ms_drawn_accessible, MS, DRAWN_ACCESSIBLE, GtkWidgetAccessible)

struct _MsDrawnAccessible {
  GtkWidgetAccessible parent_instance;
  double value;
  char *text;
};

static void value_interface_init(AtkValueIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE(MsDrawnAccessible, ms_drawn_accessible, GTK_TYPE_WIDGET_ACCESSIBLE,
                              G_IMPLEMENT_INTERFACE(ATK_TYPE_VALUE, value_interface_init))

static void
ms_drawn_accessible_finalize(GObject *object)
{
  g_free(MS_DRAWN_ACCESSIBLE(object)->text);
  G_OBJECT_CLASS(ms_drawn_accessible_parent_class)->finalize(object);
}

static void
ms_drawn_accessible_class_init(MsDrawnAccessibleClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_drawn_accessible_finalize;
}

static void
ms_drawn_accessible_init(MsDrawnAccessible *self)
{
}

static void
get_value_and_text(AtkValue *object, double *value, char **text)
{
  MsDrawnAccessible *self = MS_DRAWN_ACCESSIBLE(object);

  *value = self->value;
  if (text)
    *text = g_strdup(self->text ? self->text : "");
}

static void
value_interface_init(AtkValueIface *iface)
{
  iface->get_value_and_text = get_value_and_text;
}

/** ms_drawn_class_init: called in the class_init of a widget that draws itself. */
void
ms_drawn_class_init(GtkWidgetClass *klass)
{
  gtk_widget_class_set_accessible_type(klass, MS_TYPE_DRAWN_ACCESSIBLE);
}

/** ms_drawn_describe: @description: (nullable): the contents of the drawing in text */
void
ms_drawn_describe(GtkWidget *widget, AtkRole role, const char *name, const char *description)
{
  AtkObject *accessible = gtk_widget_get_accessible(widget);

  atk_object_set_role(accessible, role);
  atk_object_set_name(accessible, name);
  atk_object_set_description(accessible, description ? description : "");
}

/** ms_drawn_set_value: sets the value at the cursor of the drawing, as a number and as text. */
void
ms_drawn_set_value(GtkWidget *widget, double value, const char *text)
{
  AtkObject *accessible = gtk_widget_get_accessible(widget);

  if (!MS_IS_DRAWN_ACCESSIBLE(accessible))
    return;
  MsDrawnAccessible *self = MS_DRAWN_ACCESSIBLE(accessible);
  if (self->value == value && g_strcmp0(self->text, text) == 0)
    return;
  self->value = value;
  g_free(self->text);
  self->text = g_strdup(text);
  g_signal_emit_by_name(accessible, "value-changed", value, self->text ? self->text : "");
}
