/* SPDX-License-Identifier: MIT */
/* MsBatchForm: the controls that say which images a batch takes, where its results go and how they are filtered. */
#pragma once

#include <gtk/gtk.h>

#include "ui/batch/batch-spec.h"
#include "ui/document/document.h"

#define MS_TYPE_BATCH_FORM (ms_batch_form_get_type())
/* Signal: "changed" (): the description of the batch has changed. */
G_DECLARE_FINAL_TYPE(MsBatchForm, ms_batch_form, MS, BATCH_FORM, GtkBin)

void ms_batch_form_set_engine(MsBatchForm *self, MsWindowEngine *engine);
void ms_batch_form_set_document(MsBatchForm *self, MsDocument *document);
void ms_batch_form_add(MsBatchForm *self, GFile *file);
gboolean ms_batch_form_is_ready(MsBatchForm *self);
MsBatchSpec *ms_batch_form_new_spec(MsBatchForm *self);
