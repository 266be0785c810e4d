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
#include "core/image/image-save.h"

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
 * MsBatchRequest: the inputs, settings and outputs of a batch. The command line's table of options fills all members
 * but @manifest, @device and @own_files.
 * @inputs: (array zero-terminated=1): files, folders, "-"
 * @settings: of the filter
 * @limits: of images that are read; its wait is that of pipes and of a device that reports nothing, 0 for the usual one
 * @save: of outputs; the format AUTO means that of the output's extension, else that of the input's
 * @output: (nullable): a file, a folder, "-", or %NULL to save nothing
 * @name_template: (nullable): for outputs in a folder, MS_NAMING_DEFAULT when %NULL
 * @follow_links: write through links in the output folder; a link that is itself named as the output is always followed
 * @hidden: take files and folders whose name starts with a dot
 * @resume: skip images that an earlier run finished: by @manifest when there is one, else by outputs that exist
 * @jobs: decoding and encoding threads, 0 for a default by the number of processors
 * @repeat: times each image is filtered, at least 1
 * @verify: whether each result is compared with the reference
 * @memory_limit: bytes that images in flight may take together, 0 for a share of the machine's memory; an image that
 *   exceeds it alone is filtered in bands or, where that is not possible and the limit is explicit, fails
 * @scratch: (nullable): the folder of temporary files for images that exceed the memory and cannot be read by rows
 * @manifest: (nullable): what earlier runs recorded; gets a line for each output before it gets its name, and for each
 *   item that ended
 * @device: (nullable): replaces {device} in a template
 * @own_files: (array length=n_own_files) (nullable): files that the run writes besides images
 */
struct _MsBatchRequest {
  const char *const *inputs;
  MsSettings settings;
  MsImageLimits limits;
  MsSaveOptions save;
  const char *output;
  const char *name_template;
  MsConflict on_conflict;
  gboolean follow_links;
  gboolean recursive;
  gboolean hidden;
  MsResume resume;
  MsShard shard;
  guint jobs;
  guint repeat;
  gboolean verify;
  guint64 memory_limit;
  const char *scratch;
  MsManifest *manifest;
  const char *device;
  const MsOwnFile *own_files;
  guint n_own_files;
};

MsBatchRequest ms_batch_request_default(void);
GPtrArray *ms_batch_plan(const MsBatchRequest *request, GError **error);
MsImageFormat ms_batch_item_format(const MsBatchItem *item, MsImageFormat wanted);
