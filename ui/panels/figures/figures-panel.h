/* SPDX-License-Identifier: MIT */
/* What panels that show figures share: following the figures of their document, and having them computed when seen. */
#pragma once

#include "ui/panels/figures/figures.h"
#include "ui/panels/common/panel.h"

G_BEGIN_DECLS

void ms_figures_panel_attach(MsPanel *panel, MsFigures **figures, MsDocument *document, GCallback show);
void ms_figures_panel_leave(MsPanel *panel, MsFigures **figures);
void ms_figures_panel_update(MsPanel *panel, MsFigures *figures);

G_END_DECLS
