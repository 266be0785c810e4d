/* SPDX-License-Identifier: MIT */
/* Makes names of output files from templates such as {stem}-sp{sp}.{ext}, and appends numbers to names that exist. */
#pragma once

#include <glib.h>

#include "core/error.h"

#define MS_NAMING_DEFAULT "{stem}.{ext}"

/** MS_NAMING_ANY_NUMBER: in a name for ms_naming_matches(): digits, one or more. */
#define MS_NAMING_ANY_NUMBER '\1'

/**
 * MsNameParts: the values of the fields of a template.
 * @stem: the input's name without its extension
 * @extension: the output format's extension, without the dot
 * @device: the device's name; characters not allowed in file names become '-'
 * @seq: the image's number in the whole list, from 1
 * @seq_digits: @seq is padded with zeros to so many digits
 * @any_seq: write MS_NAMING_ANY_NUMBER instead of @seq
 */
typedef struct {
  const char *stem;
  const char *extension;
  double sp;
  double sr;
  const char *device;
  guint64 seq;
  guint seq_digits;
  gboolean any_seq;
} MsNameParts;

gboolean ms_naming_check(const char *template, GError **error);
gboolean ms_naming_is_folder(const char *name);
gboolean ms_naming_uses(const char *template, const char *field);
char *ms_naming_expand(const char *template, const MsNameParts *parts);
char *ms_naming_shorten(const char *template, const MsNameParts *parts, gsize most);
char *ms_naming_numbered(const char *path, guint number);
char *ms_naming_numbered_anyhow(const char *path);
gboolean ms_naming_matches(const char *pattern, const char *name);
char *ms_naming_stem(const char *path);
const char *ms_naming_extension(const char *path);
