/* SPDX-License-Identifier: MIT */
/* A save is complete or absent, whatever the disk, the folder and concurrent saves do. */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/image/image-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

/* Saving to @path fails with @code and leaves @entries in the folder. */
static void
assert_not_saved(ImageFixture *self, const char *path, int code, guint entries)
{
  for (int overwrite = 0; overwrite < 2; overwrite++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(image_fixture_save(self, path, overwrite, &error));
    g_assert_error(error, MS_ERROR, code);
    image_fixture_assert_sentence(error, path);
    g_assert_cmpuint(ms_test_folder_count(self->folder), ==, entries);
  }
}

static void
test_save_is_encode(ImageFixture *self, gconstpointer data)
{
  guint n, saved = 0;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++) {
    if (!ms_codec_is_written(&codecs[i]))
      continue;
    g_autofree char *name = g_strconcat("a.", codecs[i].extensions[0], NULL);
    g_autofree char *path = g_build_filename(self->folder, name, NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *content = NULL;
    gsize size;
    g_assert_true(image_fixture_save(self, path, FALSE, &error));
    g_autoptr(GBytes) file = ms_test_encode(self->image, codecs[i].format);
    saved++;
    g_assert_true(g_file_get_contents(path, &content, &size, NULL));
    g_assert_cmpmem(content, size, g_bytes_get_data(file, NULL), g_bytes_get_size(file));
  }
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, saved);
}

static void
test_save_refusals(ImageFixture *self, gconstpointer data)
{
  g_autofree char *nowhere = g_build_filename(self->folder, "no", "such", "folder.png", NULL);
  g_autofree char *nameless = g_build_filename(self->folder, "picture", NULL);
  g_autofree char *other = g_build_filename(self->folder, "picture.gif", NULL);
  g_autofree char *name = g_strnfill(300, 'x');
  g_autofree char *too_long = g_strconcat(self->folder, "/", name, ".png", NULL);
  g_autofree char *folder = g_build_filename(self->folder, "folder.png", NULL);

  assert_not_saved(self, nowhere, MS_ERROR_IO, 0);
  assert_not_saved(self, nameless, MS_ERROR_USAGE, 0);
  assert_not_saved(self, other, MS_ERROR_USAGE, 0);
  assert_not_saved(self, too_long, MS_ERROR_IO, 0);
  g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
  assert_not_saved(self, folder, MS_ERROR_IO, 1);
}

static void
test_save_options_checked(ImageFixture *self, gconstpointer data)
{
  static const MsSaveOptions wrong[] = {
    {MS_IMAGE_FORMAT_JPEG, 0, 3, TRUE},
    {MS_IMAGE_FORMAT_JPEG, 101, 3, TRUE},
    {MS_IMAGE_FORMAT_PNG, 92, -1, TRUE},
    {MS_IMAGE_FORMAT_PNG, 92, 10, TRUE},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_image_save(self->image, self->target, &wrong[i], NULL, NULL, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  }
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 0);
}

static void
test_save_read_only_folder(ImageFixture *self, gconstpointer data)
{
  g_assert_cmpint(g_chmod(self->folder, 0555), ==, 0);
  if (!image_fixture_become_nobody()) {
    g_test_skip("This root cannot act as another user here, and it may write everywhere.");
    return;
  }
  assert_not_saved(self, self->target, MS_ERROR_IO, 0);
  image_fixture_become_self();
  g_assert_cmpint(g_chmod(self->folder, 0700), ==, 0);
}

static void
test_save_keeps_existing(ImageFixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *content = NULL;

  g_assert_true(g_file_set_contents(self->target, "precious", -1, NULL));
  g_assert_false(image_fixture_save(self, self->target, FALSE, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  image_fixture_assert_sentence(error, self->target);
  g_assert_true(g_file_get_contents(self->target, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, "precious");
  g_clear_error(&error);
  g_assert_true(image_fixture_save(self, self->target, TRUE, &error));
  image_fixture_assert_saved(self, self->target);
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 1);
}

static mode_t
mode_of(const char *path)
{
  struct stat info;

  g_assert_cmpint(lstat(path, &info), ==, 0);
  return info.st_mode;
}

static void
test_save_permissions(ImageFixture *self, gconstpointer data)
{
  mode_t mask = umask(027);

  g_assert_true(image_fixture_save(self, self->target, FALSE, NULL));
  umask(mask);
  g_assert_cmpint(mode_of(self->target) & 0777, ==, 0640);
  g_assert_cmpint(g_chmod(self->target, 0604), ==, 0);
  g_assert_true(image_fixture_save(self, self->target, TRUE, NULL));
  g_assert_cmpint(mode_of(self->target) & 0777, ==, 0604);
}

static void
test_save_through_link(ImageFixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename(self->folder, "link.png", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(symlink("picture.png", path), ==, 0);
  g_assert_true(g_file_set_contents(self->target, "old", -1, NULL));
  g_assert_false(image_fixture_save(self, path, FALSE, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  g_assert_true(image_fixture_save(self, path, TRUE, NULL));
  g_assert_true(S_ISLNK(mode_of(path)));
  g_assert_true(S_ISREG(mode_of(self->target)));
  image_fixture_assert_saved(self, self->target);
}

/* Devices are written to, never replaced. */
static void
test_save_to_device(ImageFixture *self, gconstpointer data)
{
  MsSaveOptions options = ms_save_options_default();
  g_autoptr(GError) error = NULL;

  options.format = MS_IMAGE_FORMAT_PNG;
  for (options.overwrite = 0; options.overwrite < 2; options.overwrite++) {
    g_assert_true(ms_image_save(self->image, "/dev/null", &options, NULL, NULL, &error));
    g_assert_no_error(error);
    g_assert_true(S_ISCHR(mode_of("/dev/null")));
    g_assert_false(ms_image_save(self->image, "/dev/full", &options, NULL, NULL, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_IO);
    g_assert_nonnull(strstr(error->message, "disk is full"));
    g_assert_true(S_ISCHR(mode_of("/dev/full")));
    g_clear_error(&error);
  }
}

/* Writing stops somewhere in the middle, at every size of file up to the whole. */
static void
test_save_disk_full(ImageFixture *self, gconstpointer data)
{
  g_autoptr(GBytes) file = ms_test_encode(self->image, MS_IMAGE_FORMAT_PNG);
  gsize size = g_bytes_get_size(file);
  struct rlimit old;

  signal(SIGXFSZ, SIG_IGN);
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
  for (gsize room = 0; room < size; room += size / 7) {
    struct rlimit limit = {room, old.rlim_max};
    g_autoptr(GError) fresh = NULL;
    g_autoptr(GError) over = NULL;
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
    gboolean saved = image_fixture_save(self, self->target, FALSE, &fresh);
    saved = image_fixture_save(self, self->target, TRUE, &over) || saved;
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
    g_assert_false(saved);
    g_assert_error(fresh, MS_ERROR, MS_ERROR_IO);
    g_assert_error(over, MS_ERROR, MS_ERROR_IO);
    image_fixture_assert_sentence(over, self->target);
    g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 0);
  }
  signal(SIGXFSZ, SIG_DFL);
  g_assert_true(image_fixture_save(self, self->target, FALSE, NULL));
}

static void
test_save_cancelled(ImageFixture *self, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  g_cancellable_cancel(cancellable);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strconcat("a.", codecs[i].extensions[0], NULL);
    g_autofree char *path = g_build_filename(self->folder, name, NULL);
    g_autoptr(GError) error = NULL;
    if (!ms_codec_is_written(&codecs[i]))
      continue;
    g_assert_false(ms_image_save(self->image, path, NULL, NULL, cancellable, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  }
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 0);
}

/* ---- Several at once. */

#define RIVALS 8

static gpointer
save_without_overwriting(gpointer data)
{
  ImageFixture *self = data;
  g_autoptr(GError) error = NULL;

  if (image_fixture_save(self, self->target, FALSE, &error))
    return GINT_TO_POINTER(1);
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  return NULL;
}

static void
test_save_race(ImageFixture *self, gconstpointer data)
{
  GThread *rivals[RIVALS];

  for (int round = 0; round < 20; round++) {
    int winners = 0;
    for (int i = 0; i < RIVALS; i++)
      rivals[i] = g_thread_new("rival", save_without_overwriting, self);
    for (int i = 0; i < RIVALS; i++)
      winners += GPOINTER_TO_INT(g_thread_join(rivals[i]));
    g_assert_cmpint(winners, ==, 1);
    g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 1);
    image_fixture_assert_saved(self, self->target);
    g_assert_cmpint(g_remove(self->target), ==, 0);
  }
}

static gpointer
save_again_and_again(gpointer data)
{
  ImageFixture *self = data;

  for (int i = 0; i < 50; i++)
    g_assert_true(image_fixture_save(self, self->target, TRUE, NULL));
  return NULL;
}

/* A reader sees the old or the new file during a save, never a part. */
static void
test_reader_sees_whole_files(ImageFixture *self, gconstpointer data)
{
  GThread *writers[2];

  g_assert_true(image_fixture_save(self, self->target, FALSE, NULL));
  for (int i = 0; i < 2; i++)
    writers[i] = g_thread_new("writer", save_again_and_again, self);
  for (int i = 0; i < 200; i++)
    image_fixture_assert_saved(self, self->target);
  for (int i = 0; i < 2; i++)
    g_thread_join(writers[i]);
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 1);
}

void
ms_test_image_save(void)
{
  IMAGE_FIXTURE_ADD("save-is-encode", test_save_is_encode);
  IMAGE_FIXTURE_ADD("save-refusals", test_save_refusals);
  IMAGE_FIXTURE_ADD("save-options-checked", test_save_options_checked);
  IMAGE_FIXTURE_ADD("save-read-only-folder", test_save_read_only_folder);
  IMAGE_FIXTURE_ADD("save-keeps-existing", test_save_keeps_existing);
  IMAGE_FIXTURE_ADD("save-permissions", test_save_permissions);
  IMAGE_FIXTURE_ADD("save-through-link", test_save_through_link);
  IMAGE_FIXTURE_ADD("save-to-device", test_save_to_device);
  IMAGE_FIXTURE_ADD("save-disk-full", test_save_disk_full);
  IMAGE_FIXTURE_ADD("save-cancelled", test_save_cancelled);
  IMAGE_FIXTURE_ADD("save-race", test_save_race);
  IMAGE_FIXTURE_ADD("reader-sees-whole-files", test_reader_sees_whole_files);
}
