/* SPDX-License-Identifier: MIT */
#include "ui/window/panels.h"

#include <glib/gi18n-lib.h>

#include "ui/panels/compare/compare-panel.h"
#include "ui/panels/experiment/experiment-panel.h"
#include "ui/panels/statistics/histogram-view.h"
#include "ui/panels/regions/regions-panel.h"
#include "ui/panels/runs/runs-panel.h"
#include "ui/panels/kernel/source-view.h"
#include "ui/panels/statistics/statistics-panel.h"
#include "ui/panels/timing/timing-view.h"
#include "ui/panels/tune/tune-panel.h"

#define LEAST_HEIGHT 190

/* A narrower overview would cut off its columns, so it is hidden and the pages remain. */
#define OVERVIEW_WIDTH 760

typedef struct {
  GType (*type)(void);
  const char *name;
  const char *title;
  gboolean in_lab;
  gboolean in_overview;
  const char *flag; /* (nullable): a boolean property that is set on this page's panel, whose type other pages share */
} Page;

static const Page pages[] = {
  {ms_timing_view_get_type, "timings", N_("Timings"), FALSE, TRUE},
  {ms_histogram_view_get_type, "histogram", N_("Histogram"), FALSE, TRUE},
  {ms_statistics_panel_get_type, "statistics", N_("Statistics"), FALSE, TRUE},
  {ms_regions_panel_get_type, "regions", N_("Regions"), FALSE, FALSE},
  {ms_runs_panel_get_type, "runs", N_("Runs"), FALSE, FALSE},
  {ms_experiment_panel_get_type, "experiments", N_("Experiments"), TRUE, FALSE},
  {ms_experiment_panel_get_type, "learn", N_("Learn"), TRUE, FALSE, "learn"},
  {ms_compare_panel_get_type, "compare", N_("Compare"), TRUE, FALSE},
  {ms_tune_panel_get_type, "tune", N_("Tune"), TRUE, FALSE},
  {ms_source_view_get_type, "kernel", N_("Kernel"), TRUE, FALSE},
};

static GtkWidget *
new_panel(const Page *page, GObject *window, gboolean compact)
{
  GtkWidget *panel = g_object_new(page->type(), "visible", TRUE, "compact", compact, page->flag, TRUE, NULL);

  g_object_bind_property(window, "document", panel, "document", G_BINDING_SYNC_CREATE);
  return panel;
}

/* Panels scroll, so that no page makes the window larger than the screen. @panel: (nullable) */
static GtkWidget *
wrap(GtkWidget *panel, int least_height)
{
  GtkWidget *scrolled = gtk_scrolled_window_new(NULL, NULL);

  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scrolled), least_height);
  if (panel)
    gtk_container_add(GTK_CONTAINER(scrolled), panel);
  gtk_widget_show(scrolled);
  return scrolled;
}

static void
open_clicked_cb(GtkWidget *button, GtkStack *stack)
{
  gtk_stack_set_visible_child_name(stack, gtk_widget_get_name(button));
}

/* A column of the overview: a title that opens the full page, and the compact form of its panel. */
static GtkWidget *
new_column(const Page *page, GtkStack *stack, GObject *window)
{
  GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *button = gtk_button_new_with_label(_(page->title));
  g_autofree char *name = g_strdup_printf(_("Open %s"), _(page->title));

  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  gtk_widget_set_halign(button, GTK_ALIGN_START);
  gtk_widget_set_name(button, page->name);
  gtk_widget_set_tooltip_text(button, name);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  gtk_style_context_add_class(gtk_widget_get_style_context(button), "column-title");
  g_signal_connect_object(button, "clicked", G_CALLBACK(open_clicked_cb), stack, 0);
  gtk_container_add(GTK_CONTAINER(column), button);
  gtk_widget_show_all(column);
  gtk_box_pack_start(GTK_BOX(column), wrap(new_panel(page, window, TRUE), 100), TRUE, TRUE, 0);
  return column;
}

/* Hides the overview where it does not fit; the stack then shows the page that was named first. */
static void
fit_overview_cb(GtkWidget *stack, GtkAllocation *allocation, GtkWidget *overview)
{
  gboolean fits = allocation->width >= OVERVIEW_WIDTH;

  if (fits != gtk_widget_get_visible(overview))
    gtk_widget_set_visible(overview, fits);
}

static void
add_overview(GtkStack *stack, GObject *window)
{
  GtkWidget *overview = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_box_set_homogeneous(GTK_BOX(overview), TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    if (pages[i].in_overview)
      gtk_box_pack_start(GTK_BOX(overview), new_column(&pages[i], stack, window), TRUE, TRUE, 0);
  gtk_widget_show(overview);
  gtk_stack_add_titled(stack, overview, "overview", _("Overview"));
  g_signal_connect_object(stack, "size-allocate", G_CALLBACK(fit_overview_cb), overview, 0);
}

/* A page gets its panel when it is first shown, because creating all of them delays the first picture. */
static void
fill_cb(GtkContainer *scrolled, GObject *window)
{
  const Page *page = g_object_get_data(G_OBJECT(scrolled), "ms-page");

  g_signal_handlers_disconnect_by_func(scrolled, fill_cb, window);
  gtk_container_add(scrolled, new_panel(page, window, FALSE));
}

static GtkWidget *
new_page(const Page *page, GObject *window)
{
  GtkWidget *scrolled = wrap(NULL, LEAST_HEIGHT);

  g_object_set_data(G_OBJECT(scrolled), "ms-page", (gpointer)page);
  g_signal_connect_object(scrolled, "map", G_CALLBACK(fill_cb), window, 0);
  return scrolled;
}

/** ms_panels_add: adds a page for every panel to its stack; panels follow the property "document" of @window. */
void
ms_panels_add(GtkStack *picture, GtkStack *lab, GObject *window)
{
  add_overview(picture, window);
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    gtk_stack_add_titled(pages[i].in_lab ? lab : picture, new_page(&pages[i], window), pages[i].name,
                         _(pages[i].title));
}
