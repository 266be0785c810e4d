/* SPDX-License-Identifier: MIT */
#include "core/csv.h"

#include <math.h>
#include <string.h>

#include "core/text.h"

static gboolean
is_number(const char *text)
{
  char *end = NULL;

  g_ascii_strtod(text, &end);
  return end > text && *end == '\0';
}

static void
begin_cell(GString *line)
{
  if (line->len > 0 && line->str[line->len - 1] != '\n')
    g_string_append_c(line, ',');
}

static void
append_cell(GString *line, const char *text, gboolean marked)
{
  g_autofree char *valid = g_strconcat(marked ? "'" : "", text, NULL);
  g_auto(GStrv) parts = g_strsplit(valid, "\"", -1);
  g_autofree char *doubled = g_strjoinv("\"\"", parts);

  begin_cell(line);
  g_string_append_printf(line, strpbrk(valid, ",\"\r\n") ? "\"%s\"" : "%s", doubled);
}

/* A spreadsheet interprets a cell that begins with one of these as a formula. */
static gboolean
looks_like_formula(const char *text)
{
  return text[0] && strchr("=+-@\t\r", text[0]) && !is_number(text);
}

/**
 * ms_csv_append:
 * @line: the lines so far; a comma is added first unless a line begins here
 * @text: (nullable): the cell; %NULL is an empty one
 *
 * Quotes the cell if needed and doubles its quotes. Bytes that are not UTF-8 are replaced. A cell that a spreadsheet
 * would take for a formula gets a ' in front.
 */
void
ms_csv_append(GString *line, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

  append_cell(line, valid, looks_like_formula(valid));
}

/**
 * ms_csv_append_path_text:
 * @text: a file name as ms_path_to_text() spells it
 *
 * Appends the name. A ' is put in front of one that begins with a ' too, so that removing a ' at the beginning always
 * leads back to the name.
 */
void
ms_csv_append_path_text(GString *line, const char *text)
{
  append_cell(line, text, text[0] == '\'' || looks_like_formula(text));
}

/** ms_csv_append_path: ms_csv_append_path_text() for a @path of any bytes; (nullable): %NULL is an empty cell. */
void
ms_csv_append_path(GString *line, const char *path)
{
  g_autofree char *text = ms_path_to_text(path ? path : "");

  ms_csv_append_path_text(line, text);
}

/**
 * ms_csv_append_number:
 * @format: (nullable): as of printf(); without it as short as it is exact
 *
 * Appends a number in the C locale; one that is not finite is an empty cell.
 */
void
ms_csv_append_number(GString *line, double value, const char *format)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  begin_cell(line);
  if (isfinite(value))
    g_string_append(line, format ? g_ascii_formatd(digits, sizeof digits, format, value)
                                 : g_ascii_dtostr(digits, sizeof digits, value));
}

/** ms_csv_append_integer: appends a whole number. */
void
ms_csv_append_integer(GString *line, gint64 value)
{
  begin_cell(line);
  g_string_append_printf(line, "%" G_GINT64_FORMAT, value);
}
