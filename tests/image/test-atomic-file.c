/* SPDX-License-Identifier: MIT */
/* Atomic saves on a failing disk and on limited file systems: wrappers of C library functions fail on demand. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/error.h"
#include "core/image/file/atomic-file.h"
#include "tests/support/image-files.h"

#define CONTENT_SIZE 1000000

/* The errno of each call that fails; 0 for none. */
static struct {
  int access;
  int write;
  gsize write_after;
  int fsync;
  int rename;
  int renameat2;
  int link;
  int fsync_calls;
} fault;

static int
fail(int code)
{
  errno = code;
  return -1;
}

int
access(const char *path, int mode)
{
  return fault.access ? fail(fault.access) : (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

ssize_t
write(int fd, const void *data, size_t size)
{
  if (fault.write != 0 && fd > STDERR_FILENO) {
    if (fault.write_after < size)
      return fail(fault.write);
    fault.write_after -= size;
  }
  return syscall(SYS_write, fd, data, size);
}

int
fsync(int fd)
{
  fault.fsync_calls++;
  return fault.fsync ? fail(fault.fsync) : (int)syscall(SYS_fsync, fd);
}

int
renameat(int from_folder, const char *from, int to_folder, const char *to)
{
  return fault.rename ? fail(fault.rename) : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int
renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags)
{
  return fault.renameat2 ? fail(fault.renameat2) : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

/* Unnamed files, which are linked through /proc, do not depend on hard links. */
int
linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
  if (fault.link && !(flags & AT_SYMLINK_FOLLOW))
    return fail(fault.link);
  return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

typedef struct {
  char *folder;
  char *target;
  char *content;
} Fixture;

static void
set_up(Fixture *self, gconstpointer data)
{
  self->folder = ms_test_folder_new();
  self->target = g_build_filename(self->folder, "target", NULL);
  self->content = g_strnfill(CONTENT_SIZE, 'm');
}

static void
tear_down(Fixture *self, gconstpointer data)
{
  memset(&fault, 0, sizeof fault);
  g_free(self->content);
  g_free(self->target);
  ms_test_folder_remove(self->folder);
}

/* In pieces smaller and larger than any buffer. */
static gboolean
write_content(Fixture *self, MsAtomicFile *file, GError **error)
{
  gsize at = 0;

  for (gsize n = 1; at < CONTENT_SIZE; n *= 7) {
    gsize piece = MIN(n, CONTENT_SIZE - at);
    if (!ms_atomic_file_write(file, self->content + at, piece, error))
      return FALSE;
    at += piece;
  }
  return TRUE;
}

static gboolean
put(Fixture *self, gboolean overwrite, GError **error)
{
  g_autoptr(MsAtomicFile) file = ms_atomic_file_open(self->target, overwrite, NULL, error);

  return file && write_content(self, file, error) && ms_atomic_file_commit(file, error);
}

static void
assert_content(Fixture *self, const char *expected)
{
  g_autofree char *content = NULL;
  gsize size;

  g_assert_true(g_file_get_contents(self->target, &content, &size, NULL));
  g_assert_cmpuint(size, ==, strlen(expected));
  g_assert_true(strcmp(content, expected) == 0);
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 1);
}

/* Saves a new file, refuses an existing one and replaces one, on a file system limited by @fault. */
static void
check_all_ways(Fixture *self)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(put(self, FALSE, &error));
  g_assert_no_error(error);
  assert_content(self, self->content);
  g_assert_true(g_file_set_contents(self->target, "old", -1, NULL));
  g_assert_false(put(self, FALSE, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  g_clear_error(&error);
  assert_content(self, "old");
  g_assert_true(put(self, TRUE, &error));
  g_assert_no_error(error);
  assert_content(self, self->content);
}

static void
test_this_file_system(Fixture *self, gconstpointer data)
{
  check_all_ways(self);
  /* The file and its folder, for each of the two that were written. */
  g_assert_cmpint(fault.fsync_calls, >=, 4);
}

/* A file that replaces another has its permissions, whatever the umask gives to a new one. */
static void
test_permissions(Fixture *self, gconstpointer data)
{
  struct stat info;

  for (int nameless = 0; nameless < 2; nameless++) {
    fault.access = nameless ? 0 : ENOENT;
    g_assert_true(g_file_set_contents(self->target, "old", -1, NULL));
    g_assert_cmpint(g_chmod(self->target, 0604), ==, 0);
    g_assert_true(put(self, TRUE, NULL));
    g_assert_cmpint(g_stat(self->target, &info), ==, 0);
    g_assert_cmpint(info.st_mode & 0777, ==, 0604);
  }
}

static void
test_no_nameless_files(Fixture *self, gconstpointer data)
{
  fault.access = ENOENT;
  check_all_ways(self);
}

static void
test_no_exclusive_rename(Fixture *self, gconstpointer data)
{
  fault.access = ENOENT;
  fault.renameat2 = EINVAL;
  check_all_ways(self);
}

static void
test_no_links_either(Fixture *self, gconstpointer data)
{
  fault.access = ENOENT;
  fault.renameat2 = ENOSYS;
  fault.link = EPERM;
  check_all_ways(self);
}

/* A file created between opening and committing stays, whichever calls the file system supports. */
static void
test_overtaken(Fixture *self, gconstpointer data)
{
  for (int ways = 0; ways < 4; ways++) {
    g_autoptr(GError) error = NULL;
    fault.access = ways >= 1 ? ENOENT : 0;
    fault.renameat2 = ways >= 2 ? EINVAL : 0;
    fault.link = ways >= 3 ? EPERM : 0;
    g_autoptr(MsAtomicFile) file = ms_atomic_file_open(self->target, FALSE, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(write_content(self, file, &error));
    int faults[] = {fault.access, fault.renameat2, fault.link};
    memset(&fault, 0, sizeof fault);
    g_assert_true(g_file_set_contents(self->target, "theirs", -1, NULL));
    fault.access = faults[0];
    fault.renameat2 = faults[1];
    fault.link = faults[2];
    g_assert_false(ms_atomic_file_commit(file, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
    g_clear_pointer(&file, ms_atomic_file_free);
    assert_content(self, "theirs");
    g_assert_cmpint(g_remove(self->target), ==, 0);
  }
}

static void
assert_fails_cleanly(Fixture *self, const char *words)
{
  for (int named = 0; named < 2; named++) {
    g_autoptr(GError) error = NULL;
    gsize room = fault.write_after;
    fault.access = named ? ENOENT : 0;
    g_assert_false(put(self, TRUE, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_IO);
    g_assert_nonnull(strstr(error->message, self->target));
    g_assert_nonnull(strstr(error->message, words));
    fault.write_after = room;
    assert_content(self, "old");
  }
}

static void
test_disk_full(Fixture *self, gconstpointer data)
{
  g_assert_true(g_file_set_contents(self->target, "old", -1, NULL));
  for (gsize room = 0; room < CONTENT_SIZE; room += CONTENT_SIZE / 5) {
    fault.write = ENOSPC;
    fault.write_after = room;
    assert_fails_cleanly(self, "disk is full");
  }
  fault.write = EIO;
  assert_fails_cleanly(self, g_strerror(EIO));
}

static void
test_late_failures(Fixture *self, gconstpointer data)
{
  g_assert_true(g_file_set_contents(self->target, "old", -1, NULL));
  fault.fsync = EDQUOT;
  assert_fails_cleanly(self, "disk is full");
  fault.fsync = EIO;
  assert_fails_cleanly(self, g_strerror(EIO));
  fault.fsync = 0;
  fault.rename = EROFS;
  assert_fails_cleanly(self, "permission");
}

/* Saving succeeds on file systems that cannot sync. */
static void
test_no_sync(Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  fault.fsync = EINVAL;
  g_assert_true(put(self, FALSE, &error));
  g_assert_no_error(error);
  assert_content(self, self->content);
}

/* A file that is never committed never appears. */
static void
test_given_up(Fixture *self, gconstpointer data)
{
  for (int named = 0; named < 2; named++) {
    fault.access = named ? ENOENT : 0;
    g_autoptr(MsAtomicFile) file = ms_atomic_file_open(self->target, FALSE, NULL, NULL);
    g_assert_true(write_content(self, file, NULL));
    g_clear_pointer(&file, ms_atomic_file_free);
    g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 0);
  }
}

static void
add(const char *path, void (*test)(Fixture *self, gconstpointer data))
{
  g_test_add(path, Fixture, NULL, set_up, test, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("/atomic-file/this-file-system", test_this_file_system);
  add("/atomic-file/permissions", test_permissions);
  add("/atomic-file/no-nameless-files", test_no_nameless_files);
  add("/atomic-file/no-exclusive-rename", test_no_exclusive_rename);
  add("/atomic-file/no-links-either", test_no_links_either);
  add("/atomic-file/overtaken", test_overtaken);
  add("/atomic-file/disk-full", test_disk_full);
  add("/atomic-file/late-failures", test_late_failures);
  add("/atomic-file/no-sync", test_no_sync);
  add("/atomic-file/given-up", test_given_up);
  return g_test_run();
}
