/* SPDX-License-Identifier: MIT */
#include "core/text.h"

#include <math.h>
#include <string.h>

/* Characters that reverse the order of the text behind them, or break the line: Unicode's bidirectional controls. */
static const gunichar hidden[][2] = {
  {0x061c, 0x061c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
};

static gboolean
is_misleading(gunichar c, const char *keep)
{
  if (c < 0x20)
    return strchr(keep, (int)c) == NULL;
  if (c >= 0x7f && c < 0xa0)
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS(hidden); i++)
    if (c >= hidden[i][0] && c <= hidden[i][1])
      return TRUE;
  return FALSE;
}

static void
append_octal(GString *into, const char *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_string_append_printf(into, "\\%03o", (guchar)bytes[i]);
}

/**
 * ms_printable:
 * @keep: control characters that stay, such as "\n\t" in a table
 *
 * Returns: (transfer full): @text as valid UTF-8, with control characters, bidirectional controls and bytes that are
 *   no UTF-8 as \ooo
 */
char *
ms_printable(const char *text, const char *keep)
{
  GString *shown = g_string_new(NULL);

  for (const char *p = text; *p;) {
    gunichar c = g_utf8_get_char_validated(p, -1);
    gboolean valid = c < 0x110000;
    gsize n = valid ? (gsize)(g_utf8_next_char(p) - p) : 1;
    if (!valid || is_misleading(c, keep))
      append_octal(shown, p, n);
    else
      g_string_append_len(shown, p, (gssize)n);
    p += n;
  }
  return g_string_free(shown, FALSE);
}

/* Leaves room for endings, and for names of the system that end at 255 bytes. */
#define MOST_NAME_BYTES 180

/* Letters and digits of any script, and some marks that no shell, page or LaTeX document takes for its own. */
static gboolean
fits_file_name(gunichar c, gboolean first)
{
  return g_unichar_isalnum(c) || c == '_' || (!first && (c == '-' || c == '.'));
}

/**
 * ms_file_name:
 *
 * Returns: (transfer full): the name of a file for what is called @name, which may be any text: a name of letters,
 *   digits, '-', '_' and '.' as it is, any other with '_' for what does not fit and a part of its hash, so that two
 *   names have two files
 */
char *
ms_file_name(const char *name)
{
  g_autoptr(GString) fitting = g_string_new(NULL);

  for (const char *p = name; *p && fitting->len < MOST_NAME_BYTES;) {
    const gunichar c = g_utf8_get_char_validated(p, -1);
    const gboolean valid = c < 0x110000;
    g_string_append_unichar(fitting, valid && fits_file_name(c, p == name) ? c : '_');
    p = valid ? g_utf8_next_char(p) : p + 1;
  }
  if (*name && strcmp(fitting->str, name) == 0)
    return g_string_free(g_steal_pointer(&fitting), FALSE);
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, name, -1);
  return g_strdup_printf("%s-%.8s", fitting->str, hash);
}

/**
 * ms_path_to_text:
 *
 * Doubles backslashes. A name that is not UTF-8 gets C escapes for all bytes but printable ASCII, as in "\351".
 *
 * Returns: (transfer full): valid UTF-8, from which ms_path_from_text() makes @path again
 */
char *
ms_path_to_text(const char *path)
{
  GString *text = g_string_new(NULL);

  if (!g_utf8_validate(path, -1, NULL)) {
    g_string_free(text, TRUE);
    return g_strescape(path, NULL);
  }
  for (const char *p = path; *p; p++) {
    if (*p == '\\')
      g_string_append_c(text, '\\');
    g_string_append_c(text, *p);
  }
  return g_string_free(text, FALSE);
}

/** ms_path_from_text: (transfer full): the bytes that ms_path_to_text() was given. */
char *
ms_path_from_text(const char *text)
{
  return g_strcompress(text);
}

/**
 * ms_number_text: (transfer full): three or four significant digits, without an exponent between 0.001 and 10 million;
 * "–" for a value that is not finite.
 */
char *
ms_number_text(double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double size = fabs(value);

  if (!isfinite(value))
    return g_strdup("–");
  value += 0.0; /* avoids "-0" */
  int digits = size >= 1000 || size == 0 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4;

  if (size != 0 && (size < 1e-3 || size >= 1e7)) {
    g_ascii_formatd(text, sizeof text, "%.3g", value);
    return g_strdup(text);
  }
  char format[] = {'%', '.', (char)('0' + digits), 'f', '\0'};
  g_ascii_formatd(text, sizeof text, format, value);
  if (digits > 0) {
    g_autofree char *copy = g_strdup(text);
    gsize end = strlen(copy);
    while (end > 0 && copy[end - 1] == '0')
      end--;
    if (end > 0 && copy[end - 1] == '.')
      end--;
    return g_strndup(copy, end);
  }
  return g_strdup(text);
}

/**
 * ms_number_format: (transfer full): the value in a printf format for one double, the same in every locale. Up to ten
 * millions it has no exponent: %.3g makes 1234 of what printf() writes as 1.23e+03.
 */
char *
ms_number_format(double value, const char *format)
{
  char text[64];

  g_ascii_formatd(text, sizeof text, format, value);
  if (fabs(value) >= 1 && fabs(value) < 1e7 && strchr(text, 'e'))
    g_ascii_formatd(text, sizeof text, "%.0f", value);
  return g_strdup(text);
}
