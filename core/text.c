/* SPDX-License-Identifier: MIT */
#include "core/text.h"

#include <math.h>
#include <string.h>

#include "core/error.h"

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

/** ms_number_format: (transfer full): the value in a printf format for one double, the same in every locale. */
char *
ms_number_format(double value, const char *format)
{
  char text[64];

  return g_strdup(g_ascii_formatd(text, sizeof text, format, value));
}

/* Text files of a person's choice, which may be pipes or devices without an end */

#define PIECE (64 * 1024)

/* Appends what @stream holds, and stops at the first piece beyond @limit. */
static gboolean
read_up_to(GInputStream *stream, gsize limit, GByteArray *bytes, GError **error)
{
  for (;;) {
    const guint had = bytes->len;
    gsize n;
    g_byte_array_set_size(bytes, had + PIECE);
    const gboolean good = g_input_stream_read_all(stream, bytes->data + had, PIECE, &n, NULL, error);
    g_byte_array_set_size(bytes, had + (guint)n);
    if (!good || n < PIECE || bytes->len > limit)
      return good;
  }
}

/**
 * ms_file_text_load:
 * @path: a file, a pipe or a device
 * @limit: the most bytes that are accepted, below 2 GiB
 * @length: (out): bytes of the text, without the zero behind it
 *
 * Reads no more than @limit and a piece, so that a file without an end costs no more memory than that.
 *
 * Returns: (transfer full): the text, or %NULL with an error that names the file
 */
char *
ms_file_text_load(const char *path, gsize limit, gsize *length, GError **error)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GFileInputStream) stream = g_file_read(file, NULL, error);
  g_autoptr(GByteArray) bytes = g_byte_array_new();

  if (!stream || !read_up_to(G_INPUT_STREAM(stream), limit, bytes, error))
    return NULL;
  if (bytes->len > limit) {
    ms_set_error(error, MS_ERROR_TOO_LARGE, "'%s' is too large; %zu bytes are read at most.", path, limit);
    return NULL;
  }
  *length = bytes->len;
  g_byte_array_append(bytes, (const guint8 *)"", 1);
  return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}
