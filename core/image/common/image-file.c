/* SPDX-License-Identifier: MIT */
#include "core/image/common/image-file.h"

#include <errno.h>
#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"

/* Bytes that are read at once. */
#define BLOCK_SIZE (64 << 10)

/* Images of fewer bytes are accepted whatever the size of the file, since a false header cannot make them costly. */
#define SMALL_PIXELS (G_GUINT64_CONSTANT(64) << 20)

/* Keeps width * height * 4 below 2^64, whatever limit the caller sets. */
#define MOST_PIXELS (G_GUINT64_CONSTANT(1) << 60)

/** ms_image_limits_default: one gigapixel, 100 scans, 32 MiB of metadata. */
MsImageLimits
ms_image_limits_default(void)
{
  return (MsImageLimits){
    .max_pixels = MS_IMAGE_DEFAULT_MAX_PIXELS,
    .max_scans = 100,
    .max_metadata = 32 << 20,
  };
}

/** ms_image_file_report_rows: for decoders; see #MsImageRows. */
void
ms_image_file_report_rows(const MsImageFile *self, guint64 done, guint64 total)
{
  if (self->scratch)
    ms_scratch_file_touch(self->scratch, self->row_bytes);
  if (self->rows)
    self->rows(done, total, self->rows_data);
}

static gsize
copy_bytes(GBytes *bytes, guint64 offset, void *buffer, gsize size)
{
  gsize available = g_bytes_get_size(bytes);

  if (offset >= available || size == 0)
    return 0;
  gsize n = MIN(size, available - offset);
  memcpy(buffer, (const guint8 *)g_bytes_get_data(bytes, NULL) + offset, n);
  return n;
}

/**
 * ms_image_file_read_at:
 * @offset: of the first byte wanted
 * @size: bytes wanted
 *
 * Reads from any offset; the position of ms_image_file_read() does not change.
 *
 * Returns: bytes read, less than @size only at the end of the file; -1 with the error in @self when the file cannot be
 *   read or the call was cancelled
 */
gssize
ms_image_file_read_at(MsImageFile *self, guint64 offset, void *buffer, gsize size)
{
  gsize got = 0;

  if (ms_image_file_is_cancelled(self))
    return -1;
  if (self->bytes)
    return (gssize)copy_bytes(self->bytes, offset, buffer, size);
  while (got < size && offset <= G_MAXINT64 - size) {
    gssize n = pread(self->fd, (guint8 *)buffer + got, size - got, (off_t)(offset + got));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      ms_set_error(&self->error, MS_ERROR_IO, "Cannot read '%s': %s; check the disk and try again.", self->name,
                   ms_errno_text(errno));
      return -1;
    }
    if (n == 0)
      break;
    got += n;
  }
  return (gssize)got;
}

/**
 * ms_image_file_fill_block: reads the next block where all bytes of the last one have been taken; at the end of the
 * file there is none. %FALSE with the error in @self when the file cannot be read or the call was cancelled.
 */
gboolean
ms_image_file_fill_block(MsImageFile *self)
{
  if (self->block_size > 0)
    return TRUE;
  if (!self->buffer)
    self->buffer = g_malloc(BLOCK_SIZE);
  const gssize got = ms_image_file_read_at(self, self->at, self->buffer, BLOCK_SIZE);
  self->block = self->buffer;
  self->block_size = (gsize)MAX(got, 0);
  self->at += self->block_size;
  return got >= 0;
}

/**
 * ms_image_file_read:
 * @size: bytes wanted
 * @got: (out): bytes read, less than @size only at the end of the file
 *
 * Reads the bytes that follow those of the last call.
 *
 * Returns: FALSE with the error in @self when the file cannot be read or the call was cancelled
 */
gboolean
ms_image_file_read(MsImageFile *self, void *buffer, gsize size, gsize *got)
{
  for (*got = 0; *got < size;) {
    if (!ms_image_file_fill_block(self))
      return FALSE;
    gsize n = MIN(size - *got, self->block_size);
    if (n == 0)
      return TRUE;
    memcpy((guint8 *)buffer + *got, self->block, n);
    self->block += n;
    self->block_size -= n;
    *got += n;
  }
  return TRUE;
}

/** ms_image_file_is_cancelled: whether reading ends, since it was cancelled or has failed; the error is in @self. */
gboolean
ms_image_file_is_cancelled(MsImageFile *self)
{
  return self->error || g_cancellable_set_error_if_cancelled(self->cancellable, &self->error);
}

/**
 * ms_image_file_check_size:
 * @width: pixels in a row, as the header says
 * @height: rows, as the header says
 * @least_bytes: the size below which no file can hold that image, however well it compresses
 *
 * Refuses an image above the limit, and a header that promises more than the file can hold: such a file would
 * make the program allocate gigabytes only to find the data missing.
 *
 * Returns: FALSE with %MS_ERROR_TOO_LARGE or %MS_ERROR_FORMAT in @self
 */
gboolean
ms_image_file_check_size(MsImageFile *self, guint64 width, guint64 height, guint64 least_bytes)
{
  guint64 pixels = width * height;

  if (pixels > self->limits.max_pixels || pixels > MOST_PIXELS) {
    ms_set_error(&self->error, MS_ERROR_TOO_LARGE,
                 "'%s' is too large: %" PRIu64 " x %" PRIu64 " pixels, the limit is %" PRIu64
                 " pixels; scale it down or raise the limit.",
                 self->name, width, height, self->limits.max_pixels);
    return FALSE;
  }
  if (pixels * 4 > SMALL_PIXELS && least_bytes > self->size) {
    ms_set_error(&self->error, MS_ERROR_FORMAT,
                 "'%s' is damaged: it claims %" PRIu64 " x %" PRIu64 " pixels, but its %" PRIu64
                 " bytes cannot hold them; get a fresh copy of it.",
                 self->name, width, height, self->size);
    return FALSE;
  }
  return TRUE;
}

/**
 * ms_image_file_accepts:
 * @damage: what the decoder found, as words that fit in parentheses
 *
 * Returns: whether the file is accepted nevertheless; the first @damage is kept then
 */
gboolean
ms_image_file_accepts(MsImageFile *self, const char *damage)
{
  if (self->limits.accept_damaged && self->damage[0] == '\0')
    g_strlcpy(self->damage, damage, sizeof self->damage);
  return self->limits.accept_damaged;
}

/** ms_image_file_blacken: makes @n pixels black and opaque, as those stay that a damaged file does not give. */
void
ms_image_file_blacken(guint8 *pixels, guint64 n)
{
  static const guint8 black[] = {0, 0, 0, 255};

  for (guint64 i = 0; i < n; i++)
    memcpy(pixels + i * 4, black, sizeof black);
}

static guint8 *
alloc_block(MsImageFile *self, guint64 width, guint64 height)
{
  return self->scratch ? ms_scratch_file_map(self->scratch, width * height * 4, &self->error)
                       : ms_image_try_alloc_pixels(width, height);
}

/**
 * ms_image_file_alloc_pixels:
 *
 * Returns: (transfer full): width * height * 4 bytes, black where damage is accepted and else not cleared, to be freed
 *   with ms_image_file_free_pixels(); or %NULL with %MS_ERROR_MEMORY or the errors of ms_scratch_file_map() in @self
 */
guint8 *
ms_image_file_alloc_pixels(MsImageFile *self, guint64 width, guint64 height)
{
  guint8 *pixels = alloc_block(self, width, height);

  self->row_bytes = width * 4;
  if (pixels && self->limits.accept_damaged)
    ms_image_file_blacken(pixels, width * height);
  if (!pixels && !self->scratch)
    ms_set_error(&self->error, MS_ERROR_MEMORY,
                 "Not enough memory for '%s': its %" PRIu64 " x %" PRIu64 " pixels need %" PRIu64
                 " MiB; close other programs or scale it down.",
                 self->name, width, height, (width * height * 4) >> 20);
  return pixels;
}

void
ms_image_file_free_pixels(MsImageFile *self, guint8 *pixels)
{
  if (self->scratch)
    ms_scratch_file_unmap(self->scratch, pixels);
  else
    g_free(pixels);
}

/** ms_image_file_fail_short: sets %MS_ERROR_FORMAT in @self, of a file that ends within its pixels; %FALSE. */
gboolean
ms_image_file_fail_short(MsImageFile *self)
{
  ms_set_error(&self->error, MS_ERROR_FORMAT,
               "'%s' is damaged: the file ends before the picture does; get a fresh copy of it.", self->name);
  return FALSE;
}

/** ms_image_file_fail_memory: sets %MS_ERROR_MEMORY in @self; %FALSE. */
gboolean
ms_image_file_fail_memory(MsImageFile *self)
{
  ms_set_error(&self->error, MS_ERROR_MEMORY, "Not enough memory to read '%s'; close other programs or scale it down.",
               self->name);
  return FALSE;
}

/**
 * ms_image_file_set_header:
 * @width: of the stored pixels, like @height
 * @orientation: 1 to 8
 * @bits: a sample
 */
void
ms_image_file_set_header(MsImageFile *self, int width, int height, int orientation, int bits)
{
  gboolean swaps = ms_orientation_swaps_sides(orientation);

  self->header.width = swaps ? height : width;
  self->header.height = swaps ? width : height;
  self->header.bits = bits;
}

/**
 * ms_image_file_set_stored:
 * @width: of the pixels that are decoded, like @height
 * @orientation: 1 to 8
 * @raw: (transfer none): the metadata as stored in the file
 */
void
ms_image_file_set_stored(MsImageFile *self, int width, int height, int orientation, MsMetadata *raw)
{
  MsMetadata *old = self->raw;

  self->stored = (MsStoredPixels){NULL, width, height, orientation};
  self->raw = ms_metadata_ref(raw);
  g_clear_pointer(&old, ms_metadata_unref);
}

/** ms_image_file_refuse_rows: %FALSE, for a valid file that does not store the rows of the upright image in order. */
gboolean
ms_image_file_refuse_rows(MsImageFile *self, const char *why)
{
  ms_set_error_phrase(&self->error, MS_ERROR_UNSUPPORTED, "'%s' %s, so that it cannot be read by rows.", self->name,
                      why);
  return FALSE;
}

/** ms_image_file_refuse_preview: %FALSE, for a file of which no part is decoded in less time than the whole. */
gboolean
ms_image_file_refuse_preview(MsImageFile *self)
{
  ms_set_error(&self->error, MS_ERROR_UNSUPPORTED, "'%s' has no preview.", self->name);
  return FALSE;
}

/* (transfer full) (nullable): the profile of the RGBA pixels; inks and Lab have been converted to sRGB. */
static GBytes *
find_rgb_profile(GBytes *icc)
{
  if (!icc)
    return NULL;
  return ms_icc_is_rgb(icc) ? g_bytes_ref(icc) : ms_colour_grey_to_rgb(icc);
}

/* The metadata that stay valid for the upright image. */
static MsMetadata *
make_metadata_upright(MsMetadata *raw, int orientation)
{
  int ignored = 1;
  guint32 x = raw->x_pixels_per_metre, y = raw->y_pixels_per_metre;
  g_autoptr(GBytes) exif = raw->exif ? ms_exif_make_upright(raw->exif, &ignored) : NULL;
  g_autoptr(GBytes) icc = find_rgb_profile(raw->icc);
  gboolean swaps = ms_orientation_swaps_sides(orientation);

  if (exif && x == 0)
    ms_exif_get_resolution(raw->exif, &x, &y);
  MsMetadata *metadata = ms_metadata_new(icc, exif, swaps ? y : x, swaps ? x : y);
  /* The place on the map is that of the stored columns and rows. */
  MsGeo *geo = orientation != 1 ? ms_geo_new_no_data(ms_geo_get_no_data_text(raw->geo))
               : raw->geo       ? ms_geo_ref(raw->geo)
                                : NULL;
  if (geo)
    ms_metadata_take_geo(metadata, geo);
  return metadata;
}

/*
 * Prepares the conversion to sRGB where the limits ask for it, after which the pixels need no profile. @metadata:
 * (inout): of the upright image
 */
static gboolean
prepare_colour(MsImageFile *self, MsMetadata **metadata)
{
  MsMetadata *given = *metadata;

  g_clear_pointer(&self->colour, ms_colour_free);
  if (!self->limits.to_srgb || !given->icc)
    return TRUE;
  if (!ms_colour_is_srgb(given->icc)) {
    self->colour = ms_colour_new(given->icc, MS_COLOUR_RGBA, NULL);
    if (!self->colour) {
      ms_set_error(&self->error, MS_ERROR_FORMAT,
                   "'%s' has a damaged colour profile and cannot be converted to sRGB; leave out --convert-to.",
                   self->name);
      return FALSE;
    }
  }
  *metadata = ms_metadata_new(NULL, given->exif, given->x_pixels_per_metre, given->y_pixels_per_metre);
  if (given->geo)
    ms_metadata_take_geo(*metadata, ms_geo_ref(given->geo));
  self->has_no_data = ms_geo_get_no_data(given->geo, &self->no_data);
  ms_metadata_unref(given);
  return TRUE;
}

/* Converts pixels of which those without data keep their value, which no other gets: its blue is one off. */
static void
convert_with_data(const MsColour *colour, guint8 value, guint8 *pixels, gsize n)
{
  g_autofree guint8 *lacks = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    lacks[i] = ms_pixel_lacks_data(pixels + i * 4, value);
  ms_colour_convert(colour, pixels, n);
  for (gsize i = 0; i < n; i++)
    if (lacks[i])
      memset(pixels + i * 4, value, 3);
    else if (ms_pixel_lacks_data(pixels + i * 4, value))
      pixels[i * 4 + 2] = value > 0 ? value - 1 : 1;
}

/** ms_image_file_convert: converts all pixels, in steps where they are in temporary files or some lack data. */
void
ms_image_file_convert(MsImageFile *self, const MsColour *colour, guint8 *pixels, gsize n)
{
  const gsize step = self->scratch || self->has_no_data ? MS_SCRATCH_STEP / 4 : n;

  for (gsize at = 0; at < n; at += step) {
    const gsize part = MIN(step, n - at);
    if (self->has_no_data)
      convert_with_data(colour, self->no_data, pixels + at * 4, part);
    else
      ms_colour_convert(colour, pixels + at * 4, part);
    if (self->scratch)
      ms_scratch_file_touch(self->scratch, part * 4);
  }
}

/**
 * ms_image_file_begin_rows: sets the metadata of the rows and how their colours are converted, and refuses a file that
 * is not stored upright.
 */
gboolean
ms_image_file_begin_rows(MsImageFile *self)
{
  g_clear_pointer(&self->metadata, ms_metadata_unref);
  self->metadata = make_metadata_upright(self->raw, self->stored.orientation);
  if (!prepare_colour(self, &self->metadata))
    return FALSE;
  return self->stored.orientation == 1 || ms_image_file_refuse_rows(self, N_("is not stored upright"));
}

static void
touch(gsize bytes, gpointer scratch)
{
  ms_scratch_file_touch(scratch, bytes);
}

/* Turns the pixels upright, into another block where the sides are swapped. */
static gboolean
turn_upright(MsImageFile *self, MsStoredPixels *stored)
{
  const int width = stored->width, height = stored->height;
  const gboolean swaps = ms_orientation_swaps_sides(stored->orientation);
  guint8 *target = swaps ? alloc_block(self, (guint64)width, (guint64)height) : stored->pixels;

  if (!target && !self->scratch)
    ms_set_error(&self->error, MS_ERROR_MEMORY,
                 "Not enough memory to turn '%s' upright; close other programs or scale it down.", self->name);
  if (!target)
    return FALSE;
  ms_orientation_turn(stored, target, self->scratch ? touch : NULL, self->scratch);
  if (!swaps)
    return TRUE;
  ms_image_file_free_pixels(self, stored->pixels);
  *stored = (MsStoredPixels){target, height, width, 1};
  return TRUE;
}

/**
 * ms_image_file_finish:
 * @pixels: (transfer full): as stored in the file
 *
 * Is the last step of loading an image: turns the image upright, converts it to sRGB where that is asked for, and keeps
 * the metadata that stay valid.
 *
 * Returns: (transfer full): the image, or %NULL with %MS_ERROR_MEMORY, %MS_ERROR_FORMAT or the errors of
 *   ms_scratch_file_map() in @self
 */
MsImage *
ms_image_file_finish(MsImageFile *self, guint8 *pixels)
{
  MsStoredPixels stored = self->stored;
  g_autoptr(MsMetadata) metadata = make_metadata_upright(self->raw, stored.orientation);

  stored.pixels = pixels;
  gboolean good = prepare_colour(self, &metadata);
  if (good && self->colour)
    ms_image_file_convert(self, self->colour, stored.pixels, (gsize)stored.width * stored.height);
  good = good && turn_upright(self, &stored);
  if (!good)
    ms_image_file_free_pixels(self, stored.pixels);
  if (!good || !self->scratch)
    return good ? ms_image_new_take(stored.width, stored.height, stored.pixels, metadata) : NULL;
  g_autoptr(GBytes) bytes =
    g_bytes_new_with_free_func(stored.pixels, (gsize)stored.width * stored.height * 4,
                               (GDestroyNotify)ms_scratch_file_unref, ms_scratch_file_ref(self->scratch));
  return ms_image_new(stored.width, stored.height, bytes, metadata);
}
