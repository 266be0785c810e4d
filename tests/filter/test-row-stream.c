/* SPDX-License-Identifier: MIT */
/*
 * Pictures of which only some rows are in memory: by the reference, one device with tiles that overlap or follow each
 * other, and several devices; and what happens where rows cannot be read, written or computed.
 */
#include "core/engine/engine.h"
#include "core/filter/reference.h"
#include "tests/support/fixture.h"
#include "tests/support/row-stream.h"

#define WIDTH 120
#define HEIGHT 140

typedef struct {
  MsSettings settings;
  MsImage *picture;
  MsImage *expected;
  int halo;
} Picture;

static void
picture_clear(Picture *self)
{
  g_clear_object(&self->picture);
  g_clear_object(&self->expected);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Picture, picture_clear)

/* Small windows with a small halo, and the same in every test, which so share a program. */
static void
set_up(Picture *self)
{
  *self = (Picture){.settings = ms_settings_default(), .picture = ms_fixture_scene(WIDTH, HEIGHT, 3)};
  self->settings.params.sp = 3;
  self->settings.params.max_iterations = 2;
  self->settings.options.kernel = MS_KERNEL_DIRECT;
  self->halo = ms_params_halo(&self->settings.params, HEIGHT);
  self->expected = ms_fixture_reference(self->picture, &self->settings.params, NULL, NULL);
}

typedef MsImage *(*RunFunc)(gpointer filter, MsJob *job, GError **error);

static MsImage *
run_reference(gpointer filter, MsJob *job, GError **error)
{
  return ms_reference_run(job, error);
}

static MsImage *
run_device(gpointer filter, MsJob *job, GError **error)
{
  return ms_mean_shift_run(filter, job, error);
}

/* A plan with tiles of @rows, of which so many are on the device at once; %NULL for several devices. */
static MsPlan *
cut_plan(MsMeanShift *filter, const MsJob *job, guint depth, int rows)
{
  g_autoptr(GError) error = NULL;
  MsPlan *plan = ms_mean_shift_plan(filter, job, &error);

  g_assert_no_error(error);
  plan->depth = depth;
  plan->tile_rows = rows;
  plan->band_rows = MIN(plan->band_rows, rows);
  return plan;
}

/* How a picture is filtered; depth: 0 for the device's own plan. */
typedef struct {
  RunFunc run;
  gpointer filter;
  guint depth;
  int rows;
} Way;

static guint
count_uploads(MsTimingLog *log)
{
  guint n = 0;

  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    n += ms_timing_log_get(log, i)->stage == MS_STAGE_UPLOAD;
  return n;
}

static MsImage *
run_way(const Way *way, const Picture *picture, TestStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  const int before = stream->n_written;
  MsJob job = {.source = stream->source,
               .settings = &picture->settings,
               .stream = &stream->stream,
               .log = log,
               .cancellable = cancellable};
  g_autoptr(MsPlan) plan = way->depth > 0 ? cut_plan(way->filter, &job, way->depth, way->rows) : NULL;

  job.plan = plan;
  MsImage *result = way->run(way->filter, &job, error);
  ms_job_clear(&job);
  /* The time in which rows are read is not that of an upload. */
  if (result && plan && before == 0)
    g_assert_cmpuint(count_uploads(log), ==, (HEIGHT + way->rows - 1) / way->rows);
  return result;
}

static void
check_all(const Way *way, int most_rows)
{
  g_auto(Picture) picture = {0};
  g_auto(TestStream) stream = {0};
  g_autoptr(GError) error = NULL;

  set_up(&picture);
  test_stream_init(&stream, picture.picture, picture.expected, picture.halo, most_rows);
  g_autoptr(MsImage) result = run_way(way, &picture, &stream, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(result == stream.source);
  g_assert_cmpint(stream.n_written, ==, HEIGHT);
  g_assert_cmpint(stream.stream.written, ==, HEIGHT);
  g_assert_false(stream.stream.failed);
}

/* The error is that of the stream, not of what it leads to. */
static void
check_failures(const Way *way, int most_rows)
{
  g_auto(Picture) picture = {0};

  set_up(&picture);
  for (int reads = 0; reads < 2; reads++)
    for (int at = 1; at <= HEIGHT; at += 46) {
      g_auto(TestStream) stream = {0};
      g_autoptr(GError) error = NULL;
      test_stream_init(&stream, picture.picture, picture.expected, picture.halo, most_rows);
      stream.fails_reading = reads ? at : 0;
      stream.fails_writing = reads ? 0 : at;
      g_assert_null(run_way(way, &picture, &stream, NULL, &error));
      g_assert_error(error, MS_ERROR, (gint)(reads ? MS_ERROR_FORMAT : MS_ERROR_IO));
      g_assert_true(stream.stream.failed);
      g_assert_cmpint(stream.n_written, <, at);
    }
}

static void
cancel(gpointer cancellable)
{
  g_cancellable_cancel(cancellable);
}

/* A run that was cancelled between tiles goes on behind the rows that are written. */
static void
check_resumed(const Way *way, int most_rows)
{
  g_auto(Picture) picture = {0};
  g_auto(TestStream) stream = {0};
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;

  set_up(&picture);
  test_stream_init(&stream, picture.picture, picture.expected, picture.halo, most_rows);
  stream.after_write = cancel;
  stream.data = cancellable;
  g_assert_null(run_way(way, &picture, &stream, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint(stream.n_written, >, 0);
  g_assert_cmpint(stream.n_written, <, HEIGHT);
  g_assert_cmpint(stream.stream.written, ==, stream.n_written);
  g_clear_error(&error);
  stream.after_write = NULL;
  g_autoptr(MsImage) result = run_way(way, &picture, &stream, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(result);
  g_assert_cmpint(stream.n_written, ==, HEIGHT);
}

static void
test_reference(void)
{
  const Way way = {run_reference, NULL, 0, 0};

  for (int most_rows = 1; most_rows < 2 * HEIGHT; most_rows = most_rows * 3 + 1)
    check_all(&way, most_rows);
  check_failures(&way, 20);
  check_resumed(&way, 20);
}

/* The driver's own transfers, and those of threads that copy. */
static void
test_device(void)
{
  static const MsTransferForm forms[] = {MS_TRANSFER_PLAIN, MS_TRANSFER_STAGED};
  static const struct {
    guint depth;
    int rows;
    int most_rows;
  } cases[] = {{1, 9, 9}, {1, 9, 30}, {1, HEIGHT, HEIGHT}, {2, 10, 20}, {3, 5, 15}, {3, 1, 3}, {3, 12, 40}, {3, 4, 4}};
  g_autoptr(MsContext) context = ms_fixture_context();

  if (!context)
    return;
  for (gsize f = 0; f < G_N_ELEMENTS(forms); f++) {
    context->transfer_form = forms[f];
    g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
      const Way way = {run_device, filter, cases[i].depth, cases[i].rows};
      check_all(&way, cases[i].most_rows);
    }
    for (guint depth = 1; depth <= 3; depth += 2) {
      const Way way = {run_device, filter, depth, 8};
      check_failures(&way, 24);
      check_resumed(&way, 24);
    }
  }
}

/* Each device takes the next tile, and what is computed out of order waits for its turn. */
static void
test_several_devices(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  if (!filter)
    return;
  const Way way = {run_device, filter, 0, 0};
  for (MsDivision division = MS_DIVISION_EQUAL; division <= MS_DIVISION_ADAPTIVE; division++) {
    ms_mean_shift_set_division(filter, division);
    for (int most_rows = 2; most_rows < 2 * HEIGHT; most_rows = most_rows * 3 + 1)
      check_all(&way, most_rows);
  }
  check_failures(&way, 24);
  check_resumed(&way, 24);
}

int
main(int argc, char **argv)
{
  /* Two devices on every machine that has PoCL; other drivers ignore it. */
  g_setenv("POCL_DEVICES", "pthread basic", FALSE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/row-stream/reference", test_reference);
  g_test_add_func("/row-stream/device", test_device);
  g_test_add_func("/row-stream/several-devices", test_several_devices);
  return g_test_run();
}
