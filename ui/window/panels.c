/* SPDX-License-Identifier: MIT */
#include "ui/window/panels.h"

#include "ui/panels/compare/compare-panel.h"
#include "ui/panels/experiment/experiment-panel.h"
#include "ui/panels/statistics/histogram-view.h"
#include "ui/panels/runs/runs-panel.h"
#include "ui/panels/kernel/source-view.h"
#include "ui/panels/statistics/statistics-panel.h"
#include "ui/panels/timing/timing-view.h"
#include "ui/panels/tune/tune-panel.h"

#define LEAST_HEIGHT 250

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

/* Panels scroll, so that no page makes the window larger than the screen. */
static GtkWidget *
wrap(GtkWidget *panel)
{
  GtkWidget *scrolled = gtk_scrolled_window_new(NULL, NULL);

  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scrolled), LEAST_HEIGHT);
  gtk_container_add(GTK_CONTAINER(scrolled), panel);
  gtk_widget_show(scrolled);
  return scrolled;
}

/** ms_panels_add: adds every panel to @stack and binds it to the property "document" of @window. */
void
ms_panels_add(GtkStack *stack, GObject *window)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    GtkWidget *panel = g_object_new(pages[i].type(), "visible", TRUE, NULL);
    gtk_stack_add_titled(stack, wrap(panel), pages[i].name, pages[i].title);
    g_object_bind_property(window, "document", panel, "document", G_BINDING_SYNC_CREATE);
  }
}
