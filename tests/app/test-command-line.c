/* SPDX-License-Identifier: MIT */
/* The command line: every option of both tables is read, refused, shown by --help and described in the manual page. */
#include "app/command-line/command-check.h"
#include "app/command-line/command-options.h"
#include "app/process/exit-status.h"
#include "app/command-line/help.h"
#include "core/option/option-help.h"
#include "core/reduce/images/histogram.h"
#include "core/reduce/presets.h"
#include "core/reduce/operators.h"

#include <string.h>

static MsCommandLine *
parse(const char *text, GError **error)
{
  g_auto(GStrv) argv = NULL;
  int argc = 0;

  g_assert_true(g_shell_parse_argv(text, &argc, &argv, NULL));
  return ms_command_line_parse(argc, argv, error);
}

static MsCommandLine *
parse_good(const char *text)
{
  g_autoptr(GError) error = NULL;
  MsCommandLine *line = parse(text, &error);

  g_assert_no_error(error);
  return line;
}

/* The sentence must name the option and say something to do: more than a few words. */
static void
check_refused(const char *text, const char *part)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsCommandLine) line = parse(text, &error);

  if (line)
    g_assert_false(ms_command_line_check(line, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_cmpint(ms_exit_status_for_error(error), ==, MS_EXIT_USAGE);
  g_assert_cmpuint(strlen(error->message), >, 20);
  if (!strstr(error->message, part))
    g_error("“%s” is refused with “%s”, which does not say “%s”.", text, error->message, part);
}

static void
check_accepted(const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsCommandLine) line = parse(text, &error);

  g_assert_no_error(error);
  ms_command_line_check(line, &error);
  g_assert_no_error(error);
}

static void
test_defaults(void)
{
  g_autoptr(MsCommandLine) line = parse_good("meanshift-lab a.png");
  MsSettings standard = ms_settings_default();

  g_assert_cmpstr(line->inputs[0], ==, "a.png");
  g_assert_null(line->inputs[1]);
  g_assert_true(ms_settings_equal(&line->settings, &standard));
  g_assert_cmpstr(ms_command_line_device(line), ==, "auto");
  g_assert_cmpint(line->repeat, ==, 1);
  g_assert_cmpint(line->on_conflict, ==, MS_CONFLICT_FAIL);
  g_assert_cmpint(line->fallback, ==, MS_FALLBACK_DEFAULT);
  g_assert_cmpint(line->format, ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpuint(line->max_pixels, ==, MS_IMAGE_DEFAULT_MAX_PIXELS);
  g_assert_cmpuint(line->shard.count, ==, 1);
  g_assert_false(line->headless);
}

static void
test_forms(void)
{
  g_autoptr(MsCommandLine) line =
    parse_good("meanshift-lab --headless --sp=7.5 --sr 33 -o out.png -q --work-group 32x4 --json - -- -odd.png --sp");

  g_assert_true(line->headless);
  g_assert_true(line->quiet);
  g_assert_cmpfloat(line->settings.params.sp, ==, 7.5);
  g_assert_cmpfloat(line->settings.params.sr, ==, 33);
  g_assert_cmpint(line->settings.options.work_group_width, ==, 32);
  g_assert_cmpint(line->settings.options.work_group_height, ==, 4);
  g_assert_cmpstr(line->output, ==, "out.png");
  g_assert_cmpstr(line->json, ==, "-");
  g_assert_cmpstr(line->inputs[0], ==, "-odd.png");
  g_assert_cmpstr(line->inputs[1], ==, "--sp");
  g_assert_true(ms_command_line_has(line, "output"));
  g_assert_false(ms_command_line_has(line, "csv"));

  g_autoptr(MsCommandLine) attached = parse_good("meanshift-lab --headless - -oout.jpg");
  g_assert_cmpstr(attached->output, ==, "out.jpg");
  g_assert_cmpstr(attached->inputs[0], ==, "-");
}

static void
test_values(void)
{
  g_autoptr(MsCommandLine) line = parse_good("x --memory-limit 512M --max-pixels 2G --size 3K --budget 5m "
                                             "--shard 2/9 --format jpeg --on-conflict unique --fallback cpu "
                                             "--split adaptive --progress never --quality 77 --jobs 3 "
                                             "--repeat 12 --rule replicate --unroll 4 --access vload");

  g_assert_cmpuint(line->memory_limit, ==, G_GUINT64_CONSTANT(512) << 20);
  g_assert_cmpuint(line->max_pixels, ==, G_GUINT64_CONSTANT(2000000000));
  g_assert_cmpuint(line->size, ==, 3000);
  g_assert_cmpfloat(line->budget, ==, 300);
  g_assert_cmpuint(line->shard.index, ==, 2);
  g_assert_cmpuint(line->shard.count, ==, 9);
  g_assert_cmpint(line->format, ==, MS_IMAGE_FORMAT_JPEG);
  g_assert_cmpint(line->on_conflict, ==, MS_CONFLICT_UNIQUE);
  g_assert_cmpint(line->fallback, ==, MS_FALLBACK_CPU);
  g_assert_cmpint(line->split, ==, 2);
  g_assert_cmpint(line->progress, ==, MS_PROGRESS_NEVER);
  g_assert_cmpint(line->quality, ==, 77);
  g_assert_cmpint(line->jobs, ==, 3);
  g_assert_cmpint(line->repeat, ==, 12);
  g_assert_cmpint(line->settings.params.rule, ==, MS_RULE_REPLICATE);
  g_assert_cmpint(line->settings.options.unroll, ==, 4);
  g_assert_cmpint(line->settings.options.access, ==, MS_ACCESS_VLOAD);
}

static void
test_preset(void)
{
  g_autoptr(MsCommandLine) line = parse_good("x --headless a.png -o b.png --max-iterations 7 --preset Poster");

  g_assert_cmpfloat(line->settings.params.sp, ==, 16);
  g_assert_cmpfloat(line->settings.params.sr, ==, 40);
  g_assert_cmpint(line->settings.params.max_iterations, ==, 7);
  check_refused("x --headless a.png -o b.png --preset Postr", "Flat colours, Poster");
  check_refused("x --headless --reduce sum --preset Poster", "--preset");
}

static void
test_refused_values(void)
{
  static const char *const cases[][2] = {
    {"x --sp 0", "--sp"},
    {"x --sp 65", "--sp"},
    {"x --sp 2,5", "--sp"},
    {"x --sp nan", "--sp"},
    {"x --sr -1", "--sr"},
    {"x --sr 1000001", "1000000"},
    {"x --sr inf", "--sr"},
    {"x --sr", "--sr"},
    {"x --sp --sr 3", "--sp needs"},
    {"x --max-iterations 1.5", "--max-iterations"},
    {"x --rule gauss", "opencv"},
    {"x --unroll 3", "--unroll"},
    {"x --work-group 8", "32x4"},
    {"x --kernel fastest", "--kernel"},
    {"x --jobs 0", "--jobs"},
    {"x --jobs two", "--jobs"},
    {"x --quality 101", "--quality"},
    {"x --repeat 0", "--repeat"},
    {"x --memory-limit 0", "--memory-limit"},
    {"x --memory-limit 5X", "--memory-limit"},
    {"x --memory-limit 99999999999T", "--memory-limit"},
    {"x --size 99999999999999999999", "99999999999999999999"},
    {"x --size 18446744073709551616", "--size"},
    {"x --size 18446744073709552K", "--size"},
    {"x --size -5", "--size"},
    {"x --size K", "--size"},
    {"x --max-pixels 18446744073709551616", "--max-pixels"},
    {"x --budget 0s", "--budget"},
    {"x --budget soon", "--budget"},
    {"x --shard 3/2", "--shard"},
    {"x --format gif", "png, jpeg, tiff, webp"},
    {"x --on-conflict ask", "fail, skip, unique, overwrite"},
    {"x --quiet=yes", "--quiet"},
    {"x --device=", "--device"},
    {"x -o", "--output"},
    {"x --outputt y", "--output"},
    {"x --recusive", "--recursive"},
    {"x --zzzzzzzzzz", "--help"},
    {"x -z", "./-z"},
    {"x --o y", "--help"},
    {"x --foo", "--foo; --help"},
    {"x --xy", "--xy; --help"},
    {"x --=y", "--; --help"},
    {"x --spp 3", "did you mean --sp?"},
    {"x --recrsve", "did you mean --recursive?"},
    {"x --progress -o o.png", "--progress needs a value"},
    {"x -o -q", "--output needs a value"},
    {"x --sr -1", "cannot be “-1”"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    check_refused(cases[i][0], cases[i][1]);
}

static void
test_refused_combinations(void)
{
  static const char *const cases[][2] = {
    {"x --headless", "needs an image"},
    {"x --headless a.png", "-o"},
    {"x a.png -o b.png", "--headless"},
    {"x a.png --sp 3", "--headless"},
    {"x a.png --json b.json", "--headless"},
    {"x --headless - - -o out", "once"},
    {"x --headless a.png -o - --json -", "--json"},
    {"x --headless a.png --csv - --json -", "--csv"},
    {"x --headless a.png -o b.png --device cpu --devices gpu,cpu", "one of the two"},
    {"x --headless a.png -o b.png --split equal", "--devices"},
    {"x --headless a.png -o b.png --device reference --kernel packed", "--kernel"},
    {"x --headless a.png -o b.png --memory image --device reference", "--memory"},
    {"x --headless a.png -o b.png --devices gpu,cpu --fallback cpu", "--fallback cpu"},
    {"x --headless a.png --timings --name {stem}.png", "-o"},
    {"x --headless a.png -o b.png --fail-on-slower", "--compare"},
    {"x --headless a.png -o b.png --quick", "--experiment"},
    {"x --headless a.png -o b.png --type int", "--reduce"},
    {"x --headless --reduce sum a.png", "leave out the image"},
    {"x --headless --experiment all -o b.png", "--report-dir"},
    {"x --headless --reduce sum --csv a.csv", "--csv"},
    {"x --headless --reduce sum --sp 5", "--sp"},
    {"x --headless --experiment all --recursive", "--recursive"},
    {"x --headless --tune --timings", "--timings"},
    {"x --headless --experiment all --tune", "one of them"},
    {"x --headless --experiment list --compare base.json", "--experiment list"},
    {"x --headless --experiment list --compare base.json --fail-on-slower", "--experiment list"},
    {"x --headless --experiment list --report-dir out", "--report-dir"},
    {"x --headless --experiment list a.png", "leave out the image"},
    {"x --headless --tune --quick", "no effect on --tune"},
    {"x --headless --tune --noise 2", "no effect on --tune"},
    {"x --headless --experiment all --strategy random", "no effect on --experiment"},
    {"x --headless --experiment all --noise 0", "--noise"},
    {"x --headless --tune --strategy fastest", "--strategy"},
    {"x --headless --tune --repeat 3", "no effect on --tune"},
    {"x --headless --tune --reduce sum --sp 5", "no effect on --tune"},
    {"x --headless --tune --type int", "--reduce"},
    {"x --headless --reduce sum --max-pixels 5", "no effect on --reduce"},
    {"x --headless --reduce sum --devices gpu,cpu", "no effect on --reduce"},
    {"x --headless --experiment all --verify", "no effect on --experiment"},
    {"x --headless --experiment all --devices gpu,cpu --split equal", "no effect on --experiment"},
    {"x --list-devices --device cpu", "no effect on --list-devices"},
    {"x --diagnose --sp 3", "no effect on --diagnose"},
    {"x --headless a.png -o b.png --resume=yes", "stat, hash"},
    {"x --headless a.png -o b.png --resume=hash", "--manifest"},
    {"x --headless a.png --timings --resume", "--output or --experiment"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    check_refused(cases[i][0], cases[i][1]);
}

static void
test_accepted_combinations(void)
{
  static const char *const cases[] = {
    "x",
    "x a.png b.jpg",
    "x --help --sp 3",
    "x --version",
    "x --list-devices",
    "x --diagnose",
    "x --headless --diagnose",
    "x --list-devices --json -",
    "x --headless --list-devices",
    "x --headless a.png -o b.png",
    "x --headless a.png --timings",
    "x --headless a.png --verify --device reference",
    "x --headless a.png --verify --device reference --kernel auto --memory buffer --sp 3",
    "x --headless a b -o dir --devices gpu,cpu --fallback fail",
    "x --headless - -o -",
    "x --headless a.png --output=-o.png",
    "x --headless a.png -o - --timings",
    "x --headless dir --dry-run",
    "x --headless a b -o dir --devices gpu,cpu --split learned",
    "x --headless --experiment ms-unroll a.png --quick --compare base.json --fail-on-slower --report-dir "
    "out",
    "x --headless --tune --budget 10s --sp 5",
    "x --headless --tune --reduce sum --type int --size 1M",
    "x --headless --reduce sum --type float --size 100 --variant auto --repeat 3 --json -",
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    check_accepted(cases[i]);
}

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
  g_autofree char *types = g_strjoinv(", ", (char **)ms_element_type_names());
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
  g_autoptr(MsCommandLine) line = parse_good("x --headless --reduce sum");
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

/* The rules that the figures follow are those that are told; luma's formula stands in the manual as it is computed. */
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

/* A name or a letter in both tables would hide one of the two options. */
static void
test_names_are_unique(void)
{
  const MsOptionTable *table = &ms_command_options;

  for (guint i = 0; i < table->n_rows; i++) {
    const MsOptionInfo *row = &table->rows[i];
    g_assert_null(ms_option_find(row->name));
    g_assert_true(ms_option_table_find(table, row->name) == row);
    g_assert_true(!row->letter || ms_option_table_find_letter(table, row->letter) == row);
    g_assert_true(row->kind == MS_OPTION_FLAG || row->argument || row->values);
    g_assert_cmpuint(row->actions, !=, 0);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/command-line/defaults", test_defaults);
  g_test_add_func("/command-line/forms", test_forms);
  g_test_add_func("/command-line/values", test_values);
  g_test_add_func("/command-line/preset", test_preset);
  g_test_add_func("/command-line/refused-values", test_refused_values);
  g_test_add_func("/command-line/refused-combinations", test_refused_combinations);
  g_test_add_func("/command-line/accepted-combinations", test_accepted_combinations);
  g_test_add_func("/command-line/help-lists-every-option", test_help_lists_every_option);
  g_test_add_func("/command-line/short-help", test_short_help);
  g_test_add_func("/command-line/man-page-has-every-option", test_man_page_has_every_option);
  g_test_add_func("/command-line/man-page-has-no-other-entry", test_man_page_has_no_other_entry);
  g_test_add_func("/command-line/reductions-are-described", test_reductions_are_described);
  g_test_add_func("/command-line/defaults-of-reductions", test_defaults_of_reductions);
  g_test_add_func("/command-line/man-page-has-the-rules", test_man_page_has_the_rules);
  g_test_add_func("/command-line/names-are-unique", test_names_are_unique);
  return g_test_run();
}
