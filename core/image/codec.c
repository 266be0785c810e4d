/* SPDX-License-Identifier: MIT */
#include "core/image/codec.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/image/jpeg.h"
#include "core/image/pixbuf.h"
#include "core/image/png.h"
#include "core/image/pnm.h"
#include "core/image/tiff.h"
#include "core/image/webp.h"

#define PNG_NAME "png"
#define JPEG_NAME "jpeg"
#define TIFF_NAME "tiff"
#define WEBP_NAME "webp"
#define PPM_NAME "ppm"
#define PAM_NAME "pam"

/** ms_codec_names: (array zero-terminated=1): the names of the formats that are written, by number. */
const char *const ms_codec_names[] = {PNG_NAME, JPEG_NAME, TIFF_NAME, WEBP_NAME, PPM_NAME, PAM_NAME, NULL};

/* A format that is read by a module of gdk-pixbuf. */
#define BY_PIXBUF .most_side = G_MAXINT, .has_alpha = TRUE, .decoder = &ms_pixbuf_decoder

static const MsCodec table[] = {
  {.format = MS_IMAGE_FORMAT_PNG,
   .name = PNG_NAME,
   .title = "PNG",
   .mime_types = {"image/png"},
   .extensions = {"png"},
   /*
    * Compares half the signature, so that the decoder can report a file whose other half a transfer in text mode
    * damaged.
    */
   .magics = {{"\x89PNG", 4, 4}},
   .most_side = G_MAXINT,
   .has_alpha = TRUE,
   .decoder = &ms_png_decoder,
   .encoder = &ms_png_encoder},
  {.format = MS_IMAGE_FORMAT_JPEG,
   .name = JPEG_NAME,
   .title = "JPEG",
   .mime_types = {"image/jpeg"},
   .extensions = {"jpg", "jpeg", "jpe"},
   .magics = {{"\xff\xd8\xff", 3, 2}},
   /* Of libjpeg; the format allows 65535. */
   .most_side = 65500,
   .quality = 92,
   .has_quality = TRUE,
   .decoder = &ms_jpeg_decoder,
   .encoder = &ms_jpeg_encoder},
  {.format = MS_IMAGE_FORMAT_TIFF,
   .name = TIFF_NAME,
   .title = "TIFF",
   .mime_types = {"image/tiff"},
   .extensions = {"tif", "tiff"},
   .magics = {{"II*\0", 4, 4}, {"MM\0*", 4, 4}, {"II+\0", 4, 4}, {"MM\0+", 4, 4}},
   .most_side = G_MAXINT,
   .has_alpha = TRUE,
   .has_geo = TRUE,
   .decoder = &ms_tiff_decoder,
   .encoder = &ms_tiff_encoder,
   .write_numbers = ms_tiff_write_numbers},
  {.format = MS_IMAGE_FORMAT_WEBP,
   .name = WEBP_NAME,
   .title = "WebP",
   .mime_types = {"image/webp"},
   .extensions = {"webp"},
   .magics = {{"RIFF????WEBP", 12, 12}},
   .most_side = 16383,
   .has_quality = TRUE,
   .has_alpha = TRUE,
   .decoder = &ms_webp_decoder,
   .encoder = &ms_webp_encoder},
  {.format = MS_IMAGE_FORMAT_PPM,
   .name = PPM_NAME,
   .title = "PNM",
   .mime_types = {"image/x-portable-pixmap", "image/x-portable-anymap", "image/x-portable-graymap",
                  "image/x-portable-bitmap"},
   .extensions = {"ppm", "pnm"},
   .input_extensions = {"pgm", "pbm"},
   .magics = {{"P6 ", 3, 3}, {"P5 ", 3, 3}, {"P4 ", 3, 3}, {"P3 ", 3, 3}, {"P2 ", 3, 3}, {"P1 ", 3, 3}},
   .most_side = G_MAXINT,
   .decoder = &ms_pnm_decoder,
   .encoder = &ms_ppm_encoder},
  {.format = MS_IMAGE_FORMAT_PAM,
   .name = PAM_NAME,
   .title = "PAM",
   .mime_types = {"image/x-portable-arbitrarymap"},
   .extensions = {"pam"},
   .magics = {{"P7 ", 3, 3}},
   .most_side = G_MAXINT,
   .has_alpha = TRUE,
   .decoder = &ms_pnm_decoder,
   .encoder = &ms_pam_encoder},
  {.format = MS_IMAGE_FORMAT_GIF,
   .name = "gif",
   .title = "GIF",
   .mime_types = {"image/gif"},
   .input_extensions = {"gif"},
   .magics = {{"GIF87a", 6, 4}, {"GIF89a", 6, 4}},
   BY_PIXBUF},
  {.format = MS_IMAGE_FORMAT_BMP,
   .name = "bmp",
   .title = "BMP",
   .mime_types = {"image/bmp"},
   .input_extensions = {"bmp", "dib"},
   /* With the size of the second header, since two letters may begin a text. */
   .magics = {{"BM????????????\x28\0\0\0", 18, 18},
              {"BM????????????\x7c\0\0\0", 18, 18},
              {"BM????????????\x6c\0\0\0", 18, 18},
              {"BM????????????\x0c\0\0\0", 18, 18},
              {"BM????????????\x34\0\0\0", 18, 18},
              {"BM????????????\x38\0\0\0", 18, 18},
              {"BM????????????\x40\0\0\0", 18, 18}},
   BY_PIXBUF},
  {.format = MS_IMAGE_FORMAT_HEIC,
   .name = "heic",
   .title = "HEIC",
   .mime_types = {"image/heif", "image/heic"},
   .input_extensions = {"heic", "heif", "hif"},
   .magics = {{"????ftyphei", 11, 11}, {"????ftyphev", 11, 11}, {"????ftypmif1", 12, 12}, {"????ftypmsf1", 12, 12}},
   BY_PIXBUF},
  {.format = MS_IMAGE_FORMAT_AVIF,
   .name = "avif",
   .title = "AVIF",
   .mime_types = {"image/avif"},
   .input_extensions = {"avif"},
   .magics = {{"????ftypavif", 12, 12}, {"????ftypavis", 12, 12}},
   BY_PIXBUF},
  {.format = MS_IMAGE_FORMAT_JXL,
   .name = "jxl",
   .title = "JPEG XL",
   .mime_types = {"image/jxl"},
   .input_extensions = {"jxl"},
   .magics = {{"\xff\x0a", 2, 2}, {"\0\0\0\x0cJXL \r\n\x87\n", 12, 12}},
   BY_PIXBUF},
  {.format = MS_IMAGE_FORMAT_ICO,
   .name = "ico",
   .title = "ICO",
   .mime_types = {"image/x-icon", "image/vnd.microsoft.icon"},
   .input_extensions = {"ico", "cur"},
   .magics = {{"\0\0\1\0~\0", 6, 6}, {"\0\0\2\0~\0", 6, 6}},
   BY_PIXBUF},
  /* Last, since these files begin with no signature: kinds of pixels and bits of one in their places. */
  {.format = MS_IMAGE_FORMAT_TGA,
   .name = "tga",
   .title = "TGA",
   .mime_types = {"image/x-tga"},
   .input_extensions = {"tga", "targa"},
   .magics = {{"?\1%?????????????#", 17, 17}, {"?\0=?????????????#", 17, 17}},
   BY_PIXBUF},
};

G_STATIC_ASSERT(G_N_ELEMENTS(table) == MS_IMAGE_FORMAT_TGA && G_N_ELEMENTS(ms_codec_names) == MS_IMAGE_FORMAT_GIF);

/** ms_codec_table: (transfer none): all rows, in the order of the format numbers; @n: (out): how many. */
const MsCodec *
ms_codec_table(guint *n)
{
  *n = G_N_ELEMENTS(table);
  return table;
}

/** ms_codec_get: (transfer none) (nullable): the row of @format; %NULL for AUTO. */
const MsCodec *
ms_codec_get(MsImageFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    if (table[i].format == format)
      return &table[i];
  return NULL;
}

static gboolean
fits(char wanted, guint8 byte)
{
  switch (wanted) {
  case '?':
    return TRUE;
  case '~':
    return byte != 0;
  case ' ':
    return g_ascii_isspace(byte);
  case '%':
  case '=':
    return (byte & ~8) <= 3 && (byte & ~8) >= (wanted == '%' ? 1 : 2);
  case '#':
    return byte == 15 || (byte % 8 == 0 && byte >= 8 && byte <= 32);
  default:
    return (guint8)wanted == byte;
  }
}

static gboolean
matches(const MsCodecMagic *magic, const guint8 *data, gsize size)
{
  if (size < magic->least)
    return FALSE;
  for (gsize i = 0; i < MIN(size, magic->size); i++)
    if (!fits(magic->bytes[i], data[i]))
      return FALSE;
  return TRUE;
}

/**
 * ms_codec_sniff:
 * @data: the first bytes of a file
 * @size: how many there are; %MS_CODEC_MAGIC_SIZE are enough
 *
 * Returns: the format by content, %MS_IMAGE_FORMAT_AUTO when it is none in the table
 */
MsImageFormat
ms_codec_sniff(const guint8 *data, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    for (const MsCodecMagic *magic = table[i].magics; magic->size > 0; magic++)
      if (matches(magic, data, size))
        return table[i].format;
  return MS_IMAGE_FORMAT_AUTO;
}

static gboolean
lists(const char *const *extensions, const char *extension)
{
  for (; *extensions; extensions++)
    if (g_ascii_strcasecmp(extension, *extensions) == 0)
      return TRUE;
  return FALSE;
}

static MsImageFormat
find_format(const char *path, gboolean is_input)
{
  const char *dot = strrchr(path, '.');

  if (!dot || strchr(dot, G_DIR_SEPARATOR))
    return MS_IMAGE_FORMAT_AUTO;
  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    if (lists(table[i].extensions, dot + 1) || (is_input && lists(table[i].input_extensions, dot + 1)))
      return table[i].format;
  return MS_IMAGE_FORMAT_AUTO;
}

/** ms_codec_from_path: the format that the extension of @path stands for, %MS_IMAGE_FORMAT_AUTO when it is none. */
MsImageFormat
ms_codec_from_path(const char *path)
{
  return find_format(path, TRUE);
}

/** ms_codec_for_output: ms_codec_from_path() of a file to be written; AUTO also where the format is only read. */
MsImageFormat
ms_codec_for_output(const char *path)
{
  return find_format(path, FALSE);
}

/** ms_codec_for_result: (transfer none): the format in which the result of the image @input is saved by itself. */
const MsCodec *
ms_codec_for_result(const char *input)
{
  const MsCodec *codec = ms_codec_get(ms_codec_from_path(input));

  return ms_codec_get(codec && codec->extensions[0] ? codec->format : MS_IMAGE_FORMAT_DEFAULT);
}

/** ms_codec_result_extension: (transfer none): the extension of that result, that of @input where it can be written. */
const char *
ms_codec_result_extension(const char *input)
{
  if (ms_codec_for_output(input) != MS_IMAGE_FORMAT_AUTO)
    return strrchr(input, '.') + 1;
  return ms_codec_for_result(input)->extensions[0];
}

/** ms_codec_is_written: whether files of the format are written. */
gboolean
ms_codec_is_written(const MsCodec *self)
{
  return self->encoder != NULL;
}

/** ms_codec_is_readable: whether files of the format can be read here: not where gdk-pixbuf lacks a module for it. */
gboolean
ms_codec_is_readable(const MsCodec *self)
{
  return ms_codec_is_written(self) || ms_pixbuf_has_module(self);
}

static char *
join(GPtrArray *words, const char *conjunction)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < words->len; i++) {
    const char *separator = i == 0 ? "" : i + 1 == words->len ? conjunction : ", ";
    g_string_append(text, separator);
    g_string_append(text, g_ptr_array_index(words, i));
  }
  return g_string_free(text, FALSE);
}

/**
 * ms_codec_list_titles:
 * @applies: ms_codec_is_written() or ms_codec_is_readable()
 * @conjunction: between the last two, as in " or "
 *
 * Returns: (transfer full): the titles of the formats that are written or can be read, as in "PNG, JPEG or TIFF"
 */
char *
ms_codec_list_titles(gboolean (*applies)(const MsCodec *codec), const char *conjunction)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new();

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    if (applies(&table[i]))
      g_ptr_array_add(words, (gpointer)table[i].title);
  return join(words, conjunction);
}

/**
 * ms_codec_list_extensions: (transfer full): the extensions that outputs can have, as in ".png, .jpg or .tif".
 */
char *
ms_codec_list_extensions(void)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    if (ms_codec_is_written(&table[i]))
      g_ptr_array_add(words, g_strconcat(".", table[i].extensions[0], NULL));
  return join(words, " or ");
}

/**
 * ms_codec_resolve_quality:
 * @quality: 1 to 100 or %MS_QUALITY_AUTO
 *
 * Returns: the quality that a file is written with: 1 to 100, or 0 for lossless compression
 */
int
ms_codec_resolve_quality(const MsCodec *self, int quality)
{
  return self->has_quality && quality != MS_QUALITY_AUTO ? quality : self->quality;
}

/**
 * ms_codec_check_sides:
 * @name: of the input or output, for the message
 *
 * Returns: FALSE with %MS_ERROR_TOO_LARGE when a file of the format cannot hold @width x @height pixels
 */
gboolean
ms_codec_check_sides(const MsCodec *self, const char *name, int width, int height, GError **error)
{
  if (MAX(width, height) <= self->most_side)
    return TRUE;
  ms_set_error(error, MS_ERROR_TOO_LARGE,
               "'%s' has %dx%d pixels, but a %s file can have %d a side at most; save it as PNG.", name, width, height,
               self->title, self->most_side);
  return FALSE;
}

/**
 * ms_codec_fail_damaged: sets %MS_ERROR_FORMAT in @file, which keeps an earlier error; %FALSE.
 * @what: words that fit in parentheses, which are looked up among the translations
 */
gboolean
ms_codec_fail_damaged(MsImageFile *file, const char *what)
{
  return MS_CODEC_FAIL(file, N_("'%s' is a damaged %s file (%s); get a fresh copy of it."), what);
}

/**
 * ms_codec_fail_kind: ms_codec_fail_damaged() for a good file of a @kind that is not read, with a command that converts
 * it.
 */
gboolean
ms_codec_fail_kind(MsImageFile *file, const char *kind)
{
  return MS_CODEC_FAIL(file,
                       N_("'%s' is of a kind of %s that cannot be read (%s); convert it: 'magick FILE -auto-orient "
                          "pam:- | meanshift-lab --headless - -o OUTPUT'."),
                       kind);
}

/** ms_codec_read_whole: ms_image_file_read_at() of a file that is damaged where it ends earlier. */
gboolean
ms_codec_read_whole(MsImageFile *file, guint64 offset, void *buffer, gsize size)
{
  const gssize got = ms_image_file_read_at(file, offset, buffer, size);

  if (got < 0)
    return FALSE;
  return (gsize)got == size || ms_codec_fail_damaged(file, N_("the file ends before the image does"));
}
