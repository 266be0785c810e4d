/* SPDX-License-Identifier: MIT */
/* MsDocument: an open picture: its source, the settings with their history, the runs, and the two pictures compared. */
#pragma once

#include "core/image/image-io.h"
#include "ui/engine/window-engine.h"
#include "ui/run/run.h"

#define MS_TYPE_DOCUMENT (ms_document_get_type())
/*
 * Properties, all with notify:
 *   "title" (string), "source" (MsImage), "current-run" (MsRun or NULL), "run-a" and "run-b" (MsRun or NULL: what the
 *   two sides of the views show; NULL stands for the source on side A and for the current run on side B), "busy"
 *   (boolean), "progress" (double, 0 to 1), "can-undo", "can-redo" (boolean)
 * Signals:
 *   "settings-changed" (): the settings have changed
 *   "pieces-changed" (): the list of finished parts of the next result has changed
 *   "problem" (GError *): a run failed; not emitted for cancelled runs
 *   "pictures-dropped" (guint n): the pictures of the @n oldest runs were freed to stay within the memory bound
 */
G_DECLARE_FINAL_TYPE(MsDocument, ms_document, MS, DOCUMENT, GObject)

MsDocument *ms_document_new(MsWindowEngine *engine, MsImage *source, GFile *file, const char *title);
MsWindowEngine *ms_document_get_engine(MsDocument *self);
MsImage *ms_document_get_source(MsDocument *self);
GFile *ms_document_get_file(MsDocument *self);
const char *ms_document_get_title(MsDocument *self);
