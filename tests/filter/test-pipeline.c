/* SPDX-License-Identifier: MIT */
/* Pieces on three queues of one device: the rule that makes them, and the same picture as from one queue. */
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

static MsPlanRequest
gpu_request(int width, int height)
{
  MsSettings settings = ms_settings_default();
  MsDeviceLimits limits = {.type = MS_DEVICE_TYPE_GPU,
                           .max_work_group = 1024,
                           .local_memory = 48 << 10,
                           .global_memory = G_GUINT64_CONSTANT(64) << 30,
                           .max_allocation = G_GUINT64_CONSTANT(16) << 30,
                           .compute_units = 100,
                           .fp64 = TRUE,
                           .little_endian = TRUE};
  MsPlanRequest request = ms_plan_request(&settings, &limits, width, height);

  request.pipelined = TRUE;
  return request;
}

/* An H200 at 2560x2560: 26 MB each way in 1 ms, the kernels in 0.5 ms. */
static const MsPlanRates usual = {26e6, 13e6, 26e6, {0.05}};

static guint
pieces_of(const MsPlanRequest *request)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_new(request, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(plan->pieces, >=, 1);
  g_assert_cmpuint(plan->pieces, <=, MS_PLAN_MAX_PIECES);
  for (guint n = 1; plan->pieces > 1 && n <= MS_PLAN_MAX_PIECES; n++)
    g_assert_cmpfloat(ms_plan_predict_ms(plan, plan->pieces, request->rates.piece_ms[0]), <=,
                      ms_plan_predict_ms(plan, n, request->rates.piece_ms[0]));
  return plan->pieces;
}

static void
test_pieces_follow_the_device(void)
{
  MsPlanRequest request = gpu_request(2560, 2560);

  g_assert_cmpuint(pieces_of(&request), ==, 1);
  request.rates = usual;
  g_assert_cmpuint(pieces_of(&request), >, 2);
  request.pipelined = FALSE;
  g_assert_cmpuint(pieces_of(&request), ==, 1);
  request.pipelined = TRUE;
  request.limits.host_unified = TRUE;
  g_assert_cmpuint(pieces_of(&request), ==, 1);
  request.limits.host_unified = FALSE;
  request.limits.type = MS_DEVICE_TYPE_CPU;
  g_assert_cmpuint(pieces_of(&request), ==, 1);
}

/* Few pieces where each is dear, one where none is worth it, another number where that one was slow. */
static void
test_pieces_follow_the_rates(void)
{
  MsPlanRequest request = gpu_request(2560, 2560);

  request.rates = usual;
  const guint some = pieces_of(&request);
  request.rates.piece_ms[0] = 0.2;
  g_assert_cmpuint(pieces_of(&request), >, 1);
  g_assert_cmpuint(pieces_of(&request), <, some);
  request.rates.piece_ms[0] = 2;
  g_assert_cmpuint(pieces_of(&request), ==, 1);
  request.rates = usual;
  request.rates.piece_ms[0] = 0.001;
  g_assert_cmpuint(pieces_of(&request), >, some);
  request.rates = usual;
  request.rates.piece_ms[some] = 2;
  g_autoptr(MsPlan) other = ms_plan_new(&request, NULL);
  g_assert_cmpuint(other->pieces, >, 1);
  g_assert_cmpuint(other->pieces, !=, some);
}

/* A machine on which four or five pieces are the fastest. */
static double
time_of(guint pieces)
{
  return 1 + 1.2 / pieces + 0.06 * pieces;
}

/* However wrong the rates of the run at once are, the plan comes to rest at the fastest number of pieces. */
static void
test_pieces_follow_the_runs(void)
{
  static const double factors[] = {0.2, 0.5, 1, 2};

  for (gsize i = 0; i < G_N_ELEMENTS(factors); i++) {
    MsPlanRequest request = gpu_request(2560, 2560);
    gboolean tried[MS_PLAN_MAX_PIECES + 1] = {FALSE};
    guint n_tried = 0, last = 0;
    request.rates = (MsPlanRates){26e6 * factors[i], 13e6 * factors[i], 26e6 * factors[i], {0}};
    for (int run = 0; run < 40; run++) {
      g_autoptr(MsPlan) plan = ms_plan_new(&request, NULL);
      last = plan->pieces;
      n_tried += !tried[last];
      tried[last] = TRUE;
      if (last > 1)
        ms_plan_rates_keep_pieces(&request.rates, plan, time_of(last));
    }
    g_assert_cmpuint(n_tried, <=, 8);
    if (factors[i] < 2) /* otherwise the run at once was faster */
      g_assert_cmpfloat(time_of(last), <=, 1.01 * time_of(4));
  }
}

static void
test_pieces_follow_the_image(void)
{
  MsPlanRequest small = gpu_request(1024, 1024), low = gpu_request(65536, 600), tight = gpu_request(16384, 16384);

  small.rates = low.rates = tight.rates = usual;
  g_assert_cmpuint(pieces_of(&small), ==, 1);
  g_assert_cmpuint(pieces_of(&low), >, 1);
  low.settings.params.sp = 30;
  g_assert_cmpuint(pieces_of(&low), ==, 1);
  g_assert_cmpuint(pieces_of(&tight), >, 1);
  tight.memory_budget = G_GUINT64_CONSTANT(256) << 20;
  g_autoptr(MsPlan) plan = ms_plan_new(&tight, NULL);
  const int rows = (plan->stripe_rows + (int)plan->pieces - 1) / (int)plan->pieces;
  g_assert_cmpint(plan->stripe_rows, <, 16384);
  g_assert_cmpuint(plan->pieces * ms_plan_device_bytes(plan, rows), <=, tight.memory_budget);
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

/* A plan with stripes of @rows, each in so many pieces. */
static MsPlan *
cut_plan(MsMeanShift *filter, MsImage *image, const MsSettings *settings, const MsRegion *region, guint pieces,
         int rows)
{
  g_autoptr(GError) error = NULL;
  MsPlan *plan = ms_mean_shift_plan(filter, &(MsJob){.source = image, .settings = settings, .region = region}, &error);

  g_assert_no_error(error);
  plan->pieces = pieces;
  plan->stripe_rows = rows;
  plan->band_rows = MIN(plan->band_rows, rows);
  return plan;
}

static void
check_same(MsContext *context, const char *kernel, const MsRegion *region, guint pieces, int rows)
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
  g_autoptr(MsPlan) plan = cut_plan(filter, image, &settings, region, pieces, rows);
  g_autoptr(MsImage) actual = ms_fixture_filter(
    filter, (MsJob){.source = image, .progress = note_progress, .progress_data = &progress, .log = log, .plan = plan},
    &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, actual, kernel);
  int stripes = (ms_image_get_height(actual) + rows - 1) / rows;
  g_assert_cmpint(progress.last, ==, ms_image_get_height(actual));
  g_assert_cmpint(progress.calls, >=, stripes);
  guint uploads = 0;
  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    uploads += ms_timing_log_get(log, i)->stage == MS_STAGE_UPLOAD;
  g_assert_cmpuint(uploads, ==, stripes);
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
    check_same(context, kernels[i], &middle, 2, 40);
    check_same(context, kernels[i], NULL, MS_PLAN_MAX_PIECES, 1000);
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
  for (guint pieces = 1; pieces <= 3; pieces += 2) {
    g_autoptr(MsPlan) plan = cut_plan(filter, image, &settings, NULL, pieces, HEIGHT);
    plan->request.pipelined = TRUE;
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
    if (pieces == 1)
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
  g_test_add_func("/pipeline/pieces-follow-the-device", test_pieces_follow_the_device);
  g_test_add_func("/pipeline/pieces-follow-the-rates", test_pieces_follow_the_rates);
  g_test_add_func("/pipeline/pieces-follow-the-runs", test_pieces_follow_the_runs);
  g_test_add_func("/pipeline/pieces-follow-the-image", test_pieces_follow_the_image);
  g_test_add_func("/pipeline/early-rows", test_early_rows);
  g_test_add_func("/pipeline/same-picture", test_same_picture);
  g_test_add_func("/pipeline/cancelled", test_cancelled);
  g_test_add_func("/pipeline/pinned-results", test_pinned_results);
  g_test_add_func("/pipeline/pinned-by-engine", test_pinned_by_engine);
  g_test_add_func("/pipeline/siblings-at-once", test_siblings_at_once);
  return g_test_run();
}
