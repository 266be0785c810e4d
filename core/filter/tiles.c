/* SPDX-License-Identifier: MIT */
#include "core/filter/tiles.h"

#include <string.h>

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

void
ms_tiles_init(MsTiles *self, MsRows whole, guint n_devices)
{
  g_return_if_fail(n_devices >= 1 && n_devices <= MS_DEVICES_MAX);

  *self = (MsTiles){.whole = whole, .n_devices = n_devices};
  self->left[0] = whole;
  self->returned = g_array_new(FALSE, FALSE, sizeof(Returned));
  g_mutex_init(&self->lock);
}

void
ms_tiles_clear(MsTiles *self)
{
  if (self->returned)
    g_mutex_clear(&self->lock);
  g_clear_pointer(&self->returned, g_array_unref);
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

static gboolean
take_next(MsTiles *self, guint device, int most, MsRows *tile)
{
  MsRows *left = left_for(self, device);
  const guint n = self->is_handed_out ? 1 : self->n_devices;

  if (left->count == 0)
    return FALSE;
  double speeds[MS_DEVICES_MAX];
  for (guint i = 0; i < n; i++)
    speeds[i] = self->has_ended[i] ? 0 : self->speeds[i];
  const int rows = n == 1 ? most : ms_tiles_choose_rows(left->count, most, speeds, n, device);
  self->has_ended[device] = rows == 0;
  if (rows > 0)
    *tile = cut_off(left, rows);
  return rows > 0;
}

/**
 * ms_tiles_take:
 * @device: number of the device that takes
 * @most: rows that it takes at once
 *
 * Returns: %FALSE where there is nothing more for this device
 */
gboolean
ms_tiles_take(MsTiles *self, guint device, int most, MsRows *tile)
{
  g_mutex_lock(&self->lock);
  if (self->begun_us[device] == 0)
    self->begun_us[device] = g_get_monotonic_time();
  const gboolean taken =
    !self->stopped && (take_returned(self, device, most, tile) || take_next(self, device, most, tile));
  g_mutex_unlock(&self->lock);
  return taken;
}

/** ms_tiles_return: lets somebody else take the tile, since it was not computed. */
void
ms_tiles_return(MsTiles *self, guint device, MsRows tile)
{
  const Returned returned = {device, tile};

  g_mutex_lock(&self->lock);
  g_array_append_val(self->returned, returned);
  g_mutex_unlock(&self->lock);
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
  g_mutex_unlock(&self->lock);
}
