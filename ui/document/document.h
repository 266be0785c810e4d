/* SPDX-License-Identifier: MIT */
/* MsDocument: an open picture: its source, the settings with their history, the runs, and the two pictures compared. */
#pragma once

#include "core/image/image-io.h"
#include "ui/engine/window-engine.h"
#include "ui/run/run.h"

#define MS_TYPE_DOCUMENT (ms_document_get_type())
/*
 * Properties, readable with notify:
 *   "current-run" (MsRun or NULL), "run-a" and "run-b" (MsRun or NULL: what the two sides of the views show; NULL
 *   stands for the source on side A and for the current run on side B), "shown-run" (MsRun or NULL: what side B shows),
 *   "stale" (boolean: whether that was filtered with other settings), "can-undo" and "can-redo" (boolean),
 *   "busy" (boolean), "progress" (double, 0 to 1)
 * and, writable as well, one for each row of the table of options by its name: a number is a double, a choice an int
 * (the stored number), a shape a string. Successive values of a number are one undo step and one run, because sliders
 * pass through many; each choice is its own.
 * Signals:
 *   "settings-changed" (): the settings have changed
 *   "pieces-changed" (): the list of finished parts of the next result has changed
 *   "problem" (GError *): a run failed; not emitted for cancelled runs
 *   "flips-changed" (): a measurement of another value of a toggle has begun or ended, see flips.h, or a slider was let
 *   go of
 *   "run-removed" (MsRun): it can be put back by ms_document_undo_removal()
 *   "pointed" (): the pixel under the pointer has changed, see ms_document_get_pointed()
 *   "pictures-dropped" (guint n): the pictures of the @n oldest runs were freed to stay within the memory bound
 */
G_DECLARE_FINAL_TYPE(MsDocument, ms_document, MS, DOCUMENT, GObject)

MsDocument *ms_document_new(MsWindowEngine *engine, MsImage *source, GFile *file, const char *title);
MsWindowEngine *ms_document_get_engine(MsDocument *self);
MsImage *ms_document_get_source(MsDocument *self);
GFile *ms_document_get_file(MsDocument *self);
const char *ms_document_get_title(MsDocument *self);

/* The settings and their history. */

const MsSettings *ms_document_get_settings(MsDocument *self);
void ms_document_set_settings(MsDocument *self, const MsSettings *settings);
void ms_document_set_dragging(MsDocument *self, gboolean dragging);
gboolean ms_document_is_dragging(MsDocument *self);
gboolean ms_document_set_option(MsDocument *self, const char *name, const char *value, GError **error);
MsPlan *ms_document_plan(MsDocument *self, const MsSettings *settings, GError **error);
char *ms_document_option_refusal(MsDocument *self, const MsOptionInfo *option, const char *value);
void ms_document_undo(MsDocument *self);
void ms_document_redo(MsDocument *self);
void ms_document_reset_option(MsDocument *self, const MsOptionInfo *option);
gboolean ms_document_can_undo(MsDocument *self);
gboolean ms_document_can_redo(MsDocument *self);
const char *ms_document_get_undo_name(MsDocument *self);
const char *ms_document_get_redo_name(MsDocument *self);

/* The filter, which runs when the settings change. */

/** MsPiece: a finished part of the next result and its position in the picture. */
typedef struct {
  MsImage *image;
  MsRegion region;
} MsPiece;

void ms_document_set_live(MsDocument *self, gboolean live);
gboolean ms_document_is_live(MsDocument *self);
void ms_document_set_visible(MsDocument *self, const MsRegion *visible);
void ms_document_request_filter(MsDocument *self);
void ms_document_cancel(MsDocument *self);
gboolean ms_document_is_busy(MsDocument *self);
guint ms_document_get_busy_ms(MsDocument *self);
gboolean ms_document_is_compiling(MsDocument *self);
double ms_document_get_progress(MsDocument *self);
GPtrArray *ms_document_get_pieces(MsDocument *self);

/* The time of a run measured again, so that its spread is known. */

gboolean ms_document_can_repeat_run(MsDocument *self, MsRun *run);
void ms_document_repeat_run(MsDocument *self, MsRun *run, guint n);
gboolean ms_document_is_repeating(MsDocument *self);

/* Whether a run with another kernel than the baseline's gets a baseline with the same kernel. */

void ms_document_set_holds_kernel(MsDocument *self, gboolean holds_kernel);
gboolean ms_document_get_holds_kernel(MsDocument *self);

/* The runs and the two that the views show. */

void ms_document_add_run(MsDocument *self, MsRun *run);
GListModel *ms_document_get_runs(MsDocument *self);
MsRun *ms_document_get_newest_run(MsDocument *self);
guint ms_document_count_dropped(MsDocument *self);
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

/** MsPointed: a pixel that the pointer is on, and its colours (R, G, B, A) on both sides. */
typedef struct {
  int x;
  int y;
  guint8 a[4];
  guint8 b[4];
} MsPointed;

void ms_document_show_difference(MsDocument *self, MsRun *run, MsRun *other);
void ms_document_set_pointed(MsDocument *self, const MsPointed *pointed);
const MsPointed *ms_document_get_pointed(MsDocument *self);
MsRun *ms_document_get_shown_run(MsDocument *self);
gboolean ms_document_is_stale(MsDocument *self);
