/* SPDX-License-Identifier: MIT */
/* The steps for each band of an image that exceeds the memory limit: verification, inspection, compression. */
#include <string.h>

#include <glib/gstdio.h>

#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"

#define WIDTH 301
#define HEIGHT 403
#define LIMIT (500 << 10)

/* Settings that the serial reference runs fast, and an output that is encoded in little memory. */
static void
set_up(BatchFixture *f, const char *name, int width, int height)
{
  g_autofree char *path = g_build_filename(f->in, name, NULL);
  g_autoptr(MsImage) image = ms_test_image_random(width, height, 7, TRUE, NULL);

  f->request.settings.params.sp = 1;
  f->request.settings.params.max_iterations = 1;
  f->request.on_conflict = MS_CONFLICT_OVERWRITE;
  g_assert_true(ms_image_save(image, path, NULL, NULL, NULL, NULL));
}

static MsBatchItem *
run(BatchFixture *f, guint64 limit, GPtrArray **items)
{
  f->request.memory_limit = limit;
  f->engine->runs = f->n_finished = 0;
  *items = batch_fixture_plan(f);
  batch_fixture_run_good(f, *items);
  return batch_fixture_item(*items, 0);
}

static void
test_verified(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GPtrArray) items = NULL;

  set_up(f, "a.jpg", WIDTH, HEIGHT);
  f->request.verify = TRUE;
  const MsBatchItem *item = run(f, LIMIT, &items);
  g_assert_cmpuint(f->engine->runs, >, 1);
  g_assert_cmpint(item->status, ==, MS_ITEM_DONE);
  g_assert_true(item->verified);
  g_assert_cmpuint(item->difference.mismatched_pixels, ==, 0);
}

/* A band at a time, the same pixels differ, by the same amount, as in the image as a whole; nothing is saved. */
static void
test_different(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GPtrArray) whole_items = NULL, items = NULL;

  set_up(f, "a.jpg", WIDTH, HEIGHT);
  f->request.verify = TRUE;
  f->engine->behaviour = WRONG_ENGINE;
  const MsBatchItem *whole = run(f, 0, &whole_items);
  g_assert_cmpuint(f->engine->runs, ==, 1);
  g_assert_true(ms_batch_item_differs(whole));
  const MsBatchItem *item = run(f, LIMIT, &items);
  g_assert_cmpuint(f->engine->runs, >, 1);
  g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
  g_assert_true(item->verified);
  g_assert_cmpuint(item->difference.mismatched_pixels, ==, whole->difference.mismatched_pixels * f->engine->runs);
  g_assert_cmpint(item->difference.max_difference, ==, whole->difference.max_difference);
  g_assert_nonnull(strstr(item->error, "differs from the reference"));
  g_assert_cmpuint(ms_test_folder_count(f->out), ==, 0);
}

/* ---- Inspection: the bands are those of the image, each once, from top to bottom. */

typedef struct {
  BatchFixture *fixture;
  MsImage *source;
  int next_row;
  guint bands;
} Inspection;

static MsEngine *
open_engine(gpointer data, GError **error)
{
  return ms_engine_ref(((Inspection *)data)->fixture->engine->base);
}

static gboolean
inspect(const MsInspection *rows, gpointer data, GError **error)
{
  Inspection *self = data;
  MsImage *source = rows->source;
  const gsize stride = ms_image_get_stride(source);

  g_assert_cmpint(rows->first_row, ==, self->next_row);
  g_assert_cmpint(ms_image_get_width(source), ==, WIDTH);
  g_assert_cmpint(ms_image_get_height(source), ==, ms_image_get_height(rows->result));
  g_assert_cmpmem(ms_image_get_pixels(source), ms_image_get_byte_size(source),
                  ms_image_get_pixels(self->source) + (gsize)rows->first_row * stride, ms_image_get_byte_size(source));
  self->next_row += ms_image_get_height(source);
  self->bands++;
  return TRUE;
}

static void
check_inspected(BatchFixture *f, const char *output, guint64 limit)
{
  g_autofree char *path = g_build_filename(f->in, "a.jpg", NULL);
  g_autoptr(MsImage) source = ms_image_load(path, NULL, NULL, NULL);
  Inspection inspection = {.fixture = f, .source = source};
  const MsBatchRun own = {.request = &f->request, .open = open_engine, .inspect = inspect, .data = &inspection};

  f->engine->runs = 0;
  f->request.output = output;
  f->request.memory_limit = limit;
  g_autoptr(GPtrArray) items = batch_fixture_plan(f);
  g_assert_true(ms_runner_run(items, &own, NULL));
  g_assert_cmpint(batch_fixture_item(items, 0)->status, ==, MS_ITEM_DONE);
  g_assert_cmpint(inspection.next_row, ==, HEIGHT);
  g_assert_cmpuint(inspection.bands, ==, f->engine->runs);
  g_assert_cmpint(inspection.bands > 1, ==, limit > 0);
}

/* With an output or without, as for reports alone. */
static void
test_inspected(BatchFixture *f, gconstpointer data)
{
  set_up(f, "a.jpg", WIDTH, HEIGHT);
  check_inspected(f, f->request.output, 0);
  check_inspected(f, f->request.output, LIMIT);
  check_inspected(f, NULL, LIMIT);
}

/* ---- A PNG file that is compressed as a whole where the memory allows it. */

static MsImage *
load_output(BatchFixture *f, const char *name, gsize *size)
{
  g_autofree char *path = batch_fixture_out_path(f, name);
  g_autofree char *content = NULL;

  g_assert_true(g_file_get_contents(path, &content, size, NULL));
  return ms_image_load(path, NULL, NULL, NULL);
}

static void
test_png_in_bands(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GPtrArray) whole_items = NULL, items = NULL;
  gsize size = 0;

  set_up(f, "a.png", 1500, 1200);
  f->request.jobs = 1;
  g_assert_cmpint(run(f, 0, &whole_items)->status, ==, MS_ITEM_DONE);
  g_autoptr(MsImage) whole = load_output(f, "a.png", &size);
  /* The filtered rows and their compressed bytes have twice 5.4 MB. */
  g_assert_cmpint(run(f, 8 << 20, &items)->status, ==, MS_ITEM_DONE);
  g_assert_cmpuint(f->engine->runs, >, 1);
  g_autoptr(MsImage) in_bands = load_output(f, "a.png", &size);
  ms_test_assert_same_image(whole, in_bands);
}

/* The memory of an encoder grows with its threads, and counts before the image is begun. */
static void
test_png_with_threads(BatchFixture *f, gconstpointer data)
{
  g_autoptr(GPtrArray) alone = NULL, many = NULL;

  set_up(f, "a.png", 1500, 1200);
  f->request.jobs = 1;
  g_assert_cmpint(run(f, 8 << 20, &alone)->status, ==, MS_ITEM_DONE);
  f->request.jobs = 16;
  const MsBatchItem *item = run(f, 8 << 20, &many);
  g_assert_cmpint(item->status, ==, MS_ITEM_FAILED);
  g_assert_nonnull(strstr(item->error, "by bands of rows it needs"));
}

void
ms_test_batch_bands(void)
{
  BATCH_FIXTURE_ADD("bands/verified", test_verified);
  BATCH_FIXTURE_ADD("bands/different", test_different);
  BATCH_FIXTURE_ADD("bands/inspected", test_inspected);
  BATCH_FIXTURE_ADD("bands/png", test_png_in_bands);
  BATCH_FIXTURE_ADD("bands/png-with-threads", test_png_with_threads);
}
