/* SPDX-License-Identifier: MIT */
/* MsManifest: a file with a JSON line for each finished image, from which an interrupted batch is resumed. */
#pragma once

#include "core/batch/item.h"
#include "core/image/image-sink.h"

G_BEGIN_DECLS

#define MS_TYPE_MANIFEST (ms_manifest_get_type())
G_DECLARE_FINAL_TYPE(MsManifest, ms_manifest, MS, MANIFEST, GObject)

/**
 * MsManifestEntry: the last line about an input.
 * @settings: as command-line options
 * @format: (nullable): of the output, as --format spells it; not in lines of older versions
 * @quality: of a format with lossy compression, 0 for lossless; %MS_QUALITY_AUTO when the line has none
 * @size, @modified, @modified_ns: of the input then; @modified_ns is -1 in lines of older versions
 * @output_size: bytes of the output, 0 in lines of older versions
 * @n_done: lines that record the input as finished
 * @error: (nullable): why it failed
 * @line: (nullable): the text of the line, kept by ms_manifest_load_merged() alone
 * @hash, @output_hash: (nullable): SHA-256 of the input and of the output, recorded with --resume=hash
 */
typedef struct {
  char *output;
  char *settings;
  char *format;
  int quality;
  gboolean done;
  guint64 size;
  gint64 modified;
  int modified_ns;
  guint64 output_size;
  guint n_done;
  char *error;
  char *line;
  char *hash;
  char *output_hash;
} MsManifestEntry;

MsManifest *ms_manifest_load(const char *path, GError **error);
MsManifest *ms_manifest_load_merged(const char *const *paths, guint n, GError **error);
char *ms_manifest_describe_ignored(MsManifest *self);
gboolean ms_manifest_begin(MsManifest *self, GError **error);
MsManifest *ms_manifest_open(const char *path, GError **error);
const MsManifestEntry *ms_manifest_find(MsManifest *self, const char *input);
const MsManifestEntry *ms_manifest_find_done(MsManifest *self, const char *input, const MsSettings *settings,
                                             const MsSaveOptions *save, gboolean by_hash);
gboolean ms_manifest_has_output(MsManifest *self, const char *path);
gboolean ms_manifest_append(MsManifest *self, const MsBatchItem *item, const MsSettings *settings,
                            const MsSaveOptions *save, GError **error);

G_END_DECLS
