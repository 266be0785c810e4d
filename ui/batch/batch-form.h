/* SPDX-License-Identifier: MIT */
/*
 * MsBatchForm: the controls that say which images a batch takes, where its results go and how they are filtered;
 * MsBatchSpec: what they say, and the equivalent command line.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

/**
 * MsBatchSpec:
 * @inputs: paths of files and folders
 * @output: the folder for the results
 * @manifest: (nullable): path of the manifest to write
 * @options: all others, as the command line takes them
 */
typedef struct {
  GStrv inputs;
  gboolean recursive;
  char *output;
  char *manifest;
  GStrv options;
} MsBatchSpec;

void ms_batch_spec_free(MsBatchSpec *self);
gboolean ms_batch_spec_equal(const MsBatchSpec *self, const MsBatchSpec *other);
GStrv ms_batch_spec_to_arguments(const MsBatchSpec *self, const char *manifest);
char *ms_batch_spec_command_line(const MsBatchSpec *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsBatchSpec, ms_batch_spec_free)

#define MS_TYPE_BATCH_FORM (ms_batch_form_get_type())
/*
 * Signals: "changed" (): a person has changed the form; "settings-changed" (): what it takes over may have changed: the
 * settings of the picture, the device or the presets.
 */
G_DECLARE_FINAL_TYPE(MsBatchForm, ms_batch_form, MS, BATCH_FORM, GtkBin)

void ms_batch_form_set_engine(MsBatchForm *self, MsWindowEngine *engine);
void ms_batch_form_set_document(MsBatchForm *self, MsDocument *document);
void ms_batch_form_add(MsBatchForm *self, GFile *file);
gboolean ms_batch_form_is_ready(MsBatchForm *self);
MsBatchSpec *ms_batch_form_new_spec(MsBatchForm *self);
