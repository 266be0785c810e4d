/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/histogram-plot.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/panels/common/drawn-accessible.h"
#include "ui/common/format.h"
#include "ui/panels/statistics/histogram-draw.h"
#include "ui/panels/statistics/histogram-private.h"

G_DEFINE_FINAL_TYPE(MsHistogramPlot, ms_histogram_plot, GTK_TYPE_DRAWING_AREA)

static guint bin_changed_signal;

/** ms_histogram_channel_colour: 0xRRGGBB of a channel's curve */
guint32
ms_histogram_channel_colour(MsImageChannel channel, MsChartTheme theme)
{
  static const guint32 light[] = {0xc01c28, 0x1f7a3c, 0x1a5fb4, 0x813d9c, 0x3d3846};
  static const guint32 dark[] = {0xff7b63, 0x57e389, 0x78aeed, 0xdc8add, 0xf6f5f4};

  return theme == MS_CHART_DARK ? dark[channel] : light[channel];
}

/** ms_histogram_channel_title: the name of a channel, with its marker. */
const char *
ms_histogram_channel_title(MsImageChannel channel)
{
  static const char *const titles[] = {N_("● Red"), N_("■ Green"), N_("▲ Blue"), N_("◆ Alpha"), N_("▼ Luma")};

  return _(titles[channel]);
}

static gboolean
ms_histogram_plot_draw(GtkWidget *widget, cairo_t *cr)
{
  ms_histogram_draw(MS_HISTOGRAM_PLOT(widget), cr);
  ms_panel_draw_focus(widget, cr);
  return GDK_EVENT_PROPAGATE;
}

static int
bin_at(MsHistogramPlot *self, double x)
{
  MsHistogramFrame frame = ms_histogram_frame(self, NULL);
  double place = (x - frame.left) / frame.width * 255;

  return place < -4 || place > 259 ? -1 : CLAMP((int)lround(place), 0, 255);
}

static gboolean
ms_histogram_plot_motion(GtkWidget *widget, GdkEventMotion *event)
{
  ms_histogram_plot_set_bin(MS_HISTOGRAM_PLOT(widget), bin_at(MS_HISTOGRAM_PLOT(widget), event->x));
  return GDK_EVENT_PROPAGATE;
}

static gboolean
ms_histogram_plot_enter(GtkWidget *widget, GdkEventCrossing *event)
{
  ms_histogram_plot_set_bin(MS_HISTOGRAM_PLOT(widget), bin_at(MS_HISTOGRAM_PLOT(widget), event->x));
  return GDK_EVENT_PROPAGATE;
}

static gboolean
ms_histogram_plot_leave(GtkWidget *widget, GdkEventCrossing *event)
{
  ms_histogram_plot_set_bin(MS_HISTOGRAM_PLOT(widget), -1);
  return GDK_EVENT_PROPAGATE;
}

static gboolean
ms_histogram_plot_key_press(GtkWidget *widget, GdkEventKey *event)
{
  MsHistogramPlot *self = MS_HISTOGRAM_PLOT(widget);
  int bin = self->bin;

  switch (event->keyval) {
  case GDK_KEY_Left:
    bin = bin < 0 ? 255 : bin - 1;
    break;
  case GDK_KEY_Right:
    bin = bin + 1;
    break;
  case GDK_KEY_Page_Up:
    bin = MAX(bin, 0) - 16;
    break;
  case GDK_KEY_Page_Down:
    bin = MAX(bin, 0) + 16;
    break;
  case GDK_KEY_Home:
    bin = 0;
    break;
  case GDK_KEY_End:
    bin = 255;
    break;
  default:
    return GTK_WIDGET_CLASS(ms_histogram_plot_parent_class)->key_press_event(widget, event);
  }
  ms_histogram_plot_set_bin(self, CLAMP(bin, 0, 255));
  return GDK_EVENT_STOP;
}

static gboolean
ms_histogram_plot_button_press(GtkWidget *widget, GdkEventButton *event)
{
  gtk_widget_grab_focus(widget);
  return GDK_EVENT_PROPAGATE;
}

static void
ms_histogram_plot_get_preferred_width(GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = 240;
  *natural = 520;
}

static void
ms_histogram_plot_get_preferred_height(GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = 110;
  *natural = 240;
}

static void
ms_histogram_plot_class_init(MsHistogramPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  widget_class->draw = ms_histogram_plot_draw;
  widget_class->motion_notify_event = ms_histogram_plot_motion;
  widget_class->enter_notify_event = ms_histogram_plot_enter;
  widget_class->leave_notify_event = ms_histogram_plot_leave;
  widget_class->key_press_event = ms_histogram_plot_key_press;
  widget_class->button_press_event = ms_histogram_plot_button_press;
  widget_class->get_preferred_width = ms_histogram_plot_get_preferred_width;
  widget_class->get_preferred_height = ms_histogram_plot_get_preferred_height;
  ms_drawn_class_init(widget_class);
  bin_changed_signal =
    g_signal_new("bin-changed", MS_TYPE_HISTOGRAM_PLOT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_histogram_plot_init(MsHistogramPlot *self)
{
  GtkWidget *widget = GTK_WIDGET(self);

  self->bin = -1;
  for (int channel = 0; channel < MS_N_CHANNELS; channel++)
    self->shown[channel] = channel != MS_CHANNEL_A;
  gtk_widget_set_can_focus(widget, TRUE);
  gtk_widget_add_events(widget, GDK_POINTER_MOTION_MASK | GDK_ENTER_NOTIFY_MASK | GDK_LEAVE_NOTIFY_MASK |
                                  GDK_BUTTON_PRESS_MASK);
  ms_drawn_describe(widget, ATK_ROLE_CHART, _("Histogram"),
                    _("Curves of both pictures. The arrow keys read a bin, Page Up and Page Down move by 16."));
}

/** ms_histogram_plot_set_histograms: copies both (nullable). */
void
ms_histogram_plot_set_histograms(MsHistogramPlot *self, const MsHistogram *before, const MsHistogram *after)
{
  self->has_before = before != NULL;
  self->has_after = after != NULL;
  self->before = before ? *before : (MsHistogram){0};
  self->after = after ? *after : (MsHistogram){0};
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
ms_histogram_plot_set_channel(MsHistogramPlot *self, MsImageChannel channel, gboolean shown)
{
  self->shown[channel] = shown;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
ms_histogram_plot_set_logarithmic(MsHistogramPlot *self, gboolean logarithmic)
{
  self->logarithmic = logarithmic;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/** ms_histogram_plot_get_bin: the bin at the cursor, -1 for none */
int
ms_histogram_plot_get_bin(MsHistogramPlot *self)
{
  return self->bin;
}

/** ms_histogram_plot_set_bin: moves the cursor to @bin, or removes it if -1. */
void
ms_histogram_plot_set_bin(MsHistogramPlot *self, int bin)
{
  if (bin == self->bin)
    return;
  self->bin = bin;
  if (bin >= 0) {
    g_autofree char *words = ms_histogram_plot_read_bin(self, bin);
    ms_drawn_set_value(GTK_WIDGET(self), bin, words);
  }
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit(self, bin_changed_signal, 0);
}

/**
 * ms_histogram_plot_read_bin: (transfer full): the counts of the visible channels, for both pictures if there are two
 */
char *
ms_histogram_plot_read_bin(MsHistogramPlot *self, int bin)
{
  g_autoptr(GString) words = g_string_new(NULL);

  g_string_append_printf(words, _("Level %d:"), bin);
  for (int channel = 0; channel < MS_N_CHANNELS; channel++) {
    if (!self->shown[channel])
      continue;
    g_autofree char *before = ms_format_count(self->before.counts[channel][bin]);
    g_autofree char *after = ms_format_count(self->after.counts[channel][bin]);
    g_string_append_printf(words, "  %s ", ms_histogram_channel_title(channel));
    if (self->has_before)
      g_string_append(words, before);
    if (self->has_before && self->has_after)
      g_string_append(words, " → ");
    if (self->has_after)
      g_string_append(words, after);
  }
  return g_string_free(g_steal_pointer(&words), FALSE);
}
