/* SPDX-License-Identifier: MIT */
/*
 * The text of charts. Cairo draws a text with a single font, and under a Chinese locale the default one may lack Latin
 * letters and digits; pieces that it lacks are drawn with the first font of a list that has them.
 */
#include "core/chart/chart-private.h"

#include <string.h>

static const char *const families[] = {"sans-serif",       "DejaVu Sans", "Noto Sans",           "Liberation Sans",
                                       "Noto Sans CJK SC", "Arial",       "Droid Sans Fallback", "WenQuanYi Zen Hei"};

static void
select_family(cairo_t *cr, guint index, cairo_font_weight_t weight)
{
  cairo_select_font_face(cr, families[index], CAIRO_FONT_SLANT_NORMAL, weight);
}

void
ms_chart_use_font(cairo_t *cr, double size, gboolean bold)
{
  select_family(cr, 0, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
}

/* Whether the current font has all characters of @text; glyph 0 of a font stands for those that it lacks. */
static gboolean
has_glyphs(cairo_t *cr, const char *text, gsize length)
{
  cairo_glyph_t *glyphs = NULL;
  int n = 0;
  gboolean all = cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(cr), 0, 0, text, (int)length, &glyphs, &n, NULL,
                                                  NULL, NULL) == CAIRO_STATUS_SUCCESS;

  for (int i = 0; i < n; i++)
    all = all && glyphs[i].index != 0;
  cairo_glyph_free(glyphs);
  return all;
}

/* The first family that has the character; the default one if none does. */
static guint
find_family(cairo_t *cr, const char *character, cairo_font_weight_t weight)
{
  const gsize length = (gsize)(g_utf8_next_char(character) - character);

  for (guint i = 0; i < G_N_ELEMENTS(families); i++) {
    select_family(cr, i, weight);
    if (has_glyphs(cr, character, length))
      return i;
  }
  return 0;
}

static double
set_piece(cairo_t *cr, const char *text, gboolean show)
{
  cairo_text_extents_t extents;

  cairo_text_extents(cr, text, &extents);
  if (show)
    cairo_show_text(cr, text);
  return extents.x_advance;
}

/* Shows @text at the current point or measures it only, each piece with a font that has it; returns the width. */
static double
set_text(cairo_t *cr, const char *text, gboolean show)
{
  const cairo_font_weight_t weight = cairo_toy_font_face_get_weight(cairo_get_font_face(cr));
  double width = 0;

  if (has_glyphs(cr, text, strlen(text)))
    return set_piece(cr, text, show);
  for (const char *start = text; *start;) {
    const guint family = find_family(cr, start, weight);
    const char *end = g_utf8_next_char(start);
    while (*end && find_family(cr, end, weight) == family)
      end = g_utf8_next_char(end);
    g_autofree char *piece = g_strndup(start, (gsize)(end - start));
    select_family(cr, family, weight);
    width += set_piece(cr, piece, show);
    start = end;
  }
  select_family(cr, 0, weight);
  return width;
}

double
ms_chart_text_width(cairo_t *cr, const char *text)
{
  return set_text(cr, text, FALSE);
}

void
ms_chart_show_text(cairo_t *cr, double x, double y, const char *text)
{
  cairo_move_to(cr, x, y);
  set_text(cr, text, TRUE);
}
