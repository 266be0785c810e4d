/* SPDX-License-Identifier: MIT */
#include "tests/batch/isolation-fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/filter/reference.h"

static void
die_without_core(int number)
{
  signal(number, SIG_DFL);
  kill(getpid(), number);
  pause();
}

/*
 * Takes the place of the C library's function: a worker whose environment has AFTER_SAVING is killed when it flushes a
 * folder, which is just after the file has got its name.
 */
int
fsync(int fd)
{
  struct stat info;

  if (g_getenv(AFTER_SAVING) && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode))
    die_without_core(SIGKILL);
  return (int)syscall(SYS_fsync, fd);
}

static void
take_memory_and_wait(void)
{
  g_autofree char *bytes = g_malloc(GREEDY_BYTES);

  memset(bytes, 1, GREEDY_BYTES);
  g_usleep(100 * G_USEC_PER_SEC);
}

static gboolean
is_first(void)
{
  const char *marker = g_getenv(MARKER);

  return !g_file_test(marker, G_FILE_TEST_EXISTS) && g_file_set_contents(marker, "", 0, NULL);
}

static MsImage *
dying_engine_run(gpointer data, MsJob *job, GError **error)
{
  int width = ms_image_get_width(job->source);

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
  if (width == ABORTS_ONCE && is_first())
    die_without_core(SIGABRT);
  return ms_reference_run(job, error);
}

static MsEngineStandIn dying_engine = {.info = {.name = "dying", .platform = "test", .driver = "1", .type = "gpu"},
                                       .run = dying_engine_run};

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
  static MsEngine *opened;

  if (opened)
    return ms_engine_ref(opened);
  if (g_getenv(WORKERS))
    count_worker(g_getenv(WORKERS));
  if (g_getenv(AT_OPENING) && (!g_str_equal(g_getenv(AT_OPENING), ONCE) || is_first()))
    die_without_core(SIGABRT);
  if (g_getenv(DEVICE_TYPE))
    dying_engine.info.type = g_getenv(DEVICE_TYPE);
  opened = ms_engine_new_stand_in(&dying_engine, NULL, NULL);
  return ms_engine_ref(opened);
}

static gboolean
summarise(const MsInspection *rows, gpointer data, GError **error)
{
  rows->item->summary = g_bytes_new(rows->item->input, strlen(rows->item->input) + 1);
  return TRUE;
}

static gboolean
filter_items(MsChannel *channel, GVariant *content, gpointer data)
{
  gboolean on_processor;
  g_autoptr(GPtrArray) items = ms_worker_take_items(content, &on_processor);
  MsBatchRequest request = ms_batch_request_default();
  const MsBatchRun run = {.request = &request, .open = open_engine, .inspect = summarise};

  request.settings.params.sp = 2;
  request.jobs = 3;
  /* As in the program, whose handler cannot end a call of the driver. */
  signal(SIGTERM, SIG_IGN);
  if (on_processor) {
    g_unsetenv(ALWAYS);
    g_unsetenv(AT_OPENING);
  }
  ms_worker_run(channel, items, &run);
  if (g_getenv(LINGERS)) {
    g_usleep(G_USEC_PER_SEC);
    g_file_set_contents(g_getenv(LINGERS), "", 0, NULL);
  }
  return FALSE;
}

static gboolean
open_device(MsChannel *channel, GVariant *content, gpointer data)
{
  g_autoptr(MsEngine) engine = open_engine(NULL, NULL);

  ms_worker_answer_device(channel, engine);
  ms_service_answer_done(channel, 0);
  return TRUE;
}

/** isolation_work: what a test program does as a worker. Returns: its exit status. */
int
isolation_work(void)
{
  static const MsServiceWork work[MS_N_REQUESTS] = {
    [MS_REQUEST_DEVICE] = open_device, [MS_REQUEST_ITEMS] = filter_items};

  return ms_service_serve(NULL, work, NULL);
}

static void
take_event(MsBatchEvent *event, gpointer data)
{
  BatchFixture *f = data;

  f->n_finished += event->kind == MS_BATCH_FINISHED;
  if (event->kind == MS_BATCH_DEVICE)
    g_assert_cmpstr(event->device.name, ==, "dying");
  if (event->kind != MS_BATCH_NOTE)
    return;
  g_assert_nonnull(strstr(event->sentence, "Abort"));
  f->n_progress++;
}

/** isolation_new_supervisor: counts finished items in @n_finished, notes in @n_progress. */
MsSupervisor *
isolation_new_supervisor(BatchFixture *f, double timeout_s)
{
  const MsChildStart start = ms_service_start(MS_SERVICE_ROLE_COMMAND);

  g_clear_pointer(&f->driver, ms_driver_free);
  f->driver = ms_driver_new(&start);
  f->run.event = take_event;
  f->run.event_data = f;
  f->run.cancellable = f->cancellable;
  f->request.limits.wait.silence_s = timeout_s;
  return ms_supervisor_new(&f->run, f->driver, f->falls_back);
}

/** isolation_supervise: runs the items in workers of isolation_new_supervisor(). */
gboolean
isolation_supervise(BatchFixture *f, GPtrArray *items, double timeout_s, GError **error)
{
  g_autoptr(MsSupervisor) supervisor = isolation_new_supervisor(f, timeout_s);

  const gboolean good = ms_supervisor_run(supervisor, items, error);
  g_clear_pointer(&f->driver, ms_driver_free);
  return good;
}
