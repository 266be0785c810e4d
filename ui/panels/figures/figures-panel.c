/* SPDX-License-Identifier: MIT */
#include "ui/panels/figures/figures-panel.h"

/**
 * ms_figures_panel_attach: for the panel's own attach.
 * @figures: (inout) (nullable): what the panel followed so far, replaced by the figures of @document
 * @show: called with the panel whenever the figures are others
 */
void
ms_figures_panel_attach(MsPanel *panel, MsFigures **figures, MsDocument *document, GCallback show)
{
  if (*figures)
    g_signal_handlers_disconnect_by_data(*figures, panel);
  g_set_object(figures, ms_figures_of(document));
  g_signal_connect_object(*figures, "changed", show, panel, G_CONNECT_SWAPPED);
  ms_panel_follow(panel, document, "notify::source");
  ms_panel_follow(panel, document, "notify::current-run");
  ms_panel_follow(panel, document, "notify::run-a");
  ms_panel_follow(panel, document, "notify::run-b");
}

/** ms_figures_panel_leave: for the panel's dispose: @figures: (inout) (nullable): %NULL afterwards */
void
ms_figures_panel_leave(MsPanel *panel, MsFigures **figures)
{
  if (*figures)
    g_signal_handlers_disconnect_by_data(*figures, panel);
  g_clear_object(figures);
}

/** ms_figures_panel_update: @figures: (nullable): has them computed for what the document compares now. */
void
ms_figures_panel_update(MsPanel *panel, MsFigures *figures)
{
  MsDocument *document = ms_panel_get_document(panel);

  if (document && figures)
    ms_figures_update(figures, document);
}
