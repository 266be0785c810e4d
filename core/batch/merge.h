/* SPDX-License-Identifier: MIT */
/* MsMerge: the manifests of several processes as one, compared with the images that they should have done. */
#pragma once

#include "core/batch/inputs.h"
#include "core/batch/manifest.h"

/**
 * MsMerge:
 * @manifest: all lines; of several about one image, a finished one takes precedence, otherwise the last one
 * @n_files: manifests that were read
 * @n_repeated: images that more than one line records as finished
 * @done: (element-type MsInput): images that a line records as finished; like the next two, in the order of the inputs
 * @failed: (element-type MsInput): images with lines of which none is finished
 * @missing: (element-type MsInput): images without a line, and inputs that cannot be read
 * @inputs: (element-type MsInput): all of them, owned
 */
typedef struct {
  MsManifest *manifest;
  guint n_files;
  guint n_repeated;
  GPtrArray *done;
  GPtrArray *failed;
  GPtrArray *missing;
  GPtrArray *inputs;
} MsMerge;

MsMerge *ms_merge_new(const char *manifests, GPtrArray *inputs, GError **error);
void ms_merge_free(MsMerge *self);
gboolean ms_merge_save(const MsMerge *self, const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsMerge, ms_merge_free)
