/* SPDX-License-Identifier: MIT */
/* Stored searches and winners: for which device, driver, problem and version they hold, and damaged files. */
#include <string.h>

#include "core/engine/tuned.h"
#include "core/lab/tune/tune-record.h"
#include "tests/lab/tune-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/json-schema.h"

static void
test_driver_change(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  g_autoptr(MsTuneRecord) record = tune_fixture_search();
  g_autoptr(GError) error = NULL;

  g_autoptr(MsTuneRecord) same = tune_fixture_reload(folder, record);
  tune_fixture_assert_optimum(same);
  g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.1", "test"}, &error));
  g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"other", "1.0", "test"}, &error));
  g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.0", "another problem"}, &error));
  g_assert_no_error(error);
  /* A file that was copied to the new driver's path is rejected. */
  g_autofree char *from = ms_tune_store_path(folder, &(MsWinnerKey){"fake", "1.0", "test"});
  g_autofree char *to = ms_tune_store_path(folder, &(MsWinnerKey){"fake", "1.1", "test"});
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(from, &text, NULL, NULL));
  g_assert_true(g_file_set_contents(to, text, -1, NULL));
  g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.1", "test"}, &error));
  g_assert_no_error(error);
}

#define MOST_SPOILED 40

/* Each member of a stored file in turn has the wrong type, and a file may be nested without end. */
static void
spoil_file(const char *path, GFunc load, gpointer data)
{
  static const char *const wrong[] = {"7", "null", "true", "[]", "{}", "[[1]]", "\"text\"", "{\"a\":[null]}"};
  g_autofree char *nested = g_strnfill(1000000, '[');
  g_autofree char *text = NULL;

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  const char *colon = strchr(text, ':');
  /* The first members are those of the head and of some trials. */
  for (guint n = 0; colon && n < MOST_SPOILED; n++, colon = strchr(colon + 1, ':'))
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
      const char *rest = colon + 1 + strcspn(colon + 1, ",}]\n");
      g_autofree char *changed = g_strdup_printf("%.*s%s%s", (int)(colon + 1 - text), text, wrong[i], rest);
      g_assert_true(g_file_set_contents_full(path, changed, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      load((gpointer)wrong[i], data);
    }
  g_assert_true(g_file_set_contents(path, nested, -1, NULL));
  load((gpointer) "nested", data);
}

/* The reason for rejecting a file is reported, unless it belongs to another device or driver. */
static void
load_record(gpointer wrong, gpointer folder)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsTuneRecord) record = ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, &error);

  g_assert_true(!record || !error);
  if (g_str_equal(wrong, "nested"))
    g_assert_nonnull(strstr(error->message, "nested"));
}

static void
load_winner(gpointer wrong, gpointer folder)
{
  g_autoptr(MsFactors) winner = ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "1");

  if (g_str_equal(wrong, "nested"))
    g_assert_null(winner);
}

static void
test_wrong_types(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  const MsWinnerKey key = {"fake", "1.0", "test"};
  g_autoptr(MsTuneRecord) record = tune_fixture_search();
  g_autoptr(MsFactors) winner = ms_factors_new();

  g_assert_true(ms_tune_store_save(folder, record, NULL));
  ms_factors_set(winner, "kernel", "rows");
  g_assert_true(ms_winner_store_save(folder, &key, "1", winner, NULL));
  g_autofree char *record_path = ms_tune_store_path(folder, &key);
  g_autofree char *winner_path = ms_winner_store_path(folder, &key, ".winner.json");
  spoil_file(winner_path, load_winner, folder);
  spoil_file(record_path, load_record, folder);
}

/* The small file that every run with auto reads: of this device, driver, problem and program version only. */
static void
test_winner(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  g_autoptr(MsTuneRecord) record = tune_fixture_search();

  record->version = g_strdup("7");
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "7"));
  g_assert_true(ms_tune_store_save(folder, record, NULL));
  g_autoptr(MsFactors) winner = ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "7");
  g_assert_nonnull(winner);
  g_assert_true(ms_factors_equal(winner, ms_tune_record_best(record)->factors));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.1", "test"}, "7"));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"other", "1.0", "test"}, "7"));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "more"}, "7"));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "8"));
  /* That of a newer driver lies beside it. */
  g_autofree char *driver = record->driver;
  record->driver = g_strdup("1.1");
  g_assert_true(ms_tune_store_save(folder, record, NULL));
  g_autoptr(MsFactors) newer = ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.1", "test"}, "7");
  g_autoptr(MsFactors) kept = ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "7");
  g_assert_true(newer && kept);
  g_auto(GStrv) none = ms_winner_store_find_damaged(folder);
  g_assert_cmpuint(g_strv_length(none), ==, 0);
  g_autofree char *record_path = ms_tune_store_path(folder, &(MsWinnerKey){"fake", "1.0", "test"});
  g_autofree char *stem = g_strndup(record_path, strlen(record_path) - strlen(".json"));
  g_autofree char *path = g_strconcat(stem, ".winner.json", NULL);
  static const char *const damaged[] = {"", "{", "[]", "null", "{\"winner\": {}}"};
  for (gsize i = 0; i < G_N_ELEMENTS(damaged); i++) {
    g_assert_true(g_file_set_contents(path, damaged[i], -1, NULL));
    g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "7"));
    g_auto(GStrv) found = ms_winner_store_find_damaged(folder);
    g_assert_cmpstr(found[0], ==, path);
  }
}

static void
assert_reduce_class(MsReduceOp op, MsElementType type, guint64 n, gboolean same)
{
  MsReduceSpec usual = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT), spec = MS_REDUCE_SPEC(op, type);
  g_autofree char *a = ms_problem_class_reduce(&usual, 1 << 20), *b = ms_problem_class_reduce(&spec, n);

  g_assert_cmpint(strcmp(a, b) == 0, ==, same);
}

/* Winners hold for their operation, their type and arrays of about their size in bytes. */
static void
test_reduce_classes(void)
{
  assert_reduce_class(MS_REDUCE_SUM, MS_ELEMENT_INT, 1 << 20, TRUE);
  assert_reduce_class(MS_REDUCE_SUM, MS_ELEMENT_INT, (1 << 20) + 77, TRUE);
  assert_reduce_class(MS_REDUCE_SUM, MS_ELEMENT_INT, 1 << 12, FALSE);
  assert_reduce_class(MS_REDUCE_SUM, MS_ELEMENT_INT, 1 << 24, FALSE);
  assert_reduce_class(MS_REDUCE_SUM, MS_ELEMENT_INT, G_GUINT64_CONSTANT(1) << 33, FALSE);
  assert_reduce_class(MS_REDUCE_SUM, MS_ELEMENT_UINT, 1 << 20, FALSE);
  assert_reduce_class(MS_REDUCE_MAX, MS_ELEMENT_INT, 1 << 20, FALSE);
}

/* The winner may be another than the trial with the smallest time: a final decides, and what it decided is kept. */
static void
test_decided_winner_is_kept(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  g_autoptr(MsTuneRecord) record = tune_fixture_search();

  for (guint i = 0; i < record->trials->len; i++)
    if (((MsTrial *)record->trials->pdata[i])->outcome == MS_OUTCOME_OK && (int)i != record->best) {
      record->best = (int)i;
      break;
    }
  g_autoptr(MsTuneRecord) loaded = tune_fixture_reload(folder, record);
  g_assert_cmpint(loaded->best, ==, record->best);
}

static void
test_damaged_record(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  g_autofree char *path = ms_tune_store_path(folder, &(MsWinnerKey){"fake", "1.0", "test"});
  static const char *const damaged[] = {"", "{", "[]", "{\"format\": \"something else\", \"trials\": []}", "null"};

  for (gsize i = 0; i < G_N_ELEMENTS(damaged); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_set_contents(path, damaged[i], -1, NULL));
    g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, &error));
    g_assert_nonnull(error);
  }
}

static void
test_problem_classes(void)
{
  g_autofree char *a = ms_problem_class_filter(5, 2560, 2560);
  g_autofree char *b = ms_problem_class_filter(6, 2400, 2400);
  g_autofree char *c = ms_problem_class_filter(15, 2560, 2560);
  g_autofree char *d = ms_problem_class_filter(5, 256, 256);

  g_assert_cmpstr(a, ==, b);
  g_assert_cmpstr(a, !=, c);
  g_assert_cmpstr(a, !=, d);
}

static guint
count_invalidity(JsonArray *results, const char *word)
{
  guint n = 0;

  for (guint i = 0; i < json_array_get_length(results); i++) {
    JsonObject *one = json_array_get_object_element(results, i);
    const gboolean correct = json_object_get_int_member(one, "correctness") == 1;
    const guint runtimes =
      json_array_get_length(json_object_get_array_member(json_object_get_object_member(one, "times"), "runtimes"));
    const char *found = json_object_get_string_member(one, "invalidity");
    g_assert_true(correct == g_str_equal(found, "correct"));
    g_assert_cmpuint(runtimes, ==, correct);
    n += g_str_equal(found, word);
  }
  return n;
}

/* Every outcome has the word that the T4 format knows for it, and only what was verified has a time. */
static void
test_t4(void)
{
  static const struct {
    const char *word;
    guint n;
  } expected[] = {{"constraints", 36}, {"compile", 6}, {"runtime", 6},
                  {"correctness", 6},  {"timeout", 6}, {"correct", 90}};
  g_autoptr(MsTuneRecord) record = tune_fixture_search();
  g_autoptr(JsonNode) root = ms_tune_record_to_t4(record);
  JsonArray *results = json_object_get_array_member(json_node_get_object(root), "results");

  for (gsize i = 0; i < G_N_ELEMENTS(expected); i++)
    g_assert_cmpuint(count_invalidity(results, expected[i].word), ==, expected[i].n);
  JsonObject *best = json_array_get_object_element(results, (guint)record->best);
  JsonObject *configuration = json_object_get_object_member(best, "configuration");
  JsonObject *time = json_array_get_object_element(json_object_get_array_member(best, "measurements"), 0);
  g_assert_cmpint(json_object_get_int_member(configuration, "width"), ==, 32);
  g_assert_cmpstr(json_object_get_string_member(configuration, "memory"), ==, "image");
  g_assert_cmpfloat(json_object_get_double_member(time, "value"), ==, 1.0);
}

/* Both files have the form of T4; so that the schema tells anything, it must refuse what is not of that form. */
static void
test_t4_schema(void)
{
  static const char results[] = "tests/data/t4-results.schema.json", about[] = "tests/data/t4-metadata.schema.json";
  g_autoptr(MsTuneRecord) record = tune_fixture_search();
  g_autoptr(JsonNode) root = ms_tune_record_to_t4(record), metadata = ms_tune_record_to_t4_metadata(record);
  g_autofree char *of_results = ms_test_schema_violation(results, root);
  g_autofree char *of_metadata = ms_test_schema_violation(about, metadata);

  g_assert_cmpstr(of_results, ==, NULL);
  g_assert_cmpstr(of_metadata, ==, NULL);
  JsonArray *array = json_object_get_array_member(json_node_get_object(root), "results");
  json_object_set_string_member(json_array_get_object_element(array, 0), "invalidity", "refused");
  g_autofree char *word = ms_test_schema_violation(results, root);
  g_assert_true(g_str_has_prefix(word, "$.results[0].invalidity: 'refused' is not one of"));
  json_object_remove_member(json_node_get_object(metadata), "metadata");
  g_autofree char *missing = ms_test_schema_violation(about, metadata);
  g_assert_cmpstr(missing, ==, "$: 'metadata' is a required property");
}

/* When a trial was added is kept with it; records of older versions do not say. */
static void
test_trial_dates(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  g_autoptr(MsTuneRecord) record = tune_fixture_search();
  MsTrial *first = record->trials->pdata[0], *second = record->trials->pdata[1];

  g_clear_pointer(&first->date, g_free);
  g_free(second->date);
  second->date = g_strdup("2025-01-02T03:04:05Z");
  g_autoptr(MsTuneRecord) loaded = tune_fixture_reload(folder, record);
  g_autoptr(JsonNode) root = ms_tune_record_to_t4(loaded);
  JsonArray *results = json_object_get_array_member(json_node_get_object(root), "results");
  g_assert_false(json_object_has_member(json_array_get_object_element(results, 0), "timestamp"));
  g_assert_cmpstr(json_object_get_string_member(json_array_get_object_element(results, 1), "timestamp"), ==,
                  "2025-01-02T03:04:05Z");
}

void
ms_test_lab_tune_store(void)
{
  g_test_add_func("/lab/tune-store/driver-change", test_driver_change);
  g_test_add_func("/lab/tune-store/winner", test_winner);
  g_test_add_func("/lab/tune-store/reduce-classes", test_reduce_classes);
  g_test_add_func("/lab/tune-store/decided-winner", test_decided_winner_is_kept);
  g_test_add_func("/lab/tune-store/damaged-record", test_damaged_record);
  g_test_add_func("/lab/tune-store/problem-classes", test_problem_classes);
  g_test_add_func("/lab/tune-store/t4", test_t4);
  g_test_add_func("/lab/tune-store/t4-schema", test_t4_schema);
  g_test_add_func("/lab/tune-store/trial-dates", test_trial_dates);
  g_test_add_func("/lab/tune-store/wrong-types", test_wrong_types);
}
