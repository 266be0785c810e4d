/* SPDX-License-Identifier: MIT */
/* The settings of a document and their history. */
#pragma once

#include "ui/document/document.h"

const MsSettings *ms_document_get_settings(MsDocument *self);
void ms_document_set_settings(MsDocument *self, const MsSettings *settings);
void ms_document_set_dragging(MsDocument *self, gboolean dragging);
gboolean ms_document_set_option(MsDocument *self, const char *name, const char *value, GError **error);
gboolean ms_document_plan_request(MsDocument *self, MsPlanRequest *request);
char *ms_document_option_refusal(MsDocument *self, const MsOptionInfo *option, const char *value);
void ms_document_undo(MsDocument *self);
void ms_document_redo(MsDocument *self);
gboolean ms_document_can_undo(MsDocument *self);
gboolean ms_document_can_redo(MsDocument *self);
const char *ms_document_get_undo_name(MsDocument *self);
const char *ms_document_get_redo_name(MsDocument *self);
