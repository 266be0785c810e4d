/* SPDX-License-Identifier: MIT */
#include "core/filter/tiles.h"

#include <string.h>

#include "core/image/common/image.h"

/* Towards the end of a picture the tiles of several devices become smaller, down to this part of the usual ones. */
#define LEAST_PART 4

/* Tiles that a device takes which computes one after the other, of its share of a picture; and their least rows. */
#define EVEN_TILES 8
#define HALOS 4

/* The rows that a device of unknown speed takes at first are this part of the picture, since it may be a slow one. */
#define FIRST_PART 64

/* Rows that a device took and did not compute. */
typedef struct {
  guint device;
  MsRows rows;
} Returned;

/* Rows of a stream that are computed. */
typedef struct {
  MsRows rows;
  guint8 *pixels;
} Unwritten;

static void
clear_unwritten(gpointer data)
{
  g_free(((Unwritten *)data)->pixels);
}

void
ms_tiles_init(MsTiles *self, MsRows whole, guint n_devices)
{
  g_return_if_fail(n_devices >= 1 && n_devices <= MS_DEVICES_MAX);

  *self = (MsTiles){.whole = whole, .n_devices = n_devices};
  self->left[0] = whole;
  self->returned = g_array_new(FALSE, FALSE, sizeof(Returned));
  self->unwritten = g_array_new(FALSE, FALSE, sizeof(Unwritten));
  g_array_set_clear_func(self->unwritten, clear_unwritten);
  g_mutex_init(&self->lock);
  g_mutex_init(&self->reading);
  g_cond_init(&self->changed);
}

void
ms_tiles_clear(MsTiles *self)
{
  if (!self->returned)
    return;
  g_mutex_clear(&self->lock);
  g_mutex_clear(&self->reading);
  g_cond_clear(&self->changed);
  g_clear_error(&self->failure);
  g_clear_pointer(&self->returned, g_array_unref);
  g_clear_pointer(&self->unwritten, g_array_unref);
}

/**
 * ms_tiles_serve: lets the list be that of @job.
 * @width: of its region
 * @pixels: (nullable): for its result, unless that goes to a stream or stays on a device
 */
void
ms_tiles_serve(MsTiles *self, const MsJob *job, int width, guint8 *pixels)
{
  self->progress = job->progress;
  self->progress_data = job->progress_data;
  self->pixels = pixels;
  self->row_bytes = (gsize)width * 4;
  self->stream = job->stream;
  if (!self->stream)
    return;
  self->computed = self->stream->written;
  self->left[0] = ms_bands_next(self->whole, self->computed, self->whole.count);
}

/** ms_tiles_is_stream: whether tiles wait until earlier ones are written. */
gboolean
ms_tiles_is_stream(const MsTiles *self)
{
  return self->stream != NULL;
}

/** ms_tiles_hand_out: @shares: (array length=n_devices): the rows that each device computes, none of them twice */
void
ms_tiles_hand_out(MsTiles *self, const MsRows *shares)
{
  self->is_handed_out = TRUE;
  memcpy(self->left, shares, self->n_devices * sizeof *shares);
}

/* Rows of a tile that is not the last one. */
static int
least_rows(int most, guint n_devices)
{
  return n_devices > 1 ? MAX(1, most / LEAST_PART) : most;
}

/** ms_tiles_most: the most tiles that a device can take which takes @most rows at once. */
guint
ms_tiles_most(const MsTiles *self, int most)
{
  return (guint)(self->whole.count / least_rows(most, self->n_devices)) + 1;
}

/**
 * ms_tiles_even_rows: the rows that a device of @most rows takes at once, which computes one tile after the other: all
 * if it is alone, else so few that all devices end at about the same time, but more than those of the @halo, which are
 * prepared again for each tile.
 */
int
ms_tiles_even_rows(const MsTiles *self, int most, int halo)
{
  if (self->is_handed_out || self->n_devices == 1)
    return most;
  return MIN(most, MAX(MAX(1, HALOS * halo), self->whole.count / (int)(self->n_devices * EVEN_TILES)));
}

/**
 * ms_tiles_choose_rows:
 * @left: rows that nobody has taken, at least 1
 * @most: rows that the device takes at once if it is alone
 * @speeds: (array length=n_devices): rows a millisecond; 0 where it is unknown, and for a device that takes no more
 *
 * A device takes half of its share of the rows that are left, so that all devices end at about the same time. The
 * fastest one always takes some.
 *
 * Returns: how many rows the device takes next; 0 where the others will have computed all before it has computed a tile
 */
int
ms_tiles_choose_rows(int left, int most, const double *speeds, guint n_devices, guint device)
{
  const int least = least_rows(most, n_devices);
  const double own = speeds[device];
  double others = 0, fastest = 0;

  for (guint i = 0; i < n_devices; i++) {
    others += i != device ? speeds[i] : 0;
    fastest = MAX(fastest, speeds[i]);
  }
  if (n_devices == 1)
    return MIN(left, most);
  if (!(own > 0))
    return MIN(left, CLAMP(left / FIRST_PART, least, most));
  if (own < fastest && MIN(left, least) / own > left / others)
    return 0;
  return MIN(left, (int)CLAMP(left * own / (own + others) / 2, least, most));
}

/* The rows that this device takes from, which all share unless rows were handed out. */
static MsRows *
left_for(MsTiles *self, guint device)
{
  return &self->left[self->is_handed_out ? device : 0];
}

/* Cuts @rows at most off the rows that are left. */
static MsRows
cut_off(MsRows *left, int rows)
{
  const MsRows tile = ms_bands_next(*left, 0, rows);

  left->first += tile.count;
  left->count -= tile.count;
  return tile;
}

static gboolean
take_returned(MsTiles *self, guint device, int most, MsRows *tile)
{
  for (guint i = 0; i < self->returned->len; i++) {
    Returned *one = &g_array_index(self->returned, Returned, i);
    if (self->is_handed_out && one->device != device)
      continue;
    *tile = cut_off(&one->rows, most);
    if (one->rows.count == 0)
      g_array_remove_index(self->returned, i);
    return TRUE;
  }
  return FALSE;
}

/* How many of the rows that are left the device takes; 0 for none. */
static int
choose_next(MsTiles *self, guint device, int most)
{
  const MsRows *left = left_for(self, device);
  const guint n = self->is_handed_out ? 1 : self->n_devices;
  double speeds[MS_DEVICES_MAX];

  if (left->count == 0)
    return 0;
  for (guint i = 0; i < n; i++)
    speeds[i] = self->has_ended[i] ? 0 : self->speeds[i];
  const int rows = n == 1 ? MIN(left->count, most) : ms_tiles_choose_rows(left->count, most, speeds, n, device);
  self->has_ended[device] = rows == 0;
  return rows;
}

/* Whether so many of the rows that are left may be in memory together with those that are not written. */
static gboolean
has_memory_for(const MsTiles *self, int rows)
{
  return !self->stream ||
         self->left[0].first + rows <= self->whole.first + self->stream->written + self->stream->most_rows;
}

/* Called with the lock held. */
static gboolean
take_next(MsTiles *self, guint device, int most, MsRows *tile)
{
  while (!self->stopped && !self->gave_up[device]) {
    if (take_returned(self, device, most, tile))
      return TRUE;
    const int rows = choose_next(self, device, most);
    if (rows == 0)
      return FALSE;
    if (has_memory_for(self, rows)) {
      *tile = cut_off(left_for(self, device), rows);
      return TRUE;
    }
    g_cond_wait(&self->changed, &self->lock);
  }
  return FALSE;
}

/**
 * ms_tiles_take: waits until the rows of a stream may be in memory.
 * @device: number of the device that takes
 * @most: rows that it takes at once; for a stream no more than that has in memory
 *
 * Returns: %FALSE where there is nothing more for this device
 */
gboolean
ms_tiles_take(MsTiles *self, guint device, int most, MsRows *tile)
{
  g_mutex_lock(&self->lock);
  if (self->begun_us[device] == 0)
    self->begun_us[device] = g_get_monotonic_time();
  const gboolean taken = take_next(self, device, most, tile);
  g_mutex_unlock(&self->lock);
  return taken;
}

/* Ends the run of a stream; %FALSE. @failure: (transfer full), of which the first one is kept for ms_tiles_end() */
static gboolean
fail_stream(MsTiles *self, GError *failure, GError **error)
{
  g_mutex_lock(&self->lock);
  self->stopped = self->stream->failed = TRUE;
  g_propagate_error(error, g_error_copy(failure));
  if (!self->failure)
    self->failure = g_steal_pointer(&failure);
  g_clear_error(&failure);
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
  return FALSE;
}

/**
 * ms_tiles_prepare: lets the rows of the source be there that a tile needs, and memory for its result.
 * @pixels: (out): for ms_tiles_finish() or ms_tiles_return(); %NULL where the result stays on a device
 *
 * Returns: %FALSE where rows of a stream cannot be read
 */
gboolean
ms_tiles_prepare(MsTiles *self, MsRows tile, MsRows held, guint8 **pixels, GError **error)
{
  const int width = (int)(self->row_bytes / 4);
  GError *failure = NULL;

  *pixels = self->pixels ? self->pixels + (gsize)(tile.first - self->whole.first) * self->row_bytes : NULL;
  if (!self->stream)
    return TRUE;
  g_mutex_lock(&self->reading);
  if (self->stream->read(held.first + held.count, self->stream->data, &failure))
    *pixels = ms_image_check_memory(ms_image_try_alloc_pixels((guint64)width, (guint64)tile.count), width, tile.count,
                                    &failure);
  g_mutex_unlock(&self->reading);
  return *pixels ? TRUE : fail_stream(self, failure, error);
}

/* Takes what follows the rows that are written; %FALSE where that is not computed yet. */
static gboolean
take_unwritten(MsTiles *self, Unwritten *next)
{
  for (guint i = 0; i < self->unwritten->len; i++) {
    Unwritten *one = &g_array_index(self->unwritten, Unwritten, i);
    if (one->rows.first != self->whole.first + self->stream->written)
      continue;
    *next = *one;
    one->pixels = NULL;
    g_array_remove_index_fast(self->unwritten, i);
    return TRUE;
  }
  return FALSE;
}

/**
 * ms_tiles_finish: tells that the result of a tile is in its memory, from any thread; writes it, and those that waited
 * for it, unless another thread is writing, which goes on with them.
 * @pixels: (transfer full): of a stream
 *
 * Returns: %FALSE where they cannot be written
 */
gboolean
ms_tiles_finish(MsTiles *self, MsRows tile, guint8 *pixels, GError **error)
{
  Unwritten next = {tile, pixels};
  GError *failure = NULL;

  if (!self->stream)
    return TRUE;
  g_mutex_lock(&self->lock);
  g_array_append_val(self->unwritten, next);
  while (!failure && !self->stopped && !self->is_writing && take_unwritten(self, &next)) {
    self->is_writing = TRUE;
    g_mutex_unlock(&self->lock);
    const gboolean good = self->stream->write(next.pixels, next.rows, self->stream->data, &failure);
    g_mutex_lock(&self->lock);
    self->is_writing = FALSE;
    self->stream->written += good ? next.rows.count : 0;
    g_cond_broadcast(&self->changed);
  }
  g_mutex_unlock(&self->lock);
  return failure ? fail_stream(self, failure, error) : TRUE;
}

/** ms_tiles_return: lets somebody else take the tile, since it was not computed. */
void
ms_tiles_return(MsTiles *self, guint device, MsRows tile, guint8 *pixels)
{
  const Returned returned = {device, tile};

  g_mutex_lock(&self->lock);
  g_array_append_val(self->returned, returned);
  g_mutex_unlock(&self->lock);
  if (self->stream)
    g_free(pixels);
}

/** ms_tiles_give_up: lets a device get no tile while it gives up those that it has taken, or again after that. */
void
ms_tiles_give_up(MsTiles *self, guint device, gboolean gives_up)
{
  g_mutex_lock(&self->lock);
  self->gave_up[device] = gives_up;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
}

/**
 * ms_tiles_end:
 * @failure: (transfer full) (nullable): of the devices
 *
 * Returns: %FALSE with that of the stream, which is the cause where both failed, or @failure
 */
gboolean
ms_tiles_end(MsTiles *self, GError *failure, GError **error)
{
  if (self->failure) {
    g_clear_error(&failure);
    failure = g_steal_pointer(&self->failure);
  }
  if (failure)
    g_propagate_error(error, failure);
  else
    g_assert(!self->stream || self->stream->written == self->whole.count);
  return failure == NULL;
}

/** ms_tiles_count: tells that a device has computed further rows, in order of its tiles. */
void
ms_tiles_count(MsTiles *self, guint device, int rows)
{
  g_mutex_lock(&self->lock);
  self->computed = MIN(self->computed + rows, self->whole.count);
  self->rows[device] += rows;
  const double ms = (double)(g_get_monotonic_time() - self->begun_us[device]) / 1000;
  self->speeds[device] = ms > 0 ? self->rows[device] / ms : 0;
  if (self->progress)
    self->progress(self->computed, self->whole.count, self->progress_data);
  g_mutex_unlock(&self->lock);
}

/** ms_tiles_stop: nobody gets a tile any more, since a device failed. */
void
ms_tiles_stop(MsTiles *self)
{
  g_mutex_lock(&self->lock);
  self->stopped = TRUE;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
}
