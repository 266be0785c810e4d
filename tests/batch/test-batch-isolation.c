/* SPDX-License-Identifier: MIT */
/* The batch in worker processes: this program is its own worker, on an engine that dies or hangs for some widths. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/batch/run/stream-spool.h"
#include "core/batch/run/supervisor.h"
#include "core/batch/run/worker.h"
#include "tests/batch/batch-fixture.h"

/* Widths of images at which the engine aborts or hangs. */
#define ABORTS 17
#define HANGS 19
#define IS_KILLED 21
#define ABORTS_ONCE 23
#define IS_GREEDY 25
#define ABORTS_LATE 27

/* What the engine takes when it is greedy, and the limit that this exceeds. */
#define GREEDY_BYTES ((gsize)640 << 20)
#define MEMORY_LIMIT (G_GUINT64_CONSTANT(512) << 20)

/* The engine dies while it is opened, or for every image. */
#define AT_OPENING "MS_TEST_DIES_AT_OPENING"
#define ALWAYS "MS_TEST_DIES_ALWAYS"

#define MARKER "MS_TEST_MARKER"

/* A file that gets a byte for each worker. */
#define WORKERS "MS_TEST_WORKERS"

#define DYING_TYPE_ENGINE (dying_engine_get_type())
G_DECLARE_FINAL_TYPE(DyingEngine, dying_engine, DYING, ENGINE, MsEngine)

struct _DyingEngine {
  MsEngine parent_instance;
};

G_DEFINE_FINAL_TYPE(DyingEngine, dying_engine, MS_TYPE_ENGINE)

static MsEngineInfo
dying_engine_describe(MsEngine *engine)
{
  return (MsEngineInfo){.name = "dying", .platform = "test", .driver = "1", .type = "gpu"};
}

static void
die_without_core(int number)
{
  signal(number, SIG_DFL);
  kill(getpid(), number);
  pause();
}

static void
take_memory_and_wait(void)
{
  g_autofree char *bytes = g_malloc(GREEDY_BYTES);

  memset(bytes, 1, GREEDY_BYTES);
  g_usleep(100 * G_USEC_PER_SEC);
}

static MsImage *
dying_engine_run(MsEngine *engine, MsImage *source, const MsSettings *settings, MsEngineRun *run, GError **error)
{
  int width = ms_image_get_width(source);
  const char *marker = g_getenv(MARKER);

  run->used = *settings;
  if (width == ABORTS || g_getenv(ALWAYS))
    die_without_core(SIGABRT);
  if (width == IS_KILLED)
    die_without_core(SIGKILL);
  if (width == HANGS)
    g_usleep(100 * G_USEC_PER_SEC);
  if (width == ABORTS_LATE) {
    g_usleep(G_USEC_PER_SEC / 2);
    die_without_core(SIGABRT);
  }
  if (width == IS_GREEDY)
    take_memory_and_wait();
  if (width == ABORTS_ONCE && !g_file_test(marker, G_FILE_TEST_EXISTS)) {
    g_file_set_contents(marker, "", 0, NULL);
    die_without_core(SIGABRT);
  }
  return ms_reference_run(
    source, &settings->params,
    &(MsReferenceRun){.progress = ms_engine_report_progress, .progress_data = engine, .cancellable = run->cancellable},
    error);
}

static void
dying_engine_class_init(DyingEngineClass *klass)
{
  MS_ENGINE_CLASS(klass)->describe = dying_engine_describe;
  MS_ENGINE_CLASS(klass)->run = dying_engine_run;
}

static void
dying_engine_init(DyingEngine *self)
{
}

static void
count_worker(const char *path)
{
  FILE *file = fopen(path, "a");

  g_assert_nonnull(file);
  fputc('w', file);
  fclose(file);
}

static MsEngine *
open_engine(gpointer data, GError **error)
{
  if (g_getenv(WORKERS))
    count_worker(g_getenv(WORKERS));
  if (g_getenv(AT_OPENING))
    die_without_core(SIGABRT);
  return g_object_new(DYING_TYPE_ENGINE, NULL);
}

static void
count_finished(MsBatchItem *item, gpointer data)
{
  ((BatchFixture *)data)->n_finished++;
}

static void
remember_device(const MsEngineInfo *info, gpointer data)
{
  g_assert_cmpstr(info->name, ==, "dying");
}

static void
count_note(const char *sentence, gpointer data)
{
  g_assert_nonnull(strstr(sentence, "Abort"));
  ((BatchFixture *)data)->n_progress++;
}

static gboolean
supervise(BatchFixture *f, GPtrArray *items, double timeout_s, GError **error)
{
  MsSupervisorOptions supervision = {.runner = &f->options,
                                     .timeout_s = timeout_s,
                                     .memory_limit = f->options.memory_limit,
                                     .falls_back = f->falls_back,
                                     .note = count_note,
                                     .device = remember_device};
  MsRunnerHooks hooks = {.finished = count_finished, .data = f};

  return ms_supervisor_run(items, &supervision, &hooks, f->cancellable, error);
}

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
  supervise(f, items, timeout_s, &error);
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
  f->options.memory_limit = MEMORY_LIMIT;
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
  f->options.manifest = manifest;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  supervise(f, items, 0, &error);
  f->options.manifest = NULL;
  g_assert_no_error(error);
  assert_others_done(f, items, widths, 0, "");
  const char *note = batch_fixture_item(items, 1)->notes[MS_LANGUAGE_ENGLISH];
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
    f->request.manifest = f->options.manifest = manifest;
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    supervise(f, items, 0, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ms_batch_count(items).failed, ==, 1);
    g_assert_cmpuint(ms_batch_count(items).done, ==, run == 0 ? 2 : 0);
    g_assert_cmpuint(ms_batch_count(items).skipped, ==, run == 0 ? 0 : 2);
    f->options.manifest = NULL;
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
  g_assert_false(supervise(f, items, 0, &error));
  g_unsetenv(AT_OPENING);
  g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
  g_assert_nonnull(strstr(error->message, "Abort"));
  g_assert_cmpuint(ms_batch_count(items).pending, ==, 2);
}

static void
test_device_given_up(BatchFixture *f, gconstpointer data)
{
  const int widths[] = {5, 6, 7, 8, 9, 10, 11, 12};
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_setenv(ALWAYS, "1", TRUE);
  g_assert_false(supervise(f, items, 0, &error));
  g_unsetenv(ALWAYS);
  g_assert_error(error, MS_ERROR, MS_ERROR_DEVICE);
  g_assert_cmpuint(ms_batch_count(items).failed, ==, 5);
  g_assert_cmpuint(ms_batch_count(items).pending, ==, 3);
}

/* The engine dies unless its worker uses the processor. */
static void
check_fallback(BatchFixture *f, const char *variable, guint failed)
{
  const int widths[] = {5, 6, 7, 8, 9, 10, 11, 12};
  g_autoptr(GError) error = NULL;

  add_pictures(f, widths, G_N_ELEMENTS(widths));
  f->falls_back = TRUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_setenv(variable, "1", TRUE);
  supervise(f, items, 0, &error);
  g_unsetenv(variable);
  g_assert_no_error(error);
  g_assert_cmpuint(f->n_progress, ==, 1);
  g_assert_cmpuint(ms_batch_count(items).failed, ==, failed);
  g_assert_cmpuint(ms_batch_count(items).done, ==, G_N_ELEMENTS(widths) - failed);
}

static void
test_fallback(BatchFixture *f, gconstpointer data)
{
  check_fallback(f, ALWAYS, 5);
}

static void
test_fallback_at_opening(BatchFixture *f, gconstpointer data)
{
  check_fallback(f, AT_OPENING, 0);
}

typedef struct {
  const char *path;
  char *bytes;
  gsize size;
} Pipe;

static gpointer
write_pipe(gpointer data)
{
  const Pipe *pipe = data;
  int fd = open(pipe->path, O_WRONLY);

  g_assert_cmpint(write(fd, pipe->bytes, pipe->size), ==, (gssize)pipe->size);
  close(fd);
  return NULL;
}

static gpointer
read_pipe(gpointer data)
{
  Pipe *pipe = data;

  g_assert_true(g_file_get_contents(pipe->path, &pipe->bytes, &pipe->size, NULL));
  return NULL;
}

/* An image that comes through a pipe and goes into one is tried again, too, and the pipe gets one result only. */
static void
test_pipes(BatchFixture *f, gconstpointer data)
{
  g_autofree char *marker = g_build_filename(f->folder, "marker", NULL);
  g_autofree char *from = g_build_filename(f->folder, "from.png", NULL);
  g_autofree char *to = g_build_filename(f->folder, "to.png", NULL);
  g_autofree char *picture = g_build_filename(f->in, "a.png", NULL);
  g_autofree char *expected = NULL;
  Pipe in = {.path = from}, out = {.path = to};
  g_autoptr(GError) error = NULL;
  gsize size = 0;

  batch_fixture_add_picture(f, "a.png", ABORTS_ONCE, 4);
  g_assert_true(g_file_get_contents(picture, &in.bytes, &in.size, NULL));
  g_assert_cmpint(mkfifo(from, 0600), ==, 0);
  g_assert_cmpint(mkfifo(to, 0600), ==, 0);
  g_setenv(MARKER, marker, TRUE);
  f->inputs[0] = from;
  f->request.output = to;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  GThread *writer = g_thread_new("write", write_pipe, &in), *reader = g_thread_new("read", read_pipe, &out);
  supervise(f, items, 0, &error);
  g_thread_join(writer);
  g_thread_join(reader);
  g_assert_no_error(error);
  g_assert_cmpstr(batch_fixture_item(items, 0)->error, ==, NULL);
  g_assert_nonnull(strstr(batch_fixture_item(items, 0)->notes[MS_LANGUAGE_ENGLISH], "second attempt"));

  f->inputs[0] = f->in;
  f->request.output = f->out;
  g_autoptr(GPtrArray) again = batch_fixture_plan(f);
  supervise(f, again, 0, &error);
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(batch_fixture_item(again, 0)->output, &expected, &size, NULL));
  g_assert_cmpmem(out.bytes, out.size, expected, size);
  g_free(in.bytes);
  g_free(out.bytes);
}

/* A second result replaces a longer one. */
static void
test_spool(void)
{
  int fd = ms_scratch_file_create(g_get_tmp_dir());
  g_autoptr(GBytes) first = g_bytes_new_static("longer", 6);
  g_autoptr(GBytes) second = g_bytes_new_static("short", 5);
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_stream_spool_write(fd, first, &error));
  g_assert_true(ms_stream_spool_write(fd, second, &error));
  g_autoptr(GBytes) found = ms_stream_spool_read(fd, "pipe", &error);
  g_assert_no_error(error);
  g_assert_true(g_bytes_equal(found, second));
  close(fd);
}

static gpointer
cancel_soon(gpointer data)
{
  g_usleep(G_USEC_PER_SEC / 2);
  g_cancellable_cancel(data);
  return NULL;
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
  g_assert_false(supervise(f, items, 0, &error));
  g_thread_join(thread);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(ms_batch_count(items).pending, ==, 1);
  g_assert_cmpint(g_get_monotonic_time() - start, <, 60 * G_USEC_PER_SEC);
}

static gboolean
summarise(const MsInspection *rows, gpointer data, GError **error)
{
  rows->item->summary = g_bytes_new(rows->item->input, strlen(rows->item->input) + 1);
  return TRUE;
}

static int
work(void)
{
  MsRunnerOptions options = ms_runner_options_default();
  MsRunnerHooks hooks = {.open = open_engine, .inspect = summarise};

  options.settings.params.sp = 2;
  options.jobs = 3;
  /* As in the program, whose handler cannot end a call of the driver. */
  signal(SIGTERM, SIG_IGN);
  if (ms_worker_is_on_processor()) {
    g_unsetenv(ALWAYS);
    g_unsetenv(AT_OPENING);
  }
  return ms_worker_run(&options, &hooks, NULL) ? 0 : 1;
}

int
main(int argc, char **argv)
{
  if (ms_worker_is_one())
    return work();
  g_test_init(&argc, &argv, NULL);
  BATCH_FIXTURE_ADD("isolation/abort", test_abort);
  BATCH_FIXTURE_ADD("isolation/kill", test_kill);
  BATCH_FIXTURE_ADD("isolation/hang", test_hang);
  BATCH_FIXTURE_ADD("isolation/greedy", test_greedy);
  BATCH_FIXTURE_ADD("isolation/waiting-are-no-suspects", test_waiting_are_no_suspects);
  BATCH_FIXTURE_ADD("isolation/one-retry", test_one_retry);
  BATCH_FIXTURE_ADD("isolation/resume", test_resume);
  BATCH_FIXTURE_ADD("isolation/opening", test_opening);
  BATCH_FIXTURE_ADD("isolation/device-given-up", test_device_given_up);
  BATCH_FIXTURE_ADD("isolation/fallback", test_fallback);
  BATCH_FIXTURE_ADD("isolation/fallback-at-opening", test_fallback_at_opening);
  BATCH_FIXTURE_ADD("isolation/cancel-hung", test_cancel_hung);
  BATCH_FIXTURE_ADD("isolation/pipes", test_pipes);
  g_test_add_func("/batch/isolation/spool", test_spool);
  return g_test_run();
}
