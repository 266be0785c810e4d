/* SPDX-License-Identifier: MIT */
#include "core/filter/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter/pyramid/pyramid.h"
#include "core/filter/space/space.h"

/* The sums over the pixels of a window within the colour radius. */
typedef struct {
  int n;
  gint64 x;
  gint64 y;
  int colour[3];
} Sums;

/**
 * Job: the pixels of a region that are to be filtered.
 * @pixels: of the whole image, or of the rows from @top on that can influence the region
 * @modes: (nullable): column and row of every pixel's mode
 * @mask: (nullable): a byte for each pixel of the region's rows, 0 where the result is unchanged
 */
typedef struct {
  const guint8 *pixels;
  int top;
  MsPyramidSize size;
  const MsParams *params;
  MsFilterNumbers numbers;
  MsRegion region;
  const MsReferenceRun *run;
  guint16 *modes;
  const guint8 *mask;
} Job;

/** ms_reference_mean: the mean of @n values with that sum, as each rule rounds it. */
int
ms_reference_mean(gint64 sum, int n, MsRule rule)
{
  switch (rule) {
  case MS_RULE_TRUNCATE:
    return (int)(sum / n);
  case MS_RULE_REPLICATE: {
    float reciprocal = 1.0f / (float)n;
    float product = (float)sum * reciprocal;
    return (int)product;
  }
  case MS_RULE_OPENCV: {
    double reciprocal = 1.0 / n;
    return (int)rint((double)sum * reciprocal);
  }
  }
  g_return_val_if_reached(0);
}

static int
squared_distance(const guint8 *t, const int c[3])
{
  int d0 = t[0] - c[0], d1 = t[1] - c[1], d2 = t[2] - c[2];

  return d0 * d0 + d1 * d1 + d2 * d2;
}

static const guint8 *
pixel_at(const Job *job, int x, int y)
{
  return job->pixels + ((gsize)(y - job->top) * job->size.width + x) * 4;
}

static gboolean
is_absent(const Job *job, int x, int y)
{
  const MsNoData *no_data = job->run->no_data;

  return no_data && no_data->absent[(gsize)(y - no_data->rows.first) * job->size.width + x];
}

/*
 * Reads the pixel at the clamped coordinates but adds the unclamped ones, as the replicate rule requires outside the
 * image.
 */
static void
add_pixel(const Job *job, int x, int y, const int c[3], Sums *sums)
{
  const int column = CLAMP(x, 0, job->size.width - 1), row = CLAMP(y, 0, job->size.height - 1);
  const guint8 *t = pixel_at(job, column, row);

  if (squared_distance(t, c) > job->numbers.isr2 || is_absent(job, column, row))
    return;
  sums->n++;
  sums->x += x;
  sums->y += y;
  for (int k = 0; k < 3; k++)
    sums->colour[k] += t[k];
}

static void
window_range(const Job *job, int centre, int extent, int *first, int *last)
{
  *first = (int)rintf((float)centre - job->numbers.sp);
  *last = (int)rintf((float)centre + job->numbers.sp);
  if (job->params->rule == MS_RULE_REPLICATE)
    return;
  *first = MAX(*first, 0);
  *last = MIN(*last, extent - 1);
}

static Sums
sum_window(const Job *job, int x0, int y0, const int c[3])
{
  Sums sums = {0};
  int left, right, top, bottom;

  window_range(job, x0, job->size.width, &left, &right);
  window_range(job, y0, job->size.height, &top, &bottom);
  if (job->run->samples)
    *job->run->samples += (guint64)(right - left + 1) * (guint64)(bottom - top + 1);
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      add_pixel(job, x, y, c, &sums);
  return sums;
}

/* One iteration of methods 1.1; returns whether the pixel has converged. */
static gboolean
shift(const Job *job, int *x0, int *y0, int c[3])
{
  Sums sums = sum_window(job, *x0, *y0, c);
  int change = 0;

  if (sums.n == 0)
    return TRUE;
  int x1 = ms_reference_mean(sums.x, sums.n, job->params->rule);
  int y1 = ms_reference_mean(sums.y, sums.n, job->params->rule);
  for (int k = 0; k < 3; k++) {
    int m = ms_reference_mean(sums.colour[k], sums.n, job->params->rule);
    change += (m - c[k]) * (m - c[k]);
    c[k] = m;
  }
  change += abs(x1 - *x0) + abs(y1 - *y0);
  gboolean still = x1 == *x0 && y1 == *y0;
  *x0 = x1;
  *y0 = y1;
  return still || change <= job->numbers.epsilon;
}

static void
filter_pixel(const Job *job, int x, int y, guint8 *out)
{
  const guint8 *t = pixel_at(job, x, y);
  int c[3] = {t[0], t[1], t[2]};
  int x0 = x, y0 = y;

  for (int i = 0; i < job->numbers.max_iterations; i++)
    if (shift(job, &x0, &y0, c))
      break;
  for (int k = 0; k < 3; k++)
    out[k] = (guint8)c[k];
  out[3] = t[3];
  if (job->modes) {
    guint16 *mode = job->modes + ((gsize)y * job->size.width + x) * 2;
    mode[0] = (guint16)x0;
    mode[1] = (guint16)y0;
  }
}

/* @out: the result's pixel at the corner of the region; @stride: bytes of a row of the result. */
static gboolean
filter_rows(const Job *job, guint8 *out, gsize stride, GError **error)
{
  const MsRegion *r = &job->region;

  for (int y = 0; y < r->height; y++) {
    const guint8 *mask = job->mask ? job->mask + (gsize)y * job->size.width + r->x : NULL;
    if (g_cancellable_set_error_if_cancelled(job->run->cancellable, error))
      return FALSE;
    for (int x = 0; x < r->width; x++)
      if (!mask || mask[x])
        filter_pixel(job, r->x + x, r->y + y, out + y * stride + (gsize)x * 4);
    if (job->run->progress)
      job->run->progress(y + 1, r->height, job->run->progress_data);
  }
  return TRUE;
}

static guint8 *
allocate(gsize bytes, int width, int height, GError **error)
{
  return ms_image_check_memory(g_try_malloc(bytes), width, height, error);
}

static MsImage *
run_plain(const Job *job, MsImage *source, GError **error)
{
  const MsRegion *r = &job->region;
  gsize stride = (gsize)r->width * 4;
  g_autofree guint8 *out = allocate(stride * r->height, r->width, r->height, error);

  if (!out || !filter_rows(job, out, stride, error))
    return NULL;
  return ms_image_new_take(r->width, r->height, g_steal_pointer(&out), ms_image_get_metadata(source));
}

/*
 * Filters the region's rows of a level from @coarser, the result of the level above; %NULL for the topmost level. Of
 * these rows, the columns of the region are final.
 */
static guint8 *
filter_level(Job *job, const guint8 *coarser, GError **error)
{
  const MsPyramidSize size = job->size;
  const MsRows rows = {job->region.y, job->region.height};
  const gsize n = (gsize)size.width * job->region.height;
  g_autofree guint8 *result = allocate(n * 4, size.width, size.height, error);
  g_autofree guint8 *mask = result ? allocate(n, size.width, size.height, error) : NULL;

  if (!mask)
    return NULL;
  job->mask = coarser ? mask : NULL;
  if (coarser) {
    ms_pyramid_enlarge(coarser, pixel_at(job, 0, rows.first), size, rows, result);
    ms_pyramid_mark(coarser, size, rows, ms_pyramid_edge(job->params), mask);
  }
  gboolean good = filter_rows(job, result + (gsize)job->region.x * 4, (gsize)size.width * 4, error);
  job->mask = NULL;
  return good ? g_steal_pointer(&result) : NULL;
}

/* Computes the levels above that of @job unless the result is known, then that of filter_level(). */
static guint8 *
run_level(Job *job, GError **error)
{
  g_autofree guint8 *coarser = NULL;

  if (job->run->coarser)
    return filter_level(job, ms_image_get_pixels(job->run->coarser), error);
  if (job->params->levels > 0) {
    const MsParams params = ms_params_coarser(job->params);
    const MsPyramidSize size = ms_pyramid_size(job->size.width, job->size.height, 1);
    const MsReferenceRun quiet = {.samples = job->run->samples, .cancellable = job->run->cancellable};
    const gsize bytes = (gsize)size.width * size.height * 4;
    g_autofree guint8 *halved = allocate(bytes, size.width, size.height, error);
    g_autofree guint8 *modes = halved && job->modes ? allocate(bytes, size.width, size.height, error) : NULL;
    if (!halved || (job->modes && !modes))
      return NULL;
    ms_pyramid_halve(job->pixels, job->size, halved);
    Job above = {.pixels = halved,
                 .size = size,
                 .params = &params,
                 .numbers = ms_params_numbers(&params),
                 .region = {0, 0, size.width, size.height},
                 .run = &quiet,
                 .modes = (guint16 *)modes};
    coarser = run_level(&above, error);
    if (!coarser)
      return NULL;
    if (modes)
      ms_pyramid_place_modes(above.modes, job->size, job->modes);
  }
  return filter_level(job, coarser, error);
}

static MsImage *
run_levels(Job *job, MsImage *source, GError **error)
{
  const MsRegion *r = &job->region;
  const gsize stride = (gsize)job->size.width * 4, row = (gsize)r->width * 4;
  g_autofree guint8 *whole = run_level(job, error);
  g_autofree guint8 *out = whole ? allocate(row * r->height, r->width, r->height, error) : NULL;

  if (!out)
    return NULL;
  for (int y = 0; y < r->height; y++)
    memcpy(out + y * row, whole + y * stride + (gsize)r->x * 4, row);
  return ms_image_new_take(r->width, r->height, g_steal_pointer(&out), ms_image_get_metadata(source));
}

static Job
job_for(MsImage *source, const MsParams *params, const MsReferenceRun *run)
{
  return (Job){.pixels = ms_image_get_pixels(source),
               .size = {ms_image_get_width(source), ms_image_get_height(source)},
               .params = params,
               .numbers = ms_params_numbers(params),
               .region = run->region ? *run->region : ms_image_get_extent(source),
               .run = run};
}

static MsImage *
run_in_rgb(MsImage *source, const MsParams *params, const MsReferenceRun *run, GError **error)
{
  Job job = job_for(source, params, run);

  return params->levels > 0 ? run_levels(&job, source, error) : run_plain(&job, source, error);
}

/* Converts only the rows that can influence the region; the levels of a pyramid need all unless they are known. */
static MsImage *
run_in_space(MsImage *source, const MsParams *params, const MsReferenceRun *run, GError **error)
{
  const int height = ms_image_get_height(source);
  MsRegion region = run->region ? *run->region : ms_image_get_extent(source);
  const MsRows band = {region.y, region.height};
  const gboolean needs_all = params->levels > 0 && !run->coarser;
  const MsRows held = ms_bands_with_halo(band, needs_all ? height : ms_params_halo(params, height), height);
  MsReferenceRun inside = *run;
  g_autoptr(MsImage) rows = ms_image_new_rows(source, held.first, held.count);
  g_autoptr(MsImage) converted = ms_space_convert_image(params->space, rows, error);

  g_autoptr(MsImage) filtered = NULL;
  if (converted && run->coarser) {
    Job job = job_for(source, params, run);
    job.pixels = ms_image_get_pixels(converted);
    job.top = held.first;
    filtered = run_levels(&job, source, error);
  } else if (converted) {
    MsNoData no_data = run->no_data ? *run->no_data : (MsNoData){NULL};
    no_data.rows.first -= held.first;
    inside.no_data = run->no_data ? &no_data : NULL;
    region.y -= held.first;
    inside.region = &region;
    filtered = run_in_rgb(converted, params, &inside, error);
  }
  return filtered ? ms_space_restore_image(params->space, filtered, error) : NULL;
}

/* (nullable): the pixels without data among the rows that can influence a region, or of the region where levels mix. */
static MsNoData *
find_no_data(MsImage *source, const MsParams *params, const MsRegion *region)
{
  const int height = ms_image_get_height(source), halo = params->levels > 0 ? 0 : ms_params_halo(params, height);

  return ms_no_data_find(source, ms_bands_with_halo((MsRows){region->y, region->height}, halo, height));
}

/* @modes: (nullable): filled in for the whole image */
static MsImage *
run_with_no_data(MsImage *source, const MsParams *params, guint16 *modes, const MsReferenceRun *run, GError **error)
{
  const MsRegion region = run->region ? *run->region : ms_image_get_extent(source);
  g_autoptr(MsNoData) no_data = find_no_data(source, params, &region);
  MsReferenceRun inside = *run;
  MsImage *result = NULL;

  inside.no_data = params->levels > 0 ? NULL : no_data;
  if (modes) {
    g_autoptr(MsImage) converted = ms_space_convert_image(params->space, source, error);
    if (!converted)
      return NULL;
    Job job = job_for(converted, params, &inside);
    job.modes = modes;
    result = params->levels > 0 ? run_levels(&job, source, error) : run_plain(&job, source, error);
  } else {
    result = (params->space == MS_SPACE_RGB ? run_in_rgb : run_in_space)(source, params, &inside, error);
  }
  if (result && no_data)
    ms_no_data_restore(no_data, source, &region, (guint8 *)ms_image_get_pixels(result));
  if (result && no_data && modes)
    ms_no_data_place_modes(no_data, modes);
  return result;
}

/**
 * ms_reference_run:
 * @source: the picture
 * @params: what to compute
 * @run: (nullable): %NULL for the whole image without reports
 *
 * Pixels without data keep their value and no window counts them; with levels, windows count them.
 *
 * Returns: (transfer full): an image of the region's size, or %NULL with #MS_ERROR_USAGE, #MS_ERROR_MEMORY or
 *   G_IO_ERROR_CANCELLED
 */
MsImage *
ms_reference_run(MsImage *source, const MsParams *params, const MsReferenceRun *run, GError **error)
{
  const MsReferenceRun whole = {NULL};

  if (!ms_params_validate(params, error))
    return NULL;
  return run_with_no_data(source, params, NULL, run ? run : &whole, error);
}

/** ms_reference_run_with_modes: computes the result of ms_mean_shift_run() with modes. */
MsImage *
ms_reference_run_with_modes(MsImage *source, const MsParams *params, guint16 *modes, const MsReferenceRun *run,
                            GError **error)
{
  const MsReferenceRun whole = {NULL};

  g_return_val_if_fail(params->rule != MS_RULE_REPLICATE, NULL);
  if (!ms_params_validate(params, error))
    return NULL;
  return run_with_no_data(source, params, modes, run ? run : &whole, error);
}
