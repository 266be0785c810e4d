/* SPDX-License-Identifier: MIT */
/* The orientation from XMP packets and from the EXIF data and XMP that PNG files hold as text. */
#include <string.h>

#include <zlib.h>

#include "core/error.h"
#include "core/image/image-io.h"
#include "core/image/metadata/orientation.h"
#include "core/image/metadata/metadata.h"
#include "core/image/png-private.h"
#include "tests/support/cases.h"
#include "tests/support/image-files.h"

#define WIDTH 24
#define HEIGHT 10
#define XMP_START                                                                                                      \
  "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "              \
  "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "                         \
  "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\""
#define XMP_END "</rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>"
#define XMP_PREFIX "http://ns.adobe.com/xap/1.0/"

/* The second NUL byte of a prefix and a TIFF block with one entry: the orientation 6, and a value that is none. */
static const guint8 exif_6[] = {0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                                3, 0,   0,   0, 1,  0, 6, 0, 0, 0, 0, 0, 0};

static const guint8 exif_without[] = {0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                                      3, 0,   0,   0, 1,  0, 9, 0, 0, 0, 0, 0, 0};

static char *
packet(int orientation, gboolean as_element)
{
  if (as_element)
    return g_strdup_printf(XMP_START "><tiff:Orientation> %d </tiff:Orientation></rdf:Description>" XMP_END,
                           orientation);
  return g_strdup_printf(XMP_START " tiff:Orientation=\"%d\"/>" XMP_END, orientation);
}

static int
orientation_of(const char *text)
{
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));

  return ms_xmp_get_orientation(bytes);
}

static void
test_packets(void)
{
  static const char *const without[] = {"",
                                        "<",
                                        "no XML",
                                        XMP_START "/>" XMP_END,
                                        "<tiff:Orientation>9",
                                        XMP_START " tiff:Orientation=\"66\"/>" XMP_END,
                                        XMP_START "><exif:Orientation>6</exif:Orientation>" XMP_END,
                                        "\xff\xfe<a>"};

  for (int orientation = 1; orientation <= 8; orientation++)
    for (int as_element = 0; as_element < 2; as_element++) {
      g_autofree char *text = packet(orientation, as_element);
      g_assert_cmpint(orientation_of(text), ==, orientation);
    }
  for (gsize i = 0; i < G_N_ELEMENTS(without); i++)
    g_assert_cmpint(orientation_of(without[i]), ==, 0);
}

/* The file with @bytes behind its first @at bytes. */
static GBytes *
insert(GBytes *file, gsize at, const GByteArray *bytes)
{
  const guint8 *data = g_bytes_get_data(file, NULL);
  GByteArray *all = g_byte_array_new();

  g_byte_array_append(all, data, (guint)at);
  g_byte_array_append(all, bytes->data, bytes->len);
  g_byte_array_append(all, data + at, (guint)(g_bytes_get_size(file) - at));
  return g_byte_array_free_to_bytes(all);
}

static void
assert_turned(GBytes *file, MsImage *stored, int orientation)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) found = ms_image_load_bytes(file, "x", NULL, NULL, &error);
  const gsize size = ms_image_get_byte_size(stored);
  const int width = ms_image_get_width(stored), height = ms_image_get_height(stored);
  const gboolean swaps = ms_orientation_swaps_sides(orientation);
  g_autofree guint8 *given = g_memdup2(ms_image_get_pixels(stored), size), *other = g_malloc(size);

  g_assert_no_error(error);
  ms_orientation_turn(&(MsStoredPixels){given, width, height, orientation}, swaps ? other : given, NULL, NULL);
  g_assert_cmpint(ms_image_get_width(found), ==, swaps ? height : width);
  g_assert_true(memcmp(ms_image_get_pixels(found), swaps ? other : given, ms_image_get_byte_size(found)) == 0);
  g_autoptr(MsImageFile) opened = ms_image_file_open_bytes(file, "x", NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpint(opened->header.width, ==, swaps ? height : width);
  g_assert_cmpint(opened->header.height, ==, swaps ? width : height);
}

static void
assert_not_by_rows(GBytes *file)
{
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) rows = ms_image_file_open_bytes(file, "x", &limits, NULL, NULL);

  g_assert_false(ms_image_file_start_rows(rows, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
}

static void
append_segment(GByteArray *segments, const char *prefix, const void *data, gsize size)
{
  gsize length = 2 + strlen(prefix) + 1 + size;
  const guint8 start[] = {0xff, 0xe1, (guint8)(length >> 8), (guint8)length};

  g_byte_array_append(segments, start, sizeof start);
  g_byte_array_append(segments, (const guint8 *)prefix, (guint)strlen(prefix) + 1);
  g_byte_array_append(segments, data, (guint)size);
}

/* EXIF data have precedence over XMP, where they state an orientation. */
static void
test_jpeg(void)
{
  g_autoptr(MsImage) image = ms_test_image_smooth(WIDTH, HEIGHT, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_JPEG);
  g_autoptr(MsImage) stored = ms_test_decode(file);

  for (int orientation = 1; orientation <= 8; orientation++) {
    g_autofree char *text = packet(orientation, FALSE);
    g_autoptr(GByteArray) segments = g_byte_array_new();
    append_segment(segments, XMP_PREFIX, text, strlen(text));
    g_autoptr(GBytes) by_xmp = insert(file, 2, segments);
    assert_turned(by_xmp, stored, orientation);
    if (orientation > 1)
      assert_not_by_rows(by_xmp);
    append_segment(segments, "Exif", exif_6, sizeof exif_6);
    g_autoptr(GBytes) by_exif = insert(file, 2, segments);
    assert_turned(by_exif, stored, 6);
    append_segment(g_byte_array_set_size(segments, segments->len - sizeof exif_6 - 9), "Exif", exif_without,
                   sizeof exif_without);
    g_autoptr(GBytes) without = insert(file, 2, segments);
    assert_turned(without, stored, orientation);
  }
}

/* A profile as ImageMagick writes it: an empty line, its name, its length, and digits in lines of 36 bytes. */
static char *
raw_profile(const char *name, const char *prefix, gsize prefix_size, const void *data, gsize size)
{
  GString *text = g_string_new(NULL);

  g_string_append_printf(text, "\n%s\n%8u\n", name, (guint)(prefix_size + size));
  for (gsize i = 0; i < prefix_size + size; i++)
    g_string_append_printf(text, "%02x%s",
                           i < prefix_size ? (guint8)prefix[i] : ((const guint8 *)data)[i - prefix_size],
                           i % 36 == 35 ? "\n" : "");
  g_string_append_c(text, '\n');
  return g_string_free(text, FALSE);
}

static void
append_text(GByteArray *chunks, const char *type, const char *keyword, const char *text)
{
  g_autoptr(GByteArray) content = g_byte_array_new();
  gsize size = strlen(text);
  uLongf packed = compressBound(size);
  g_autofree guint8 *deflated = g_malloc(packed);
  gboolean is_zip = g_str_equal(type, "zTXt");

  g_byte_array_append(content, (const guint8 *)keyword, (guint)strlen(keyword) + 1);
  if (is_zip)
    g_byte_array_append(content, (const guint8 *)"", 1);
  if (g_str_equal(type, "iTXt"))
    g_byte_array_append(content, (const guint8 *)"\0\0\0\0", 4);
  g_assert_cmpint(compress(deflated, &packed, (const guint8 *)text, size), ==, Z_OK);
  g_byte_array_append(content, is_zip ? deflated : (const guint8 *)text, (guint)(is_zip ? packed : size));
  ms_test_png_append(chunks, type, content->data, content->len);
}

#define AFTER_IHDR 33

static void
check_png(const char *type, const char *keyword, const char *text, int orientation)
{
  g_autoptr(MsImage) image = ms_test_image_random(WIDTH, HEIGHT, 1, TRUE, NULL);
  g_autoptr(GBytes) file = ms_test_encode(image, MS_IMAGE_FORMAT_PNG);
  g_autoptr(GByteArray) chunks = g_byte_array_new();

  append_text(chunks, type, keyword, text);
  g_autoptr(GBytes) before = insert(file, AFTER_IHDR, chunks);
  assert_turned(before, image, orientation);
  if (orientation == 1)
    return;
  assert_not_by_rows(before);
  /* Behind the pixels, where only the whole file tells. */
  g_autoptr(GBytes) behind = insert(file, ms_test_png_find(file, "IEND"), chunks);
  g_autoptr(MsImage) found = ms_test_decode(behind);
  g_assert_cmpint(ms_image_get_width(found), ==, HEIGHT);
  assert_not_by_rows(behind);
}

static void
test_png(void)
{
  g_autofree char *xmp = packet(6, FALSE);
  g_autofree char *exif = raw_profile("exif", "Exif", 5, exif_6, sizeof exif_6);
  g_autofree char *app1 = raw_profile("APP1", "", 0, exif_6 + 1, sizeof exif_6 - 1);
  g_autofree char *raw_xmp = raw_profile("xmp", "", 0, xmp, strlen(xmp));

  check_png("iTXt", "XML:com.adobe.xmp", xmp, 6);
  check_png("zTXt", "Raw profile type exif", exif, 6);
  check_png("tEXt", "Raw profile type exif", exif, 6);
  check_png("tEXt", "Raw profile type APP1", app1, 6);
  check_png("zTXt", "Raw profile type xmp", raw_xmp, 6);
  check_png("tEXt", "Comment", xmp, 1);
  check_png("tEXt", "Raw profile type exif", "\nexif\n", 1);
  check_png("tEXt", "Raw profile type exif", "zz", 1);
}

/* A text that unpacks to more than the limit is left out, as is one that is no zlib stream. */
static void
test_bombs(void)
{
  g_autoptr(GByteArray) chunk = g_byte_array_new();
  g_autofree char *zeros = g_strnfill(1 << 20, '0');

  append_text(chunk, "zTXt", "Raw profile type exif", zeros);
  gsize size = chunk->len - 12;
  g_autoptr(GBytes) kept = ms_png_text_read("zTXt", chunk->data + 8, size, 1 << 20);
  g_assert_nonnull(kept);
  g_assert_null(ms_png_text_read("zTXt", chunk->data + 8, size, (1 << 20) - 1));
  for (gsize n = 22; n < size; n += 7)
    g_assert_null(ms_png_text_read("zTXt", chunk->data + 8, n, 1 << 20));
}

void
ms_test_orientation(void)
{
  g_test_add_func("/orientation/xmp/packets", test_packets);
  g_test_add_func("/orientation/jpeg", test_jpeg);
  g_test_add_func("/orientation/png", test_png);
  g_test_add_func("/orientation/png/bombs", test_bombs);
}
