/* SPDX-License-Identifier: MIT */
/*
 * What it costs the window that another process has its device: bench-window-engine WIDTH HEIGHT SP SR REPEAT PIXELS.
 * The window's requests and calls of the engine in this process take turns, so that both see the same machine. One line
 * of JSON: medians and minima by the host's clock.
 * MEANSHIFT_LAB_PROGRAM names the program whose process has the device, MS_TEST_DEVICE the device.
 */
#include <locale.h>

#include "core/lab/measure/statistics.h"
#include "tests/support/fixture.h"
#include "ui/engine/window-engine.h"

/* Runs before those that count: they build the kernels and fill the caches. */
#define WARMING 8

typedef struct {
  MsWindowEngine *window;
  MsEngine *engine;
  MsImage *image;
  MsSettings settings;
  GError *error;
  MsRun *run;
} Bench;

static void
die(const char *what, const GError *error)
{
  g_printerr("%s: %s\n", what, error ? error->message : "failed");
  exit(1);
}

static void
ignore_progress(double done, gpointer data)
{
}

static void
on_filtered(GObject *source, GAsyncResult *result, gpointer data)
{
  Bench *bench = data;

  bench->run = ms_window_engine_filter_finish(MS_WINDOW_ENGINE(source), result, &bench->error);
  if (!bench->run)
    die("The window's engine", bench->error);
}

static double
time_window(Bench *bench)
{
  static const MsFilterEvents events = {.progress = ignore_progress};
  MsWindowRequest *request = ms_window_request_new_filter(bench->image, &bench->settings, NULL, &events);
  const gint64 start = g_get_monotonic_time();

  ms_window_engine_ask_async(bench->window, request, NULL, on_filtered, bench);
  while (!bench->run)
    g_main_context_iteration(NULL, TRUE);
  const double ms = (g_get_monotonic_time() - start) / 1e3;
  g_clear_object(&bench->run);
  return ms;
}

static double
time_engine(Bench *bench)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob run = {.source = bench->image, .settings = &bench->settings, .interactive = TRUE, .log = log};
  const gint64 start = g_get_monotonic_time();

  g_autoptr(MsImage) result = ms_engine_run(bench->engine, &run, &error);
  if (!result)
    die("The engine", error);
  const double ms = (g_get_monotonic_time() - start) / 1e3;
  ms_job_clear(&run);
  return ms;
}

static void
print_times(const char *name, double *times, int n, const char *after)
{
  const MsSummary summary = ms_statistics_summarise(times, n);
  char median[G_ASCII_DTOSTR_BUF_SIZE], least[G_ASCII_DTOSTR_BUF_SIZE];

  g_print("\"%s_median_ms\": %s, \"%s_min_ms\": %s%s", name,
          g_ascii_formatd(median, sizeof median, "%.3f", summary.median), name,
          g_ascii_formatd(least, sizeof least, "%.3f", summary.minimum), after);
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  Bench bench = {.settings = ms_settings_default()};
  guint8 *pixels = NULL;
  gsize bytes = 0;
  const char *selector = g_getenv("MS_TEST_DEVICE") ? g_getenv("MS_TEST_DEVICE") : "auto";

  if (argc != 7) {
    g_printerr("bench-window-engine WIDTH HEIGHT SP SR REPEAT PIXELS\n");
    return 2;
  }
  const int width = atoi(argv[1]), height = atoi(argv[2]), repeat = atoi(argv[5]);
  bench.settings.params.sp = g_ascii_strtod(argv[3], NULL);
  bench.settings.params.sr = g_ascii_strtod(argv[4], NULL);
  if (!g_file_get_contents(argv[6], (char **)&pixels, &bytes, &error))
    die(argv[6], error);
  g_assert_cmpuint(bytes, ==, (gsize)width * height * 4);
  bench.image = ms_image_new_take(width, height, pixels, NULL);
  bench.engine = ms_engine_open(selector, MS_FALLBACK_FAIL, NULL, NULL, &error);
  if (!bench.engine)
    die(selector, error);
  bench.window = ms_window_engine_new();
  ms_window_engine_choose(bench.window, selector);

  g_autofree double *window = g_new0(double, repeat), *engine = g_new0(double, repeat);
  for (int i = -WARMING; i < repeat; i++) {
    const double window_ms = time_window(&bench), engine_ms = time_engine(&bench);
    if (i >= 0) {
      window[i] = window_ms;
      engine[i] = engine_ms;
    }
  }
  g_print("{\"n\": %d, ", repeat);
  print_times("window", window, repeat, ", ");
  print_times("engine", engine, repeat, "}\n");
  ms_window_engine_shut_down(bench.window);
  g_object_unref(bench.window);
  ms_engine_unref(bench.engine);
  g_object_unref(bench.image);
  return 0;
}
