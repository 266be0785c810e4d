/* SPDX-License-Identifier: MIT */
/* Recognising formats, and loading images, missing files and other files. */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "tests/image/image-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

/* ---- Recognising formats. */

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
    {"GIF89a", 6, MS_IMAGE_FORMAT_GIF},
    {"\0\0\1\0\1\0", 6, MS_IMAGE_FORMAT_ICO},
    {"\0\0\2\0\1\0", 6, MS_IMAGE_FORMAT_ICO},
    {"\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x20\x08", 18, MS_IMAGE_FORMAT_TGA},
    {"\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x21\x08", 18, MS_IMAGE_FORMAT_AUTO},
    {"\0\0\0\x18"
     "ftypheic",
     12, MS_IMAGE_FORMAT_HEIC},
    {"\0\0\0\x18"
     "ftypavif",
     12, MS_IMAGE_FORMAT_AVIF},
    {"\0\0\0\x18"
     "ftypmp42",
     12, MS_IMAGE_FORMAT_AUTO},
    {"II*\0\010\0\0\0", 8, MS_IMAGE_FORMAT_TIFF},
    {"MM\0*", 4, MS_IMAGE_FORMAT_TIFF},
    {"II+\0", 4, MS_IMAGE_FORMAT_TIFF},
    {"MM\0+", 4, MS_IMAGE_FORMAT_TIFF},
    {"II*", 3, MS_IMAGE_FORMAT_AUTO},
    {"IM\0*", 4, MS_IMAGE_FORMAT_AUTO},
    {"RIFF\1\2\3\4WEBPVP8L", 16, MS_IMAGE_FORMAT_WEBP},
    {"RIFF\1\2\3\4WEB", 11, MS_IMAGE_FORMAT_AUTO},
    {"RIFF\1\2\3\4WAVE", 12, MS_IMAGE_FORMAT_AUTO},
    {"P4 1", 4, MS_IMAGE_FORMAT_PPM},
    {"P7\n", 3, MS_IMAGE_FORMAT_PAM},
    {"BM1234567890AB\x28\0\0\0", 18, MS_IMAGE_FORMAT_BMP},
    {"BM1234567890AB\x40\0\0\0", 18, MS_IMAGE_FORMAT_BMP},
    {"BM1234567890AB\x29\0\0\0", 18, MS_IMAGE_FORMAT_AUTO},
    {"BMW and others have", 19, MS_IMAGE_FORMAT_AUTO},
    {"", 0, MS_IMAGE_FORMAT_AUTO},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    g_assert_cmpint(ms_codec_sniff((const guint8 *)table[i].bytes, table[i].size), ==, table[i].format);
}

static void
test_extensions(void)
{
  g_assert_cmpint(ms_codec_from_path("a.png"), ==, MS_IMAGE_FORMAT_PNG);
  g_assert_cmpint(ms_codec_from_path("/x.y/a.PNG"), ==, MS_IMAGE_FORMAT_PNG);
  g_assert_cmpint(ms_codec_from_path("a.b.jpg"), ==, MS_IMAGE_FORMAT_JPEG);
  g_assert_cmpint(ms_codec_from_path("a.JPEG"), ==, MS_IMAGE_FORMAT_JPEG);
  g_assert_cmpint(ms_codec_from_path("a.Gif"), ==, MS_IMAGE_FORMAT_GIF);
  g_assert_cmpint(ms_codec_for_output("a.gif"), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpstr(ms_codec_result_extension("a.gif"), ==, "png");
  g_assert_cmpint(ms_codec_from_path("x.png/a"), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_codec_from_path("png"), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_codec_from_path("a.tif"), ==, MS_IMAGE_FORMAT_TIFF);
  g_assert_cmpint(ms_codec_from_path("a.TIFF"), ==, MS_IMAGE_FORMAT_TIFF);
  g_assert_cmpint(ms_codec_from_path("a.webp"), ==, MS_IMAGE_FORMAT_WEBP);
  g_assert_cmpint(ms_codec_from_path("a.dib"), ==, MS_IMAGE_FORMAT_BMP);
  g_assert_cmpint(ms_codec_from_path("a.Pbm"), ==, MS_IMAGE_FORMAT_PPM);
  g_assert_cmpint(ms_codec_from_path("a.pam"), ==, MS_IMAGE_FORMAT_PAM);
  g_assert_cmpstr(ms_codec_get(MS_IMAGE_FORMAT_PNG)->extensions[0], ==, "png");
  g_assert_cmpstr(ms_codec_get(MS_IMAGE_FORMAT_JPEG)->extensions[0], ==, "jpg");
  g_assert_null(ms_codec_get(MS_IMAGE_FORMAT_AUTO));
}

/* The rows are complete, stand in the order of the numbers, and no extension or name has two of them. */
static void
test_table(void)
{
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++) {
    g_assert_cmpint(codecs[i].format, ==, MS_IMAGE_FORMAT_PNG + i);
    if (codecs[i].extensions[0])
      g_assert_cmpstr(codecs[i].name, ==, ms_codec_names[i]);
    g_assert_true(ms_codec_get(codecs[i].format) == &codecs[i]);
    g_assert_cmpuint(codecs[i].magics[0].size, >, 0);
    g_assert_nonnull(codecs[i].decoder);
    g_assert_true(codecs[i].encoder ? codecs[i].extensions[0] != NULL : !ms_codec_is_written(&codecs[i]));
    for (guint k = 0; codecs[i].magics[k].size > 0; k++)
      g_assert_cmpuint(codecs[i].magics[k].size, <=, MS_CODEC_MAGIC_SIZE);
    for (guint k = 0; codecs[i].extensions[k]; k++) {
      g_autofree char *path = g_strconcat("x.", codecs[i].extensions[k], NULL);
      g_assert_cmpint(ms_codec_from_path(path), ==, codecs[i].format);
    }
  }
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
    image_fixture_assert_sentence(error, path);
  }
}

static void
test_load_refusals(ImageFixture *self, gconstpointer data)
{
  g_autofree char *empty = g_build_filename(self->folder, "empty.png", NULL);
  g_autofree char *text = g_build_filename(self->folder, "text.jpg", NULL);
  g_autofree char *below = g_build_filename(text, "below", NULL);
  g_autofree char *pipe_path = g_build_filename(self->folder, "pipe", NULL);
  static const char *const devices[] = {"/dev/null", "/dev/zero"};
  MsImageLimits named = ms_image_limits_default();

  named.accepts_streams = TRUE;
  g_assert_true(g_file_set_contents(empty, "", 0, NULL));
  g_assert_true(g_file_set_contents(text, "Dear reader, this is no picture.", -1, NULL));
  assert_not_loaded(self->target, MS_ERROR_IO);
  assert_not_loaded(self->folder, MS_ERROR_IO);
  assert_not_loaded(below, MS_ERROR_IO);
  assert_not_loaded(empty, MS_ERROR_FORMAT);
  assert_not_loaded(text, MS_ERROR_FORMAT);
  /* Devices and pipes are read only where that is asked for. */
  assert_not_loaded("/dev/zero", MS_ERROR_IO);
  for (gsize i = 0; i < G_N_ELEMENTS(devices); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_image_load(devices[i], &named, NULL, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
    image_fixture_assert_sentence(error, devices[i]);
  }
  g_assert_cmpint(mkfifo(pipe_path, 0600), ==, 0);
  assert_not_loaded(pipe_path, MS_ERROR_IO);
  g_assert_true(ms_image_is_stream(pipe_path));
  g_assert_false(ms_image_is_stream(text));
  g_assert_cmpint(g_unlink(pipe_path), ==, 0);
}

static void
test_load_without_permission(ImageFixture *self, gconstpointer data)
{
  g_assert_true(image_fixture_save(self, self->target, FALSE, NULL));
  g_assert_cmpint(g_chmod(self->folder, 0755), ==, 0);
  g_assert_cmpint(g_chmod(self->target, 0), ==, 0);
  if (!image_fixture_become_nobody()) {
    g_test_skip("This root cannot act as another user here, and it may read everything.");
    return;
  }
  assert_not_loaded(self->target, MS_ERROR_IO);
  image_fixture_become_self();
}

static void
test_load_by_content(ImageFixture *self, gconstpointer data)
{
  g_autofree char *wrong = g_build_filename(self->folder, "picture.jpg", NULL);
  MsSaveOptions options = ms_save_options_default();
  MsImageHeader header;
  g_autoptr(GError) error = NULL;

  options.format = MS_IMAGE_FORMAT_PNG;
  g_assert_true(ms_image_save(self->image, wrong, &options, NULL, NULL, &error));
  image_fixture_assert_saved(self, wrong);
  g_assert_true(ms_image_peek_size(wrong, NULL, &header, &error));
  g_assert_cmpint(header.format, ==, MS_IMAGE_FORMAT_PNG);
  g_assert_cmpint(header.width, ==, 120);
  g_assert_cmpint(header.height, ==, 90);
}

static void
test_peek_is_upright(ImageFixture *self, gconstpointer data)
{
  g_autofree char *folder = ms_test_pictures_folder("exif-orientation");

  if (!folder)
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
test_load_pipe(ImageFixture *self, gconstpointer data)
{
  g_autoptr(GBytes) file = ms_test_encode(self->image, MS_IMAGE_FORMAT_PNG);
  int ends[2];
  MsImageLimits named = ms_image_limits_default();
  g_autoptr(GError) error = NULL;

  named.accepts_streams = TRUE;
  g_assert_cmpint(pipe(ends), ==, 0);
  gpointer job[] = {file, GINT_TO_POINTER(ends[1])};
  g_autofree char *path = g_strdup_printf("/dev/fd/%d", ends[0]);
  GThread *feeder = g_thread_new("feeder", feed_pipe, job);
  g_autoptr(MsImage) image = ms_image_load(path, &named, NULL, &error);
  g_thread_join(feeder);
  close(ends[0]);
  g_assert_no_error(error);
  ms_test_assert_same_image(image, self->image);
}

/* The rows of a file that another one has replaced in place would not fit into memory for the first. */
static void
test_changed_file(ImageFixture *self, gconstpointer data)
{
  g_autoptr(MsImage) wider = ms_test_image_smooth(500, 90, NULL);
  g_autoptr(GBytes) before = ms_test_encode(self->image, MS_IMAGE_FORMAT_PNG),
                    after = ms_test_encode(wider, MS_IMAGE_FORMAT_PNG);
  g_autofree guint8 *row = g_malloc((gsize)ms_image_get_width(self->image) * 4);
  g_autoptr(GError) error = NULL;

  g_assert_true(
    g_file_set_contents(self->target, g_bytes_get_data(before, NULL), (gssize)g_bytes_get_size(before), NULL));
  g_autoptr(MsImageFile) file = ms_image_file_open(self->target, NULL, NULL, NULL);
  g_assert_true(ms_image_file_start_rows(file, NULL));
  g_assert_true(ms_image_file_rows(file, row, 1, NULL));
  g_assert_true(g_file_set_contents_full(self->target, g_bytes_get_data(after, NULL), (gssize)g_bytes_get_size(after),
                                         G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_assert_false(ms_image_file_start_rows(file, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
  g_assert_nonnull(strstr(error->message, "was changed"));
  g_clear_error(&error);
  g_assert_null(ms_image_file_load(file, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
}

static void
test_load_cancelled(ImageFixture *self, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();

  g_cancellable_cancel(cancellable);
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);
  for (guint i = 0; i < n; i++) {
    if (!ms_codec_is_written(&codecs[i]))
      continue;
    g_autoptr(GBytes) file = ms_test_encode(self->image, codecs[i].format);
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_image_load_bytes(file, "bytes", NULL, cancellable, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  }
}

void
ms_test_image_load(void)
{
  g_test_add_func("/image-io/sniff", test_sniff);
  g_test_add_func("/image-io/extensions", test_extensions);
  g_test_add_func("/image-io/table", test_table);
  g_test_add_func("/image-io/sample", test_sample);
  IMAGE_FIXTURE_ADD("load-refusals", test_load_refusals);
  IMAGE_FIXTURE_ADD("load-without-permission", test_load_without_permission);
  IMAGE_FIXTURE_ADD("load-by-content", test_load_by_content);
  IMAGE_FIXTURE_ADD("peek-is-upright", test_peek_is_upright);
  IMAGE_FIXTURE_ADD("load-pipe", test_load_pipe);
  IMAGE_FIXTURE_ADD("changed-file", test_changed_file);
  IMAGE_FIXTURE_ADD("load-cancelled", test_load_cancelled);
}
