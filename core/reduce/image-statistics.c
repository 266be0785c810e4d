/* SPDX-License-Identifier: MIT */
#include "core/reduce/image-statistics.h"

#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/opencl/transfers.h"

#define BINS (MS_N_CHANNELS * 256)
/* Bytes of one copy of the bins, padded as in histogram.cl so that copies use different banks. */
#define COPY_BYTES ((BINS + 8) * sizeof(cl_uint))
#define COPIES 4
/* Pixels of one launch: counts are 32-bit on the device. */
#define MAX_STRIPE (1 << 28)

/** Shape: how the pass is laid out on a device. */
typedef struct {
  guint group;
  guint copies;
  guint groups_per_unit;
  const char *item_range;
  const char *count;
  const char *copy_of;
} Shape;

/*
 * A processor with vectors counts without atomics, one work-item a group over a contiguous block; elsewhere work-items
 * of a group share bins.
 */
static Shape
shape_for(const MsDeviceLimits *limits)
{
  Shape shape = {256, COPIES, 8, "global_stride", "COUNT_ATOMIC", "COPY_OF_ITEM"};

  if (ms_device_limits_have_vectors(limits))
    shape = (Shape){1, COPIES, 8, "block_stride", "COUNT_PLAIN", "COPY_OF_LANE"};
  while (shape.group > limits->max_work_group)
    shape.group /= 2;
  while (shape.copies > 1 && shape.copies * COPY_BYTES > limits->local_memory)
    shape.copies /= 2;
  return shape;
}

static cl_kernel
build(MsContext *context, const Shape *shape, MsTimingLog *log, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_define_int(spec, "GROUP", shape->group);
  ms_program_spec_define_int(spec, "COPIES", shape->copies);
  ms_program_spec_define_text(spec, "ITEM_RANGE", shape->item_range);
  ms_program_spec_define_text(spec, "COUNT", shape->count);
  ms_program_spec_define_text(spec, "COPY_OF", shape->copy_of);
  ms_program_spec_add_part(spec, "reduce/load/stride.cl");
  ms_program_spec_add_part(spec, "histogram/histogram.cl");
  return ms_kernel_new(context, spec, "histogram", log, error);
}

/** Counter: the kernel and buffers that all stripes of an image share. */
typedef struct {
  const MsDeviceRun *run;
  Shape shape;
  cl_kernel kernel;
} Counter;

static gboolean
launch_statistics(const Counter *self, cl_mem pixels, cl_int n, cl_mem counts, GError **error)
{
  const Shape *shape = &self->shape;
  guint units = MAX(self->run->context->device->limits.compute_units, 1);
  guint most = MAX((guint)n / 4 / shape->group, 1), groups = MIN(units * shape->groups_per_unit, most);
  cl_int times = (cl_int)(((guint)n / 4 + groups * shape->group - 1) / (groups * shape->group));
  const MsKernelArg args[] = {MS_ARG_OF(pixels), MS_ARG_OF(n), MS_ARG_OF(times), MS_ARG_OF(counts),
                              MS_ARG_LOCAL_BYTES(shape->copies * COPY_BYTES)};
  const MsLaunch launch = {self->kernel, "histogram", ms_nd_range_of_groups(groups, shape->group), 4 * (guint64)n};

  return ms_kernel_set_args(self->kernel, "histogram", args, G_N_ELEMENTS(args), error) &&
         ms_context_launch(self->run->context, &launch, self->run->log, error);
}

/* Uploads and counts @n pixels. */
static gboolean
count_stripe(const Counter *self, const guint8 *from, guint64 n, MsHistogram *histogram, GError **error)
{
  MsContext *context = self->run->context;
  g_auto(cl_mem) pixels = ms_device_array_new(context, from, 4 * n, self->run->log, error);
  g_auto(cl_mem) counts = pixels ? ms_device_zeros_new(context, BINS * sizeof(cl_uint), error) : NULL;
  cl_uint found[MS_N_CHANNELS][256];

  if (!counts || !launch_statistics(self, pixels, (cl_int)n, counts, error) ||
      !ms_context_download(context, &(MsBufferRange){counts, 0, sizeof found}, found, self->run->log, error))
    return FALSE;
  for (int c = 0; c < MS_N_CHANNELS; c++)
    for (int v = 0; v < 256; v++)
      histogram->counts[c][v] += found[c][v];
  histogram->pixels += n;
  return TRUE;
}

/* Counts the image on the device, in stripes where it exceeds a quarter of the device's largest buffer. */
static gboolean
count_on_device(const MsDeviceRun *run, MsImage *image, MsHistogram *histogram, GError **error)
{
  const MsDeviceLimits *limits = &run->context->device->limits;
  const guint64 n = ms_image_get_byte_size(image) / 4;
  const guint64 stripe = CLAMP(limits->max_allocation / 4 / 4 / 32 * 32, 32, MAX_STRIPE);
  Counter counter = {.run = run, .shape = shape_for(limits)};
  g_auto(cl_kernel) kernel = build(run->context, &counter.shape, run->log, error);

  memset(histogram, 0, sizeof *histogram);
  if (!kernel)
    return FALSE;
  counter.kernel = kernel;
  for (guint64 done = 0; done < n; done += stripe)
    if (g_cancellable_set_error_if_cancelled(run->cancellable, error) ||
        !count_stripe(&counter, ms_image_get_pixels(image) + 4 * done, MIN(n - done, stripe), histogram, error))
      return FALSE;
  return TRUE;
}

/* Takes the pixels without data out of the counts again. */
static void
leave_out_no_data(MsImage *image, MsHistogram *histogram)
{
  const guint8 *p = ms_image_get_pixels(image), *end = p + ms_image_get_byte_size(image);
  guint64(*counts)[256] = histogram->counts;
  guint8 value;

  if (!ms_image_get_no_data(image, &value))
    return;
  const guint64 before = histogram->pixels;
  for (; p < end; p += 4)
    if (ms_pixel_lacks_data(p, value)) {
      histogram->pixels--;
      counts[MS_CHANNEL_A][p[3]]--;
    }
  const guint64 n = before - histogram->pixels;
  for (int c = 0; c < MS_CHANNEL_A; c++)
    counts[c][value] -= n;
  counts[MS_CHANNEL_LUMA][MS_LUMA(value, value, value)] -= n;
}

/** ms_histogram_of_image: counts the pixels that have data, by serial code where @run has no context. */
gboolean
ms_histogram_of_image(const MsDeviceRun *run, MsImage *image, MsHistogram *histogram, GError **error)
{
  if (!run->context)
    ms_histogram_serial(ms_image_get_pixels(image), ms_image_get_byte_size(image) / 4, histogram);
  else if (!count_on_device(run, image, histogram, error))
    return FALSE;
  leave_out_no_data(image, histogram);
  return TRUE;
}

/** ms_histogram_add: adds the counts of @other to those of @self. */
void
ms_histogram_add(MsHistogram *self, const MsHistogram *other)
{
  self->pixels += other->pixels;
  for (int c = 0; c < MS_N_CHANNELS; c++)
    for (int v = 0; v < 256; v++)
      self->counts[c][v] += other->counts[c][v];
}

/** ms_histogram_serial: the counts of all pixels on the host. */
void
ms_histogram_serial(const guint8 *pixels, guint64 n_pixels, MsHistogram *histogram)
{
  memset(histogram, 0, sizeof *histogram);
  histogram->pixels = n_pixels;
  for (guint64 i = 0; i < n_pixels; i++) {
    const guint8 *p = pixels + 4 * i;
    for (int c = 0; c < 4; c++)
      histogram->counts[c][p[c]]++;
    histogram->counts[MS_CHANNEL_LUMA][MS_LUMA(p[0], p[1], p[2])]++;
  }
}

/** ms_image_channel_name: as in reports: "r", "g", "b", "a", "luma". */
const char *
ms_image_channel_name(MsImageChannel channel)
{
  static const char *const names[] = {"r", "g", "b", "a", "luma"};

  return names[channel];
}

/** ms_histogram_to_text: (transfer full): a tab-separated table, one row for each value that occurs. */
char *
ms_histogram_to_text(const MsHistogram *self)
{
  GString *text = g_string_new("value");

  for (int c = 0; c < MS_N_CHANNELS; c++)
    g_string_append_printf(text, "\t%s", ms_image_channel_name(c));
  g_string_append_c(text, '\n');
  for (int v = 0; v < 256; v++) {
    guint64 any = 0;
    for (int c = 0; c < MS_N_CHANNELS; c++)
      any |= self->counts[c][v];
    if (any == 0)
      continue;
    g_string_append_printf(text, "%d", v);
    for (int c = 0; c < MS_N_CHANNELS; c++)
      g_string_append_printf(text, "\t%" G_GUINT64_FORMAT, self->counts[c][v]);
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}

/** ms_histogram_add_json: adds an object of five arrays of 256 counts, as the value of the member begun before. */
void
ms_histogram_add_json(const MsHistogram *self, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  for (int c = 0; c < MS_N_CHANNELS; c++) {
    json_builder_set_member_name(builder, ms_image_channel_name(c));
    json_builder_begin_array(builder);
    for (int v = 0; v < 256; v++)
      json_builder_add_int_value(builder, (gint64)self->counts[c][v]);
    json_builder_end_array(builder);
  }
  json_builder_end_object(builder);
}

const int ms_statistics_percentiles[6] = {1, 5, 25, 75, 95, 99};

/* The sample of rank @rank, from 0, in sorted order. */
static guint
sample_at(const guint64 counts[256], guint64 rank)
{
  guint64 passed = 0;

  for (guint v = 0; v < 256; v++) {
    passed += counts[v];
    if (rank < passed)
      return v;
  }
  return 255;
}

/*
 * Interpolates between the two samples around rank (n - 1) p / 100; the rank is computed in integers, so only the
 * interpolation rounds.
 */
static double
percentile(const guint64 counts[256], guint64 n, guint percent)
{
  guint64 hundredths = (n - 1) * percent, rank = hundredths / 100;
  double low = sample_at(counts, rank), high = sample_at(counts, MIN(rank + 1, n - 1));

  return low + (high - low) * ((double)(hundredths % 100) / 100.0);
}

static double
deviation(const guint64 counts[256], guint64 n, guint64 sum)
{
  G_GNUC_EXTENSION unsigned __int128 squares = 0, scaled;

  for (guint v = 0; v < 256; v++)
    squares += (guint64)v * v * counts[v];
  scaled = squares * n - (G_GNUC_EXTENSION(unsigned __int128) sum) * sum;
  return sqrt((double)scaled) / (double)n;
}

/**
 * ms_channel_statistics_from_counts:
 * @counts: of the values 0 to 255; without any, all statistics are 0
 *
 * Every number is exact, or correct up to the rounding of the last operations in double.
 */
void
ms_channel_statistics_from_counts(const guint64 counts[256], MsChannelStatistics *statistics)
{
  MsChannelStatistics s = {.clipped_low = counts[0], .clipped_high = counts[255]};

  for (guint v = 0; v < 256; v++) {
    s.count += counts[v];
    s.sum += v * counts[v];
  }
  *statistics = s;
  if (s.count == 0)
    return;
  s.min = sample_at(counts, 0);
  s.max = sample_at(counts, s.count - 1);
  s.mean = (double)s.sum / (double)s.count;
  s.stddev = deviation(counts, s.count, s.sum);
  s.median = percentile(counts, s.count, 50);
  for (guint i = 0; i < G_N_ELEMENTS(s.percentiles); i++)
    s.percentiles[i] = percentile(counts, s.count, (guint)ms_statistics_percentiles[i]);
  s.nonzero = s.count - counts[0];
  *statistics = s;
}

static void
derive(MsImageStatistics *statistics)
{
  for (int c = 0; c < MS_N_CHANNELS; c++)
    ms_channel_statistics_from_counts(statistics->histogram.counts[c], &statistics->channels[c]);
}

/**
 * ms_image_statistics:
 *
 * One pass over the image on the device, whose bandwidth is measured first when it is not known; by serial code, whose
 * times are 0, where @run has no context. Pixels without data are left out.
 */
gboolean
ms_image_statistics(const MsDeviceRun *run, MsImage *image, MsImageStatistics *statistics, GError **error)
{
  g_autoptr(MsTimingLog) own = ms_timing_log_new();
  const MsDeviceRun pass = {run->context, own, run->cancellable};

  memset(statistics, 0, sizeof *statistics);
  if (!ms_histogram_of_image(&pass, image, &statistics->histogram, error) ||
      (run->context && !ms_time_pass(run, own, &statistics->timed, error)))
    return FALSE;
  derive(statistics);
  return TRUE;
}

/** ms_image_statistics_add: merges @other into @self, as if their pixels were one image. */
void
ms_image_statistics_add(MsImageStatistics *self, const MsImageStatistics *other)
{
  ms_histogram_add(&self->histogram, &other->histogram);
  self->timed = ms_timed_pass_join(self->timed, other->timed);
  derive(self);
}

/** Field: a statistic, its member's name in JSON and its place in #MsChannelStatistics. */
typedef struct {
  const char *name;
  gsize offset;
  enum { COUNT, SAMPLE, REAL } type;
} Field;

#define FIELD(name, type)                                                                                              \
  {                                                                                                                    \
#name, G_STRUCT_OFFSET(MsChannelStatistics, name), type                                                            \
  }
#define PERCENTILE(i, name)                                                                                            \
  {                                                                                                                    \
    name, G_STRUCT_OFFSET(MsChannelStatistics, percentiles[i]), REAL                                                   \
  }

/* clang-format off */
static const Field fields[] = {
  FIELD(count, COUNT), FIELD(min, SAMPLE), FIELD(max, SAMPLE), FIELD(mean, REAL), FIELD(stddev, REAL),
  FIELD(median, REAL), FIELD(sum, COUNT), FIELD(nonzero, COUNT), PERCENTILE(0, "p1"), PERCENTILE(1, "p5"),
  PERCENTILE(2, "p25"), PERCENTILE(3, "p75"), PERCENTILE(4, "p95"), PERCENTILE(5, "p99"), FIELD(clipped_low, COUNT),
  FIELD(clipped_high, COUNT),
};
/* clang-format on */

static double
get_field(const Field *field, const MsChannelStatistics *s)
{
  switch (field->type) {
  case COUNT:
    return (double)G_STRUCT_MEMBER(guint64, s, field->offset);
  case SAMPLE:
    return G_STRUCT_MEMBER(guint, s, field->offset);
  case REAL:
    return G_STRUCT_MEMBER(double, s, field->offset);
  }
  g_assert_not_reached();
}

/** ms_image_statistics_to_text: (transfer full): a table, one column for each channel, with the time of the pass. */
char *
ms_image_statistics_to_text(const MsImageStatistics *self)
{
  GString *text = g_string_new(NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf(text, "%-13s", "");
  for (int c = 0; c < MS_N_CHANNELS; c++)
    g_string_append_printf(text, "%14s", ms_image_channel_name(c));
  g_string_append_c(text, '\n');
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
    g_string_append_printf(text, "%-13s", fields[i].name);
    for (int c = 0; c < MS_N_CHANNELS; c++)
      g_string_append(text, g_ascii_formatd(number, sizeof number, fields[i].type == REAL ? "%14.4f" : "%14.0f",
                                            get_field(&fields[i], &self->channels[c])));
    g_string_append_c(text, '\n');
  }
  ms_timed_pass_append_text(&self->timed, text);
  return g_string_free(text, FALSE);
}

static void
add_channel(const MsChannelStatistics *s, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
    if (fields[i].type == REAL)
      ms_json_add_number(builder, fields[i].name, get_field(&fields[i], s));
    else
      ms_json_add_integer(builder, fields[i].name, (gint64)get_field(&fields[i], s));
  }
  json_builder_end_object(builder);
}

/**
 * ms_image_statistics_add_json: adds an object of five channels, with the time of the pass over the image and its
 * bandwidth beside them, as the value of the member begun before.
 */
void
ms_image_statistics_add_json(const MsImageStatistics *self, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  for (int c = 0; c < MS_N_CHANNELS; c++) {
    json_builder_set_member_name(builder, ms_image_channel_name(c));
    add_channel(&self->channels[c], builder);
  }
  ms_timed_pass_add_json(&self->timed, builder);
  json_builder_end_object(builder);
}
