/* SPDX-License-Identifier: MIT */
/* A batch in worker processes, on an engine that dies or hangs for some widths. */
#include <string.h>

#include "tests/batch/isolation-fixture.h"

static void
add_pictures(BatchFixture *f, const int *widths, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("%02u.png", i);
    batch_fixture_add_picture(f, name, widths[i], 4);
  }
}

static void
assert_others_done(BatchFixture *f, GPtrArray *items, const int *widths, int bad, const char *word)
{
  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = batch_fixture_item(items, i);
    if (widths[i] == bad) {
      g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
      g_assert_nonnull(strstr(item->error, word));
      g_assert_false(g_file_test(item->output, G_FILE_TEST_EXISTS));
      continue;
    }
    g_assert_cmpstr(item->error, ==, NULL);
    g_assert_cmpint(item->status, ==, MS_ITEM_DONE);
    g_assert_cmpstr(item->device, ==, "dying");
    g_assert_cmpuint(item->kernel_ms->len, ==, 1);
    g_assert_cmpuint(item->filter_ms->len, ==, 1);
    g_assert_nonnull(item->summary);
    g_assert_cmpstr(g_bytes_get_data(item->summary, NULL), ==, item->input);
    batch_fixture_assert_reference(f, item);
  }
  g_assert_cmpuint(f->n_finished, ==, items->len);
}

static void
check_death_of(BatchFixture *f, const int widths[12], int bad, double timeout_s, const char *word)
{
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, 12);
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  isolation_supervise(f, items, timeout_s, &error);
  g_assert_no_error(error);
  assert_others_done(f, items, widths, bad, word);
}

static void
check_one_death(BatchFixture *f, int bad, double timeout_s, const char *word)
{
  check_death_of(f, (const int[]){5, 6, 7, bad, 8, 9, 10, 11, 12, 13, 14, 15}, bad, timeout_s, word);
}

static void
test_abort(BatchFixture *f, gconstpointer data)
{
  check_one_death(f, ABORTS, 0, "Abort");
}

static void
test_kill(BatchFixture *f, gconstpointer data)
{
  check_one_death(f, IS_KILLED, 0, "memory");
}

static void
test_hang(BatchFixture *f, gconstpointer data)
{
  check_one_death(f, HANGS, 8, "reported nothing");
}

/* The limit of the worker's memory is watched, since a driver may take any amount. */
static void
test_greedy(BatchFixture *f, gconstpointer data)
{
  f->request.memory_limit = MEMORY_LIMIT;
  check_one_death(f, IS_GREEDY, 0, "512 MiB of --memory-limit");
}

/* Images that only waited for the device are not retried one by one: 11 of them would take 13 workers. */
static void
test_waiting_are_no_suspects(BatchFixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename(f->folder, "workers", NULL);
  g_autofree char *workers = NULL;
  gsize n = 0;

  g_setenv(WORKERS, path, TRUE);
  check_death_of(f, (const int[]){ABORTS_LATE, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, ABORTS_LATE, 0, "Abort");
  g_unsetenv(WORKERS);
  g_assert_true(g_file_get_contents(path, &workers, &n, NULL));
  g_assert_cmpuint(n, <, 8);
}

/* A retry that succeeds is stated in the item, which the report and standard error show, and in the manifest. */
static void
test_one_retry(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, ABORTS_ONCE, 6};
  g_autofree char *marker = g_build_filename(f->folder, "marker", NULL);
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);
  g_autofree char *lines = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsManifest) manifest = batch_fixture_open_manifest(path, &error);

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  g_setenv(MARKER, marker, TRUE);
  f->request.manifest = manifest;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  isolation_supervise(f, items, 0, &error);
  f->request.manifest = NULL;
  g_assert_no_error(error);
  assert_others_done(f, items, widths, 0, "");
  g_autofree char *note = ms_note_describe(batch_fixture_item(items, 1)->notes, MS_LANGUAGE_ENGLISH);
  g_assert_nonnull(note);
  g_assert_nonnull(strstr(note, "01.png"));
  g_assert_nonnull(strstr(note, "second attempt"));
  g_assert_nonnull(strstr(note, "Abort"));
  g_assert_true(g_file_get_contents(path, &lines, NULL, NULL));
  g_assert_nonnull(strstr(lines, note));
}

/* The manifest records the failure; resuming tries the image again and does not end either. */
static void
test_resume(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, ABORTS, 6};
  g_autofree char *path = g_build_filename(f->folder, "manifest.jsonl", NULL);

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  f->request.resume = TRUE;
  for (guint run = 0; run < 2; run++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(MsManifest) manifest = batch_fixture_open_manifest(path, &error);
    g_assert_no_error(error);
    f->request.manifest = manifest;
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    isolation_supervise(f, items, 0, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ms_batch_count(items).failed, ==, 1);
    g_assert_cmpuint(ms_batch_count(items).done, ==, run == 0 ? 2 : 0);
    g_assert_cmpuint(ms_batch_count(items).skipped, ==, run == 0 ? 0 : 2);
    f->request.manifest = NULL;
  }
}

static void
test_opening(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, 6};
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_setenv(AT_OPENING, "1", TRUE);
  g_assert_false(isolation_supervise(f, items, 0, &error));
  g_unsetenv(AT_OPENING);
  g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
  g_assert_cmpuint(f->n_progress, ==, 1);
  g_assert_nonnull(strstr(error->message, "Abort"));
  g_assert_cmpuint(ms_batch_count(items).pending, ==, 2);
}

/* A second worker that opens the device is noted, and nothing else: one death says nothing about the driver's cache. */
static void
test_second_opening(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, 6};
  g_autofree char *marker = g_build_filename(f->folder, "marker", NULL);
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_setenv(MARKER, marker, TRUE);
  g_setenv(AT_OPENING, ONCE, TRUE);
  isolation_supervise(f, items, 0, &error);
  g_unsetenv(AT_OPENING);
  g_assert_no_error(error);
  g_assert_cmpuint(f->n_progress, ==, 1);
  assert_others_done(f, items, widths, 0, "");
}

/* The worker that was asked for the name of its device filters by it, or the next one if that opening ends it. */
static void
test_named(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, 6};

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  for (guint deaths = 0; deaths < 2; deaths++) {
    g_autofree char *path = g_strdup_printf("%s/workers-%u", f->folder, deaths);
    g_autofree char *marker = g_build_filename(f->folder, "marker", NULL);
    g_autofree char *workers = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(MsSupervisor) supervisor = isolation_new_supervisor(f, 0);
    gsize n = 0;
    g_setenv(WORKERS, path, TRUE);
    g_setenv(MARKER, marker, TRUE);
    if (deaths > 0)
      g_setenv(AT_OPENING, ONCE, TRUE);
    g_autofree char *name = ms_supervisor_name_device(supervisor, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(name, ==, "dying");
    f->n_finished = 0;
    f->request.on_conflict = MS_CONFLICT_OVERWRITE;
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    g_assert_true(ms_supervisor_run(supervisor, items, &error));
    g_unsetenv(AT_OPENING);
    g_unsetenv(WORKERS);
    assert_others_done(f, items, widths, 0, "");
    g_assert_true(g_file_get_contents(path, &workers, &n, NULL));
    g_assert_cmpuint(n, ==, 1 + deaths);
    g_assert_cmpuint(f->n_progress, ==, deaths);
  }
}

/* Five workers die before the device is given up. An image fails after its second death, so the first worker's death
 * fails none, and each later one at most one; how many depends on what a worker had read when it died. */
static void
assert_lost_by_five_workers(guint failed)
{
  g_assert_cmpuint(failed, >=, 1);
  g_assert_cmpuint(failed, <=, 4);
}

static void
test_device_given_up(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, 6, 7, 8, 9, 10, 11, 12};
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_setenv(ALWAYS, "1", TRUE);
  g_assert_false(isolation_supervise(f, items, 0, &error));
  g_unsetenv(ALWAYS);
  g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
  assert_lost_by_five_workers(ms_batch_count(items).failed);
  g_assert_cmpuint(ms_batch_count(items).pending, ==, G_N_ELEMENTS(widths) - ms_batch_count(items).failed);
}

/* The engine dies unless its worker uses the processor. Returns how many images failed before that. */
static guint
check_fallback(BatchFixture *f, const char *variable, guint notes)
{
  const int widths[] = {5, 6, 7, 8, 9, 10, 11, 12};
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  f->falls_back = TRUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_setenv(variable, "1", TRUE);
  isolation_supervise(f, items, 0, &error);
  g_unsetenv(variable);
  g_assert_no_error(error);
  g_assert_cmpuint(f->n_progress, ==, notes);
  guint failed = ms_batch_count(items).failed;
  g_assert_cmpuint(ms_batch_count(items).done, ==, G_N_ELEMENTS(widths) - failed);
  return failed;
}

static void
test_fallback(BatchFixture *f, gconstpointer data)
{
  assert_lost_by_five_workers(check_fallback(f, ALWAYS, 1));
}

static void
test_fallback_at_opening(BatchFixture *f, gconstpointer data)
{
  g_assert_cmpuint(check_fallback(f, AT_OPENING, 2), ==, 0);
}

/* What the driver does after a file has its name costs nothing, though no worker lives to say so. */
static void
test_dies_after_saving(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, 6, 7, 8, 9, 10, 11};
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_setenv(AFTER_SAVING, "1", TRUE);
  isolation_supervise(f, items, 0, &error);
  g_unsetenv(AFTER_SAVING);
  g_assert_no_error(error);
  assert_others_done(f, items, widths, 0, "");
}

static gpointer
cancel_soon(gpointer data)
{
  g_usleep(G_USEC_PER_SEC / 2);
  g_cancellable_cancel(data);
  return NULL;
}

/*
 * A worker of a GPU that takes long to end after its last image is killed; that of a processor is waited for, since the
 * times of a process count only then.
 */
static void
test_lingers(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {20};
  const char *const types[] = {"gpu", "cpu"};
  g_autofree char *mark = g_build_filename(f->folder, "mark", NULL);
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, 1);
  g_setenv(LINGERS, mark, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
    g_setenv(DEVICE_TYPE, types[i], TRUE);
    f->request.on_conflict = MS_CONFLICT_OVERWRITE;
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    g_assert_true(isolation_supervise(f, items, 0, &error));
    g_assert_no_error(error);
    if (i == 0)
      g_usleep(2 * G_USEC_PER_SEC);
    g_assert_cmpint(g_file_test(mark, G_FILE_TEST_EXISTS), ==, i == 1);
  }
  g_unsetenv(LINGERS);
  g_unsetenv(DEVICE_TYPE);
}

/* One cancellation suffices although the engine hangs in a call and the signal to stop has no effect. */
static void
test_cancel_hung(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {HANGS};
  g_autoptr(GError) error = NULL;
  gint64 start = g_get_monotonic_time();

  add_pictures(f, widths, 1);
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  GThread *thread = g_thread_new("cancel", cancel_soon, f->cancellable);
  g_assert_false(isolation_supervise(f, items, 0, &error));
  g_thread_join(thread);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(ms_batch_count(items).pending, ==, 1);
  g_assert_cmpint(g_get_monotonic_time() - start, <, 60 * G_USEC_PER_SEC);
}

int
main(int argc, char **argv)
{
  if (g_strcmp0(ms_child_get_role(), MS_SERVICE_ROLE_COMMAND) == 0)
    return isolation_work();
  g_test_init(&argc, &argv, NULL);
  BATCH_FIXTURE_ADD("isolation/abort", test_abort);
  BATCH_FIXTURE_ADD("isolation/kill", test_kill);
  BATCH_FIXTURE_ADD("isolation/hang", test_hang);
  BATCH_FIXTURE_ADD("isolation/greedy", test_greedy);
  BATCH_FIXTURE_ADD("isolation/waiting-are-no-suspects", test_waiting_are_no_suspects);
  BATCH_FIXTURE_ADD("isolation/one-retry", test_one_retry);
  BATCH_FIXTURE_ADD("isolation/resume", test_resume);
  BATCH_FIXTURE_ADD("isolation/opening", test_opening);
  BATCH_FIXTURE_ADD("isolation/second-opening", test_second_opening);
  BATCH_FIXTURE_ADD("isolation/named", test_named);
  BATCH_FIXTURE_ADD("isolation/device-given-up", test_device_given_up);
  BATCH_FIXTURE_ADD("isolation/fallback", test_fallback);
  BATCH_FIXTURE_ADD("isolation/fallback-at-opening", test_fallback_at_opening);
  BATCH_FIXTURE_ADD("isolation/dies-after-saving", test_dies_after_saving);
  BATCH_FIXTURE_ADD("isolation/lingers", test_lingers);
  BATCH_FIXTURE_ADD("isolation/cancel-hung", test_cancel_hung);
  ms_test_batch_pipes();
  return g_test_run();
}
