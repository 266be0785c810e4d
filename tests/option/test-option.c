/* SPDX-License-Identifier: MIT */
/* Option tables: a table with one row of each kind. */
#include <libintl.h>
#include <locale.h>
#include <stddef.h>
#include <string.h>

#include "core/option/option.h"

typedef struct {
  gboolean loud;
  char *text;
  int count;
  double ratio;
  guint64 bytes;
  double seconds;
  int colour;
  int shape[2];
  int parity;
} Record;

static const char *const colours[] = {"red", "green", NULL};

static gboolean
parse_parity(const char *text, gpointer field, GError **error)
{
  *(int *)field = strcmp(text, "odd") == 0;
  return TRUE;
}

static const char *
ratio_unused(gconstpointer record, gconstpointer context)
{
  return ((const Record *)record)->loud ? NULL : context;
}

#define ROW(name_, kind_, field, ...)                                                                                  \
  {                                                                                                                    \
    .name = name_, .kind = MS_OPTION_##kind_, .offset = offsetof(Record, field), __VA_ARGS__                           \
  }

static const MsOptionInfo rows[] = {
  ROW("loud", FLAG, loud, .letter = 'l', .is_common = TRUE, .help = "Be loud"),
  ROW("text", TEXT, text, .letter = 't', .argument = "TEXT", .help = "Say a text", .needs = "loud|colour"),
  ROW("count", INT, count, .argument = "N", .minimum = -2, .maximum = 9, .standard = "3", .help = "Count to N"),
  ROW("ratio", REAL, ratio, .argument = "X", .maximum = 1, .largest = 4, .help = "A ratio", .unused = ratio_unused),
  ROW("bytes", AMOUNT, bytes, .argument = "SIZE", .thousand = 1024, .help = "A size"),
  ROW("seconds", SECONDS, seconds, .argument = "TIME", .help = "A time"),
  ROW("colour", CHOICE, colour, .values = colours, .first = 5, .help = "A colour"),
  ROW("shape", SHAPE, shape, .argument = "WxH", .minimum = 1, .maximum = 64, .standard = "auto", .help = "A shape"),
  ROW("parity", PARSED, parity, .argument = "odd|even", .parse = parse_parity, .help = "A parity"),
};

static const MsOptionTable table = {rows, G_N_ELEMENTS(rows)};

static void
test_reset_stores_defaults(void)
{
  Record record = {.ratio = 2, .shape = {8, 8}};

  ms_option_table_reset(&table, &record);
  g_assert_cmpint(record.count, ==, 3);
  g_assert_cmpint(record.shape[0], ==, 0);
  g_assert_cmpfloat(record.ratio, ==, 2);
  g_assert_true(ms_option_is_default(ms_option_table_find(&table, "count"), &record));
  record.count = 4;
  g_assert_false(ms_option_is_default(ms_option_table_find(&table, "count"), &record));
}

static void
test_values_round_trip(void)
{
  static const char *const values[][2] = {
    {"count", "-2"},     {"ratio", "4"}, {"bytes", "512"},  {"seconds", "1.5"}, {"colour", "green"},
    {"text", "a b; =c"}, {"loud", "on"}, {"shape", "32x4"}, {"shape", "auto"},
  };
  Record record = {0};

  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    const MsOptionInfo *row = ms_option_table_find(&table, values[i][0]);
    gboolean set = ms_option_set_text(row, &record, values[i][1], NULL);
    g_autofree char *text = ms_option_get_text(row, &record);
    g_assert_true(set);
    g_assert_cmpstr(text, ==, values[i][1]);
  }
  g_assert_cmpint(record.colour, ==, 6);
  ms_option_table_clear(&table, &record);
  g_assert_null(record.text);
}

static void
test_units(void)
{
  static const struct {
    const char *text;
    guint64 bytes;
  } sizes[] = {{"7", 7}, {"3K", 3072}, {"3KiB", 3072}, {"2M", 2 << 20}, {"1GB", 1 << 30}, {"1t", 1ull << 40}};
  static const struct {
    const char *text;
    double seconds;
  } times[] = {{"7", 7}, {"90s", 90}, {"2500ms", 2.5}, {"5m", 300}, {"2min", 120}, {"1.5h", 5400}};
  Record record = {0};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_assert_true(ms_option_set_text(ms_option_table_find(&table, "bytes"), &record, sizes[i].text, NULL));
    g_assert_cmpuint(record.bytes, ==, sizes[i].bytes);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
    g_assert_true(ms_option_set_text(ms_option_table_find(&table, "seconds"), &record, times[i].text, NULL));
    g_assert_cmpfloat(record.seconds, ==, times[i].seconds);
  }
}

static void
test_wrong_values_are_refused(void)
{
  static const char *const values[][3] = {
    {"count", "10", "from -2 to 9"},    {"count", "1.0", "whole number"}, {"ratio", "4.1", "from 0 to 4"},
    {"bytes", "0", "K, M, G or T"},     {"seconds", "5 days", "90s"},     {"colour", "blue", "red, green"},
    {"shape", "65x1", "32x4, or auto"}, {"text", "", "it takes TEXT"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    Record record = {0}, before = record;
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_option_set_text(ms_option_table_find(&table, values[i][0]), &record, values[i][1], &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, values[i][0]));
    g_assert_nonnull(strstr(error->message, values[i][2]));
    g_assert_cmpmem(&record, sizeof record, &before, sizeof before);
  }
}

static gboolean
read_line(const char *text, Record *record, GPtrArray *given, GPtrArray *inputs, GError **error)
{
  const MsOptionTarget target = {&table, record};
  const MsOptionReader reader = {&target, 1, given, inputs};
  g_auto(GStrv) words = g_strsplit(text, " ", -1);

  return ms_option_reader_read(&reader, (int)g_strv_length(words), words, error);
}

static void
test_reader(void)
{
  g_autoptr(GPtrArray) given = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func(g_free);
  Record record = {0};
  g_autoptr(GError) error = NULL;

  g_assert_true(read_line("x a --count -1 -thello -l --parity=odd - -- --count", &record, given, inputs, &error));
  g_assert_no_error(error);
  g_assert_cmpint(record.count, ==, -1);
  g_assert_cmpstr(record.text, ==, "hello");
  g_assert_true(record.loud);
  g_assert_cmpint(record.parity, ==, 1);
  g_assert_cmpuint(given->len, ==, 4);
  g_assert_cmpuint(inputs->len, ==, 3);
  g_assert_cmpstr(inputs->pdata[2], ==, "--count");
  ms_option_table_clear(&table, &record);
}

static void
test_reader_refuses(void)
{
  static const char *const lines[][2] = {
    {"x --coumt 3", "did you mean --count?"},  {"x --zzz", "--zzz; --help"}, {"x --loud=1", "takes no value"},
    {"x --count -l", "--count needs a value"}, {"x -lt", "no option -lt"},   {"x --text", "--text TEXT"},
    {"x --colour --loud", "red|green"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autoptr(GPtrArray) given = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    Record record = {0};
    g_assert_false(read_line(lines[i][0], &record, given, inputs, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
    if (!strstr(error->message, lines[i][1]))
      g_error("“%s” is refused with “%s”, which lacks “%s”.", lines[i][0], error->message, lines[i][1]);
  }
}

static void
test_needs_and_effects(void)
{
  const MsOptionInfo *text = ms_option_table_find(&table, "text"), *ratio = ms_option_table_find(&table, "ratio");
  g_autoptr(GPtrArray) given = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GError) unused = NULL;
  Record record = {0};

  g_assert_true(ms_option_check_needs(ratio, given, NULL));
  g_assert_false(ms_option_check_needs(text, given, &error));
  g_assert_nonnull(strstr(error->message, "--loud or --colour"));
  g_ptr_array_add(given, (gpointer) "colour");
  g_assert_true(ms_option_check_needs(text, given, NULL));

  g_assert_false(ms_option_check_used(ratio, &record, "nothing is divided", &unused));
  g_assert_nonnull(strstr(unused->message, "--ratio has no effect here: nothing is divided."));
  record.loud = TRUE;
  g_assert_true(ms_option_check_used(ratio, &record, "nothing is divided", NULL));
}

static void
test_help(void)
{
  g_autoptr(GString) text = g_string_new(NULL);

  ms_option_help_append_group(text, &table, MS_OPTION_GROUP_PROGRAM, FALSE);
  g_assert_nonnull(strstr(text->str, "  -t, --text TEXT                 Say a text\n"));
  g_assert_nonnull(strstr(text->str, "  --count N                       Count to N (-2 to 9, default 3)\n"));
  g_assert_nonnull(strstr(text->str, "  --ratio X                       A ratio (0 to 4)\n"));
  g_assert_nonnull(strstr(text->str, "  --colour red|green              A colour\n"));
  g_string_truncate(text, 0);
  ms_option_help_append_group(text, &table, MS_OPTION_GROUP_PROGRAM, TRUE);
  g_assert_cmpstr(text->str, ==, "  -l, --loud                      Be loud\n");
  g_string_truncate(text, 0);
  ms_option_help_append_group(text, &table, MS_OPTION_GROUP_LAB, FALSE);
  g_assert_cmpstr(text->str, ==, "");
}

/* Files that programs read get the sentence in English, with the words that callers have put before it. */
static void
test_errors_keep_their_english_sentence(void)
{
  g_autofree char *folder = g_build_filename(g_getenv("G_TEST_BUILDDIR"), "..", "data", "po", NULL);
  g_autoptr(GError) error = NULL;

  g_setenv("LANGUAGE", "zh_CN", TRUE);
  if (!setlocale(LC_MESSAGES, "zh_CN.UTF-8")) {
    g_test_skip("No Chinese locale could be made here (package locales).");
    return;
  }
  bindtextdomain(GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  ms_set_error(&error, MS_ERROR_USAGE, "--%s takes no value; leave out '=%s'.", "quiet", "1");
  g_prefix_error(&error, "x: ");
  ms_prefix_error(&error, "The report cannot be written: ");
  setlocale(LC_MESSAGES, "C");
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_cmpstr(error->message, ==, "无法写入报告：x: --quiet 不带值；请去掉“=1”。");
  g_prefix_error(&error, "y: ");
  g_autoptr(GError) copy = g_error_copy(error);
  g_autofree char *english = ms_error_dup_english(copy);
  g_assert_cmpstr(english, ==, "y: The report cannot be written: x: --quiet takes no value; leave out '=1'.");
  g_autoptr(GError) other = g_error_new(G_FILE_ERROR, G_FILE_ERROR_NOENT, "plain");
  g_autofree char *plain = ms_error_dup_english(other);
  g_assert_cmpstr(plain, ==, "plain");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/option/reset-stores-defaults", test_reset_stores_defaults);
  g_test_add_func("/option/values-round-trip", test_values_round_trip);
  g_test_add_func("/option/units", test_units);
  g_test_add_func("/option/wrong-values-are-refused", test_wrong_values_are_refused);
  g_test_add_func("/option/reader", test_reader);
  g_test_add_func("/option/reader-refuses", test_reader_refuses);
  g_test_add_func("/option/needs-and-effects", test_needs_and_effects);
  g_test_add_func("/option/help", test_help);
  g_test_add_func("/option/errors-keep-their-english-sentence", test_errors_keep_their_english_sentence);
  return g_test_run();
}
