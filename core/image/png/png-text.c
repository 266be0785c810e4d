/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-text.h"

#include <string.h>

#include <zlib.h>

/* Before PNG had a chunk for EXIF data, ImageMagick and others wrote it as text: a name, a length, digits. */
#define RAW_PROFILE "Raw profile type "

/* The block of a JPEG segment begins with this. */
#define EXIF_PREFIX "Exif\0"
#define EXIF_PREFIX_SIZE 6

#define LINES_BEFORE_DIGITS 3

#define STEP 65536

#define SIGNATURE_SIZE 8
#define HEADER_SIZE 8 /* the length and the name before the content of a chunk */
#define CHECKSUM_SIZE 4

static const struct {
  const char *keyword;
  MsPngTextKind kind;
} keywords[] = {
  {RAW_PROFILE "exif", MS_PNG_TEXT_RAW_EXIF},
  {RAW_PROFILE "APP1", MS_PNG_TEXT_RAW_EXIF},
  {RAW_PROFILE "xmp", MS_PNG_TEXT_RAW_XMP},
  {"XML:com.adobe.xmp", MS_PNG_TEXT_XMP},
};

/**
 * ms_png_chunk_next:
 *
 * Goes on to the next chunk, whose content and checksum are not looked at.
 *
 * Returns: FALSE behind IEND and at the end of the file, and with @error set where it cannot be read
 */
gboolean
ms_png_chunk_next(MsPngChunk *self, MsImageSource *source, GError **error)
{
  guint64 next = self->at > 0 ? self->at + self->size + CHECKSUM_SIZE : SIGNATURE_SIZE;
  guint8 header[HEADER_SIZE];

  if (strcmp(self->type, "IEND") == 0 ||
      ms_image_source_read_at(source, next, header, sizeof header, error) != HEADER_SIZE)
    return FALSE;
  memcpy(&self->size, header, sizeof self->size);
  memcpy(self->type, header + sizeof self->size, sizeof self->type - 1);
  self->size = GUINT32_FROM_BE(self->size);
  self->at = next + HEADER_SIZE;
  return TRUE;
}

/**
 * ms_png_text_kind:
 * @type: the name of the chunk
 * @data: its content, or the first #MS_PNG_TEXT_MOST_KEYWORD bytes
 *
 * Returns: what the chunk holds, by its name or, of a text, its keyword
 */
MsPngTextKind
ms_png_text_kind(const char *type, const guint8 *data, gsize size)
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

static GBytes *
without_prefix(GBytes *exif)
{
  gsize size = g_bytes_get_size(exif);

  if (size <= EXIF_PREFIX_SIZE || memcmp(g_bytes_get_data(exif, NULL), EXIF_PREFIX, EXIF_PREFIX_SIZE) != 0)
    return g_bytes_ref(exif);
  return g_bytes_new_from_bytes(exif, EXIF_PREFIX_SIZE, size - EXIF_PREFIX_SIZE);
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
  MsPngTextKind kind = ms_png_text_kind(type, data, size);
  if (kind == MS_PNG_TEXT_EXIF)
    return size > 0 && size <= most_bytes ? g_bytes_new(data, size) : NULL;

  GByteArray *text = get_text(type, data, size, most_bytes);
  if (!text)
    return NULL;
  if (kind == MS_PNG_TEXT_XMP)
    return g_byte_array_free_to_bytes(text);
  g_autoptr(GBytes) block = read_digits(text);
  g_byte_array_unref(text);
  return without_prefix(block);
}
