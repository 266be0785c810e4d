/* SPDX-License-Identifier: MIT */
#include "core/image/png-stream.h"

#include <libdeflate.h>
#include <zlib.h>

#include "core/error.h"

/*
 * Threads filter and compress bands of rows independently, with libdeflate, whose streams end with a block that says
 * that it is the last. Of all bands but the last of the image that is taken back, and an empty block follows it up to a
 * byte's end, so that the bands' outputs form one stream. Its checksum is combined from those of the bands.
 */

/* Filtered bytes of a band: at this size matches that are not found across bands make a file 0.1 % larger. */
#define BAND_SIZE (1 << 20)

/* An image with fewer bytes is compressed in less time than starting threads takes. */
#define SMALL_SIZE (4 << 20)

/* An image with more bytes is compressed in bands also by one thread, which needs less memory. */
#define MOST_WHOLE_SIZE (64 << 20)

/*
 * Up to this level libdeflate's first level is used: on filtered rows its files are as small as those of zlib's third.
 */
#define FAST_LEVEL 3

#define HEADER_SIZE 2
#define CHECKSUM_SIZE 4

/**
 * ms_png_plan:
 * @threads: how many may compress this image at once
 * @saves_memory: whether an image that is small enough to be compressed as one band is not
 *
 * The output depends on the plan and not on the timing of threads.
 *
 * Returns: how to compress the image in the shortest time
 */
MsPngPlan
ms_png_plan(const MsPngRows *rows, guint threads, gboolean saves_memory)
{
  const gsize stride = ms_png_rows_stride(rows), most = threads > 1 ? SMALL_SIZE : MOST_WHOLE_SIZE;
  const gboolean is_one = stride * rows->height <= most && !saves_memory;

  return (MsPngPlan){
    .band_rows = is_one ? rows->height : CLAMP(BAND_SIZE / stride, 1, rows->height),
    .threads = MAX(1, threads),
  };
}

static gsize
count_bands(const MsPngPlan *self, const MsPngRows *rows)
{
  return (rows->height + self->band_rows - 1) / self->band_rows;
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
 * Returns: bytes of memory that compressing takes: the filtered rows of the bands that threads work on, and the output
 *   of these and of those that wait for an earlier one
 */
guint64
ms_png_plan_bytes(const MsPngPlan *self, const MsPngRows *rows)
{
  const guint64 band = (guint64)ms_png_rows_stride(rows) * self->band_rows, n = count_bands(self, rows);

  return band * (MIN(n, bands_in_flight(self)) + MIN(n, self->threads));
}

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
  MsPngPlan plan;
  int level;
  GCancellable *cancellable;
  gsize n_bands;
  gsize next;
  gsize started;
  guint32 checksum;
  GThreadPool *pool;
  GMutex mutex;
  GCond changed;
  int stopped;
  Band *bands;
};

/* Where a stream ends: after how many bytes, of the last of which @unused bits do not belong to it. */
typedef struct {
  gsize size;
  guint unused;
} StreamEnd;

/*
 * Clears the mark of the last block, which zlib finds by inflating the stream, as the example gzjoin.c of zlib does.
 * @rows: (out): gets the @n bytes that were compressed once more
 */
static gboolean
unmark_last_block(guint8 *stream, gsize size, guint8 *rows, gsize n, StreamEnd *end)
{
  z_stream z = {.next_in = stream, .avail_in = (uInt)size, .next_out = rows, .avail_out = (uInt)n};
  gboolean is_last = stream[0] & 1;
  int status = inflateInit2(&z, -MAX_WBITS);

  stream[0] &= (guint8)~1;
  while (status == Z_OK) {
    status = inflate(&z, Z_BLOCK);
    *end = (StreamEnd){size - z.avail_in, (guint)z.data_type & 7};
    if (status != Z_OK || (z.data_type & 128) == 0)
      continue;
    if (is_last)
      break;
    /* The mark is the first bit of the next block. */
    guint8 *byte = end->unused > 0 ? z.next_in - 1 : z.next_in, bit = (guint8)(1 << ((8 - end->unused) % 8));
    is_last = (*byte & bit) != 0;
    *byte &= (guint8)~bit;
  }
  inflateEnd(&z);
  return status == Z_OK && z.avail_out == 0;
}

/* Lets another stream follow: an empty block, whose header takes three bits, ends with a byte. */
static gboolean
open_end(GByteArray *stream, guint8 *rows, gsize n)
{
  static const guint8 empty[] = {0, 0, 0, 0xff, 0xff};
  StreamEnd end;

  if (!unmark_last_block(stream->data, stream->len, rows, n, &end))
    return FALSE;
  g_byte_array_set_size(stream, (guint)end.size);
  g_byte_array_append(stream, empty + (end.unused >= 3), sizeof empty - (end.unused >= 3));
  return TRUE;
}

/* %NULL when there is not enough memory; @rows: not valid afterwards */
static GBytes *
deflate_rows(const MsPngStream *self, guint8 *rows, gsize n, gboolean is_last)
{
  const int level = self->level > 0 && self->level <= FAST_LEVEL ? 1 : self->level;
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
  const gsize most = compressor ? libdeflate_deflate_compress_bound(compressor, n) : 0;
  guint8 *out = most > 0 && most < G_MAXUINT ? g_try_malloc(most) : NULL;
  const gsize size = out ? libdeflate_deflate_compress(compressor, rows, n, out, most) : 0;

  libdeflate_free_compressor(compressor);
  if (size == 0) {
    g_free(out);
    return NULL;
  }
  g_autoptr(GByteArray) stream = g_byte_array_new_take(g_realloc(out, size), size);
  return is_last || open_end(stream, rows, n) ? g_byte_array_free_to_bytes(g_steal_pointer(&stream)) : NULL;
}

static void
compress_band(MsPngStream *self, Band *band)
{
  const gsize size = band->n * ms_png_rows_stride(&self->rows);
  g_autofree guint8 *filtered = g_try_malloc(size);

  if (!filtered)
    return;
  ms_png_rows_filter(&self->rows, band->first, band->n, filtered);
  band->checksum = libdeflate_adler32(1, filtered, size);
  band->output = deflate_rows(self, filtered, size, band->first + band->n == self->rows.height);
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
  self->n_bands = count_bands(plan, rows);
  self->checksum = 1; /* the Adler-32 of nothing */
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
  return !self->hold || self->hold(self->feed_data, first, n, error);
}

static void
drop_rows(MsPngStream *self, gsize end)
{
  if (self->drop)
    self->drop(self->feed_data, end);
}

/* The first row that filtering @band reads: the one above it. */
static gsize
first_row_of(const Band *band)
{
  return band->first > 0 ? band->first - 1 : 0;
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
    gsize first = first_row_of(band);
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
  /* The bands after it read its last row. */
  drop_rows(self, band->first + band->n - 1);
  self->next++;
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

  if (self->next == self->n_bands || g_cancellable_set_error_if_cancelled(self->cancellable, error))
    return NULL;
  GBytes *piece = next_band(self, &failure);
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  else if (!piece)
    ms_set_error(error, MS_ERROR_MEMORY, "Not enough memory to compress an image; close other programs.");
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
  g_free(self);
}
