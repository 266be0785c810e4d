/* SPDX-License-Identifier: MIT */
/* Images that exceed the memory and whose rows are not stored in order: they go through temporary files. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <jpeglib.h>
#include <png.h>

#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"

/* The image and its result exceed the limit; the steps of the temporary files and the encoder do not. */
#define WIDTH 1500
#define HEIGHT 1400
#define LIMIT (G_GUINT64_CONSTANT(20) << 20)

static void
save_turned(MsImage *image, const char *path, guint8 orientation)
{
  guint8 block[] = "II*\0\010\0\0\0\1\0\022\1\3\0\1\0\0\0?\0\0\0\0\0\0";
  block[18] = orientation;
  g_autoptr(GBytes) exif = g_bytes_new(block, sizeof block);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 0, 0);
  g_autoptr(GBytes) pixels = g_bytes_new(ms_image_get_pixels(image), ms_image_get_byte_size(image));
  g_autoptr(MsImage) turned = ms_image_new(ms_image_get_width(image), ms_image_get_height(image), pixels, metadata);

  g_assert_true(ms_image_save(turned, path, NULL, NULL, NULL, NULL));
}

static void
save_quarter_turn(MsImage *image, const char *path)
{
  save_turned(image, path, 6);
}

static void
save_half_turn(MsImage *image, const char *path)
{
  save_turned(image, path, 3);
}

static void
save_interlaced(MsImage *image, const char *path)
{
  int height = ms_image_get_height(image);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  FILE *file = fopen(path, "wb");

  g_assert_nonnull(file);
  g_assert_false(setjmp(png_jmpbuf(png)));
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)ms_image_get_width(image), (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB_ALPHA,
               PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  png_set_compression_level(png, 1);
  png_write_info(png, info);
  for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
    for (int y = 0; y < height; y++)
      png_write_row(png, ms_image_get_pixels(image) + (gsize)y * ms_image_get_width(image) * 4);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  g_assert_cmpint(fclose(file), ==, 0);
}

static void
save_progressive(MsImage *image, const char *path)
{
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  FILE *file = fopen(path, "wb");

  g_assert_nonnull(file);
  cinfo.err = jpeg_std_error(&errors);
  jpeg_create_compress(&cinfo);
  jpeg_stdio_dest(&cinfo, file);
  cinfo.image_width = (JDIMENSION)ms_image_get_width(image);
  cinfo.image_height = (JDIMENSION)ms_image_get_height(image);
  cinfo.input_components = 4;
  cinfo.in_color_space = JCS_EXT_RGBA;
  jpeg_set_defaults(&cinfo);
  jpeg_simple_progression(&cinfo);
  jpeg_start_compress(&cinfo, TRUE);
  while (cinfo.next_scanline < cinfo.image_height) {
    JSAMPROW row = (JSAMPROW)ms_image_get_pixels(image) + (gsize)cinfo.next_scanline * cinfo.image_width * 4;
    jpeg_write_scanlines(&cinfo, &row, 1);
  }
  jpeg_finish_compress(&cinfo);
  jpeg_destroy_compress(&cinfo);
  g_assert_cmpint(fclose(file), ==, 0);
}

/* The tag of the orientation in a file of this program, little-endian: tag 274, a short, once, and its value. */
static void
save_turned_tiff(MsImage *image, const char *path)
{
  static const guint8 upright[] = {0x12, 1, 3, 0, 1, 0, 0, 0, 1, 0};
  g_autofree char *content = NULL;
  gsize size = 0;
  char *tag;

  g_assert_true(ms_image_save(image, path, NULL, NULL, NULL, NULL));
  g_assert_true(g_file_get_contents(path, &content, &size, NULL));
  tag = memmem(content, size, upright, sizeof upright);
  g_assert_nonnull(tag);
  tag[8] = 6;
  g_assert_true(g_file_set_contents(path, content, (gssize)size, NULL));
}

/* One file whose rows are not stored in order. */
typedef struct {
  const char *name;
  gboolean opaque;
  void (*save)(MsImage *image, const char *path);
} Kind;

static const Kind kinds[] = {
  {"quarter-turn.png", FALSE, save_quarter_turn}, {"half-turn.jpg", TRUE, save_half_turn},
  {"interlaced.png", FALSE, save_interlaced},     {"progressive.jpg", TRUE, save_progressive},
  {"turned.tif", FALSE, save_turned_tiff},
};

static void
add_picture(BatchFixture *f, const Kind *kind)
{
  g_autofree char *path = g_build_filename(f->in, kind->name, NULL);
  g_autoptr(MsImage) image = ms_test_image_random(WIDTH, HEIGHT, 7, kind->opaque, NULL);

  /* Settings that the serial reference runs fast. */
  f->request.settings.params.sp = 1;
  f->request.settings.params.max_iterations = 1;
  kind->save(image, path);
}

static char *
make_scratch_folder(BatchFixture *f)
{
  char *path = g_build_filename(f->folder, "scratch", NULL);

  g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  return path;
}

/* Runs the one image and returns the bytes of its output. */
static GBytes *
run(BatchFixture *f, const Kind *kind, guint64 limit, const char *scratch)
{
  g_autofree char *output = batch_fixture_out_path(f, kind->name);
  char *content = NULL;
  gsize size = 0;

  f->request.memory_limit = limit;
  f->request.scratch = scratch;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  f->engine->runs = f->n_finished = 0;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  const MsBatchItem *item = batch_fixture_item(items, 0);
  g_assert_cmpstr(item->error, ==, NULL);
  g_autofree char *note = ms_note_describe(item->notes, MS_LANGUAGE_ENGLISH);
  g_assert_cmpint(scratch != NULL, ==, note && strstr(note, "temporary file"));
  g_assert_true(g_file_get_contents(output, &content, &size, NULL));
  return g_bytes_new_take(content, size);
}

static void
test_equal(BatchFixture *f, gconstpointer data)
{
  const Kind *kind = data;
  g_autofree char *scratch = make_scratch_folder(f);

  add_picture(f, kind);
  g_autoptr(GBytes) whole = run(f, kind, 0, NULL);
  g_assert_cmpuint(f->engine->runs, ==, 1);
  g_autoptr(GBytes) streamed = run(f, kind, LIMIT, scratch);
  g_assert_cmpuint(f->engine->runs, >, 1);
  g_assert_true(g_bytes_equal(whole, streamed));
  g_assert_cmpuint(ms_test_folder_count(scratch), ==, 0);
}

/* Runs all images and expects each to fail, with the words in what is said of it. */
static void
assert_refused(BatchFixture *f, const char *scratch, const char *const *words)
{
  f->request.memory_limit = LIMIT;
  f->request.scratch = scratch;
  /* With one thread for each image, PNG would be compressed as a whole. */
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  f->n_finished = 0;
  batch_fixture_run_good(f, items);
  g_assert_cmpuint(f->engine->runs, ==, 0);
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 0);
  g_assert_cmpuint(items->len, ==, G_N_ELEMENTS(kinds));
  for (guint i = 0; i < items->len; i++) {
    const MsBatchItem *item = batch_fixture_item(items, i);
    g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
    g_assert_nonnull(strstr(item->error, item->input));
    for (const char *const *word = words; *word; word++)
      g_assert_nonnull(strstr(item->error, *word));
  }
}

/* No folder for temporary files, one that does not exist, and files whose second half is missing. */
static void
test_refusals(BatchFixture *f, gconstpointer data)
{
  g_autofree char *nowhere = g_build_filename(f->folder, "nowhere", NULL);
  g_autofree char *scratch = make_scratch_folder(f);

  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
    add_picture(f, &kinds[i]);
  assert_refused(f, NULL, (const char *const[]){"cannot be read by rows. Raise the limit, or give --scratch.", NULL});
  assert_refused(f, nowhere, (const char *const[]){nowhere, "--scratch", NULL});
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autofree char *path = g_build_filename(f->in, kinds[i].name, NULL);
    GStatBuf info;
    g_assert_cmpint(g_stat(path, &info), ==, 0);
    g_assert_cmpint(truncate(path, info.st_size / 2), ==, 0);
  }
  assert_refused(f, scratch, (const char *const[]){"damaged", NULL});
  g_assert_cmpuint(ms_test_folder_count(scratch), ==, 0);
}

void
ms_test_batch_scratch(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autofree char *path = g_strdup_printf("/batch/scratch/%s", kinds[i].name);
    g_test_add(path, BatchFixture, &kinds[i], batch_fixture_set_up, test_equal, batch_fixture_tear_down);
  }
  BATCH_FIXTURE_ADD("scratch/refusals", test_refusals);
}
