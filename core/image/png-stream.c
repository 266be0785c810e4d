/* SPDX-License-Identifier: MIT */
#include "core/image/png-stream.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <zlib.h>

#include "core/error.h"

/*
 * Threads filter and compress bands of rows independently. Each band but the last ends with an empty block up to a
 * byte's end, so that their outputs form one stream, whose checksum is combined from those of the bands.
 */

/* Filtered bytes of a band: at this size matches that are not found across bands make a file 0.1 % larger. */
#define BAND_SIZE (1 << 20)

/* An image with fewer bytes is compressed in less time than starting threads takes. */
#define SMALL_SIZE (4 << 20)

/* An image with more bytes is compressed in bands also by one thread, which needs less memory. */
#define MOST_WHOLE_SIZE (64 << 20)

/* Up to this level ISA-L compresses: on filtered rows its files are as small as those of zlib's third. */
#define FAST_LEVEL 3

#define HEADER_SIZE 2
#define CHECKSUM_SIZE 4

/* With its header, and what a byte lacks before it. */
#define EMPTY_BLOCK_SIZE 6

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
 * Returns: bytes of memory that compressing takes: the filtered rows or the output of all bands that are not written
 *   yet, and both of those that threads work on
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

/*
 * @n: rows
 * @filtered: (nullable): those filtered so far, where they come in several parts; @first of them
 * @source: (nullable): the image that has them all, from row @first on
 * @above: (nullable): the row above them, where @source has not that
 */
typedef struct {
  MsPngStream *stream;
  gsize n;
  guint8 *filtered;
  MsImage *source;
  gsize first;
  guint8 *above;
  gboolean is_first;
  gboolean is_last;
  BandState state;
  GBytes *output;
  guint32 checksum;
} Band;

/*
 * @rows: without pixels
 * @taken: rows for which there are bands
 * @source: (nullable): rows that were added, of which those from @next on are in no band yet
 * @part: (nullable): a band whose last rows are to come
 * @last_row: (nullable): the one above @source
 * @bands: that are compressed or wait to be written, in the order of the file
 */
struct _MsPngStream {
  MsPngRows rows;
  MsPngPlan plan;
  int level;
  GCancellable *cancellable;
  gsize taken;
  MsImage *source;
  gsize next;
  Band *part;
  guint8 *last_row;
  GQueue bands;
  guint32 checksum;
  GThreadPool *pool;
  GMutex mutex;
  GCond changed;
  int stopped;
};

/*
 * By ISA-L, which takes a third of the time of other libraries' fastest levels. The output of a band that is not the
 * last ends with an empty block up to a byte's end.
 */
static gsize
deflate_fast(guint8 *rows, gsize n, gboolean is_last, guint8 *out, gsize most)
{
  g_autofree guint8 *tables = g_try_malloc(ISAL_DEF_LVL1_DEFAULT);
  struct isal_zstream z;

  if (!tables)
    return 0;
  isal_deflate_stateless_init(&z);
  z.level = 1;
  z.level_buf = tables;
  z.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  z.next_in = rows;
  z.avail_in = (guint32)n;
  z.next_out = out;
  z.avail_out = (guint32)most;
  z.end_of_stream = is_last;
  z.flush = is_last ? NO_FLUSH : FULL_FLUSH;
  return isal_deflate_stateless(&z) == COMP_OK ? z.total_out : 0;
}

/* Likewise, by zlib. */
static gsize
deflate_small(int level, guint8 *rows, gsize n, gboolean is_last, guint8 *out, gsize most)
{
  z_stream z = {.next_in = rows, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)most};

  if (deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  const int status = deflate(&z, is_last ? Z_FINISH : Z_SYNC_FLUSH);
  const gboolean is_whole = z.avail_in == 0 && (is_last ? status == Z_STREAM_END : status == Z_OK);
  deflateEnd(&z);
  return is_whole ? z.total_out : 0;
}

/* %NULL when there is not enough memory */
static GBytes *
deflate_rows(const MsPngStream *self, guint8 *rows, gsize n, gboolean is_last)
{
  const gboolean is_fast = self->level > 0 && self->level <= FAST_LEVEL;
  const gsize most = compressBound(n) + EMPTY_BLOCK_SIZE;
  guint8 *out = most < G_MAXUINT ? g_try_malloc(most) : NULL;
  gsize size = 0;

  if (out)
    size =
      is_fast ? deflate_fast(rows, n, is_last, out, most) : deflate_small(self->level, rows, n, is_last, out, most);
  if (size > 0)
    return g_bytes_new_take(g_realloc(out, size), size);
  g_free(out);
  return NULL;
}

static void
band_free(gpointer data)
{
  Band *self = data;

  g_clear_object(&self->source);
  g_clear_pointer(&self->output, g_bytes_unref);
  g_free(self->filtered);
  g_free(self->above);
  g_free(self);
}

static gsize
get_band_size(const Band *self)
{
  return self->n * ms_png_rows_stride(&self->stream->rows);
}

/* Appends @n rows from @first of @source to the filtered ones; @above: (nullable): the row above them, elsewhere. */
static void
filter_rows(Band *self, MsImage *source, gsize first, gsize n, const guint8 *above, guint8 *out)
{
  const gsize stride = self->stream->rows.width * 4;
  MsPngRows rows = self->stream->rows;

  rows.pixels = ms_image_get_pixels(source) + first * stride;
  rows.above = first > 0 ? rows.pixels - stride : above;
  rows.height = n;
  ms_png_rows_filter(&rows, out);
}

static void
compress_band(Band *self)
{
  const gsize size = get_band_size(self);

  if (self->source) {
    self->filtered = g_try_malloc(size);
    if (!self->filtered)
      return;
    filter_rows(self, self->source, self->first, self->n, self->above, self->filtered);
    g_clear_object(&self->source);
  }
  self->checksum = libdeflate_adler32(1, self->filtered, size);
  self->output = deflate_rows(self->stream, self->filtered, size, self->is_last);
  g_clear_pointer(&self->filtered, g_free);
}

static void
write_band_in_thread(gpointer data, gpointer user_data)
{
  Band *band = data;
  MsPngStream *self = user_data;

  if (!g_atomic_int_get(&self->stopped))
    compress_band(band);
  g_mutex_lock(&self->mutex);
  band->state = band->output ? BAND_DONE : BAND_FAILED;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->mutex);
}

/**
 * ms_png_stream_new:
 * @rows: the size and the samples of the image
 * @plan: from ms_png_plan()
 * @level: 0 to 9, as zlib's levels
 * @cancellable: (nullable): checked for every band
 */
MsPngStream *
ms_png_stream_new(const MsPngRows *rows, const MsPngPlan *plan, int level, GCancellable *cancellable)
{
  MsPngStream *self = g_new0(MsPngStream, 1);

  self->rows = *rows;
  self->plan = *plan;
  self->level = level;
  self->cancellable = cancellable;
  self->checksum = 1; /* the Adler-32 of nothing */
  if (plan->threads > 1 && count_bands(plan, rows) > 1)
    self->pool =
      g_thread_pool_new(write_band_in_thread, self, MIN(plan->threads, count_bands(plan, rows)), FALSE, NULL);
  g_mutex_init(&self->mutex);
  g_cond_init(&self->changed);
  return self;
}

/**
 * ms_png_stream_add: adds the rows that follow those before; all pieces must have been taken that are complete without
 * them. A band within @rows is filtered by the thread that compresses it; rows of a band that goes on behind them are
 * filtered at once, so that nothing is copied.
 */
void
ms_png_stream_add(MsPngStream *self, MsImage *rows)
{
  g_return_if_fail(!self->source);

  self->source = g_object_ref(rows);
  self->next = 0;
}

static Band *
new_band(MsPngStream *self)
{
  Band *band = g_new0(Band, 1);

  band->stream = self;
  band->n = MIN(self->plan.band_rows, self->rows.height - self->taken);
  band->is_first = self->taken == 0;
  band->is_last = self->taken + band->n == self->rows.height;
  return band;
}

static void
start_band(MsPngStream *self, Band *band)
{
  g_queue_push_tail(&self->bands, band);
  if (self->pool)
    g_thread_pool_push(self->pool, band, NULL);
  else
    write_band_in_thread(band, self);
}

/* Filters as many rows as the source has of a band that it does not hold as a whole; %FALSE without memory. */
static gboolean
add_part(MsPngStream *self, gsize left)
{
  Band *band = self->part;

  if (!band->filtered)
    band->filtered = g_try_malloc(get_band_size(band));
  if (!band->filtered)
    return FALSE;
  const gsize done = band->first, n = MIN(left, band->n - done);
  filter_rows(band, self->source, self->next, n, self->last_row,
              band->filtered + done * ms_png_rows_stride(&self->rows));
  band->first += n;
  self->next += n;
  if (band->first == band->n)
    start_band(self, g_steal_pointer(&self->part));
  return TRUE;
}

/* Starts the next band, or filters the rows of it that the source has; %FALSE without memory. */
static gboolean
start_next(MsPngStream *self)
{
  const gsize left = (gsize)ms_image_get_height(self->source) - self->next, row = self->rows.width * 4;
  gboolean good = TRUE;

  if (self->part || MIN(self->plan.band_rows, self->rows.height - self->taken) > left) {
    if (!self->part) {
      self->part = new_band(self);
      self->taken += self->part->n;
    }
    good = add_part(self, left);
  } else {
    Band *band = new_band(self);
    band->source = g_object_ref(self->source);
    band->first = self->next;
    band->above = self->next == 0 && self->last_row ? g_memdup2(self->last_row, row) : NULL;
    self->taken += band->n;
    self->next += band->n;
    start_band(self, band);
  }
  if (self->next < (gsize)ms_image_get_height(self->source))
    return good;
  g_free(self->last_row);
  self->last_row = g_memdup2(ms_image_get_pixels(self->source) + (self->next - 1) * row, row);
  g_clear_object(&self->source);
  return good;
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
frame_band(const Band *band)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(band->output, &size);
  GByteArray *piece = g_byte_array_sized_new(HEADER_SIZE + size + CHECKSUM_SIZE);
  guint32 checksum = GUINT32_TO_BE(band->stream->checksum);

  if (band->is_first)
    g_byte_array_append(piece, (const guint8 *)"\x78\x01", HEADER_SIZE);
  g_byte_array_append(piece, data, size);
  if (band->is_last)
    g_byte_array_append(piece, (const guint8 *)&checksum, CHECKSUM_SIZE);
  return g_byte_array_free_to_bytes(piece);
}

/* %NULL without memory */
static GBytes *
take_band(MsPngStream *self)
{
  Band *band = g_queue_pop_head(&self->bands);
  GBytes *piece = NULL;

  wait_for(self, band);
  if (band->state == BAND_DONE) {
    self->checksum = adler32_combine(self->checksum, band->checksum, get_band_size(band));
    piece = frame_band(band);
  }
  band_free(band);
  return piece;
}

/**
 * ms_png_stream_next:
 *
 * Returns: (transfer full) (nullable): the next piece of the zlib stream; %NULL where further rows must be added first
 *   or the image is complete, and with @error set to %G_IO_ERROR_CANCELLED or %MS_ERROR_MEMORY
 */
GBytes *
ms_png_stream_next(MsPngStream *self, GError **error)
{
  gboolean good = TRUE;

  if (g_cancellable_set_error_if_cancelled(self->cancellable, error))
    return NULL;
  while (good && self->source && g_queue_get_length(&self->bands) < bands_in_flight(&self->plan))
    good = start_next(self);
  const gboolean is_complete = self->taken == self->rows.height && !self->part;
  if (good && (g_queue_is_empty(&self->bands) || (!self->source && !is_complete)))
    return NULL;
  GBytes *piece = good ? take_band(self) : NULL;
  if (!piece)
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
  g_queue_clear_full(&self->bands, band_free);
  g_clear_pointer(&self->part, band_free);
  g_clear_object(&self->source);
  g_mutex_clear(&self->mutex);
  g_cond_clear(&self->changed);
  g_free(self->last_row);
  g_free(self);
}
