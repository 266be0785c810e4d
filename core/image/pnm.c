/* SPDX-License-Identifier: MIT */
/*
 * PNM and PAM as programs pass them through pipes, by the descriptions of Netpbm: P4 to P6 are PNM of bytes; P7 is PAM.
 * P1 to P3, whose samples are text, are refused. A sample goes from 0 to a largest value of the file, and is scaled to
 * 8 bits to the nearest.
 */
#include "core/image/pnm.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"

#define LARGEST_SAMPLE 65535
#define MOST_DEPTH 4
#define MOST_LINE 256
#define END_OF_FILE (-1)

/*
 * @kind: the digit of the signature
 * @depth: samples a pixel: grey, grey and alpha, RGB, or RGB and alpha
 * @largest: value of a sample
 * @samples: a row, 1 byte a sample or 2 with the high one first
 * @stored: a row as in the file, where it has bits
 * @levels: the 8 bits of each value of a sample
 * @y: the row that is next
 * @is_lost: whether no further row of a damaged file can be read
 */
typedef struct {
  MsImageFile *file;
  char kind;
  int width;
  int height;
  guint depth;
  guint largest;
  guint8 *samples;
  guint8 *stored;
  guint8 *levels;
  int y;
  gboolean is_lost;
} PnmReader;

/* ---- Bytes, numbers and the header. */

static int
next_byte(PnmReader *self)
{
  MsImageFile *file = self->file;

  if (file->block_size == 0 && (!ms_image_file_fill_block(file) || file->block_size == 0))
    return END_OF_FILE;
  file->block_size--;
  return *file->block++;
}

/* The byte that ends a comment is white space. */
static int
next_outside_comments(PnmReader *self)
{
  int c = next_byte(self);

  if (c != '#')
    return c;
  while (c != '\n' && c != '\r' && c != END_OF_FILE)
    c = next_byte(self);
  return c;
}

/* Takes a number and the white space or comment behind it; %FALSE with an error unless it is 1 to @most. */
static gboolean
read_number(PnmReader *self, guint most, guint *value)
{
  guint64 number = 0;
  int c;

  do
    c = next_outside_comments(self);
  while (c != END_OF_FILE && g_ascii_isspace(c));
  if (c == END_OF_FILE)
    return ms_codec_fail_damaged(self->file, N_("the file ends before the image does"));
  if (!g_ascii_isdigit(c))
    return ms_codec_fail_damaged(self->file, N_("a number is not valid"));
  for (; c != END_OF_FILE && g_ascii_isdigit(c) && number <= most; c = next_outside_comments(self))
    number = number * 10 + (guint64)(c - '0');
  if (number < 1 || number > most || (c != END_OF_FILE && !g_ascii_isspace(c)))
    return ms_codec_fail_damaged(self->file, N_("a number is not valid"));
  *value = (guint)number;
  return TRUE;
}

static gboolean
read_pnm_header(PnmReader *self)
{
  guint width, height;

  self->depth = self->kind == '6' ? 3 : 1;
  self->largest = 1;
  if (!read_number(self, G_MAXINT, &width) || !read_number(self, G_MAXINT, &height))
    return FALSE;
  self->width = (int)width;
  self->height = (int)height;
  return self->kind == '4' || read_number(self, LARGEST_SAMPLE, &self->largest);
}

/* Takes a line without white space at its ends. */
static gboolean
read_line(PnmReader *self, char line[MOST_LINE])
{
  int n = 0, c;

  while ((c = next_byte(self)) != '\n' && c != END_OF_FILE && n < MOST_LINE - 1)
    line[n++] = (char)c;
  line[n] = '\0';
  if (c != '\n' && line[0] != '#')
    return ms_codec_fail_damaged(self->file, c == END_OF_FILE ? N_("the file ends before the image does")
                                                              : N_("its header is not valid"));
  while (c != '\n' && c != END_OF_FILE)
    c = next_byte(self);
  g_strstrip(line);
  return TRUE;
}

static gboolean
take_field(PnmReader *self, const char *word, const char *value, char type[MOST_LINE])
{
  guint64 number = 0;

  if (strcmp(word, "TUPLTYPE") == 0) {
    g_strlcpy(type, value, MOST_LINE);
    return TRUE;
  }
  if (!g_ascii_string_to_unsigned(value, 10, 1, G_MAXINT, &number, NULL))
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  if (strcmp(word, "WIDTH") == 0)
    self->width = (int)number;
  else if (strcmp(word, "HEIGHT") == 0)
    self->height = (int)number;
  else if (strcmp(word, "DEPTH") == 0)
    self->depth = (guint)number;
  else if (strcmp(word, "MAXVAL") == 0 && number <= LARGEST_SAMPLE)
    self->largest = (guint)number;
  else
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  return TRUE;
}

/* Whether the samples of a tuple are colours that are known; a file without a type has them by their number. */
static gboolean
check_type(PnmReader *self, const char *type)
{
  static const char *const types[MOST_DEPTH][2] = {{"GRAYSCALE", "BLACKANDWHITE"},
                                                   {"GRAYSCALE_ALPHA", "BLACKANDWHITE_ALPHA"},
                                                   {"RGB", "RGB"},
                                                   {"RGB_ALPHA", "RGB_ALPHA"}};
  const gboolean known = self->depth <= MOST_DEPTH;

  if (known && (!*type || strcmp(type, types[self->depth - 1][0]) == 0 || strcmp(type, types[self->depth - 1][1]) == 0))
    return TRUE;
  g_autofree char *plain = g_str_to_ascii(type, "C");
  ms_set_error(&self->file->error, MS_ERROR_FORMAT,
               "'%s' is of a kind of PAM that cannot be read (%u samples of type '%s'); convert it to PNG.",
               self->file->name, self->depth, plain);
  return FALSE;
}

static gboolean
read_pam_header(PnmReader *self)
{
  char line[MOST_LINE], type[MOST_LINE] = "";

  while (TRUE) {
    if (!read_line(self, line))
      return FALSE;
    char *value = line + strcspn(line, " \t");
    if (strcmp(line, "ENDHDR") == 0)
      break;
    if (line[0] == '\0' || line[0] == '#')
      continue;
    if (*value)
      *value++ = '\0';
    if (!take_field(self, line, g_strstrip(value), type))
      return FALSE;
  }
  if (self->width == 0 || self->height == 0 || self->depth == 0 || self->largest == 0)
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  return check_type(self, type);
}

static guint
sample_bytes(const PnmReader *self)
{
  return self->largest > 255 ? 2 : 1;
}

static gsize
stored_row_bytes(const PnmReader *self)
{
  return self->kind == '4' ? ((gsize)self->width + 7) / 8 : (gsize)self->width * self->depth * sample_bytes(self);
}

static guint64
all_bytes(const PnmReader *self)
{
  return (guint64)stored_row_bytes(self) * (guint64)self->height;
}

/* Further images stand behind the last row. */
static gboolean
find_more_images(PnmReader *self)
{
  guint8 next[2];
  const gssize got =
    ms_image_file_read_at(self->file, self->file->at - self->file->block_size + all_bytes(self), next, sizeof next);

  self->file->header.has_more_images = got == 2 && next[0] == 'P' && next[1] >= '1' && next[1] <= '7';
  return got >= 0;
}

static gboolean
read_header(PnmReader *self)
{
  next_byte(self);
  self->kind = (char)next_byte(self);
  const int space = next_byte(self);

  if (space == END_OF_FILE || !g_ascii_isspace(space))
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  if (self->kind <= '3')
    return ms_codec_fail_kind(self->file, N_("its samples are text"));
  return (self->kind == '7' ? read_pam_header(self) : read_pnm_header(self)) &&
         ms_image_file_check_size(self->file, (guint64)self->width, (guint64)self->height, all_bytes(self)) &&
         find_more_images(self);
}

/** ms_pnm_open: reads the header; the row that is read next is the first. */
static void
ms_pnm_open(MsImageFile *file)
{
  PnmReader *self = file->decoder = g_new0(PnmReader, 1);

  self->file = file;
  if (read_header(self))
    ms_image_file_set_header(file, self->width, self->height, 1, (int)g_bit_storage(self->largest));
}

static void
ms_pnm_close(MsImageFile *file)
{
  PnmReader *self = file->decoder;

  g_free(self->samples);
  g_free(self->stored);
  g_free(self->levels);
  g_free(self);
}

/* ---- Rows. */

static gboolean
read_stored_row(PnmReader *self)
{
  const gsize size = stored_row_bytes(self);
  gsize got = 0;

  if (!ms_image_file_read(self->file, self->stored ? self->stored : self->samples, size, &got))
    return FALSE;
  if (got < size)
    return ms_codec_fail_damaged(self->file, N_("the file ends before the image does"));
  for (int x = 0; self->stored && x < self->width; x++)
    self->samples[x] = (self->stored[x / 8] >> (7 - x % 8) & 1) == 0;
  return TRUE;
}

static gboolean
check_samples(PnmReader *self)
{
  const gsize n = (gsize)self->width * self->depth;
  const guint8 *p = self->samples;
  gboolean sound = TRUE;

  if (self->largest == 255 || self->largest == LARGEST_SAMPLE)
    return TRUE;
  for (gsize i = 0; i < n; i++)
    sound &= (self->largest > 255 ? (guint)p[2 * i] << 8 | p[2 * i + 1] : p[i]) <= self->largest;
  return sound || ms_codec_fail_damaged(self->file, N_("a sample is larger than the header allows"));
}

static void
convert_row(const PnmReader *self, guint8 *row)
{
  const gboolean is_grey = self->depth <= 2, has_alpha = self->depth % 2 == 0, is_wide = self->largest > 255;
  const guint8 *p = self->samples;

  for (int x = 0; x < self->width; x++, row += 4) {
    guint8 values[MOST_DEPTH];
    for (guint k = 0; k < self->depth; k++, p += is_wide ? 2 : 1)
      values[k] = self->levels[is_wide ? p[0] << 8 | p[1] : p[0]];
    row[0] = values[0];
    row[1] = values[is_grey ? 0 : 1];
    row[2] = values[is_grey ? 0 : 2];
    row[3] = has_alpha ? values[self->depth - 1] : 255;
  }
}

/* Where damage is accepted, all that follows the last sound row stays black; there must be one sound row. */
static gboolean
accepts(PnmReader *self)
{
  g_autoptr(GError) reason = g_steal_pointer(&self->file->error);
  const gboolean is_damage = self->y > 0 && g_error_matches(reason, MS_ERROR, MS_ERROR_FORMAT);

  self->is_lost = is_damage && ms_image_file_accepts(self->file, "its pixels end early or are not valid");
  if (!self->is_lost)
    self->file->error = g_steal_pointer(&reason);
  return self->is_lost;
}

static void
prepare_pnm_rows(PnmReader *self)
{
  const guint n = self->largest > 255 ? LARGEST_SAMPLE + 1 : 256;

  if (self->levels)
    return;
  self->levels = g_malloc(n);
  for (guint i = 0; i < n; i++)
    self->levels[i] = (guint8)((MIN(i, self->largest) * 255 + self->largest / 2) / self->largest);
  self->samples = g_malloc((gsize)self->width * self->depth * sample_bytes(self));
  self->stored = self->kind == '4' ? g_malloc(stored_row_bytes(self)) : NULL;
}

/* Prepares to read the rows, which are always stored in order. */
static gboolean
start_pnm(MsImageFile *file, MsDecoding how)
{
  PnmReader *self = file->decoder;
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, 0, 0);

  file->has_alpha = self->depth % 2 == 0;
  prepare_pnm_rows(self);
  ms_image_file_set_stored(file, self->width, self->height, 1, metadata);
  return TRUE;
}

static void
read_row(PnmReader *self, guint8 *row)
{
  if (self->file->limits.accept_damaged)
    ms_image_file_blacken(row, (guint64)self->width);
  if (self->is_lost || ms_image_file_is_cancelled(self->file))
    return;
  if (!read_stored_row(self) || !check_samples(self)) {
    accepts(self);
    return;
  }
  convert_row(self, row);
  self->y++;
}

static void
read_pnm(MsImageFile *file, guint8 *into, int n)
{
  PnmReader *self = file->decoder;

  for (int i = 0; i < n && !file->error; i++) {
    read_row(self, into + (gsize)i * (gsize)self->width * 4);
    ms_image_file_report_rows(file, (guint64)self->y, (guint64)self->height);
  }
}

const MsImageDecoder ms_pnm_decoder = {TRUE, FALSE, ms_pnm_open, start_pnm, read_pnm, ms_pnm_close};

/* ---- Writing. */

/* Neither format holds any metadata. */
static gboolean
begin(MsImageWriter *self, const char *header)
{
  const MsMetadata *metadata = self->frame.metadata;

  self->encoder = g_malloc((gsize)self->frame.width * 4);
  self->notes.icc_dropped = metadata && metadata->icc;
  self->notes.exif_dropped = metadata && metadata->exif;
  return ms_image_writer_put(self, header, strlen(header));
}

/* A file of type P6. */
static gboolean
begin_ppm(MsImageWriter *self)
{
  g_autofree char *header = g_strdup_printf("P6\n%d %d\n255\n", self->frame.width, self->frame.height);

  self->notes.alpha_flattened = !self->frame.is_opaque;
  return begin(self, header);
}

/* A file of type P7, with alpha where a pixel is transparent. */
static gboolean
begin_pam(MsImageWriter *self)
{
  const gboolean alpha = !self->frame.is_opaque;
  g_autofree char *header =
    g_strdup_printf("P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n", self->frame.width,
                    self->frame.height, alpha ? 4 : 3, alpha ? "RGB_ALPHA" : "RGB");

  return begin(self, header);
}

static void
pack(const guint8 *from, guint8 *to, int width)
{
  for (int x = 0; x < width; x++, from += 4, to += 3)
    memmove(to, from, 3);
}

/* Pixels without alpha lie on white. */
static gboolean
write_rows(MsImageWriter *self, MsImage *rows)
{
  const gboolean alpha = !self->frame.is_opaque && !self->notes.alpha_flattened;
  const int width = self->frame.width, height = ms_image_get_height(rows);
  const guint8 *from = ms_image_get_pixels(rows);
  guint8 *row = self->encoder;
  gboolean good = TRUE;

  for (int y = 0; good && y < height; y++, from += (gsize)width * 4) {
    if (ms_image_writer_is_cancelled(self))
      return FALSE;
    if (self->notes.alpha_flattened)
      ms_image_lay_on_white(from, row, width);
    if (!alpha)
      pack(self->notes.alpha_flattened ? row : from, row, width);
    good = ms_image_writer_put(self, alpha ? from : row, (gsize)width * (alpha ? 4 : 3));
  }
  return good;
}

static void
free_row(MsImageWriter *self)
{
  g_free(self->encoder);
}

/* A row. */
static guint64
count_bytes(int width, int height, const MsSaveOptions *options)
{
  return (guint64)width * 4;
}

const MsImageEncoder ms_ppm_encoder = {begin_ppm, write_rows, NULL, free_row, count_bytes};
const MsImageEncoder ms_pam_encoder = {begin_pam, write_rows, NULL, free_row, count_bytes};
