/* SPDX-License-Identifier: MIT */
#include "core/image/png-read.h"

#include <glib/gi18n-lib.h>
#include <png.h>
#include <string.h>

#include "core/error.h"
#include "core/image/metadata/exif.h"
#include "core/image/metadata/orientation.h"
#include "core/image/png-whole.h"
#include "core/image/png/png-deflate.h"

#define SIGNATURE_SIZE 8
/* The length and the name before the content of a chunk, and the checksum after it. */
#define CHUNK_HEADER_SIZE 8
#define CHECKSUM_SIZE 4

/* The state of one decoder, kept out of local variables so that nothing leaks when libpng calls longjmp(). */
typedef struct {
  MsRowReader rows; /* of ms_png_open_rows() */
  MsImageSource *source;
  MsPngWhole *whole; /* (nullable): the rows, inflated beforehand */
  png_structp png;
  png_infop info;
  guint8 *pixels; /* of the whole image, or of one row */
  guint32 y;      /* the next row of a reader by rows */
  guint8 *row;
  MsImage *image;
  GError *error;
} PngReader;

static G_GNUC_NORETURN void
on_error(png_structp png, png_const_charp message)
{
  PngReader *self = png_get_error_ptr(png);

  if (self->error == NULL && g_str_has_prefix(message, "Out of memory"))
    ms_set_error(&self->error, MS_ERROR_MEMORY,
                 "Not enough memory to read '%s'; close other programs or scale it down.", self->source->name);
  if (self->error == NULL)
    ms_set_error(&self->error, MS_ERROR_FORMAT, "'%s' is a damaged PNG file (%s); get a fresh copy of it.",
                 self->source->name, message);
  png_longjmp(png, 1);
}

/*
 * Ignores most warnings, which are about profiles and other ancillary data that libpng then leaves out. A warning about
 * the compressed pixels means that their checksum is wrong; only extra bytes after the last pixel are harmless.
 */
static void
on_warning(png_structp png, png_const_charp message)
{
  PngReader *self = png_get_error_ptr(png);

  /* Where the pixels have been inflated beforehand, libpng finds those that it skips to be too many. */
  if (!g_str_has_prefix(message, "IDAT:") || self->whole != NULL)
    return;
  if (strstr(message, "Extra compressed data") == NULL && strstr(message, "Too much image data") == NULL)
    png_error(png, message);
}

static void
on_read(png_structp png, png_bytep buffer, size_t size)
{
  PngReader *self = png_get_io_ptr(png);
  gsize got = 0;

  if (ms_image_source_read(self->source, buffer, size, &got, &self->error) && got < size)
    ms_set_error(&self->error, MS_ERROR_FORMAT,
                 "'%s' is damaged: the file ends before the picture does; get a fresh copy of it.", self->source->name);
  if (self->error != NULL)
    png_error(png, "read");
}

/*
 * Skips texts, suggested palettes and colour hints, which are not kept, so that decompression bombs in them have no
 * effect.
 */
static void
skip_unwanted_chunks(png_structp png)
{
  static const png_byte names[] = "bKGD\0cHRM\0gAMA\0hIST\0iTXt\0oFFs\0pCAL\0sCAL\0sPLT\0tEXt\0tIME\0zTXt\0sBIT\0sRGB";

  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, sizeof names / 5);
}

static gboolean
reader_open(PngReader *self)
{
  self->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
  if (self->png != NULL)
    self->info = png_create_info_struct(self->png);
  if (self->info == NULL) {
    ms_set_error(&self->error, MS_ERROR_MEMORY, "Not enough memory to read '%s'; close other programs.",
                 self->source->name);
    return FALSE;
  }
  png_set_read_fn(self->png, self, on_read);
  png_set_crc_action(self->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  /* Lifts libpng's limit of a million pixels a side, which would refuse a long strip; the program limits the area. */
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(self->png, self->source->limits->max_metadata);
  skip_unwanted_chunks(self->png);
  return TRUE;
}

static void
reader_close(PngReader *self)
{
  png_destroy_read_struct(&self->png, &self->info, NULL);
  ms_image_source_free_pixels(self->source, self->pixels);
  self->pixels = NULL;
  g_clear_pointer(&self->row, g_free);
  g_clear_pointer(&self->whole, ms_png_whole_free);
}

static void
stop_if(PngReader *self, gboolean failed)
{
  if (failed)
    png_error(self->png, "stopped");
}

static void
read_header(PngReader *self)
{
  png_read_info(self->png, self->info);
  guint64 width = png_get_image_width(self->png, self->info);
  guint64 height = png_get_image_height(self->png, self->info);
  guint64 bits = png_get_bit_depth(self->png, self->info) * png_get_channels(self->png, self->info);
  /* Cannot overflow: there are fewer than 2^62 pixels of at most 8 bytes, and the division comes first. */
  guint64 least = width * height / 8 / MS_PNG_DEFLATE_MOST * bits;

  stop_if(self, !ms_image_source_check_size(self->source, width, height, least, &self->error));
}

static GBytes *
get_exif(PngReader *self)
{
  png_uint_32 size = 0;
  png_bytep data = NULL;

  if (png_get_eXIf_1(self->png, self->info, &size, &data) == 0 || size == 0)
    return NULL;
  return g_bytes_new(data, size);
}

static GBytes *
get_icc(PngReader *self)
{
  png_charp name;
  int compression;
  png_bytep data = NULL;
  png_uint_32 size = 0;

  if (png_get_iCCP(self->png, self->info, &name, &compression, &data, &size) == 0 || size == 0)
    return NULL;
  return g_bytes_new(data, size);
}

static MsMetadata *
get_metadata(PngReader *self)
{
  png_uint_32 x = 0;
  png_uint_32 y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  g_autoptr(GBytes) exif = get_exif(self);
  g_autoptr(GBytes) icc = get_icc(self);

  if (png_get_pHYs(self->png, self->info, &x, &y, &unit) == 0 || unit != PNG_RESOLUTION_METER)
    x = y = 0;
  return ms_metadata_new(icc, exif, x, y);
}

/*
 * Reduces 16 bits to the nearest of 8 (v * 255 / 65535 rounded) instead of dropping the low byte, so that an image
 * widened from 8 bits is restored exactly. No gamma is applied.
 */
static void
set_transforms(PngReader *self)
{
  png_set_expand(self->png);
  png_set_scale_16(self->png);
  png_set_gray_to_rgb(self->png);
  png_set_add_alpha(self->png, 0xff, PNG_FILLER_AFTER);
}

static void
read_rows(PngReader *self)
{
  guint32 height = png_get_image_height(self->png, self->info);
  int passes = png_set_interlace_handling(self->png);

  png_read_update_info(self->png, self->info);
  gsize stride = png_get_rowbytes(self->png, self->info);
  g_assert(stride == (gsize)png_get_image_width(self->png, self->info) * 4);
  for (int pass = 0; pass < passes; pass++)
    for (guint32 y = 0; y < height; y++) {
      stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
      png_read_row(self->png, self->pixels + y * stride, NULL);
      ms_image_source_report_rows(self->source, (guint64)pass * height + y + 1, (guint64)passes * height);
    }
}

static void
read_whole_rows(PngReader *self)
{
  guint32 height = png_get_image_height(self->png, self->info);

  for (guint32 y = 0; y < height; y++) {
    stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
    ms_png_whole_unfilter_row(self->whole);
    ms_image_source_report_rows(self->source, (guint64)y + 1, height);
  }
  self->pixels = ms_png_whole_steal_pixels(self->whole);
}

/* The first pass of an interlaced file has every eighth pixel of every eighth row. */
static void
read_first_pass(PngReader *self)
{
  guint32 width = png_get_image_width(self->png, self->info), height = png_get_image_height(self->png, self->info);
  guint32 columns = (width + 7) / 8, rows = (height + 7) / 8;

  self->pixels = ms_image_source_alloc_pixels(self->source, columns, rows, &self->error);
  stop_if(self, self->pixels == NULL);
  set_transforms(self);
  png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
  self->row = g_malloc(png_get_rowbytes(self->png, self->info));
  for (guint32 y = 0; y < height; y++) {
    stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
    png_read_row(self->png, self->row, NULL);
    for (guint32 x = 0; y % 8 == 0 && x < columns; x++)
      memcpy(self->pixels + ((gsize)(y / 8) * columns + x) * 4, self->row + (gsize)x * 8 * 4, 4);
  }
  g_autoptr(MsMetadata) metadata = get_metadata(self);
  self->image =
    ms_image_source_finish(self->source, g_steal_pointer(&self->pixels), columns, rows, metadata, 0, &self->error);
}

static void
read_preview(PngReader *self)
{
  read_header(self);
  if (png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_ADAM7)
    ms_set_error(&self->error, MS_ERROR_UNSUPPORTED, "'%s' is not interlaced, so it has no preview.",
                 self->source->name);
  stop_if(self, self->error != NULL);
  read_first_pass(self);
}

/* Called by libpng for a chunk of pixels whose checksum is right. */
static int
skip_pixels(png_structp png, png_unknown_chunkp chunk)
{
  const int is_handled = 1;

  return is_handled;
}

static void
read_image(PngReader *self)
{
  self->whole = ms_png_whole_new(self->source);
  if (self->whole != NULL) {
    png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep) "IDAT", 1);
    png_set_read_user_chunk_fn(self->png, NULL, skip_pixels);
  }
  read_header(self);
  guint32 width = png_get_image_width(self->png, self->info);
  guint32 height = png_get_image_height(self->png, self->info);

  if (self->whole != NULL) {
    read_whole_rows(self);
  } else {
    self->pixels = ms_image_source_alloc_pixels(self->source, width, height, &self->error);
    stop_if(self, self->pixels == NULL);
    set_transforms(self);
    read_rows(self);
  }
  /* Reads to the end, because a file without its last bytes is damaged, and EXIF may follow the pixels. */
  png_read_end(self->png, self->info);

  g_autoptr(MsMetadata) metadata = get_metadata(self);
  self->image =
    ms_image_source_finish(self->source, g_steal_pointer(&self->pixels), width, height, metadata, 0, &self->error);
}

/* The only function with setjmp(): it has no local variables, and @steps keep their state in @self. */
static void
run(PngReader *self, void (*steps)(PngReader *self))
{
  if (setjmp(png_jmpbuf(self->png)) == 0)
    steps(self);
}

static MsImage *
read_with(MsImageSource *source, void (*steps)(PngReader *self), GError **error)
{
  PngReader self = {.source = source};

  if (reader_open(&self))
    run(&self, steps);
  reader_close(&self);
  if (self.error != NULL)
    g_propagate_error(error, self.error);
  return self.image;
}

/**
 * ms_png_read:
 * @source: a file that begins with the PNG signature
 *
 * Decodes row by row, interlaced files too, directly into the block of pixels that the image keeps.
 *
 * Returns: (transfer full): the upright picture, or %NULL with %MS_ERROR_FORMAT, %MS_ERROR_TOO_LARGE, %MS_ERROR_MEMORY,
 *   %MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
MsImage *
ms_png_read(MsImageSource *source, GError **error)
{
  return read_with(source, read_image, error);
}

/**
 * ms_png_read_preview:
 *
 * Reads the first pass of an interlaced file alone: an eighth of its width and height.
 *
 * Returns: (transfer full): the upright preview, or %NULL with %MS_ERROR_UNSUPPORTED where the file is not interlaced,
 *   or the errors of ms_png_read()
 */
MsImage *
ms_png_read_preview(MsImageSource *source, GError **error)
{
  return read_with(source, read_preview, error);
}

static gboolean
is_interlaced(PngReader *self)
{
  return png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_NONE;
}

/* Walks the chunks to find an EXIF block behind the first pixels, which may say that the image is not upright. */
static gboolean
find_late_exif(PngReader *self, gboolean *late)
{
  guint64 at = SIGNATURE_SIZE;
  gboolean has_pixels = FALSE, is_end = FALSE;
  guint8 header[CHUNK_HEADER_SIZE];
  gsize got = CHUNK_HEADER_SIZE;

  while (!*late && !is_end && got == CHUNK_HEADER_SIZE) {
    guint32 length;
    if (!ms_image_source_read_at(self->source, at, header, CHUNK_HEADER_SIZE, &got, &self->error))
      return FALSE;
    memcpy(&length, header, sizeof length);
    at += CHUNK_HEADER_SIZE + (guint64)GUINT32_FROM_BE(length) + CHECKSUM_SIZE;
    has_pixels = has_pixels || memcmp(header + 4, "IDAT", 4) == 0;
    is_end = memcmp(header + 4, "IEND", 4) == 0;
    *late = got == CHUNK_HEADER_SIZE && has_pixels && memcmp(header + 4, "eXIf", 4) == 0;
  }
  return TRUE;
}

/* Refuses a file that is valid but does not store the rows of the upright image in order. */
static void
refuse_rows(PngReader *self, const char *why)
{
  ms_set_error_phrase(&self->error, MS_ERROR_UNSUPPORTED, "'%s' %s, so that it cannot be read by rows.",
                      self->source->name, why);
  stop_if(self, TRUE);
}

/* Separate from begin_rows(), because the longjmp() of refuse_rows() skips the cleanup of its caller's variables. */
static int
set_upright_metadata(PngReader *self)
{
  g_autoptr(MsMetadata) metadata = get_metadata(self);
  int orientation = 1;

  self->rows.metadata = ms_image_source_upright_metadata(metadata, 0, &orientation);
  return orientation;
}

static void
begin_rows(PngReader *self)
{
  gboolean late = FALSE;

  read_header(self);
  if (is_interlaced(self))
    refuse_rows(self, N_("is interlaced"));
  stop_if(self, !find_late_exif(self, &late));
  if (late)
    refuse_rows(self, N_("has EXIF data behind its pixels"));
  if (set_upright_metadata(self) != 1)
    refuse_rows(self, N_("is not stored upright"));
  self->rows.width = png_get_image_width(self->png, self->info);
  self->rows.height = png_get_image_height(self->png, self->info);
  self->rows.has_alpha = (png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                         png_get_valid(self->png, self->info, PNG_INFO_tRNS) != 0;
  set_transforms(self);
  png_read_update_info(self->png, self->info);
}

static void
read_next_row(PngReader *self)
{
  stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
  png_read_row(self->png, self->pixels, NULL);
  if (++self->y == png_get_image_height(self->png, self->info))
    png_read_end(self->png, self->info);
}

static gboolean
read_row(MsRowReader *rows, guint8 *row, GError **error)
{
  PngReader *self = (PngReader *)rows;

  self->pixels = row;
  run(self, read_next_row);
  self->pixels = NULL;
  if (self->error == NULL)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&self->error));
  return FALSE;
}

static void
close_rows(MsRowReader *rows)
{
  PngReader *self = (PngReader *)rows;

  reader_close(self);
  g_clear_pointer(&rows->metadata, ms_metadata_unref);
  g_clear_error(&self->error);
  g_free(self);
}

/**
 * ms_png_open_rows:
 * @source: a file that begins with the PNG signature; must outlive the reader
 *
 * Returns: (transfer full): a reader of the rows, or %NULL with the errors of ms_png_read(), or %MS_ERROR_UNSUPPORTED
 *   for an interlaced file and one that is not stored upright
 */
MsRowReader *
ms_png_open_rows(MsImageSource *source, GError **error)
{
  PngReader *self = g_new0(PngReader, 1);

  self->source = source;
  self->rows.read = read_row;
  self->rows.close = close_rows;
  if (reader_open(self))
    run(self, begin_rows);
  if (self->error == NULL)
    return &self->rows;
  g_propagate_error(error, g_steal_pointer(&self->error));
  close_rows(&self->rows);
  return NULL;
}

/**
 * ms_png_peek:
 * @header: (out): filled on success
 *
 * Reads up to the pixels; an EXIF block that follows them is not seen.
 *
 * Returns: FALSE with the errors of ms_png_read()
 */
gboolean
ms_png_peek(MsImageSource *source, MsImageHeader *header, GError **error)
{
  PngReader self = {.source = source};

  if (reader_open(&self))
    run(&self, read_header);
  if (self.error == NULL) {
    int width = png_get_image_width(self.png, self.info);
    int height = png_get_image_height(self.png, self.info);
    g_autoptr(GBytes) exif = get_exif(&self);
    gboolean swap = exif != NULL && ms_orientation_swaps_sides(ms_exif_get_orientation(exif));
    header->width = swap ? height : width;
    header->height = swap ? width : height;
    header->bits = png_get_bit_depth(self.png, self.info);
  }
  reader_close(&self);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error(error, self.error);
  return FALSE;
}
