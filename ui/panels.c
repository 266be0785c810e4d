/* SPDX-License-Identifier: MIT */
#include "ui/panels.h"

#include "ui/panels/compare-panel.h"
#include "ui/panels/experiment-panel.h"
#include "ui/panels/histogram-view.h"
#include "ui/panels/runs-panel.h"
#include "ui/panels/source-view.h"
#include "ui/panels/statistics-panel.h"
#include "ui/panels/timing-view.h"
#include "ui/panels/tune-panel.h"

typedef struct {
  GType (*type)(void);
  const char *name;
  const char *title;
} Page;

static const Page pages[] = {
  {ms_timing_view_get_type, "timings", "Timings"},
  {ms_histogram_view_get_type, "histogram", "Histogram"},
  {ms_statistics_panel_get_type, "statistics", "Statistics"},
  {ms_runs_panel_get_type, "runs", "Runs"},
  {ms_compare_panel_get_type, "compare", "Compare"},
  {ms_experiment_panel_get_type, "experiments", "Experiments"},
  {ms_tune_panel_get_type, "tune", "Tune"},
  {ms_source_view_get_type, "kernel", "Kernel"},
};

/** ms_panels_add: adds every panel to @stack and lets it follow the property "document" of @window. */
void
ms_panels_add(GtkStack *stack, GObject *window)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    GtkWidget *panel = g_object_new(pages[i].type(), "visible", TRUE, NULL);
    gtk_stack_add_titled(stack, panel, pages[i].name, pages[i].title);
    g_object_bind_property(window, "document", panel, "document", G_BINDING_SYNC_CREATE);
  }
}
