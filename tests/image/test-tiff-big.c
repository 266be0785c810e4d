/* SPDX-License-Identifier: MIT */
/* BigTIFF: when a file is written so, and a file beyond 4 GiB. */
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/image/image-io.h"
#include "core/image/common/pixel-memory.h"
#include "core/image/tiff.h"
#include "tests/support/fixture.h"

/* BigTIFF from the size on at which a classic file could exceed 4 GiB. */
static void
test_is_big(void)
{
  g_assert_false(ms_tiff_write_is_big(1, 1, 3, 0));
  g_assert_false(ms_tiff_write_is_big(30000, 30000, 4, 0));
  g_assert_true(ms_tiff_write_is_big(33000, 33000, 4, 0));
  g_assert_false(ms_tiff_write_is_big(33000, 33000, 3, 0));
  g_assert_false(ms_tiff_write_is_big(1 << 20, 1000, 4, 0));
  g_assert_true(ms_tiff_write_is_big(1 << 20, 1000, 4, 100 << 20));
  g_assert_true(ms_tiff_write_is_big(1 << 20, 1023, 4, 0));
  g_assert_true(ms_tiff_write_is_big(G_MAXINT, G_MAXINT, 4, 0));
}

/* ---- A file beyond 4 GiB, of transparent black rows, of which the last is marked; zeros take no space on the disk. */

#define BIG_WIDTH (1 << 17)
#define BIG_HEIGHT 8300

static gboolean
write_sparse(MsImageSink *sink, const void *data, gsize size, GError **error)
{
  static const guint8 zeros[4096];
  const guint8 *bytes = data;

  for (gsize done = 0, n; done < size; done += n) {
    n = MIN(sizeof zeros, size - done);
    if (memcmp(bytes + done, zeros, n) == 0)
      g_assert_cmpint(fseek(sink->target, (long)n, SEEK_CUR), ==, 0);
    else
      g_assert_cmpuint(fwrite(bytes + done, 1, n, sink->target), ==, n);
  }
  return TRUE;
}

static gboolean
rewrite_sparse(MsImageSink *sink, guint64 offset, const void *data, gsize size, GError **error)
{
  long end = ftell(sink->target);

  g_assert_cmpint(fseek(sink->target, (long)offset, SEEK_SET), ==, 0);
  g_assert_cmpuint(fwrite(data, 1, size, sink->target), ==, size);
  g_assert_cmpint(fseek(sink->target, end, SEEK_SET), ==, 0);
  return TRUE;
}

static void
write_big(const char *path)
{
  g_autoptr(MsRowWindow) window = ms_row_window_new(BIG_WIDTH, BIG_HEIGHT, NULL);
  g_autoptr(MsImage) image = ms_image_new(BIG_WIDTH, BIG_HEIGHT, ms_row_window_get_bytes(window), NULL);
  MsImageSink sink = {"big", write_sparse, rewrite_sparse, fopen(path, "wb"), NULL};
  MsSaveOptions options = {MS_IMAGE_FORMAT_TIFF, MS_QUALITY_AUTO, 0, FALSE};
  g_autoptr(GError) error = NULL;

  /* Only the last row takes memory. */
  g_assert_true(ms_row_window_hold(window, BIG_HEIGHT, NULL));
  memset(ms_row_window_get_row(window, BIG_HEIGHT - 1), 77, BIG_WIDTH * 4);
  g_assert_true(ms_image_write(image, &sink, &options, NULL, &error));
  g_assert_no_error(error);
  g_assert_cmpint(fclose(sink.target), ==, 0);
}

static void
test_beyond_4_gib(void)
{
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "ms-test-big.tif", NULL);
  g_autofree guint8 *row = g_malloc(BIG_WIDTH * 4);
  MsImageLimits limits = ms_image_limits_default();

  if (ms_fixture_form() < MS_TEST_CI) {
    g_test_skip("writes and reads more than 4 GiB, in CI only");
    return;
  }
  limits.max_pixels *= 2;
  write_big(path);
  g_autoptr(MsImageFile) rows = ms_image_file_open(path, &limits, NULL, NULL);
  g_assert_true(rows && ms_image_file_start_rows(rows, NULL));
  for (int y = 0; y < BIG_HEIGHT; y++)
    g_assert_true(ms_image_file_rows(rows, row, 1, NULL));
  for (int i = 0; i < BIG_WIDTH * 4; i++)
    g_assert_cmpint(row[i], ==, 77);
  g_assert_cmpint(g_remove(path), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tiff-big/is-big", test_is_big);
  g_test_add_func("/tiff-big/beyond-4-gib", test_beyond_4_gib);
  return g_test_run();
}
