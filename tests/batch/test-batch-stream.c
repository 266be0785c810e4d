/* SPDX-License-Identifier: MIT */
/* Images that exceed the memory limit: filtered in bands of rows, they give the same files as those held as a whole. */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/batch/stream-plan.h"
#include "core/image/codec.h"
#include "core/image/image-save.h"
#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"

/* Large enough for PNG to be encoded in bands, whose memory is a part of the image's. */
#define WIDTH 1500
#define HEIGHT 1000
#define LIMIT (G_GUINT64_CONSTANT(21) << 19)

/* For images with a side of 65000 pixels: less than they take, more than the PNG encoder's rows. */
#define LONGEST_LIMIT (G_GUINT64_CONSTANT(16) << 20)

/* ---- The plan. */

static MsStreamRequest
request_of(int width, int height, int halo, guint64 memory)
{
  return (MsStreamRequest){
    .width = width, .height = height, .params = {.sp = halo / 2, .max_iterations = 1}, .memory = memory};
}

static void
assert_plan(const MsStreamRequest *request, int halo, int most_rows)
{
  MsStreamPlan plan = ms_stream_plan(request);

  g_assert_cmpint(plan.halo, ==, halo);
  g_assert_cmpint(plan.most_rows, ==, most_rows);
}

static void
test_plan(void)
{
  /* A row has 400 bytes: 20 rows of halo and three times the rows of the band fit. */
  MsStreamRequest request = request_of(100, 1000, 10, 400 * (20 + 3 * 7));
  assert_plan(&request, 10, 7);
  g_assert_cmpuint(ms_stream_plan(&request).bytes, ==, request.memory);
  request.memory--;
  assert_plan(&request, 10, 6);
  request.codec_bytes = 3 * 400;
  assert_plan(&request, 10, 5);
  /* A copy with the halo takes 20 rows more, and each band a fourth row. */
  request = request_of(100, 1000, 10, 400 * (2 * 20 + 4 * 7));
  request.halo_copies = 1;
  assert_plan(&request, 10, 7);

  /* One row does not fit: the plan says what it needs. */
  request = request_of(100, 1000, 10, 400 * 22);
  assert_plan(&request, 10, 0);
  g_assert_cmpuint(ms_stream_plan(&request).bytes, ==, 400 * 23);

  /* The halo ends with the image, and so does the band. */
  request = request_of(100, 8, 64, 1 << 20);
  assert_plan(&request, 8, 8);
  request.params = (MsParams){.sp = 1.5, .max_iterations = 100};
  request.height = 10000;
  assert_plan(&request, 202, (int)(((1 << 20) / 400 - 404) / 3));

  /* Of the level above, of 50x500 pixels, a result is kept; while it is computed, there is its picture, too. */
  request = request_of(100, 1000, 10, 50 * 500 * 4 + 400 * (20 + 3 * 77));
  request.params.levels = 1;
  request.coarse_copies = 1;
  assert_plan(&request, 10, 0);
  g_assert_cmpuint(ms_stream_plan(&request).bytes, ==, 3 * 50 * 500 * 4 + 36 * 400);
  request.memory = 3 * 50 * 500 * 4 + 36 * 400;
  assert_plan(&request, 10, (int)((2 * 50 * 500 * 4 + 36 * 400) / 400 - 20) / 3);
  request.params.levels = 2;
  g_assert_cmpuint(ms_stream_plan(&request).bytes, ==, 4 * 50 * 500 * 4 + 36 * 400);

  /* However much memory there is, a band has 256 MiB at most. */
  request = request_of(1 << 16, 1 << 16, 2, G_GUINT64_CONSTANT(1) << 40);
  assert_plan(&request, 2, 1 << 10);
}

/* ---- Equal files. */

/* Settings that the serial reference runs fast. */
static void
set_fast(BatchFixture *f)
{
  f->request.settings.params.sp = 1;
  f->request.settings.params.max_iterations = 1;
}

static void
add_picture(BatchFixture *f, const char *name, int width, int height, gboolean opaque)
{
  g_autofree char *path = g_build_filename(f->in, name, NULL);
  g_autoptr(GBytes) exif = g_bytes_new("II*\0\010\0\0\0\0\0\0\0\0\0", 14);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 3000, 3000);
  g_autoptr(MsImage) image = ms_test_image_random(width, height, 7, opaque, metadata);
  MsSaveOptions save = ms_save_options_default();

  save.overwrite = TRUE;
  g_assert_true(ms_image_save(image, path, &save, NULL, NULL, NULL));
}

static char *
read_output(BatchFixture *f, const char *name, gsize *size)
{
  g_autofree char *path = batch_fixture_out_path(f, name);
  char *content = NULL;

  g_assert_true(g_file_get_contents(path, &content, size, NULL));
  return content;
}

static void
run_all(BatchFixture *f, guint64 limit)
{
  f->request.memory_limit = limit;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  f->engine->runs = f->n_finished = 0;
  const char *profile = f->request.settings.params.space == MS_SPACE_RGB ? NULL : "sRGB";
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  for (guint i = 0; i < items->len; i++) {
    g_assert_cmpstr(batch_fixture_item(items, i)->error, ==, NULL);
    g_assert_cmpstr(batch_fixture_item(items, i)->profile, ==, profile);
  }
}

/* Runs the one image with and without a limit, and compares the files. */
static void
assert_equal(BatchFixture *f, const char *output, guint64 limit)
{
  gsize whole_size = 0, streamed_size = 0;

  run_all(f, 0);
  g_assert_cmpuint(f->engine->runs, ==, f->request.repeat);
  g_autofree char *whole = read_output(f, output, &whole_size);
  run_all(f, limit);
  g_assert_cmpuint(f->engine->runs, >, f->request.repeat);
  g_autofree char *streamed = read_output(f, output, &streamed_size);
  g_assert_cmpmem(whole, whole_size, streamed, streamed_size);
}

static void
test_opaque(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  add_picture(f, "a.png", WIDTH, HEIGHT, TRUE);
  assert_equal(f, "a.png", LIMIT);
}

static void
test_levels(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  f->request.settings.params.levels = 2;
  f->request.verify = TRUE;
  add_picture(f, "a.png", WIDTH, HEIGHT, TRUE);
  assert_equal(f, "a.png", 2 * LIMIT);
}

static void
test_transparent(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  add_picture(f, "a.png", WIDTH, HEIGHT, FALSE);
  f->request.repeat = 2;
  f->request.save.compression = 6;
  assert_equal(f, "a.png", LIMIT);
}

/* In another colour space, also compared with the reference, which converts no more than the rows of a band. */
static void
test_space(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  f->request.settings.params.space = MS_SPACE_LAB;
  f->request.verify = TRUE;
  add_picture(f, "a.jpg", 301, 403, TRUE);
  assert_equal(f, "a.jpg", 500 << 10);
}

/* The longest sides that a JPEG file can have are near these. */
static void
test_longest(BatchFixture *f, gconstpointer data)
{
  const int thickness = 30;

  set_fast(f);
  f->request.save.compression = 1;
  add_picture(f, "a.png", 65000, thickness, TRUE);
  assert_equal(f, "a.png", LONGEST_LIMIT);
  add_picture(f, "a.png", thickness, 65000, TRUE);
  assert_equal(f, "a.png", LONGEST_LIMIT);
  add_picture(f, "a.png", 65000, thickness, TRUE);
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  assert_equal(f, "a.jpg", LONGEST_LIMIT);
}

static void
test_long(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  add_picture(f, "a.png", 15000, 100, FALSE);
  assert_equal(f, "a.png", LIMIT);
  add_picture(f, "a.png", 100, 15000, FALSE);
  assert_equal(f, "a.png", LIMIT);
}

/* JPEG needs little memory for encoding, so a small image is enough. */
static void
test_jpeg(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  add_picture(f, "a.jpg", 301, 403, TRUE);
  assert_equal(f, "a.jpg", 500 << 10);
  f->request.save.quality = 60;
  assert_equal(f, "a.jpg", 500 << 10);
}

/* Transparent pixels are laid on white, which is noted. */
static void
test_png_to_jpeg(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  add_picture(f, "a.png", 301, 403, FALSE);
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  assert_equal(f, "a.jpg", 500 << 10);
}

/* TIFF needs a strip of memory for encoding. */
static void
test_tiff(BatchFixture *f, gconstpointer data)
{
  set_fast(f);
  add_picture(f, "a.tif", 1001, 1003, TRUE);
  assert_equal(f, "a.tif", 6 << 20);
  add_picture(f, "a.tif", 1001, 1003, FALSE);
  f->request.save.compression = 0;
  assert_equal(f, "a.tif", 6 << 20);
}

/* ---- What can go wrong. */

static MsBatchItem *
run_one(BatchFixture *f, GPtrArray **items)
{
  *items = batch_fixture_plan(f);
  batch_fixture_run_good(f, *items);
  return batch_fixture_item(*items, 0);
}

static void
check_damaged(BatchFixture *f, const char *name)
{
  g_autofree char *path = g_build_filename(f->in, name, NULL);
  g_autoptr(GPtrArray) items = NULL;
  GStatBuf info;

  f->engine->runs = f->n_finished = 0;
  set_fast(f);
  add_picture(f, name, WIDTH, HEIGHT, TRUE);
  g_assert_cmpint(g_stat(path, &info), ==, 0);
  g_assert_cmpint(truncate(path, info.st_size / 4 * 3), ==, 0);
  f->request.memory_limit = LIMIT;
  const MsBatchItem *item = run_one(f, &items);
  g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(item->error, name));
  g_assert_nonnull(strstr(item->error, "damaged"));
  g_assert_cmpuint(f->engine->runs, >, 0);
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 0);
  g_assert_cmpint(g_remove(path), ==, 0);
}

static void
test_damaged(BatchFixture *f, gconstpointer data)
{
  check_damaged(f, "a.png");
  check_damaged(f, "a.jpg");
}

/* The rows of an image that is turned are not stored in order. */
static void
test_turned(BatchFixture *f, gconstpointer data)
{
  static const guint8 quarter_turn[] = "II*\0\010\0\0\0\1\0\022\1\3\0\1\0\0\0\6\0\0\0\0\0\0";
  static const char *const names[] = {"a.png", "b.jpg"};
  g_autoptr(GBytes) exif = g_bytes_new_static(quarter_turn, sizeof quarter_turn);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, exif, 0, 0);
  g_autoptr(MsImage) image = ms_test_image_random(WIDTH, HEIGHT, 7, TRUE, metadata);

  set_fast(f);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename(f->in, names[i], NULL);
    g_assert_true(ms_image_save(image, path, NULL, NULL, NULL, NULL));
  }
  f->request.save.format = MS_IMAGE_FORMAT_JPEG;
  f->request.memory_limit = LIMIT;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  batch_fixture_run_good(f, items);
  for (guint i = 0; i < items->len; i++) {
    g_assert_nonnull(strstr(batch_fixture_item(items, i)->error, names[i]));
    g_assert_nonnull(strstr(batch_fixture_item(items, i)->error, "upright"));
  }
  g_assert_cmpuint(f->engine->runs, ==, 0);
}

static void
test_cancelled(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  set_fast(f);
  add_picture(f, "a.png", WIDTH, HEIGHT, TRUE);
  f->request.memory_limit = LIMIT;
  f->engine->cancel_after_first = f->cancellable;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_false(batch_fixture_run(f, items, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_PENDING);
  g_assert_cmpuint(f->engine->runs, ==, 1);
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 0);
}

/* Requests that need the whole image in memory are refused with the reason, before any filtering. */
static void
test_refused(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GPtrArray) items = NULL;

  set_fast(f);
  add_picture(f, "a.png", WIDTH, HEIGHT, TRUE);
  f->request.memory_limit = LIMIT;
  f->request.save.format = MS_IMAGE_FORMAT_WEBP;
  const MsBatchItem *item = run_one(f, &items);
  g_assert_nonnull(strstr(item->error, "a.png"));
  g_assert_nonnull(strstr(item->error, "--memory-limit"));
  g_assert_nonnull(strstr(item->error, "the format of the output"));
  g_assert_cmpuint(f->engine->runs, ==, 0);
}

/* ---- Another process takes the name while the image is being filtered: the complete file gets another one. */

static MsEngine *
open_engine(gpointer data, GError **error)
{
  return ms_engine_ref(((BatchFixture *)data)->engine->base);
}

static void
take_name(MsBatchEvent *event, gpointer data)
{
  BatchFixture *f = data;

  if (event->kind == MS_BATCH_PROGRESS && f->n_progress++ == 0)
    batch_fixture_add_file(f, f->out, "a.png", "of another process");
}

static void
test_name_taken(BatchFixture *f, gconstpointer data)
{
  const MsBatchRun own = {.request = &f->request, .open = open_engine, .event = take_name, .data = f, .event_data = f};
  gsize size = 0, again_size = 0;

  set_fast(f);
  add_picture(f, "a.png", WIDTH, HEIGHT, TRUE);
  run_all(f, LIMIT);
  g_autofree char *expected = read_output(f, "a.png", &size);
  g_autofree char *path = batch_fixture_out_path(f, "a.png");
  g_assert_cmpint(g_remove(path), ==, 0);
  f->n_progress = 0;
  f->request.on_conflict = MS_CONFLICT_UNIQUE;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_true(ms_runner_run(items, &own, NULL));
  batch_fixture_assert_output(f, batch_fixture_item(items, 0), "a-1.png");
  g_autofree char *actual = read_output(f, "a-1.png", &again_size);
  g_assert_cmpmem(expected, size, actual, again_size);
}

void
ms_test_batch_stream(void)
{
  g_test_add_func("/batch/stream/plan", test_plan);
  BATCH_FIXTURE_ADD("stream/opaque", test_opaque);
  BATCH_FIXTURE_ADD("stream/levels", test_levels);
  BATCH_FIXTURE_ADD("stream/transparent", test_transparent);
  BATCH_FIXTURE_ADD("stream/space", test_space);
  BATCH_FIXTURE_ADD("stream/long", test_long);
  BATCH_FIXTURE_ADD("stream/longest", test_longest);
  BATCH_FIXTURE_ADD("stream/jpeg", test_jpeg);
  BATCH_FIXTURE_ADD("stream/png-to-jpeg", test_png_to_jpeg);
  BATCH_FIXTURE_ADD("stream/tiff", test_tiff);
  BATCH_FIXTURE_ADD("stream/damaged", test_damaged);
  BATCH_FIXTURE_ADD("stream/turned", test_turned);
  BATCH_FIXTURE_ADD("stream/cancelled", test_cancelled);
  BATCH_FIXTURE_ADD("stream/refused", test_refused);
  BATCH_FIXTURE_ADD("stream/name-taken", test_name_taken);
}
