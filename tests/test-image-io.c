/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/error.h"
#include "tests/image-files.h"

/* ---- Every test works in a folder of its own. */

typedef struct {
  char *folder;
  char *target;
  MsImage *image;
} Fixture;

static void
set_up(Fixture *self, gconstpointer data)
{
  self->folder = ms_test_folder_new();
  self->target = g_build_filename(self->folder, "picture.png", NULL);
  self->image = ms_test_image_random(120, 90, 42, FALSE, NULL);
}

static void
tear_down(Fixture *self, gconstpointer data)
{
  g_object_unref(self->image);
  g_free(self->target);
  ms_test_folder_remove(self->folder);
}

static gboolean
save(Fixture *self, const char *path, gboolean overwrite, GError **error)
{
  MsSaveOptions options = ms_save_options_default();

  options.overwrite = overwrite;
  return ms_image_save(self->image, path, &options, NULL, NULL, error);
}

static void
assert_saved(Fixture *self, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) again = ms_image_load(path, NULL, NULL, &error);

  g_assert_no_error(error);
  ms_test_assert_same_image(again, self->image);
}

static void
assert_sentence(const GError *error, const char *path)
{
  g_autofree char *name = g_strdup_printf("'%s'", path);

  g_assert_nonnull(error);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, name));
  g_assert_true(g_str_has_suffix(error->message, "."));
  g_assert_null(strchr(error->message, '\n'));
}

/* Saving to @path fails with @code and leaves @entries in the folder. */
static void
assert_not_saved(Fixture *self, const char *path, int code, guint entries)
{
  for (int overwrite = 0; overwrite < 2; overwrite++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(save(self, path, overwrite, &error));
    g_assert_error(error, MS_ERROR, code);
    assert_sentence(error, path);
    g_assert_cmpuint(ms_test_folder_count(self->folder), ==, entries);
  }
}

/* Permissions mean nothing to root, so that root plays nobody for a while. */
#define NOBODY 65534

static gboolean
become_nobody(void)
{
  return geteuid() != 0 || seteuid(NOBODY) == 0;
}

static void
become_self(void)
{
  g_assert_cmpint(seteuid(getuid()), ==, 0);
}

/* ---- Telling formats apart. */

static void
test_sniff(void)
{
  static const struct {
    const char *bytes;
    gsize size;
    MsImageFormat format;
  } table[] = {
      {"\x89PNG\r\n\x1a\n", 8, MS_IMAGE_FORMAT_PNG},
      {"\x89PNG\n\x1a\n", 7, MS_IMAGE_FORMAT_PNG},
      {"\xff\xd8\xff\xe0", 4, MS_IMAGE_FORMAT_JPEG},
      {"\xff\xd8", 2, MS_IMAGE_FORMAT_JPEG},
      {"\xff\xd8x", 3, MS_IMAGE_FORMAT_AUTO},
      {"\xff", 1, MS_IMAGE_FORMAT_AUTO},
      {"\x89PN", 3, MS_IMAGE_FORMAT_AUTO},
      {"GIF89a", 6, MS_IMAGE_FORMAT_AUTO},
      {"", 0, MS_IMAGE_FORMAT_AUTO},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    g_assert_cmpint(ms_image_sniff((const guint8 *)table[i].bytes, table[i].size), ==, table[i].format);
}

static void
test_extensions(void)
{
  g_assert_cmpint(ms_image_format_from_path("a.png"), ==, MS_IMAGE_FORMAT_PNG);
  g_assert_cmpint(ms_image_format_from_path("/x.y/a.PNG"), ==, MS_IMAGE_FORMAT_PNG);
  g_assert_cmpint(ms_image_format_from_path("a.b.jpg"), ==, MS_IMAGE_FORMAT_JPEG);
  g_assert_cmpint(ms_image_format_from_path("a.JPEG"), ==, MS_IMAGE_FORMAT_JPEG);
  g_assert_cmpint(ms_image_format_from_path("a.gif"), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_image_format_from_path("x.png/a"), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_image_format_from_path("png"), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpstr(ms_image_format_extension(MS_IMAGE_FORMAT_PNG), ==, "png");
  g_assert_cmpstr(ms_image_format_extension(MS_IMAGE_FORMAT_JPEG), ==, "jpg");
  g_assert_null(ms_image_format_extension(MS_IMAGE_FORMAT_AUTO));
}

/* ---- Loading. */

static void
assert_not_loaded(const char *path, int code)
{
  MsImageHeader header;

  for (int peek = 0; peek < 2; peek++) {
    g_autoptr(GError) error = NULL;
    if (peek)
      g_assert_false(ms_image_peek_size(path, NULL, &header, &error));
    else
      g_assert_null(ms_image_load(path, NULL, NULL, &error));
    g_assert_error(error, MS_ERROR, code);
    assert_sentence(error, path);
  }
}

static void
test_load_refusals(Fixture *self, gconstpointer data)
{
  g_autofree char *empty = g_build_filename(self->folder, "empty.png", NULL);
  g_autofree char *text = g_build_filename(self->folder, "text.jpg", NULL);
  g_autofree char *below = g_build_filename(text, "below", NULL);

  g_assert_true(g_file_set_contents(empty, "", 0, NULL));
  g_assert_true(g_file_set_contents(text, "Dear reader, this is no picture.", -1, NULL));
  assert_not_loaded(self->target, MS_ERROR_IO);
  assert_not_loaded(self->folder, MS_ERROR_IO);
  assert_not_loaded(below, MS_ERROR_IO);
  assert_not_loaded(empty, MS_ERROR_FORMAT);
  assert_not_loaded(text, MS_ERROR_FORMAT);
  assert_not_loaded("/dev/null", MS_ERROR_FORMAT);
  assert_not_loaded("/dev/zero", MS_ERROR_FORMAT);
}

static void
test_load_without_permission(Fixture *self, gconstpointer data)
{
  g_assert_true(save(self, self->target, FALSE, NULL));
  g_assert_cmpint(g_chmod(self->folder, 0755), ==, 0);
  g_assert_cmpint(g_chmod(self->target, 0), ==, 0);
  if (!become_nobody()) {
    g_test_skip("This root cannot act as another user here, and it may read everything.");
    return;
  }
  assert_not_loaded(self->target, MS_ERROR_IO);
  become_self();
}

static void
test_load_by_content(Fixture *self, gconstpointer data)
{
  g_autofree char *wrong = g_build_filename(self->folder, "picture.jpg", NULL);
  MsSaveOptions options = ms_save_options_default();
  MsImageHeader header;
  g_autoptr(GError) error = NULL;

  options.format = MS_IMAGE_FORMAT_PNG;
  g_assert_true(ms_image_save(self->image, wrong, &options, NULL, NULL, &error));
  assert_saved(self, wrong);
  g_assert_true(ms_image_peek_size(wrong, NULL, &header, &error));
  g_assert_cmpint(header.format, ==, MS_IMAGE_FORMAT_PNG);
  g_assert_cmpint(header.width, ==, 120);
  g_assert_cmpint(header.height, ==, 90);
}

static void
test_peek_is_upright(Fixture *self, gconstpointer data)
{
  g_autofree char *folder = ms_test_pictures_folder("exif-orientation");

  if (folder == NULL)
    return;
  g_autoptr(GPtrArray) paths = ms_test_list_files(folder, ".jpg");
  for (guint i = 0; i < paths->len; i++) {
    MsImageHeader header;
    g_autoptr(GError) error = NULL;
    g_assert_true(ms_image_peek_size(g_ptr_array_index(paths, i), NULL, &header, &error));
    g_assert_cmpint(header.format, ==, MS_IMAGE_FORMAT_JPEG);
    g_assert_cmpint(header.width, ==, 1800);
    g_assert_cmpint(header.height, ==, 1200);
  }
}

static void
test_sample(void)
{
  const char *root = g_getenv("MS_SOURCE_ROOT");
  g_autoptr(GError) error = NULL;

  g_assert_nonnull(root);
  g_autofree char *path = g_build_filename(root, "data", "samples", "harbour.png", NULL);
  g_autoptr(MsImage) image = ms_image_load(path, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpint(ms_image_get_width(image), ==, 640);
  g_assert_cmpint(ms_image_get_height(image), ==, 480);
  g_assert_false(ms_image_has_transparency(image));
}

static gpointer
feed_pipe(gpointer data)
{
  GBytes *file = ((gpointer *)data)[0];
  int fd = GPOINTER_TO_INT(((gpointer *)data)[1]);
  gsize size;
  const guint8 *p = g_bytes_get_data(file, &size);

  /* In odd pieces, the first of a single byte. */
  for (gsize at = 0, n = 1; at < size; at += n, n = MIN(1 + n * 3, size - at))
    g_assert_cmpint(write(fd, p + at, MIN(n, size - at)), ==, MIN(n, size - at));
  close(fd);
  return NULL;
}

static void
test_load_pipe(Fixture *self, gconstpointer data)
{
  g_autoptr(GBytes) file = ms_test_encode(self->image, MS_IMAGE_FORMAT_PNG);
  int ends[2];
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(pipe(ends), ==, 0);
  gpointer job[] = {file, GINT_TO_POINTER(ends[1])};
  GThread *feeder = g_thread_new("feeder", feed_pipe, job);
  g_autoptr(MsImage) image = ms_image_load_fd(ends[0], "standard input", NULL, NULL, &error);
  g_thread_join(feeder);
  close(ends[0]);
  g_assert_no_error(error);
  ms_test_assert_same_image(image, self->image);
}

static void
test_load_cancelled(Fixture *self, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();

  g_cancellable_cancel(cancellable);
  for (int f = MS_IMAGE_FORMAT_PNG; f <= MS_IMAGE_FORMAT_JPEG; f++) {
    g_autoptr(GBytes) file = ms_test_encode(self->image, f);
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_image_load_bytes(file, "bytes", NULL, cancellable, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  }
}

/* ---- Saving. */

static void
test_save_is_encode(Fixture *self, gconstpointer data)
{
  static const char *const names[] = {NULL, "a.png", "a.jpg"};

  for (int f = MS_IMAGE_FORMAT_PNG; f <= MS_IMAGE_FORMAT_JPEG; f++) {
    g_autofree char *path = g_build_filename(self->folder, names[f], NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *content = NULL;
    gsize size;
    g_assert_true(save(self, path, FALSE, &error));
    g_autoptr(GBytes) file = ms_test_encode(self->image, f);
    g_assert_true(g_file_get_contents(path, &content, &size, NULL));
    g_assert_cmpmem(content, size, g_bytes_get_data(file, NULL), g_bytes_get_size(file));
  }
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 2);
}

static void
test_save_refusals(Fixture *self, gconstpointer data)
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
test_save_options_checked(Fixture *self, gconstpointer data)
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
test_save_read_only_folder(Fixture *self, gconstpointer data)
{
  g_assert_cmpint(g_chmod(self->folder, 0555), ==, 0);
  if (!become_nobody()) {
    g_test_skip("This root cannot act as another user here, and it may write everywhere.");
    return;
  }
  assert_not_saved(self, self->target, MS_ERROR_IO, 0);
  become_self();
  g_assert_cmpint(g_chmod(self->folder, 0700), ==, 0);
}

static void
test_save_keeps_existing(Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *content = NULL;

  g_assert_true(g_file_set_contents(self->target, "precious", -1, NULL));
  g_assert_false(save(self, self->target, FALSE, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  assert_sentence(error, self->target);
  g_assert_true(g_file_get_contents(self->target, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, "precious");
  g_clear_error(&error);
  g_assert_true(save(self, self->target, TRUE, &error));
  assert_saved(self, self->target);
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
test_save_permissions(Fixture *self, gconstpointer data)
{
  mode_t mask = umask(027);

  g_assert_true(save(self, self->target, FALSE, NULL));
  umask(mask);
  g_assert_cmpint(mode_of(self->target) & 0777, ==, 0640);
  g_assert_cmpint(g_chmod(self->target, 0604), ==, 0);
  g_assert_true(save(self, self->target, TRUE, NULL));
  g_assert_cmpint(mode_of(self->target) & 0777, ==, 0604);
}

static void
test_save_through_link(Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename(self->folder, "link.png", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(symlink("picture.png", path), ==, 0);
  g_assert_true(g_file_set_contents(self->target, "old", -1, NULL));
  g_assert_false(save(self, path, FALSE, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  g_assert_true(save(self, path, TRUE, NULL));
  g_assert_true(S_ISLNK(mode_of(path)));
  g_assert_true(S_ISREG(mode_of(self->target)));
  assert_saved(self, self->target);
}

/* Devices are written to, never replaced. */
static void
test_save_to_device(Fixture *self, gconstpointer data)
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
test_save_disk_full(Fixture *self, gconstpointer data)
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
    gboolean saved = save(self, self->target, FALSE, &fresh);
    saved = save(self, self->target, TRUE, &over) || saved;
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
    g_assert_false(saved);
    g_assert_error(fresh, MS_ERROR, MS_ERROR_IO);
    g_assert_error(over, MS_ERROR, MS_ERROR_IO);
    assert_sentence(over, self->target);
    g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 0);
  }
  g_assert_true(save(self, self->target, FALSE, NULL));
}

static void
test_save_cancelled(Fixture *self, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autofree char *jpeg = g_build_filename(self->folder, "a.jpg", NULL);
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel(cancellable);
  g_assert_false(ms_image_save(self->image, self->target, NULL, NULL, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error(&error);
  g_assert_false(ms_image_save(self->image, jpeg, NULL, NULL, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 0);
}

/* ---- Several at once. */

#define RIVALS 8

static gpointer
save_without_overwriting(gpointer data)
{
  Fixture *self = data;
  g_autoptr(GError) error = NULL;

  if (save(self, self->target, FALSE, &error))
    return GINT_TO_POINTER(1);
  g_assert_error(error, MS_ERROR, MS_ERROR_EXISTS);
  return NULL;
}

static void
test_save_race(Fixture *self, gconstpointer data)
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
    assert_saved(self, self->target);
    g_assert_cmpint(g_remove(self->target), ==, 0);
  }
}

static gpointer
save_again_and_again(gpointer data)
{
  Fixture *self = data;

  for (int i = 0; i < 50; i++)
    g_assert_true(save(self, self->target, TRUE, NULL));
  return NULL;
}

/* Who reads while another writes sees the old file or the new one, never a part. */
static void
test_reader_sees_whole_files(Fixture *self, gconstpointer data)
{
  GThread *writers[2];

  g_assert_true(save(self, self->target, FALSE, NULL));
  for (int i = 0; i < 2; i++)
    writers[i] = g_thread_new("writer", save_again_and_again, self);
  for (int i = 0; i < 200; i++)
    assert_saved(self, self->target);
  for (int i = 0; i < 2; i++)
    g_thread_join(writers[i]);
  g_assert_cmpuint(ms_test_folder_count(self->folder), ==, 1);
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
  g_test_add_func("/image-io/sniff", test_sniff);
  g_test_add_func("/image-io/extensions", test_extensions);
  g_test_add_func("/image-io/sample", test_sample);
  add("/image-io/load-refusals", test_load_refusals);
  add("/image-io/load-without-permission", test_load_without_permission);
  add("/image-io/load-by-content", test_load_by_content);
  add("/image-io/peek-is-upright", test_peek_is_upright);
  add("/image-io/load-pipe", test_load_pipe);
  add("/image-io/load-cancelled", test_load_cancelled);
  add("/image-io/save-is-encode", test_save_is_encode);
  add("/image-io/save-refusals", test_save_refusals);
  add("/image-io/save-options-checked", test_save_options_checked);
  add("/image-io/save-read-only-folder", test_save_read_only_folder);
  add("/image-io/save-keeps-existing", test_save_keeps_existing);
  add("/image-io/save-permissions", test_save_permissions);
  add("/image-io/save-through-link", test_save_through_link);
  add("/image-io/save-to-device", test_save_to_device);
  add("/image-io/save-disk-full", test_save_disk_full);
  add("/image-io/save-cancelled", test_save_cancelled);
  add("/image-io/save-race", test_save_race);
  add("/image-io/reader-sees-whole-files", test_reader_sees_whole_files);
  return g_test_run();
}
