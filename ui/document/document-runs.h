/* SPDX-License-Identifier: MIT */
/* The runs of a document and the two that the views show. */
#pragma once

#include "ui/document/document.h"

void ms_document_add_run(MsDocument *self, MsRun *run);
GListModel *ms_document_get_runs(MsDocument *self);
MsRun *ms_document_get_newest_run(MsDocument *self);
MsRun *ms_document_get_current_run(MsDocument *self);
void ms_document_remove_run(MsDocument *self, MsRun *run);
MsRun *ms_document_get_removed_run(MsDocument *self);
void ms_document_undo_removal(MsDocument *self);
MsRun *ms_document_get_baseline(MsDocument *self);
void ms_document_set_baseline(MsDocument *self, MsRun *run);
void ms_document_restore_run(MsDocument *self, MsRun *run);
void ms_document_set_memory_bound(MsDocument *self, guint64 bytes);
MsRun *ms_document_get_run_a(MsDocument *self);
MsRun *ms_document_get_run_b(MsDocument *self);
void ms_document_set_run_a(MsDocument *self, MsRun *run);
void ms_document_set_run_b(MsDocument *self, MsRun *run);
MsImage *ms_document_get_picture_a(MsDocument *self);
MsImage *ms_document_get_picture_b(MsDocument *self);
MsRun *ms_document_get_shown_run(MsDocument *self);
gboolean ms_document_is_stale(MsDocument *self);
