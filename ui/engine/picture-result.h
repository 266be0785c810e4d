/* SPDX-License-Identifier: MIT */
/* MsPictureResult: base class of results that the engine's thread computes from a document's pictures. */
#pragma once

#include "ui/engine/window-engine.h"

#define MS_TYPE_PICTURE_RESULT (ms_picture_result_get_type())
/* Signal: "changed" (): a result was computed, or computing it failed. */
G_DECLARE_DERIVABLE_TYPE(MsPictureResult, ms_picture_result, MS, PICTURE_RESULT, GObject)

/**
 * MsPictureResultClass: a subclass keeps the inputs and outputs of one request in a struct, its work, which is an
 * atomically reference counted box. Both threads read the inputs; the engine's thread writes the outputs.
 * @compute: fills in the outputs of the work that it gets as data and returns the work (transfer none), or %NULL with
 *   the error set
 * @release: drops one reference of a work
 */
struct _MsPictureResultClass {
  GObjectClass parent_class;
  MsWindowEngineFunc compute;
  GDestroyNotify release;
};

void ms_picture_result_request(MsPictureResult *self, MsWindowEngine *engine, gpointer work);
void ms_picture_result_cancel(MsPictureResult *self);
gconstpointer ms_picture_result_get_known(MsPictureResult *self);
gconstpointer ms_picture_result_get_latest(MsPictureResult *self);
const char *ms_picture_result_get_problem(MsPictureResult *self);
gboolean ms_picture_result_is_busy(MsPictureResult *self);
