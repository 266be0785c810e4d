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
  if (g_getenv(WORKERS))
    count_worker(g_getenv(WORKERS));
  if (g_getenv(AT_OPENING) && (!g_str_equal(g_getenv(AT_OPENING), ONCE) || is_first()))
    die_without_core(SIGABRT);
  if (g_getenv(DEVICE_TYPE))
    dying_engine.info.type = g_getenv(DEVICE_TYPE);
  return ms_engine_new_stand_in(&dying_engine, NULL, NULL);
}

static gboolean
summarise(const MsInspection *rows, gpointer data, GError **error)
{
  rows->item->summary = g_bytes_new(rows->item->input, strlen(rows->item->input) + 1);
  return TRUE;
}

/** isolation_work: what a test program does as a worker. Returns: its exit status. */
int
isolation_work(void)
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
  const gboolean good = ms_worker_run(&options, &hooks, NULL, NULL);
  if (g_getenv(LINGERS)) {
    g_usleep(G_USEC_PER_SEC);
    g_file_set_contents(g_getenv(LINGERS), "", 0, NULL);
  }
  return good ? 0 : 1;
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

/** isolation_supervise: runs the items in workers; counts finished items in @n_finished, notes in @n_progress. */
gboolean
isolation_supervise(BatchFixture *f, GPtrArray *items, double timeout_s, GError **error)
{
  MsSupervisorOptions supervision = {.runner = &f->options,
                                     .memory_limit = f->options.memory_limit,
                                     .falls_back = f->falls_back,
                                     .note = count_note,
                                     .device = remember_device};
  MsRunnerHooks hooks = {.finished = count_finished, .data = f};

  f->options.timeout_s = timeout_s;
  return ms_supervisor_run(items, &supervision, &hooks, f->cancellable, error);
}
