/* SPDX-License-Identifier: MIT */
/*
 * The text of charts. Cairo draws a text with a single font, and under a Chinese locale the default one may lack Latin
 * letters and digits; pieces that it lacks are drawn with the first font of a list that has them.
 */
#include "core/chart/chart-private.h"

#include <math.h>
#include <string.h>

#include "core/text.h"

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

/*
 * Text in SVG files: Cairo draws outlines of letters there, which can neither be searched nor copied, and which some
 * programs leave out. So the texts of such a drawing are kept apart, as elements that stand above everything else.
 */

static const cairo_user_data_key_t texts_key;

/** ms_chart_keep_texts: from now on appends the texts of @cr to @texts as elements of SVG instead of drawing them. */
void
ms_chart_keep_texts(cairo_t *cr, GString *texts)
{
  cairo_set_user_data(cr, &texts_key, texts, NULL);
}

static void
append_attribute(GString *element, const char *name, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf(element, " %s=\"%s\"", name, g_ascii_formatd(number, sizeof number, "%.5g", value));
}

static void
append_rotation(GString *element, double degrees, double x, double y)
{
  const double values[] = {degrees, x, y};
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
    g_string_append_printf(element, "%s%s", i > 0 ? " " : " transform=\"rotate(",
                           g_ascii_formatd(number, sizeof number, "%.5g", values[i]));
  g_string_append(element, ")\"");
}

static void
append_colour(GString *element, cairo_t *cr)
{
  double red = 0, green = 0, blue = 0, alpha = 1;

  cairo_pattern_get_rgba(cairo_get_source(cr), &red, &green, &blue, &alpha);
  g_string_append_printf(element, " fill=\"#%02x%02x%02x\"", (guint)(red * 255 + 0.5), (guint)(green * 255 + 0.5),
                         (guint)(blue * 255 + 0.5));
  append_attribute(element, "fill-opacity", alpha);
}

/* The length keeps the text in its place where the reader's font is another one. Charts turn texts, and scale none. */
static void
append_element(GString *texts, cairo_t *cr, double x, double y, const char *text)
{
  g_autofree char *plain = ms_printable(text, ""), *escaped = g_markup_escape_text(plain, -1);
  cairo_matrix_t matrix, font;

  cairo_get_matrix(cr, &matrix);
  cairo_get_font_matrix(cr, &font);
  cairo_user_to_device(cr, &x, &y);
  g_string_append(texts, "<text");
  append_attribute(texts, "x", x);
  append_attribute(texts, "y", y);
  if (matrix.yx != 0)
    append_rotation(texts, atan2(matrix.yx, matrix.xx) * 180 / G_PI, x, y);
  append_attribute(texts, "font-size", font.xx);
  append_attribute(texts, "textLength", ms_chart_text_width(cr, text));
  append_colour(texts, cr);
  if (cairo_toy_font_face_get_weight(cairo_get_font_face(cr)) == CAIRO_FONT_WEIGHT_BOLD)
    g_string_append(texts, " font-weight=\"bold\"");
  g_string_append_printf(texts, " font-family=\"sans-serif\" lengthAdjust=\"spacingAndGlyphs\">%s</text>\n", escaped);
}

void
ms_chart_show_text(cairo_t *cr, double x, double y, const char *text)
{
  GString *texts = cairo_get_user_data(cr, &texts_key);

  if (texts && *text) {
    append_element(texts, cr, x, y, text);
    return;
  }
  cairo_move_to(cr, x, y);
  set_text(cr, text, TRUE);
}
