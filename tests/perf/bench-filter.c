/* SPDX-License-Identifier: MIT */
/*
 * Times kernels of the filter on raw 8UC4 pixels: bench-filter WIDTH HEIGHT SP SR REPEAT PIXELS RESULT KERNEL... One
 * line of JSON a kernel: the whole filter (upload, kernels, download) by the host's clock and in processor time of all
 * threads, and the kernels by their events. RESULT gets the pixels of the last kernel. The kernels take turns, so that
 * all see the same machine. The line tells the number of tiles; where there are several, transfers of some overlap
 * kernels of others. "KERNEL,tiles=N" has the picture cut into N; "KERNEL,levels=N" filters with N levels.
 */
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "core/filter/mean-shift.h"
#include "core/filter/settings/settings.h"
#include "core/lab/measure/statistics.h"
#include "tests/support/fixture.h"

typedef struct {
  const char *name;
  MsSettings settings;
  int tiles; /* 0 for the plan's choice */
  MsPlan *plan;
  double *wall_ms;
  double *processor_ms;
  double *kernel_ms;
} Entry;

static void
die(const char *what, GError *error)
{
  g_printerr("%s: %s\n", what, error->message);
  exit(1);
}

static Entry
new_entry(MsSettings settings, const char *kernel, int repeat)
{
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) words = g_strsplit(kernel, ",", 2);
  Entry entry = {.name = kernel,
                 .wall_ms = g_new0(double, repeat),
                 .processor_ms = g_new0(double, repeat),
                 .kernel_ms = g_new0(double, repeat)};

  if (words[1] && g_str_has_prefix(words[1], "levels="))
    settings.params.levels = atoi(words[1] + strlen("levels="));
  if (words[1] && g_str_has_prefix(words[1], "tiles="))
    entry.tiles = MAX(atoi(words[1] + strlen("tiles=")), 1);
  if (!ms_option_set_text(ms_option_find("kernel"), &settings, words[0], &error))
    die(kernel, error);
  entry.settings = settings;
  return entry;
}

static void
plan(MsMeanShift *filter, MsImage *image, Entry *entry)
{
  const int height = ms_image_get_height(image);
  g_autoptr(GError) error = NULL;

  g_clear_pointer(&entry->plan, ms_plan_free);
  entry->plan = ms_mean_shift_plan(filter, &(MsJob){.source = image, .settings = &entry->settings}, &error);
  if (!entry->plan)
    die(entry->name, error);
  if (entry->tiles > 0) {
    entry->plan->tile_rows = (height + entry->tiles - 1) / entry->tiles;
    entry->plan->band_rows = entry->plan->tile_rows;
    entry->plan->depth = entry->tiles > 1 ? MS_PLAN_MOST_DEPTH : 1;
  }
}

/* As many as are on the way in one run. */
static int
count_tiles(const MsPlan *plan)
{
  return (plan->height + plan->tile_rows - 1) / plan->tile_rows;
}

/* Milliseconds that the threads of this process have spent computing; other processes hardly change them. */
static double
processor_ms(void)
{
  struct rusage usage;

  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec / 1e3;
}

/* Runs before those that count: they build the kernels and pin the memory of results. */
#define WARMING 40

/* One run, whose result replaces the one before; that of @index -1 is not counted. */
static void
run_once(MsMeanShift *filter, MsImage *image, Entry *entry, int index, MsImage **result)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autoptr(GError) error = NULL;

  plan(filter, image, entry);
  double processor_start = processor_ms();
  gint64 start = g_get_monotonic_time();

  g_clear_object(result);
  *result = ms_fixture_filter(filter, (MsJob){.source = image, .log = log, .plan = entry->plan}, &error);
  if (!*result)
    die(entry->name, error);
  if (index < 0)
    return;
  entry->wall_ms[index] = (g_get_monotonic_time() - start) / 1e3;
  entry->processor_ms[index] = processor_ms() - processor_start;
  entry->kernel_ms[index] = ms_timing_log_total_ms(log, MS_STAGE_KERNEL);
}

static void
print_number(const char *name, double value, const char *after)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  /* One run has no spread, and JSON no infinity. */
  g_print("\"%s\": %s%s", name, isfinite(value) ? g_ascii_formatd(text, sizeof text, "%.4f", value) : "null", after);
}

static void
print_entry(const Entry *entry, int repeat)
{
  MsSummary wall = ms_statistics_summarise(entry->wall_ms, repeat);
  MsSummary processor = ms_statistics_summarise(entry->processor_ms, repeat);
  MsSummary kernel = ms_statistics_summarise(entry->kernel_ms, repeat);

  g_print("{\"kernel\": \"%s\", \"resolved\": \"%s\", \"tiles\": %d, \"n\": %d, ", entry->name,
          ms_filter_kernel_name(entry->plan->settings.options.kernel), count_tiles(entry->plan), repeat);
  print_number("wall_median_ms", wall.median, ", ");
  print_number("wall_min_ms", wall.minimum, ", ");
  print_number("wall_spread", wall.spread, ", ");
  print_number("processor_median_ms", processor.median, ", ");
  print_number("processor_min_ms", processor.minimum, ", ");
  print_number("kernel_median_ms", kernel.median, ", ");
  print_number("kernel_min_ms", kernel.minimum, "}\n");
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  MsSettings settings = ms_settings_default();
  gsize bytes = 0;
  guint8 *pixels = NULL;

  if (argc < 9) {
    g_printerr("bench-filter WIDTH HEIGHT SP SR REPEAT PIXELS RESULT KERNEL...\n");
    return 2;
  }
  int width = atoi(argv[1]), height = atoi(argv[2]), repeat = atoi(argv[5]), n = argc - 8;
  settings.params.sp = g_ascii_strtod(argv[3], NULL);
  settings.params.sr = g_ascii_strtod(argv[4], NULL);
  if (!g_file_get_contents(argv[6], (char **)&pixels, &bytes, &error))
    die(argv[6], error);
  g_assert_cmpuint(bytes, ==, (gsize)width * height * 4);
  g_autoptr(MsImage) image = ms_image_new_take(width, height, pixels, NULL);
  g_autoptr(MsContext) context = ms_fixture_context();
  if (!context)
    return 77;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) result = NULL;
  g_autofree Entry *entries = g_new0(Entry, n);

  for (int i = 0; i < n; i++) {
    entries[i] = new_entry(settings, argv[8 + i], repeat);
    for (int k = 0; k < WARMING; k++)
      run_once(filter, image, &entries[i], -1, &result);
  }
  for (int k = 0; k < repeat; k++)
    for (int i = 0; i < n; i++)
      run_once(filter, image, &entries[i], k, &result);
  for (int i = 0; i < n; i++)
    print_entry(&entries[i], repeat);
  if (!g_file_set_contents(argv[7], (const char *)ms_image_get_pixels(result), (gssize)bytes, &error))
    die(argv[7], error);
  return 0;
}
