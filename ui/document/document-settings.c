/* SPDX-License-Identifier: MIT */
#include "ui/document/document-settings.h"

#include "ui/document/document-private.h"

#include <glib/gi18n-lib.h>

#include "core/filter/plan/plan.h"
#include "ui/common/format.h"
#include "ui/document/document-filter.h"

const MsSettings *
ms_document_get_settings(MsDocument *self)
{
  return ms_history_get(self->history);
}

static void
settings_changed(MsDocument *self)
{
  g_signal_emit_by_name(self, "settings-changed");
  g_object_notify(G_OBJECT(self), "can-undo");
  g_object_notify(G_OBJECT(self), "can-redo");
  if (self->live)
    ms_document_request_filter(self);
}

static void
push_settings(MsDocument *self, const MsSettings *settings, const char *name, gboolean gradual)
{
  if (ms_settings_equal(settings, ms_document_get_settings(self)))
    return;
  ms_history_push(self->history, settings, name, gradual);
  settings_changed(self);
}

/** ms_document_set_settings: takes over all settings, as one undo step. */
void
ms_document_set_settings(MsDocument *self, const MsSettings *settings)
{
  push_settings(self, settings, NULL, FALSE);
}

/** ms_document_set_dragging: whether a slider is being dragged, all moves of which are one undo step and one run. */
void
ms_document_set_dragging(MsDocument *self, gboolean dragging)
{
  ms_history_set_dragging(self->history, dragging);
}

/**
 * ms_document_set_option: sets one option from text, with the syntax of the command line. Successive values of a number
 * are one undo step and one run, because sliders and spin buttons pass through many; each choice is its own.
 */
gboolean
ms_document_set_option(MsDocument *self, const char *name, const char *value, GError **error)
{
  MsSettings settings = *ms_document_get_settings(self);
  const MsOptionInfo *option = ms_option_find(name);

  g_return_val_if_fail(option != NULL, FALSE);
  if (!ms_option_set_text(option, &settings, value, error))
    return FALSE;
  push_settings(self, &settings, name, option->kind == MS_OPTION_INT || option->kind == MS_OPTION_REAL);
  return TRUE;
}

/** ms_document_plan_request: fills in everything that a plan depends on; %FALSE while there is no OpenCL device. */
gboolean
ms_document_plan_request(MsDocument *self, MsPlanRequest *request)
{
  MsDevice *device = ms_window_engine_get_device(self->engine);

  if (!device)
    return FALSE;
  *request = ms_plan_request(ms_document_get_settings(self), ms_device_get_limits(device),
                             ms_image_get_width(self->source), ms_image_get_height(self->source));
  return TRUE;
}

/**
 * ms_document_option_refusal: (transfer full) (nullable): the reason why @value is unavailable; see
 * ms_plan_option_refusal().
 */
char *
ms_document_option_refusal(MsDocument *self, const MsOptionInfo *option, const char *value)
{
  MsPlanRequest request;

  if (option->group == MS_OPTION_GROUP_TOGGLE && ms_window_engine_is_reference(self->engine))
    return g_strdup(_("The serial reference has no toggles; choose an OpenCL device for them."));
  g_autofree char *refusal =
    ms_document_plan_request(self, &request) ? ms_plan_option_refusal(&request, option, value) : NULL;
  return refusal ? ms_words_of_window(refusal) : NULL;
}

void
ms_document_undo(MsDocument *self)
{
  if (ms_history_undo(self->history))
    settings_changed(self);
}

void
ms_document_redo(MsDocument *self)
{
  if (ms_history_redo(self->history))
    settings_changed(self);
}

gboolean
ms_document_can_undo(MsDocument *self)
{
  return ms_history_can_undo(self->history);
}

gboolean
ms_document_can_redo(MsDocument *self)
{
  return ms_history_can_redo(self->history);
}

/** ms_document_get_undo_name: (nullable): the option whose change ms_document_undo() takes back. */
const char *
ms_document_get_undo_name(MsDocument *self)
{
  return ms_history_get_undo_name(self->history);
}

/** ms_document_get_redo_name: (nullable): the option whose change ms_document_redo() makes again. */
const char *
ms_document_get_redo_name(MsDocument *self)
{
  return ms_history_get_redo_name(self->history);
}
