/* SPDX-License-Identifier: MIT */
/*
 * Times the regions of raw 8UC4 pixels: bench-regions WIDTH HEIGHT SP SR MIN REPEAT PIXELS LABELS. One line of JSON a
 * stage, in processor time of all threads and by the host's clock: the filter alone, the filter with modes, which
 * stay on the device, the regions and their table. LABELS gets the label of each pixel in 32 bits.
 */
#include <time.h>

#include "core/filter/mean-shift.h"
#include "core/lab/measure/statistics.h"
#include "core/opencl/timing.h"
#include "core/opencl/transfers.h"
#include "core/regions/segment-table.h"
#include "tests/support/fixture.h"

typedef enum {
  STAGE_FILTER,
  STAGE_MODES,
  STAGE_REGIONS,
  STAGE_TABLE,
} Stage;

#define N_STAGES (STAGE_TABLE + 1)

static const char *const stage_names[N_STAGES] = {"filter", "filter-with-modes", "regions", "table"};

typedef struct {
  MsMeanShift *filter;
  MsImage *image;
  MsSettings settings;
  MsRegionOptions options;
  guint16 *modes;
  MsSegmentation *result;
  double *wall_ms[N_STAGES];
  double *processor_ms[N_STAGES];
} Bench;

static void
die(const char *what, GError *error)
{
  g_printerr("%s: %s\n", what, error->message);
  exit(1);
}

/* Milliseconds of a clock; that of the process counts the processor time of its threads. */
static double
clock_ms(clockid_t clock)
{
  struct timespec now;

  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Keeps the time since the stage began, from which the next one is measured. */
static void
keep(Bench *self, Stage stage, int index, double *wall, double *processor)
{
  const double wall_now = clock_ms(CLOCK_MONOTONIC), processor_now = clock_ms(CLOCK_PROCESS_CPUTIME_ID);

  if (index >= 0) {
    self->wall_ms[stage][index] = wall_now - *wall;
    self->processor_ms[stage][index] = processor_now - *processor;
  }
  *wall = clock_ms(CLOCK_MONOTONIC);
  *processor = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

/* One run of all stages; the first, which also builds the kernels, has @index -1 and is not counted. */
static void
run_once(Bench *self, int index)
{
  double wall = clock_ms(CLOCK_MONOTONIC), processor = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  g_autoptr(GError) error = NULL;

  g_autoptr(MsImage) plain =
    ms_fixture_filter(self->filter, (MsJob){.source = self->image, .settings = &self->settings}, &error);
  if (!plain)
    die("filter", error);
  keep(self, STAGE_FILTER, index, &wall, &processor);
  MsJob job = {.source = self->image,
               .settings = &self->settings,
               .wants_modes = TRUE,
               .modes_into = self->modes,
               .may_stay = TRUE};
  g_autoptr(MsImage) filtered = ms_mean_shift_run(self->filter, &job, &error);
  if (!filtered)
    die("modes", error);
  if (!ms_context_finish(ms_mean_shift_get_context(self->filter), &error))
    die("modes", error);
  keep(self, STAGE_MODES, index, &wall, &processor);
  g_clear_pointer(&self->result, ms_segmentation_free);
  const MsFiltered found = {
    .image = filtered, .modes = self->modes, .params = &self->settings.params, .on_device = job.stayed};
  self->result = ms_segmentation_new_on(ms_mean_shift_get_context(self->filter), &found, &self->options, NULL, &error);
  if (!self->result)
    die("regions", error);
  ms_job_clear(&job);
  keep(self, STAGE_REGIONS, index, &wall, &processor);
  const MsDeviceRun run = {ms_mean_shift_get_context(self->filter), self->options.log, NULL};
  g_autoptr(MsSegmentTable) table = ms_segment_table_new_on(&run, self->result, self->image, &error);
  if (!table)
    die("table", error);
  keep(self, STAGE_TABLE, index, &wall, &processor);
}

static void
print_stage(const Bench *self, Stage stage, int repeat)
{
  const MsSummary wall = ms_statistics_summarise(self->wall_ms[stage], repeat);
  const MsSummary processor = ms_statistics_summarise(self->processor_ms[stage], repeat);
  char text[4][G_ASCII_DTOSTR_BUF_SIZE];

  g_print("{\"stage\": \"%s\", \"regions\": %u, \"n\": %d, \"processor_median_ms\": %s, \"processor_min_ms\": %s, "
          "\"wall_median_ms\": %s, \"wall_min_ms\": %s}\n",
          stage_names[stage], self->result->n, repeat,
          g_ascii_formatd(text[0], sizeof text[0], "%.3f", processor.median),
          g_ascii_formatd(text[1], sizeof text[1], "%.3f", processor.minimum),
          g_ascii_formatd(text[2], sizeof text[2], "%.3f", wall.median),
          g_ascii_formatd(text[3], sizeof text[3], "%.3f", wall.minimum));
}

/* The sums of the rows of @log, in the order of their first ones. */
static void
print_log(MsTimingLog *log)
{
  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *first = ms_timing_log_get(log, i);
    gboolean is_first = TRUE;
    double ms = 0;
    int n = 0;
    for (guint k = 0; k < ms_timing_log_get_length(log); k++) {
      const MsTiming *row = ms_timing_log_get(log, k);
      if (row->stage != first->stage || g_strcmp0(row->kernel, first->kernel) != 0)
        continue;
      is_first = is_first && k >= i;
      ms += ms_timing_ms(row);
      n++;
    }
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    if (is_first)
      g_print("{\"step\": \"%s\", \"n\": %d, \"ms\": %s}\n",
              first->kernel ? first->kernel : ms_stage_name(first->stage), n,
              g_ascii_formatd(text, sizeof text, "%.3f", ms));
  }
}

/* One more run whose steps are timed by the device. */
static void
print_steps(Bench *self)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autoptr(GError) error = NULL;

  self->options.log = log;
  run_once(self, -1);
  if (!ms_timing_log_resolve(log, &error))
    die("steps", error);
  print_log(log);
  g_print("{\"step\": \"rounds\", \"n\": %u}\n", self->result->rounds);
}

static void
open_bench(Bench *self, char **argv, int repeat)
{
  const int width = atoi(argv[1]), height = atoi(argv[2]);
  g_autoptr(GError) error = NULL;
  guint8 *pixels = NULL;
  gsize bytes = 0;

  self->settings = ms_settings_default();
  self->settings.params.sp = g_ascii_strtod(argv[3], NULL);
  self->settings.params.sr = g_ascii_strtod(argv[4], NULL);
  self->options = (MsRegionOptions){(guint)atoi(argv[5]), MS_REGION_RANGE_DEFAULT, NULL};
  if (!g_file_get_contents(argv[7], (char **)&pixels, &bytes, &error))
    die(argv[7], error);
  g_assert_cmpuint(bytes, ==, (gsize)width * height * 4);
  self->image = ms_image_new_take(width, height, pixels, NULL);
  self->modes = g_new(guint16, 2 * (gsize)width * height);
  for (Stage i = 0; i < N_STAGES; i++) {
    self->wall_ms[i] = g_new0(double, repeat);
    self->processor_ms[i] = g_new0(double, repeat);
  }
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  Bench self = {NULL};

  if (argc != 9) {
    g_printerr("bench-regions WIDTH HEIGHT SP SR MIN REPEAT PIXELS LABELS\n");
    return 2;
  }
  const int repeat = atoi(argv[6]);
  open_bench(&self, argv, repeat);
  g_autoptr(MsContext) context = ms_fixture_context();
  if (!context)
    return 77;
  self.filter = ms_mean_shift_new(context);
  for (int k = -1; k < repeat; k++)
    run_once(&self, k);
  for (Stage i = 0; i < N_STAGES; i++)
    print_stage(&self, i, repeat);
  print_steps(&self);
  if (!g_file_set_contents(argv[8], (const char *)self.result->labels,
                           (gsize)self.result->width * self.result->height * sizeof(guint32), &error))
    die(argv[8], error);
  return 0;
}
