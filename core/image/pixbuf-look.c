/* SPDX-License-Identifier: MIT */
#include "core/image/pixbuf-look.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/image/codec.h"

/* Most parts of a container that are looked at. */
#define MOST_PARTS 10000

static guint32
le16(const guint8 *p)
{
  return p[0] | (guint32)p[1] << 8;
}

static guint32
le32(const guint8 *p)
{
  return le16(p) | le16(p + 2) << 16;
}

static guint32
be32(const guint8 *p)
{
  return GUINT32_SWAP_LE_BE(le32(p));
}

/* Whether the file has these bytes. */
static gboolean
get(MsImageFile *file, guint64 at, guint8 *bytes, gsize size)
{
  return ms_image_file_read_at(file, at, bytes, size) == (gssize)size;
}

static gboolean
is_png(MsImageFile *file, guint64 at)
{
  guint8 start[8];

  return get(file, at, start, sizeof start) && memcmp(start, "\x89PNG\r\n\x1a\n", sizeof start) == 0;
}

/*
 * (transfer full) (nullable): @head, and behind it @size bytes of the file, or all from @at on where it has fewer;
 * %NULL where these are none.
 */
static GBytes *
cut_out(MsImageFile *file, GByteArray *head, guint64 at, guint64 size)
{
  g_autoptr(GByteArray) bytes = head;
  const guint length = bytes->len;
  const guint64 n = MIN(size, file->size - MIN(at, file->size));

  if (n == 0 || n > G_MAXUINT - length)
    return NULL;
  g_byte_array_set_size(bytes, length + (guint)n);
  return get(file, at, bytes->data + length, n) ? g_byte_array_free_to_bytes(g_steal_pointer(&bytes)) : NULL;
}

/* A code has 12 bits and stands for at most 4094 pixels. */
static void
look_gif(MsImageFile *file, MsPixbufLook *look)
{
  guint8 head[10];

  if (!get(file, 0, head, sizeof head))
    return;
  look->width = le16(head + 6);
  look->height = le16(head + 8);
  look->most_per_byte = 4096;
}

/* gdk-pixbuf ignores the first index of a palette and bits of transparency, and swaps colours of 16-bit palettes. */
static gboolean
reads_tga(const guint8 *head)
{
  const guint kind = head[2] & ~8u, bits = head[16], attributes = head[17] & 15;

  if (head[17] & 0xc0)
    return FALSE;
  if (kind == 1)
    return head[1] == 1 && bits == 8 && le16(head + 3) == 0 && (head[7] == 24 || head[7] == 32);
  if (kind == 2)
    return head[1] == 0 && (bits == 24 || bits == 32 || (bits == 16 && attributes == 0));
  return head[1] == 0 && bits == 8;
}

/* A run is of up to 128 pixels, and takes two bytes or more. */
static void
look_tga(MsImageFile *file, MsPixbufLook *look)
{
  guint8 head[18];

  if (!get(file, 0, head, sizeof head))
    return;
  look->width = le16(head + 12);
  look->height = le16(head + 14);
  look->most_per_byte = head[2] & 8 ? 64 : 1;
  if (!reads_tga(head))
    look->refused = N_(
      "gdk-pixbuf does not read such a palette, so many bits a pixel or transparency of one bit, or reads it wrongly");
}

/* Of a BMP file: the header before the header, the shortest and the longest one, and where parts of these are. */
#define BMP_START 14
#define BMP_CORE 12
#define BMP_LONGEST 124
#define BMP_USED 46
#define BMP_MASKS 54
#define BMP_EMBEDDED 0x4d424544

/*
 * @compression: 0 for none, 1 and 2 for runs of 8 and 4 bits, 3 for masks of the channels
 * @colours_at: where the palette begins, of up to @most colours of @entry bytes
 * @row: bytes of a row with its padding, and @rest: of the file from the pixels on
 */
typedef struct {
  guint8 head[BMP_START + BMP_LONGEST];
  guint32 size;
  gint64 height;
  guint bits;
  guint32 compression;
  guint32 colours_at;
  guint32 entry;
  guint32 most;
  guint32 used;
  guint32 pixels_at;
  guint64 row;
  guint64 rest;
} Bmp;

static gboolean
read_bmp(MsImageFile *file, MsPixbufLook *look, Bmp *self)
{
  *self = (Bmp){.head = ""};
  if (ms_image_file_read_at(file, 0, self->head, sizeof self->head) < 0)
    return FALSE;
  const guint8 *head = self->head;
  const gboolean is_core = (self->size = le32(head + BMP_START)) == BMP_CORE;
  look->width = is_core ? le16(head + 18) : le32(head + 18);
  self->height = is_core ? (gint32)le16(head + 20) : (gint32)le32(head + 22);
  look->height = (guint64)ABS(self->height);
  self->bits = le16(head + (is_core ? 24 : 28));
  self->compression = is_core ? 0 : le32(head + 30);
  self->colours_at = BMP_START + self->size + (self->compression == 3 && self->size == 40 ? 12 : 0);
  self->entry = is_core ? 3 : 4;
  self->most = self->bits <= 8 ? 1u << self->bits : 0;
  self->used = is_core || le32(head + BMP_USED) == 0 ? self->most : le32(head + BMP_USED);
  self->pixels_at = le32(head + 10);
  self->row = (look->width * self->bits + 31) / 32 * 4;
  self->rest = file->size - MIN(self->pixels_at, file->size);
  return (look->width > 0 && look->width <= G_MAXINT32 && look->height > 0 && look->height <= G_MAXINT32 &&
          self->pixels_at >= self->colours_at) ||
         ms_codec_fail_damaged(file, N_("its header is not valid"));
}

/* The module takes masks of less than four bits, or with gaps, for others. */
static gboolean
reads_mask(guint32 mask)
{
  const guint32 ones = mask ? mask >> g_bit_nth_lsf(mask, -1) : 0;

  return ones >= 15 && (ones & (ones + 1)) == 0;
}

static gboolean
reads_bmp(const Bmp *self)
{
  const guint8 *masks = self->head + BMP_MASKS;
  const guint32 alpha = self->size >= 56 ? le32(masks + 12) : 0;
  const gboolean is_wide = self->bits == 16 || self->bits == 32;

  switch (self->compression) {
  case 0:
    return is_wide || self->bits == 1 || self->bits == 4 || self->bits == 8 || self->bits == 24;
  case 1:
  case 2:
    return self->bits == 8 / self->compression && self->height > 0;
  case 3:
    return is_wide && reads_mask(le32(masks)) && reads_mask(le32(masks + 4)) && reads_mask(le32(masks + 8)) &&
           (alpha == 0 || (self->bits == 32 && reads_mask(alpha)));
  default:
    return FALSE;
  }
}

/*
 * (transfer full): the file with as many colours as indices can name and the pixels right behind them, without which
 * the module takes other bytes for pixels; what is missing of @n bytes of these is 0.
 */
static GBytes *
set_bmp_in_order(MsImageFile *file, const Bmp *self, guint n)
{
  GByteArray *bytes = g_byte_array_append(g_byte_array_new(), self->head, self->colours_at);
  const guint32 colours = MIN(self->used, self->most) * self->entry, at = self->colours_at + self->most * self->entry;
  const guint32 place = GUINT32_TO_LE(at);

  memcpy(bytes->data + 10, &place, sizeof place);
  if (self->size > BMP_CORE)
    memset(bytes->data + BMP_USED, 0, 4);
  g_byte_array_set_size(bytes, at + n);
  memset(bytes->data + self->colours_at, 0, bytes->len - self->colours_at);
  ms_image_file_read_at(file, self->colours_at, bytes->data + self->colours_at,
                        MIN(colours, self->pixels_at - self->colours_at));
  ms_image_file_read_at(file, self->pixels_at, bytes->data + at, n);
  return g_byte_array_free_to_bytes(bytes);
}

/* The colour profile to which the longest header points, which the module leaves out. */
static GBytes *
find_bmp_profile(MsImageFile *file, const Bmp *self)
{
  const guint8 *head = self->head;

  if (self->size < BMP_LONGEST || le32(head + 70) != BMP_EMBEDDED || le32(head + 130) > file->limits.max_metadata)
    return NULL;
  return cut_out(file, g_byte_array_new(), (guint64)BMP_START + le32(head + 126), le32(head + 130));
}

/* The module says nothing of pixels that are missing; of the row that is stored last the padding may be. */
static void
look_bmp(MsImageFile *file, MsPixbufLook *look)
{
  Bmp bmp;

  if (!read_bmp(file, look, &bmp))
    return;
  const gboolean has_runs = bmp.compression == 1 || bmp.compression == 2;
  const guint64 n = has_runs ? bmp.rest : bmp.row * look->height;
  const guint64 least = has_runs ? le32(bmp.head + 34) : n - (bmp.row - (look->width * bmp.bits + 7) / 8);
  look->most_per_byte = has_runs ? 128 : 8;
  if (!reads_bmp(&bmp))
    look->refused =
      N_("gdk-pixbuf does not read such masks, so many bits a pixel or such compression, or reads it wrongly");
  if (look->refused || !ms_image_file_check_size(file, look->width, look->height, least))
    return;
  if (bmp.rest < least && !ms_image_file_accepts(file, "the file ends before the image does")) {
    ms_codec_fail_damaged(file, N_("the file ends before the image does"));
    return;
  }
  if (n <= G_MAXINT32 &&
      (bmp.rest < n || bmp.used > bmp.most || bmp.pixels_at != bmp.colours_at + (guint64)bmp.used * bmp.entry))
    look->content = set_bmp_in_order(file, &bmp, (guint)n);
  for (int k = 0; bmp.compression == 3 && k < 4; k++)
    look->bits = MAX(look->bits, (guint)__builtin_popcount(le32(bmp.head + BMP_MASKS + 4 * k)));
  look->icc = find_bmp_profile(file, &bmp);
}

#define ICON_HEADER 6
#define ICON_ENTRY 16
#define BITMAP_HEADER 40

/* Two colours, which gdk-pixbuf takes for black and white. */
static gboolean
is_coloured_pair(const guint8 *bitmap)
{
  static const guint8 black_and_white[] = {0, 0, 0, 0, 255, 255, 255, 0};

  return le16(bitmap + 14) == 1 && memcmp(bitmap + BITMAP_HEADER, black_and_white, sizeof black_and_white) != 0;
}

/* The module takes the largest of several, so that it gets the first alone; a bitmap has as many rows for its mask. */
static void
look_ico(MsImageFile *file, MsPixbufLook *look)
{
  guint8 start[ICON_HEADER + ICON_ENTRY], bitmap[BITMAP_HEADER + 8];

  if (!get(file, 0, start, sizeof start))
    return;
  const guint64 at = le32(start + ICON_HEADER + 12), size = le32(start + ICON_HEADER + 8);
  look->n_images = MAX(le16(start + 4), 1);
  if (is_png(file, at)) {
    look->content = cut_out(file, g_byte_array_new(), at, size);
    look->is_png = TRUE;
    return;
  }
  if (!get(file, at, bitmap, sizeof bitmap))
    return;
  look->width = le32(bitmap + 4);
  look->height = (guint64)ABS((gint64)(gint32)le32(bitmap + 8)) / 2;
  look->most_per_byte = 8;
  if (le32(bitmap + 16) != 0)
    look->refused = N_("gdk-pixbuf does not read compressed icons");
  else if (is_coloured_pair(bitmap))
    look->refused = N_("gdk-pixbuf does not read icons of two colours other than black and white");
  if (look->n_images == 1 || look->refused)
    return;
  const guint8 one[] = {1, 0}, offset[] = {sizeof start, 0, 0, 0};
  memcpy(start + 4, one, sizeof one);
  memcpy(start + ICON_HEADER + 12, offset, sizeof offset);
  look->content = cut_out(file, g_byte_array_append(g_byte_array_new(), start, sizeof start), at, G_MAXUINT32);
}

/* A part of a container: its kind, and where its content is. */
typedef struct {
  char kind[5];
  guint64 at;
  guint64 size;
} Part;

/*
 * Goes to the part that begins at *@at, before @end, and moves *@at behind it. It begins with its size and kind; a size
 * of 1 stands before one of 64 bits, 0 for the rest of the file.
 */
static gboolean
next_part(MsImageFile *file, guint64 *at, guint64 end, Part *part)
{
  guint8 head[16];
  const guint64 start = *at;

  if (start + 8 > end || !get(file, start, head, 8))
    return FALSE;
  memcpy(part->kind, head + 4, 4);
  part->at = start + 8;
  guint64 size = be32(head);
  if (size == 1 && get(file, start, head, 16)) {
    size = (guint64)be32(head + 8) << 32 | be32(head + 12);
    part->at = start + 16;
  } else if (size == 0) {
    size = end - start;
  }
  part->size = size - (part->at - start);
  *at = start + size;
  return size >= part->at - start && size <= G_MAXINT64;
}

/* The next part of a kind among others. */
static gboolean
find_part(MsImageFile *file, guint64 *at, guint64 end, const char *kind, Part *part)
{
  for (guint n = 0; n < MOST_PARTS && next_part(file, at, end, part); n++)
    if (memcmp(part->kind, kind, 4) == 0)
      return TRUE;
  return FALSE;
}

/* The sizes of all pictures and parts of pictures, of which the largest is the claim, and their bits a sample. */
static void
look_sizes(MsImageFile *file, MsPixbufLook *look, guint64 at, guint64 end)
{
  guint8 sides[12], bits[6];
  Part part;

  for (guint n = 0; n < MOST_PARTS && next_part(file, &at, end, &part); n++)
    if (memcmp(part.kind, "pixi", 4) == 0 && get(file, part.at, bits, sizeof bits) && bits[4] > 0) {
      look->bits = MAX(look->bits, bits[5]);
    } else if (memcmp(part.kind, "ispe", 4) == 0 && get(file, part.at, sides, sizeof sides) &&
               (guint64)be32(sides + 4) * be32(sides + 8) > look->width * look->height) {
      look->width = be32(sides + 4);
      look->height = be32(sides + 8);
    }
}

/* The size of a picture that is put together from tiles: two bytes, columns, rows, and sides of 16 or 32 bits. */
static void
look_grid(MsImageFile *file, MsPixbufLook *look, const Part *data)
{
  guint8 grid[12] = {0};

  if ((data->size != 8 && data->size != 12) || !get(file, data->at, grid, data->size) || grid[0] != 0)
    return;
  const guint64 width = data->size == 12 ? be32(grid + 4) : (guint64)grid[4] << 8 | grid[5],
                height = data->size == 12 ? be32(grid + 8) : (guint64)grid[6] << 8 | grid[7];
  if (width * height > look->width * look->height) {
    look->width = width;
    look->height = height;
  }
}

/* What belongs to another picture, as preview or transparency of it or as one of its tiles. */
static void
note_references(MsImageFile *file, const Part *references, GHashTable *belong)
{
  guint64 at = references->at + 4, end = references->at + references->size;
  guint8 version = 0, ids[8];
  Part part;

  get(file, references->at, &version, 1);
  const gsize size = version == 0 ? 2 : 4;
  for (guint n = 0; n < MOST_PARTS && next_part(file, &at, end, &part); n++) {
    const gboolean is_tiles = memcmp(part.kind, "dimg", 4) == 0;
    const guint64 first = part.at + (is_tiles ? size + 2 : 0), last = is_tiles ? part.at + part.size : part.at + size;
    if (!is_tiles && memcmp(part.kind, "thmb", 4) != 0 && memcmp(part.kind, "auxl", 4) != 0)
      continue;
    for (guint64 id = first; id + size <= last && g_hash_table_size(belong) < MOST_PARTS; id += size)
      if (get(file, id, ids, size))
        g_hash_table_add(belong, GUINT_TO_POINTER(size == 2 ? (guint)ids[0] << 8 | ids[1] : be32(ids)));
  }
}

static gboolean
is_picture(const guint8 *kind)
{
  static const char kinds[] = "hvc1av01gridiovliden";

  for (const char *k = kinds; *k; k += 4)
    if (memcmp(k, kind, 4) == 0)
      return TRUE;
  return FALSE;
}

/* How many of the items in a list are pictures that are not hidden and belong to no other; and whether one is EXIF. */
static guint
count_pictures(MsImageFile *file, MsPixbufLook *look, const Part *items, GHashTable *belong)
{
  guint8 version = 0, entry[14];
  guint count = 0;
  Part part;

  get(file, items->at, &version, 1);
  guint64 at = items->at + 4 + (version == 0 ? 2 : 4);
  for (guint n = 0; n < MOST_PARTS && next_part(file, &at, items->at + items->size, &part); n++) {
    if (!get(file, part.at, entry, 12) || entry[0] < 2)
      continue;
    const gboolean is_wide = entry[0] > 2, is_hidden = entry[3] & 1;
    const guint id = is_wide ? be32(entry + 4) : (guint)entry[4] << 8 | entry[5];
    if (is_wide && !get(file, part.at, entry, 14))
      continue;
    const guint8 *kind = entry + (is_wide ? 10 : 8);
    look->has_exif |= memcmp(kind, "Exif", 4) == 0;
    count += is_picture(kind) && !is_hidden && !g_hash_table_contains(belong, GUINT_TO_POINTER(id));
  }
  return count;
}

/* The boxes in `meta`, behind four bytes: the lists of items, `idat`, and `iprp` with `ipco` in it. */
static void
look_boxes(MsImageFile *file, MsPixbufLook *look)
{
  g_autoptr(GHashTable) belong = g_hash_table_new(NULL, NULL);
  guint64 at = 0, in_properties;
  Part meta, part, container, items = {"", 0, 0};

  if (!find_part(file, &at, file->size, "meta", &meta))
    return;
  at = meta.at + 4;
  for (guint n = 0; n < MOST_PARTS && next_part(file, &at, meta.at + meta.size, &part); n++) {
    in_properties = part.at;
    if (memcmp(part.kind, "iprp", 4) == 0 && find_part(file, &in_properties, part.at + part.size, "ipco", &container))
      look_sizes(file, look, container.at, container.at + container.size);
    else if (memcmp(part.kind, "idat", 4) == 0)
      look_grid(file, look, &part);
    else if (memcmp(part.kind, "iref", 4) == 0)
      note_references(file, &part, belong);
    else if (memcmp(part.kind, "iinf", 4) == 0)
      items = part;
  }
  look->n_images = MAX(1, items.size > 0 ? count_pictures(file, look, &items, belong) : 1);
}

/* A block of 64 x 64 pixels takes at least a bit that is not compressed further. */
static void
look_heic(MsImageFile *file, MsPixbufLook *look)
{
  guint8 brand[4];

  look_boxes(file, look);
  look->most_per_byte = 64 * 64 * 8;
  if (get(file, 8, brand, sizeof brand) && (memcmp(brand, "msf1", 4) == 0 || memcmp(brand, "hev", 3) == 0))
    look->n_images = 0;
}

/*
 * The module reads no file whose first brand is that of an animation, but the still picture that begins it. Plain
 * blocks of 128 x 128 pixels take some hundredths of a bit.
 */
static void
look_avif(MsImageFile *file, MsPixbufLook *look)
{
  guint8 brand[4];

  look_boxes(file, look);
  look->most_per_byte = 1 << 20;
  if (!get(file, 8, brand, sizeof brand) || memcmp(brand, "avis", 4) != 0)
    return;
  look->n_images = 0;
  g_autoptr(GBytes) whole = cut_out(file, g_byte_array_new(), 0, file->size);
  GByteArray *bytes = whole ? g_bytes_unref_to_array(g_steal_pointer(&whole)) : NULL;
  if (!bytes)
    return;
  memcpy(bytes->data + 8, "avif", 4);
  look->content = g_byte_array_free_to_bytes(bytes);
}

/* Each group of at most 1024 x 1024 pixels has an entry of 12 bits in a table; the size is known only to the module. */
static void
look_jxl(MsImageFile *file, MsPixbufLook *look)
{
  guint64 at = 0;
  Part exif;

  look->most_per_byte = 1 << 20;
  look->has_exif = find_part(file, &at, file->size, "Exif", &exif);
}

static const struct {
  MsImageFormat format;
  void (*look)(MsImageFile *file, MsPixbufLook *look);
} looks[] = {
  {MS_IMAGE_FORMAT_GIF, look_gif},   {MS_IMAGE_FORMAT_BMP, look_bmp}, {MS_IMAGE_FORMAT_HEIC, look_heic},
  {MS_IMAGE_FORMAT_AVIF, look_avif}, {MS_IMAGE_FORMAT_ICO, look_ico}, {MS_IMAGE_FORMAT_TGA, look_tga},
  {MS_IMAGE_FORMAT_JXL, look_jxl},
};

/**
 * ms_pixbuf_look:
 * @look: (out): its content is to be freed
 *
 * Returns: %FALSE with the error in @file where the file cannot be read, holds fewer pixels than it claims or too many,
 *   or is of a kind that the module does not read
 */
gboolean
ms_pixbuf_look(MsImageFile *file, MsPixbufLook *look)
{
  *look = (MsPixbufLook){.bits = 8, .n_images = 1};
  for (gsize i = 0; i < G_N_ELEMENTS(looks); i++)
    if (looks[i].format == file->codec->format)
      looks[i].look(file, look);
  if (!file->error && look->is_png && !look->content)
    return ms_codec_fail_damaged(file, N_("the file ends before the image does"));
  if (!file->error && look->refused)
    return ms_codec_fail_kind(file, look->refused);
  const guint64 width = MIN(look->width, G_MAXUINT32), height = MIN(look->height, G_MAXUINT32);
  return !file->error && ms_image_file_check_size(file, width, height,
                                                  look->most_per_byte > 0 ? width * height / look->most_per_byte : 0);
}
