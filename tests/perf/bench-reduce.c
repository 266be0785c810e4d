/* SPDX-License-Identifier: MIT */
/*
 * Times kernels of reductions: bench-reduce DEVICE REPEAT, with one job a line on standard input and one line of JSON a
 * job on standard output.
 *
 *   peak                              the device's read and copy bandwidth
 *   reduce OP TYPE N VARIANT          a reduction, alternating with a kernel that only reads the same array
 *   statistics WIDTH HEIGHT noise|flat
 *   sort N fast|study off|plain|refined RANGE
 *
 * Times are milliseconds of kernels by their events, least and median; results are checked against the serial ones.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/kinds/bench.h"
#include "core/lab/measure/statistics.h"
#include "core/opencl/device-choice.h"
#include "core/opencl/transfers.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce.h"
#include "core/reduce/sort.h"
#include "core/reduce/reduce-options.h"
#include "tests/support/fixture.h"

typedef struct {
  MsContext *context;
  guint repeat;
  MsLabBench *arrays;
} Bench;

/** Times: the runs of one job. */
typedef struct {
  double *ms;
  guint n;
} Times;

static void
print_times(const char *name, Times *times, guint64 bytes)
{
  double least = ms_statistics_quantile(times->ms, times->n, 0),
         median = ms_statistics_quantile(times->ms, times->n, 0.5);

  printf("\"%s_ms\": %.6f, \"%s_median_ms\": %.6f, \"%s_gb_s\": %.2f, \"%s_median_gb_s\": %.2f", name, least, name,
         median, name, (double)bytes / least * 1e-6, name, (double)bytes / median * 1e-6);
}

static void
fail(const GError *error)
{
  printf("{\"error\": \"%s\"}\n", error->message);
}

/* Reads the same memory with the strides of the reductions of `auto`. */
static cl_kernel
read_kernel(const Bench *bench, guint group, GError **error)
{
  gboolean cpu = bench->context->device->limits.type == MS_DEVICE_TYPE_CPU;
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_define_text(spec, "ELEM", "uint");
  ms_program_spec_define_int(spec, "GROUP", group);
  ms_program_spec_define_int(spec, "WIDTH", cpu ? 16 : 4);
  ms_program_spec_define_text(spec, "ITEM_RANGE", cpu ? "block_stride" : "global_stride");
  ms_program_spec_add_part(spec, "prelude/names.cl");
  ms_program_spec_add_part(spec, "reduce/load/lanes.cl");
  ms_program_spec_add_part(spec, "reduce/load/stride.cl");
  ms_program_spec_add_part(spec, "bandwidth/bandwidth.cl");
  return ms_kernel_new(bench->context, spec, "bandwidth_read", NULL, error);
}

static double
read_once(const Bench *bench, cl_kernel kernel, guint group, cl_mem source, cl_mem out, guint64 bytes)
{
  gboolean cpu = bench->context->device->limits.type == MS_DEVICE_TYPE_CPU;
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  cl_int n = (cl_int)(bytes / (cpu ? 64 : 16)), times;
  guint groups = bench->context->device->limits.compute_units * (cpu ? 64 : 2048 / group);
  times = (cl_int)(((guint)n + groups * group - 1) / (groups * group));
  const MsKernelArg args[] = {MS_ARG_OF(source), MS_ARG_OF(n), MS_ARG_OF(times), MS_ARG_OF(out)};

  if (!ms_kernel_set_args(kernel, "bandwidth_read", args, G_N_ELEMENTS(args), NULL) ||
      !ms_context_launch(bench->context,
                         &(MsLaunch){kernel, "bandwidth_read", ms_nd_range_of_groups(groups, group), bytes}, log,
                         NULL) ||
      !ms_timing_log_resolve(log, NULL))
    return NAN;
  return ms_timing_log_total_ms(log, MS_STAGE_KERNEL);
}

typedef struct {
  MsReduceSpec spec;
  MsReduceOptions options;
  guint64 n;
  guint64 bytes;
  const void *data;
  cl_mem source;
  cl_mem out;
  MsReducer *reducer;
  cl_kernel read;
  guint read_group;
  double wall;
} Job;

static void
job_clear(Job *job)
{
  g_clear_pointer(&job->source, clReleaseMemObject);
  g_clear_pointer(&job->out, clReleaseMemObject);
  g_clear_pointer(&job->read, clReleaseKernel);
  g_clear_pointer(&job->reducer, ms_reducer_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Job, job_clear)

static gboolean
job_prepare(const Bench *bench, Job *job, GError **error)
{
  const MsDeviceLimits *limits = &bench->context->device->limits;
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&job->spec, &job->options, limits, job->n, error);

  if (!plan)
    return FALSE;
  job->read_group = limits->type == MS_DEVICE_TYPE_CPU ? 1 : 256;
  job->bytes = job->n * ms_element_type_size(job->spec.type);
  return (job->data = ms_lab_bench_array(bench->arrays, job->spec.type, job->n, NULL, error)) &&
         (job->source = ms_device_array_new(bench->context, job->data, job->bytes, NULL, error)) &&
         (job->out = ms_device_zeros_new(bench->context, 1 << 24, error)) &&
         (job->reducer = ms_reducer_new(bench->context, plan, NULL, error)) &&
         (job->read = read_kernel(bench, job->read_group, error));
}

static gboolean
job_once(Job *job, MsReduceResult *result, double *ms, GError **error)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  gint64 start = g_get_monotonic_time();

  if (!ms_reducer_run(job->reducer, &(MsReduceInput){.buffer = job->source, .n = job->n},
                      &(MsReduceJob){result, log, NULL}, error))
    return FALSE;
  job->wall = (double)(g_get_monotonic_time() - start) / 1000.0;
  if (!ms_timing_log_resolve(log, error))
    return FALSE;
  *ms = ms_timing_log_total_ms(log, MS_STAGE_KERNEL);
  return TRUE;
}

static gboolean
job_run(const Bench *bench, Job *job, MsReduceResult *result, Times *ours, Times *read, Times *wall, GError **error)
{
  for (guint i = 0; i < bench->repeat + 2; i++) {
    double ms = 0, read_ms = read_once(bench, job->read, job->read_group, job->source, job->out, job->bytes);
    if (!job_once(job, result, &ms, error))
      return FALSE;
    if (i < 2)
      continue;
    ours->ms[ours->n++] = ms;
    read->ms[read->n++] = read_ms;
    wall->ms[wall->n++] = job->wall;
  }
  return TRUE;
}

static gboolean
parse_job(char **words, Job *job, GError **error)
{
  job->spec = MS_REDUCE_SPEC(0, 0);
  job->n = g_ascii_strtoull(words[3], NULL, 10);
  return ms_reduce_op_parse(words[1], &job->spec.op, error) &&
         ms_element_type_parse(words[2], &job->spec.type, error) &&
         ms_reduce_variant_parse(words[4], &job->options, error);
}

static void
bench_reduce(const Bench *bench, char **words)
{
  g_auto(Job) job = {0};
  g_autoptr(GError) error = NULL;
  g_autofree double *space = g_new0(double, 3 * bench->repeat);
  Times ours = {space, 0}, read = {space + bench->repeat, 0}, wall = {space + 2 * bench->repeat, 0};
  MsReduceResult result, expected;

  if (g_strv_length(words) < 5 || !parse_job(words, &job, &error) || !job_prepare(bench, &job, &error) ||
      !job_run(bench, &job, &result, &ours, &read, &wall, &error) ||
      !ms_reduce_define(&job.spec, job.data, job.n, &expected, &error)) {
    fail(error);
    return;
  }
  g_autofree char *found = ms_reduce_result_to_string(&result);
  g_autofree char *wanted = ms_reduce_result_to_string(&expected);
  printf("{\"job\": \"reduce\", \"op\": \"%s\", \"type\": \"%s\", \"n\": %s, \"variant\": \"%s\", "
         "\"result\": \"%s\", \"serial\": \"%s\", \"agrees\": %s, ",
         words[1], words[2], words[3], words[4], found, wanted,
         ms_reduce_result_agrees(&result, &expected, 1e-6) ? "true" : "false");
  print_times("kernel", &ours, job.bytes);
  printf(", ");
  print_times("read", &read, job.bytes);
  printf(", ");
  print_times("wall", &wall, job.bytes);
  printf("}\n");
}

static MsImage *
picture(int width, int height, gboolean flat, guint32 seed)
{
  gsize n = (gsize)width * height * 4;
  guint8 *pixels = g_malloc(n);
  guint32 state = seed;

  for (gsize i = 0; i < n; i++)
    pixels[i] = flat ? 200 : (guint8)((state = state * 1664525u + 1013904223u) >> 24);
  return ms_image_new_take(width, height, pixels, NULL);
}

static void
bench_statistics(const Bench *bench, char **words)
{
  int width = atoi(words[1]), height = atoi(words[2]);
  g_autoptr(MsImage) image = picture(width, height, strcmp(words[3], "flat") == 0, 1);
  g_autofree double *space = g_new0(double, bench->repeat);
  g_autofree MsImageStatistics *found = g_new(MsImageStatistics, 1), *expected = g_new(MsImageStatistics, 1);
  g_autoptr(GError) error = NULL;
  Times ours = {space, 0};

  for (guint i = 0; i < bench->repeat; i++) {
    if (!ms_image_statistics(&(MsDeviceRun){bench->context, NULL, NULL}, image, found, &error)) {
      fail(error);
      return;
    }
    ours.ms[ours.n++] = found->timed.kernel_ms;
  }
  ms_fixture_statistics(ms_image_get_pixels(image), (guint64)width * height, expected);
  printf("{\"job\": \"statistics %s\", \"width\": %d, \"height\": %d, \"agrees\": %s, ", words[3], width, height,
         memcmp(found->channels, expected->channels, sizeof found->channels) == 0 ? "true" : "false");
  print_times("kernel", &ours, 4 * (guint64)width * height);
  printf("}\n");
}

static MsSortOptions
sort_options(char **words)
{
  MsSortOptions options = ms_sort_options_default();

  options.form = strcmp(words[2], "study") == 0 ? MS_SORT_STUDY : MS_SORT_FAST;
  options.swap = strcmp(words[3], "plain") == 0     ? MS_SWAP_PLAIN
                 : strcmp(words[3], "refined") == 0 ? MS_SWAP_REFINED
                                                    : 0;
  options.swap_range = atoi(words[4]);
  return options;
}

static void
bench_sort(const Bench *bench, char **words)
{
  guint64 n = g_ascii_strtoull(words[1], NULL, 10);
  const MsSortOptions options = sort_options(words);
  g_autofree double *space = g_new0(double, bench->repeat);
  g_autoptr(GError) error = NULL;
  const guint32 *data = ms_lab_bench_array(bench->arrays, MS_ELEMENT_UINT, n, NULL, NULL);
  g_autofree guint32 *expected = g_memdup2(data, n * 4), *keys = g_new(guint32, n);
  Times ours = {space, 0};

  for (guint i = 0; i < bench->repeat; i++) {
    g_autoptr(MsTimingLog) log = ms_timing_log_new();
    memcpy(keys, data, n * 4);
    if (!ms_fixture_sort(&(MsDeviceRun){bench->context, log, NULL}, &(MsSortRequest){options, MS_ELEMENT_UINT, n}, keys,
                         &error) ||
        !ms_timing_log_resolve(log, &error)) {
      fail(error);
      return;
    }
    ours.ms[ours.n++] = ms_timing_log_total_ms(log, MS_STAGE_KERNEL);
  }
  ms_sort_serial(MS_ELEMENT_UINT, expected, n);
  printf("{\"job\": \"sort\", \"n\": %s, \"form\": \"%s\", \"swap\": \"%s\", \"range\": %s, \"agrees\": %s, ", words[1],
         words[2], words[3], words[4], memcmp(keys, expected, n * 4) == 0 ? "true" : "false");
  print_times("kernel", &ours, 4 * n);
  printf("}\n");
}

static void
bench_peak(const Bench *bench)
{
  MsBandwidth peak;
  g_autoptr(GError) error = NULL;

  if (ms_bandwidth_measure(bench->context, &peak, NULL, &error))
    printf("{\"job\": \"peak\", \"device\": \"%s\", \"driver\": \"%s\", \"read_gb_s\": %.1f, \"copy_gb_s\": %.1f}\n",
           bench->context->device->name, bench->context->device->driver, peak.read, peak.copy);
  else
    fail(error);
}

static void
run_line(const Bench *bench, char *line)
{
  g_auto(GStrv) words = g_strsplit(g_strstrip(line), " ", -1);
  guint n = g_strv_length(words);

  if (n >= 1 && strcmp(words[0], "peak") == 0)
    bench_peak(bench);
  else if (n >= 5 && strcmp(words[0], "reduce") == 0)
    bench_reduce(bench, words);
  else if (n >= 4 && strcmp(words[0], "statistics") == 0)
    bench_statistics(bench, words);
  else if (n >= 5 && strcmp(words[0], "sort") == 0)
    bench_sort(bench, words);
  else
    printf("{\"error\": \"unknown job: %s\"}\n", line);
  fflush(stdout);
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = ms_device_choose(argc > 1 ? argv[1] : "auto", NULL, &error);
  Bench bench = {context, argc > 2 ? (guint)MAX(atoi(argv[2]), 1) : 9};
  char line[256];

  if (!context) {
    fprintf(stderr, "%s\n", error->message);
    return 4;
  }
  g_autoptr(MsLabBench) arrays = ms_lab_bench_new(context, NULL, NULL);
  bench.arrays = arrays;
  while (fgets(line, sizeof line, stdin))
    run_line(&bench, line);
  return 0;
}
