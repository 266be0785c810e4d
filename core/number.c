/* SPDX-License-Identifier: MIT */
#include "core/number.h"

#include <math.h>
#include <string.h>

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
