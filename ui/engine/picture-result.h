/* SPDX-License-Identifier: MIT */
/* MsPictureResult: base class of results that the device's process computes from a document's pictures. */
#pragma once

#include "ui/engine/window-engine.h"

#define MS_TYPE_PICTURE_RESULT (ms_picture_result_get_type())
/* Signal: "changed" (): a result was computed, or computing it failed. */
G_DECLARE_DERIVABLE_TYPE(MsPictureResult, ms_picture_result, MS, PICTURE_RESULT, GObject)

/**
 * MsPictureResultClass: a subclass keeps the inputs and outputs of one request in a struct, its work, which is an
 * atomically reference counted box.
 * @describe: (transfer full): the request for the inputs of a work
 * @take: fills in the outputs of a work from the answer, on a thread of its own while nothing else writes to the work;
 *   %FALSE if the answer makes no sense
 * @release: drops one reference of a work
 */
struct _MsPictureResultClass {
  GObjectClass parent_class;
  MsWindowRequest *(*describe)(gconstpointer work);
  gboolean (*take)(gpointer work, const MsAnswer *answer);
  GDestroyNotify release;
};

void ms_picture_result_request(MsPictureResult *self, MsWindowEngine *engine, gpointer work);
void ms_picture_result_cancel(MsPictureResult *self);
gconstpointer ms_picture_result_get_known(MsPictureResult *self);
gconstpointer ms_picture_result_get_latest(MsPictureResult *self);
const char *ms_picture_result_get_problem(MsPictureResult *self);
gboolean ms_picture_result_is_busy(MsPictureResult *self);
