/* SPDX-License-Identifier: MIT */
/* --help and the manual page: both describe every option, every reduction and every preset, and nothing else. */
#include <string.h>

#include "app/command-line/command-line.h"
#include "app/command-line/help.h"
#include "core/option/option.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce-options.h"
#include "tests/support/cases.h"

static void
for_each_option(void (*func)(const char *name, const char *text), const char *text)
{
  const MsOptionTable *tables[] = {&ms_options, &ms_command_options};

  for (gsize k = 0; k < G_N_ELEMENTS(tables); k++)
    for (guint i = 0; i < tables[k]->n_rows; i++)
      func(tables[k]->rows[i].name, text);
}

static void
check_help(const char *name, const char *help)
{
  g_autofree char *option = g_strdup_printf("--%s", name);
  g_autofree char *pattern = g_strdup_printf("(?m)^  (-., )?%s( |\\[=|$)", option);

  if (!g_regex_match_simple(pattern, help, 0, 0))
    g_error("--help does not list %s.", option);
}

static void
test_help_lists_every_option(void)
{
  g_autofree char *help = ms_help_all();

  for_each_option(check_help, help);
  g_assert_nonnull(strstr(help, "opencv|truncate|replicate"));
  g_assert_nonnull(strstr(help, "fail|skip|unique|overwrite"));
  g_assert_nonnull(strstr(help, "130"));
}

/* The short help begins with examples and lists only the options that are marked as common. */
static void
test_short_help(void)
{
  g_autofree char *help = ms_help_short();
  const char *examples = strstr(help, "\nExamples:\n"), *options = strstr(help, "\nProgram:\n");
  guint n = 0;

  for (gsize k = 0; k < 2; k++) {
    const MsOptionTable *table = k ? &ms_command_options : &ms_options;
    for (guint i = 0; i < table->n_rows; i++) {
      g_autofree char *pattern = g_strdup_printf("(?m)^  (-., )?--%s( |\\[=|$)", table->rows[i].name);
      g_assert_true(g_regex_match_simple(pattern, help, 0, 0) == table->rows[i].is_common);
      n += table->rows[i].is_common;
    }
  }
  g_assert_cmpuint(n, >=, 15);
  g_assert_cmpuint(n, <=, 25);
  g_assert_nonnull(examples);
  g_assert_true(options > examples);
  g_assert_null(strstr(help, "\nLab:\n"));
  g_assert_nonnull(strstr(help, "--help-all"));
}

/* roff writes a dash as \-. */
static void
check_man_page(const char *name, const char *page)
{
  g_auto(GStrv) words = g_strsplit(name, "-", -1);
  g_autofree char *joined = g_strjoinv("\\-", words);
  g_autofree char *option = g_strdup_printf("\\-\\-%s", joined);
  const char *at = strstr(page, option);

  while (at && (g_ascii_isalnum(at[strlen(option)]) || at[strlen(option)] == '\\'))
    at = strstr(at + 1, option);
  if (!at)
    g_error("The manual page does not describe --%s.", name);
}

static char *
read_man_page(void)
{
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "meanshift-lab.1", NULL);
  g_autoptr(GError) error = NULL;
  char *text = NULL;

  g_file_get_contents(path, &text, NULL, &error);
  g_assert_no_error(error);
  return text;
}

static void
test_man_page_has_every_option(void)
{
  g_autofree char *text = read_man_page();

  for_each_option(check_man_page, text);
}

/* The line after .TP names what an entry describes. */
static void
test_man_page_has_no_other_entry(void)
{
  g_autofree char *text = read_man_page();
  g_autoptr(GRegex) entry = g_regex_new("^\\.TP\n(.*)$", G_REGEX_MULTILINE, 0, NULL);
  g_autoptr(GRegex) name = g_regex_new("(?<![\\w\\\\-])(?:\\\\-){2}([a-z]+(?:\\\\-[a-z]+)*)", 0, 0, NULL);
  g_autoptr(GMatchInfo) entries = NULL;
  guint n = 0;

  for (g_regex_match(entry, text, 0, &entries); g_match_info_matches(entries); g_match_info_next(entries, NULL)) {
    g_autofree char *line = g_match_info_fetch(entries, 1);
    g_autoptr(GMatchInfo) names = NULL;
    for (g_regex_match(name, line, 0, &names); g_match_info_matches(names); g_match_info_next(names, NULL), n++) {
      g_autofree char *roff = g_match_info_fetch(names, 1);
      g_auto(GStrv) words = g_strsplit(roff, "\\-", -1);
      g_autofree char *option = g_strjoinv("-", words);
      if (!ms_option_find(option) && !ms_option_table_find(&ms_command_options, option))
        g_error("The manual page describes --%s, which is no option.", option);
    }
  }
  g_assert_cmpuint(n, >=, ms_options.n_rows + ms_command_options.n_rows);
}

/* One line of words, as a reader sees it: no requests, no fonts, no breaks. */
static char *
as_read(const char *text, gboolean roff)
{
  g_autoptr(GRegex) request = g_regex_new("^\\.[A-Z]+ ?|\\\\f[BRI]|\"", G_REGEX_MULTILINE, 0, NULL);
  g_autofree char *bare = roff ? g_regex_replace_literal(request, text, -1, 0, "", 0, NULL) : g_strdup(text);
  g_auto(GStrv) pieces = g_strsplit(bare, roff ? "\\-" : "\n", -1);
  g_autofree char *joined = g_strjoinv(roff ? "-" : " ", pieces);
  g_autoptr(GRegex) spaces = g_regex_new("\\s+", 0, 0, NULL);

  return g_regex_replace_literal(spaces, joined, -1, 0, " ", 0, NULL);
}

static void
assert_says(const char *text, const char *part)
{
  if (!strstr(text, part))
    g_error("“%s” is not said.", part);
}

static void
assert_describes(const char *text, const char *left, const char *right)
{
  g_autofree char *row = g_strdup_printf(" %s %s ", left, right);

  assert_says(text, row);
}

/* Every preset and every key has its own entry, with the settings or the values, the range and the default. */
static void
assert_describes_variants(const char *text)
{
  g_autofree char *types = g_strjoinv(", ", (char **)ms_element_type_names);
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n);

  for (int op = 0; op < MS_REDUCE_N_OPS; op++)
    assert_describes(text, ms_reduce_operator(op)->name, ms_reduce_operator(op)->help);
  assert_says(text, types);
  for (guint i = 0; i < n; i++) {
    g_autofree char *help = ms_help_preset(i);
    assert_describes(text, presets[i].name, help);
  }
  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    g_autofree char *usage = ms_option_usage(&ms_reduce_options.rows[i]);
    g_autofree char *help = ms_option_help_text(&ms_reduce_options.rows[i]);
    assert_describes(text, usage, help);
  }
}

static void
test_reductions_are_described(void)
{
  g_autofree char *raw_help = ms_help_all(), *raw_page = read_man_page();
  g_autofree char *help = as_read(raw_help, FALSE), *page = as_read(raw_page, TRUE);
  char *texts[] = {help, page};

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    assert_describes_variants(texts[i]);
    assert_says(texts[i], "decimal");
    assert_says(texts[i], "--verify found a difference, or the result of --reduce is not the serial one");
  }
}

static void
test_defaults_of_reductions(void)
{
  g_autofree char *raw_help = ms_help_all(), *raw_page = read_man_page();
  g_autofree char *help = as_read(raw_help, FALSE), *page = as_read(raw_page, TRUE);
  g_autoptr(MsCommandLine) line =
    ms_command_line_parse(4, (char *[]){"x", "--headless", "--reduce", "sum", NULL}, NULL);
  g_autofree char *size = g_strdup_printf("default %" G_GUINT64_FORMAT, line->size);

  assert_says(help, size);
  assert_says(page, size);
  assert_says(help, "Element type of --reduce (default int)");
  assert_says(page, "element type, by default int:");
  assert_says(help, "see below (default auto)");
  assert_says(page, "by default auto");
  g_assert_cmpstr(line->type, ==, "int");
  g_assert_cmpstr(line->variant, ==, "auto");
}

/* The manual lists the values of every option in the order of the table; of --kernel it says NAME. */
static void
test_man_page_has_the_values(void)
{
  const MsOptionTable *tables[] = {&ms_options, &ms_command_options};
  g_autofree char *raw = read_man_page();
  g_autofree char *page = as_read(raw, TRUE);

  for (gsize k = 0; k < G_N_ELEMENTS(tables); k++)
    for (guint i = 0; i < tables[k]->n_rows; i++) {
      const MsOptionInfo *row = &tables[k]->rows[i];
      if (!row->values || g_str_equal(row->name, "kernel") || row->value_is_optional)
        continue;
      g_autofree char *values = g_strjoinv("|", (char **)row->values);
      g_autofree char *entry = g_strdup_printf("--%s %s ", row->name, values);
      assert_says(page, entry);
    }
}

/* The manual states the rules by which statistics are computed, among them the formula of luma. */
static void
test_man_page_has_the_rules(void)
{
  g_autofree char *raw = read_man_page();
  g_autofree char *page = as_read(raw, TRUE);

  assert_says(page, "(299 R + 587 G + 114 B + 500) / 1000");
  for (guint v = 0; v < 256; v++) {
    g_assert_cmpuint(MS_LUMA(v, 255 - v, v / 2), ==, (299 * v + 587 * (255 - v) + 114 * (v / 2) + 500) / 1000);
    g_assert_cmpuint(MS_LUMA(v, v, v), ==, v);
  }
  assert_says(page, "(N - 1) P / 100");
  assert_says(page, "of the population");
  assert_says(page, "NaN only where every element is one");
  assert_says(page, "accumulated in 64 bits");
}

void
ms_test_command_help(void)
{
  g_test_add_func("/command-help/help-lists-every-option", test_help_lists_every_option);
  g_test_add_func("/command-help/short-help", test_short_help);
  g_test_add_func("/command-help/man-page-has-every-option", test_man_page_has_every_option);
  g_test_add_func("/command-help/man-page-has-the-values", test_man_page_has_the_values);
  g_test_add_func("/command-help/man-page-has-no-other-entry", test_man_page_has_no_other_entry);
  g_test_add_func("/command-help/reductions-are-described", test_reductions_are_described);
  g_test_add_func("/command-help/defaults-of-reductions", test_defaults_of_reductions);
  g_test_add_func("/command-help/man-page-has-the-rules", test_man_page_has_the_rules);
}
