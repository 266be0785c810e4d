/* SPDX-License-Identifier: MIT */
#include "core/csv.h"

#include <string.h>

/**
 * ms_csv_append:
 * @line: the lines so far; a comma is added first unless a line begins here
 * @text: (nullable): the cell; %NULL is an empty one
 *
 * Quotes the cell if needed and doubles its quotes. Bytes that are not UTF-8 are replaced as in JSON reports, so that
 * both show the same name.
 */
void
ms_csv_append(GString *line, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
  g_auto(GStrv) parts = g_strsplit(valid, "\"", -1);
  g_autofree char *doubled = g_strjoinv("\"\"", parts);

  if (line->len > 0 && line->str[line->len - 1] != '\n')
    g_string_append_c(line, ',');
  g_string_append_printf(line, strpbrk(valid, ",\"\r\n") ? "\"%s\"" : "%s", doubled);
}
