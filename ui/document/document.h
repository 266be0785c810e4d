/* SPDX-License-Identifier: MIT */
/*
 * MsDocument: one open picture: its source, the settings with their history, the runs made so far and what is compared.
 */
#pragma once

#include "core/image/image-io.h"
#include "ui/engine/window-engine.h"
#include "ui/run/run.h"

G_BEGIN_DECLS

#define MS_TYPE_DOCUMENT (ms_document_get_type())
/*
 * Properties, all with notify:
 *   "title" (string), "source" (MsImage), "current-run" (MsRun or NULL), "run-a" and "run-b" (MsRun or NULL: what the
 *   two sides of the views show; NULL stands for the source on side A and for the current run on side B), "busy"
 *   (boolean), "progress" (double, 0 to 1), "can-undo", "can-redo" (boolean)
 * Signals:
 *   "settings-changed" (): ms_document_get_settings() is another
 *   "pieces-changed" (): parts of the result to come arrived or went
 *   "problem" (GError *): a run failed; cancelled runs say nothing
 *   "pictures-dropped" (guint n): that many of the oldest pictures were let go to stay within the memory bound
 */
G_DECLARE_FINAL_TYPE(MsDocument, ms_document, MS, DOCUMENT, GObject)

MsDocument *ms_document_new(MsWindowEngine *engine, MsImage *source, GFile *file, const char *title);
MsWindowEngine *ms_document_get_engine(MsDocument *self);
MsImage *ms_document_get_source(MsDocument *self);
GFile *ms_document_get_file(MsDocument *self);
const char *ms_document_get_title(MsDocument *self);

G_END_DECLS
