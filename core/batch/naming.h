/* SPDX-License-Identifier: MIT */
/* Names of output files: templates such as {stem}-sp{sp}.{ext}, and numbered names that are still free. */
#pragma once

#include <glib.h>

#include "core/error.h"

G_BEGIN_DECLS

#define MS_NAMING_DEFAULT "{stem}.{ext}"

/** MS_NAMING_ANY_NUMBER: in a name for ms_naming_matches(): digits, one or more. */
#define MS_NAMING_ANY_NUMBER '\1'

/**
 * MsNameParts: what the fields of a template become.
 * @stem: the input's name without its ending
 * @extension: the output format's ending, without the dot
 * @device: the device's name; what cannot stand in a file name becomes '-'
 * @seq: the image's number in the whole list, from 1
 * @seq_digits: @seq is padded with zeros to so many digits
 * @any_seq: put MS_NAMING_ANY_NUMBER in the place of @seq
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
char *ms_naming_numbered(const char *path, guint number);
char *ms_naming_numbered_anyhow(const char *path);
gboolean ms_naming_matches(const char *pattern, const char *name);
char *ms_naming_stem(const char *path);
const char *ms_naming_extension(const char *path);

G_END_DECLS
