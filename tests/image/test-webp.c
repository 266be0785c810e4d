/* SPDX-License-Identifier: MIT */
/* WebP: lossless and lossy files, metadata, damage, and the limits of the format. */
#include <string.h>

#include <webp/mux.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/image/format-steps.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

static GBytes *
encode(MsImage *image, int quality, int compression)
{
  MsSaveOptions options = {MS_IMAGE_FORMAT_WEBP, quality, compression, FALSE};
  MsSaveNotes notes = {TRUE, TRUE, TRUE};
  g_autoptr(GError) error = NULL;
  GBytes *file = ms_image_encode(image, &options, &notes, NULL, &error);

  g_assert_no_error(error);
  g_assert_false(notes.alpha_flattened || notes.icc_dropped || notes.exif_dropped);
  return file;
}

/* Without a quality no pixel changes, colours of clear pixels included. */
static void
test_lossless(void)
{
  format_assert_round_trips(MS_IMAGE_FORMAT_WEBP, 16383, 3);
}

static void
test_quality(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(128, 128, 4, TRUE, NULL);
  g_autoptr(MsImage) smooth = ms_test_image_smooth(128, 96, NULL);
  gsize previous = 0;

  for (int quality = 1; quality <= 100; quality += 33) {
    g_autoptr(GBytes) file = encode(image, quality, 3);
    g_autoptr(GBytes) close = encode(smooth, quality, 3);
    g_autoptr(MsImage) again = ms_test_decode(close);
    g_assert_cmpuint(g_bytes_get_size(file), >, previous);
    previous = g_bytes_get_size(file);
    if (quality == 100)
      ms_test_assert_close_image(smooth, again, 6, 1.5);
  }
}

/* Alpha is stored without loss in lossy files too. */
static void
test_lossy_alpha(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(64, 48, 5, FALSE, NULL);
  g_autoptr(GBytes) file = encode(image, 80, 3);
  g_autoptr(MsImage) again = ms_test_decode(file);

  for (gsize i = 3; i < ms_image_get_byte_size(image); i += 4)
    g_assert_cmpuint(ms_image_get_pixels(again)[i], ==, ms_image_get_pixels(image)[i]);
}

static void
test_refuses_long_sides(void)
{
  format_assert_longest_side(MS_IMAGE_FORMAT_WEBP, 16383);
}

/* (transfer full): an animation of two pictures, of which the first lies at @x, @y. */
static GBytes *
animate(GBytes *still, int x, int y)
{
  WebPMuxFrameInfo frame = {
    .bitstream = {g_bytes_get_data(still, NULL), g_bytes_get_size(still)},
    .x_offset = x,
    .y_offset = y,
    .duration = 100,
    .id = WEBP_CHUNK_ANMF,
  };
  WebPMux *mux = WebPMuxNew();
  WebPMuxAnimParams parameters = {0, 0};
  WebPData data = {NULL, 0};

  for (int i = 0; i < 2; i++) {
    g_assert_cmpint(WebPMuxPushFrame(mux, &frame, 1), ==, WEBP_MUX_OK);
    frame.x_offset = frame.y_offset = 0;
  }
  g_assert_cmpint(WebPMuxSetAnimationParams(mux, &parameters), ==, WEBP_MUX_OK);
  g_assert_cmpint(WebPMuxAssemble(mux, &data), ==, WEBP_MUX_OK);
  GBytes *file = g_bytes_new(data.bytes, data.size);
  WebPDataClear(&data);
  WebPMuxDelete(mux);
  return file;
}

/* The first picture is read, also a lossy one with alpha, and where it does not cover the canvas; and that is said. */
static void
test_animations(void)
{
  enum { SIDE = 8, X = 4, Y = 2 };
  g_autoptr(MsImage) image = ms_test_image_random(SIDE, SIDE, 3, FALSE, NULL);

  for (int lossy = 0; lossy < 2; lossy++) {
    g_autoptr(GBytes) still = encode(image, lossy ? 80 : MS_QUALITY_AUTO, 0), file = animate(still, 0, 0);
    g_autoptr(GBytes) beside = animate(still, X, Y);
    g_autoptr(MsImage) expected = ms_test_decode(still), first = ms_test_decode(file), placed = ms_test_decode(beside);
    g_autoptr(MsImageFile) open = ms_image_file_open_bytes(beside, "a.webp", NULL, NULL, NULL);
    const guint8 *pixels = ms_image_get_pixels(placed), *wanted = ms_image_get_pixels(expected), none[4] = {0};
    ms_test_assert_same_image(first, expected);
    g_assert_cmpuint(open->header.n_images, ==, 2);
    g_assert_cmpint(ms_image_get_width(placed), ==, SIDE + X);
    g_assert_cmpint(ms_image_get_height(placed), ==, SIDE + Y);
    for (int y = 0; y < SIDE + Y; y++)
      for (int x = 0; x < SIDE + X; x++, pixels += 4)
        g_assert_cmpmem(pixels, 4, x < X || y < Y ? none : wanted + ((y - Y) * SIDE + x - X) * 4, 4);
  }
}

/* The format has no field for the resolution. */
static void
test_resolution(void)
{
  format_assert_metadata(MS_IMAGE_FORMAT_WEBP, FALSE);
}

/* ---- Damage. */

static void
check_every_length(int quality)
{
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, 3000, 3000);
  g_autoptr(MsImage) image = ms_test_image_random(40, 30, 3, FALSE, metadata);
  g_autoptr(GBytes) file = encode(image, quality, 3);

  ms_test_assert_cut_refused(file, 0, 1);
}

static void
test_every_length(void)
{
  check_every_length(MS_QUALITY_AUTO);
  check_every_length(50);
}

/* The size in the header is that of a file cut short: the container is complete, the image is not. */
static void
test_early_end(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(64, 64, 8, TRUE, NULL);
  g_autoptr(GBytes) file = encode(image, MS_QUALITY_AUTO, 3);
  gsize half = g_bytes_get_size(file) / 2 & ~(gsize)1;
  guint8 *copy = g_memdup2(g_bytes_get_data(file, NULL), half);
  guint32 riff = GUINT32_TO_LE(half - 8);
  guint32 chunk = GUINT32_TO_LE(half - 20);

  memcpy(copy + 4, &riff, 4);
  memcpy(copy + 16, &chunk, 4);
  g_autoptr(GBytes) cut = g_bytes_new_take(copy, half);
  ms_test_assert_refused(cut, MS_ERROR_FORMAT);
}

/* The format has no checksums: a damaged file loads as some image or is refused with a sentence. */
static void
test_every_bit(void)
{
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, 3000, 3000);
  g_autoptr(MsImage) image = ms_test_image_random(9, 8, 3, FALSE, metadata);

  for (int lossy = 0; lossy < 2; lossy++) {
    g_autoptr(GBytes) file = encode(image, lossy ? 50 : MS_QUALITY_AUTO, 3);
    format_flip_every_bit(file, NULL);
  }
}

static void
test_limit(void)
{
  format_assert_pixel_limit(MS_IMAGE_FORMAT_WEBP);
}

void
ms_test_webp(void)
{
  g_test_add_func("/webp/lossless", test_lossless);
  g_test_add_func("/webp/quality", test_quality);
  g_test_add_func("/webp/lossy-alpha", test_lossy_alpha);
  g_test_add_func("/webp/refuses-long-sides", test_refuses_long_sides);
  g_test_add_func("/webp/animations", test_animations);
  g_test_add_func("/webp/resolution", test_resolution);
  g_test_add_func("/webp/every-length", test_every_length);
  g_test_add_func("/webp/early-end", test_early_end);
  g_test_add_func("/webp/every-bit", test_every_bit);
  g_test_add_func("/webp/limit", test_limit);
}
