/* SPDX-License-Identifier: MIT */
/* Plans a batch: lists its images, names their outputs, and skips or refuses images before any is read. */
#pragma once

#include <glib.h>

#include "core/batch/inputs.h"
#include "core/batch/item.h"
#include "core/batch/manifest.h"
#include "core/batch/shard.h"
#include "core/error.h"
#include "core/image/image-io.h"

/** MsOwnFile: a file and the option that names it, without its dashes; @path may be %NULL or "-". */
typedef struct {
  const char *option;
  const char *path;
} MsOwnFile;

/** MsConflict: what happens when an output exists already. An input is never overwritten. */
typedef enum {
  MS_CONFLICT_FAIL,
  MS_CONFLICT_SKIP,
  MS_CONFLICT_UNIQUE,
  MS_CONFLICT_OVERWRITE,
} MsConflict;

extern const char *const ms_conflict_names[];

/**
 * MsResume: how images that an earlier run finished are found.
 * @MS_RESUME_NO: not at all
 * @MS_RESUME_STAT: input and output have the size and the input the time that the manifest records
 * @MS_RESUME_HASH: input and output have the content that the manifest records
 */
typedef enum {
  MS_RESUME_NO,
  MS_RESUME_STAT,
  MS_RESUME_HASH,
} MsResume;

/**
 * MsBatchRequest:
 * @inputs: files, folders, "-"
 * @hidden: take files and folders whose name starts with a dot
 * @output: (nullable): a file, a folder, "-", or %NULL to save nothing
 * @name_template: (nullable): for outputs in a folder, MS_NAMING_DEFAULT when %NULL
 * @format: of the outputs; AUTO means that of the output's extension, else that of the input's
 * @quality: of formats with lossy compression or %MS_QUALITY_AUTO, for @manifest
 * @is_converted: whether inputs are converted to sRGB, for @manifest
 * @resume: skip images that an earlier run finished: by @manifest when there is one, else by outputs that exist
 * @follow_links: write through links in the output folder; a link that is itself named as the output is always followed
 * @device: (nullable): replaces {device} in a template
 * @own_files: (array length=n_own_files) (nullable): files that the run writes besides images
 */
typedef struct {
  const char *const *inputs;
  gboolean recursive;
  gboolean hidden;
  const char *output;
  const char *name_template;
  MsImageFormat format;
  int quality;
  gboolean is_converted;
  MsConflict on_conflict;
  gboolean follow_links;
  MsShard shard;
  MsResume resume;
  MsManifest *manifest;
  MsSettings settings;
  const char *device;
  const MsOwnFile *own_files;
  guint n_own_files;
} MsBatchRequest;

GPtrArray *ms_batch_plan(const MsBatchRequest *request, GError **error);
MsImageFormat ms_batch_item_format(const MsBatchItem *item, MsImageFormat wanted);
