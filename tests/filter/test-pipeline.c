/* SPDX-License-Identifier: MIT */
/* Tiles on three queues of one device: the rule that makes them, and the same picture as from one queue. */
#include "core/engine/engine.h"
#include "core/filter/mean-shift.h"
#include "core/filter/plan/plan.h"
#include "tests/support/fixture.h"

#define WIDTH 200
#define HEIGHT 150

/* Small windows, and the same in every test, which so share a program. */
static MsSettings
small_windows(void)
{
  MsSettings settings = ms_settings_default();

  settings.params.sp = 4;
  return settings;
}

static MsPlanCase
gpu_request(int width, int height)
{
  MsSettings settings = ms_settings_default();
  MsDeviceLimits limits = {.type = MS_DEVICE_TYPE_GPU,
                           .max_work_group = 1024,
                           .local_memory = 48 << 10,
                           .global_memory = G_GUINT64_CONSTANT(64) << 30,
                           .max_allocation = G_GUINT64_CONSTANT(16) << 30,
                           .compute_units = 100,
                           .fp64 = TRUE};
  MsPlanCase request = ms_plan_case(&settings, &limits, width, height);

  return request;
}

/* The tiles that overlap; checks that they fit the memory together and have more rows than they transfer twice. */
static int
tiles_of(const MsPlanCase *request)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_case_new(request, &error);
  const guint64 half = request->limits.global_memory / 2;
  const guint64 budget = request->share.memory_budget ? MIN(request->share.memory_budget, half) : half;

  g_assert_no_error(error);
  if (plan->depth > 1) {
    g_assert_cmpuint(plan->depth, ==, MS_PLAN_MOST_DEPTH);
    g_assert_cmpint(plan->tile_rows, >=, 2 * plan->halo);
    g_assert_cmpuint(plan->depth * ms_plan_device_bytes(plan, plan->tile_rows), <=, budget);
  }
  return plan->depth == 1 ? 1 : (plan->height + plan->tile_rows - 1) / plan->tile_rows;
}

/* Nothing overlaps where transfers are no copies, other pictures fill the time, or bands are shown one by one. */
static void
test_tiles_follow_the_device(void)
{
  const MsPlanCase usual = gpu_request(2560, 2560);
  MsPlanCase shared = usual, unified = usual, processor = usual, image = usual, modes = usual, levels = usual;

  g_assert_cmpint(tiles_of(&usual), >, 2);
  shared.share.is_shared = TRUE;
  g_assert_cmpint(tiles_of(&shared), ==, 1);
  unified.limits.host_unified = TRUE;
  g_assert_cmpint(tiles_of(&unified), ==, 1);
  processor.limits.type = MS_DEVICE_TYPE_CPU;
  g_assert_cmpint(tiles_of(&processor), ==, 1);
  image.settings.options.memory = MS_MEMORY_IMAGE;
  image.settings.options.kernel = MS_KERNEL_DIRECT;
  image.limits.images = TRUE;
  image.limits.image_max_width = image.limits.image_max_height = 16384;
  g_assert_cmpint(tiles_of(&image), ==, 1);
  modes.job.wants_modes = TRUE;
  g_assert_cmpint(tiles_of(&modes), ==, 1);
  levels.settings.params.levels = 1;
  g_assert_cmpint(tiles_of(&levels), ==, 1);
}

static void
take_no_rows(const guint8 *pixels, int done, gpointer data)
{
}

static void
test_tiles_follow_early_rows(void)
{
  MsPlanCase request = gpu_request(2560, 2560);

  request.job.rows = take_no_rows;
  g_assert_cmpint(tiles_of(&request), >, 2);
  request.settings.params.sp = 64; /* takes more than one launch, after which rows can be shown */
  g_assert_cmpint(tiles_of(&request), ==, 1);
}

static void
test_tiles_follow_the_image(void)
{
  MsPlanCase small = gpu_request(1024, 1024), low = gpu_request(65536, 600), large = gpu_request(16384, 16384),
             huge = gpu_request(60000, 60000);

  g_assert_cmpint(tiles_of(&small), ==, 1);
  g_assert_cmpint(tiles_of(&low), >, 1);
  low.settings.params.sp = 64;
  g_assert_cmpint(tiles_of(&low), ==, 1);
  g_assert_cmpint(tiles_of(&large), >, 8);
  g_assert_cmpint(tiles_of(&large), <=, 32);
  large.share.memory_budget = G_GUINT64_CONSTANT(128) << 20;
  g_assert_cmpint(tiles_of(&large), >, 32);
  huge.limits.global_memory = G_GUINT64_CONSTANT(2) << 30;
  g_assert_cmpint(tiles_of(&huge), >, 32);
}

/* All rows that are under way are in memory; where this gives tiles that are mostly halo, there is one at a time. */
static void
test_tiles_follow_the_host(void)
{
  const MsPlanCase usual = gpu_request(2560, 2560);
  const int halo = ms_params_halo(&usual.settings.params, 2560);

  for (int most_rows = 1; most_rows < 4000; most_rows += most_rows / 3 + 1) {
    MsRowStream stream = {.most_rows = most_rows};
    MsPlanCase request = usual;
    g_autoptr(GError) error = NULL;
    request.job.stream = &stream;
    g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint((int)plan->depth * plan->tile_rows, <=, most_rows);
    g_assert_cmpuint(plan->depth, ==, most_rows >= 6 * halo ? 3 : 1);
  }
}

typedef struct {
  int calls;
  int last;
} Progress;

static void
note_progress(int done, int total, gpointer data)
{
  Progress *progress = data;

  g_assert_cmpint(done, >, progress->last);
  g_assert_cmpint(done, <=, total);
  progress->last = done;
  progress->calls++;
}

/* A plan with tiles of @rows, of which so many are on the device at once. */
static MsPlan *
cut_plan(MsMeanShift *filter, MsImage *image, const MsSettings *settings, const MsRegion *region, guint depth, int rows)
{
  g_autoptr(GError) error = NULL;
  MsPlan *plan = ms_mean_shift_plan(filter, &(MsJob){.source = image, .settings = settings, .region = region}, &error);

  g_assert_no_error(error);
  plan->depth = depth;
  plan->tile_rows = rows;
  plan->band_rows = MIN(plan->band_rows, rows);
  return plan;
}

static void
check_same(MsContext *context, const char *kernel, const MsRegion *region, guint depth, int rows)
{
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) image = ms_fixture_scene(WIDTH, HEIGHT, 7);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsSettings settings = small_windows();
  g_autoptr(GError) error = NULL;
  Progress progress = {0};

  g_assert_true(ms_option_set_text(ms_option_find("kernel"), &settings, kernel, &error));
  g_autoptr(MsImage) expected =
    ms_fixture_filter(filter, (MsJob){.source = image, .settings = &settings, .region = region}, &error);
  g_assert_no_error(error);
  g_autoptr(MsPlan) plan = cut_plan(filter, image, &settings, region, depth, rows);
  g_autoptr(MsImage) actual = ms_fixture_filter(
    filter, (MsJob){.source = image, .progress = note_progress, .progress_data = &progress, .log = log, .plan = plan},
    &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, actual, kernel);
  const int tiles = (ms_image_get_height(actual) + rows - 1) / rows;
  g_assert_cmpint(progress.last, ==, ms_image_get_height(actual));
  g_assert_cmpint(progress.calls, >=, tiles);
  guint uploads = 0;
  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    uploads += ms_timing_log_get(log, i)->stage == MS_STAGE_UPLOAD;
  g_assert_cmpuint(uploads, ==, depth > 1 ? 1 : tiles);
  /* Kernels never overlap each other, so the wall time holds all of them. */
  g_assert_cmpfloat(ms_timing_log_get_filter_ms(log), >=, 0.99 * ms_timing_log_total_ms(log, MS_STAGE_KERNEL));
}

/* The pixels of a run, and those that it has to come to. */
typedef struct {
  Progress progress;
  MsImage *expected;
  const guint8 *pixels;
} EarlyRows;

static void
check_early_rows(const guint8 *pixels, int done, gpointer data)
{
  EarlyRows *self = data;

  note_progress(done, HEIGHT, &self->progress);
  g_assert_true(pixels == self->pixels);
  g_assert_cmpmem(pixels, (gsize)done * WIDTH * 4, ms_image_get_pixels(self->expected), (gsize)done * WIDTH * 4);
}

/* Whoever shows rows while the filter runs has those of each band when it is reported. */
static void
test_early_rows(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) image = ms_fixture_scene(WIDTH, HEIGHT, 7);
  g_autofree guint8 *pixels = g_malloc0((gsize)WIDTH * HEIGHT * 4);
  MsSettings settings = small_windows();
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) expected = ms_fixture_reference(image, &settings.params, NULL, &error);
  EarlyRows early = {.expected = expected, .pixels = pixels};
  g_autoptr(MsPlan) plan = cut_plan(filter, image, &settings, NULL, 1, HEIGHT);
  plan->band_rows = HEIGHT / 5;
  g_autoptr(MsImage) actual = ms_fixture_filter(
    filter, (MsJob){.source = image, .plan = plan, .into = pixels, .rows = check_early_rows, .rows_data = &early},
    &error);
  g_assert_no_error(error);
  g_assert_cmpint(early.progress.calls, ==, 5);
}

static void
test_same_picture(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  const char *const kernels[] = {"direct", "rows", "packed"};
  const MsRegion middle = {13, 21, 150, 97};

  if (!context)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
    check_same(context, kernels[i], NULL, 3, 17);
    check_same(context, kernels[i], NULL, 1, 40);
    check_same(context, kernels[i], &middle, 2, 20);
    check_same(context, kernels[i], NULL, 3, 4);
    check_same(context, kernels[i], NULL, 3, 1000);
  }
}

static void
test_cancelled(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  MsSettings settings = small_windows();
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) image = ms_fixture_scene(WIDTH, HEIGHT, 8);
  g_autoptr(MsPlan) plan = cut_plan(filter, image, &settings, NULL, 3, 10);
  g_cancellable_cancel(cancellable);
  g_assert_null(ms_fixture_filter(filter, (MsJob){.source = image, .cancellable = cancellable, .plan = plan}, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error(&error);
  g_autoptr(MsImage) after = ms_fixture_filter(filter, (MsJob){.source = image, .plan = plan}, &error);
  g_assert_no_error(error);
  g_assert_nonnull(after);
}

static gboolean
is_pinned(MsContext *context, MsImage *image)
{
  return ms_pinned_memory_holds(context->pinned, ms_image_get_pixels(image), ms_image_get_byte_size(image));
}

/* Results in memory that the device writes are the same, at most two at once, and may outlive the device's context. */
static void
test_pinned_results(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) image = ms_fixture_scene(WIDTH, HEIGHT, 10);
  MsSettings settings = small_windows();
  MsImage *results[3] = {NULL};
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  context->transfer_form = MS_TRANSFER_STAGED;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) expected = ms_fixture_reference(image, &settings.params, NULL, &error);
  for (guint depth = 1; depth <= 3; depth += 2) {
    g_autoptr(MsPlan) plan = cut_plan(filter, image, &settings, NULL, depth, depth > 1 ? HEIGHT / 5 : HEIGHT);
    for (guint i = 0; i < G_N_ELEMENTS(results); i++) {
      g_autoptr(MsTimingLog) log = ms_timing_log_new();
      results[i] = ms_fixture_filter(filter, (MsJob){.source = image, .log = log, .plan = plan}, &error);
      g_assert_no_error(error);
      g_assert_cmpint(is_pinned(context, results[i]), ==, i < 2);
      ms_fixture_assert_same(expected, results[i], "pinned");
      const MsTiming *last = ms_timing_log_get(log, ms_timing_log_get_length(log) - 1);
      g_assert_cmpint(last->stage, ==, MS_STAGE_DOWNLOAD);
      g_assert_cmpuint(last->bytes, ==, ms_image_get_byte_size(image));
    }
    const guint8 *first = ms_image_get_pixels(results[0]);
    g_clear_object(&results[0]);
    results[0] = ms_fixture_filter(filter, (MsJob){.source = image, .plan = plan}, &error);
    g_assert_true(ms_image_get_pixels(results[0]) == first);
    g_clear_object(&results[1]);
    g_clear_object(&results[2]);
    if (depth == 1)
      g_clear_object(&results[0]);
  }
  g_clear_pointer(&filter, ms_mean_shift_free);
  g_clear_pointer(&context, ms_context_unref);
  ms_fixture_assert_same(expected, results[0], "after its context");
  g_object_unref(results[0]);
}

/* An engine whose memory is limited keeps no results. */
static void
test_pinned_by_engine(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) image = ms_fixture_scene(WIDTH, HEIGHT, 11);
  const MsSettings settings = small_windows();
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  context->transfer_form = MS_TRANSFER_STAGED;
  g_autoptr(MsEngine) engine = ms_device_engine_new(context, MS_FALLBACK_FAIL, NULL, NULL);
  for (int limited = 0; limited <= 1; limited++) {
    MsJob run = {.source = image, .settings = &settings};
    if (limited)
      ms_engine_set_memory_budget(engine, G_GUINT64_CONSTANT(1) << 30);
    g_autoptr(MsImage) result = ms_engine_run(engine, &run, &error);
    g_assert_no_error(error);
    g_assert_true(is_pinned(context, result) == !limited);
    ms_job_clear(&run);
  }
}

/* Runs filters on sibling contexts in one thread each, as a batch does. */
static gpointer
filter_on_sibling(gpointer data)
{
  MsContext *context = data;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) image = ms_fixture_scene(WIDTH, HEIGHT, 9);
  MsSettings settings = small_windows();
  g_autoptr(GError) error = NULL;
  MsImage *result = ms_fixture_filter(filter, (MsJob){.source = image, .settings = &settings}, &error);

  g_assert_no_error(error);
  return result;
}

static void
test_siblings_at_once(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GPtrArray) siblings = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);
  GThread *threads[4];

  if (!context)
    return;
  g_autoptr(MsImage) expected = filter_on_sibling(context);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
    g_autoptr(GError) error = NULL;
    MsContext *sibling = ms_context_new_sibling(context, &error);
    g_assert_no_error(error);
    g_ptr_array_add(siblings, sibling);
    threads[i] = g_thread_new("sibling", filter_on_sibling, sibling);
  }
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
    g_autoptr(MsImage) actual = g_thread_join(threads[i]);
    ms_fixture_assert_same(expected, actual, "sibling");
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pipeline/tiles-follow-the-device", test_tiles_follow_the_device);
  g_test_add_func("/pipeline/tiles-follow-early-rows", test_tiles_follow_early_rows);
  g_test_add_func("/pipeline/tiles-follow-the-image", test_tiles_follow_the_image);
  g_test_add_func("/pipeline/tiles-follow-the-host", test_tiles_follow_the_host);
  g_test_add_func("/pipeline/early-rows", test_early_rows);
  g_test_add_func("/pipeline/same-picture", test_same_picture);
  g_test_add_func("/pipeline/cancelled", test_cancelled);
  g_test_add_func("/pipeline/pinned-results", test_pinned_results);
  g_test_add_func("/pipeline/pinned-by-engine", test_pinned_by_engine);
  g_test_add_func("/pipeline/siblings-at-once", test_siblings_at_once);
  return g_test_run();
}
