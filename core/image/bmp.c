/* SPDX-License-Identifier: MIT */
/*
 * BMP by Microsoft's description of BITMAPFILEHEADER, BITMAPCOREHEADER, BITMAPINFOHEADER and BITMAPV5HEADER. Rows end
 * at multiples of four bytes, and the last row comes first unless the height is negative.
 */
#include "core/image/bmp.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"

#define FILE_HEADER 14
#define CORE_HEADER 12
#define INFO_HEADER 40
#define V3_HEADER 56
#define V5_HEADER 124
#define MOST_COLOURS 256
#define N_MASKS 4

/* Values of "compression": runs of equal indices, and pixels that are not compressed. */
#define PLAIN 0
#define RUNS_OF_8 1
#define RUNS_OF_4 2
#define MASKED 3
#define MASKED_WITH_ALPHA 6

/* Least bytes of runs: a longer one than this is rare, so a header that promises more is false. */
#define PIXELS_PER_BYTE 128

/* Kinds of colour space of a V5 header: "MBED" and "sRGB". */
#define SPACE_EMBEDDED 0x4d424544
#define SPACE_SRGB 0x73524742
#define INTENT_PERCEPTUAL 4

/* @mask: the bits of a channel in a pixel; 0 where it has none */
typedef struct {
  guint32 mask;
  guint shift;
  guint32 largest;
} Channel;

/*
 * @header_size: of what follows the file header
 * @pixels_at: offset of the first stored row, of @row_bytes with its padding
 * @colours: RGB, of @n_colours indices
 * @indices: (nullable): of all pixels, where the file has runs of them; the last row comes first
 */
typedef struct {
  MsImageFile *file;
  guint8 header[V5_HEADER];
  guint header_size;
  int width;
  int height;
  gboolean is_top_down;
  guint bits;
  guint compression;
  guint64 pixels_at;
  guint64 row_bytes;
  guint8 colours[MOST_COLOURS][3];
  guint n_colours;
  Channel channels[N_MASKS];
  guint8 *stored;
  guint8 *indices;
  int y;
} BmpReader;

static guint32
get_u16(const guint8 *p)
{
  return p[0] | (guint32)p[1] << 8;
}

static guint32
get_u32(const guint8 *p)
{
  return get_u16(p) | get_u16(p + 2) << 16;
}

/* Bytes of a stored row, which ends at a multiple of four. */
static guint64
padded_row_bytes(guint64 width, guint bits)
{
  return (width * bits + 31) / 32 * 4;
}

/* ---- The header. */

static gboolean
read_sides(BmpReader *self)
{
  const gboolean is_core = self->header_size == CORE_HEADER;
  const guint32 width = is_core ? get_u16(self->header + 4) : get_u32(self->header + 4);
  const guint32 height = is_core ? get_u16(self->header + 6) : get_u32(self->header + 8);

  self->is_top_down = !is_core && height > G_MAXINT32;
  const guint32 rows = self->is_top_down ? 0 - height : height;
  if (width < 1 || width > G_MAXINT32 || rows < 1 || rows > G_MAXINT32)
    return ms_codec_fail_damaged(self->file, N_("its size is not valid"));
  self->width = (int)width;
  self->height = (int)rows;
  self->bits = is_core ? get_u16(self->header + 10) : get_u16(self->header + 14);
  self->compression = is_core ? PLAIN : get_u32(self->header + 16);
  self->row_bytes = padded_row_bytes(width, self->bits);
  return TRUE;
}

static gboolean
has_runs(const BmpReader *self)
{
  return self->compression == RUNS_OF_8 || self->compression == RUNS_OF_4;
}

static gboolean
check_kind(BmpReader *self)
{
  const guint bits_of_runs = self->compression == RUNS_OF_8 ? 8 : 4;
  const gboolean is_masked = self->compression == MASKED || self->compression == MASKED_WITH_ALPHA;
  const gboolean is_indexed = self->bits == 1 || self->bits == 2 || self->bits == 4 || self->bits == 8;
  const gboolean is_direct = self->bits == 16 || self->bits == 32;

  if ((self->compression == PLAIN && (is_indexed || is_direct || self->bits == 24)) || (is_masked && is_direct) ||
      (has_runs(self) && self->bits == bits_of_runs && !self->is_top_down))
    return TRUE;
  ms_set_error(&self->file->error, MS_ERROR_FORMAT,
               "'%s' is of a kind of BMP that cannot be read (%u bits a pixel, compression %u); convert it to PNG.",
               self->file->name, self->bits, self->compression);
  return FALSE;
}

static gboolean
set_channel(BmpReader *self, Channel *channel, guint32 mask)
{
  const guint shift = mask ? (guint)g_bit_nth_lsf(mask, -1) : 0;

  *channel = (Channel){mask, shift, mask >> shift};
  return (channel->largest & (channel->largest + 1)) == 0 ||
         ms_codec_fail_damaged(self->file, N_("the masks of its colours are not valid"));
}

/* The bits of red, green, blue and alpha; @after: the header, where a short one has its masks. */
static gboolean
read_channels(BmpReader *self, guint64 after)
{
  static const guint32 plain[2][N_MASKS] = {{0x7c00, 0x3e0, 0x1f, 0}, {0xff0000, 0xff00, 0xff, 0}};
  guint32 masks[N_MASKS] = {0};
  const guint n = self->compression == MASKED_WITH_ALPHA || self->header_size >= V3_HEADER ? 4 : 3;
  guint8 bytes[N_MASKS * 4] = {0};

  memcpy(masks, plain[self->bits == 32], sizeof masks);
  if (self->compression != PLAIN) {
    if (self->header_size > INFO_HEADER)
      memcpy(bytes, self->header + INFO_HEADER, n * 4);
    else if (!ms_codec_read_whole(self->file, after, bytes, n * 4))
      return FALSE;
    for (guint k = 0; k < N_MASKS; k++)
      masks[k] = get_u32(bytes + k * 4);
  }
  for (guint k = 0; k < N_MASKS; k++)
    if (!set_channel(self, &self->channels[k], masks[k]))
      return FALSE;
  return TRUE;
}

/* Entries that the pixels begin in are not colours. */
static gboolean
read_colours(BmpReader *self, guint64 at)
{
  const guint entry = self->header_size == CORE_HEADER ? 3 : 4, most = 1u << self->bits;
  const guint32 used = self->header_size == CORE_HEADER ? 0 : get_u32(self->header + 32);
  const guint64 room = self->pixels_at > at ? (self->pixels_at - at) / entry : 0;
  guint8 bytes[MOST_COLOURS * 4];

  self->n_colours = (guint)MIN(used > 0 && used < most ? used : most, room);
  if (!ms_codec_read_whole(self->file, at, bytes, (gsize)self->n_colours * entry))
    return FALSE;
  for (guint i = 0; i < self->n_colours; i++)
    for (guint k = 0; k < 3; k++)
      self->colours[i][k] = bytes[i * entry + 2 - k];
  return TRUE;
}

static gboolean
read_header(BmpReader *self)
{
  guint8 start[FILE_HEADER + 4];

  if (!ms_codec_read_whole(self->file, 0, start, sizeof start))
    return FALSE;
  self->pixels_at = get_u32(start + 10);
  self->header_size = get_u32(start + FILE_HEADER);
  if ((self->header_size < INFO_HEADER && self->header_size != CORE_HEADER) || self->header_size > V5_HEADER)
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  if (!ms_codec_read_whole(self->file, FILE_HEADER, self->header, self->header_size) || !read_sides(self) ||
      !check_kind(self))
    return FALSE;
  const guint64 at = FILE_HEADER + self->header_size;
  if (self->pixels_at < at)
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  const guint64 least = has_runs(self) ? (guint64)self->width * (guint64)self->height / PIXELS_PER_BYTE
                                       : self->row_bytes * (guint64)self->height;
  if (!ms_image_file_check_size(self->file, (guint64)self->width, (guint64)self->height, least))
    return FALSE;
  return self->bits <= 8 ? read_colours(self, at) : read_channels(self, at);
}

/** ms_bmp_open: reads the header, and the colours of indices. */
void
ms_bmp_open(MsImageFile *file)
{
  BmpReader *self = file->decoder = g_new0(BmpReader, 1);
  guint bits = 8;

  self->file = file;
  if (!read_header(self))
    return;
  for (guint k = 0; k < N_MASKS; k++)
    bits = MAX(bits, (guint)g_bit_storage(self->channels[k].largest));
  ms_image_file_set_header(file, self->width, self->height, 1, (int)bits);
}

void
ms_bmp_close(MsImageFile *file)
{
  BmpReader *self = file->decoder;

  g_free(self->stored);
  g_free(self->indices);
  g_free(self);
}

/* (transfer full) (nullable): the profile that a V5 header points to */
static GBytes *
read_profile(BmpReader *self)
{
  if (self->header_size < V5_HEADER || get_u32(self->header + 56) != SPACE_EMBEDDED)
    return NULL;
  const guint32 at = get_u32(self->header + 112), size = get_u32(self->header + 116);
  if (size == 0 || size > self->file->limits.max_metadata)
    return NULL;
  g_autofree guint8 *content = g_try_malloc(size);
  if (!content || ms_image_file_read_at(self->file, (guint64)FILE_HEADER + at, content, size) != (gssize)size)
    return NULL;
  return g_bytes_new_take(g_steal_pointer(&content), size);
}

static guint32
resolution(const BmpReader *self, guint offset)
{
  const guint32 value = self->header_size >= INFO_HEADER ? get_u32(self->header + offset) : 0;

  return value <= G_MAXINT32 ? value : 0;
}

static MsMetadata *
read_metadata(BmpReader *self)
{
  g_autoptr(GBytes) icc = read_profile(self);

  return ms_metadata_new(icc, NULL, resolution(self, 24), resolution(self, 28));
}

/* ---- Rows. */

static gboolean
convert_indices(BmpReader *self, guint8 *row)
{
  const guint per_byte = 8 / self->bits, last = (1u << self->bits) - 1;
  gboolean sound = TRUE;

  for (guint x = 0; x < (guint)self->width; x++, row += 4) {
    const guint shift = (per_byte - 1 - x % per_byte) * self->bits;
    const guint index = self->stored[x / per_byte] >> shift & last;
    sound &= index < self->n_colours;
    memcpy(row, self->colours[index], 3);
    row[3] = 255;
  }
  return sound;
}

static void
convert_plain(const BmpReader *self, guint8 *row)
{
  const guint8 *p = self->stored;

  for (int x = 0; x < self->width; x++, p += 3, row += 4) {
    row[0] = p[2];
    row[1] = p[1];
    row[2] = p[0];
    row[3] = 255;
  }
}

static void
convert_masked(const BmpReader *self, guint8 *row)
{
  const guint8 *p = self->stored;

  for (int x = 0; x < self->width; x++, p += self->bits / 8, row += 4) {
    const guint32 pixel = self->bits == 16 ? get_u16(p) : get_u32(p);
    for (guint k = 0; k < N_MASKS; k++) {
      const Channel *channel = &self->channels[k];
      const guint64 value = (pixel & channel->mask) >> channel->shift;
      row[k] = (guint8)((value * 255 + channel->largest / 2) / MAX(channel->largest, 1));
    }
    if (self->channels[3].mask == 0)
      row[3] = 255;
  }
}

static gboolean
convert(BmpReader *self, guint8 *row)
{
  if (self->bits <= 8)
    return convert_indices(self, row) ||
           ms_image_file_accepts(self->file, "a pixel has a colour that is not in its palette") ||
           ms_codec_fail_damaged(self->file, N_("a pixel has a colour that is not in its palette"));
  if (self->bits == 24)
    convert_plain(self, row);
  else
    convert_masked(self, row);
  return TRUE;
}

/* ---- Runs of indices. */

/* Where the next pixel goes; rows are counted as they are stored, and have the padding that runs may fill. */
typedef struct {
  BmpReader *file;
  gint64 x;
  gint64 y;
} Pen;

static gint64
padded_width(const BmpReader *self)
{
  return (gint64)(self->row_bytes * 8 / (self->compression == RUNS_OF_8 ? 8 : 4));
}

static gboolean
take(BmpReader *self, guint8 *bytes, gsize size)
{
  gsize got = 0;

  return ms_image_file_read(self->file, bytes, size, &got) &&
         (got == size || ms_codec_fail_damaged(self->file, N_("the file ends before the image does")));
}

/* Draws @n pixels from @bytes, of which one has two pixels of 4 bits; @is_run: from the first byte alone. */
static gboolean
draw(Pen *pen, const guint8 *bytes, guint n, gboolean is_run)
{
  BmpReader *self = pen->file;

  if (pen->y >= self->height || pen->x + n > padded_width(self))
    return ms_codec_fail_damaged(self->file, N_("its runs of pixels are not valid"));
  guint8 *to = self->indices + pen->y * padded_width(self) + pen->x;
  for (guint i = 0; i < n; i++) {
    const guint8 byte = bytes[is_run ? 0 : self->compression == RUNS_OF_8 ? i : i / 2];
    to[i] = self->compression == RUNS_OF_8 ? byte : i % 2 ? byte & 15 : byte >> 4;
  }
  pen->x += n;
  return TRUE;
}

/* Takes what follows the byte 0: pixels one by one, which end at an even byte, a move, or the end of a row. */
static gboolean
escape(Pen *pen, guint8 code)
{
  BmpReader *self = pen->file;
  const gsize n = self->compression == RUNS_OF_8 ? code : (code + 1u) / 2;
  guint8 bytes[256];

  if (code > 2)
    return take(self, bytes, n + n % 2) && draw(pen, bytes, code, FALSE);
  if (code == 2 && !take(self, bytes, 2))
    return FALSE;
  pen->x = code == 2 ? pen->x + bytes[0] : 0;
  pen->y += code == 2 ? bytes[1] : 1;
  return (pen->x <= padded_width(self) && pen->y <= self->height) ||
         ms_codec_fail_damaged(self->file, N_("its runs of pixels are not valid"));
}

static gboolean
draw_runs(Pen *pen)
{
  guint8 pair[2];

  while (take(pen->file, pair, sizeof pair)) {
    if (pair[0] == 0 && pair[1] == 1)
      return TRUE;
    if (!(pair[0] ? draw(pen, pair + 1, pair[0], TRUE) : escape(pen, pair[1])))
      return FALSE;
  }
  return FALSE;
}

/* Unpacks all pixels, after which the file is one of 8 bits; those that no run draws have index 0. */
static gboolean
unpack(BmpReader *self)
{
  Pen pen = {.file = self};
  guint8 byte;

  self->indices = g_try_malloc0((gsize)padded_width(self) * (gsize)self->height);
  self->file->row_memory = (guint64)padded_width(self) * (guint64)self->height;
  if (!self->indices)
    return ms_image_file_fail_memory(self->file);
  for (guint64 at = 0; at < self->pixels_at; at++)
    if (!take(self, &byte, 1))
      return FALSE;
  if (!draw_runs(&pen)) {
    const gboolean is_damage = g_error_matches(self->file->error, MS_ERROR, MS_ERROR_FORMAT) && pen.y > 0;
    if (!is_damage || !ms_image_file_accepts(self->file, "its runs of pixels are not valid"))
      return FALSE;
    g_clear_error(&self->file->error);
  }
  self->bits = 8;
  return TRUE;
}

/* ---- Reading. */

/* %FALSE for a file that ends before its first row does, of which nothing can be kept. */
static gboolean
prepare_bmp_rows(BmpReader *self)
{
  if (!self->stored)
    self->stored = g_malloc(MAX(self->row_bytes, (gsize)self->width));
  if (has_runs(self))
    return self->indices || unpack(self);
  return ms_codec_read_whole(self->file, self->pixels_at, self->stored, ((gsize)self->width * self->bits + 7) / 8);
}

/** ms_bmp_start_rows: prepares to read the rows in any order. */
gboolean
ms_bmp_start_rows(MsImageFile *file)
{
  BmpReader *self = file->decoder;
  g_autoptr(MsMetadata) metadata = read_metadata(self);

  file->has_alpha = self->channels[3].mask != 0;
  return prepare_bmp_rows(self) && ms_image_file_is_upright(file, metadata, 1);
}

/** ms_bmp_read_row: the padding of the row that is stored last may be missing. */
void
ms_bmp_read_row(MsImageFile *file, guint8 *row)
{
  BmpReader *self = file->decoder;
  const int y = self->y++, stored = self->is_top_down ? y : self->height - 1 - y;
  const gsize size = ((gsize)self->width * self->bits + 7) / 8;
  const guint64 at = self->pixels_at + self->row_bytes * (guint64)stored;
  gssize got = (gssize)size;

  if (self->indices)
    memcpy(self->stored, self->indices + stored * padded_width(self), size);
  else
    got = ms_image_file_read_at(file, at, self->stored, size);
  if (got == (gssize)size)
    convert(self, row);
  else if (got >= 0 && ms_image_file_accepts(file, "the file ends before the image does"))
    ms_image_file_blacken(row, (guint64)self->width);
  else if (got >= 0)
    ms_codec_fail_damaged(self->file, N_("the file ends before the image does"));
}

/* ---- Writing. */

static void
put_u16(GByteArray *bytes, guint32 value)
{
  const guint8 p[] = {(guint8)value, (guint8)(value >> 8)};

  g_byte_array_append(bytes, p, sizeof p);
}

static void
put_u32(GByteArray *bytes, guint32 value)
{
  put_u16(bytes, value & 0xffff);
  put_u16(bytes, value >> 16);
}

/*
 * @header_size: V5_HEADER for a picture with alpha or a profile, otherwise INFO_HEADER, which every program reads
 * @bits: of a pixel
 */
typedef struct {
  MsImage *image;
  guint header_size;
  guint bits;
  GBytes *icc;
  guint64 row_bytes;
  guint64 size;
} BmpLayout;

static BmpLayout
lay_out(MsImage *image)
{
  const MsMetadata *metadata = ms_image_get_metadata(image);
  const gboolean alpha = ms_image_has_transparency(image);
  BmpLayout self = {.image = image, .bits = alpha ? 32 : 24, .icc = metadata ? metadata->icc : NULL};

  self.header_size = alpha || self.icc ? V5_HEADER : INFO_HEADER;
  self.row_bytes = padded_row_bytes((guint64)ms_image_get_width(image), self.bits);
  self.size = FILE_HEADER + self.header_size + self.row_bytes * (guint64)ms_image_get_height(image);
  return self;
}

/* Appends what a V5 header has and BITMAPINFOHEADER lacks: masks, colour space and the place of the profile. */
static void
put_v5_fields(const BmpLayout *self, GByteArray *bytes)
{
  const gboolean alpha = self->bits == 32;

  put_u32(bytes, alpha ? 0xff0000 : 0);
  put_u32(bytes, alpha ? 0xff00 : 0);
  put_u32(bytes, alpha ? 0xff : 0);
  put_u32(bytes, alpha ? 0xff000000 : 0);
  put_u32(bytes, self->icc ? SPACE_EMBEDDED : SPACE_SRGB);
  for (int i = 0; i < 12; i++)
    put_u32(bytes, 0);
  put_u32(bytes, INTENT_PERCEPTUAL);
  put_u32(bytes, self->icc ? (guint32)(self->size - FILE_HEADER) : 0);
  put_u32(bytes, self->icc ? (guint32)g_bytes_get_size(self->icc) : 0);
  put_u32(bytes, 0);
}

static GByteArray *
make_header(const BmpLayout *self)
{
  const MsMetadata *metadata = ms_image_get_metadata(self->image);
  const guint64 total = self->size + (self->icc ? g_bytes_get_size(self->icc) : 0);
  GByteArray *bytes = g_byte_array_new();

  g_byte_array_append(bytes, (const guint8 *)"BM", 2);
  put_u32(bytes, (guint32)total);
  put_u32(bytes, 0);
  put_u32(bytes, FILE_HEADER + self->header_size);
  put_u32(bytes, self->header_size);
  put_u32(bytes, (guint32)ms_image_get_width(self->image));
  put_u32(bytes, (guint32)ms_image_get_height(self->image));
  put_u16(bytes, 1);
  put_u16(bytes, self->bits);
  put_u32(bytes, self->bits == 32 ? MASKED : PLAIN);
  put_u32(bytes, (guint32)(self->size - FILE_HEADER - self->header_size));
  put_u32(bytes, metadata ? metadata->x_pixels_per_metre : 0);
  put_u32(bytes, metadata ? metadata->y_pixels_per_metre : 0);
  put_u32(bytes, 0);
  put_u32(bytes, 0);
  if (self->header_size == V5_HEADER)
    put_v5_fields(self, bytes);
  return bytes;
}

static gboolean
write_rows(const BmpLayout *self, MsImageSink *sink, GError **error)
{
  const int width = ms_image_get_width(self->image);
  const guint bytes = self->bits / 8;
  g_autofree guint8 *row = g_malloc0(self->row_bytes);

  for (int y = ms_image_get_height(self->image) - 1; y >= 0; y--) {
    const guint8 *from = ms_image_get_pixels(self->image) + (gsize)y * ms_image_get_stride(self->image);
    for (int x = 0; x < width; x++)
      for (guint k = 0; k < bytes; k++)
        row[(gsize)x * bytes + k] = from[(gsize)x * 4 + (k < 3 ? 2 - k : 3)];
    if (g_cancellable_set_error_if_cancelled(sink->cancellable, error) ||
        !sink->write(sink, row, self->row_bytes, error))
      return FALSE;
  }
  return TRUE;
}

/**
 * ms_bmp_write: writes 24 bits a pixel, or 32 where one is transparent, with a profile and the resolution.
 * @notes: (inout): what could not be stored is set
 *
 * Returns: FALSE with the error of the sink, %MS_ERROR_TOO_LARGE above 4 GiB, or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_bmp_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes, GError **error)
{
  const MsMetadata *metadata = ms_image_get_metadata(image);
  const BmpLayout layout = lay_out(image);

  notes->exif_dropped = metadata && metadata->exif;
  if (layout.size + (layout.icc ? g_bytes_get_size(layout.icc) : 0) > G_MAXUINT32) {
    ms_set_error(error, MS_ERROR_TOO_LARGE, "'%s' would have more than the 4 GiB of a BMP file; save it as PNG.",
                 sink->name);
    return FALSE;
  }
  g_autoptr(GByteArray) header = make_header(&layout);
  return sink->write(sink, header->data, header->len, error) && write_rows(&layout, sink, error) &&
         (!layout.icc || sink->write(sink, g_bytes_get_data(layout.icc, NULL), g_bytes_get_size(layout.icc), error));
}
