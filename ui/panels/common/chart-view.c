/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/chart-view.h"

#include <glib/gi18n-lib.h>

#include "core/chart/chart.h"
#include "ui/common/drawn.h"

#define LEAST_WIDTH 155
#define LEAST_HEIGHT 120

/* Below this size charts are scaled down, so that their parts do not overlap. */
#define GOOD_WIDTH 300.0
#define GOOD_HEIGHT 215.0
#define LEAST_SHRINKING 0.65

struct _MsChartView {
  GtkDrawingArea parent_instance;
  MsChart *chart; /* (nullable) */
};

G_DEFINE_FINAL_TYPE(MsChartView, ms_chart_view, GTK_TYPE_DRAWING_AREA)

static guint row_clicked_signal;

static void
ms_chart_view_finalize(GObject *object)
{
  g_clear_pointer(&MS_CHART_VIEW(object)->chart, ms_chart_unref);
  G_OBJECT_CLASS(ms_chart_view_parent_class)->finalize(object);
}

static double
drawing_scale(GtkWidget *widget)
{
  double scale = ms_drawn_text_scale(widget);
  double fits =
    MIN(gtk_widget_get_allocated_width(widget) / GOOD_WIDTH, gtk_widget_get_allocated_height(widget) / GOOD_HEIGHT);

  return CLAMP(fits, LEAST_SHRINKING * scale, scale);
}

static gboolean
ms_chart_view_draw(GtkWidget *widget, cairo_t *cr)
{
  MsChartView *self = MS_CHART_VIEW(widget);
  double scale = drawing_scale(widget);
  int width = gtk_widget_get_allocated_width(widget), height = gtk_widget_get_allocated_height(widget);

  if (self->chart) {
    cairo_save(cr);
    cairo_scale(cr, scale, scale);
    ms_chart_draw(self->chart, cr, &(MsChartPage){width / scale, height / scale, ms_drawn_theme(widget)});
    cairo_restore(cr);
  }
  ms_drawn_focus(widget, cr);
  return GDK_EVENT_PROPAGATE;
}

static gboolean
ms_chart_view_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  MsChartView *self = MS_CHART_VIEW(widget);
  double scale = drawing_scale(widget);

  if (!self->chart || by_keyboard)
    return FALSE;
  g_autofree char *text = ms_chart_point_at(self->chart, gtk_widget_get_allocated_width(widget) / scale,
                                            gtk_widget_get_allocated_height(widget) / scale, x / scale, y / scale);
  gtk_tooltip_set_text(tooltip, text);
  return text != NULL;
}

static gboolean
ms_chart_view_button_press(GtkWidget *widget, GdkEventButton *event)
{
  MsChartView *self = MS_CHART_VIEW(widget);
  double scale = drawing_scale(widget);

  if (!self->chart || event->button != GDK_BUTTON_PRIMARY)
    return GDK_EVENT_PROPAGATE;
  const guint row =
    ms_chart_row_at(self->chart, gtk_widget_get_allocated_width(widget) / scale,
                    gtk_widget_get_allocated_height(widget) / scale, event->x / scale, event->y / scale);
  if (row > 0)
    g_signal_emit(self, row_clicked_signal, 0, row - 1);
  return row > 0;
}

static void
ms_chart_view_get_preferred_width(GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = LEAST_WIDTH;
  *natural = (int)(480 * ms_drawn_text_scale(widget));
}

static void
ms_chart_view_get_preferred_height(GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = LEAST_HEIGHT;
  *natural = (int)(300 * ms_drawn_text_scale(widget));
}

static void
ms_chart_view_class_init(MsChartViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_chart_view_finalize;
  widget_class->draw = ms_chart_view_draw;
  widget_class->query_tooltip = ms_chart_view_query_tooltip;
  widget_class->button_press_event = ms_chart_view_button_press;
  widget_class->get_preferred_width = ms_chart_view_get_preferred_width;
  widget_class->get_preferred_height = ms_chart_view_get_preferred_height;
  row_clicked_signal = g_signal_new("row-clicked", MS_TYPE_CHART_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_css_name(widget_class, "chart");
  ms_drawn_class_init(widget_class);
}

static void
ms_chart_view_init(MsChartView *self)
{
  gtk_widget_add_events(GTK_WIDGET(self), GDK_BUTTON_PRESS_MASK);
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  gtk_widget_set_can_focus(GTK_WIDGET(self), TRUE);
  ms_drawn_describe(GTK_WIDGET(self), ATK_ROLE_CHART, _("Chart"), _("Empty"));
}

GtkWidget *
ms_chart_view_new(void)
{
  return g_object_new(MS_TYPE_CHART_VIEW, NULL);
}

/**
 * ms_chart_view_set_chart:
 * @chart: (nullable) (transfer none): the chart to show
 * @name: the accessible name
 */
void
ms_chart_view_set_chart(MsChartView *self, MsChart *chart, const char *name)
{
  g_return_if_fail(MS_IS_CHART_VIEW(self));

  if (chart)
    ms_chart_ref(chart);
  g_clear_pointer(&self->chart, ms_chart_unref);
  self->chart = chart;
  g_autofree char *words = chart ? ms_chart_describe(chart) : g_strdup(_("Empty"));
  guint points = chart ? ms_chart_n_points(chart) : 0;
  g_autofree char *count = g_strdup_printf(_("%u values"), points);
  ms_drawn_describe(GTK_WIDGET(self), ATK_ROLE_CHART, name, words);
  ms_drawn_set_value(GTK_WIDGET(self), points, count);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/** ms_chart_view_get_chart: (transfer none) (nullable) */
MsChart *
ms_chart_view_get_chart(MsChartView *self)
{
  return self->chart;
}
