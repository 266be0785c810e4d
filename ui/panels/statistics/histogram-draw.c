/* SPDX-License-Identifier: MIT */
/* Drawing of the histogram plot: axes, curves of both pictures with markers, and the cursor. */
#include "ui/panels/statistics/histogram-draw.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/panels/statistics/histogram-private.h"

#define MARKER_DISTANCE 40

static double
share(const MsHistogram *histogram, MsImageChannel channel, int bin)
{
  return histogram->pixels > 0 ? (double)histogram->counts[channel][bin] / (double)histogram->pixels : 0;
}

static double
highest(const MsHistogram *histogram, const gboolean *shown, int first, int last)
{
  double most = 0;

  for (int channel = 0; channel < MS_N_CHANNELS; channel++)
    for (int bin = first; shown[channel] && bin <= last; bin++)
      most = MAX(most, share(histogram, channel, bin));
  return most;
}

/*
 * Levels 0 and 255 hold the clipped pixels, whose peaks would flatten the curves; they may leave the frame, and the
 * panel prints their counts.
 */
static double
find_most(MsHistogramPlot *self)
{
  double most = MAX(self->has_before ? highest(&self->before, self->shown, 1, 254) : 0,
                    self->has_after ? highest(&self->after, self->shown, 1, 254) : 0);

  if (most > 0)
    return most * 1.06;
  most = MAX(highest(&self->before, self->shown, 0, 255), highest(&self->after, self->shown, 0, 255));
  return most > 0 ? most * 1.06 : 1.0;
}

/** ms_histogram_frame: the layout for the current size; @cr: (nullable): the target */
MsHistogramFrame
ms_histogram_frame(MsHistogramPlot *self, cairo_t *cr)
{
  GtkWidget *widget = GTK_WIDGET(self);
  guint64 pixels = MAX(MAX(self->before.pixels, self->after.pixels), 1);
  int label_width, label_height;

  ms_panel_text_size(widget, "0.0001 %", &label_width, &label_height);
  MsHistogramFrame frame = {.widget = widget,
                            .cr = cr,
                            .paint = ms_chart_paint(ms_panel_theme(widget)),
                            .left = label_width + 2 * MS_HISTOGRAM_PAD,
                            .top = label_height + 2 * MS_HISTOGRAM_PAD,
                            .most = find_most(self),
                            .least = self->logarithmic ? 0.5 / (double)pixels : 0,
                            .logarithmic = self->logarithmic};
  frame.width = MAX(gtk_widget_get_allocated_width(widget) - frame.left - 2 * MS_HISTOGRAM_PAD, 16);
  frame.height = MAX(gtk_widget_get_allocated_height(widget) - frame.top - label_height - 2 * MS_HISTOGRAM_PAD, 16);
  return frame;
}

static double
bin_x(const MsHistogramFrame *frame, int bin)
{
  return frame->left + bin / 255.0 * frame->width;
}

static double
share_y(const MsHistogramFrame *frame, double value)
{
  double place = value / frame->most;

  if (frame->logarithmic)
    place = value <= frame->least ? 0 : log(value / frame->least) / log(frame->most / frame->least);
  return frame->top + (1 - CLAMP(place, 0, 1)) * frame->height;
}

static void
draw_curve(const MsHistogramFrame *frame, const MsHistogram *histogram, MsImageChannel channel, gboolean before)
{
  cairo_t *cr = frame->cr;
  static const double dash[] = {4, 3};

  ms_chart_set_colour(cr, ms_histogram_channel_colour(channel, ms_panel_theme(frame->widget)));
  cairo_set_dash(cr, dash, before ? 2 : 0, 0);
  cairo_set_line_width(cr, before ? 1.2 : 1.8);
  cairo_new_path(cr); /* drawing text may have left a current point */
  for (int bin = 0; bin < 256; bin++)
    cairo_line_to(cr, bin_x(frame, bin), share_y(frame, share(histogram, channel, bin)));
  cairo_stroke(cr);
  cairo_set_dash(cr, NULL, 0, 0);
}

/* Curves differ by marker shape as well as by colour; markers of the picture before are hollow. */
static void
draw_markers(const MsHistogramFrame *frame, const MsHistogram *histogram, MsImageChannel channel, gboolean before)
{
  static const guint shapes[] = {0, 1, 2, 3, 4};
  guint32 colours[MS_CHART_N_STYLES];
  MsChartPaint paint = *frame->paint;

  for (guint i = 0; i < MS_CHART_N_STYLES; i++)
    colours[i] = ms_histogram_channel_colour(channel, ms_panel_theme(frame->widget));
  paint.series = colours;
  paint.text = colours[0];
  for (int bin = 8 + 8 * (int)channel; bin < 256; bin += MARKER_DISTANCE)
    ms_chart_draw_marker(frame->cr, &paint, (MsChartStyle){shapes[channel], before}, bin_x(frame, bin),
                         share_y(frame, share(histogram, channel, bin)));
}

static void
draw_histogram(MsHistogramPlot *self, const MsHistogramFrame *frame, const MsHistogram *histogram, gboolean before)
{
  for (int channel = 0; channel < MS_N_CHANNELS; channel++)
    if (self->shown[channel]) {
      draw_curve(frame, histogram, channel, before);
      draw_markers(frame, histogram, channel, before);
    }
}

static void
draw_y_tick(const MsHistogramFrame *frame, double value)
{
  double y = floor(share_y(frame, value)) + 0.5;
  g_autofree char *text = g_strdup_printf("%.3g %%", value * 100);
  int width, height;

  ms_chart_set_colour(frame->cr, frame->paint->grid);
  cairo_set_line_width(frame->cr, 1);
  cairo_move_to(frame->cr, frame->left, y);
  cairo_line_to(frame->cr, frame->left + frame->width, y);
  cairo_stroke(frame->cr);
  ms_panel_text_size(frame->widget, text, &width, &height);
  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  cairo_move_to(frame->cr, frame->left - MS_HISTOGRAM_PAD - width, y - height / 2.0);
  ms_panel_show_text(frame->widget, frame->cr, 0, text);
}

static double
round_step(double rough)
{
  double power = pow(10, floor(log10(rough)));

  return rough / power < 2 ? power : rough / power < 5 ? 2 * power : 5 * power;
}

static void
draw_y_axis(const MsHistogramFrame *frame)
{
  int text_height;

  ms_panel_text_size(frame->widget, "0", NULL, &text_height);
  if (frame->logarithmic) {
    double last_y = INFINITY;
    for (double value = pow(10, ceil(log10(frame->least))); value <= frame->most; value *= 10)
      if (last_y - share_y(frame, value) > text_height) {
        draw_y_tick(frame, value);
        last_y = share_y(frame, value);
      }
    return;
  }
  double step = round_step(frame->most / MAX(frame->height / (3 * text_height), 1));
  for (double value = 0; value <= frame->most; value += step)
    draw_y_tick(frame, value);
}

static void
draw_x_axis(const MsHistogramFrame *frame)
{
  static const int bins[] = {0, 32, 64, 96, 128, 160, 192, 224, 255};

  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  for (guint i = 0; i < G_N_ELEMENTS(bins); i++) {
    g_autofree char *text = g_strdup_printf("%d", bins[i]);
    int width, height;
    ms_panel_text_size(frame->widget, text, &width, &height);
    if (frame->width / 8 < width * 1.5 && i % 2 == 1)
      continue;
    cairo_move_to(frame->cr, bin_x(frame, bins[i]) - width / 2.0, frame->top + frame->height + MS_HISTOGRAM_PAD / 2.0);
    ms_panel_show_text(frame->widget, frame->cr, 0, text);
  }
}

static void
draw_titles(MsHistogramPlot *self, const MsHistogramFrame *frame)
{
  const char *text =
    self->logarithmic ? _("Share of the pixels (logarithmic scale)") : _("Share of the pixels (linear scale)");

  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  cairo_move_to(frame->cr, MS_HISTOGRAM_PAD, MS_HISTOGRAM_PAD / 2.0);
  ms_panel_show_text(frame->widget, frame->cr, frame->left + frame->width, text);
}

static void
draw_waiting(const MsHistogramFrame *frame)
{
  const char *text = _("Computing…");
  int width, height;

  ms_panel_text_size(frame->widget, text, &width, &height);
  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  cairo_move_to(frame->cr, frame->left + (frame->width - width) / 2, frame->top + (frame->height - height) / 2);
  ms_panel_show_text(frame->widget, frame->cr, 0, text);
}

static void
draw_cursor(MsHistogramPlot *self, const MsHistogramFrame *frame)
{
  double x = floor(bin_x(frame, self->bin)) + 0.5;

  ms_chart_set_colour(frame->cr, frame->paint->text);
  cairo_set_line_width(frame->cr, 1);
  cairo_move_to(frame->cr, x, frame->top);
  cairo_line_to(frame->cr, x, frame->top + frame->height);
  cairo_stroke(frame->cr);
}

/** ms_histogram_draw: draws @self over its whole area. */
void
ms_histogram_draw(MsHistogramPlot *self, cairo_t *cr)
{
  MsHistogramFrame frame = ms_histogram_frame(self, cr);

  ms_chart_set_colour(cr, frame.paint->background);
  cairo_paint(cr);
  draw_titles(self, &frame);
  draw_y_axis(&frame);
  draw_x_axis(&frame);
  if (self->has_before)
    draw_histogram(self, &frame, &self->before, TRUE);
  if (self->has_after)
    draw_histogram(self, &frame, &self->after, FALSE);
  if (!self->has_before && !self->has_after)
    draw_waiting(&frame);
  if (self->bin >= 0)
    draw_cursor(self, &frame);
}
