/* SPDX-License-Identifier: MIT */
#include "core/printable.h"

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
