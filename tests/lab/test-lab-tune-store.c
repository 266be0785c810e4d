/* SPDX-License-Identifier: MIT */
/* Stored searches and winners: for which device, driver, problem and version they hold, and damaged files. */
#include <string.h>

#include "core/engine/tuned.h"
#include "core/lab/tune/tune-record.h"
#include "tests/lab/tune-fixture.h"
#include "tests/support/cases.h"

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

void
ms_test_lab_tune_store(void)
{
  g_test_add_func("/lab/tune-store/driver-change", test_driver_change);
  g_test_add_func("/lab/tune-store/winner", test_winner);
  g_test_add_func("/lab/tune-store/decided-winner", test_decided_winner_is_kept);
  g_test_add_func("/lab/tune-store/damaged-record", test_damaged_record);
  g_test_add_func("/lab/tune-store/problem-classes", test_problem_classes);
  g_test_add_func("/lab/tune-store/wrong-types", test_wrong_types);
}
