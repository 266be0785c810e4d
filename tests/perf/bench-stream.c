/* SPDX-License-Identifier: MIT */
/*
 * Times images that follow each other on one device: bench-stream WIDTH HEIGHT SP SR IMAGES LANES PIXELS. LANES
 * threads, each with its own queue, filter the same image IMAGES times in all; prints milliseconds an image as JSON.
 */
#include <stdlib.h>

#include "core/filter/mean-shift.h"
#include "tests/support/fixture.h"

typedef struct {
  MsImage *image;
  MsSettings settings;
  int left; /* images that no thread has taken yet; atomic */
} Stream;

typedef struct {
  Stream *stream;
  MsMeanShift *filter;
  guint8 *pixels;
} Lane;

static void
filter_once(Lane *lane)
{
  g_autoptr(GError) error = NULL;
  MsJob job = {.source = lane->stream->image, .settings = &lane->stream->settings, .into = lane->pixels};
  g_autoptr(MsImage) result = ms_mean_shift_run(lane->filter, &job, &error);

  if (!result)
    g_error("%s", error->message);
  ms_job_clear(&job);
}

static gpointer
run_lane(gpointer data)
{
  Lane *lane = data;

  while (g_atomic_int_add(&lane->stream->left, -1) > 0)
    filter_once(lane);
  return NULL;
}

/* Milliseconds an image with @n lanes. */
static double
measure(Stream *stream, Lane *lanes, guint n, int images)
{
  g_autofree GThread **threads = g_new0(GThread *, n);
  gint64 start = g_get_monotonic_time();

  g_atomic_int_set(&stream->left, images);
  for (guint i = 0; i < n; i++)
    threads[i] = g_thread_new("lane", run_lane, &lanes[i]);
  for (guint i = 0; i < n; i++)
    g_thread_join(threads[i]);
  return (double)(g_get_monotonic_time() - start) / 1e3 / images;
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  Stream stream = {.settings = ms_settings_default()};
  guint8 *pixels = NULL;
  gsize bytes = 0;

  if (argc < 8) {
    g_printerr("bench-stream WIDTH HEIGHT SP SR IMAGES LANES PIXELS\n");
    return 2;
  }
  int width = atoi(argv[1]), height = atoi(argv[2]), images = atoi(argv[5]);
  guint n = (guint)MAX(1, atoi(argv[6]));
  stream.settings.params.sp = g_ascii_strtod(argv[3], NULL);
  stream.settings.params.sr = g_ascii_strtod(argv[4], NULL);
  if (!g_file_get_contents(argv[7], (char **)&pixels, &bytes, &error))
    g_error("%s", error->message);
  g_assert_cmpuint(bytes, ==, (gsize)width * height * 4);
  stream.image = ms_image_new_take(width, height, pixels, NULL);
  g_autoptr(MsContext) context = ms_fixture_context();
  if (!context)
    return 77;
  g_autofree Lane *lanes = g_new0(Lane, n);
  for (guint i = 0; i < n; i++) {
    g_autoptr(MsContext) sibling = ms_context_new_sibling(context, &error);
    lanes[i] = (Lane){&stream, ms_mean_shift_new(sibling), g_malloc0(bytes)};
    ms_mean_shift_set_shares_device(lanes[i].filter, n > 1);
    filter_once(&lanes[i]);
  }
  double best = G_MAXDOUBLE;
  for (int k = 0; k < 3; k++)
    best = MIN(best, measure(&stream, lanes, n, images));
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_print("{\"lanes\": %u, \"images\": %d, \"ms_per_image\": %s}\n", n, images,
          g_ascii_formatd(text, sizeof text, "%.4f", best));
  for (guint i = 0; i < n; i++) {
    ms_mean_shift_free(lanes[i].filter);
    g_free(lanes[i].pixels);
  }
  g_object_unref(stream.image);
  return 0;
}
