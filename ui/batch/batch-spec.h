/* SPDX-License-Identifier: MIT */
/* MsBatchSpec: the inputs, outputs and settings of a batch, and the equivalent command line. */
#pragma once

#include "core/batch/batch.h"

/**
 * MsBatchSpec:
 * @inputs: paths of files and folders
 * @output: the folder for the results
 * @name_template: see MS_NAMING_DEFAULT
 * @manifest: (nullable): path of the manifest to write
 * @device_selector: as --device takes it
 */
typedef struct {
  GStrv inputs;
  gboolean recursive;
  char *output;
  char *name_template;
  MsImageFormat format;
  int quality;
  MsConflict on_conflict;
  MsSettings settings;
  char *manifest;
  char *device_selector;
} MsBatchSpec;

MsBatchSpec *ms_batch_spec_copy(const MsBatchSpec *self);
void ms_batch_spec_free(MsBatchSpec *self);
GStrv ms_batch_spec_to_arguments(const MsBatchSpec *self, const char *manifest);
char *ms_batch_spec_command_line(const MsBatchSpec *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsBatchSpec, ms_batch_spec_free)
