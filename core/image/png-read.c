/* SPDX-License-Identifier: MIT */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/image/png-private.h"
#include "core/image/png.h"

static G_GNUC_NORETURN void
on_error(png_structp png, png_const_charp message)
{
  MsPngReader *self = png_get_error_ptr(png);

  if (!self->file->error)
    g_strlcpy(self->damage, message, sizeof self->damage);
  if (!self->file->error && g_str_has_prefix(message, "Out of memory"))
    ms_image_file_fail_memory(self->file);
  ms_codec_fail_damaged(self->file, message);
  png_longjmp(png, 1);
}

/*
 * Whether a chunk whose checksum is wrong says nothing of pixels: neither of transparency nor of how the picture
 * stands. One letter of the name may be wrong, too.
 */
static gboolean
is_dispensable(const char *name)
{
  static const char *const of_pixels[] = {"tRNS", "eXIf"};

  for (guint i = 0; i < G_N_ELEMENTS(of_pixels); i++) {
    guint equal = 0;
    for (int k = 0; k < 4; k++)
      equal += name[k] == of_pixels[i][k];
    if (equal >= 3)
      return FALSE;
  }
  return g_ascii_islower(name[0]);
}

/*
 * Ignores most warnings, which are about profiles and other ancillary data that libpng then leaves out. A warning about
 * the compressed pixels means that their checksum is wrong; only extra bytes after the last pixel are harmless.
 */
static void
on_warning(png_structp png, png_const_charp message)
{
  MsPngReader *self = png_get_error_ptr(png);

  /* libpng leaves the chunk out. */
  if (strstr(message, "CRC error") && !ms_image_file_accepts(self->file, message)) {
    if (!is_dispensable(message))
      png_error(png, message);
    self->has_damaged_rest = self->file->header.has_damaged_rest = TRUE;
  }
  if (!g_str_has_prefix(message, "IDAT:"))
    return;
  if (!strstr(message, "Extra compressed data") && !strstr(message, "Too much image data") &&
      !ms_image_file_accepts(self->file, message))
    png_error(png, message);
}

static void
on_read(png_structp png, png_bytep buffer, size_t size)
{
  MsPngReader *self = png_get_io_ptr(png);
  gsize got = 0;

  if (ms_png_reader_take_inflated(self, buffer, size))
    return;
  if (ms_image_file_read(self->file, buffer, size, &got) && got < size) {
    g_strlcpy(self->damage, "the file ends before the picture does", sizeof self->damage);
    ms_image_file_fail_short(self->file);
  }
  if (self->file->error)
    png_error(png, "read");
}

/*
 * Called by libpng for the chunks that choose_chunks() leaves to it. Pixels before which there is no control of a frame
 * are no frame of the animation.
 */
static int
on_chunk(png_structp png, png_unknown_chunkp chunk)
{
  const int is_handled = 1;
  MsPngReader *self = png_get_user_chunk_ptr(png);

  if (memcmp(chunk->name, "acTL", 4) == 0 && chunk->size >= 4)
    self->n_frames = png_get_uint_32(chunk->data);
  self->has_frame |= memcmp(chunk->name, "fcTL", 4) == 0;
  ms_png_reader_keep_text(self, (const char *)chunk->name, chunk->data, chunk->size);
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
  static const png_byte texts[] = "acTL\0eXIf\0fcTL\0iTXt\0tEXt\0zTXt";

  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, skipped, sizeof skipped / 5);
  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_ALWAYS, texts, sizeof texts / 5);
  png_set_read_user_chunk_fn(self->png, self, on_chunk);
}

static void
stop_if(MsPngReader *self, gboolean failed)
{
  if (failed)
    png_error(self->png, "stopped");
}

/* The only function with setjmp(); it has no local variables, and @steps keep theirs in @self, so nothing leaks. */
static void
run_png_steps(MsPngReader *self, void (*steps)(MsPngReader *self))
{
  if (setjmp(png_jmpbuf(self->png)) == 0)
    steps(self);
}

static GBytes *
get_exif(const MsPngReader *self)
{
  return self->texts[self->texts[MS_PNG_TEXT_EXIF] ? MS_PNG_TEXT_EXIF : MS_PNG_TEXT_RAW_EXIF];
}

/* 1 to 8, by the chunks that have been read. */
static int
get_orientation(const MsPngReader *self)
{
  return ms_metadata_find_orientation(
    get_exif(self), self->texts[self->texts[MS_PNG_TEXT_XMP] ? MS_PNG_TEXT_XMP : MS_PNG_TEXT_RAW_XMP]);
}

/* Reads the chunks before the pixels and refuses an image that exceeds the limits. */
static void
read_header(MsPngReader *self)
{
  png_read_info(self->png, self->info);
  const guint32 width = png_get_image_width(self->png, self->info),
                height = png_get_image_height(self->png, self->info);
  const int depth = png_get_bit_depth(self->png, self->info);
  guint64 bits = (guint64)depth * png_get_channels(self->png, self->info);
  /* Cannot overflow: there are fewer than 2^62 pixels of at most 8 bytes, and the division comes first. */
  guint64 least = (guint64)width * height / 8 / MS_PNG_DEFLATE_MOST * bits;

  stop_if(self, !ms_image_file_check_size(self->file, width, height, least));
  ms_image_file_set_header(self->file, (int)width, (int)height, get_orientation(self), depth);
  if (self->n_frames > 0)
    self->file->header.n_images = MIN(self->n_frames, G_MAXINT) + !self->has_frame;
  self->file->header.has_more_images = self->file->header.n_images > 1;
  self->file->header.has_damaged_rest = self->has_damaged_rest;
}

/**
 * ms_png_open:
 * @file: begins with the PNG signature
 *
 * Reads up to the pixels; the header says nothing of an EXIF block that follows them.
 */
static void
ms_png_open(MsImageFile *file)
{
  MsPngReader *self = file->decoder = g_new0(MsPngReader, 1);

  self->file = file;
  self->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
  if (self->png)
    self->info = png_create_info_struct(self->png);
  if (!self->info) {
    ms_image_file_fail_memory(file);
    return;
  }
  png_set_read_fn(self->png, self, on_read);
  if (file->limits.accept_damaged)
    png_set_crc_action(self->png, PNG_CRC_WARN_USE, PNG_CRC_WARN_DISCARD);
  else
    png_set_crc_action(self->png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
  /* Lifts libpng's limit of a million pixels a side, which would refuse a long strip; the program limits the area. */
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(self->png, file->limits.max_metadata);
  choose_chunks(self);
  run_png_steps(self, read_header);
}

static void
ms_png_close(MsImageFile *file)
{
  MsPngReader *self = file->decoder;

  png_destroy_read_struct(&self->png, &self->info, NULL);
  g_free(self->inflated.rows);
  for (int i = 0; i < MS_PNG_N_TEXTS; i++)
    g_clear_pointer(&self->texts[i], g_bytes_unref);
  g_free(self);
}

/*
 * Whether rows were read before the file proved to be damaged, and such a file is accepted: there is no error any more
 * then.
 */
static gboolean
accepts_rows(MsPngReader *self)
{
  if (self->y == 0 || !g_error_matches(self->file->error, MS_ERROR, MS_ERROR_FORMAT) ||
      !ms_image_file_accepts(self->file, self->damage))
    return FALSE;
  g_clear_error(&self->file->error);
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

/* The metadata in the chunks that have been read. */
static MsMetadata *
get_metadata(MsPngReader *self)
{
  png_uint_32 x = 0;
  png_uint_32 y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  g_autoptr(GBytes) icc = get_icc(self);

  if (png_get_pHYs(self->png, self->info, &x, &y, &unit) == 0 || unit != PNG_RESOLUTION_METER)
    x = y = 0;
  return ms_metadata_new(icc, get_exif(self), x, y);
}

static gboolean
is_interlaced(const MsPngReader *self)
{
  return png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_NONE;
}

/*
 * Asks libpng for RGBA with 8 bits a channel. 16 bits become the nearest of 8 (v * 255 / 65535 rounded), where dropping
 * the low byte would not restore an image widened from 8 bits. No gamma is applied.
 */
static void
set_transforms(MsPngReader *self)
{
  png_set_expand(self->png);
  png_set_scale_16(self->png);
  png_set_gray_to_rgb(self->png);
  png_set_add_alpha(self->png, 0xff, PNG_FILLER_AFTER);
}

/* The pixels as they are given; also the metadata, of which some may stand behind the pixels. */
static void
set_stored(MsPngReader *self)
{
  g_autoptr(MsMetadata) metadata = get_metadata(self);

  ms_image_file_set_stored(self->file, (int)png_get_image_width(self->png, self->info),
                           (int)png_get_image_height(self->png, self->info), get_orientation(self), metadata);
}

static void
begin_rows(MsPngReader *self)
{
  set_transforms(self);
  self->passes = png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
}

/* Reads the pixels one by one where all rows are stored from top to bottom and nothing about them stands behind. */
static gboolean
may_give_rows(MsPngReader *self)
{
  gboolean late = FALSE;

  if (is_interlaced(self))
    return ms_image_file_refuse_rows(self->file, N_("is interlaced"));
  if (!ms_png_reader_find_late_text(self, &late))
    return FALSE;
  return !late || ms_image_file_refuse_rows(self->file, N_("has EXIF data or XMP behind its pixels"));
}

static gboolean
start_png(MsImageFile *file, MsDecoding how)
{
  MsPngReader *self = file->decoder;

  if (how == MS_DECODING_ROWS && !may_give_rows(self))
    return FALSE;
  if (how == MS_DECODING_WHOLE)
    ms_png_reader_inflate(self);
  file->has_alpha = (png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                    png_get_valid(self->png, self->info, PNG_INFO_tRNS) != 0;
  if (!file->error)
    run_png_steps(self, begin_rows);
  set_stored(self);
  return !file->error;
}

/* Of an interlaced file all rows are asked for at once, and then read in each pass. */
static void
read_rows(MsPngReader *self)
{
  const guint64 all = (guint64)self->passes * png_get_image_height(self->png, self->info);
  const gsize stride = (gsize)png_get_image_width(self->png, self->info) * 4;

  for (int pass = 0; pass < self->passes; pass++)
    for (int i = 0; i < self->n; i++) {
      stop_if(self, ms_image_file_is_cancelled(self->file));
      png_read_row(self->png, self->into + (gsize)i * stride, NULL);
      ms_image_file_report_rows(self->file, ++self->y, all);
    }
  if (self->y < all)
    return;
  ms_png_reader_end_inflated(self);
  /* Reads to the end, because a file without its last bytes is damaged, and EXIF may follow the pixels. */
  png_read_end(self->png, self->info);
  set_stored(self);
}

static void
read_png(MsImageFile *file, guint8 *into, int n)
{
  MsPngReader *self = file->decoder;

  if (file->limits.accept_damaged)
    ms_image_file_blacken(into, (guint64)file->stored.width * (guint64)n);
  if (self->is_lost)
    return;
  self->into = into;
  self->n = n;
  run_png_steps(self, read_rows);
  self->is_lost = file->error && accepts_rows(self);
}

const MsImageDecoder ms_png_decoder = {TRUE, FALSE, ms_png_open, start_png, read_png, ms_png_close};
