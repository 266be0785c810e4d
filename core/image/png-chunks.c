/* SPDX-License-Identifier: MIT */
/*
 * The chunks of a PNG file that are read beside libpng's stream: texts that hold EXIF data or XMP, and all pixels of a
 * plain file, which inflate as a whole in about half the time that inflating row by row takes.
 */
#include <string.h>

#include <zlib.h>

#include "core/image/png-deflate.h"
#include "core/image/png-filter.h"
#include "core/image/png-private.h"

/* Before PNG had a chunk for EXIF data, ImageMagick and others wrote it as text: a name, a length, digits. */
#define RAW_PROFILE "Raw profile type "

#define LINES_BEFORE_DIGITS 3

#define STEP 65536

#define HEADER_SIZE 8 /* the length and the name before the content of a chunk */
#define CHECKSUM_SIZE 4

/* Bytes of a keyword of the format, with the NUL byte at its end. */
#define MOST_KEYWORD 80

/*
 * A chunk: the offset of its content in the file, the bytes of its content, which its checksum follows, and its name.
 */
typedef struct {
  guint64 at;
  guint32 size;
  char type[5];
} Chunk;

static const struct {
  const char *keyword;
  MsPngTextKind kind;
} keywords[] = {
  {RAW_PROFILE "exif", MS_PNG_TEXT_RAW_EXIF},
  {RAW_PROFILE "APP1", MS_PNG_TEXT_RAW_EXIF},
  {RAW_PROFILE "xmp", MS_PNG_TEXT_RAW_XMP},
  {"XML:com.adobe.xmp", MS_PNG_TEXT_XMP},
};

/*
 * Goes on to the next chunk, whose content and checksum are not looked at. FALSE
 * behind IEND, at the end of the file and, with the error in @file, where it cannot be read.
 */
static gboolean
next_chunk(Chunk *self, MsImageFile *file)
{
  guint64 next = self->at + self->size + CHECKSUM_SIZE;
  guint8 header[HEADER_SIZE];

  if (strcmp(self->type, "IEND") == 0 || ms_image_file_read_at(file, next, header, sizeof header) != HEADER_SIZE)
    return FALSE;
  memcpy(&self->size, header, sizeof self->size);
  memcpy(self->type, header + sizeof self->size, sizeof self->type - 1);
  self->size = GUINT32_FROM_BE(self->size);
  self->at = next + HEADER_SIZE;
  return TRUE;
}

/* The first chunk of pixels, whose header is what libpng has read last when the header of the file is read. */
static gboolean
first_pixels(Chunk *self, MsImageFile *file)
{
  *self = (Chunk){.at = file->at - file->block_size - HEADER_SIZE - CHECKSUM_SIZE};
  return next_chunk(self, file);
}

/* What a chunk holds, by its name or, of a text, its keyword; @data: its content, or the first MOST_KEYWORD bytes. */
static MsPngTextKind
text_kind(const char *type, const guint8 *data, gsize size)
{
  if (memcmp(type, "eXIf", 4) == 0)
    return MS_PNG_TEXT_EXIF;
  if (memcmp(type, "tEXt", 4) != 0 && memcmp(type, "zTXt", 4) != 0 && memcmp(type, "iTXt", 4) != 0)
    return MS_PNG_TEXT_OTHER;
  for (gsize i = 0; i < G_N_ELEMENTS(keywords); i++) {
    gsize length = strlen(keywords[i].keyword) + 1;
    if (size >= length && memcmp(data, keywords[i].keyword, length) == 0)
      return keywords[i].kind;
  }
  return MS_PNG_TEXT_OTHER;
}

/* Inflates a zlib stream; %NULL where it is damaged or has more than @most bytes. */
static GByteArray *
inflate_text(const guint8 *data, gsize size, gsize most)
{
  g_autoptr(GByteArray) text = g_byte_array_new();
  z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)size};
  int status = inflateInit(&z);

  while (status == Z_OK && text->len <= most) {
    guint old = text->len;
    g_byte_array_set_size(text, old + STEP);
    z.next_out = text->data + old;
    z.avail_out = STEP;
    status = inflate(&z, Z_NO_FLUSH);
    g_byte_array_set_size(text, old + STEP - z.avail_out);
  }
  inflateEnd(&z);
  return status == Z_STREAM_END && text->len <= most ? g_steal_pointer(&text) : NULL;
}

/* Passes over a text that ends with a NUL byte; %FALSE where the chunk ends before. */
static gboolean
skip_string(const guint8 **data, gsize *size)
{
  const guint8 *end = memchr(*data, '\0', *size);
  gsize length = end ? (gsize)(end - *data) + 1 : *size;

  *data += length;
  *size -= length;
  return end != NULL;
}

/* The text of a chunk without its keyword, inflated; %NULL where the chunk is damaged. */
static GByteArray *
get_text(const char *type, const guint8 *data, gsize size, gsize most)
{
  gboolean is_compressed = memcmp(type, "zTXt", 4) == 0;

  if (!skip_string(&data, &size))
    return NULL;
  if (memcmp(type, "iTXt", 4) == 0) {
    is_compressed = size > 0 && data[0] != 0;
    if (size < 2 || (data += 2, size -= 2, !skip_string(&data, &size)) || !skip_string(&data, &size))
      return NULL;
  } else if (is_compressed) {
    if (size < 1)
      return NULL;
    data++;
    size--;
  }
  if (is_compressed)
    return inflate_text(data, size, most);
  return size <= most ? g_byte_array_append(g_byte_array_new(), data, (guint)size) : NULL;
}

/* Reads the digits that follow an empty line, the profile's name and its length; between them are ends of lines. */
static GBytes *
read_digits(const GByteArray *text)
{
  g_autoptr(GByteArray) block = g_byte_array_sized_new(text->len / 2);
  guint at = 0;
  int high = -1;

  for (guint lines = 0; at < text->len && lines < LINES_BEFORE_DIGITS; at++)
    lines += text->data[at] == '\n';
  for (; at < text->len; at++) {
    int digit = g_ascii_xdigit_value((char)text->data[at]);
    if (digit < 0)
      continue;
    guint8 byte = (guint8)(high * 16 + digit);
    if (high >= 0)
      g_byte_array_append(block, &byte, 1);
    high = high < 0 ? digit : -1;
  }
  return g_byte_array_free_to_bytes(g_steal_pointer(&block));
}

/**
 * ms_png_text_read:
 * @type: the name of a chunk whose kind is not #MS_PNG_TEXT_OTHER
 * @data: its content
 * @most_bytes: a larger text is left out
 *
 * Returns: (transfer full) (nullable): the EXIF block without a prefix, or the XMP packet; %NULL where it is damaged
 */
GBytes *
ms_png_text_read(const char *type, const guint8 *data, gsize size, gsize most_bytes)
{
  MsPngTextKind kind = text_kind(type, data, size);
  if (kind == MS_PNG_TEXT_EXIF)
    return size > 0 && size <= most_bytes ? g_bytes_new(data, size) : NULL;

  GByteArray *text = get_text(type, data, size, most_bytes);
  if (!text)
    return NULL;
  if (kind == MS_PNG_TEXT_XMP)
    return g_byte_array_free_to_bytes(text);
  g_autoptr(GBytes) block = read_digits(text);
  g_byte_array_unref(text);
  return ms_exif_without_prefix(block);
}

/** ms_png_reader_keep_text: keeps the EXIF block or XMP packet that a chunk holds, if it is the first of its kind. */
void
ms_png_reader_keep_text(MsPngReader *self, const char *type, const guint8 *data, gsize size)
{
  MsPngTextKind kind = text_kind(type, data, size);

  if (kind != MS_PNG_TEXT_OTHER && !self->texts[kind])
    self->texts[kind] = ms_png_text_read(type, data, size, self->file->limits.max_metadata);
}

static gboolean
is_pixels(const Chunk *chunk)
{
  return strcmp(chunk->type, "IDAT") == 0;
}

/**
 * ms_png_reader_find_late_text: whether EXIF data or XMP follow the first pixels, which may say that the image is not
 * upright; %FALSE with the error in the file.
 */
gboolean
ms_png_reader_find_late_text(MsPngReader *self, gboolean *found)
{
  guint8 start[MOST_KEYWORD];
  Chunk chunk;

  *found = FALSE;
  for (gboolean more = first_pixels(&chunk, self->file); more && !*found; more = next_chunk(&chunk, self->file)) {
    gsize size = is_pixels(&chunk) ? 0 : MIN(chunk.size, sizeof start);
    gssize got = ms_image_file_read_at(self->file, chunk.at, start, size);
    *found = got >= 0 && text_kind(chunk.type, start, (gsize)got) != MS_PNG_TEXT_OTHER;
  }
  return self->file->error == NULL;
}

/*
 * Larger images are inflated row by row, since inflating a whole one cannot be cancelled and reports no progress.
 * Filtered bytes with and without a receiver of progress.
 */
#define MOST_FOLLOWED_SIZE (G_GUINT64_CONSTANT(64) << 20)
#define MOST_SIZE (G_GUINT64_CONSTANT(2) << 30)

/*
 * The filtered rows, each preceded by the number of its filter, end where the pixels end, so that no row of pixels
 * overwrites filtered rows that are still to be read.
 */
typedef struct {
  guint8 *pixels;
  guint8 *next; /* filtered row */
  guint8 *row;  /* copies, which stay in the processor's cache */
  guint8 *above;
  gsize width;
  gsize height;
  guint samples;
} Whole;

static gsize
get_stride(const Whole *self)
{
  return 1 + self->width * self->samples;
}

/*
 * FALSE for what libpng has to convert: palettes, other depths than 8 bits, interlaced files, a colour that counts as
 * transparent; and where damage is accepted, since libpng reads on behind a wrong checksum.
 */
static gboolean
read_header(Whole *self, MsPngReader *reader)
{
  guint64 most = reader->file->rows ? MOST_FOLLOWED_SIZE : MOST_SIZE;

  self->width = png_get_image_width(reader->png, reader->info);
  self->height = png_get_image_height(reader->png, reader->info);
  self->samples = png_get_channels(reader->png, reader->info);
  return png_get_bit_depth(reader->png, reader->info) == 8 &&
         png_get_color_type(reader->png, reader->info) != PNG_COLOR_TYPE_PALETTE &&
         png_get_interlace_type(reader->png, reader->info) == PNG_INTERLACE_NONE &&
         png_get_valid(reader->png, reader->info, PNG_INFO_tRNS) == 0 && self->height <= most / get_stride(self) &&
         !reader->file->scratch && !reader->file->limits.accept_damaged;
}

/* Reads the content of a chunk; @data has room for its checksum too. FALSE where that is wrong. */
static gboolean
read_content(MsImageFile *file, const Chunk *chunk, guint8 *data)
{
  gsize size = (gsize)chunk->size + CHECKSUM_SIZE;
  guint32 checksum;

  if (ms_image_file_read_at(file, chunk->at, data, size) != (gssize)size)
    return FALSE;
  memcpy(&checksum, data + chunk->size, sizeof checksum);
  return crc32_z(crc32_z(0, (const Bytef *)chunk->type, 4), data, chunk->size) == GUINT32_FROM_BE(checksum);
}

/* Whether a file may have the chunk behind its pixels; libpng says why it may not. */
static gboolean
may_follow(const Chunk *chunk)
{
  const char *type = chunk->type;
  gboolean is_ancillary =
    g_ascii_islower(type[0]) && g_ascii_isalpha(type[1]) && g_ascii_isalpha(type[2]) && g_ascii_isalpha(type[3]);

  return is_ancillary || strcmp(type, "IEND") == 0;
}

static gboolean
read_late_chunk(MsPngReader *reader, const Chunk *chunk)
{
  if (!may_follow(chunk) || chunk->size > reader->file->limits.max_metadata)
    return FALSE;
  g_autofree guint8 *data = g_try_malloc((gsize)chunk->size + CHECKSUM_SIZE);
  if (!data || !read_content(reader->file, chunk, data))
    return FALSE;
  ms_png_reader_keep_text(reader, chunk->type, data, chunk->size);
  return TRUE;
}

/*
 * Reads the chunks that libpng has not read yet, and appends those with pixels to @data, which has room for @most bytes
 * and a checksum. FALSE where anything about them is unusual.
 */
static gboolean
read_chunks(MsPngReader *reader, guint8 *data, gsize most, gsize *size)
{
  MsImageFile *file = reader->file;
  Chunk chunk;
  gboolean more = first_pixels(&chunk, file);

  for (; more && is_pixels(&chunk); more = next_chunk(&chunk, file)) {
    if (chunk.size > most - *size || !read_content(file, &chunk, data + *size))
      return FALSE;
    *size += chunk.size;
  }
  for (; more; more = next_chunk(&chunk, file))
    if (!read_late_chunk(reader, &chunk))
      return FALSE;
  return strcmp(chunk.type, "IEND") == 0;
}

static gboolean
has_valid_filters(const Whole *self)
{
  for (gsize y = 0; y < self->height; y++)
    if (self->next[y * get_stride(self)] > 4)
      return FALSE;
  return TRUE;
}

/* Allocates the pixels, or the filtered rows where those of RGBA are larger. */
static gboolean
alloc_pixels(Whole *self)
{
  gsize row = MAX(get_stride(self), self->width * 4);
  gsize filtered = self->height * get_stride(self);

  self->pixels = ms_image_try_alloc_pixels((row * self->height + 3) / 4, 1);
  self->row = g_try_malloc(get_stride(self) + MS_PNG_UNFILTER_SLACK);
  self->above = g_try_malloc0(get_stride(self) + MS_PNG_UNFILTER_SLACK);
  if (!self->pixels || !self->row || !self->above)
    return FALSE;
  self->next = self->pixels + row * self->height - filtered;
  return TRUE;
}

static gboolean
inflate_rows(Whole *self, MsPngReader *reader)
{
  gsize filtered = self->height * get_stride(self), size = 0;
  /* Deflate stores incompressible data as blocks, each with a few bytes of header. */
  gsize most = MIN(reader->file->size, filtered + filtered / 256 + 1024);
  g_autofree guint8 *data = ms_image_try_alloc_pixels((most + CHECKSUM_SIZE) / 4 + 1, 1);

  return data && alloc_pixels(self) && read_chunks(reader, data, most, &size) &&
         ms_png_inflate(data, size, self->next, filtered) && has_valid_filters(self);
}

/* Makes the RGBA pixels of row @y, which is next. */
static void
unfilter_row(Whole *self, gsize y)
{
  guint8 *done = self->row;

  memcpy(self->row, self->next, get_stride(self));
  ms_png_unfilter_row(self->row, self->above + 1, self->samples, self->width);
  ms_png_expand_row(self->row + 1, self->samples, self->width, self->pixels + y * self->width * 4);
  self->next += get_stride(self);
  self->row = self->above;
  self->above = done;
}

static void
unfilter_rows(Whole *self, MsPngReader *reader)
{
  for (gsize y = 0; y < self->height; y++) {
    if (ms_image_file_is_cancelled(reader->file))
      return;
    unfilter_row(self, y);
    ms_image_file_report_rows(reader->file, y + 1, self->height);
  }
  reader->pixels = g_steal_pointer(&self->pixels);
}

/**
 * ms_png_reader_read_whole:
 * @reader: with the header read; gets the pixels and the texts behind them, or an error where reading is cancelled
 *
 * Reads all that follows the header, beside libpng's stream, which does not advance.
 *
 * Returns: FALSE where libpng has to read the pixels: of a file that is large, damaged, unusual, or not of 8 bits a
 *   sample in rows from top to bottom, and into a temporary file
 */
gboolean
ms_png_reader_read_whole(MsPngReader *reader)
{
  Whole self = {0};
  gboolean is_inflated = read_header(&self, reader) && inflate_rows(&self, reader);

  if (is_inflated)
    unfilter_rows(&self, reader);
  g_free(self.pixels);
  g_free(self.row);
  g_free(self.above);
  return is_inflated;
}
