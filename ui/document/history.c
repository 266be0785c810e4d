/* SPDX-License-Identifier: MIT */
#include "ui/document/history.h"

/* Changes of one control within this time are one step. */
#define MERGE_US (1500 * 1000)

/* Maximum number of steps. */
#define MAX_STEPS 500

/* @name: (nullable): interned: the control that led to @settings; @number: unique among the steps of a history */
typedef struct {
  MsSettings settings;
  const char *name;
  guint number;
} Step;

struct _MsHistory {
  GArray *steps; /* Step */
  guint position;
  guint n_pushed;
  char *merge;
  gint64 pushed_us;
  gboolean dragging;
};

/** ms_history_new: a history that begins with @settings. */
MsHistory *
ms_history_new(const MsSettings *settings)
{
  MsHistory *self = g_new0(MsHistory, 1);
  Step step = {*settings, NULL, 0};

  self->steps = g_array_new(FALSE, FALSE, sizeof(Step));
  g_array_append_val(self->steps, step);
  return self;
}

void
ms_history_free(MsHistory *self)
{
  g_array_unref(self->steps);
  g_free(self->merge);
  g_free(self);
}

/** ms_history_get: (transfer none): the current settings. */
const MsSettings *
ms_history_get(MsHistory *self)
{
  return &g_array_index(self->steps, Step, self->position).settings;
}

/** ms_history_get_step: identifies the current step; the moves of one drag belong to one step. */
guint
ms_history_get_step(MsHistory *self)
{
  return g_array_index(self->steps, Step, self->position).number;
}

static gboolean
merges(MsHistory *self, const char *name)
{
  gboolean soon = g_get_monotonic_time() - self->pushed_us < MERGE_US;

  return self->position > 0 && (soon || self->dragging) && g_strcmp0(self->merge, name) == 0;
}

/** ms_history_set_dragging: begins a step that all changes of one control belong to until the drag ends. */
void
ms_history_set_dragging(MsHistory *self, gboolean dragging)
{
  self->dragging = dragging;
  if (dragging)
    g_clear_pointer(&self->merge, g_free);
}

static void
append(MsHistory *self, const MsSettings *settings, const char *name)
{
  Step step = {*settings, g_intern_string(name), ++self->n_pushed};

  if (self->steps->len == MAX_STEPS)
    g_array_remove_index(self->steps, 0);
  g_array_append_val(self->steps, step);
  self->position = self->steps->len - 1;
}

/**
 * ms_history_push:
 * @name: (nullable): names the control
 * @gradual: whether a change shortly after another one of the same control, or in the same drag, replaces it
 */
void
ms_history_push(MsHistory *self, const MsSettings *settings, const char *name, gboolean gradual)
{
  g_array_set_size(self->steps, self->position + 1);
  if (gradual && merges(self, name))
    g_array_index(self->steps, Step, self->position).settings = *settings;
  else
    append(self, settings, name);
  if (name != self->merge) {
    g_free(self->merge);
    self->merge = g_strdup(name);
  }
  self->pushed_us = g_get_monotonic_time();
}

gboolean
ms_history_can_undo(MsHistory *self)
{
  return self->position > 0;
}

gboolean
ms_history_can_redo(MsHistory *self)
{
  return self->position + 1 < self->steps->len;
}

/** ms_history_undo: goes one step back; %FALSE when there is none. */
gboolean
ms_history_undo(MsHistory *self)
{
  if (!ms_history_can_undo(self))
    return FALSE;
  self->position--;
  g_clear_pointer(&self->merge, g_free);
  return TRUE;
}

/** ms_history_redo: goes one step forward again; %FALSE when there is none. */
gboolean
ms_history_redo(MsHistory *self)
{
  if (!ms_history_can_redo(self))
    return FALSE;
  self->position++;
  g_clear_pointer(&self->merge, g_free);
  return TRUE;
}

/** ms_history_get_undo_name: (nullable): names the control whose change ms_history_undo() takes back. */
const char *
ms_history_get_undo_name(MsHistory *self)
{
  return g_array_index(self->steps, Step, self->position).name;
}

/** ms_history_get_redo_name: (nullable): names the control whose change ms_history_redo() makes again. */
const char *
ms_history_get_redo_name(MsHistory *self)
{
  return ms_history_can_redo(self) ? g_array_index(self->steps, Step, self->position + 1).name : NULL;
}
