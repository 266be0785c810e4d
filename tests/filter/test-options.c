/* SPDX-License-Identifier: MIT */
/* The descriptor table: each row complete, each value a round trip, each wrong value refused with a sentence. */
#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "core/filter/settings/settings.h"
#include "tests/support/cases.h"

static void
test_rows_are_complete(void)
{
  const MsOptionInfo *table = ms_options.rows;

  g_assert_cmpuint(ms_options.n_rows, ==, 14);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_assert_nonnull(table[i].name);
    g_assert_nonnull(table[i].json);
    g_assert_nonnull(strchr(table[i].label, '_'));
    g_assert_cmpuint(strlen(table[i].help), >, 10);
    /* The tooltip of a toggle explains in sentences its effect and when it helps, at more length than --help. */
    if (table[i].group == MS_OPTION_GROUP_TOGGLE) {
      g_assert_true(table[i].tip && strlen(table[i].tip) > 2 * strlen(table[i].help));
      g_assert_true(g_str_has_suffix(table[i].tip, ".") && strstr(table[i].tip, ". "));
    }
    g_assert_true((table[i].kind == MS_OPTION_CHOICE) == (table[i].values != NULL));
    g_assert_true(ms_option_find(table[i].name) == &table[i]);
    for (guint j = 0; j < i; j++)
      g_assert_cmpstr(table[i].name, !=, table[j].name);
  }
  g_assert_null(ms_option_find("no-such-option"));
}

/* The schema of the reports names the values of each choice, in the order of the table. */
static void
test_schema_has_the_values(void)
{
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "headless-report.schema.json", NULL);
  g_autoptr(JsonParser) parser = json_parser_new();
  g_autoptr(GError) error = NULL;

  json_parser_load_from_file(parser, path, &error);
  g_assert_no_error(error);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_options.rows[i];
    const char *group = row->group == MS_OPTION_GROUP_TOGGLE ? "options" : "parameters";
    g_autofree char *query = g_strdup_printf("$.properties.images.items.properties.%s.properties.%s", group, row->json);
    g_autoptr(JsonNode) found = json_path_query(query, json_parser_get_root(parser), &error);
    g_assert_no_error(error);
    g_assert_cmpuint(json_array_get_length(json_node_get_array(found)), ==, 1);
    JsonObject *member = json_array_get_object_element(json_node_get_array(found), 0);
    if (!row->values || !json_object_has_member(member, "enum")) {
      g_assert_true(!row->values || g_str_equal(row->name, "kernel"));
      continue;
    }
    JsonArray *values = json_object_get_array_member(member, "enum");
    g_assert_cmpuint(json_array_get_length(values), ==, ms_option_n_values(row));
    for (guint k = 0; row->values[k]; k++) {
      JsonNode *value = json_array_get_element(values, k);
      g_autofree char *text = row->numeric_values ? g_strdup_printf("%" G_GINT64_FORMAT, json_node_get_int(value))
                                                  : json_node_dup_string(value);
      g_assert_true(g_strv_contains(row->values, text));
    }
  }
}

/* The tip of a toggle names the values of the table. */
static void
test_tip_has_the_values(void)
{
  g_assert_true(g_str_has_prefix(ms_option_tooltip(ms_option_find("unroll")),
                                 "The innermost loop takes 1, 2 or 4 pixels in one step. More"));
}

static void
assert_round_trip(const MsOptionInfo *option, const char *text)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  gboolean set = ms_option_set_text(option, &settings, text, &error);
  g_assert_no_error(error);
  g_assert_true(set);
  g_autofree char *back = ms_option_get_text(option, &settings);
  g_assert_cmpstr(back, ==, text);
}

static void
test_choices_round_trip(void)
{
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++)
    for (guint k = 0; k < ms_option_n_values(&table[i]); k++)
      assert_round_trip(&table[i], table[i].values[k]);
  assert_round_trip(ms_option_find("sp"), "2.5");
  assert_round_trip(ms_option_find("sr"), "0");
  assert_round_trip(ms_option_find("sr"), "1000000");
  assert_round_trip(ms_option_find("max-iterations"), "100");
  assert_round_trip(ms_option_find("epsilon"), "0.25");
  assert_round_trip(ms_option_find("levels"), "8");
  assert_round_trip(ms_option_find("work-group"), "auto");
  assert_round_trip(ms_option_find("work-group"), "32x4");
}

static void
test_wrong_values(void)
{
  static const char *const wrong[][2] = {
    {"sp", "0"},
    {"sp", "65"},
    {"sp", "nan"},
    {"sp", "5px"},
    {"sp", ""},
    {"sp", "2,5"},
    {"sr", "-1"},
    {"sr", "1000001"},
    {"max-iterations", "0"},
    {"max-iterations", "2.5"},
    {"max-iterations", "101"},
    {"epsilon", "-1"},
    {"levels", "9"},
    {"levels", "-1"},
    {"levels", "0.5"},
    {"space", "hsv"},
    {"rule", "OpenCV"},
    {"memory", "texture"},
    {"local-memory", "yes"},
    {"unroll", "3"},
    {"access", ""},
    {"work-group", "32"},
    {"work-group", "0x4"},
    {"work-group", "32x"},
    {"work-group", "-3x4"},
    {"work-group", "32x4x1"},
    {"kernel", "fastest"},
    {"schedule", "dynamic"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    MsSettings settings = ms_settings_default(), before = settings;
    g_autoptr(GError) error = NULL;
    gboolean set = ms_option_set_text(ms_option_find(wrong[i][0]), &settings, wrong[i][1], &error);
    g_assert_false(set);
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, wrong[i][0]));
    g_assert_true(ms_settings_equal(&settings, &before));
  }
}

static void
test_arguments_repeat_the_settings(void)
{
  MsSettings settings = ms_settings_default(), back = ms_settings_default();
  g_autoptr(GError) error = NULL;

  settings.params.sp = 3.5;
  settings.params.rule = MS_RULE_OPENCV;
  settings.options.unroll = 4;
  settings.options.local_memory = 1;
  settings.options.work_group_width = 16;
  settings.options.work_group_height = 8;
  g_autofree char *line = ms_settings_to_arguments(&settings);
  g_auto(GStrv) words = g_strsplit(line, " ", -1);
  for (guint i = 0; words[i]; i += 2) {
    g_assert_true(g_str_has_prefix(words[i], "--"));
    ms_option_set_text(ms_option_find(words[i] + 2), &back, words[i + 1], &error);
    g_assert_no_error(error);
  }
  g_assert_true(ms_settings_equal(&settings, &back));
  g_assert_null(strstr(line, "--memory"));
}

static void
test_params_validate(void)
{
  static const MsParams wrong[] = {
    {0.5, 20, 5, 1, MS_RULE_OPENCV},    {64.5, 20, 5, 1, MS_RULE_OPENCV},      {5, -1, 5, 1, MS_RULE_OPENCV},
    {5, 20, 0, 1, MS_RULE_OPENCV},      {5, 20, 5, -1, MS_RULE_OPENCV},        {2.5, 20, 5, 1, MS_RULE_TRUNCATE},
    {5, 20.5, 5, 1, MS_RULE_REPLICATE}, {0.0 / 0.0, 20, 5, 1, MS_RULE_OPENCV},
  };
  MsParams good = ms_settings_default().params;

  g_assert_true(ms_params_validate(&good, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_params_validate(&wrong[i], &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  }
}

static void
test_params_numbers(void)
{
  MsParams params = {.sp = 2.5, .sr = 2.5, .max_iterations = 7, .epsilon = 1.9, .rule = MS_RULE_OPENCV};
  MsFilterNumbers numbers = ms_params_numbers(&params);
  int radius;

  g_assert_cmpint(numbers.isr2, ==, 6); /* 6.25 */
  g_assert_cmpint(numbers.epsilon, ==, 1);
  params.sr = 510;
  g_assert_cmpint(ms_params_numbers(&params).isr2, ==, 260100);
  params.sr = 1000000; /* includes every colour, as 442 does */
  g_assert_true(ms_params_validate(&params, NULL));
  g_assert_cmpint(ms_params_numbers(&params).isr2, ==, 260100);
  params.sr = INFINITY;
  g_assert_false(ms_params_validate(&params, NULL));
  g_assert_false(ms_params_whole_radius(&params, 100, &radius));
  params.sp = 2.4;
  g_assert_true(ms_params_whole_radius(&params, 100, &radius));
  g_assert_cmpint(radius, ==, 2);
  params.sp = 2.7;
  g_assert_true(ms_params_whole_radius(&params, 100, &radius));
  g_assert_cmpint(radius, ==, 3);
  /* Next to a half the single-precision sum lands on the half for large coordinates only. */
  params.sp = 2.4999998;
  g_assert_true(ms_params_whole_radius(&params, 2, &radius));
  g_assert_false(ms_params_whole_radius(&params, 100, &radius));
}

void
ms_test_options(void)
{
  g_test_add_func("/options/rows-are-complete", test_rows_are_complete);
  g_test_add_func("/options/schema", test_schema_has_the_values);
  g_test_add_func("/options/tip", test_tip_has_the_values);
  g_test_add_func("/options/choices-round-trip", test_choices_round_trip);
  g_test_add_func("/options/wrong-values", test_wrong_values);
  g_test_add_func("/options/arguments-repeat-the-settings", test_arguments_repeat_the_settings);
  g_test_add_func("/params/validate", test_params_validate);
  g_test_add_func("/params/numbers", test_params_numbers);
}
