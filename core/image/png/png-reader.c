/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-reader.h"

#include <string.h>

#include "core/error.h"
#include "core/image/png/png-deflate.h"

static G_GNUC_NORETURN void
on_error(png_structp png, png_const_charp message)
{
  MsPngReader *self = png_get_error_ptr(png);

  if (self->error == NULL)
    g_strlcpy(self->damage, message, sizeof self->damage);
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
  MsPngReader *self = png_get_error_ptr(png);

  /* A wrong checksum counts as damage in every chunk, whether libpng uses the chunk or leaves it out. */
  if (strstr(message, "CRC error") != NULL && ms_image_source_accepts(self->source, message))
    return;
  if (!g_str_has_prefix(message, "IDAT:"))
    return;
  if (strstr(message, "Extra compressed data") == NULL && strstr(message, "Too much image data") == NULL &&
      !ms_image_source_accepts(self->source, message))
    png_error(png, message);
}

static void
on_read(png_structp png, png_bytep buffer, size_t size)
{
  MsPngReader *self = png_get_io_ptr(png);
  gsize got = 0;

  if (ms_image_source_read(self->source, buffer, size, &got, &self->error) && got < size) {
    g_strlcpy(self->damage, "the file ends before the picture does", sizeof self->damage);
    ms_set_error(&self->error, MS_ERROR_FORMAT,
                 "'%s' is damaged: the file ends before the picture does; get a fresh copy of it.", self->source->name);
  }
  if (self->error != NULL)
    png_error(png, "read");
}

/** ms_png_reader_keep_text: keeps the EXIF block or XMP packet that a chunk holds, if it is the first of its kind. */
void
ms_png_reader_keep_text(MsPngReader *self, const char *type, const guint8 *data, gsize size)
{
  MsPngTextKind kind = ms_png_text_kind(type, data, size);

  if (kind != MS_PNG_TEXT_OTHER && self->texts[kind] == NULL)
    self->texts[kind] = ms_png_text_read(type, data, size, self->source->limits->max_metadata);
}

/* Called by libpng for the chunks that choose_chunks() leaves to it. */
static int
on_chunk(png_structp png, png_unknown_chunkp chunk)
{
  const int is_handled = 1;

  ms_png_reader_keep_text(png_get_user_chunk_ptr(png), (const char *)chunk->name, chunk->data, chunk->size);
  return is_handled;
}

/*
 * Skips suggested palettes and colour hints, which are not kept. Texts go to on_chunk(), which inflates only those that
 * it looks for, so that decompression bombs in others have no effect.
 */
static void
choose_chunks(MsPngReader *self)
{
  static const png_byte skipped[] = "bKGD\0cHRM\0gAMA\0hIST\0oFFs\0pCAL\0sCAL\0sPLT\0tIME\0sBIT\0sRGB";
  static const png_byte texts[] = "eXIf\0iTXt\0tEXt\0zTXt";

  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, skipped, sizeof skipped / 5);
  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_ALWAYS, texts, sizeof texts / 5);
  png_set_read_user_chunk_fn(self->png, self, on_chunk);
}

/** ms_png_reader_open: prepares libpng for @self->source; %FALSE with @self->error set. */
gboolean
ms_png_reader_open(MsPngReader *self)
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
  if (self->source->limits->accept_damaged)
    png_set_crc_action(self->png, PNG_CRC_WARN_USE, PNG_CRC_WARN_DISCARD);
  else
    png_set_crc_action(self->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  /* Lifts libpng's limit of a million pixels a side, which would refuse a long strip; the program limits the area. */
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(self->png, self->source->limits->max_metadata);
  choose_chunks(self);
  return TRUE;
}

/** ms_png_reader_close: frees all but the image, the metadata of the rows and the error. */
void
ms_png_reader_close(MsPngReader *self)
{
  png_destroy_read_struct(&self->png, &self->info, NULL);
  ms_image_source_free_pixels(self->source, self->pixels);
  self->pixels = NULL;
  g_clear_pointer(&self->row, g_free);
  for (int i = 0; i < MS_PNG_N_TEXTS; i++)
    g_clear_pointer(&self->texts[i], g_bytes_unref);
}

/** ms_png_reader_stop_if: ends ms_png_reader_run() where @failed; @self->error says why. */
void
ms_png_reader_stop_if(MsPngReader *self, gboolean failed)
{
  if (failed)
    png_error(self->png, "stopped");
}

/** ms_png_reader_read_header: reads the chunks before the pixels and refuses an image that exceeds the limits. */
void
ms_png_reader_read_header(MsPngReader *self)
{
  png_read_info(self->png, self->info);
  guint64 width = png_get_image_width(self->png, self->info);
  guint64 height = png_get_image_height(self->png, self->info);
  guint64 bits = png_get_bit_depth(self->png, self->info) * png_get_channels(self->png, self->info);
  /* Cannot overflow: there are fewer than 2^62 pixels of at most 8 bytes, and the division comes first. */
  guint64 least = width * height / 8 / MS_PNG_DEFLATE_MOST * bits;

  ms_png_reader_stop_if(self, !ms_image_source_check_size(self->source, width, height, least, &self->error));
}

static GBytes *
get_exif(MsPngReader *self)
{
  return self->texts[self->texts[MS_PNG_TEXT_EXIF] ? MS_PNG_TEXT_EXIF : MS_PNG_TEXT_RAW_EXIF];
}

/** ms_png_reader_get_orientation: 1 to 8, by the chunks that have been read. */
int
ms_png_reader_get_orientation(MsPngReader *self)
{
  GBytes *xmp = self->texts[self->texts[MS_PNG_TEXT_XMP] ? MS_PNG_TEXT_XMP : MS_PNG_TEXT_RAW_XMP];

  return ms_image_source_get_orientation(get_exif(self), xmp);
}

/**
 * ms_png_reader_accepts_rows:
 *
 * Returns: whether rows were read before the file proved to be damaged, and such a file is accepted: there is no error
 *   any more then
 */
gboolean
ms_png_reader_accepts_rows(MsPngReader *self)
{
  if (self->y == 0 || !g_error_matches(self->error, MS_ERROR, MS_ERROR_FORMAT) ||
      !ms_image_source_accepts(self->source, self->damage))
    return FALSE;
  g_clear_error(&self->error);
  return TRUE;
}

static GBytes *
get_icc(MsPngReader *self)
{
  png_charp name;
  int compression;
  png_bytep data = NULL;
  png_uint_32 size = 0;

  if (png_get_iCCP(self->png, self->info, &name, &compression, &data, &size) == 0 || size == 0)
    return NULL;
  return g_bytes_new(data, size);
}

/** ms_png_reader_get_metadata: (transfer full): the metadata in the chunks that have been read. */
MsMetadata *
ms_png_reader_get_metadata(MsPngReader *self)
{
  png_uint_32 x = 0;
  png_uint_32 y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  g_autoptr(GBytes) icc = get_icc(self);

  if (png_get_pHYs(self->png, self->info, &x, &y, &unit) == 0 || unit != PNG_RESOLUTION_METER)
    x = y = 0;
  return ms_metadata_new(icc, get_exif(self), x, y);
}

/**
 * ms_png_reader_set_transforms:
 *
 * Asks libpng for RGBA with 8 bits a channel. 16 bits become the nearest of 8 (v * 255 / 65535 rounded), where dropping
 * the low byte would not restore an image widened from 8 bits. No gamma is applied.
 */
void
ms_png_reader_set_transforms(MsPngReader *self)
{
  png_set_expand(self->png);
  png_set_scale_16(self->png);
  png_set_gray_to_rgb(self->png);
  png_set_add_alpha(self->png, 0xff, PNG_FILLER_AFTER);
}

/**
 * ms_png_reader_run:
 * @steps: keeps its state in @self, so that nothing leaks when an error calls longjmp()
 *
 * The only function with setjmp(); it has no local variables.
 */
void
ms_png_reader_run(MsPngReader *self, void (*steps)(MsPngReader *self))
{
  if (setjmp(png_jmpbuf(self->png)) == 0)
    steps(self);
}
