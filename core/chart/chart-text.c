/* SPDX-License-Identifier: MIT */
/*
 * The text of charts, laid out by Pango, which takes characters that a font lacks from another one. Everything that is
 * drawn on one context shares a layout.
 */
#include "core/chart/chart-private.h"

#include <pango/pangocairo.h>

#include "core/text.h"

static const cairo_user_data_key_t layout_key;

/* (transfer none): the layout of @cr, in the size of user units, whatever the surface */
static PangoLayout *
layout_of(cairo_t *cr)
{
  PangoLayout *layout = cairo_get_user_data(cr, &layout_key);

  if (layout)
    return layout;
  layout = pango_cairo_create_layout(cr);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  cairo_set_user_data(cr, &layout_key, layout, g_object_unref);
  return layout;
}

void
ms_chart_use_font(cairo_t *cr, double size, gboolean bold)
{
  PangoFontDescription *font = pango_font_description_from_string("sans");

  pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
  pango_font_description_set_weight(font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description(layout_of(cr), font);
  pango_font_description_free(font);
}

/* (transfer none): the only line of @text, in which control characters of a stranger's file are shown as escapes */
static PangoLayoutLine *
set_line(cairo_t *cr, const char *text)
{
  PangoLayout *layout = layout_of(cr);
  g_autofree char *plain = ms_printable(text, "");

  pango_layout_set_text(layout, plain, -1);
  return pango_layout_get_line_readonly(layout, 0);
}

double
ms_chart_text_width(cairo_t *cr, const char *text)
{
  PangoRectangle extents;

  pango_layout_line_get_extents(set_line(cr, text), NULL, &extents);
  return (double)extents.width / PANGO_SCALE;
}

void
ms_chart_show_text(cairo_t *cr, double x, double y, const char *text)
{
  PangoLayoutLine *line = set_line(cr, text);

  pango_cairo_update_layout(cr, layout_of(cr));
  cairo_move_to(cr, x, y);
  pango_cairo_show_layout_line(cr, line);
}
