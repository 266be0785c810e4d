/* SPDX-License-Identifier: MIT */
#include "core/path-text.h"

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
