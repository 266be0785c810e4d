/* SPDX-License-Identifier: MIT */
/* Pipes as inputs and outputs of a batch in worker processes. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/batch/stream-spool.h"
#include "core/image/common/pixel-memory.h"
#include "tests/batch/isolation-fixture.h"

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
  isolation_supervise(f, items, 0, &error);
  g_thread_join(writer);
  g_thread_join(reader);
  g_assert_no_error(error);
  g_assert_cmpstr(batch_fixture_item(items, 0)->error, ==, NULL);
  g_assert_true(ms_note_is_only(batch_fixture_item(items, 0)->notes, MS_NOTE_RETRIED));

  f->inputs[0] = f->in;
  f->request.output = f->out;
  g_autoptr(GPtrArray) again = batch_fixture_plan(f);
  isolation_supervise(f, again, 0, &error);
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

void
ms_test_batch_pipes(void)
{
  BATCH_FIXTURE_ADD("pipes/second-attempt", test_pipes);
  g_test_add_func("/batch/pipes/spool", test_spool);
}
