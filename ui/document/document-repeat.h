/* SPDX-License-Identifier: MIT */
/* Measures the time of a run again, so that its spread is known. */
#pragma once

#include "ui/document/document.h"

gboolean ms_document_can_repeat_run(MsDocument *self, MsRun *run);
void ms_document_repeat_run(MsDocument *self, MsRun *run, guint n);
gboolean ms_document_is_repeating(MsDocument *self);
