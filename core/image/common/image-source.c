/* SPDX-License-Identifier: MIT */
#include "core/image/common/image-source.h"

#include <inttypes.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/image/metadata/exif.h"
#include "core/image/metadata/icc.h"
#include "core/image/metadata/orientation.h"
#include "core/image/metadata/xmp.h"

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

/**
 * ms_image_header_describe_losses:
 * @name: of the file
 *
 * Returns: (transfer full) (nullable): a sentence on what is lost by loading the file, %NULL when nothing is
 */
char *
ms_image_header_describe_losses(const MsImageHeader *self, const char *name, MsLanguage language)
{
  g_autofree char *bits =
    self->bits > 8 ? g_strdup_printf(ms_text(language, "its %d bits a sample were reduced to 8"), self->bits) : NULL;
  const char *clauses[] = {
    bits,
    self->has_more_images ? ms_text(language, "only the first of its images was read") : NULL,
    self->has_unread_exif ? ms_text(language, "its EXIF data were not read") : NULL,
  };

  return ms_text_about(language, name, clauses, G_N_ELEMENTS(clauses));
}

/**
 * ms_image_source_of_bytes:
 * @bytes: (transfer none): a whole file
 * @stream: (transfer none): over @bytes
 *
 * Returns: a source of a file in memory; it must not outlive the arguments
 */
MsImageSource
ms_image_source_of_bytes(GBytes *bytes, const char *name, GInputStream *stream, const MsImageLimits *limits)
{
  return (MsImageSource){
    .name = name, .stream = stream, .size = g_bytes_get_size(bytes), .limits = limits, .fd = -1, .bytes = bytes};
}

/** ms_image_source_report_rows: for decoders; see #MsImageRows. */
void
ms_image_source_report_rows(const MsImageSource *self, guint64 done, guint64 total)
{
  if (self->scratch)
    ms_scratch_file_touch(self->scratch, self->row_bytes);
  if (self->report.rows)
    self->report.rows(done, total, self->report.data);
}

static void
set_read_error(MsImageSource *self, const char *reason, GError **error)
{
  ms_set_error(error, MS_ERROR_IO, "Cannot read '%s': %s; check the disk and try again.", self->name, reason);
}

/**
 * ms_image_source_read:
 * @size: bytes wanted
 * @got: (out): bytes read, less than @size only at the end of the file
 *
 * Reads the bytes that follow those of the last call.
 *
 * Returns: FALSE when the file cannot be read or the call was cancelled
 */
gboolean
ms_image_source_read(MsImageSource *self, void *buffer, gsize size, gsize *got, GError **error)
{
  g_autoptr(GError) reason = NULL;

  if (g_input_stream_read_all(self->stream, buffer, size, got, self->cancellable, &reason))
    return TRUE;
  if (g_error_matches(reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_propagate_error(error, g_steal_pointer(&reason));
  else
    set_read_error(self, reason->message, error);
  return FALSE;
}

static gsize
copy_bytes(GBytes *bytes, guint64 offset, void *buffer, gsize size)
{
  gsize available = g_bytes_get_size(bytes);

  if (offset >= available)
    return 0;
  gsize n = MIN(size, available - offset);
  memcpy(buffer, (const guint8 *)g_bytes_get_data(bytes, NULL) + offset, n);
  return n;
}

/**
 * ms_image_source_read_at:
 * @offset: of the first byte wanted
 * @size: bytes wanted
 *
 * Reads from any offset; the position of ms_image_source_read() does not change.
 *
 * Returns: bytes read, less than @size only at the end of the file; -1 when the file cannot be read or the call was
 *   cancelled
 */
gssize
ms_image_source_read_at(MsImageSource *self, guint64 offset, void *buffer, gsize size, GError **error)
{
  gsize got = 0;

  if (g_cancellable_set_error_if_cancelled(self->cancellable, error))
    return -1;
  if (self->bytes != NULL)
    return (gssize)copy_bytes(self->bytes, offset, buffer, size);
  while (got < size && offset <= G_MAXINT64 - size) {
    gssize n = pread(self->fd, (guint8 *)buffer + got, size - got, (off_t)(offset + got));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      set_read_error(self, g_strerror(errno), error);
      return -1;
    }
    if (n == 0)
      break;
    got += n;
  }
  return (gssize)got;
}

/**
 * ms_image_source_check_size:
 * @width: pixels in a row, as the header says
 * @height: rows, as the header says
 * @least_bytes: the size below which no file can hold that image, however well it compresses
 *
 * Refuses an image above the limit, and a header that promises more than the file can hold: such a file would
 * make the program allocate gigabytes only to find the data missing.
 *
 * Returns: FALSE with %MS_ERROR_TOO_LARGE or %MS_ERROR_FORMAT
 */
gboolean
ms_image_source_check_size(MsImageSource *self, guint64 width, guint64 height, guint64 least_bytes, GError **error)
{
  guint64 pixels = width * height;

  if (pixels > self->limits->max_pixels || pixels > MOST_PIXELS) {
    ms_set_error(error, MS_ERROR_TOO_LARGE,
                 "'%s' is too large: %" PRIu64 " x %" PRIu64 " pixels, the limit is %" PRIu64
                 " pixels; scale it down or raise the limit.",
                 self->name, width, height, self->limits->max_pixels);
    return FALSE;
  }
  if (pixels * 4 > SMALL_PIXELS && least_bytes > self->size) {
    ms_set_error(error, MS_ERROR_FORMAT,
                 "'%s' is damaged: it claims %" PRIu64 " x %" PRIu64 " pixels, but its %" PRIu64
                 " bytes cannot hold them; get a fresh copy of it.",
                 self->name, width, height, self->size);
    return FALSE;
  }
  return TRUE;
}

/**
 * ms_image_source_accepts:
 * @damage: what the decoder found, as words that fit in parentheses
 *
 * Returns: whether the file is accepted nevertheless; the first @damage is kept then
 */
gboolean
ms_image_source_accepts(MsImageSource *self, const char *damage)
{
  if (self->limits->accept_damaged && self->damage[0] == '\0')
    g_strlcpy(self->damage, damage, sizeof self->damage);
  return self->limits->accept_damaged;
}

/** ms_image_source_blacken: makes @n pixels black and opaque, as those stay that a damaged file does not give. */
void
ms_image_source_blacken(guint8 *pixels, guint64 n)
{
  static const guint8 black[] = {0, 0, 0, 255};

  for (guint64 i = 0; i < n; i++)
    memcpy(pixels + i * 4, black, sizeof black);
}

/**
 * ms_image_source_alloc_pixels:
 *
 * Returns: (transfer full): width * height * 4 bytes, black where damage is accepted and else not cleared, to be freed
 *   with ms_image_source_free_pixels(); or %NULL with %MS_ERROR_MEMORY or the errors of ms_scratch_file_map()
 */
guint8 *
ms_image_source_alloc_pixels(MsImageSource *self, guint64 width, guint64 height, GError **error)
{
  self->row_bytes = width * 4;
  guint8 *pixels = self->scratch ? ms_scratch_file_map(self->scratch, width * height * 4, error)
                                 : ms_image_try_alloc_pixels(width, height);

  if (pixels != NULL && self->limits->accept_damaged)
    ms_image_source_blacken(pixels, width * height);
  if (pixels == NULL && !self->scratch)
    ms_set_error(error, MS_ERROR_MEMORY,
                 "Not enough memory for '%s': its %" PRIu64 " x %" PRIu64 " pixels need %" PRIu64
                 " MiB; close other programs or scale it down.",
                 self->name, width, height, (width * height * 4) >> 20);
  return pixels;
}

void
ms_image_source_free_pixels(MsImageSource *self, guint8 *pixels)
{
  if (self->scratch)
    ms_scratch_file_unmap(self->scratch, pixels);
  else
    g_free(pixels);
}

static void
swap(guint32 *a, guint32 *b)
{
  guint32 old = *a;

  *a = *b;
  *b = old;
}

/**
 * ms_image_source_get_orientation:
 * @exif: (nullable): a raw EXIF block
 * @xmp: (nullable): an XMP packet
 *
 * Returns: 1 to 8: the orientation that EXIF data state or, where they state none, XMP does; 1 where neither does
 */
int
ms_image_source_get_orientation(GBytes *exif, GBytes *xmp)
{
  int by_exif = exif != NULL ? ms_exif_get_orientation(exif) : 0;

  if (by_exif != 0)
    return by_exif;
  return MAX(1, xmp != NULL ? ms_xmp_get_orientation(xmp) : 0);
}

/**
 * ms_image_source_upright_metadata:
 * @raw: (transfer none): the metadata as stored in the file
 * @orientation: 1 to 8 where the file says so itself; 0 where its EXIF block does
 * @applied: (out): the orientation of the stored pixels, 1 where they are upright
 *
 * A profile for another colour space than RGB is dropped, since grey and CMYK pixels are converted to RGB.
 *
 * Returns: (transfer full): the metadata that stay valid for the upright image
 */
MsMetadata *
ms_image_source_upright_metadata(MsMetadata *raw, int orientation, int *applied)
{
  int exif_orientation = 1;
  guint32 x_resolution = raw->x_pixels_per_metre;
  guint32 y_resolution = raw->y_pixels_per_metre;
  g_autoptr(GBytes) exif = raw->exif ? ms_exif_make_upright(raw->exif, &exif_orientation) : NULL;
  GBytes *icc = raw->icc && ms_icc_is_rgb(raw->icc) ? raw->icc : NULL;

  *applied = orientation != 0 ? orientation : exif_orientation;
  if (exif != NULL && x_resolution == 0)
    ms_exif_get_resolution(raw->exif, &x_resolution, &y_resolution);
  if (ms_orientation_swaps_sides(*applied))
    swap(&x_resolution, &y_resolution);
  return ms_metadata_new(icc, exif, x_resolution, y_resolution);
}

static void
touch(gsize bytes, gpointer scratch)
{
  ms_scratch_file_touch(scratch, bytes);
}

/* Turns pixels upright that are in temporary files. */
static gboolean
turn_in_scratch(MsScratchFile *scratch, MsStoredPixels *stored, GError **error)
{
  gboolean swaps = ms_orientation_swaps_sides(stored->orientation);
  guint8 *target =
    swaps ? ms_scratch_file_map(scratch, (gsize)stored->width * stored->height * 4, error) : stored->pixels;

  if (!target)
    return FALSE;
  ms_orientation_turn(stored, target, touch, scratch);
  if (!swaps)
    return TRUE;
  ms_scratch_file_unmap(scratch, stored->pixels);
  *stored = (MsStoredPixels){target, stored->height, stored->width, 1};
  return TRUE;
}

static MsImage *
finish_in_scratch(MsScratchFile *scratch, MsStoredPixels stored, MsMetadata *metadata, GError **error)
{
  if (!turn_in_scratch(scratch, &stored, error))
    return NULL;
  g_autoptr(GBytes) bytes =
    g_bytes_new_with_free_func(stored.pixels, (gsize)stored.width * stored.height * 4,
                               (GDestroyNotify)ms_scratch_file_unref, ms_scratch_file_ref(scratch));
  return ms_image_new(stored.width, stored.height, bytes, metadata);
}

/**
 * ms_image_source_finish:
 * @stored: (transfer full): the pixels as stored in the file; the orientation is 0 if the EXIF block of the file
 *   contains it
 * @raw: (transfer none): the metadata as stored in the file
 *
 * Is the last step of every decoder: turns the image upright and keeps the metadata that stay valid.
 *
 * Returns: (transfer full): the image, or %NULL with %MS_ERROR_MEMORY or the errors of ms_scratch_file_map()
 */
MsImage *
ms_image_source_finish(MsImageSource *self, MsStoredPixels stored, MsMetadata *raw, GError **error)
{
  g_autoptr(MsMetadata) metadata = ms_image_source_upright_metadata(raw, stored.orientation, &stored.orientation);

  if (self->scratch)
    return finish_in_scratch(self->scratch, stored, metadata, error);
  if (ms_orientation_apply(&stored))
    return ms_image_new_take(stored.width, stored.height, stored.pixels, metadata);
  g_free(stored.pixels);
  ms_set_error(error, MS_ERROR_MEMORY, "Not enough memory to turn '%s' upright; close other programs or scale it down.",
               self->name);
  return NULL;
}
