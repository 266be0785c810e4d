/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "core/error.h"
#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "tests/image/format-steps.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

#define SIDE_X 67
#define SIDE_Y 45

/* ---- Files of every colour space, written by libjpeg. */

typedef struct {
  J_COLOR_SPACE given;  /* what the samples are */
  J_COLOR_SPACE stored; /* what the file holds */
  gboolean adobe;       /* with Adobe's marker */
  gboolean progressive;
  int restart_rows;
  int chroma; /* sampling factor of the first component */
} Kind;

typedef void (*Configure)(struct jpeg_compress_struct *cinfo, gconstpointer data);

static GBytes *
compress(const guint8 *samples, int width, int height, int components, J_COLOR_SPACE given, Configure configure,
         gconstpointer data)
{
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  unsigned char *memory = NULL;
  unsigned long size = 0;

  cinfo.err = jpeg_std_error(&errors);
  jpeg_create_compress(&cinfo);
  jpeg_mem_dest(&cinfo, &memory, &size);
  cinfo.image_width = width;
  cinfo.image_height = height;
  cinfo.input_components = components;
  cinfo.in_color_space = given;
  jpeg_set_defaults(&cinfo);
  jpeg_set_quality(&cinfo, 100, TRUE);
  configure(&cinfo, data);
  jpeg_start_compress(&cinfo, TRUE);
  while (cinfo.next_scanline < cinfo.image_height) {
    JSAMPROW row = (JSAMPROW)samples + (gsize)cinfo.next_scanline * width * components;
    jpeg_write_scanlines(&cinfo, &row, 1);
  }
  jpeg_finish_compress(&cinfo);
  jpeg_destroy_compress(&cinfo);
  GBytes *file = g_bytes_new(memory, size);
  free(memory);
  return file;
}

static void
configure_kind(struct jpeg_compress_struct *cinfo, gconstpointer data)
{
  const Kind *kind = data;

  jpeg_set_colorspace(cinfo, kind->stored);
  cinfo->comp_info[0].h_samp_factor = cinfo->comp_info[0].v_samp_factor = kind->chroma;
  cinfo->write_Adobe_marker = kind->adobe;
  cinfo->restart_in_rows = kind->restart_rows;
  if (kind->progressive)
    jpeg_simple_progression(cinfo);
}

/* What the samples look like as RGB; those of CMYK are light, with Adobe's marker and without. */
static void
expected_pixel(const Kind *kind, const guint8 *s, guint8 *rgba)
{
  for (int k = 0; k < 3; k++) {
    if (kind->given == JCS_GRAYSCALE)
      rgba[k] = s[0];
    else if (kind->given == JCS_CMYK)
      rgba[k] = (guint8)(s[k] * s[3] / 255.0 + 0.5);
    else
      rgba[k] = s[k];
  }
  rgba[3] = 255;
}

static void
check_kind(const Kind *kind)
{
  int components = kind->given == JCS_GRAYSCALE ? 1 : kind->given == JCS_CMYK ? 4 : 3;
  guint8 samples[SIDE_X * SIDE_Y * 4];
  guint8 *pixels = g_malloc(SIDE_X * SIDE_Y * 4);
  guint8 *s = samples;

  for (int y = 0; y < SIDE_Y; y++)
    for (int x = 0; x < SIDE_X; x++, s += components) {
      const guint8 all[4] = {20 + 3 * x, 240 - 4 * y, 60 + x + y, 130 + 2 * y};
      memcpy(s, all, components);
      expected_pixel(kind, s, pixels + (y * SIDE_X + x) * 4);
    }
  g_test_message("given %d, stored %d, Adobe %d, progressive %d", kind->given, kind->stored, kind->adobe,
                 kind->progressive);
  g_autoptr(GBytes) file = compress(samples, SIDE_X, SIDE_Y, components, kind->given, configure_kind, kind);
  g_autoptr(MsImage) expected = ms_image_new_take(SIDE_X, SIDE_Y, pixels, NULL);
  g_autoptr(MsImage) image = ms_test_decode(file);
  ms_test_assert_close_image(image, expected, kind->chroma > 1 ? 8 : MS_TEST_MOST_LEVELS,
                             kind->chroma > 1 ? 2 : MS_TEST_MEAN);
}

static void
test_kinds(void)
{
  static const Kind kinds[] = {
    {JCS_GRAYSCALE, JCS_GRAYSCALE, FALSE, FALSE, 0, 1},
    {JCS_GRAYSCALE, JCS_GRAYSCALE, FALSE, FALSE, 0, 2},
    {JCS_GRAYSCALE, JCS_GRAYSCALE, FALSE, TRUE, 0, 1},
    {JCS_RGB, JCS_YCbCr, FALSE, FALSE, 0, 1},
    {JCS_RGB, JCS_YCbCr, FALSE, FALSE, 2, 1},
    {JCS_RGB, JCS_YCbCr, FALSE, TRUE, 0, 1},
    {JCS_RGB, JCS_YCbCr, TRUE, FALSE, 0, 1},
    {JCS_RGB, JCS_YCbCr, FALSE, FALSE, 0, 2},
    {JCS_RGB, JCS_YCbCr, FALSE, TRUE, 1, 2},
    {JCS_RGB, JCS_RGB, TRUE, FALSE, 0, 1},
    {JCS_RGB, JCS_RGB, FALSE, TRUE, 0, 1},
    {JCS_CMYK, JCS_CMYK, TRUE, FALSE, 0, 1},
    {JCS_CMYK, JCS_CMYK, FALSE, FALSE, 0, 1},
    {JCS_CMYK, JCS_CMYK, TRUE, TRUE, 0, 1},
    {JCS_CMYK, JCS_YCCK, TRUE, FALSE, 0, 1},
    {JCS_CMYK, JCS_YCCK, TRUE, TRUE, 3, 1},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
    check_kind(&kinds[i]);
}

/* ---- Our own files. */

static GBytes *
encode(MsImage *image, int quality, MsSaveNotes *notes)
{
  MsSaveOptions options = {MS_IMAGE_FORMAT_JPEG, quality, 3, FALSE};
  g_autoptr(GError) error = NULL;
  GBytes *file = ms_image_encode(image, &options, notes, NULL, &error);

  g_assert_no_error(error);
  return file;
}

static void
test_round_trips(void)
{
  static const int sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {17, 31}, {255, 257}, {65500, 1}, {1, 65500}};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autoptr(MsImage) image = ms_test_image_smooth(sizes[i][0], sizes[i][1], NULL);
    MsSaveNotes notes = {TRUE, TRUE, TRUE};
    g_autoptr(GBytes) file = encode(image, 100, &notes);
    g_autoptr(MsImage) again = ms_test_decode(file);
    ms_test_assert_close_image(image, again, MS_TEST_MOST_LEVELS, MS_TEST_MEAN);
    g_assert_false(notes.alpha_flattened || notes.icc_dropped || notes.exif_dropped);
  }
}

static void
count_row(guint64 done, guint64 total, gpointer data)
{
  guint64 *last = data;

  g_assert_cmpuint(done, ==, *last + 1);
  g_assert_cmpuint(done, <=, total);
  *last = done;
}

static double
block_mean(MsImage *image, int x, int y, int channel)
{
  double sum = 0;

  for (int dy = 0; dy < 8; dy++)
    for (int dx = 0; dx < 8; dx++)
      sum += ms_image_get_pixels(image)[(8 * y + dy) * ms_image_get_stride(image) + (8 * (gsize)x + dx) * 4 + channel];
  return sum / 64;
}

/* A pixel of the preview is the mean of a block; the rows of the whole picture are counted as they are decoded. */
static void
test_preview_and_rows(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(131, 67, NULL);
  g_autoptr(GBytes) file = encode(image, 100, NULL);
  g_autofree char *path = NULL;
  guint64 rows = 0;
  int fd = g_file_open_tmp("ms-preview-XXXXXX.jpg", &path, NULL);

  close(fd);
  g_assert_true(g_file_set_contents(path, g_bytes_get_data(file, NULL), (gssize)g_bytes_get_size(file), NULL));
  g_autoptr(MsImageFile) opened = ms_image_file_open(path, NULL, NULL, NULL);
  g_autoptr(MsImage) preview = ms_image_file_load_preview(opened, NULL);
  opened->rows = count_row;
  opened->rows_data = &rows;
  g_autoptr(MsImage) whole = ms_image_file_load(opened, NULL);
  unlink(path);
  g_assert_cmpuint(rows, ==, 67);
  g_assert_cmpint(ms_image_get_width(preview), ==, 17);
  g_assert_cmpint(ms_image_get_height(preview), ==, 9);
  for (int y = 0; y < 67 / 8; y++)
    for (int x = 0; x < 131 / 8; x++)
      for (int k = 0; k < 3; k++)
        g_assert_cmpfloat_with_epsilon(
          ms_image_get_pixels(preview)[y * ms_image_get_stride(preview) + (gsize)x * 4 + k], block_mean(whole, x, y, k),
          3);
}

static void
test_quality(void)
{
  g_autoptr(MsImage) image = ms_test_image_random(128, 128, 4, TRUE, NULL);
  gsize previous = 0;

  for (int quality = 1; quality <= 100; quality += 33) {
    g_autoptr(GBytes) file = encode(image, quality, NULL);
    g_autoptr(MsImage) again = ms_test_decode(file);
    g_assert_cmpint(ms_image_get_width(again), ==, 128);
    g_assert_cmpuint(g_bytes_get_size(file), >, previous);
    previous = g_bytes_get_size(file);
  }
}

/* The sampling factors of luma in the frame header: 0x22 where colours have half the resolution, else 0x11. */
static int
luma_sampling(GBytes *file)
{
  gsize size;
  const guint8 *p = g_bytes_get_data(file, &size);

  for (gsize i = 2; i + 12 < size; i += 2 + (gsize)(p[i + 2] << 8 | p[i + 3]))
    if (p[i + 1] == 0xc0)
      return p[i + 11];
  return -1;
}

static void
test_full_colour_at_high_quality(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(32, 32, NULL);
  g_autoptr(GBytes) good = encode(image, 89, NULL);
  g_autoptr(GBytes) better = encode(image, 90, NULL);

  g_assert_cmphex(luma_sampling(good), ==, 0x22);
  g_assert_cmphex(luma_sampling(better), ==, 0x11);
}

static void
test_flattens_on_white(void)
{
  static const guint8 alphas[] = {0, 1, 64, 128, 254, 255};

  for (gsize i = 0; i < G_N_ELEMENTS(alphas); i++) {
    guint8 *pixels = g_malloc(16 * 16 * 4);
    guint8 *white = g_malloc(16 * 16 * 4);
    for (int k = 0; k < 16 * 16 * 4; k++) {
      guint8 value = k % 4 == 3 ? alphas[i] : 30 + 60 * (k % 4);
      pixels[k] = value;
      white[k] = k % 4 == 3 ? 255 : (guint8)((value * alphas[i] + 255.0 * (255 - alphas[i])) / 255 + 0.5);
    }
    g_autoptr(MsImage) image = ms_image_new_take(16, 16, pixels, NULL);
    g_autoptr(MsImage) expected = ms_image_new_take(16, 16, white, NULL);
    MsSaveNotes notes;
    g_autoptr(GBytes) file = encode(image, 100, &notes);
    g_autoptr(MsImage) again = ms_test_decode(file);
    g_assert_cmpint(notes.alpha_flattened, ==, alphas[i] != 255);
    ms_test_assert_close_image(again, expected, 2, MS_TEST_MEAN);
  }
}

static void
test_refuses_long_sides(void)
{
  format_assert_longest_side(MS_IMAGE_FORMAT_JPEG, 65500);
}

/* ---- Scans without end. */

#define SCAN_BOMB 127

/* One scan for the mean and two for each of the other 63 coefficients: valid, but too many. */
static void
configure_scans(struct jpeg_compress_struct *cinfo, gconstpointer data)
{
  static jpeg_scan_info scans[SCAN_BOMB];
  int n = 0;

  scans[n++] = (jpeg_scan_info){1, {0}, 0, 0, 0, 0};
  for (int k = 1; k < 64; k++)
    for (int bit = 1; bit >= 0; bit--)
      scans[n++] = (jpeg_scan_info){1, {0}, k, k, bit == 1 ? 0 : 1, bit};
  cinfo->scan_info = scans;
  cinfo->num_scans = n;
}

static void
test_scan_limit(void)
{
  guint8 samples[32 * 32];

  for (int i = 0; i < 32 * 32; i++)
    samples[i] = i * 37 % 251;
  g_autoptr(GBytes) file = compress(samples, 32, 32, 1, JCS_GRAYSCALE, configure_scans, NULL);
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;
  ms_test_assert_refused(file, MS_ERROR_TOO_LARGE);
  limits.max_scans = SCAN_BOMB;
  g_autoptr(MsImage) image = ms_image_load_bytes(file, "scans", &limits, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpint(abs(ms_image_get_pixels(image)[4] - 37), <=, MS_TEST_MOST_LEVELS);
}

/* ---- The common pictures. */

/* (transfer full): a picture without its profile, which the reference decoder does not use as test-colour.c does. */
static MsImage *
load_without_profile(const char *path)
{
  static const char name[] = "ICC_PROFILE";
  g_autofree char *data = NULL;
  gsize size = 0;
  g_autoptr(GError) error = NULL;

  g_assert_true(g_file_get_contents(path, &data, &size, &error));
  for (char *at = data; (at = memmem(at, size - (gsize)(at - data), name, sizeof name));)
    *at = 'X';
  g_autoptr(GBytes) file = g_bytes_new_take(g_steal_pointer(&data), size);
  return ms_test_decode(file);
}

static void
test_reference(void)
{
  g_autofree char *folder = ms_test_pictures_folder("jpeg-reference/reftest");

  if (!folder)
    return;
  g_autoptr(GPtrArray) paths = ms_test_list_files(folder, ".jpg");
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    g_autofree char *stem = g_strndup(path, strlen(path) - 4);
    g_autofree char *expected_path = g_strconcat(stem, ".png", NULL);
    if (!g_file_test(expected_path, G_FILE_TEST_EXISTS))
      continue;
    g_test_message("%s", path);
    g_autoptr(MsImage) image = load_without_profile(path);
    g_autoptr(MsImage) expected = ms_test_load(expected_path);
    ms_test_assert_close_image(image, expected, MS_TEST_MOST_LEVELS, MS_TEST_MEAN);
  }
}

static void
test_orientations(void)
{
  g_autofree char *folder = ms_test_pictures_folder("exif-orientation");

  if (!folder)
    return;
  g_autoptr(GPtrArray) paths = ms_test_list_files(folder, ".jpg");
  g_assert_cmpuint(paths->len, ==, 8);
  g_autoptr(MsImage) upright = ms_test_load(g_ptr_array_index(paths, 0));
  for (guint i = 1; i < paths->len; i++) {
    g_autoptr(MsImage) image = ms_test_load(g_ptr_array_index(paths, i));
    g_test_message("%s", (char *)g_ptr_array_index(paths, i));
    /* Each was compressed in its own direction and has its own number painted in: edges differ, up to 3 levels on
     * average. A picture turned wrong is off by more than 50. */
    ms_test_assert_close_image(image, upright, 255, 4);
  }
}

void
ms_test_jpeg(void)
{
  g_test_add_func("/jpeg/kinds", test_kinds);
  g_test_add_func("/jpeg/round-trips", test_round_trips);
  g_test_add_func("/jpeg/quality", test_quality);
  g_test_add_func("/jpeg/preview-and-rows", test_preview_and_rows);
  g_test_add_func("/jpeg/full-colour-at-high-quality", test_full_colour_at_high_quality);
  g_test_add_func("/jpeg/flattens-on-white", test_flattens_on_white);
  g_test_add_func("/jpeg/refuses-long-sides", test_refuses_long_sides);
  g_test_add_func("/jpeg/scan-limit", test_scan_limit);
  g_test_add_func("/jpeg/reference", test_reference);
  g_test_add_func("/jpeg/orientations", test_orientations);
}
