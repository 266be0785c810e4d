/* SPDX-License-Identifier: MIT */
#include "tests/image/format-steps.h"

#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/support/image-files.h"

static char *
to_hex(MsImage *image)
{
  const guint8 *p = ms_image_get_pixels(image);
  GString *text = g_string_new(NULL);

  for (gsize i = 0; i < ms_image_get_byte_size(image); i += 4)
    g_string_append_printf(text, "%s%02x%02x%02x%02x", i ? " " : "", p[i], p[i + 1], p[i + 2], p[i + 3]);
  return g_string_free(text, FALSE);
}

/** format_assert_pixels: checks a file's header and its @pixels in hexadecimal digits, as a whole and by rows. */
void
format_assert_pixels(GBytes *file, int width, int height, int bits, const char *pixels)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "x", NULL, NULL, &error);

  g_assert_no_error(error);
  g_assert_cmpint(opened->header.bits, ==, bits);
  g_assert_false(opened->header.has_more_images);
  g_autoptr(MsImage) image = ms_image_file_load(opened, &error);
  g_assert_no_error(error);
  g_assert_cmpint(ms_image_get_width(image), ==, width);
  g_assert_cmpint(ms_image_get_height(image), ==, height);
  g_autofree char *hex = to_hex(image);
  g_assert_cmpstr(hex, ==, pixels);
  format_assert_rows(file, image);
}

/** format_assert_rows: checks that the rows of a file, one after another and twice, are those of @image. */
void
format_assert_rows(GBytes *file, MsImage *image)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) rows = ms_image_file_open_bytes(file, "x", NULL, NULL, &error);
  const gsize stride = ms_image_get_stride(image);
  g_autofree guint8 *row = g_malloc(stride);

  g_assert_no_error(error);
  for (int pass = 0; pass < 2; pass++) {
    ms_image_file_start_rows(rows, &error);
    g_assert_no_error(error);
    g_assert_cmpint(rows->header.width, ==, ms_image_get_width(image));
    g_assert_cmpint(rows->header.height, ==, ms_image_get_height(image));
    g_assert_true(rows->has_alpha || !ms_image_has_transparency(image));
    for (int y = 0; y < ms_image_get_height(image); y++) {
      g_assert_true(ms_image_file_rows(rows, row, 1, &error));
      g_assert_cmpmem(row, stride, ms_image_get_pixels(image) + y * stride, stride);
    }
  }
}

static void
assert_round_trip(MsImage *image, const MsCodec *codec, int level)
{
  const MsSaveOptions options = {codec->format, MS_QUALITY_AUTO, level, FALSE};
  MsSaveNotes notes = {TRUE, TRUE, TRUE};
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) file = ms_image_encode(image, &options, &notes, NULL, &error);

  g_assert_no_error(error);
  g_assert_false(notes.alpha_flattened || notes.icc_dropped || notes.exif_dropped);
  g_autoptr(MsImage) again = ms_test_decode(file);
  ms_test_assert_same_image(image, again);
  if (codec->decoder->gives_rows)
    format_assert_rows(file, image);
}

/**
 * format_assert_round_trips: checks that a lossless format gives every pixel back, colours of clear ones included: of
 * small pictures and of lines of @longest pixels, at compression levels up to @most_level.
 */
void
format_assert_round_trips(MsImageFormat format, int longest, int most_level)
{
  const int sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {2, 3}, {17, 31}, {255, 257}, {1, longest}, {longest, 1}};
  const MsCodec *codec = ms_codec_get(format);

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (int opaque = codec->has_alpha ? 0 : 1; opaque < 2; opaque++) {
      g_autoptr(MsImage) image = ms_test_image_random(sizes[i][0], sizes[i][1], 9 + i, opaque, NULL);
      for (int level = 0; level <= most_level; level += 3)
        assert_round_trip(image, codec, level);
    }
}

/**
 * format_assert_metadata: checks that a lossless format keeps a profile and a resolution, and @with_exif that it says
 * that it drops an EXIF block.
 */
void
format_assert_metadata(MsImageFormat format, gboolean with_exif)
{
  guint8 profile[200] = "";
  g_autoptr(GBytes) exif = g_bytes_new_static("II*\0\010\0\0\0\0\0\0\0\0\0", 14);
  MsSaveOptions options = ms_save_options_default();

  memcpy(profile + 16, "RGB ", 4);
  memcpy(profile + 36, "acsp", 4);
  options.format = format;
  for (int opaque = 0; opaque < 2; opaque++) {
    g_autoptr(GBytes) icc = g_bytes_new_static(profile, sizeof profile);
    g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, with_exif ? exif : NULL, 11811, 5906);
    g_autoptr(MsImage) image = ms_test_image_random(5, 3, 1, opaque, metadata);
    g_autoptr(GError) error = NULL;
    MsSaveNotes notes;
    g_autoptr(GBytes) file = ms_image_encode(image, &options, &notes, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(MsImage) again = ms_test_decode(file);
    const MsMetadata *kept = ms_image_get_metadata(again);
    ms_test_assert_same_image(image, again);
    g_assert_true(g_bytes_equal(kept->icc, icc));
    g_assert_cmpuint(kept->x_pixels_per_metre, ==, 11811);
    g_assert_cmpuint(kept->y_pixels_per_metre, ==, 5906);
    g_assert_cmpint(notes.exif_dropped, ==, with_exif);
    g_assert_false(notes.icc_dropped);
  }
}

/** format_assert_longest_side: checks that a picture with a longer side than @longest is refused by that number. */
void
format_assert_longest_side(MsImageFormat format, int longest)
{
  const MsSaveOptions options = {format, MS_QUALITY_AUTO, 3, FALSE};
  g_autofree char *number = g_strdup_printf("%d", longest);

  for (int i = 0; i < 2; i++) {
    g_autoptr(MsImage) image = ms_test_image_smooth(i == 0 ? longest + 1 : 1, i == 0 ? 1 : longest + 1, NULL);
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_image_encode(image, &options, NULL, NULL, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
    g_assert_nonnull(strstr(error->message, number));
  }
}

/** format_assert_pixel_limit: checks that a file is read up to the number of pixels that is allowed. */
void
format_assert_pixel_limit(MsImageFormat format)
{
  g_autoptr(MsImage) image = ms_test_image_random(100, 10, 1, TRUE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, format);
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;

  limits.max_pixels = 1000;
  g_autoptr(MsImage) fits = ms_image_load_bytes(file, "fits", &limits, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(fits);
  limits.max_pixels = 999;
  g_assert_null(ms_image_load_bytes(file, "does-not", &limits, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
}

/* (transfer full) (nullable): the picture in a file, or none where it is refused with a sentence that names it. */
static MsImage *
load_or_refuse(GBytes *file, gboolean accept_damaged)
{
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;

  limits.max_pixels = 1000000;
  limits.accept_damaged = accept_damaged;
  MsImage *image = ms_image_load_bytes(file, "the-file", &limits, NULL, &error);
  g_assert_true((image == NULL) == (error != NULL));
  g_assert_true(!error || (error->domain == MS_ERROR && strstr(error->message, "'the-file'")));
  return image;
}

/**
 * format_flip_every_bit: loads a file with each bit inverted, as it is and accepting damage, as some image or refused
 * with a sentence; @on_loaded (nullable) gets what was loaded.
 *
 * Returns: how many of these files are refused where damage is not accepted
 */
guint
format_flip_every_bit(GBytes *file, void (*on_loaded)(MsImage *image))
{
  gsize size;
  const guint8 *data = g_bytes_get_data(file, &size);
  guint refused = 0;

  for (gsize bit = 0; bit < size * 8; bit++) {
    guint8 *copy = g_memdup2(data, size);
    copy[bit / 8] ^= 1 << bit % 8;
    g_autoptr(GBytes) broken = g_bytes_new_take(copy, size);
    g_autoptr(MsImage) loaded = load_or_refuse(broken, FALSE);
    g_autoptr(MsImage) accepted = load_or_refuse(broken, TRUE);
    if (loaded && on_loaded)
      on_loaded(loaded);
    refused += loaded ? 0 : 1;
  }
  return refused;
}
