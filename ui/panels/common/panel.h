/* SPDX-License-Identifier: MIT */
/* MsPanel: base class of all panels: the document and its device, and refreshing only while visible. */
#pragma once

#include <gtk/gtk.h>

#include "core/factors.h"
#include "ui/document/document.h"

#define MS_TYPE_PANEL (ms_panel_get_type())
/*
 * Properties: "document" (MsDocument, nullable, read-write); "engine" (MsWindowEngine, nullable, at construction): used
 * while there is no document; "compact" (boolean, at construction): the short form for the side at the left.
 * Signal: "problem" (GError): what was asked of the panel failed.
 */
G_DECLARE_DERIVABLE_TYPE(MsPanel, ms_panel, MS, PANEL, GtkBin)

/**
 * MsPanelClass:
 * @follows: (nullable): signals of the document at which the panel is refreshed, %NULL-terminated
 * @attach: (nullable): connects to what belongs to a new document with ms_panel_connect(); handlers of the old one are
 *   disconnected before
 * @refresh: (nullable): shows the document as it is now, which may be %NULL; called while the panel can be seen, and
 *   without a document when a hidden panel is to let go of what it has shown
 */
struct _MsPanelClass {
  GtkBinClass parent_class;
  const char *const *follows;
  void (*attach)(MsPanel *self, MsDocument *document);
  void (*refresh)(MsPanel *self);
};

/**
 * MsWaiting: what stands between a panel and what it shows of the filtered picture.
 * @is_filtering: a run of the picture has not ended
 * @is_computing: what the panel shows was asked for
 * @is_held: a measurement has the device to itself, and requests wait
 */
typedef struct {
  gboolean has_picture;
  gboolean has_run;
  gboolean is_filtering;
  gboolean is_computing;
  gboolean is_held;
} MsWaiting;

const char *ms_waiting_text(const MsWaiting *self);
MsWaiting ms_panel_get_waiting(MsPanel *self, gboolean is_computing);
MsDocument *ms_panel_get_document(MsPanel *self);
gboolean ms_panel_is_compact(MsPanel *self);
MsWindowEngine *ms_panel_get_engine(MsPanel *self);
MsDevice *ms_panel_get_device(MsPanel *self);
void ms_panel_invalidate(MsPanel *self);
void ms_panel_connect(MsPanel *self, gpointer object, const char *detailed_signal, GCallback callback);
void ms_panel_apply_toggles(MsPanel *self, const MsFactors *settings);
void ms_panel_report_problem(MsPanel *self, const GError *error);
