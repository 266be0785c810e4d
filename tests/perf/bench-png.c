/* SPDX-License-Identifier: MIT */
/*
 * Encodes and decodes PNG: ours with one and with several threads beside libpng's own encoder (level 3, run lengths,
 * the filters Sub and Up, as this program used it before). Prints Markdown: MB of RGB a second of processor time and of
 * wall time, and the size over libpng's. Every file is decoded again and compared before its time counts.
 *
 * bench-png [--repeat N] [--threads N] [--enlarge N] FILE...
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zlib.h>

#include "core/image/image-save.h"
#include "tests/support/image-files.h"
#include "tests/support/png-peer.h"

typedef struct {
  double processor;
  double wall;
} Seconds;

static int repeat = 5;
static int threads = 0;
static int enlarge = 1;

static Seconds
now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (Seconds){time.tv_sec + time.tv_nsec * 1e-9, g_get_monotonic_time() * 1e-6};
}

static void
configure(png_structp png, png_infop info, gpointer data)
{
  png_set_compression_level(png, 3);
  png_set_compression_strategy(png, Z_RLE);
  png_set_filter(png, 0, PNG_FILTER_SUB | PNG_FILTER_UP);
}

static GBytes *
encode_libpng(MsImage *image)
{
  gboolean alpha = ms_image_has_transparency(image);
  const MsPngPeer peer = {.rows = ms_image_get_pixels(image),
                          .stride = ms_image_get_stride(image),
                          .width = ms_image_get_width(image),
                          .height = ms_image_get_height(image),
                          .depth = 8,
                          .colour_type = alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
                          .without_fourth = !alpha,
                          .configure = configure};

  return ms_png_peer_encode(&peer);
}

static GBytes *
encode_ours(MsImage *image, guint n)
{
  MsSaveOptions options = ms_save_options_default();
  g_autoptr(GError) error = NULL;

  options.format = MS_IMAGE_FORMAT_PNG;
  options.threads = n;
  GBytes *file = ms_image_encode(image, &options, NULL, NULL, &error);
  g_assert_no_error(error);
  return file;
}

static int
compare(gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Medians; @n threads of ours, 0 for libpng, -1 to decode @file. */
static Seconds
measure(MsImage *image, int n, GBytes **file)
{
  g_autofree double *processor = g_new(double, repeat);
  g_autofree double *wall = g_new(double, repeat);

  for (int i = 0; i < repeat; i++) {
    Seconds start = now();
    if (n < 0) {
      g_autoptr(MsImage) again = ms_test_decode(*file);
    } else {
      g_clear_pointer(file, g_bytes_unref);
      *file = n == 0 ? encode_libpng(image) : encode_ours(image, n);
    }
    Seconds end = now();
    processor[i] = end.processor - start.processor;
    wall[i] = end.wall - start.wall;
  }
  qsort(processor, repeat, sizeof(double), compare);
  qsort(wall, repeat, sizeof(double), compare);
  if (n >= 0) {
    g_autoptr(MsImage) again = ms_test_decode(*file);
    ms_test_assert_same_image(image, again);
  }
  return (Seconds){processor[repeat / 2], wall[repeat / 2]};
}

/* The picture @enlarge times beside and below itself. */
static MsImage *
load(const char *path)
{
  g_autoptr(MsImage) image = ms_test_load(path);
  int width = ms_image_get_width(image), height = ms_image_get_height(image);
  gsize stride = ms_image_get_stride(image);
  guint8 *pixels = g_malloc(stride * height * enlarge * enlarge);

  for (gsize y = 0; y < (gsize)height * enlarge; y++)
    for (int k = 0; k < enlarge; k++)
      memcpy(pixels + (y * enlarge + k) * stride, ms_image_get_pixels(image) + y % height * stride, stride);
  return ms_image_new_take(width * enlarge, height * enlarge, pixels, NULL);
}

static void
bench(const char *path)
{
  const int ways[] = {0, 1, threads};
  g_autoptr(MsImage) image = load(path);
  g_autofree char *base = g_path_get_basename(path);
  double mb = 3e-6 * ms_image_get_width(image) * ms_image_get_height(image);
  g_autoptr(GBytes) file = NULL;
  double libpng_size = 1;

  for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
    g_autofree char *name = i == 0 ? g_strdup("libpng") : g_strdup_printf("ours, %d threads", ways[i]);
    Seconds encode = measure(image, ways[i], &file);
    Seconds decode = measure(image, -1, &file);
    if (i == 0)
      libpng_size = g_bytes_get_size(file);
    g_print("| %s, %dx%d | %s | %.0f | %.0f | %.0f | %.3f |\n", base, ms_image_get_width(image),
            ms_image_get_height(image), name, mb / encode.processor, mb / encode.wall, mb / decode.processor,
            g_bytes_get_size(file) / libpng_size);
  }
}

int
main(int argc, char **argv)
{
  const GOptionEntry entries[] = {
    {"repeat", 0, 0, G_OPTION_ARG_INT, &repeat, "Runs, of which the median is printed", "N"},
    {"threads", 0, 0, G_OPTION_ARG_INT, &threads, "Threads of the last row (default: the processors)", "N"},
    {"enlarge", 0, 0, G_OPTION_ARG_INT, &enlarge, "Repeats each picture N x N times", "N"},
    {NULL},
  };
  g_autoptr(GOptionContext) context = g_option_context_new("FILE...");

  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, NULL) || argc < 2 || repeat < 1 || enlarge < 1)
    return 2;
  if (threads == 0)
    threads = g_get_num_processors();
  g_print("| picture | encoder | encode, MB/s of processor time | of wall time | decode | size "
          "|\n|---|---|---|---|---|---|\n");
  for (int i = 1; i < argc; i++)
    bench(argv[i]);
  return 0;
}
