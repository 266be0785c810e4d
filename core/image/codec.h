/* SPDX-License-Identifier: MIT */
/* MsCodec: the table of image formats, with one row of names, limits and functions for each format. */
#pragma once

#include "core/image/common/image-file.h"
#include "core/image/image-save.h"

/** MS_CODEC_MAGIC_SIZE: bytes at the start of a file that are enough for ms_codec_sniff(). */
#define MS_CODEC_MAGIC_SIZE 18

/**
 * MsCodecMagic: bytes that files of a format begin with.
 * @bytes: compared with the start of a file; '?' stands for any byte, '~' for any but 0, ' ' for white space, '%' for a
 *   kind of TGA, '=' for one without a palette, '#' for bits of a pixel of TGA
 * @size: bytes of the signature
 * @least: how many of them a file must have at least; further bytes are compared where the file has them
 */
typedef struct {
  const char *bytes;
  gsize size;
  gsize least;
} MsCodecMagic;

/**
 * MsNumbers: an image of one unsigned number a pixel, 0 for a pixel that has none.
 * @geo: (nullable): its place on the map
 */
typedef struct {
  const guint32 *numbers;
  int width;
  int height;
  const MsGeo *geo;
} MsNumbers;

/**
 * MsCodec: one row of the table.
 * @format: its number
 * @name: as in --format, in manifests and reports
 * @title: as in messages
 * @mime_types: (array zero-terminated=1): for file dialogs and the desktop entry
 * @extensions: (array zero-terminated=1): without the dot; outputs get the first; empty where the format is only read
 * @input_extensions: (array zero-terminated=1): of files that are read but not written
 * @magics: (array): ends with a row of size 0
 * @most_side: pixels a side that @encoder can store
 * @quality: what %MS_QUALITY_AUTO stands for: 1 to 100, or 0 for lossless
 * @has_quality: whether a quality from 1 to 100 can be asked for
 * @has_alpha: whether transparency is kept
 * @has_geo: whether the place on the map is kept
 * @decoder: reads an image
 * @encoder: (nullable): writes an image
 * @write_numbers: (nullable): writes numbers of 32 bits to a sink that can rewrite its bytes
 */
struct _MsCodec {
  MsImageFormat format;
  const char *name;
  const char *title;
  const char *mime_types[5];
  const char *extensions[4];
  const char *input_extensions[4];
  MsCodecMagic magics[8];
  int most_side;
  int quality;
  gboolean has_quality;
  gboolean has_alpha;
  gboolean has_geo;
  const MsImageDecoder *decoder;
  const MsImageEncoder *encoder;
  gboolean (*write_numbers)(const MsNumbers *numbers, MsImageSink *sink, GError **error);
};

extern const char *const ms_codec_names[];

const MsCodec *ms_codec_table(guint *n);
const MsCodec *ms_codec_get(MsImageFormat format);
MsImageFormat ms_codec_sniff(const guint8 *data, gsize size);
MsImageFormat ms_codec_from_path(const char *path);
MsImageFormat ms_codec_for_output(const char *path);
const MsCodec *ms_codec_for_result(const char *input);
const char *ms_codec_result_extension(const char *input);
gboolean ms_codec_is_readable(const MsCodec *self);
gboolean ms_codec_is_written(const MsCodec *self);
char *ms_codec_list_titles(gboolean (*applies)(const MsCodec *codec), const char *conjunction);
char *ms_codec_list_extensions(void);
int ms_codec_resolve_quality(const MsCodec *self, int quality);
gboolean ms_codec_check_sides(const MsCodec *self, const char *name, int width, int height, GError **error);
/**
 * MS_CODEC_FAIL: sets %MS_ERROR_FORMAT in @file, which keeps an earlier error; %FALSE.
 * @sentence: (literal): with a %s each for the file, its format and @words, which are looked up among the translations
 */
#define MS_CODEC_FAIL(file, sentence, words)                                                                           \
  ((file)->error ? FALSE                                                                                               \
                 : (ms_error_take(&(file)->error, MS_ERROR_FORMAT,                                                     \
                                  g_strdup_printf(_(sentence), (file)->name, (file)->codec->title, _(words)),          \
                                  g_strdup_printf(sentence, (file)->name, (file)->codec->title, words)),               \
                    FALSE))

gboolean ms_codec_fail_damaged(MsImageFile *file, const char *what);
gboolean ms_codec_fail_kind(MsImageFile *file, const char *kind);
gboolean ms_codec_read_whole(MsImageFile *file, guint64 offset, void *buffer, gsize size);
