/* SPDX-License-Identifier: MIT */
#include "core/image/png-stream.h"

#include <zlib.h>

#include "core/error.h"
#include "core/image/png-deflate.h"
#include "core/image/png-runs.h"

/*
 * Filtered bytes of a band: at this size the end of a band costs 5 bytes, and filtering its dictionary 3 % of the time.
 */
#define BAND_SIZE (1 << 20)

/* An image with fewer bytes is deflated as a whole by the faster library, in less time than starting threads takes. */
#define SMALL_SIZE (4 << 20)

/* An image with more bytes is compressed in bands, which needs less memory than the whole filtered image. */
#define MOST_WHOLE_SIZE (64 << 20)

/**
 * ms_png_plan:
 * @threads: how many may compress this image at once
 *
 * The output depends on the plan and not on the timing of threads.
 *
 * Returns: how to compress the image in the shortest time
 */
MsPngPlan
ms_png_plan(const MsPngRows *rows, guint threads)
{
  gsize stride = ms_png_rows_stride(rows);
  /* Two threads with zlib are about as fast as one with libdeflate. */
  gsize most_whole = threads > 2 ? SMALL_SIZE : MOST_WHOLE_SIZE;

  return (MsPngPlan){
    .is_whole = ms_png_deflate_is_built() && stride * rows->height <= most_whole,
    .band_rows = CLAMP(BAND_SIZE / stride, 1, rows->height),
    .threads = MAX(1, threads),
  };
}

/* How many bands are at most compressed or, finished, wait for an earlier one. */
static gsize
bands_in_flight(const MsPngPlan *self)
{
  return self->threads > 1 ? 2 * self->threads : 1;
}

/**
 * ms_png_plan_bytes:
 *
 * Returns: bytes of memory that compressing takes: the filtered rows and the output of the whole image, or the filtered
 *   rows of the bands that threads work on and the output of these and of those that wait for an earlier one
 */
guint64
ms_png_plan_bytes(const MsPngPlan *self, const MsPngRows *rows)
{
  guint64 band = (guint64)ms_png_rows_stride(rows) * self->band_rows;

  if (self->is_whole)
    return 2 * (guint64)ms_png_rows_stride(rows) * rows->height;
  return band * (bands_in_flight(self) + (guint64)self->threads);
}

/*
 * Threads filter and deflate bands of rows independently. As in pigz, each band uses the last 32 KiB before it as its
 * dictionary, and each but the last ends with an empty block on a byte boundary (Z_SYNC_FLUSH), so that the bands'
 * outputs form one stream. Its checksum is combined from those of the bands.
 */

/* Samples of the image that are compressed both ways to choose the smaller one. */
#define N_SAMPLES 2
#define SAMPLED_PART 16
#define LEAST_SAMPLE (16 << 10)
#define MOST_SAMPLE (64 << 10)

#define WINDOW_SIZE (32 << 10)
#define RUN_LENGTH_LEVEL 3
#define HEADER_SIZE 2
#define CHECKSUM_SIZE 4

typedef enum {
  BAND_WAITING,
  BAND_DONE,
  BAND_FAILED,
} BandState;

typedef struct {
  gsize first;
  gsize n;
  BandState state;
  GBytes *output;
  guint32 checksum;
} Band;

struct _MsPngStream {
  MsPngRows rows;
  MsPngHold hold;
  MsPngDrop drop;
  gpointer feed_data;
  guint8 *filtered; /* (nullable): all rows of an image that was tried as a whole */
  MsPngPlan plan;
  int level;
  GCancellable *cancellable;
  gsize n_bands;
  gsize next;
  gsize started;
  guint32 checksum;
  gboolean is_done;
  GThreadPool *pool;
  GMutex mutex;
  GCond changed;
  int stopped;
  Band *bands;
};

static gsize
raw_size(const MsPngStream *self)
{
  return ms_png_rows_stride(&self->rows) * self->rows.height;
}

/* Whether no string but runs is looked for, which needs no dictionary. */
static gboolean
only_runs(const MsPngStream *self)
{
  return self->level > 0 && self->level <= RUN_LENGTH_LEVEL;
}

static gsize
dictionary_rows_of(const MsPngStream *self, const Band *band)
{
  gsize stride = ms_png_rows_stride(&self->rows);

  return self->level <= RUN_LENGTH_LEVEL ? 0 : MIN(band->first, (WINDOW_SIZE + stride - 1) / stride);
}

static GBytes *
deflate_band(MsPngStream *self, const guint8 *data, gsize dictionary, gsize n, gboolean is_last)
{
  z_stream z = {0};

  if (only_runs(self))
    return ms_png_runs_deflate(data + dictionary, n, is_last);
  if (deflateInit2(&z, self->level, Z_DEFLATED, -MAX_WBITS, 8, Z_FILTERED) != Z_OK)
    return NULL;
  gsize used = MIN(dictionary, WINDOW_SIZE);
  if (used > 0)
    deflateSetDictionary(&z, data + dictionary - used, used);
  gsize most = deflateBound(&z, n) + 16;
  guint8 *out = g_try_malloc(most);
  z.next_in = (Bytef *)data + dictionary;
  z.avail_in = n;
  z.next_out = out;
  z.avail_out = most;
  int status = out ? deflate(&z, is_last ? Z_FINISH : Z_SYNC_FLUSH) : Z_MEM_ERROR;
  gboolean ok = status == (is_last ? Z_STREAM_END : Z_OK) && z.avail_in == 0;
  gsize size = z.total_out;
  deflateEnd(&z);
  if (ok)
    return g_bytes_new_take(g_realloc(out, size), size);
  g_free(out);
  return NULL;
}

static guint8 *
filter_rows(const MsPngStream *self, gsize first, gsize n)
{
  guint8 *filtered = g_try_malloc(n * ms_png_rows_stride(&self->rows));

  if (filtered)
    ms_png_rows_filter(&self->rows, first, n, filtered);
  return filtered;
}

static void
compress_band(MsPngStream *self, Band *band)
{
  gsize stride = ms_png_rows_stride(&self->rows);
  gsize dictionary_rows = dictionary_rows_of(self, band);
  gsize first = band->first - dictionary_rows;
  g_autofree guint8 *own = self->filtered ? NULL : filter_rows(self, first, dictionary_rows + band->n);
  const guint8 *filtered = self->filtered ? self->filtered + first * stride : own;
  gsize dictionary = dictionary_rows * stride;
  gboolean is_last = band->first + band->n == self->rows.height;

  if (!filtered)
    return;
  band->checksum = ms_png_checksum(filtered + dictionary, band->n * stride);
  band->output = deflate_band(self, filtered, dictionary, band->n * stride, is_last);
}

static void
write_band_in_thread(gpointer data, gpointer user_data)
{
  Band *band = data;
  MsPngStream *self = user_data;

  if (!g_atomic_int_get(&self->stopped))
    compress_band(self, band);
  g_mutex_lock(&self->mutex);
  band->state = band->output ? BAND_DONE : BAND_FAILED;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->mutex);
}

/**
 * ms_png_stream_new:
 * @rows: the pixels, which must outlive the stream
 * @plan: from ms_png_plan()
 * @level: 0 to 9, as zlib's levels
 * @cancellable: (nullable): checked for every band
 *
 * Returns: (transfer full): a stream; nothing is compressed before ms_png_stream_next()
 */
MsPngStream *
ms_png_stream_new(const MsPngRows *rows, const MsPngPlan *plan, int level, GCancellable *cancellable)
{
  MsPngStream *self = g_new0(MsPngStream, 1);

  self->rows = *rows;
  self->plan = *plan;
  self->level = level;
  self->cancellable = cancellable;
  self->n_bands = (rows->height + plan->band_rows - 1) / plan->band_rows;
  self->checksum = adler32_z(0, NULL, 0);
  self->bands = g_new0(Band, self->n_bands);
  g_mutex_init(&self->mutex);
  g_cond_init(&self->changed);
  return self;
}

/**
 * ms_png_stream_set_feed:
 * @hold: called before rows are read, on the thread of ms_png_stream_next(), in order of the rows
 * @drop: called when rows are not read again
 *
 * For pixels that are not in memory as a whole.
 */
void
ms_png_stream_set_feed(MsPngStream *self, MsPngHold hold, MsPngDrop drop, gpointer data)
{
  self->hold = hold;
  self->drop = drop;
  self->feed_data = data;
}

static gboolean
hold_rows(MsPngStream *self, gsize first, gsize n, GError **error)
{
  return self->filtered || !self->hold || self->hold(self->feed_data, first, n, error);
}

static void
drop_rows(MsPngStream *self, gsize end)
{
  if (self->drop)
    self->drop(self->feed_data, end);
}

/* The first row that filtering @band and its dictionary reads. */
static gsize
first_row_of(const MsPngStream *self, const Band *band)
{
  gsize first = band->first - dictionary_rows_of(self, band);

  return first > 0 ? first - 1 : 0;
}

static gboolean
start_bands(MsPngStream *self, GError **error)
{
  if (!self->pool && self->plan.threads > 1 && self->n_bands > 1)
    self->pool = g_thread_pool_new(write_band_in_thread, self, MIN(self->plan.threads, self->n_bands), FALSE, NULL);
  while (self->started < self->n_bands && self->started < self->next + bands_in_flight(&self->plan)) {
    Band *band = &self->bands[self->started];
    band->first = self->started * self->plan.band_rows;
    band->n = MIN(self->plan.band_rows, self->rows.height - band->first);
    gsize first = first_row_of(self, band);
    if (!hold_rows(self, first, band->first + band->n - first, error))
      return FALSE;
    self->started++;
    if (self->pool)
      g_thread_pool_push(self->pool, band, NULL);
    else
      write_band_in_thread(band, self);
  }
  return TRUE;
}

static void
wait_for(MsPngStream *self, Band *band)
{
  g_mutex_lock(&self->mutex);
  while (band->state == BAND_WAITING)
    g_cond_wait(&self->changed, &self->mutex);
  g_mutex_unlock(&self->mutex);
}

/* The two bytes before the first band and the checksum after the last (RFC 1950). */
static GBytes *
frame_band(MsPngStream *self, const Band *band)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(band->output, &size);
  gboolean is_first = band == self->bands;
  gboolean is_last = band == &self->bands[self->n_bands - 1];
  GByteArray *piece = g_byte_array_sized_new(HEADER_SIZE + size + CHECKSUM_SIZE);
  guint32 checksum = GUINT32_TO_BE(self->checksum);

  if (is_first)
    g_byte_array_append(piece, (const guint8 *)"\x78\x01", HEADER_SIZE);
  g_byte_array_append(piece, data, size);
  if (is_last)
    g_byte_array_append(piece, (const guint8 *)&checksum, CHECKSUM_SIZE);
  return g_byte_array_free_to_bytes(piece);
}

static GBytes *
next_band(MsPngStream *self, GError **error)
{
  Band *band = &self->bands[self->next];

  if (!start_bands(self, error))
    return NULL;
  wait_for(self, band);
  if (band->state == BAND_FAILED)
    return NULL;
  self->checksum = adler32_combine(self->checksum, band->checksum, band->n * ms_png_rows_stride(&self->rows));
  GBytes *piece = frame_band(self, band);
  g_clear_pointer(&band->output, g_bytes_unref);
  /* The bands after it read the rows of its dictionary and the one above. */
  drop_rows(self, first_row_of(self, band));
  self->next++;
  self->is_done = self->next == self->n_bands;
  return piece;
}

static gboolean
set_memory_error(GError **error)
{
  ms_set_error(error, MS_ERROR_MEMORY, "Not enough memory to compress an image; close other programs.");
  return FALSE;
}

/*
 * Compresses some pieces of the image both ways: of drawings, whose patterns repeat, libdeflate makes the smaller file,
 * of photographs the search for runs does. A shortage of memory is an error, since the bytes of a file must not depend
 * on it.
 */
static gboolean
choose_whole(MsPngStream *self, gboolean *whole_is_better, GError **error)
{
  gsize size = raw_size(self);
  gsize piece = MIN(size, CLAMP(size / SAMPLED_PART, LEAST_SAMPLE, MOST_SAMPLE));
  gsize by_runs = 0, at_once = 0;

  *whole_is_better = TRUE;
  if (!only_runs(self))
    return TRUE;
  for (gsize i = 0; i < N_SAMPLES; i++) {
    const guint8 *sample = self->filtered + (size - piece) / (N_SAMPLES - 1) * i;
    g_autoptr(GBytes) runs = deflate_band(self, sample, 0, piece, TRUE);
    g_autoptr(GBytes) whole = ms_png_deflate(sample, piece, self->level);
    if (!runs || !whole)
      return set_memory_error(error);
    by_runs += g_bytes_get_size(runs);
    at_once += g_bytes_get_size(whole);
  }
  *whole_is_better = at_once < by_runs;
  return TRUE;
}

/* Filters all rows, of which only some are in memory at a time. */
static gboolean
filter_whole(MsPngStream *self, GError **error)
{
  g_autofree guint8 *filtered = g_try_malloc(raw_size(self));
  gsize stride = ms_png_rows_stride(&self->rows), n;

  if (!filtered)
    return set_memory_error(error);
  for (gsize y = 0; y < self->rows.height; y += n) {
    gsize first = y > 0 ? y - 1 : 0;
    n = MIN(self->plan.band_rows, self->rows.height - y);
    if (!hold_rows(self, first, y + n - first, error))
      return FALSE;
    ms_png_rows_filter(&self->rows, y, n, filtered + y * stride);
    drop_rows(self, y + n - 1);
  }
  self->filtered = g_steal_pointer(&filtered);
  return TRUE;
}

/* Returns %NULL without @error when the image is better compressed in bands. */
static GBytes *
whole_image(MsPngStream *self, GError **error)
{
  gboolean whole_is_better;

  if (!filter_whole(self, error) || !choose_whole(self, &whole_is_better, error) || !whole_is_better)
    return NULL;
  GBytes *piece = ms_png_deflate(self->filtered, raw_size(self), self->level);
  self->is_done = piece != NULL;
  if (!piece)
    set_memory_error(error);
  return piece;
}

/**
 * ms_png_stream_next:
 *
 * Returns: (transfer full) (nullable): the next piece of the zlib stream; %NULL after the last, and with @error set to
 *   %G_IO_ERROR_CANCELLED, %MS_ERROR_MEMORY or the error of the feed
 */
GBytes *
ms_png_stream_next(MsPngStream *self, GError **error)
{
  g_autoptr(GError) failure = NULL;

  if (self->is_done || g_cancellable_set_error_if_cancelled(self->cancellable, error))
    return NULL;
  GBytes *piece = self->plan.is_whole && self->next == 0 ? whole_image(self, &failure) : NULL;
  if (!piece && !failure)
    piece = next_band(self, &failure);
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  else if (!piece)
    set_memory_error(error);
  return piece;
}

/** ms_png_stream_free: frees the stream at any point; waits for the bands that threads are working on. */
void
ms_png_stream_free(MsPngStream *self)
{
  g_atomic_int_set(&self->stopped, TRUE);
  if (self->pool)
    g_thread_pool_free(self->pool, FALSE, TRUE);
  for (gsize i = 0; i < self->n_bands; i++)
    g_clear_pointer(&self->bands[i].output, g_bytes_unref);
  g_mutex_clear(&self->mutex);
  g_cond_clear(&self->changed);
  g_free(self->bands);
  g_free(self->filtered);
  g_free(self);
}
