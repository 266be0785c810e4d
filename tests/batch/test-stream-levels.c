/* SPDX-License-Identifier: MIT */
/*
 * Images with levels in bands of rows: the pixels of the whole image, from the rows that the plan holds. On a device,
 * which compiles a program for nearly every radius, the suite takes one whose levels share their programs; CI takes
 * all, and more images.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "core/batch/streamed-result.h"
#include "core/engine/engine.h"
#include "core/filter/pyramid/pyramid.h"
#include "core/filter/reference.h"
#include "core/filter/space/space.h"
#include "core/image/image-save.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"

#define CASES 24
#define MANY_CASES 200
/* Of the suite on a device. */
#define FEW_CASES 10
#define FEW_RADIUS 2

/* Rows that are halved a few at a time are those of the whole picture. */
static void
test_halving(void)
{
  for (int i = 0; i < 13 * 13; i++) {
    const MsPyramidSize size = {1 + i % 13, 1 + i / 13}, half = ms_pyramid_size(size.width, size.height, 1);
    g_autoptr(MsImage) image = ms_test_image_random(size.width, size.height, (guint32)i, TRUE, NULL);
    const gsize bytes = (gsize)half.width * half.height * 4;
    g_autofree guint8 *expected = g_malloc(bytes), *actual = g_malloc(bytes);
    const guint8 *fine = ms_image_get_pixels(image);
    ms_pyramid_halve(fine, (MsRows){0, size.height}, size, (MsRows){0, half.height}, expected);
    for (int y = 0; y < half.height; y += 2) {
      const MsRows rows = {y, MIN(2, half.height - y)}, held = ms_bands_finer(rows, size.height);
      g_autofree guint8 *own = g_memdup2(fine + (gsize)held.first * size.width * 4, (gsize)held.count * size.width * 4);
      ms_pyramid_halve(own, held, size, rows, actual + (gsize)y * half.width * 4);
    }
    g_assert_cmpmem(expected, bytes, actual, bytes);
  }
}

/* One random image with its settings, and how it is read and cut. */
typedef struct {
  MsImage *image;
  MsSettings settings;
  int most_rows;
  gboolean in_scratch;
  gboolean verifies;
  guint repeat;
} Case;

static Case
make_case(GRand *random)
{
  static const double radii[] = {1, 2, 3, 5.5, 8};
  const int width = g_rand_int_range(random, 1, 90), height = g_rand_int_range(random, 1, 160);
  const guint32 seed = g_rand_int(random);
  Case self = {.settings = ms_settings_default(),
               .most_rows = g_rand_int_range(random, 1, 24),
               .in_scratch = g_rand_boolean(random),
               .verifies = g_rand_boolean(random),
               .repeat = (guint)g_rand_int_range(random, 1, 3)};
  MsParams *params = &self.settings.params;

  self.image = g_rand_boolean(random) ? ms_test_image_random(width, height, seed, g_rand_boolean(random), NULL)
                                      : ms_fixture_scene(width, height, seed);
  params->sp = radii[g_rand_int_range(random, 0, G_N_ELEMENTS(radii))];
  params->sr = g_rand_int_range(random, 5, 80);
  params->max_iterations = g_rand_int_range(random, 1, 4);
  params->levels = g_rand_int_range(random, 1, 4);
  params->space = (MsSpace)g_rand_int_range(random, MS_SPACE_RGB, MS_SPACE_LAB + 1);
  return self;
}

/* Of a case that is streamed: the rows of the result so far. */
typedef struct {
  const Case *of;
  guint8 *pixels;
  int done;
} Streamed;

/* The band is that of the serial reference with the reference's own levels above. */
static gboolean
verify_band(MsImage *source, MsImage *result, const MsStreamedBand *band, gpointer data, GError **error)
{
  const Case *self = ((const Streamed *)data)->of;
  MsJob job = {.source = band->image, .settings = &self->settings, .region = &band->region, .coarser = band->coarser};

  g_assert_nonnull(band->coarser);
  g_autoptr(MsImage) expected = ms_reference_run(&job, error);
  g_assert_no_error(*error);
  ms_fixture_assert_same(expected, result, "a band with its levels");
  return TRUE;
}

static gboolean
take_rows(MsImage *result, gpointer data, GError **error)
{
  Streamed *self = data;

  memcpy(self->pixels + (gsize)self->done * ms_image_get_stride(result), ms_image_get_pixels(result),
         ms_image_get_byte_size(result));
  self->done += ms_image_get_height(result);
  return TRUE;
}

static MsImage *
stream(const Case *self, MsEngine *engine, const char *path)
{
  const MsImageLimits limits = {.max_pixels = 1 << 20};
  const int height = ms_image_get_height(self->image);
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, path, path);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImageFile) input = ms_image_file_open(path, &limits, NULL, &error);
  MsStreamedFile file = {.input = input, .plan = {ms_params_halo(&self->settings.params, height), self->most_rows, 0}};
  Streamed streamed = {self, g_malloc(ms_image_get_byte_size(self->image)), 0};
  MsStreamedRun run = {.engine = engine,
                       .settings = &self->settings,
                       .repeat = self->repeat,
                       .item = item,
                       .verifies = self->verifies,
                       .inspect = self->verifies ? verify_band : NULL,
                       .take = take_rows,
                       .data = &streamed};

  g_assert_no_error(error);
  item->log = ms_timing_log_new();
  if (self->in_scratch)
    file.scratch = ms_scratch_file_new(g_get_tmp_dir(), path);
  ms_streamed_file_inspect(&file, &error);
  g_assert_no_error(error);
  ms_streamed_file_filter(&file, &run, &error);
  g_assert_no_error(error);
  g_assert_cmpint(streamed.done, ==, height);
  g_assert_cmpuint(item->kernel_ms->len, ==, self->repeat);
  ms_streamed_file_clear(&file);
  return ms_image_new_take(ms_image_get_width(self->image), height, streamed.pixels, NULL);
}

static void
check(const Case *self, MsEngine *engine, const char *path)
{
  g_autoptr(GError) error = NULL;
  MsSaveOptions save = ms_save_options_default();

  save.overwrite = TRUE;
  g_assert_true(ms_image_save(self->image, path, &save, NULL, NULL, &error));
  g_autoptr(MsImage) expected = ms_fixture_reference(self->image, &self->settings.params, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MsImage) actual = stream(self, engine, path);
  ms_fixture_assert_same(expected, actual, "an image with levels in bands");
}

/* @sp: the radius of all, 0 for random ones */
static void
check_cases(MsEngine *engine, guint32 seed, int n, double sp)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp("ms-stream-XXXXXX", &error);
  g_autofree char *path = g_build_filename(folder, "a.png", NULL);

  for (int i = 0; i < n; i++) {
    Case a_case = make_case(random);
    MsParams *p = &a_case.settings.params;
    p->sp = sp > 0 ? sp : p->sp;
    g_test_message("%dx%d, levels %d, sp %g, %d iterations, %d rows in memory", ms_image_get_width(a_case.image),
                   ms_image_get_height(a_case.image), p->levels, p->sp, p->max_iterations, a_case.most_rows);
    check(&a_case, engine, path);
    g_object_unref(a_case.image);
  }
  g_unlink(path);
  g_rmdir(folder);
}

static void
test_reference(void)
{
  g_autoptr(MsEngine) engine = ms_reference_engine_new();

  check_cases(engine, 11, ms_fixture_form() >= MS_TEST_CI ? MANY_CASES : CASES, 0);
}

static void
test_device(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  const gboolean many = ms_fixture_form() >= MS_TEST_CI;
  const int n = many ? MANY_CASES : FEW_CASES;
  const double sp = many ? 0 : FEW_RADIUS;

  if (!context)
    return;
  g_autoptr(MsEngine) engine = ms_device_engine_new(context, MS_FALLBACK_FAIL, NULL, NULL);
  check_cases(engine, 12, n, sp);
  /* So little memory that a band is cut into stripes on the device. */
  ms_engine_set_memory_budget(engine, MS_SPACE_TABLES_BYTES + (192 << 10));
  check_cases(engine, 13, n, sp);
}

static void
test_several_devices(void)
{
  g_autoptr(MsContext) present = ms_fixture_context();
  g_autoptr(GPtrArray) devices = ms_device_enumerate(NULL);
  g_autoptr(GError) error = NULL;

  if (!present)
    return;
  if (!devices || devices->len < 2) {
    g_test_skip("Fewer than two devices.");
    return;
  }
  for (MsDivision division = MS_DIVISION_EQUAL; division <= MS_DIVISION_ADAPTIVE; division++) {
    g_autoptr(MsEngine) engine = ms_engine_open_several("0:0,0:1", division, NULL, NULL, &error);
    g_assert_no_error(error);
    check_cases(engine, 14 + division, FEW_CASES, FEW_RADIUS);
  }
}

int
main(int argc, char **argv)
{
  /* Two devices on every machine that has PoCL; other drivers ignore it. */
  g_setenv("POCL_DEVICES", "pthread basic", FALSE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stream-levels/halving", test_halving);
  g_test_add_func("/stream-levels/reference", test_reference);
  g_test_add_func("/stream-levels/device", test_device);
  g_test_add_func("/stream-levels/several-devices", test_several_devices);
  return g_test_run();
}
