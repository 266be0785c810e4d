/* SPDX-License-Identifier: MIT */
#include "core/image/metadata/metadata.h"

#include <math.h>
#include <string.h>

#include "core/image/metadata/orientation.h"

G_DEFINE_BOXED_TYPE(MsMetadata, ms_metadata, ms_metadata_ref, ms_metadata_unref)

/**
 * ms_metadata_new:
 * @icc: (nullable) (transfer none): raw ICC profile
 * @exif: (nullable) (transfer none): raw TIFF block of the EXIF data
 * @x_pixels_per_metre: 0 when unknown; both are, if one of them is
 * @y_pixels_per_metre: 0 when unknown
 *
 * Returns: (transfer full): a new record with one reference
 */
MsMetadata *
ms_metadata_new(GBytes *icc, GBytes *exif, guint32 x_pixels_per_metre, guint32 y_pixels_per_metre)
{
  MsMetadata *self = g_atomic_rc_box_new0(MsMetadata);

  self->icc = icc ? g_bytes_ref(icc) : NULL;
  self->exif = exif ? g_bytes_ref(exif) : NULL;
  if (x_pixels_per_metre > 0 && y_pixels_per_metre > 0) {
    self->x_pixels_per_metre = x_pixels_per_metre;
    self->y_pixels_per_metre = y_pixels_per_metre;
  }
  return self;
}

/** ms_pixels_per_metre: a resolution of @value pixels in a unit of which a metre has so many; 0 where it is absurd. */
guint32
ms_pixels_per_metre(double value, double units)
{
  const double result = rint(value * units);

  return result >= 1 && result <= G_MAXINT32 ? (guint32)result : 0;
}

/** ms_metadata_take_geo: @geo: (nullable) (transfer full): sets the place of a record that nobody else has yet. */
void
ms_metadata_take_geo(MsMetadata *self, MsGeo *geo)
{
  g_clear_pointer(&self->geo, ms_geo_unref);
  self->geo = geo;
}

MsMetadata *
ms_metadata_ref(MsMetadata *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
ms_metadata_clear(gpointer data)
{
  MsMetadata *self = data;

  g_clear_pointer(&self->icc, g_bytes_unref);
  g_clear_pointer(&self->exif, g_bytes_unref);
  g_clear_pointer(&self->geo, ms_geo_unref);
}

void
ms_metadata_unref(MsMetadata *self)
{
  g_atomic_rc_box_release_full(self, ms_metadata_clear);
}

/* ---- Colour profiles. */

#define ICC_HEADER 128
#define LEAST_ICC (ICC_HEADER + 4) /* with a table of no tags */
#define ICC_VERSION 8
#define UNALIGNED_ICC_VERSION 3
#define ICC_COLOUR_SPACE 16
#define ICC_SIGNATURE 36

/**
 * ms_icc_is_rgb:
 * @profile: a raw ICC profile (ICC.1, header of 128 bytes)
 *
 * Returns: whether it is a profile whose colour space is RGB
 */
gboolean
ms_icc_is_rgb(GBytes *profile)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(profile, &size);

  return size > ICC_HEADER && memcmp(data + ICC_COLOUR_SPACE, "RGB ", 4) == 0 &&
         memcmp(data + ICC_SIGNATURE, "acsp", 4) == 0;
}

/**
 * ms_icc_is_sound:
 *
 * Returns: whether @profile has the size that its header states, in whole words from the fourth version on
 */
gboolean
ms_icc_is_sound(GBytes *profile)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(profile, &size);
  guint32 stated;

  if (size < LEAST_ICC)
    return FALSE;
  memcpy(&stated, data, sizeof stated);
  return GUINT32_FROM_BE(stated) == size && (size % sizeof stated == 0 || data[ICC_VERSION] <= UNALIGNED_ICC_VERSION);
}

/*
 * ---- EXIF data.
 *
 * The block is patched in place rather than parsed and rewritten with libexif, because makers' notes hold offsets that
 * are valid only while nothing moves. Every access is checked against the size of the block.
 */

/* Files store the block behind this prefix, which JPEG needs and others need not have. */
#define EXIF_PREFIX "Exif\0"
#define EXIF_PREFIX_SIZE 6

#define ENTRY_SIZE 12

enum {
  TAG_IMAGE_WIDTH = 0x0100,
  TAG_IMAGE_LENGTH = 0x0101,
  TAG_ORIENTATION = 0x0112,
  TAG_X_RESOLUTION = 0x011a,
  TAG_Y_RESOLUTION = 0x011b,
  TAG_RESOLUTION_UNIT = 0x0128,
  TAG_EXIF_IFD = 0x8769,
  TAG_PIXEL_X_DIMENSION = 0xa002,
  TAG_PIXEL_Y_DIMENSION = 0xa003,
};

enum {
  TYPE_SHORT = 3,
  TYPE_LONG = 4,
  TYPE_RATIONAL = 5,
  TYPE_SIGNED_SHORT = 8,
  TYPE_SIGNED_LONG = 9,
};

/* The tag's default is inches (2). */
enum {
  UNIT_NONE = 1,
  UNIT_CENTIMETRE = 3,
};

typedef struct {
  guint8 *data;
  gsize size;
  gboolean big_endian;
} Tiff;

/* An offset of 0 means "none": it is the place of the byte-order mark, never of a directory or an entry. */
typedef gsize Offset;

static gboolean
in_bounds(const Tiff *self, Offset at, gsize n)
{
  return at <= self->size && n <= self->size - at;
}

static guint32
get_u16(const Tiff *self, Offset at)
{
  if (!in_bounds(self, at, 2))
    return 0;
  const guint8 *p = self->data + at;
  return self->big_endian ? (guint32)p[0] << 8 | p[1] : (guint32)p[1] << 8 | p[0];
}

static guint32
get_u32(const Tiff *self, Offset at)
{
  if (!in_bounds(self, at, 4))
    return 0;
  guint32 a = get_u16(self, at);
  guint32 b = get_u16(self, at + 2);
  return self->big_endian ? a << 16 | b : b << 16 | a;
}

static void
set_u16(Tiff *self, Offset at, guint16 value)
{
  if (!in_bounds(self, at, 2))
    return;
  self->data[at + (self->big_endian ? 1 : 0)] = value & 0xff;
  self->data[at + (self->big_endian ? 0 : 1)] = value >> 8;
}

static void
set_u32(Tiff *self, Offset at, guint32 value)
{
  set_u16(self, at, self->big_endian ? value >> 16 : value & 0xffff);
  set_u16(self, at + 2, self->big_endian ? value & 0xffff : value >> 16);
}

static gboolean
tiff_open(Tiff *self, guint8 *data, gsize size)
{
  if (size < 8 || (memcmp(data, "II*\0", 4) != 0 && memcmp(data, "MM\0*", 4) != 0))
    return FALSE;
  *self = (Tiff){data, size, data[0] == 'M'};
  return TRUE;
}

static Offset
first_directory(const Tiff *self)
{
  return get_u32(self, 4);
}

static guint
count_entries(const Tiff *self, Offset directory)
{
  guint n = directory == 0 ? 0 : get_u16(self, directory);

  return in_bounds(self, directory, 2 + (gsize)n * ENTRY_SIZE) ? n : 0;
}

static Offset
find_entry(const Tiff *self, Offset directory, guint tag)
{
  guint n = count_entries(self, directory);

  for (guint i = 0; i < n; i++) {
    Offset entry = directory + 2 + (gsize)i * ENTRY_SIZE;
    if (get_u16(self, entry) == tag)
      return entry;
  }
  return 0;
}

/* The value of an entry of whole numbers, which should be a SHORT or a LONG; 0 when there is none. */
static guint32
entry_integer(const Tiff *self, Offset entry)
{
  if (entry == 0 || get_u32(self, entry + 4) != 1)
    return 0;
  switch (get_u16(self, entry + 2)) {
  case TYPE_SHORT:
  case TYPE_SIGNED_SHORT:
    return get_u16(self, entry + 8);
  case TYPE_LONG:
  case TYPE_SIGNED_LONG:
    return get_u32(self, entry + 8);
  default:
    return 0;
  }
}

static double
entry_rational(const Tiff *self, Offset entry)
{
  if (entry == 0 || get_u16(self, entry + 2) != TYPE_RATIONAL || get_u32(self, entry + 4) != 1)
    return 0;
  Offset at = get_u32(self, entry + 8);
  guint32 denominator = get_u32(self, at + 4);
  return denominator == 0 ? 0 : (double)get_u32(self, at) / denominator;
}

static int
read_orientation(const Tiff *self)
{
  guint32 value = entry_integer(self, find_entry(self, first_directory(self), TAG_ORIENTATION));

  return value >= 1 && value <= 8 ? (int)value : 0;
}

static void
reset_orientation(Tiff *self)
{
  Offset directory = first_directory(self);
  guint n = count_entries(self, directory);

  for (guint i = 0; i < n; i++) {
    Offset entry = directory + 2 + (gsize)i * ENTRY_SIZE;
    if (get_u16(self, entry) != TAG_ORIENTATION)
      continue;
    set_u16(self, entry + 2, TYPE_SHORT);
    set_u32(self, entry + 4, 1);
    set_u16(self, entry + 8, 1);
    set_u16(self, entry + 10, 0);
  }
}

/* Removes the second directory, because its thumbnail shows the picture neither upright nor filtered. */
static void
unlink_thumbnail(Tiff *self)
{
  Offset directory = first_directory(self);
  Offset next = directory + 2 + (gsize)count_entries(self, directory) * ENTRY_SIZE;

  if (count_entries(self, directory) > 0 && in_bounds(self, next, 4))
    set_u32(self, next, 0);
}

static void
swap_entries(Tiff *self, Offset directory, guint tag_a, guint tag_b)
{
  Offset a = find_entry(self, directory, tag_a);
  Offset b = find_entry(self, directory, tag_b);
  guint8 swap[ENTRY_SIZE - 2];

  if (a == 0 || b == 0)
    return;
  memcpy(swap, self->data + a + 2, sizeof swap);
  memcpy(self->data + a + 2, self->data + b + 2, sizeof swap);
  memcpy(self->data + b + 2, swap, sizeof swap);
}

static void
swap_sides(Tiff *self)
{
  Offset directory = first_directory(self);
  Offset exif = entry_integer(self, find_entry(self, directory, TAG_EXIF_IFD));

  swap_entries(self, directory, TAG_IMAGE_WIDTH, TAG_IMAGE_LENGTH);
  swap_entries(self, directory, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
  swap_entries(self, exif, TAG_PIXEL_X_DIMENSION, TAG_PIXEL_Y_DIMENSION);
}

/**
 * ms_exif_make_upright:
 * @exif: a raw EXIF block, beginning with the TIFF header
 * @orientation: (out): the orientation of @exif, 1 when it has none
 *
 * Returns: (transfer full) (nullable): a copy for the upright picture: orientation 1, sides and resolutions swapped
 *   where the picture was turned by a quarter, no thumbnail; %NULL when @exif is no TIFF block
 */
GBytes *
ms_exif_make_upright(GBytes *exif, int *orientation)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(exif, &size);
  g_autofree guint8 *copy = g_memdup2(data, size);
  Tiff tiff;

  *orientation = 1;
  if (!tiff_open(&tiff, copy, size))
    return NULL;
  *orientation = MAX(1, read_orientation(&tiff));
  reset_orientation(&tiff);
  unlink_thumbnail(&tiff);
  if (ms_orientation_swaps_sides(*orientation))
    swap_sides(&tiff);
  return g_bytes_new_take(g_steal_pointer(&copy), size);
}

/** ms_exif_get_orientation: the orientation in a raw EXIF block, 0 when it has none or is damaged. */
int
ms_exif_get_orientation(GBytes *exif)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(exif, &size);
  Tiff tiff;

  /* The cast is safe, since nothing below this call writes. */
  return tiff_open(&tiff, (guint8 *)data, size) ? read_orientation(&tiff) : 0;
}

/**
 * ms_exif_get_resolution:
 * @exif: a raw EXIF block
 * @x_pixels_per_metre: (out): as stored, before any turning
 * @y_pixels_per_metre: (out): as stored, before any turning
 *
 * Returns: whether the block has both; otherwise both arguments are unchanged
 */
gboolean
ms_exif_get_resolution(GBytes *exif, guint32 *x_pixels_per_metre, guint32 *y_pixels_per_metre)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(exif, &size);
  Tiff tiff;

  if (!tiff_open(&tiff, (guint8 *)data, size))
    return FALSE;
  Offset directory = first_directory(&tiff);
  guint32 unit = entry_integer(&tiff, find_entry(&tiff, directory, TAG_RESOLUTION_UNIT));
  double units_per_metre = unit == UNIT_CENTIMETRE ? 100 : MS_INCHES_PER_METRE;
  guint32 x =
    ms_pixels_per_metre(entry_rational(&tiff, find_entry(&tiff, directory, TAG_X_RESOLUTION)), units_per_metre);
  guint32 y =
    ms_pixels_per_metre(entry_rational(&tiff, find_entry(&tiff, directory, TAG_Y_RESOLUTION)), units_per_metre);
  if (unit == UNIT_NONE || x == 0 || y == 0)
    return FALSE;
  *x_pixels_per_metre = x;
  *y_pixels_per_metre = y;
  return TRUE;
}

static void
set_entry(Tiff *self, Offset entry, guint tag, guint type, guint32 value)
{
  set_u16(self, entry, tag);
  set_u16(self, entry + 2, type);
  set_u32(self, entry + 4, 1);
  if (type == TYPE_SHORT)
    set_u16(self, entry + 8, value);
  else
    set_u32(self, entry + 8, value);
}

/**
 * ms_exif_new_resolution:
 *
 * Serves formats that store a resolution only in their EXIF block.
 *
 * Returns: (transfer full): an EXIF block with the resolution alone
 */
GBytes *
ms_exif_new_resolution(guint32 x_pixels_per_metre, guint32 y_pixels_per_metre)
{
  enum {
    DIRECTORY = 8,
    ENTRIES = 3,
    X = DIRECTORY + 2 + ENTRIES * ENTRY_SIZE + 4,
    Y = X + 8,
    SIZE = Y + 8,
  };
  guint8 *data = g_malloc0(SIZE);
  Tiff tiff = {data, SIZE, FALSE};

  memcpy(data, "II*\0", 4);
  set_u32(&tiff, 4, DIRECTORY);
  set_u16(&tiff, DIRECTORY, ENTRIES);
  set_entry(&tiff, DIRECTORY + 2, TAG_X_RESOLUTION, TYPE_RATIONAL, X);
  set_entry(&tiff, DIRECTORY + 2 + ENTRY_SIZE, TAG_Y_RESOLUTION, TYPE_RATIONAL, Y);
  set_entry(&tiff, DIRECTORY + 2 + 2 * ENTRY_SIZE, TAG_RESOLUTION_UNIT, TYPE_SHORT, UNIT_CENTIMETRE);
  set_u32(&tiff, X, x_pixels_per_metre);
  set_u32(&tiff, X + 4, 100);
  set_u32(&tiff, Y, y_pixels_per_metre);
  set_u32(&tiff, Y + 4, 100);
  return g_bytes_new_take(data, SIZE);
}

/** ms_exif_without_prefix: (transfer full): the block behind the prefix that some programs store with it. */
GBytes *
ms_exif_without_prefix(GBytes *exif)
{
  gsize size = g_bytes_get_size(exif);

  if (size <= EXIF_PREFIX_SIZE || memcmp(g_bytes_get_data(exif, NULL), EXIF_PREFIX, EXIF_PREFIX_SIZE) != 0)
    return g_bytes_ref(exif);
  return g_bytes_new_from_bytes(exif, EXIF_PREFIX_SIZE, size - EXIF_PREFIX_SIZE);
}

/* ---- XMP packets. */

/* The name of the property in every packet that is in use, either as an attribute or as an element. */
#define ORIENTATION "tiff:Orientation"

static int
parse_orientation(const char *text, gsize size)
{
  g_autofree char *copy = g_strndup(text, size);
  const char *value = g_strstrip(copy);

  return strlen(value) == 1 && value[0] >= '1' && value[0] <= '8' ? value[0] - '0' : 0;
}

static void
on_start(GMarkupParseContext *context, const char *element, const char **names, const char **values, gpointer data,
         GError **error)
{
  int *orientation = data;

  for (guint i = 0; names[i] && *orientation == 0; i++)
    if (g_str_equal(names[i], ORIENTATION))
      *orientation = parse_orientation(values[i], strlen(values[i]));
}

static void
on_text(GMarkupParseContext *context, const char *text, gsize size, gpointer data, GError **error)
{
  int *orientation = data;

  if (*orientation == 0 && g_str_equal(g_markup_parse_context_get_element(context), ORIENTATION))
    *orientation = parse_orientation(text, size);
}

/**
 * ms_xmp_get_orientation:
 * @packet: an XMP packet, as XML in UTF-8
 *
 * Returns: 1 to 8 as in EXIF; 0 where the packet states none or is damaged before it does
 */
int
ms_xmp_get_orientation(GBytes *packet)
{
  static const GMarkupParser parser = {.start_element = on_start, .text = on_text};
  int orientation = 0;
  gsize size;
  const char *text = g_bytes_get_data(packet, &size);
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&parser, 0, &orientation, NULL);

  /* Packets may be padded with blanks, and end with a NUL byte in some files. */
  if (size > 0)
    g_markup_parse_context_parse(context, text, (gssize)strnlen(text, size), NULL);
  return orientation;
}

/**
 * ms_metadata_find_orientation:
 * @exif: (nullable): a raw EXIF block
 * @xmp: (nullable): an XMP packet
 *
 * Returns: 1 to 8: the orientation that EXIF data state or, where they state none, XMP does; 1 where neither does
 */
int
ms_metadata_find_orientation(GBytes *exif, GBytes *xmp)
{
  int by_exif = exif ? ms_exif_get_orientation(exif) : 0;

  if (by_exif != 0)
    return by_exif;
  return MAX(1, xmp ? ms_xmp_get_orientation(xmp) : 0);
}
