/* SPDX-License-Identifier: MIT */
/*
 * MsManifestEntry: what a line of a manifest records about one input: the line is written and read by one table, and it
 * says whether that input is still finished.
 */
#pragma once

#include "core/batch/item.h"

typedef struct _MsBatchRequest MsBatchRequest;

/**
 * MsManifestEntry: the last line about an input.
 * @input: its absolute path
 * @settings: as command-line options
 * @format: (nullable): of the output, as --format spells it; not in lines of older versions
 * @quality: of a format with lossy compression, 0 for lossless; %MS_QUALITY_AUTO when the line has none
 * @is_converted: whether the input was converted to sRGB
 * @status: how the input ended, pending while its output may not have its name yet; @done: whether it is finished
 * @is_completed: whether the line says less: that its output was about to get its name, which it has
 * @source: the input then; its nanoseconds are -1 in lines of older versions
 * @result: the output; the size is 0 in lines of older versions, time and inode are known of one that was about to get
 *   its name
 * @error: (nullable): why it failed
 * @note: (nullable): what data of the input the output lacks
 * @hash, @output_hash: (nullable): SHA-256 of the input and of the output, recorded with --resume=hash
 */
typedef struct {
  char *input;
  char *output;
  char *settings;
  char *format;
  int quality;
  gboolean is_converted;
  MsItemStatus status;
  gboolean done;
  gboolean is_completed;
  MsFileStamp source;
  MsFileStamp result;
  char *error;
  char *note;
  char *hash;
  char *output_hash;
  int width;
  int height;
} MsManifestEntry;

char *ms_manifest_line(const MsBatchItem *item, const MsBatchRequest *request);
MsManifestEntry *ms_manifest_entry_parse(const char *line, gsize length);
char *ms_manifest_entry_write(MsManifestEntry *self);
void ms_manifest_entry_free(MsManifestEntry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsManifestEntry, ms_manifest_entry_free)
gboolean ms_manifest_entry_complete(MsManifestEntry *self);
gboolean ms_manifest_entry_is_part(const char *text);
gboolean ms_manifest_entry_is_done(const MsManifestEntry *self, const MsBatchItem *item, const MsBatchRequest *request);
