/* SPDX-License-Identifier: MIT */
/* PNM and PAM: reading of every type of bytes, with comments, depths, several images and damage, and writing. */
#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "tests/image/format-steps.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

/* A literal as the content of a file, with its NUL bytes but the last. */
#define FILE_OF(text) g_bytes_new_static((text), sizeof(text) - 1)
#define ROW(text) (text), sizeof(text) - 1

typedef struct {
  const char *file;
  gsize size;
  int width;
  int height;
  int bits;
  const char *pixels;
} Sample;

/* Pixels in hexadecimal digits, by the description of each format. */
static const Sample samples[] = {
  {ROW("P4 9 1\n\x80\x80"), 9, 1, 1,
   "000000ff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 000000ff"},
  {ROW("P5 2 1 # of two\n15\n\0\x08"), 2, 1, 4, "000000ff 888888ff"},
  {ROW("P5\r\n2\r1\t255 \x01\xfe"), 2, 1, 8, "010101ff fefefeff"},
  {ROW("P5 2 1 65535\n\x80\x7f\x12\x34"), 2, 1, 16, "808080ff 121212ff"},
  {ROW("P5 2 1 1000#no more\n\x01\xf4\x03\xe8"), 2, 1, 10, "808080ff ffffffff"},
  {ROW("P6 1 2 255\nabcdef"), 1, 2, 8, "616263ff 646566ff"},
  {ROW("P6 #here\n#and here\n1#there\n2 255\nabcdef"), 1, 2, 8, "616263ff 646566ff"},
  {ROW("P6 1 1 511\n\x01\xff\x00\xff\x00\x00"), 1, 1, 9, "ff7f00ff"},
  {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\x01"), 1, 1, 1, "ffffffff"},
  {ROW("P7\n# any\n\nHEIGHT 1\nWIDTH 2\nMAXVAL 255\nDEPTH 2\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nabcd"), 2, 1, 8,
   "61616162 63636364"},
  {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nENDHDR\nabc"), 1, 1, 8, "616263ff"},
  {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n\xff\xff\x80\x80\x00\x00\x01\x01"), 1,
   1, 16, "ff800001"},
};

static void
test_kinds(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(samples); i++) {
    const Sample *sample = &samples[i];
    g_autoptr(GBytes) file = g_bytes_new_static(sample->file, sample->size);
    format_assert_pixels(file, sample->width, sample->height, sample->bits, sample->pixels);
  }
}

/* To the nearest of 256 levels, for every value. */
static void
test_sixteen_bits(void)
{
  g_autoptr(GByteArray) content = g_byte_array_new();

  g_byte_array_append(content, (const guint8 *)"P5 256 256 65535\n", 17);
  for (guint i = 0; i < 65536; i++) {
    const guint8 sample[] = {(guint8)(i >> 8), (guint8)i};
    g_byte_array_append(content, sample, 2);
  }
  g_autoptr(GBytes) file = g_byte_array_free_to_bytes(g_steal_pointer(&content));
  g_autoptr(MsImage) image = ms_test_decode(file);
  for (guint i = 0; i < 65536; i++)
    g_assert_cmpuint(ms_image_get_pixels(image)[4 * i], ==, (i * 2 + 257) / 514);
}

/* The first image of a stream is read, and it is said that there are more. */
static void
test_several_images(void)
{
  static const struct {
    const char *text;
    gsize size;
    gboolean more;
  } table[] = {
    {ROW("P6 1 1 255\nabcP6 1 1 255\ndef"), TRUE},
    {ROW("P4 8 1\n\1P7\n"), TRUE},
    {ROW("P6 1 1 255\nabc\n"), FALSE},
    {ROW("P6 1 1 255\nabcP"), FALSE},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(GBytes) bytes = g_bytes_new_static(table[i].text, table[i].size);
    g_autoptr(MsImageFile) file = ms_image_file_open_bytes(bytes, "x", NULL, NULL, NULL);
    g_assert_cmpint(file->header.has_more_images, ==, table[i].more);
    g_autoptr(MsImage) image = ms_test_decode(bytes);
    g_assert_cmpint(ms_image_get_width(image), ==, i == 1 ? 8 : 1);
  }
}

static void
test_hostile(void)
{
  static const struct {
    const char *text;
    gsize size;
  } table[] = {
    {ROW("P6 ")},
    {ROW("P6 #without end")},
    {ROW("P6 1")},
    {ROW("P6 1 1")},
    {ROW("P6 1 1 255")},
    {ROW("P6 0 1 255\n")},
    {ROW("P6 1 0 255\n")},
    {ROW("P6 1 1 0\nabc")},
    {ROW("P6 1 1 65536\nabcdef")},
    {ROW("P6 -1 1 255\nabc")},
    {ROW("P6 +1 1 255\nabc")},
    {ROW("P6 0x1 1 255\nabc")},
    {ROW("P6 1x1 1 255\nabc")},
    {ROW("P6 2147483648 1 255\nabc")},
    {ROW("P6 4294967297 1 255\nabc")},
    {ROW("P6 18446744073709551617 1 255\nabc")},
    {ROW("P6 1 1 255\nab")},
    {ROW("P5 1 1 100\ne")},
    {ROW("P5 1 1 1000\n\x03\xe9")},
    {ROW("P7\nENDHDR\n")},
    {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\n")},
    {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nENDHDR\nabc")},
    {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nabcde")},
    {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\nabcd")},
    {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabc")},
    {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 65536\nENDHDR\nabcabc")},
    {ROW("P7\nWIDTH\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nENDHDR\nabc")},
    {ROW("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nCOLOUR 1\nENDHDR\nabc")},
    {ROW("P7\nWIDTH 2147483647\nHEIGHT 1\nDEPTH 2147483647\nMAXVAL 255\nENDHDR\nabc")},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(GBytes) file = g_bytes_new_static(table[i].text, table[i].size);
    ms_test_assert_refused(file, MS_ERROR_FORMAT);
  }
}

/* Maps as text, with the command that converts them. */
static void
test_text_is_refused(void)
{
  static const char *const files[] = {"P1 1 1\n1", "P2 1 1 15\n1", "P3 1 1 255 1 2 3"};

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) file = g_bytes_new_static(files[i], strlen(files[i]));
    g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "x", NULL, NULL, &error);
    g_assert_null(opened);
    g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
    g_assert_nonnull(strstr(error->message, "magick FILE"));
  }
}

/* A header that claims much is refused before memory is taken for it. */
static void
test_absurd_sizes(void)
{
  g_autoptr(GBytes) promised = FILE_OF("P6 30000 30000 255\nabc");
  g_autoptr(GBytes) large = FILE_OF("P5 2147483647 2147483647 65535\n");
  g_autoptr(GByteArray) line = g_byte_array_new();

  ms_test_assert_refused(promised, MS_ERROR_FORMAT);
  ms_test_assert_refused(large, MS_ERROR_TOO_LARGE);
  g_byte_array_append(line, (const guint8 *)"P7\n", 3);
  for (int i = 0; i < 100000; i++)
    g_byte_array_append(line, (const guint8 *)"A", 1);
  g_autoptr(GBytes) endless = g_byte_array_free_to_bytes(g_steal_pointer(&line));
  ms_test_assert_refused(endless, MS_ERROR_FORMAT);
}

/* Letters at the start of a text are no image. */
static void
test_texts_are_no_images(void)
{
  g_assert_cmpint(ms_codec_sniff((const guint8 *)"P6x", 3), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_codec_sniff((const guint8 *)"P8 ", 3), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_codec_sniff((const guint8 *)"P6", 2), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_codec_sniff((const guint8 *)"P1\r", 3), ==, MS_IMAGE_FORMAT_PPM);
}

static void
test_every_length(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(samples); i++) {
    /* Digits and what follows the last number may be missing. */
    if (samples[i].file[1] <= '3')
      continue;
    g_autoptr(GBytes) file = g_bytes_new_static(samples[i].file, samples[i].size);
    ms_test_assert_cut_refused(file, 0, 1);
  }
}

/* ---- Writing. */

static void
test_round_trips(void)
{
  format_assert_round_trips(MS_IMAGE_FORMAT_PAM, 70000, 0);
  format_assert_round_trips(MS_IMAGE_FORMAT_PPM, 70000, 0);
}

static void
assert_file(MsImage *image, MsImageFormat format, GBytes *wanted, const MsSaveNotes *lost)
{
  MsSaveOptions options = ms_save_options_default();
  MsSaveNotes notes = {FALSE};
  g_autoptr(GError) error = NULL;

  options.format = format;
  g_autoptr(GBytes) file = ms_image_encode(image, &options, &notes, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(g_bytes_get_data(file, NULL), g_bytes_get_size(file), g_bytes_get_data(wanted, NULL),
                  g_bytes_get_size(wanted));
  g_assert_cmpint(notes.alpha_flattened, ==, lost->alpha_flattened);
  g_assert_cmpint(notes.icc_dropped, ==, lost->icc_dropped);
  g_assert_cmpint(notes.exif_dropped, ==, lost->exif_dropped);
}

/* Files are compared byte by byte, and notes name what a format cannot store. */
static void
test_files(void)
{
  static const guint8 half[] = {0, 100, 255, 51, 1, 2, 3, 255};
  static const guint8 opaque[] = {0, 100, 255, 255, 1, 2, 3, 255};
  g_autoptr(GBytes) profile = g_bytes_new_static("profile", 7);
  g_autoptr(GBytes) exif = g_bytes_new_static("II*\0\010\0\0\0\0\0\0\0\0\0", 14);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(profile, exif, 0, 0);
  g_autoptr(GBytes) half_pixels = g_bytes_new_static(half, sizeof half);
  g_autoptr(GBytes) opaque_pixels = g_bytes_new_static(opaque, sizeof opaque);
  g_autoptr(MsImage) clear = ms_image_new(2, 1, half_pixels, NULL);
  g_autoptr(MsImage) solid = ms_image_new(1, 2, opaque_pixels, metadata);
  g_autoptr(GBytes) flat = FILE_OF("P6\n2 1\n255\n\xcc\xe0\xff\1\2\3");
  g_autoptr(GBytes) kept =
    FILE_OF("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\0d\xff\x33\1\2\3\xff");
  g_autoptr(GBytes) plain = FILE_OF("P6\n1 2\n255\n\0d\xff\1\2\3");

  assert_file(clear, MS_IMAGE_FORMAT_PPM, flat, &(MsSaveNotes){.alpha_flattened = TRUE});
  assert_file(clear, MS_IMAGE_FORMAT_PAM, kept, &(MsSaveNotes){FALSE});
  assert_file(solid, MS_IMAGE_FORMAT_PPM, plain, &(MsSaveNotes){.icc_dropped = TRUE, .exif_dropped = TRUE});
}

/* Files of greys and bits are read; results have colours, and the name of a pixmap. */
static void
test_names(void)
{
  g_assert_cmpint(ms_codec_from_path("a.pgm"), ==, MS_IMAGE_FORMAT_PPM);
  g_assert_cmpint(ms_codec_for_output("a.pgm"), ==, MS_IMAGE_FORMAT_AUTO);
  g_assert_cmpint(ms_codec_for_output("a.pnm"), ==, MS_IMAGE_FORMAT_PPM);
  g_assert_cmpstr(ms_codec_result_extension("a.PGM"), ==, "ppm");
  g_assert_cmpstr(ms_codec_result_extension("a.PNM"), ==, "PNM");
  g_assert_cmpstr(ms_codec_result_extension("a.xyz"), ==, "png");
}

void
ms_test_pnm(void)
{
  g_test_add_func("/pnm/kinds", test_kinds);
  g_test_add_func("/pnm/sixteen-bits", test_sixteen_bits);
  g_test_add_func("/pnm/several-images", test_several_images);
  g_test_add_func("/pnm/hostile", test_hostile);
  g_test_add_func("/pnm/absurd-sizes", test_absurd_sizes);
  g_test_add_func("/pnm/text-is-refused", test_text_is_refused);
  g_test_add_func("/pnm/texts-are-no-images", test_texts_are_no_images);
  g_test_add_func("/pnm/every-length", test_every_length);
  g_test_add_func("/pnm/round-trips", test_round_trips);
  g_test_add_func("/pnm/files", test_files);
  g_test_add_func("/pnm/names", test_names);
}
