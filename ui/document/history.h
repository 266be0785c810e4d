/* SPDX-License-Identifier: MIT */
/* MsHistory: earlier settings of a document, for undo and redo; one drag of a slider is one step. */
#pragma once

#include "core/filter/settings/settings.h"

typedef struct _MsHistory MsHistory;

MsHistory *ms_history_new(const MsSettings *settings);
void ms_history_free(MsHistory *self);
const MsSettings *ms_history_get(MsHistory *self);
guint ms_history_get_step(MsHistory *self);
void ms_history_push(MsHistory *self, const MsSettings *settings, const char *name, gboolean gradual);
void ms_history_set_dragging(MsHistory *self, gboolean dragging);
gboolean ms_history_can_undo(MsHistory *self);
gboolean ms_history_can_redo(MsHistory *self);
gboolean ms_history_undo(MsHistory *self);
gboolean ms_history_redo(MsHistory *self);
const char *ms_history_get_undo_name(MsHistory *self);
const char *ms_history_get_redo_name(MsHistory *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsHistory, ms_history_free)
