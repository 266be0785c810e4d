/* SPDX-License-Identifier: MIT */
/*
 * The chunks of a PNG file that are read beside libpng: texts that hold EXIF data or XMP, and pixels, which libdeflate
 * inflates as a whole.
 */
#include <string.h>

#include <libdeflate.h>
#include <zlib.h>

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
 * Filtered bytes with and without a receiver of progress; a chunk of the format has at most 2 GiB.
 */
#define MOST_FOLLOWED_SIZE (G_GUINT64_CONSTANT(64) << 20)
#define MOST_SIZE (G_GUINT64_CONSTANT(2000) << 20)

/* Of more bytes a pixel, the filtered rows and the compressed ones together take more than an image may in flight. */
#define MOST_BITS 32

/*
 * The bytes of filtered rows; 0 where they are read from the file row by row: libpng alone reads on behind a wrong
 * checksum, and the passes of an interlaced file report progress while it is read.
 */
static gsize
get_inflated_size(const MsPngReader *self)
{
  const MsImageFile *file = self->file;
  const guint64 width = png_get_image_width(self->png, self->info);
  const guint64 height = png_get_image_height(self->png, self->info);
  const guint bits = png_get_bit_depth(self->png, self->info) * png_get_channels(self->png, self->info);
  const guint64 size = height * (1 + (width * bits + 7) / 8);

  if (file->scratch || file->limits.accept_damaged || bits > MOST_BITS ||
      png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_NONE ||
      size > (file->rows ? MOST_FOLLOWED_SIZE : MOST_SIZE))
    return 0;
  return size;
}

/* Reads the content of a chunk; @data has room for its checksum too. FALSE where that is wrong. */
static gboolean
read_content(MsImageFile *file, const Chunk *chunk, guint8 *data)
{
  const gsize size = (gsize)chunk->size + CHECKSUM_SIZE;
  guint32 checksum;

  if (ms_image_file_read_at(file, chunk->at, data, size) != (gssize)size)
    return FALSE;
  memcpy(&checksum, data + chunk->size, sizeof checksum);
  checksum = GUINT32_FROM_BE(checksum);
  return libdeflate_crc32(libdeflate_crc32(0, chunk->type, 4), data, chunk->size) == checksum;
}

/* Reads all chunks of pixels into @data, which has room for @most bytes and a checksum. */
static gboolean
read_pixels(MsPngInflated *self, MsImageFile *file, guint8 *data, gsize most, gsize *size)
{
  Chunk chunk;
  gboolean more = first_pixels(&chunk, file);

  self->first_chunk = chunk.size;
  for (; more && is_pixels(&chunk); more = next_chunk(&chunk, file)) {
    if (chunk.size > most - *size || !read_content(file, &chunk, data + *size))
      return FALSE;
    *size += chunk.size;
    self->end = chunk.at + chunk.size + CHECKSUM_SIZE;
  }
  return *size > 0;
}

static gboolean
inflate_rows(MsPngInflated *self, MsImageFile *file)
{
  /* Deflate stores incompressible data as blocks, each with a few bytes of header. */
  const gsize most = MIN(file->size, self->size + self->size / 256 + 1024);
  g_autofree guint8 *data = ms_image_try_alloc_pixels((most + CHECKSUM_SIZE) / 4 + 1, 1);
  gsize size = 0;

  self->rows = data ? ms_image_try_alloc_pixels(self->size / 4 + 1, 1) : NULL;
  if (!self->rows || !read_pixels(self, file, data, most, &size))
    return FALSE;
  struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
  const gboolean good = decompressor && libdeflate_zlib_decompress(decompressor, data, size, self->rows, self->size,
                                                                   NULL) == LIBDEFLATE_SUCCESS;
  libdeflate_free_decompressor(decompressor);
  return good;
}

/* What libpng reads in place of the compressed pixels: a zlib stream (RFC 1950) of blocks that are not compressed. */
#define STREAM_HEADER_SIZE 2
#define BLOCK_HEADER_SIZE 5
#define BLOCK_SIZE 65535

static gsize
get_stream_size(const MsPngInflated *self)
{
  const gsize blocks = (self->size + BLOCK_SIZE - 1) / BLOCK_SIZE;

  return STREAM_HEADER_SIZE + self->size + blocks * BLOCK_HEADER_SIZE + CHECKSUM_SIZE;
}

static gsize
give(const guint8 **data, const guint8 *bytes, gsize size, gsize at)
{
  *data = bytes + at;
  return size - at;
}

/* Bytes of the stream from @at on; how many of them follow each other in memory. */
static gsize
get_stream_bytes(MsPngInflated *self, gsize at, const guint8 **data)
{
  static const guint8 stream_header[STREAM_HEADER_SIZE] = {0x78, 0x01};

  if (at < STREAM_HEADER_SIZE)
    return give(data, stream_header, sizeof stream_header, at);
  at -= STREAM_HEADER_SIZE;
  const gsize first = at / (BLOCK_HEADER_SIZE + BLOCK_SIZE) * BLOCK_SIZE, rest = at % (BLOCK_HEADER_SIZE + BLOCK_SIZE);
  const gsize n = MIN(BLOCK_SIZE, self->size - MIN(first, self->size));
  if (n == 0 || rest >= BLOCK_HEADER_SIZE + n) {
    const guint32 checksum = GUINT32_TO_BE(libdeflate_adler32(1, self->rows, self->size));
    memcpy(self->header, &checksum, sizeof checksum);
    return give(data, self->header, CHECKSUM_SIZE, n == 0 ? rest : rest - BLOCK_HEADER_SIZE - n);
  }
  if (rest >= BLOCK_HEADER_SIZE)
    return give(data, self->rows + first, n, rest - BLOCK_HEADER_SIZE);
  self->header[0] = first + n == self->size;
  self->header[1] = (guint8)n;
  self->header[2] = (guint8)(n >> 8);
  self->header[3] = (guint8)~n;
  self->header[4] = (guint8)(~n >> 8);
  return give(data, self->header, BLOCK_HEADER_SIZE, rest);
}

/*
 * The stream stands in two chunks, since libpng has read the header of the first already. Their checksums are those of
 * nothing, which libpng does not compare.
 */
static gsize
get_chunk_bytes(MsPngInflated *self, const guint8 **data)
{
  const gsize size = get_stream_size(self), between = CHECKSUM_SIZE + HEADER_SIZE;
  const guint32 second = GUINT32_TO_BE((guint32)(size - self->first_chunk));

  if (self->at < self->first_chunk)
    return MIN(get_stream_bytes(self, self->at, data), self->first_chunk - self->at);
  if (self->at >= size + between)
    return give(data, (const guint8 *)"\0\0\0\0", CHECKSUM_SIZE, self->at - size - between);
  if (self->at >= self->first_chunk + between)
    return get_stream_bytes(self, self->at - between, data);
  memset(self->header, 0, CHECKSUM_SIZE);
  memcpy(self->header + CHECKSUM_SIZE, &second, sizeof second);
  memcpy(self->header + CHECKSUM_SIZE + sizeof second, "IDAT", 4);
  return give(data, self->header, between, self->at - self->first_chunk);
}

/**
 * ms_png_reader_take_inflated: gives libpng @size bytes in place of those of the file, which follow once all rows are
 * read; %FALSE where these are read from the file.
 */
gboolean
ms_png_reader_take_inflated(MsPngReader *self, guint8 *buffer, gsize size)
{
  if (!self->inflated.rows)
    return FALSE;
  while (size > 0) {
    const guint8 *data;
    const gsize n = MIN(get_chunk_bytes(&self->inflated, &data), size);
    if (n == 0)
      png_error(self->png, "more pixels than inflated");
    memcpy(buffer, data, n);
    buffer += n;
    size -= n;
    self->inflated.at += n;
  }
  return TRUE;
}

/** ms_png_reader_end_inflated: goes on in the file behind the pixels, all of which libpng has taken. */
void
ms_png_reader_end_inflated(MsPngReader *self)
{
  if (!self->inflated.rows)
    return;
  png_set_crc_action(self->png, PNG_CRC_ERROR_QUIT, PNG_CRC_NO_CHANGE);
  self->file->at = self->inflated.end;
  self->file->block_size = 0;
  g_clear_pointer(&self->inflated.rows, g_free);
}

/**
 * ms_png_reader_inflate:
 * @self: with the header read
 *
 * Inflates all pixels at once, which takes a third of the time that libpng takes with zlib; libpng then reads them as
 * if they were stored without compression. Nothing is changed where the file is large, damaged or unusual, or an error
 * is left in it.
 *
 * Returns: whether the pixels are inflated
 */
gboolean
ms_png_reader_inflate(MsPngReader *self)
{
  MsPngInflated *inflated = &self->inflated;

  inflated->size = get_inflated_size(self);
  if (inflated->size == 0 || !inflate_rows(inflated, self->file) || inflated->first_chunk > get_stream_size(inflated)) {
    g_clear_pointer(&inflated->rows, g_free);
    return FALSE;
  }
  png_set_crc_action(self->png, PNG_CRC_QUIET_USE, PNG_CRC_NO_CHANGE);
/* Debian 13's libpng cannot be told to; the checksum is right, and only takes time. */
#ifdef PNG_IGNORE_ADLER32
  png_set_option(self->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
  return TRUE;
}
