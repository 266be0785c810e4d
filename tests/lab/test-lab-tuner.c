/* SPDX-License-Identifier: MIT */
/* The tuner on a made-up device: a planted optimum among configurations that are refused, fail, lie or hang. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/problem-class.h"
#include "core/error.h"
#include "core/lab/kinds/bench.h"
#include "core/lab/tune/tune-store.h"

typedef struct {
  guint evaluations;
  guint cancel_after; /* 0 for never */
  GCancellable *campaign;
  gboolean everything_fails;
  gint64 evaluation_us; /* what an evaluation takes by the made-up clock */
  gint64 now_us;
} Device;

static int
value_of(const MsFactors *settings, const char *key)
{
  return atoi(ms_factors_get(settings, key));
}

static char *
refuse(const MsFactors *settings, gpointer data)
{
  return value_of(settings, "width") * value_of(settings, "height") > 256
           ? g_strdup("The group is larger than the device takes.")
           : NULL;
}

/* Smooth towards width 32, height 4, unroll 4, memory image. */
static double
model_ns(const MsFactors *settings)
{
  double w = log2(value_of(settings, "width")) - 5, h = log2(value_of(settings, "height")) - 2;
  double u = log2(value_of(settings, "unroll")) - 2;

  return 1e6 * (1 + 0.1 * w * w + 0.07 * h * h + 0.2 * u * u +
                (strcmp(ms_factors_get(settings, "memory"), "image") ? 0.3 : 0));
}

static gboolean
hang(GCancellable *cancellable, GError **error)
{
  while (!g_cancellable_is_cancelled(cancellable))
    g_usleep(500);
  return !g_cancellable_set_error_if_cancelled(cancellable, error);
}

static gboolean
evaluate(const MsFactors *settings, double *ns, GCancellable *cancellable, gpointer data, GError **error)
{
  Device *device = data;
  int w = value_of(settings, "width"), h = value_of(settings, "height");

  device->evaluations++;
  device->now_us += device->evaluation_us;
  if (device->cancel_after && device->evaluations >= device->cancel_after)
    g_cancellable_cancel(device->campaign);
  g_assert_cmpint(w * h, <=, 256); /* a refused configuration is never built */
  if (device->everything_fails || (w == 8 && h == 8))
    return g_set_error(error, MS_ERROR, MS_ERROR_BUILD, "no build"), FALSE;
  if (w == 16 && h == 16)
    return g_set_error(error, MS_ERROR, MS_ERROR_DEVICE, "lost"), FALSE;
  if (w == 32 && h == 8)
    return g_set_error(error, MS_ERROR, MS_ERROR_MISMATCH, "3 pixels"), FALSE;
  if (w == 64 && h == 4)
    return hang(cancellable, error);
  *ns = model_ns(settings);
  return TRUE;
}

static MsTuneSpace *
make_space(Device *device)
{
  MsTuneSpace *space = ms_tune_space_new(refuse, evaluate, device);

  ms_tune_space_add(space, "width", (const char *const[]){"8", "16", "32", "64", "128", NULL});
  ms_tune_space_add(space, "height", (const char *const[]){"1", "2", "4", "8", "16", NULL});
  ms_tune_space_add(space, "unroll", (const char *const[]){"1", "2", "4", NULL});
  ms_tune_space_add(space, "memory", (const char *const[]){"buffer", "image", NULL});
  return space;
}

static void
assert_optimum(const MsTuneRecord *record)
{
  const MsTrial *best = ms_tune_record_best(record);

  g_assert_nonnull(best);
  g_assert_cmpstr(ms_factors_get(best->factors, "width"), ==, "32");
  g_assert_cmpstr(ms_factors_get(best->factors, "height"), ==, "4");
  g_assert_cmpstr(ms_factors_get(best->factors, "unroll"), ==, "4");
  g_assert_cmpstr(ms_factors_get(best->factors, "memory"), ==, "image");
  g_assert_cmpfloat(best->ns, ==, 1e6);
}

static void
test_exhaustive(void)
{
  Device device = {0};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {MS_TUNE_EXHAUSTIVE, 60, 0.01, 1, NULL};

  g_assert_cmpuint(ms_tune_space_size(space), ==, 150);
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  assert_optimum(record);
  g_assert_true(record->complete);
  g_assert_cmpuint(record->trials->len, ==, 150);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_CONSTRAINT), ==, 6 * 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_BUILD), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_RUN), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_WRONG), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_TIMEOUT), ==, 6);
  g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_OK), ==, 150 - 36 - 24);
  g_assert_cmpuint(device.evaluations, ==, 150 - 36);
}

static void
test_greedy_within_budget(void)
{
  for (guint32 seed = 1; seed <= 5; seed++) {
    Device device = {0};
    g_autoptr(MsTuneSpace) space = make_space(&device);
    g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
    MsTuneOptions options = {MS_TUNE_GREEDY, 0.5, 0.005, seed, NULL};
    gint64 start = g_get_monotonic_time();
    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    assert_optimum(record);
    g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_USEC_PER_SEC);
  }
}

static void
test_greedy_is_cheaper_than_all(void)
{
  Device device = {0};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  g_autoptr(MsFactors) start = ms_factors_parse("width:8 height:1 unroll:1 memory:buffer", NULL);
  MsTuneOptions options = {MS_TUNE_GREEDY, 60, 0.005, 1, start};
  g_autoptr(GCancellable) stop = g_cancellable_new();

  /* The budget is not what ends this one: forty evaluations must do. */
  device.cancel_after = 40;
  device.campaign = stop;
  ms_tune_search(space, record, &options, stop, NULL);
  assert_optimum(record);
}

static void
test_random(void)
{
  Device device = {0};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {MS_TUNE_RANDOM, 30, 0.005, 1, NULL};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  assert_optimum(record); /* draws until nothing is new */
}

static void
test_budget_ends_it(void)
{
  Device device = {0};
  g_autoptr(MsTuneSpace) space = ms_tune_space_new(refuse, evaluate, &device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {MS_TUNE_EXHAUSTIVE, 0.2, 0.15, 1, NULL};
  gint64 start = g_get_monotonic_time();

  ms_tune_space_add(space, "width", (const char *const[]){"64", NULL}); /* all of them hang */
  ms_tune_space_add(space, "height", (const char *const[]){"4", NULL});
  ms_tune_space_add(space, "unroll", (const char *const[]){"1", "2", "4", NULL});
  ms_tune_space_add(space, "memory", (const char *const[]){"buffer", "image", NULL});
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_USEC_PER_SEC);
  g_assert_cmpuint(record->trials->len, <, 6);
  g_assert_false(record->complete);
  g_assert_null(ms_tune_record_best(record));
}

static gint64
tell_time(gpointer device)
{
  return ((Device *)device)->now_us++;
}

/* Builds cannot be cancelled, so no configuration is begun that would probably end after the budget. */
static void
test_budget_holds(void)
{
  for (MsTuneStrategy strategy = MS_TUNE_EXHAUSTIVE; strategy <= MS_TUNE_GREEDY; strategy++) {
    Device device = {.evaluation_us = 3 * G_USEC_PER_SEC};
    g_autoptr(MsTuneSpace) space = make_space(&device);
    g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
    MsTuneOptions options = {strategy, 10, 0.01, 1, NULL, tell_time, &device};

    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    g_assert_cmpuint(device.evaluations, ==, 3);
    /* A search that resumes has a winner already and keeps to its budget from the first configuration on. */
    options.budget_s = 1e-9;
    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    g_assert_cmpuint(device.evaluations, ==, ms_tune_record_best(record) ? 3 : 4);
  }
}

/* The reference of a large picture has as many bands of rows as can be computed in its share of the budget. */
static void
test_reference_in_time(void)
{
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 0), ==, 1);
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 100), ==, 1);
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 2), ==, 7); /* 8 bands are in time */
  g_assert_cmpuint(ms_lab_bench_reference_step(50, 0.5, 2, 1e-9), ==, 25);
  g_assert_cmpuint(ms_lab_bench_reference_step(1, 0.5, 2, 1e-9), ==, 1);
}

/* However little time there is, one configuration is measured: half an answer is one. */
static void
test_least_budget(void)
{
  for (MsTuneStrategy strategy = MS_TUNE_EXHAUSTIVE; strategy <= MS_TUNE_GREEDY; strategy++) {
    Device device = {0};
    g_autoptr(MsTuneSpace) space = make_space(&device);
    g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
    MsTuneOptions options = {strategy, 1e-9, 5, 1, NULL};

    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    g_assert_nonnull(ms_tune_record_best(record));
    g_assert_false(record->complete);
  }
}

static void
test_nothing_works(void)
{
  for (MsTuneStrategy strategy = MS_TUNE_EXHAUSTIVE; strategy <= MS_TUNE_GREEDY; strategy++) {
    Device device = {.everything_fails = TRUE};
    g_autoptr(MsTuneSpace) space = make_space(&device);
    g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
    MsTuneOptions options = {strategy, 5, 0.01, 1, NULL};
    g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
    g_assert_null(ms_tune_record_best(record));
    g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_OK), ==, 0);
    g_assert_cmpuint(ms_tune_record_count(record, MS_OUTCOME_BUILD), >, 0);
  }
}

/* A search without a winner says why, and what to do. */
static void
test_no_winner_has_a_reason(void)
{
  Device good = {0}, bad = {.everything_fails = TRUE};
  MsTuneOptions options = {MS_TUNE_EXHAUSTIVE, 5, 0.01, 1, NULL};
  g_autoptr(MsTuneSpace) space = make_space(&good);
  g_autoptr(MsTuneSpace) broken = make_space(&bad);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  g_autoptr(MsTuneRecord) failed = ms_tune_record_new("fake", "1.0", "test");
  g_autoptr(GError) error = NULL;

  g_assert_false(ms_tune_record_check(record, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TIMEOUT);
  g_assert_nonnull(strstr(error->message, "--budget"));
  g_clear_error(&error);
  g_assert_true(ms_tune_search(broken, failed, &options, NULL, NULL));
  g_assert_false(ms_tune_record_check(failed, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_DEVICE);
  g_assert_nonnull(strstr(error->message, ((MsTrial *)failed->trials->pdata[0])->message));
  g_clear_error(&error);
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_true(ms_tune_record_check(record, &error));
  g_assert_no_error(error);
}

static MsTuneRecord *
store_and_load(const char *folder, const MsTuneRecord *record)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_tune_store_save(folder, record, &error));
  g_assert_no_error(error);
  MsTuneRecord *loaded =
    ms_tune_store_load(folder, &(MsWinnerKey){record->device, record->driver, record->problem}, &error);
  g_assert_no_error(error);
  g_assert_nonnull(loaded);
  return loaded;
}

/* Cancelled in the middle, kept, loaded, gone on with: no configuration is evaluated twice. */
static void
test_resume(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  g_autoptr(GCancellable) stop = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  Device device = {.cancel_after = 30, .campaign = stop};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {MS_TUNE_EXHAUSTIVE, 60, 0.005, 1, NULL};

  g_assert_false(ms_tune_search(space, record, &options, stop, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false(record->complete);
  record->measured = ms_factors_parse("size:640x480 sp:10", NULL);
  guint known = record->trials->len;
  g_autoptr(MsTuneRecord) loaded = store_and_load(folder, record);
  g_assert_cmpuint(loaded->trials->len, ==, known);
  guint known_evaluated = known - ms_tune_record_count(record, MS_OUTCOME_CONSTRAINT);
  device = (Device){0};
  g_assert_true(ms_tune_search(space, loaded, &options, NULL, NULL));
  assert_optimum(loaded);
  g_assert_cmpuint(device.evaluations, ==, 150 - 36 - known_evaluated);
  g_autoptr(MsTuneRecord) whole = store_and_load(folder, loaded);
  assert_optimum(whole);
  g_assert_true(whole->complete);
  g_assert_true(ms_factors_equal(whole->measured, record->measured));
  device = (Device){0};
  g_assert_true(ms_tune_search(space, whole, &options, NULL, NULL));
  g_assert_cmpuint(device.evaluations, ==, 0);
}

static void
test_driver_change(void)
{
  g_autofree char *folder = g_dir_make_tmp("tuning-XXXXXX", NULL);
  Device device = {0};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {MS_TUNE_EXHAUSTIVE, 60, 0.005, 1, NULL};
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_autoptr(MsTuneRecord) same = store_and_load(folder, record);
  assert_optimum(same);
  g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.1", "test"}, &error));
  g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"other", "1.0", "test"}, &error));
  g_assert_null(ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.0", "another problem"}, &error));
  g_assert_no_error(error);
  /* Even a file put in the new driver's place is not believed. */
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

/* A file that is passed over says why, unless it is another one's. */
static void
load_record(gpointer wrong, gpointer folder)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsTuneRecord) record = ms_tune_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, &error);

  g_assert_true(record == NULL || error == NULL);
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
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  g_autoptr(MsFactors) winner = ms_factors_new();
  Device device = {0};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  MsTuneOptions options = {MS_TUNE_GREEDY, 60, 0.005, 1, NULL};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
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
  Device device = {0};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {MS_TUNE_EXHAUSTIVE, 60, 0.005, 1, NULL};

  record->version = g_strdup("7");
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "7"));
  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  g_assert_true(ms_tune_store_save(folder, record, NULL));
  g_autoptr(MsFactors) winner = ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "7");
  g_assert_nonnull(winner);
  g_assert_true(ms_factors_equal(winner, ms_tune_record_best(record)->factors));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.1", "test"}, "7"));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"other", "1.0", "test"}, "7"));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "more"}, "7"));
  g_assert_null(ms_winner_store_load(folder, &(MsWinnerKey){"fake", "1.0", "test"}, "8"));
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
  Device device = {0};
  g_autoptr(MsTuneSpace) space = make_space(&device);
  g_autoptr(MsTuneRecord) record = ms_tune_record_new("fake", "1.0", "test");
  MsTuneOptions options = {MS_TUNE_EXHAUSTIVE, 60, 0.005, 1, NULL};

  g_assert_true(ms_tune_search(space, record, &options, NULL, NULL));
  for (guint i = 0; i < record->trials->len; i++)
    if (((MsTrial *)record->trials->pdata[i])->outcome == MS_OUTCOME_OK && (int)i != record->best) {
      record->best = (int)i;
      break;
    }
  g_autoptr(MsTuneRecord) loaded = store_and_load(folder, record);
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/lab/tuner/exhaustive", test_exhaustive);
  g_test_add_func("/lab/tuner/greedy", test_greedy_within_budget);
  g_test_add_func("/lab/tuner/greedy-is-cheap", test_greedy_is_cheaper_than_all);
  g_test_add_func("/lab/tuner/random", test_random);
  g_test_add_func("/lab/tuner/budget", test_budget_ends_it);
  g_test_add_func("/lab/tuner/budget-holds", test_budget_holds);
  g_test_add_func("/lab/tuner/reference-in-time", test_reference_in_time);
  g_test_add_func("/lab/tuner/least-budget", test_least_budget);
  g_test_add_func("/lab/tuner/nothing-works", test_nothing_works);
  g_test_add_func("/lab/tuner/no-winner-has-a-reason", test_no_winner_has_a_reason);
  g_test_add_func("/lab/tuner/resume", test_resume);
  g_test_add_func("/lab/tuner/driver-change", test_driver_change);
  g_test_add_func("/lab/tuner/winner", test_winner);
  g_test_add_func("/lab/tuner/reduce-classes", test_reduce_classes);
  g_test_add_func("/lab/tuner/decided-winner", test_decided_winner_is_kept);
  g_test_add_func("/lab/tuner/damaged-record", test_damaged_record);
  g_test_add_func("/lab/tuner/problem-classes", test_problem_classes);
  g_test_add_func("/lab/tuner/wrong-types", test_wrong_types);
  return g_test_run();
}
