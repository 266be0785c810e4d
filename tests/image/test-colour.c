/* SPDX-License-Identifier: MIT */
/* Colour profiles: CMYK and wide-gamut pictures against the programs of Little CMS, grey ones, and damaged profiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <lcms2.h>

#include "core/image/codec.h"
#include "core/filter/space/space.h"
#include "core/image/colour/colour.h"
#include "core/image/common/losses.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"
#include "tests/support/profiles.h"

#define WIDTH 96
#define HEIGHT 80

/* ---- Profiles. */

static GBytes *
saved(cmsHPROFILE profile)
{
  cmsUInt32Number size = 0;

  g_assert_true(cmsSaveProfileToMem(profile, NULL, &size));
  guint8 *data = g_malloc(size);
  g_assert_true(cmsSaveProfileToMem(profile, data, &size));
  cmsCloseProfile(profile);
  return g_bytes_new_take(data, size);
}

/* The colour of four inks that are not ideal: each leaves some of the light that it should take. */
static cmsInt32Number
ink_to_lab(const cmsUInt16Number in[], cmsUInt16Number out[], void *data)
{
  static const double left[4][3] = {{0.05, 0.3, 0.6}, {0.5, 0.04, 0.2}, {0.9, 0.8, 0.05}, {0.03, 0.03, 0.03}};
  double light[3] = {0.92, 0.93, 0.9};
  cmsCIEXYZ xyz;
  cmsCIELab lab;

  for (int ink = 0; ink < 4; ink++)
    for (int k = 0; k < 3; k++)
      light[k] *= 1 - in[ink] / 65535.0 * (1 - left[ink][k]);
  xyz.X = 0.4361 * light[0] + 0.3851 * light[1] + 0.1431 * light[2];
  xyz.Y = 0.2225 * light[0] + 0.7169 * light[1] + 0.0606 * light[2];
  xyz.Z = 0.0139 * light[0] + 0.0971 * light[1] + 0.7141 * light[2];
  cmsXYZ2Lab(NULL, &lab, &xyz);
  cmsFloat2LabEncoded(out, &lab);
  return TRUE;
}

static GBytes *
cmyk_profile(void)
{
  cmsHPROFILE profile = cmsCreateProfilePlaceholder(NULL);
  cmsPipeline *table = cmsPipelineAlloc(NULL, 4, 3);
  cmsStage *grid = cmsStageAllocCLut16bit(NULL, 9, 4, 3, NULL);

  g_assert_true(cmsStageSampleCLut16bit(grid, ink_to_lab, NULL, 0));
  /* The form of the table asks for curves before and behind it. */
  g_assert_true(cmsPipelineInsertStage(table, cmsAT_END, cmsStageAllocToneCurves(NULL, 4, NULL)));
  g_assert_true(cmsPipelineInsertStage(table, cmsAT_END, grid));
  g_assert_true(cmsPipelineInsertStage(table, cmsAT_END, cmsStageAllocToneCurves(NULL, 3, NULL)));
  cmsSetProfileVersion(profile, 4.3);
  cmsSetDeviceClass(profile, cmsSigOutputClass);
  cmsSetColorSpace(profile, cmsSigCmykData);
  cmsSetPCS(profile, cmsSigLabData);
  g_assert_true(cmsWriteTag(profile, cmsSigAToB0Tag, table));
  cmsPipelineFree(table);
  return saved(profile);
}

static GBytes *
grey_profile(double gamma)
{
  cmsToneCurve *curve = cmsBuildGamma(NULL, gamma);
  GBytes *profile = saved(cmsCreateGrayProfile(cmsD50_xyY(), curve));

  cmsFreeToneCurve(curve);
  return profile;
}

/* ---- CMYK. */

/* @icc: (nullable) */
static GBytes *
compress_cmyk(J_COLOR_SPACE stored, gboolean adobe, GBytes *icc)
{
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  unsigned char *data = NULL;
  unsigned long size = 0;

  cinfo.err = jpeg_std_error(&errors);
  jpeg_create_compress(&cinfo);
  jpeg_mem_dest(&cinfo, &data, &size);
  cinfo.image_width = WIDTH;
  cinfo.image_height = HEIGHT;
  cinfo.input_components = 4;
  cinfo.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&cinfo);
  jpeg_set_colorspace(&cinfo, stored);
  jpeg_set_quality(&cinfo, 100, TRUE);
  cinfo.write_Adobe_marker = adobe;
  for (int i = 0; i < 4; i++)
    cinfo.comp_info[i].h_samp_factor = cinfo.comp_info[i].v_samp_factor = 1;
  jpeg_start_compress(&cinfo, TRUE);
  if (icc)
    jpeg_write_icc_profile(&cinfo, g_bytes_get_data(icc, NULL), (unsigned)g_bytes_get_size(icc));
  for (int y = 0; y < HEIGHT; y++) {
    guint8 row[WIDTH * 4];
    JSAMPROW rows[] = {row};
    for (int x = 0; x < WIDTH; x++) {
      const guint8 inks[] = {2 * x, 3 * y, 240 - x - y, x < WIDTH / 2 ? 0 : 2 * y};
      for (int k = 0; k < 4; k++)
        row[4 * x + k] = 255 - inks[k];
    }
    jpeg_write_scanlines(&cinfo, rows, 1);
  }
  jpeg_finish_compress(&cinfo);
  jpeg_destroy_compress(&cinfo);
  GBytes *file = g_bytes_new(data, size);
  free(data);
  return file;
}

/* (transfer full) (nullable): what a program of Little CMS makes of @file; %NULL, and the test skipped, without it. */
static MsImage *
convert_by_peer(const char *program, const char *extension, GBytes *file, const char *option)
{
  g_autofree char *found = g_find_program_in_path(program);
  char *folder = ms_test_folder_new();
  g_autofree char *from = g_strdup_printf("%s/from.%s", folder, extension),
                  *to = g_strdup_printf("%s/to.%s", folder, extension);
  const char *arguments[] = {program, option, from, to, NULL};
  g_autoptr(GError) error = NULL;
  int status = 0;
  MsImage *image = NULL;

  if (!found && g_getenv("CI"))
    g_test_fail_printf("%s is not installed; install liblcms2-utils.", program);
  else if (!found)
    g_test_skip("Little CMS's programs are not installed.");
  g_file_set_contents(from, g_bytes_get_data(file, NULL), (gssize)g_bytes_get_size(file), &error);
  g_assert_no_error(error);
  if (found) {
    g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                 NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_cmpint(status, ==, 0);
    image = ms_test_load(to);
  }
  ms_test_folder_remove(folder);
  return image;
}

static MsImageHeader
header_of(GBytes *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "file", NULL, NULL, &error);

  g_assert_no_error(error);
  return opened->header;
}

static void
assert_rows_alike(GBytes *file, const MsImageLimits *limits, MsImage *image)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "file", limits, NULL, &error);
  const gsize stride = ms_image_get_stride(image);
  g_autofree guint8 *row = g_malloc(stride);

  g_assert_no_error(error);
  g_assert_true(ms_image_file_start_rows(opened, &error));
  for (int y = 0; y < ms_image_get_height(image); y++) {
    g_assert_true(ms_image_file_rows(opened, row, 1, &error));
    g_assert_cmpmem(row, stride, ms_image_get_pixels(image) + (gsize)y * stride, stride);
  }
}

/*
 * The profile is used, with and without Adobe's marker, and as a whole and by rows, to the same pixels. Without the
 * marker jpgicc takes the light for ink, as no reader of pictures does.
 */
static void
test_cmyk(void)
{
  static const struct {
    J_COLOR_SPACE stored;
    gboolean adobe;
  } kinds[] = {{JCS_CMYK, FALSE}, {JCS_CMYK, TRUE}, {JCS_YCCK, TRUE}};
  g_autoptr(GBytes) icc = cmyk_profile();

  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(GBytes) file = compress_cmyk(kinds[i].stored, kinds[i].adobe, icc);
    g_autoptr(GBytes) plain = compress_cmyk(kinds[i].stored, kinds[i].adobe, NULL);
    g_autoptr(MsImage) image = ms_test_decode(file), formula = ms_test_decode(plain);
    g_autoptr(MsImage) peer = kinds[i].adobe ? convert_by_peer("jpgicc", "jpg", file, "-q100") : NULL;
    g_assert_null(ms_image_get_metadata(image)->icc);
    g_assert_true(ms_image_pixels_are_opaque(ms_image_get_pixels(image), ms_image_get_byte_size(image)));
    g_assert_false(header_of(file).has_plain_cmyk);
    g_assert_true(header_of(plain).has_plain_cmyk);
    g_assert_cmpint(ms_image_compare(image, formula).max_difference, >, 40);
    assert_rows_alike(file, NULL, image);
    if (peer)
      ms_test_assert_close_image(image, peer, MS_TEST_MOST_LEVELS, MS_TEST_MEAN);
  }
}

/* A photograph in YCCK with the profile of a press. */
static void
test_photograph(void)
{
  g_autofree char *folder = ms_test_pictures_folder("jpeg-reference/reftest");
  g_autofree char *path = folder ? g_build_filename(folder, "ycck.jpg", NULL) : NULL, *data = NULL;
  gsize size = 0;

  if (!folder)
    return;
  g_assert_true(g_file_get_contents(path, &data, &size, NULL));
  g_autoptr(GBytes) file = g_bytes_new_take(g_steal_pointer(&data), size);
  g_autoptr(MsImage) image = ms_test_decode(file), peer = convert_by_peer("jpgicc", "jpg", file, "-q100");
  g_assert_false(header_of(file).has_plain_cmyk);
  if (peer)
    ms_test_assert_close_image(image, peer, MS_TEST_MOST_LEVELS, MS_TEST_MEAN);
}

/* A damaged profile, or one of other colours, is as none, and said. */
static void
test_unusable_cmyk(void)
{
  g_autoptr(GBytes) good = cmyk_profile(), wide = ms_test_profile_wide(2.2), cut = g_bytes_new_from_bytes(good, 0, 140);
  g_autoptr(GBytes) plain = compress_cmyk(JCS_CMYK, TRUE, NULL);
  g_autoptr(MsImage) expected = ms_test_decode(plain);
  GBytes *const unusable[] = {wide, cut};

  for (gsize i = 0; i < G_N_ELEMENTS(unusable); i++) {
    g_autoptr(GBytes) file = compress_cmyk(JCS_CMYK, TRUE, unusable[i]);
    g_autoptr(MsImage) image = ms_test_decode(file);
    const MsImageHeader header = header_of(file);
    g_autofree char *losses = ms_losses_describe(&header, NULL, "a.jpg", MS_LANGUAGE_ENGLISH);
    ms_test_assert_same_image(image, expected);
    g_assert_nonnull(strstr(losses, "CMYK"));
  }
}

/* ---- TIFF. */

enum {
  TIFF_SEPARATED = 5,
  TIFF_CIELAB = 8,
  TIFF_ICCLAB = 9,
};

/* A tag of two bytes or, with the type 4, of four. */
static void
add_field(GByteArray *out, guint16 tag, guint16 type, guint32 count, guint32 value)
{
  const guint16 start[] = {tag, type};
  const guint32 end[] = {count, value};

  g_byte_array_append(out, (const guint8 *)start, sizeof start);
  g_byte_array_append(out, (const guint8 *)end, sizeof end);
}

/* (transfer full): a file of one strip of noise in the byte order of this machine; its samples and the profile follow
 * the directory. icc: (nullable) */
static GBytes *
make_tiff(guint16 photometric, guint16 samples, guint16 bits, GBytes *icc)
{
  enum { N_FIELDS = 11, AFTER = 8 + 2 + 12 * N_FIELDS + 4 };
  const guint16 n_fields = N_FIELDS, depths[] = {bits, bits, bits, bits};
  const guint32 last = 0, depth_at = AFTER, icc_at = AFTER + sizeof depths;
  const gsize icc_size = icc ? g_bytes_get_size(icc) : 0, size = (gsize)WIDTH * HEIGHT * samples * bits / 8;
  const guint32 pixels_at = (guint32)(icc_at + (icc_size + 1) / 2 * 2);
  g_autoptr(GRand) noise = g_rand_new_with_seed(7);
  GByteArray *out = g_byte_array_new();

  g_byte_array_append(out, G_BYTE_ORDER == G_LITTLE_ENDIAN ? (const guint8 *)"II" : (const guint8 *)"MM", 2);
  g_byte_array_append(out, (const guint8 *)&(guint16){42}, 2);
  g_byte_array_append(out, (const guint8 *)&(guint32){8}, 4);
  g_byte_array_append(out, (const guint8 *)&n_fields, 2);
  add_field(out, 256, 4, 1, WIDTH);
  add_field(out, 257, 4, 1, HEIGHT);
  add_field(out, 258, 3, samples, depth_at);
  add_field(out, 259, 4, 1, 1);
  add_field(out, 262, 4, 1, photometric);
  add_field(out, 273, 4, 1, pixels_at);
  add_field(out, 277, 4, 1, samples);
  add_field(out, 278, 4, 1, HEIGHT);
  add_field(out, 279, 4, 1, (guint32)size);
  add_field(out, 284, 4, 1, 1);
  add_field(out, icc ? 34675 : 65000, icc ? 7 : 4, icc ? (guint32)icc_size : 1, icc_at);
  g_byte_array_append(out, (const guint8 *)&last, 4);
  g_byte_array_append(out, (const guint8 *)depths, sizeof depths);
  if (icc)
    g_byte_array_append(out, g_bytes_get_data(icc, NULL), (guint)icc_size);
  g_byte_array_append(out, (const guint8 *)"", pixels_at - out->len);
  g_byte_array_set_size(out, (guint)(pixels_at + size));
  for (gsize i = pixels_at; i < out->len; i++)
    out->data[i] = (guint8)g_rand_int(noise);
  return g_byte_array_free_to_bytes(out);
}

/* Inks are converted by their profile, as a whole and by rows; without one by libtiff, and that is said. */
static void
test_tiff_cmyk(void)
{
  g_autoptr(GBytes) icc = cmyk_profile(), wide = ms_test_profile_wide(2.2);

  for (guint16 bits = 8; bits <= 16; bits += 8) {
    g_autoptr(GBytes) file = make_tiff(TIFF_SEPARATED, 4, bits, icc);
    g_autoptr(MsImage) image = ms_test_decode(file), peer = convert_by_peer("tificc", "tif", file, "-t0");
    g_assert_false(header_of(file).has_plain_cmyk);
    g_assert_null(ms_image_get_metadata(image)->icc);
    assert_rows_alike(file, NULL, image);
    if (peer)
      ms_test_assert_close_image(image, peer, MS_TEST_MOST_LEVELS, MS_TEST_MEAN);
  }
  g_autoptr(GBytes) plain = make_tiff(TIFF_SEPARATED, 4, 8, NULL), unusable = make_tiff(TIFF_SEPARATED, 4, 8, wide);
  g_autoptr(MsImage) formula = ms_test_decode(plain), same = ms_test_decode(unusable);
  g_assert_true(header_of(plain).has_plain_cmyk);
  g_assert_true(header_of(unusable).has_plain_cmyk);
  ms_test_assert_same_image(formula, same);
}

/* L*a*b* gives the colours of tificc, as a whole and by rows, and in its other coding, which tificc does not read. */
static void
test_tiff_lab(void)
{
  enum { PHOTOMETRIC_VALUE = 8 + 2 + 4 * 12 + 8 };
  const guint32 kind = TIFF_ICCLAB;

  g_autoptr(GBytes) file = make_tiff(TIFF_CIELAB, 3, 8, NULL);
  g_autoptr(MsImage) image = ms_test_decode(file), peer = convert_by_peer("tificc", "tif", file, "-i*Lab4");
  const gsize size = g_bytes_get_size(file), pixels = WIDTH * HEIGHT * 3;
  guint8 *bytes = g_memdup2(g_bytes_get_data(file, NULL), size);
  assert_rows_alike(file, NULL, image);
  if (peer)
    ms_test_assert_close_image(image, peer, 1, 0.1);
  memcpy(bytes + PHOTOMETRIC_VALUE, &kind, sizeof kind);
  for (gsize i = 0; i < pixels; i++)
    bytes[size - pixels + i] ^= i % 3 > 0 ? 0x80 : 0;
  g_autoptr(GBytes) other = g_bytes_new_take(bytes, size);
  g_autoptr(MsImage) same = ms_test_decode(other);
  ms_test_assert_same_image(same, image);
}

/* The nearest 8-bit L*a*b* of a sample of 16 bits, as the two codings store it. */
static guint8
lab_byte(guint32 photometric, guint16 value, gsize channel)
{
  const double most = photometric == TIFF_CIELAB ? 65535 : 65280;

  if (channel == 0)
    return (guint8)MIN(255, floor(value * 255 / most + 0.5));
  if (photometric == TIFF_CIELAB)
    return (guint8)(int)MIN(127, floor((gint16)value / 256.0 + 0.5));
  return (guint8)MIN(255, floor(value / 256.0 + 0.5));
}

/* L*a*b* of 16 bits is that of 8 bits that is nearest, in both codings, as a whole and by rows; and it is told. */
static void
test_tiff_lab_16(void)
{
  const gsize n = WIDTH * HEIGHT * 3;

  for (guint16 photometric = TIFF_CIELAB; photometric <= TIFF_ICCLAB; photometric++) {
    g_autoptr(GBytes) deep = make_tiff(photometric, 3, 16, NULL), frame = make_tiff(photometric, 3, 8, NULL);
    gsize deep_size = g_bytes_get_size(deep), size = g_bytes_get_size(frame);
    const guint8 *samples = (const guint8 *)g_bytes_get_data(deep, NULL) + deep_size - 2 * n;
    guint8 *bytes = g_memdup2(g_bytes_get_data(frame, NULL), size);
    for (gsize i = 0; i < n; i++) {
      guint16 value;
      memcpy(&value, samples + 2 * i, sizeof value);
      bytes[size - n + i] = lab_byte(photometric, value, i % 3);
    }
    g_autoptr(GBytes) shallow = g_bytes_new_take(bytes, size);
    g_autoptr(MsImage) image = ms_test_decode(deep), expected = ms_test_decode(shallow);
    const MsImageHeader header = header_of(deep);
    g_autofree char *losses = ms_losses_describe(&header, NULL, "a.tif", MS_LANGUAGE_ENGLISH);
    ms_test_assert_same_image(image, expected);
    assert_rows_alike(deep, NULL, image);
    g_assert_nonnull(strstr(losses, "its 16 bits a sample were reduced to 8"));
  }
}

/* ---- RGB. */

static GBytes *
encode(MsImageFormat format, GBytes *icc)
{
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, NULL, 0, 0);
  g_autoptr(MsImage) image = ms_test_image_random(WIDTH, HEIGHT, 5, FALSE, metadata);

  return ms_test_encode(image, format);
}

/* Kept are values and profile, and alpha always; converted pixels are those of tificc. */
static void
test_convert_to_srgb(void)
{
  g_autoptr(GBytes) icc = ms_test_profile_wide(1.8);
  g_autoptr(MsImage) stored = ms_test_image_random(WIDTH, HEIGHT, 5, FALSE, NULL);
  MsImageLimits limits = ms_image_limits_default();
  guint n = 0;
  const MsCodec *codecs = ms_codec_table(&n);

  limits.to_srgb = TRUE;
  for (guint i = 0; i < n; i++) {
    if (!ms_codec_is_written(&codecs[i]) || !codecs[i].has_alpha)
      continue;
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) file = encode(codecs[i].format, icc);
    g_autoptr(MsImage) kept = ms_test_decode(file);
    /* The test `formats` says which formats keep a profile. */
    if (!ms_image_get_metadata(kept)->icc)
      continue;
    g_autoptr(MsImage) image = ms_image_load_bytes(file, "file", &limits, NULL, &error);
    g_assert_no_error(error);
    ms_test_assert_same_image(kept, stored);
    g_assert_true(g_bytes_equal(ms_image_get_metadata(kept)->icc, icc));
    g_assert_null(ms_image_get_metadata(image)->icc);
    g_assert_cmpint(ms_image_compare(image, kept).max_difference, >, 30);
    if (codecs[i].decoder->gives_rows)
      assert_rows_alike(file, &limits, image);
    if (codecs[i].format == MS_IMAGE_FORMAT_TIFF) {
      g_autoptr(MsImage) peer = convert_by_peer("tificc", "tif", file, "-t0");
      for (gsize k = 0; peer && k < ms_image_get_byte_size(image); k++)
        if (k % 4 != 3)
          g_assert_cmpint(abs(ms_image_get_pixels(image)[k] - ms_image_get_pixels(peer)[k]), <=, 1);
    }
    for (gsize k = 3; k < ms_image_get_byte_size(image); k += 4)
      g_assert_cmpint(ms_image_get_pixels(image)[k], ==, ms_image_get_pixels(stored)[k]);
  }
}

/* Conversion keeps the place on the map, and the value of pixels without data, which no pixel with data gets. */
static void
test_convert_on_a_map(void)
{
  enum { VALUE = 40 };
  const double scale[] = {10, 10, 0};
  g_autoptr(GBytes) icc = ms_test_profile_wide(1.8), place = g_bytes_new(scale, sizeof scale),
                    text = g_bytes_new_static("40", 3);
  MsImageLimits limits = ms_image_limits_default();
  GBytes *values[MS_GEO_N_TAGS] = {NULL};
  g_autoptr(MsMetadata) plain = ms_metadata_new(icc, NULL, 0, 0), on_map = ms_metadata_new(icc, NULL, 0, 0);
  g_autoptr(MsImage) noise = ms_test_image_random(WIDTH, HEIGHT, 5, TRUE, NULL);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(noise), ms_image_get_byte_size(noise));

  values[0] = place;
  values[MS_GEO_N_TAGS - 1] = text;
  ms_metadata_take_geo(on_map, ms_geo_new(values));
  limits.to_srgb = TRUE;
  for (gsize i = 0; i < ms_image_get_byte_size(noise); i += 4)
    memset(pixels + i, i % 12 == 0 ? VALUE : (int)(i / 4 % 256), i % 24 < 12 ? 3 : 0);
  g_autoptr(MsImage) without = ms_image_new_take(WIDTH, HEIGHT, pixels, plain),
                     with = ms_image_new(WIDTH, HEIGHT, ms_image_get_bytes(without), on_map);
  g_autoptr(GBytes) usual = ms_test_encode(without, MS_IMAGE_FORMAT_TIFF),
                    file = ms_test_encode(with, MS_IMAGE_FORMAT_TIFF);
  g_autoptr(MsImage) expected = ms_image_load_bytes(usual, "file", &limits, NULL, NULL),
                     image = ms_image_load_bytes(file, "file", &limits, NULL, NULL);
  const MsGeo *geo = ms_image_get_metadata(image)->geo;
  const guint8 *before = ms_image_get_pixels(with), *right = ms_image_get_pixels(expected),
               *after = ms_image_get_pixels(image);
  guint n_absent = 0, n_moved = 0;

  assert_rows_alike(file, &limits, image);
  g_assert_true(geo && g_bytes_equal(geo->values[0], place));
  for (gsize i = 0; i < ms_image_get_byte_size(image); i += 4) {
    const gboolean lacks = ms_pixel_lacks_data(before + i, VALUE), moves = ms_pixel_lacks_data(right + i, VALUE);
    const guint8 moved[] = {VALUE, VALUE, VALUE - 1, 255};
    n_absent += lacks;
    n_moved += !lacks && moves;
    g_assert_cmpmem(after + i, 4, lacks ? before + i : moves ? moved : right + i, 4);
  }
  g_assert_cmpuint(n_absent, >, 100);
  g_assert_cmpuint(n_moved, >, 0);
}

/* sRGB in its several forms is left alone, and a damaged profile is not taken for it. */
static void
test_srgb(void)
{
  g_autoptr(GBytes) srgb = saved(cmsCreate_sRGBProfile()), wide = ms_test_profile_wide(2.2);
  g_autoptr(GBytes) cut = g_bytes_new_from_bytes(wide, 0, 200);
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) file = encode(MS_IMAGE_FORMAT_PNG, srgb), broken = encode(MS_IMAGE_FORMAT_JPEG, cut);
  g_autoptr(MsImage) stored = ms_test_decode(file);

  g_assert_true(ms_colour_is_srgb(NULL));
  g_assert_true(ms_colour_is_srgb(srgb));
  g_autoptr(GBytes) same = ms_space_tables_get(MS_SPACE_LAB, srgb), usual = ms_space_tables_get(MS_SPACE_LAB, NULL);
  g_assert_true(g_bytes_equal(same, usual));
  g_assert_false(ms_colour_is_srgb(wide));
  g_assert_false(ms_colour_is_srgb(cut));
  limits.to_srgb = TRUE;
  g_autoptr(MsImage) image = ms_image_load_bytes(file, "file", &limits, NULL, &error);
  ms_test_assert_same_image(image, stored);
  g_assert_null(ms_image_get_metadata(image)->icc);
  g_assert_null(ms_image_load_bytes(broken, "file", &limits, NULL, &error));
  g_assert_nonnull(strstr(error->message, "profile"));
}

/* ---- Hostile profiles. */

/* What is written over a profile of tables, of a matrix and of inks, each in turn; offsets from 128 on are tags. */
static const struct {
  gsize at;
  const char *bytes;
  gsize size;
} damages[] = {
  {0, "\xff\xff\xff\xff", 4},             /* the size of the profile */
  {0, "\0\0\0\0", 4},                     /* no size */
  {8, "\xff\xff\0\0", 4},                 /* a version that there is not */
  {12, "link", 4},                        /* links of devices convert to no space of a connection */
  {12, "abst", 4},                        /* nor do abstract profiles begin with colours of a device */
  {16, "GRAY", 4},                        /* other colours than the tags have */
  {16, "FCLR", 4},                        /* fifteen channels */
  {16, "\0\0\0\0", 4},                    /* no colours */
  {20, "CMYK", 4},                        /* no space of a connection */
  {20, "\xff\xff\xff\xff", 4},            /* the same */
  {36, "none", 4},                        /* no signature */
  {64, "\0\0\0\xff", 4},                  /* an intent that there is not */
  {128, "\xff\xff\xff\xff", 4},           /* 2^32 tags */
  {128, "\0\0\0\0", 4},                   /* no tag */
  {136, "\xff\xff\xff\xf0", 4},           /* a tag behind the end */
  {136, "\0\0\0\0", 4},                   /* a tag over the header */
  {140, "\xff\xff\xff\xff", 4},           /* a tag of 4 GiB */
  {140, "\0\0\0\x08", 4},                 /* a tag with no content */
  {156, "mft1", 4},                       /* tables of 8 bits where those of 16 are */
  {156, "mAB ", 4},                       /* tables with offsets where those of 16 bits are */
  {164, "\x0f\x0f\xff\0", 4},             /* 255^15 nodes */
  {164, "\x03\x03\0\0", 4},               /* no node */
  {164, "\0\0\x11\0", 4},                 /* no channel */
  {164, "\x04\x03\x11\0", 4},             /* one channel more than there are tables for */
  {204, "\xff\xff\xff\xff", 4},           /* curves with 65535 entries */
  {204, "\0\0\0\0", 4},                   /* curves with none */
  {168, "\x7f\xff\xff\xff\x80\0\0\0", 8}, /* a matrix at the ends of its range */
};

/* A picture with such a profile is read, or refused with a sentence where the profile is needed. */
static void
try_profile(GBytes *icc)
{
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) inks = compress_cmyk(JCS_CMYK, TRUE, icc), file = encode(MS_IMAGE_FORMAT_PNG, icc);
  g_autoptr(MsImage) by_inks = ms_test_decode(inks), stored = ms_test_decode(file);

  g_assert_nonnull(by_inks);
  limits.to_srgb = TRUE;
  g_autoptr(MsImage) image = ms_image_load_bytes(file, "file", &limits, NULL, &error);
  g_assert_true(image ? !error : strstr(error->message, "profile") != NULL);
  for (MsSpace space = MS_SPACE_LUV; space <= MS_SPACE_LAB; space++) {
    g_autoptr(GBytes) tables = ms_space_tables_get(space, icc);
    g_autofree guint8 *pixels = g_memdup2(ms_image_get_pixels(stored), ms_image_get_byte_size(stored));
    ms_space_convert(space, g_bytes_get_data(tables, NULL), pixels, pixels, WIDTH * HEIGHT);
    ms_space_restore(space, g_bytes_get_data(tables, NULL), pixels, pixels, WIDTH * HEIGHT);
  }
}

static void
test_hostile(void)
{
  g_autoptr(GBytes) tables = ms_test_profile_tables(TRUE), wide = ms_test_profile_wide(2.2), inks = cmyk_profile();
  GBytes *const whole[] = {tables, wide, inks};

  for (gsize p = 0; p < G_N_ELEMENTS(whole); p++)
    for (gsize i = 0; i < G_N_ELEMENTS(damages); i++) {
      const gsize size = g_bytes_get_size(whole[p]);
      g_autofree guint8 *bytes = g_memdup2(g_bytes_get_data(whole[p], NULL), size);
      memcpy(bytes + damages[i].at, damages[i].bytes, damages[i].size);
      g_autoptr(GBytes) damaged = g_bytes_new(bytes, size), cut = g_bytes_new(bytes, size * (i + 1) / 30);
      try_profile(damaged);
      try_profile(cut);
    }
}

/* ---- Parts. */

/* Pixels in several parts are those of one part. */
static void
test_threads(void)
{
  const gsize n = 1000003;
  g_autoptr(GBytes) wide = ms_test_profile_wide(2.2);
  g_autoptr(MsColour) colour = ms_colour_new(wide, MS_COLOUR_RGBA, NULL);
  g_autoptr(MsImage) noise = ms_test_image_random(1009, 1009, 3, FALSE, NULL);
  g_autofree guint8 *whole = g_memdup2(ms_image_get_pixels(noise), n * 4);
  g_autofree guint8 *parts = g_memdup2(whole, n * 4);

  ms_colour_convert(colour, whole, n);
  for (gsize at = 0; at < n; at += 1000)
    ms_colour_convert(colour, parts + at * 4, MIN(n - at, 1000));
  g_assert_cmpmem(whole, n * 4, parts, n * 4);
}

/* A grey picture keeps its values; its profile becomes one of RGB, in which they look the same. */
static void
test_grey(void)
{
  g_autoptr(GBytes) grey = grey_profile(1.7);
  g_autoptr(GBytes) file = encode(MS_IMAGE_FORMAT_JPEG, grey);
  g_autoptr(MsImage) image = ms_test_decode(file), again = ms_test_decode(file);
  GBytes *icc = ms_image_get_metadata(image)->icc;
  cmsHPROFILE from[2], lab = cmsCreateLab4Profile(NULL);

  g_assert_nonnull(icc);
  g_assert_true(ms_icc_is_rgb(icc));
  g_assert_true(g_bytes_equal(icc, ms_image_get_metadata(again)->icc));
  from[0] = cmsOpenProfileFromMem(g_bytes_get_data(grey, NULL), (cmsUInt32Number)g_bytes_get_size(grey));
  from[1] = cmsOpenProfileFromMem(g_bytes_get_data(icc, NULL), (cmsUInt32Number)g_bytes_get_size(icc));
  cmsHTRANSFORM by_grey = cmsCreateTransform(from[0], TYPE_GRAY_8, lab, TYPE_Lab_DBL, 1, 0);
  cmsHTRANSFORM by_rgb = cmsCreateTransform(from[1], TYPE_RGB_8, lab, TYPE_Lab_DBL, 1, 0);
  for (int i = 0; i < 256; i++) {
    const guint8 values[] = {i, i, i};
    cmsCIELab expected, actual;
    cmsDoTransform(by_grey, values, &expected, 1);
    cmsDoTransform(by_rgb, values, &actual, 1);
    g_assert_cmpfloat(cmsDeltaE(&expected, &actual), <, 0.1);
  }
  cmsDeleteTransform(by_grey);
  cmsDeleteTransform(by_rgb);
  cmsCloseProfile(from[0]);
  cmsCloseProfile(from[1]);
  cmsCloseProfile(lab);
}

void
ms_test_colour(void)
{
  g_test_add_func("/colour/cmyk", test_cmyk);
  g_test_add_func("/colour/photograph", test_photograph);
  g_test_add_func("/colour/unusable-cmyk", test_unusable_cmyk);
  g_test_add_func("/colour/tiff-cmyk", test_tiff_cmyk);
  g_test_add_func("/colour/tiff-lab", test_tiff_lab);
  g_test_add_func("/colour/tiff-lab-16", test_tiff_lab_16);
  g_test_add_func("/colour/convert-to-srgb", test_convert_to_srgb);
  g_test_add_func("/colour/convert-on-a-map", test_convert_on_a_map);
  g_test_add_func("/colour/srgb", test_srgb);
  g_test_add_func("/colour/hostile", test_hostile);
  g_test_add_func("/colour/threads", test_threads);
  g_test_add_func("/colour/grey", test_grey);
}
