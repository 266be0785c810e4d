/* SPDX-License-Identifier: MIT */
#include "ui/panels/panel-style.h"

/* 10 points at 96 dots an inch, for which charts are laid out. */
#define USUAL_FONT_PIXELS 13.333

/** ms_panel_theme: dark where the theme writes in a light colour. */
MsChartTheme
ms_panel_theme(GtkWidget *widget)
{
  GtkStyleContext *style = gtk_widget_get_style_context(widget);
  GdkRGBA text;

  gtk_style_context_get_color(style, gtk_style_context_get_state(style), &text);
  return 0.299 * text.red + 0.587 * text.green + 0.114 * text.blue > 0.5 ? MS_CHART_DARK : MS_CHART_LIGHT;
}

/** ms_panel_text_scale: 1 at the usual font, 2 where the person has asked for text twice as large. */
double
ms_panel_text_scale(GtkWidget *widget)
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

/** ms_panel_show_text: in the widget's font and the source colour, cut with dots at @width pixels when that is positive. */
void
ms_panel_show_text(GtkWidget *widget, cairo_t *cr, double x, double y, double width, const char *text)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);

  if (width > 0) {
    pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  }
  cairo_move_to(cr, x, y);
  pango_cairo_show_layout(cr, layout);
}

void
ms_panel_text_size(GtkWidget *widget, const char *text, int *width, int *height)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);

  pango_layout_get_pixel_size(layout, width, height);
}
