/* SPDX-License-Identifier: MIT */
/* The command line: every option of both tables is read, checked, and refused where it has no effect. */
#include "app/commands/command.h"
#include "tests/support/cases.h"

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

  g_assert_cmpstr(line->batch.inputs[0], ==, "a.png");
  g_assert_null(line->batch.inputs[1]);
  g_assert_true(ms_settings_equal(&line->batch.settings, &standard));
  g_assert_cmpstr(ms_command_line_device(line), ==, "auto");
  g_assert_cmpint(line->batch.repeat, ==, 1);
  g_assert_cmpint(line->batch.on_conflict, ==, MS_CONFLICT_FAIL);
  g_assert_cmpint(line->fallback, ==, MS_FALLBACK_DEFAULT);
  g_assert_cmpint(line->batch.save.format, ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpuint(line->batch.limits.max_pixels, ==, MS_IMAGE_DEFAULT_MAX_PIXELS);
  g_assert_cmpuint(line->batch.shard.count, ==, 1);
  g_assert_false(line->headless);
}

static void
test_forms(void)
{
  g_autoptr(MsCommandLine) line =
    parse_good("meanshift-lab --headless --sp=7.5 --sr 33 -o out.png -q --work-group 32x4 --json - -- -odd.png --sp");

  g_assert_true(line->headless);
  g_assert_true(line->quiet);
  g_assert_cmpfloat(line->batch.settings.params.sp, ==, 7.5);
  g_assert_cmpfloat(line->batch.settings.params.sr, ==, 33);
  g_assert_cmpint(line->batch.settings.options.work_group_width, ==, 32);
  g_assert_cmpint(line->batch.settings.options.work_group_height, ==, 4);
  g_assert_cmpstr(line->batch.output, ==, "out.png");
  g_assert_cmpstr(line->json, ==, "-");
  g_assert_cmpstr(line->batch.inputs[0], ==, "-odd.png");
  g_assert_cmpstr(line->batch.inputs[1], ==, "--sp");
  g_assert_true(ms_command_line_has(line, "output"));
  g_assert_false(ms_command_line_has(line, "csv"));

  g_autoptr(MsCommandLine) attached = parse_good("meanshift-lab --headless - -oout.jpg");
  g_assert_cmpstr(attached->batch.output, ==, "out.jpg");
  g_assert_cmpstr(attached->batch.inputs[0], ==, "-");
}

static void
test_values(void)
{
  g_autoptr(MsCommandLine) line = parse_good("x --memory-limit 512M --max-pixels 2G --size 3K --budget 5m "
                                             "--shard 2/9 --format jpeg --on-conflict unique --fallback cpu "
                                             "--split adaptive --progress never --quality 77 --jobs 3 "
                                             "--repeat 12 --rule replicate --unroll 4 --access vload");

  g_assert_cmpuint(line->batch.memory_limit, ==, G_GUINT64_CONSTANT(512) << 20);
  g_assert_cmpuint(line->batch.limits.max_pixels, ==, G_GUINT64_CONSTANT(2000000000));
  g_assert_cmpuint(line->size, ==, 3000);
  g_assert_cmpfloat(line->budget, ==, 300);
  g_assert_cmpuint(line->batch.shard.index, ==, 2);
  g_assert_cmpuint(line->batch.shard.count, ==, 9);
  g_assert_cmpint(line->batch.save.format, ==, MS_IMAGE_FORMAT_JPEG);
  g_assert_cmpint(line->batch.on_conflict, ==, MS_CONFLICT_UNIQUE);
  g_assert_cmpint(line->fallback, ==, MS_FALLBACK_CPU);
  g_assert_cmpint(line->split, ==, 2);
  g_assert_cmpint(line->progress, ==, MS_PROGRESS_NEVER);
  g_assert_cmpint(line->batch.save.quality, ==, 77);
  g_assert_cmpint(line->batch.jobs, ==, 3);
  g_assert_cmpint(line->batch.repeat, ==, 12);
  g_assert_cmpint(line->batch.settings.params.rule, ==, MS_RULE_REPLICATE);
  g_assert_cmpint(line->batch.settings.options.unroll, ==, 4);
  g_assert_cmpint(line->batch.settings.options.access, ==, MS_ACCESS_VLOAD);
}

static void
test_preset(void)
{
  g_autoptr(MsCommandLine) line = parse_good("x --headless a.png -o b.png --max-iterations 7 --preset Poster");

  g_assert_cmpfloat(line->batch.settings.params.sp, ==, 16);
  g_assert_cmpfloat(line->batch.settings.params.sr, ==, 40);
  g_assert_cmpint(line->batch.settings.params.max_iterations, ==, 7);
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
    {"x --format gif", "png, jpeg, tiff, webp, ppm, pam"},
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
    {"x --sr -1", "cannot be '-1'"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    check_refused(cases[i][0], cases[i][1]);
}

static void
test_refused_combinations(void)
{
  static const char *const cases[][2] = {
    {"x --headless", "needs an image"},
    {"x --headless a.png -o b.png --manifest=", "--manifest"},
    {"x --headless --merge-reports", "needs reports"},
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
    {"x --headless --experiment list a.png", "--experiment list reads no image"},
    {"x --list-devices nofile.png", "leave out 'nofile.png'"},
    {"x --headless --diagnose nofile.png", "leave out 'nofile.png'"},
    {"x --headless a.png -o x.png --quality 1", "no effect on PNG"},
    {"x --headless a.jpg -o z.jpg --format png --quality 10", "no effect on PNG"},
    {"x --headless a b -o out --format tiff --quality 10", "no effect on TIFF"},
    {"x --headless - -o - --quality 10", "no effect on PNG"},
    {"x --headless a.png --regions --outlines x.png --quality 10", "no effect on PNG"},
    {"x --headless a.png --timings --quality 10", "--output or --outlines"},
    {"x --headless a.png --timings --format png", "--output or --outlines"},
    {"x --headless a.png --timings --on-conflict skip", "--output"},
    {"x --headless a.png --dry-run --stats", "--stats has no effect with --dry-run"},
    {"x --headless a.png --dry-run --histogram", "--histogram has no effect with --dry-run"},
    {"x --headless a.png --dry-run --timings", "--timings has no effect with --dry-run"},
    {"x --headless a.png --dry-run --verify", "--verify has no effect with --dry-run"},
    {"x --headless a.png --dry-run --repeat 5", "--repeat has no effect with --dry-run"},
    {"x --headless a.png -o b.png --fallback cpu --device reference", "--fallback has no effect"},
    {"x --headless a.png -o b.png --hidden", "no INPUT is a folder"},
    {"x --headless --tune --quick", "no effect on --tune"},
    {"x --headless --tune --noise 2", "no effect on --tune"},
    {"x --headless --experiment all --noise 0", "--noise"},
    {"x --headless --tune --repeat 3", "no effect on --tune"},
    {"x --headless --tune --reduce sum", "one of them"},
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
    "x --headless dir -o out --dry-run --json - --jobs 3 --sp 3",
    "x --headless /usr -o out --quality 10 --hidden",
    "x --headless a.png -o b.jpg --quality 10",
    "x --headless a.png -o b --format jpeg --quality 10",
    "x --headless a.jpg -o - --quality 10",
    "x --headless a.png --regions -o b.png --outlines c.jpg --quality 10",
    "x --headless a b -o dir --devices gpu,cpu --split learned",
    "x --headless --experiment ms-unroll a.png --quick --compare base.json --fail-on-slower --report-dir o",
    "x --headless --tune --budget 10s --sp 5",
    "x --headless --reduce sum --type float --size 100 --variant auto --repeat 3 --json -",
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    check_accepted(cases[i]);
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

void
ms_test_command_line(void)
{
  g_test_add_func("/command-line/defaults", test_defaults);
  g_test_add_func("/command-line/forms", test_forms);
  g_test_add_func("/command-line/values", test_values);
  g_test_add_func("/command-line/preset", test_preset);
  g_test_add_func("/command-line/refused-values", test_refused_values);
  g_test_add_func("/command-line/refused-combinations", test_refused_combinations);
  g_test_add_func("/command-line/accepted-combinations", test_accepted_combinations);
  g_test_add_func("/command-line/names-are-unique", test_names_are_unique);
}
