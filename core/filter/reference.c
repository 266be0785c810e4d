/* SPDX-License-Identifier: MIT */
#include "core/filter/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter/no-data.h"
#include "core/filter/pyramid/pyramid.h"
#include "core/filter/space/space.h"
#include "core/filter/tiles.h"

/* Rows of a tile: few, since one row may take a second, and rows are told to the caller tile by tile. */
#define TILE_ROWS 16

/* The sums over the pixels of a window within the colour radius. */
typedef struct {
  int n;
  gint64 x;
  gint64 y;
  int colour[3];
} Sums;

/**
 * Level: the pixels of a region of the picture, or of a level above it, that are to be filtered.
 * @job: of the picture
 * @tiles: (nullable): of the picture itself, whose rows are progress
 * @no_data: (nullable): the pixels that no window counts
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
  guint16 *modes;
  const guint8 *mask;
  const MsNoData *no_data;
  const MsJob *job;
  MsTiles *tiles;
} Level;

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
pixel_at(const Level *level, int x, int y)
{
  return level->pixels + ((gsize)(y - level->top) * level->size.width + x) * 4;
}

static gboolean
is_absent(const Level *level, int x, int y)
{
  const MsNoData *no_data = level->no_data;

  return no_data && no_data->absent[(gsize)(y - no_data->rows.first) * level->size.width + x];
}

/*
 * Reads the pixel at the clamped coordinates but adds the unclamped ones, as the replicate rule requires outside the
 * image.
 */
static void
add_pixel(const Level *level, int x, int y, const int c[3], Sums *sums)
{
  const int column = CLAMP(x, 0, level->size.width - 1), row = CLAMP(y, 0, level->size.height - 1);
  const guint8 *t = pixel_at(level, column, row);

  if (squared_distance(t, c) > level->numbers.isr2 || is_absent(level, column, row))
    return;
  sums->n++;
  sums->x += x;
  sums->y += y;
  for (int k = 0; k < 3; k++)
    sums->colour[k] += t[k];
}

static void
window_range(const Level *level, int centre, int extent, int *first, int *last)
{
  *first = (int)rintf((float)centre - level->numbers.sp);
  *last = (int)rintf((float)centre + level->numbers.sp);
  if (level->params->rule == MS_RULE_REPLICATE)
    return;
  *first = MAX(*first, 0);
  *last = MIN(*last, extent - 1);
}

static Sums
sum_window(const Level *level, int x0, int y0, const int c[3])
{
  Sums sums = {0};
  int left, right, top, bottom;

  window_range(level, x0, level->size.width, &left, &right);
  window_range(level, y0, level->size.height, &top, &bottom);
  if (level->job->samples)
    *level->job->samples += (guint64)(right - left + 1) * (guint64)(bottom - top + 1);
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      add_pixel(level, x, y, c, &sums);
  return sums;
}

/* One iteration of methods 1.1; returns whether the pixel has converged. */
static gboolean
shift(const Level *level, int *x0, int *y0, int c[3])
{
  Sums sums = sum_window(level, *x0, *y0, c);
  int change = 0;

  if (sums.n == 0)
    return TRUE;
  int x1 = ms_reference_mean(sums.x, sums.n, level->params->rule);
  int y1 = ms_reference_mean(sums.y, sums.n, level->params->rule);
  for (int k = 0; k < 3; k++) {
    int m = ms_reference_mean(sums.colour[k], sums.n, level->params->rule);
    change += (m - c[k]) * (m - c[k]);
    c[k] = m;
  }
  change += abs(x1 - *x0) + abs(y1 - *y0);
  gboolean still = x1 == *x0 && y1 == *y0;
  *x0 = x1;
  *y0 = y1;
  return still || change <= level->numbers.epsilon;
}

static void
filter_pixel(const Level *level, int x, int y, guint8 *out)
{
  const guint8 *t = pixel_at(level, x, y);
  int c[3] = {t[0], t[1], t[2]};
  int x0 = x, y0 = y;

  for (int i = 0; i < level->numbers.max_iterations; i++)
    if (shift(level, &x0, &y0, c))
      break;
  for (int k = 0; k < 3; k++)
    out[k] = (guint8)c[k];
  out[3] = t[3];
  if (level->modes) {
    guint16 *mode = level->modes + ((gsize)y * level->size.width + x) * 2;
    mode[0] = (guint16)x0;
    mode[1] = (guint16)y0;
  }
}

/* @out: the result's pixel at the corner of the region; @stride: bytes of a row of the result. */
static gboolean
filter_rows(const Level *level, guint8 *out, gsize stride, GError **error)
{
  const MsRegion *r = &level->region;

  for (int y = 0; y < r->height; y++) {
    const guint8 *mask = level->mask ? level->mask + (gsize)y * level->size.width + r->x : NULL;
    if (g_cancellable_set_error_if_cancelled(level->job->cancellable, error))
      return FALSE;
    for (int x = 0; x < r->width; x++)
      if (!mask || mask[x])
        filter_pixel(level, r->x + x, r->y + y, out + y * stride + (gsize)x * 4);
    if (level->tiles)
      ms_tiles_count(level->tiles, 0, 1);
  }
  return TRUE;
}

static guint8 *
allocate_pixels(gsize bytes, int width, int height, GError **error)
{
  return ms_image_check_memory(g_try_malloc(bytes), width, height, error);
}

/*
 * Filters the region's rows of a level from @coarser, the result of the level above; %NULL for the topmost level. Of
 * these rows, the columns of the region are final.
 */
static guint8 *
filter_level(Level *level, const guint8 *coarser, GError **error)
{
  const MsPyramidSize size = level->size;
  const MsRows rows = {level->region.y, level->region.height};
  const gsize n = (gsize)size.width * level->region.height;
  g_autofree guint8 *result = allocate_pixels(n * 4, size.width, size.height, error);
  g_autofree guint8 *mask = result ? allocate_pixels(n, size.width, size.height, error) : NULL;

  if (!mask)
    return NULL;
  level->mask = coarser ? mask : NULL;
  if (coarser) {
    ms_pyramid_enlarge(coarser, pixel_at(level, 0, rows.first), size, rows, result);
    ms_pyramid_mark(coarser, size, rows, ms_pyramid_edge(level->params), mask);
  }
  gboolean good = filter_rows(level, result + (gsize)level->region.x * 4, (gsize)size.width * 4, error);
  level->mask = NULL;
  return good ? g_steal_pointer(&result) : NULL;
}

/* Computes the levels above unless the result is known, then that of filter_level(). */
static guint8 *
run_level(Level *level, GError **error)
{
  g_autofree guint8 *coarser = NULL;

  if (level->tiles && level->job->coarser)
    return filter_level(level, ms_image_get_pixels(level->job->coarser), error);
  if (level->params->levels > 0) {
    const MsParams params = ms_params_coarser(level->params);
    const MsPyramidSize size = ms_pyramid_size(level->size.width, level->size.height, 1);
    const gsize bytes = (gsize)size.width * size.height * 4;
    g_autofree guint8 *halved = allocate_pixels(bytes, size.width, size.height, error);
    g_autofree guint8 *modes = halved && level->modes ? allocate_pixels(bytes, size.width, size.height, error) : NULL;
    if (!halved || (level->modes && !modes))
      return NULL;
    ms_pyramid_halve(level->pixels, (MsRows){0, level->size.height}, level->size, (MsRows){0, size.height}, halved);
    Level above = {.pixels = halved,
                   .size = size,
                   .params = &params,
                   .numbers = ms_params_numbers(&params),
                   .region = {0, 0, size.width, size.height},
                   .job = level->job,
                   .modes = (guint16 *)modes};
    coarser = run_level(&above, error);
    if (!coarser)
      return NULL;
    if (modes)
      ms_pyramid_place_modes(above.modes, level->size, level->modes);
  }
  return filter_level(level, coarser, error);
}

/* The picture from its levels, or for settings without levels at once. */
static gboolean
run_picture(Level *level, guint8 *out, GError **error)
{
  const MsRegion *r = &level->region;
  const gsize stride = (gsize)level->size.width * 4, row = (gsize)r->width * 4;

  if (level->params->levels == 0)
    return filter_rows(level, out, row, error);
  g_autofree guint8 *whole = run_level(level, error);
  for (int y = 0; whole && y < r->height; y++)
    memcpy(out + y * row, whole + y * stride + (gsize)r->x * 4, row);
  return whole != NULL;
}

/* The rows of the source that can influence those of the result. */
static MsRows
held_for(const MsJob *job, MsRows tile)
{
  const MsParams *params = &job->settings->params;
  const int height = ms_image_get_height(job->source);
  const gboolean needs_all = params->levels > 0 && !job->coarser;

  return ms_bands_with_halo(tile, needs_all ? height : ms_params_halo(params, height), height);
}

/*
 * Computes rows of the region, of which only the rows of the source that can influence them are converted. Windows
 * leave pixels without data out, but not where the levels above mix them with others.
 */
static gboolean
compute_rows(const MsJob *job, MsTiles *tiles, const MsRegion *rows, guint8 *out, GError **error)
{
  const MsParams *params = &job->settings->params;
  const gboolean has_levels = params->levels > 0;
  const MsRows tile = {rows->y, rows->height}, held = held_for(job, tile);
  g_autoptr(MsNoData) no_data = ms_no_data_find(job->source, has_levels ? tile : held);
  g_autoptr(MsImage) source = ms_image_new_rows(job->source, held.first, held.count);
  g_autoptr(MsImage) converted = ms_space_convert_image(params->space, source, error);

  if (!converted)
    return FALSE;
  Level level = {.pixels = ms_image_get_pixels(converted),
                 .top = held.first,
                 .size = {ms_image_get_width(job->source), ms_image_get_height(job->source)},
                 .params = params,
                 .numbers = ms_params_numbers(params),
                 .region = *rows,
                 .modes = ms_job_get_modes(job),
                 .no_data = has_levels ? NULL : no_data,
                 .job = job,
                 .tiles = tiles};
  if (!run_picture(&level, out, error))
    return FALSE;
  if (params->space != MS_SPACE_RGB && !job->wants_modes) {
    g_autoptr(GBytes) tables = ms_space_tables_of(params->space, job->source);
    ms_space_restore(params->space, g_bytes_get_data(tables, NULL), out, out, (gsize)rows->width * rows->height);
  }
  if (no_data)
    ms_no_data_restore(no_data, job->source, rows, out);
  if (no_data && job->wants_modes)
    ms_no_data_place_modes(no_data, level.modes);
  return TRUE;
}

static gboolean
run_tile(const MsJob *job, MsTiles *tiles, MsRows tile, GError **error)
{
  const MsRegion region = ms_job_get_region(job), rows = {region.x, tile.first, region.width, tile.count};
  guint8 *out = NULL;

  if (!ms_tiles_prepare(tiles, tile, held_for(job, tile), &out, error))
    return FALSE;
  if (!compute_rows(job, tiles, &rows, out, error)) {
    ms_tiles_return(tiles, 0, tile, out);
    return FALSE;
  }
  if (job->rows)
    job->rows(tiles->pixels, tile.first + tile.count - region.y, job->rows_data);
  return ms_tiles_finish(tiles, tile, out, error);
}

/* Takes one tile after the other; the levels above are computed for all rows at once. */
static gboolean
run_tiles(const MsJob *job, guint8 *pixels, GError **error)
{
  const MsRegion region = ms_job_get_region(job);
  const gboolean is_one = job->wants_modes || (job->settings->params.levels > 0 && !job->coarser);
  const int most = is_one ? region.height : job->stream ? MIN(TILE_ROWS, job->stream->most_rows) : TILE_ROWS;
  g_auto(MsTiles) tiles = {0};
  GError *failure = NULL;
  MsRows tile;

  ms_tiles_init(&tiles, (MsRows){region.y, region.height}, 1);
  ms_tiles_serve(&tiles, job, region.width, pixels);
  while (!failure && ms_tiles_take(&tiles, 0, most, &tile))
    run_tile(job, &tiles, tile, &failure);
  return ms_tiles_end(&tiles, failure, error);
}

/**
 * ms_reference_run: computes the picture of @job on the calling thread.
 *
 * Pixels without data keep their value and no window counts them; with levels, windows count them.
 *
 * Returns: (transfer full): an image of the region's size, or %NULL with #MS_ERROR_USAGE, #MS_ERROR_MEMORY or
 *   G_IO_ERROR_CANCELLED
 */
MsImage *
ms_reference_run(MsJob *job, GError **error)
{
  const MsParams *params = &job->settings->params;
  const MsRegion region = ms_job_get_region(job);
  const gsize bytes = (gsize)region.width * region.height * 4;

  if (!ms_params_validate(params, error))
    return NULL;
  if (job->wants_modes && params->rule == MS_RULE_REPLICATE) {
    ms_set_error(error, MS_ERROR_USAGE, "Regions need a rule under which pixels stay in the image.");
    return NULL;
  }
  if (!ms_job_begin(job, error))
    return NULL;
  job->used = *job->settings;
  g_autofree guint8 *pixels = job->stream ? NULL : allocate_pixels(bytes, region.width, region.height, error);
  if ((!job->stream && !pixels) || !run_tiles(job, pixels, error))
    return NULL;
  if (job->stream)
    return g_object_ref(job->source);
  return ms_image_new_take(region.width, region.height, g_steal_pointer(&pixels), ms_image_get_metadata(job->source));
}
