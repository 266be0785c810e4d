/* SPDX-License-Identifier: MIT */
/*
 * Pipes, sockets and devices where files are expected, and an output folder that is replaced: each is made after the
 * plan, so that only what is asked at the moment of opening can see it. The oracle is the system: what a pipe was given
 * is what its reader finds, and a folder that nobody may write into stays empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/file.h"
#include "core/image/file/atomic-file.h"
#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

static void
make_socket(const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

  g_assert_cmpuint(g_strlcpy(address.sun_path, path, sizeof address.sun_path), <, sizeof address.sun_path);
  g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
  close(fd);
}

static void
make_pipe(const char *path)
{
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
}

static void
make_link_to_device(const char *path)
{
  g_assert_cmpint(symlink("/dev/zero", path), ==, 0);
}

static const struct {
  const char *name;
  void (*make)(const char *path);
} others[] = {{"pipe", make_pipe}, {"socket", make_socket}, {"link to a device", make_link_to_device}};

static void
assert_refused(const MsBatchItem *item, const char *what)
{
  g_test_message("%s: %s", what, item->error);
  g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(item->error, "pipe, socket or device"));
}

/* A named input that was a file when the batch was planned is none when its turn comes; the other one is filtered. */
static void
test_input_in_mid_batch(BatchFixture *f, gconstpointer data)
{
  batch_fixture_add_picture(f, "b.png", 6, 5);
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    g_autofree char *path = g_build_filename(f->in, "a.png", NULL);
    batch_fixture_add_picture(f, "a.png", 5, 5);
    f->request.on_conflict = MS_CONFLICT_OVERWRITE;
    f->n_finished = 0;
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    g_assert_cmpint(g_unlink(path), ==, 0);
    others[i].make(path);
    batch_fixture_run_good(f, items);
    assert_refused(batch_fixture_item(items, 0), others[i].name);
    g_assert_cmpint(batch_fixture_item(items, 1)->status, ==, MS_ITEM_DONE);
    g_assert_cmpint(g_unlink(path), ==, 0);
  }
}

/* The name of an output is taken by something else after the plan, whether it may be replaced or not, also where links
 * are followed. */
static void
test_output_in_mid_batch(BatchFixture *f, gconstpointer data)
{
  g_autofree char *path = batch_fixture_out_path(f, "a.png");
  static const MsConflict conflicts[] = {MS_CONFLICT_FAIL, MS_CONFLICT_OVERWRITE};

  batch_fixture_add_picture(f, "a.png", 5, 5);
  batch_fixture_add_picture(f, "b.png", 6, 5);
  for (guint i = 0; i < 2 * G_N_ELEMENTS(others); i++) {
    f->request.follow_links = i % 2;
    /* A link in the folder is replaced like a file, and then nothing is written through it. */
    if (others[i / 2].make == make_link_to_device && !f->request.follow_links)
      continue;
    for (gsize k = 0; k < G_N_ELEMENTS(conflicts); k++) {
      f->request.on_conflict = conflicts[k];
      f->n_finished = 0;
      g_autofree char *other = batch_fixture_out_path(f, "b.png");
      g_unlink(other);
      g_autoptr(GPtrArray) items = batch_fixture_plan(f);
      others[i / 2].make(path);
      batch_fixture_run_good(f, items);
      assert_refused(batch_fixture_item(items, 0), others[i / 2].name);
      g_assert_cmpint(batch_fixture_item(items, 1)->status, ==, MS_ITEM_DONE);
      g_assert_cmpint(g_unlink(path), ==, 0);
    }
  }
}

/* The plan refuses what is there already, and takes another name only where it may. */
static void
test_output_before_the_plan(BatchFixture *f, gconstpointer data)
{
  g_autofree char *path = batch_fixture_out_path(f, "a.png");
  static const MsConflict conflicts[] = {MS_CONFLICT_FAIL, MS_CONFLICT_OVERWRITE, MS_CONFLICT_SKIP};

  batch_fixture_add_picture(f, "a.png", 5, 5);
  make_pipe(path);
  for (gsize k = 0; k < G_N_ELEMENTS(conflicts); k++) {
    f->request.on_conflict = conflicts[k];
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    assert_refused(batch_fixture_item(items, 0), "planned");
  }
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  batch_fixture_assert_output(f, batch_fixture_item(items, 0), "a-1.png");
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_DONE);
}

/* Replaces the folder of the outputs by a link to another one, or by another folder. */
static void
replace_folder(BatchFixture *f, const char *moved, const char *elsewhere)
{
  g_assert_cmpint(g_rename(f->out, moved), ==, 0);
  if (elsewhere)
    g_assert_cmpint(symlink(elsewhere, f->out), ==, 0);
  else
    g_assert_cmpint(g_mkdir(f->out, 0700), ==, 0);
}

typedef struct {
  BatchFixture *fixture;
  const char *moved;
  const char *elsewhere;
  gboolean replaced;
} Swap;

static MsEngine *
open_engine(gpointer data, GError **error)
{
  return ms_engine_ref(((Swap *)data)->fixture->engine->base);
}

static void
swap_after_first(MsBatchEvent *event, gpointer data)
{
  Swap *swap = data;

  if (event->kind != MS_BATCH_FINISHED || swap->replaced)
    return;
  replace_folder(swap->fixture, swap->moved, swap->elsewhere);
  swap->replaced = TRUE;
}

static guint
count_entries(const char *path)
{
  g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
  guint n = 0;

  while (folder && g_dir_read_name(folder))
    n++;
  return n;
}

/* After the first picture is done nothing else appears where the folder leads to, and each picture says why. */
static void
test_folder_is_replaced(BatchFixture *f, gconstpointer data)
{
  g_autofree char *elsewhere = g_build_filename(f->folder, "elsewhere", NULL);

  for (guint i = 0; i < 5; i++) {
    g_autofree char *name = g_strdup_printf("%u.png", i);
    batch_fixture_add_picture(f, name, 5, 5);
  }
  g_assert_cmpint(g_mkdir(elsewhere, 0700), ==, 0);
  for (guint i = 0; i < 4; i++) {
    g_autofree char *moved = g_strdup_printf("%s/moved-%u", f->folder, i);
    Swap swap = {f, moved, i / 2 ? elsewhere : NULL, FALSE};
    const MsBatchRun own = {
      .request = &f->request, .open = open_engine, .event = swap_after_first, .data = &swap, .event_data = &swap};
    g_autoptr(GError) error = NULL;
    f->request.follow_links = i % 2;
    f->request.jobs = 1;
    g_autoptr(GPtrArray) items = batch_fixture_plan(f);
    g_assert_true(ms_runner_run(items, &own, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(ms_batch_count(items).done, ==, 1);
    g_assert_cmpuint(ms_batch_count(items).failed, ==, items->len - 1);
    g_assert_nonnull(strstr(batch_fixture_item(items, 4)->error, "was replaced by another"));
    g_assert_cmpuint(count_entries(elsewhere), ==, 0);
    g_assert_cmpuint(count_entries(moved), ==, 1);
    g_assert_cmpuint(count_entries(f->out), ==, 0);
    g_assert_cmpint(g_remove(f->out), ==, 0);
    g_assert_cmpint(g_mkdir(f->out, 0700), ==, 0);
  }
}

/* A manifest that is a pipe when it is begun, texts of the program's own, and a socket as a named output. */
static void
test_other_files(BatchFixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename(f->folder, "other", NULL);

  for (gsize i = 0; i < 2; i++) {
    g_autoptr(GError) error = NULL, unread = NULL;
    g_autoptr(MsManifest) manifest = ms_manifest_load(path, &error);
    g_assert_no_error(error);
    others[i].make(path);
    g_assert_false(ms_manifest_begin(manifest, &error));
    g_assert_nonnull(error);
    g_assert_null(ms_file_text_load(path, 100, NULL, &unread));
    g_assert_nonnull(strstr(unread->message, "pipe, socket or device"));
    if (others[i].make == make_socket) {
      g_autoptr(GError) unwritten = NULL;
      g_assert_null(ms_atomic_file_open(path, TRUE, NULL, &unwritten));
      g_assert_nonnull(strstr(unwritten->message, "pipe, socket or device"));
    }
    g_assert_cmpint(g_unlink(path), ==, 0);
  }
}

/* A pipe that was named is waited for no longer than allowed, whether it has no writer or a silent one. */
static void
test_silent_pipe(BatchFixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename(f->folder, "pipe", NULL);
  const MsStreamWait wait = {.silence_s = 0.01};
  char byte = 0;

  make_pipe(path);
  for (guint has_writer = 0; has_writer < 2; has_writer++) {
    g_autoptr(GError) error = NULL;
    const int fd = ms_file_open(path, TRUE), writer = has_writer ? open(path, O_WRONLY | O_NONBLOCK) : -1;
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(ms_stream_read(fd, &byte, 1, &wait, NULL, &error), ==, -1);
    g_assert_error(error, MS_ERROR, MS_ERROR_TIMEOUT);
    g_assert_nonnull(strstr(error->message, has_writer ? "gave or took no byte" : "No program opened the pipe"));
    if (has_writer) {
      g_assert_cmpint(write(writer, "x", 1), ==, 1);
      g_assert_cmpint(ms_stream_read(fd, &byte, 1, &wait, NULL, NULL), ==, 1);
      close(writer);
      g_assert_cmpint(ms_stream_read(fd, &byte, 1, &wait, NULL, NULL), ==, 0);
    }
    close(fd);
  }
  g_autoptr(GError) error = NULL;
  g_assert_null(ms_atomic_file_open_waiting(path, TRUE, &wait, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TIMEOUT);
}

void
ms_test_batch_streams(void)
{
  BATCH_FIXTURE_ADD("streams/input-in-mid-batch", test_input_in_mid_batch);
  BATCH_FIXTURE_ADD("streams/output-in-mid-batch", test_output_in_mid_batch);
  BATCH_FIXTURE_ADD("streams/output-before-the-plan", test_output_before_the_plan);
  BATCH_FIXTURE_ADD("streams/folder-is-replaced", test_folder_is_replaced);
  BATCH_FIXTURE_ADD("streams/other-files", test_other_files);
  BATCH_FIXTURE_ADD("streams/silent-pipe", test_silent_pipe);
}
