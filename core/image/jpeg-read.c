/* SPDX-License-Identifier: MIT */
#include <glib/gi18n-lib.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "core/error.h"
#include "core/image/colour/colour.h"
#include "core/image/jpeg.h"

/*
 * Most bytes before the first scan: enough for the largest profile (16 MiB), and a limit for a file of endless headers.
 */
#define MOST_HEADER (G_GUINT64_CONSTANT(64) << 20)

/* The marker that libjpeg gets where a file lacks it and is accepted nevertheless. */
#define END_OF_IMAGE "\xff\xd9"

/* Of EXIF data and of XMP. */
#define EXIF_MARKER (JPEG_APP0 + 1)
#define ICC_MARKER (JPEG_APP0 + 2)
#define WHOLE_MARKER 0xffff
#define EXIF_PREFIX "Exif\0"
#define XMP_PREFIX "http://ns.adobe.com/xap/1.0/"

/* The size of a preview: each block of 8 x 8 samples becomes one pixel. */
#define PREVIEW_REDUCTION 8

/*
 * The state of one decoder, kept out of local variables so that nothing leaks when an error calls longjmp().
 * @header_bytes: bytes read so far, which are limited while @in_header
 * @row: where a reader by rows writes the next one
 */
typedef struct {
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr input;
  struct jpeg_progress_mgr progress;
  jmp_buf jump;
  MsImageFile *file;
  guint64 header_bytes;
  gboolean in_header;
  int orientation;
  MsMetadata *metadata;
  guint8 *into;
  int n;
  gboolean is_cmyk;
  MsColour *colour; /* (nullable): from the profile of a CMYK picture; %NULL to convert it by cmyk_to_rgba() */
} Reader;

static G_GNUC_NORETURN void
stop(Reader *self)
{
  longjmp(self->jump, 1);
}

static void
stop_if(Reader *self, gboolean failed)
{
  if (failed)
    stop(self);
}

static G_GNUC_NORETURN void
stop_damaged(Reader *self)
{
  char message[JMSG_LENGTH_MAX];

  self->errors.format_message((j_common_ptr)&self->cinfo, message);
  ms_codec_fail_damaged(self->file, message);
  stop(self);
}

static G_GNUC_NORETURN void
on_error(j_common_ptr cinfo)
{
  Reader *self = cinfo->client_data;
  const char *name = self->file->name;

  switch (self->errors.msg_code) {
  case JERR_OUT_OF_MEMORY:
    if (!self->file->error)
      ms_image_file_fail_memory(self->file);
    stop(self);
  case JERR_IMAGE_TOO_BIG:
    ms_set_error(&self->file->error, MS_ERROR_TOO_LARGE,
                 "'%s' is too large: a JPEG file can have %d pixels a side at most; scale it down.", name,
                 self->file->codec->most_side);
    stop(self);
  case JERR_SOF_UNSUPPORTED:
  case JERR_BAD_PRECISION:
  case JERR_CONVERSION_NOTIMPL:
    ms_set_error(&self->file->error, MS_ERROR_FORMAT,
                 "'%s' is of a rare kind of JPEG that cannot be read (lossless, 12 bits, or no known "
                 "colours); convert it to PNG.",
                 name);
    stop(self);
  default:
    stop_damaged(self);
  }
}

/*
 * Whether a warning means that pixels are missing or wrong. Harmless are extra bytes between segments, an unusual order
 * of scans, unknown versions, broken profiles, and a refining scan of a progressive file that ends early, which costs
 * only detail.
 */
static gboolean
is_damage(Reader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  switch (self->errors.msg_code) {
  case JWRN_HUFF_BAD_CODE:
  case JWRN_ARITH_BAD_CODE:
  case JWRN_MUST_RESYNC:
  case JWRN_JPEG_EOF:
    return TRUE;
  case JWRN_HIT_MARKER:
    return !cinfo->progressive_mode || (cinfo->Ss == 0 && cinfo->Ah == 0);
  default:
    return FALSE;
  }
}

static void
on_message(j_common_ptr cinfo, int level)
{
  Reader *self = cinfo->client_data;
  char message[JMSG_LENGTH_MAX];

  if (level >= 0 || !is_damage(self))
    return;
  self->errors.format_message(cinfo, message);
  if (self->in_header || !ms_image_file_accepts(self->file, message))
    stop_damaged(self);
}

static void
on_jpeg_progress(j_common_ptr cinfo)
{
  Reader *self = cinfo->client_data;

  stop_if(self, g_cancellable_set_error_if_cancelled(self->file->cancellable, &self->file->error));
  if (self->cinfo.input_scan_number <= (int)self->file->limits.max_scans)
    return;
  ms_set_error(&self->file->error, MS_ERROR_TOO_LARGE,
               "'%s' has more than %u scans, far more than any picture needs; save it again with another program.",
               self->file->name, self->file->limits.max_scans);
  stop(self);
}

static void
on_input_start(j_decompress_ptr cinfo)
{
}

/* Whether some of the image has been decoded, or the first scan of several. */
static gboolean
has_rows(Reader *self)
{
  return !self->in_header && (self->cinfo.input_iMCU_row > 0 || self->cinfo.input_scan_number > 1);
}

static boolean
on_input_fill(j_decompress_ptr cinfo)
{
  Reader *self = cinfo->client_data;
  MsImageFile *file = self->file;

  stop_if(self, !ms_image_file_fill_block(file));
  self->input.next_input_byte = file->block;
  self->input.bytes_in_buffer = file->block_size;
  if (file->block_size == 0 && has_rows(self) && ms_image_file_accepts(file, "the file ends before the picture does")) {
    self->input.next_input_byte = (const JOCTET *)END_OF_IMAGE;
    self->input.bytes_in_buffer = sizeof END_OF_IMAGE - 1;
  }
  if (self->input.bytes_in_buffer == 0) {
    ms_image_file_fail_short(file);
    stop(self);
  }
  self->header_bytes += file->block_size;
  file->block_size = 0;
  if (self->in_header && self->header_bytes > MOST_HEADER) {
    ms_set_error(&file->error, MS_ERROR_TOO_LARGE,
                 "'%s' has more than 64 MiB before its pixels; save it again without that metadata.", file->name);
    stop(self);
  }
  return TRUE;
}

static void
on_input_skip(j_decompress_ptr cinfo, long n)
{
  Reader *self = cinfo->client_data;

  while (n > (long)self->input.bytes_in_buffer) {
    n -= (long)self->input.bytes_in_buffer;
    on_input_fill(cinfo);
  }
  if (n > 0) {
    self->input.next_input_byte += n;
    self->input.bytes_in_buffer -= n;
  }
}

static void
on_input_end(j_decompress_ptr cinfo)
{
}

/* The content of the first segment that begins with this prefix and its NUL byte. */
static GBytes *
find_segment(Reader *self, const char *prefix, gsize compared, gsize size)
{
  for (jpeg_saved_marker_ptr m = self->cinfo.marker_list; m; m = m->next)
    if (m->marker == EXIF_MARKER && m->data_length > size && memcmp(m->data, prefix, compared) == 0)
      return g_bytes_new(m->data + size, m->data_length - size);
  return NULL;
}

static GBytes *
get_icc(Reader *self)
{
  JOCTET *data = NULL;
  unsigned int size = 0;

  if (!jpeg_read_icc_profile(&self->cinfo, &data, &size))
    return NULL;
  GBytes *icc = size <= self->file->limits.max_metadata ? g_bytes_new(data, size) : NULL;
  free(data);
  return icc;
}

/* Orientation, profile and resolution, from the segments that were kept while the header was read. */
static void
read_metadata(Reader *self)
{
  const struct jpeg_decompress_struct *cinfo = &self->cinfo;
  const double units = !cinfo->saw_JFIF_marker    ? 0
                       : cinfo->density_unit == 1 ? MS_INCHES_PER_METRE
                       : cinfo->density_unit == 2 ? 100
                                                  : 0;
  /* Some programs store another byte than NUL at the end of the prefix. */
  g_autoptr(GBytes) exif = find_segment(self, EXIF_PREFIX, sizeof EXIF_PREFIX - 1, sizeof EXIF_PREFIX);
  g_autoptr(GBytes) xmp = find_segment(self, XMP_PREFIX, sizeof XMP_PREFIX, sizeof XMP_PREFIX);
  g_autoptr(GBytes) icc = get_icc(self);

  self->metadata = ms_metadata_new(icc, exif, ms_pixels_per_metre(cinfo->X_density, units),
                                   ms_pixels_per_metre(cinfo->Y_density, units));
  self->orientation = ms_metadata_find_orientation(exif, xmp);
}

/* Files of CMYK store the light that inks leave, with Adobe's marker and, as all readers take them, without it. */
static void
find_colours(Reader *self)
{
  const struct jpeg_decompress_struct *cinfo = &self->cinfo;

  self->is_cmyk = cinfo->jpeg_color_space == JCS_CMYK || cinfo->jpeg_color_space == JCS_YCCK;
  if (self->is_cmyk && self->metadata->icc)
    self->colour = ms_colour_new(self->metadata->icc, MS_COLOUR_CMYK_LIGHT, NULL);
  self->file->header.has_plain_cmyk = self->is_cmyk && !self->colour;
}

/*
 * The least size that a file of the image can have. A block of 8 x 8 samples takes at least a bit for its mean and one
 * for the rest, in a progressive file the first alone. Arithmetic coding has no such bound; 64 blocks to a bit are far
 * below any real file.
 */
static guint64
least_bytes(const Reader *self)
{
  const struct jpeg_decompress_struct *cinfo = &self->cinfo;
  guint64 blocks = 0;

  for (int i = 0; i < cinfo->num_components; i++)
    blocks += (guint64)cinfo->comp_info[i].width_in_blocks * cinfo->comp_info[i].height_in_blocks;
  if (cinfo->arith_code)
    return blocks / 64 / 8;
  return cinfo->progressive_mode ? blocks / 8 : blocks / 4;
}

static void
keep_segments(struct jpeg_decompress_struct *cinfo, gboolean keep)
{
  jpeg_save_markers(cinfo, EXIF_MARKER, keep ? WHOLE_MARKER : 0);
  jpeg_save_markers(cinfo, ICC_MARKER, keep ? WHOLE_MARKER : 0);
}

/* Reads up to the first scan and refuses an image that exceeds the limits. */
static void
read_header(Reader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  jpeg_create_decompress(cinfo);
  cinfo->src = &self->input;
  cinfo->progress = &self->progress;
  keep_segments(cinfo, TRUE);
  self->in_header = TRUE;
  jpeg_read_header(cinfo, TRUE);
  self->in_header = FALSE;
  keep_segments(cinfo, FALSE);
  stop_if(self, !ms_image_file_check_size(self->file, cinfo->image_width, cinfo->image_height, least_bytes(self)));
  read_metadata(self);
  ms_image_file_set_header(self->file, (int)cinfo->image_width, (int)cinfo->image_height, self->orientation,
                           cinfo->data_precision);
  find_colours(self);
}

/* The only function with setjmp(); it has no local variables, and @steps keep theirs in @self, so nothing leaks. */
static void
run_jpeg_steps(Reader *self, void (*steps)(Reader *self))
{
  if (setjmp(self->jump) == 0)
    steps(self);
}

/** ms_jpeg_open: @file: begins with the JPEG start-of-image marker */
static void
ms_jpeg_open(MsImageFile *file)
{
  Reader *self = file->decoder = g_new0(Reader, 1);

  self->file = file;
  self->cinfo.err = jpeg_std_error(&self->errors);
  self->cinfo.client_data = self;
  self->errors.error_exit = on_error;
  self->errors.emit_message = on_message;
  self->input.init_source = on_input_start;
  self->input.fill_input_buffer = on_input_fill;
  self->input.skip_input_data = on_input_skip;
  self->input.resync_to_restart = jpeg_resync_to_restart;
  self->input.term_source = on_input_end;
  self->progress.progress_monitor = on_jpeg_progress;
  run_jpeg_steps(self, read_header);
}

static void
ms_jpeg_close(MsImageFile *file)
{
  Reader *self = file->decoder;

  jpeg_destroy_decompress(&self->cinfo);
  g_clear_pointer(&self->metadata, ms_metadata_unref);
  ms_colour_free(self->colour);
  g_free(self);
}

/* ---- The coefficients of a file of several scans in temporary files, where libjpeg holds them all in memory. */

/*
 * An array of blocks, of which libjpeg only passes the pointer on. All of it is in a temporary file; @rows are the
 * pointers of one access.
 */
typedef struct {
  JBLOCK *blocks;
  JDIMENSION columns;
  JBLOCKROW *rows;
} Coefficients;

/* The blocks of a new file are zero, whether @zero asks for it or not. */
static jvirt_barray_ptr
request(j_common_ptr cinfo, int pool, boolean zero, JDIMENSION columns, JDIMENSION n_rows, JDIMENSION most_rows)
{
  MsImageFile *file = ((Reader *)cinfo->client_data)->file;
  Coefficients *self = cinfo->mem->alloc_small(cinfo, pool, sizeof *self);

  self->columns = columns;
  self->rows = cinfo->mem->alloc_small(cinfo, pool, most_rows * sizeof *self->rows);
  self->blocks = ms_scratch_file_map(file->scratch, (gsize)columns * n_rows * sizeof(JBLOCK), &file->error);
  if (!self->blocks)
    ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
  return (jvirt_barray_ptr)self;
}

static JBLOCKARRAY
access_rows(j_common_ptr cinfo, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION n, boolean writable)
{
  const Coefficients *self = (const Coefficients *)array;

  ms_scratch_file_touch(((Reader *)cinfo->client_data)->file->scratch, (gsize)n * self->columns * sizeof(JBLOCK));
  for (JDIMENSION i = 0; i < n; i++)
    self->rows[i] = self->blocks + (gsize)(first + i) * self->columns;
  return self->rows;
}

/* ---- Rows. */

/* Converts CMYK without a profile to RGB, as the light that remains after each ink and black. */
static void
cmyk_to_rgba(guint8 *row, gsize n)
{
  for (gsize x = 0; x < n; x++, row += 4) {
    for (int k = 0; k < 3; k++)
      row[k] = (row[k] * row[3] + 127) / 255;
    row[3] = 255;
  }
}

/* Starts decoding to RGBA, or to CMYK, which is converted afterwards. */
static void
start_decoding(Reader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;

  cinfo->out_color_space = self->is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
  if (self->file->scratch) {
    cinfo->mem->request_virt_barray = request;
    cinfo->mem->access_virt_barray = access_rows;
  }
  jpeg_start_decompress(cinfo);
}

/*
 * Decodes the next rows to RGBA. Pixels in memory are converted all at once, by several threads. After the last row it
 * reads to the end-of-image marker, because a file that lacks it is damaged.
 */
static void
read_rows(Reader *self)
{
  struct jpeg_decompress_struct *cinfo = &self->cinfo;
  const gsize width = cinfo->output_width;
  const gsize step = self->file->scratch ? 1 : (gsize)self->n;

  for (gsize y = 0; y < (gsize)self->n; y += step) {
    guint8 *rows = self->into + y * width * 4;
    for (gsize i = 0; i < step; i++) {
      guint8 *row = rows + i * width * 4;
      stop_if(self, ms_image_file_is_cancelled(self->file));
      jpeg_read_scanlines(cinfo, &row, 1);
      ms_image_file_report_rows(self->file, cinfo->output_scanline, cinfo->output_height);
    }
    if (self->colour)
      ms_colour_convert(self->colour, rows, width * step);
    else if (self->is_cmyk)
      cmyk_to_rgba(rows, width * step);
  }
  if (cinfo->output_scanline == cinfo->output_height)
    jpeg_finish_decompress(cinfo);
}

/*
 * Rows one by one are refused of a file of several scans, whose coefficients take up to 1.5 times as much memory as the
 * pixels (twice for CMYK); all of them have to be decoded for a preview, too.
 */
static gboolean
start_jpeg(MsImageFile *file, MsDecoding how)
{
  Reader *self = file->decoder;

  if (how == MS_DECODING_ROWS && jpeg_has_multiple_scans(&self->cinfo))
    return ms_image_file_refuse_rows(file, N_("has several scans"));
  if (how == MS_DECODING_PREVIEW && jpeg_has_multiple_scans(&self->cinfo))
    return ms_image_file_refuse_preview(file);
  self->cinfo.scale_num = 1;
  self->cinfo.scale_denom = how == MS_DECODING_PREVIEW ? PREVIEW_REDUCTION : 1;
  run_jpeg_steps(self, start_decoding);
  ms_image_file_set_stored(file, (int)self->cinfo.output_width, (int)self->cinfo.output_height, self->orientation,
                           self->metadata);
  return !file->error;
}

/* Files whose pixels are missing or wrong are refused, unless the limits accept them; see is_damage(). */
static void
read_jpeg(MsImageFile *file, guint8 *into, int n)
{
  Reader *self = file->decoder;

  self->into = into;
  self->n = n;
  run_jpeg_steps(self, read_rows);
}

const MsImageDecoder ms_jpeg_decoder = {TRUE, TRUE, ms_jpeg_open, start_jpeg, read_jpeg, ms_jpeg_close};
