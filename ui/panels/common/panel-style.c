/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/panel-style.h"

/* Font size for which charts are laid out: 10 points at 96 dots an inch. */
#define USUAL_FONT_PIXELS 13.333

/** ms_panel_theme: dark if the theme's text colour is light. */
MsChartTheme
ms_panel_theme(GtkWidget *widget)
{
  GtkStyleContext *style = gtk_widget_get_style_context(widget);
  GdkRGBA text;

  gtk_style_context_get_color(style, gtk_style_context_get_state(style), &text);
  return 0.299 * text.red + 0.587 * text.green + 0.114 * text.blue > 0.5 ? MS_CHART_DARK : MS_CHART_LIGHT;
}

/** ms_panel_text_scale: the size of the user's font relative to the default. */
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

/**
 * ms_panel_show_text: draws text below the current point in the widget's font and the source colour, ellipsized at
 * @width pixels if positive.
 */
void
ms_panel_show_text(GtkWidget *widget, cairo_t *cr, double width, const char *text)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);

  if (width > 0) {
    pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
  }
  pango_cairo_show_layout(cr, layout);
}

void
ms_panel_text_size(GtkWidget *widget, const char *text, int *width, int *height)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);

  pango_layout_get_pixel_size(layout, width, height);
}

/** ms_panel_draw_focus: draws the theme's focus frame if @widget has the focus. */
void
ms_panel_draw_focus(GtkWidget *widget, cairo_t *cr)
{
  if (gtk_widget_has_focus(widget))
    gtk_render_focus(gtk_widget_get_style_context(widget), cr, 1, 1, gtk_widget_get_allocated_width(widget) - 2,
                     gtk_widget_get_allocated_height(widget) - 2);
}

static gboolean
show_cell(GtkTreeView *tree, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip, gpointer data)
{
  GtkTreeModel *model;
  g_autoptr(GtkTreePath) path = NULL;
  g_autofree char *text = NULL;
  GtkTreeIter iter;

  if (!gtk_tree_view_get_tooltip_context(tree, &x, &y, by_keyboard, &model, &path, &iter))
    return FALSE;
  gtk_tree_model_get(model, &iter, GPOINTER_TO_INT(data), &text, -1);
  if (!text || !*text)
    return FALSE;
  gtk_tooltip_set_text(tooltip, text);
  gtk_tree_view_set_tooltip_row(tree, tooltip, path);
  return TRUE;
}

/** ms_panel_tree_tooltip: shows the text of @column as tooltip; unlike tooltip-column it is not parsed as markup. */
void
ms_panel_tree_tooltip(GtkTreeView *tree, int column)
{
  g_signal_handlers_disconnect_matched(tree, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, show_cell, NULL);
  gtk_widget_set_has_tooltip(GTK_WIDGET(tree), TRUE);
  g_signal_connect(tree, "query-tooltip", G_CALLBACK(show_cell), GINT_TO_POINTER(column));
}
