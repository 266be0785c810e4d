/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/histogram-view.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/common/drawn.h"

#define PAD 6

/* How much of the ground a filled channel covers; where channels overlap, their colours mix. */
#define FILL 0.25

struct _MsHistogramPlot {
  GtkDrawingArea parent_instance;
  MsHistogram before;
  MsHistogram after;
  gboolean has_before;
  gboolean has_after;
  gboolean shown[MS_N_CHANNELS];
  gboolean logarithmic;
  int bin;     /* -1: none */
  char *pixel; /* (nullable): the words for the pixel under the pointer in the picture */
};

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

/* The name of a channel, with a mark in its colour. */
static const char *
channel_title(MsImageChannel channel)
{
  static const char *const titles[] = {N_("● Red"), N_("■ Green"), N_("▲ Blue"), N_("◆ Alpha"), N_("▼ Luma")};

  return _(titles[channel]);
}

/* Drawing: axes, filled curves of both pictures, and the cursor */

/* The layout in pixels, and the y axis: shares of pixels from @least to @most. */
typedef struct {
  GtkWidget *widget;
  cairo_t *cr;
  const MsChartPaint *paint;
  double left;
  double top;
  double width;
  double height;
  double least;
  double most;
  gboolean logarithmic;
} Frame;

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

/* The layout for the current size; @cr: (nullable): the target */
static Frame
make_frame(MsHistogramPlot *self, cairo_t *cr)
{
  GtkWidget *widget = GTK_WIDGET(self);
  guint64 pixels = MAX(MAX(self->before.pixels, self->after.pixels), 1);
  int label_width, label_height;

  ms_drawn_text_size(widget, "0.0001 %", &label_width, &label_height);
  Frame frame = {.widget = widget,
                 .cr = cr,
                 .paint = ms_chart_paint(ms_drawn_theme(widget)),
                 .left = label_width + 2 * PAD,
                 .top = label_height + 2 * PAD,
                 .most = find_most(self),
                 .least = self->logarithmic ? 0.5 / (double)pixels : 0,
                 .logarithmic = self->logarithmic};
  frame.width = MAX(gtk_widget_get_allocated_width(widget) - frame.left - 2 * PAD, 16);
  frame.height = MAX(gtk_widget_get_allocated_height(widget) - frame.top - label_height - 2 * PAD, 16);
  return frame;
}

static double
bin_x(const Frame *frame, int bin)
{
  return frame->left + bin / 255.0 * frame->width;
}

static double
share_y(const Frame *frame, double value)
{
  double place = value / frame->most;

  if (frame->logarithmic)
    place = value <= frame->least ? 0 : log(value / frame->least) / log(frame->most / frame->least);
  return frame->top + (1 - CLAMP(place, 0, 1)) * frame->height;
}

static void
curve_path(const Frame *frame, const MsHistogram *histogram, MsImageChannel channel)
{
  cairo_new_path(frame->cr); /* drawing text may have left a current point */
  for (int bin = 0; bin < 256; bin++)
    cairo_line_to(frame->cr, bin_x(frame, bin), share_y(frame, share(histogram, channel, bin)));
}

static void
fill_curve(const Frame *frame, const MsHistogram *histogram, MsImageChannel channel)
{
  const guint32 colour = ms_histogram_channel_colour(channel, ms_drawn_theme(frame->widget));
  cairo_t *cr = frame->cr;

  curve_path(frame, histogram, channel);
  cairo_line_to(cr, bin_x(frame, 255), frame->top + frame->height);
  cairo_line_to(cr, bin_x(frame, 0), frame->top + frame->height);
  cairo_close_path(cr);
  cairo_set_source_rgba(cr, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0, FILL);
  cairo_fill(cr);
}

/* Luma is the outline of the whole; the picture before is dashed. */
static void
stroke_curve(const Frame *frame, const MsHistogram *histogram, MsImageChannel channel, gboolean before)
{
  cairo_t *cr = frame->cr;
  static const double dash[] = {4, 3};

  ms_chart_set_colour(cr, ms_histogram_channel_colour(channel, ms_drawn_theme(frame->widget)));
  cairo_set_dash(cr, dash, before ? 2 : 0, 0);
  cairo_set_line_width(cr, channel == MS_CHANNEL_LUMA ? 1.6 : 1);
  curve_path(frame, histogram, channel);
  cairo_stroke(cr);
  cairo_set_dash(cr, NULL, 0, 0);
}

/* The picture after is filled; alone, the picture before is, too. */
static void
draw_histogram(MsHistogramPlot *self, const Frame *frame, const MsHistogram *histogram, gboolean before)
{
  for (int channel = 0; channel < MS_N_CHANNELS; channel++)
    if (self->shown[channel] && channel != MS_CHANNEL_LUMA && (!before || !self->has_after))
      fill_curve(frame, histogram, channel);
  for (int channel = 0; channel < MS_N_CHANNELS; channel++)
    if (self->shown[channel])
      stroke_curve(frame, histogram, channel, before);
}

static void
draw_y_tick(const Frame *frame, double value)
{
  double y = floor(share_y(frame, value)) + 0.5;
  g_autofree char *text = g_strdup_printf("%.3g %%", value * 100);
  int width, height;

  ms_chart_set_colour(frame->cr, frame->paint->grid);
  cairo_set_line_width(frame->cr, 1);
  cairo_move_to(frame->cr, frame->left, y);
  cairo_line_to(frame->cr, frame->left + frame->width, y);
  cairo_stroke(frame->cr);
  ms_drawn_text_size(frame->widget, text, &width, &height);
  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  cairo_move_to(frame->cr, frame->left - PAD - width, y - height / 2.0);
  ms_drawn_show_text(frame->widget, frame->cr, 0, text);
}

static double
round_step(double rough)
{
  double power = pow(10, floor(log10(rough)));

  return rough / power < 2 ? power : rough / power < 5 ? 2 * power : 5 * power;
}

static void
draw_y_axis(const Frame *frame)
{
  int text_height;

  ms_drawn_text_size(frame->widget, "0", NULL, &text_height);
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
draw_x_axis(const Frame *frame)
{
  static const int bins[] = {0, 32, 64, 96, 128, 160, 192, 224, 255};

  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  for (guint i = 0; i < G_N_ELEMENTS(bins); i++) {
    g_autofree char *text = g_strdup_printf("%d", bins[i]);
    int width, height;
    ms_drawn_text_size(frame->widget, text, &width, &height);
    if (frame->width / 8 < width * 1.5 && i % 2 == 1)
      continue;
    cairo_move_to(frame->cr, bin_x(frame, bins[i]) - width / 2.0, frame->top + frame->height + PAD / 2.0);
    ms_drawn_show_text(frame->widget, frame->cr, 0, text);
  }
}

static void
draw_titles(MsHistogramPlot *self, const Frame *frame)
{
  const char *text = _("Share of the pixels");

  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  cairo_move_to(frame->cr, PAD, PAD / 2.0);
  ms_drawn_show_text(frame->widget, frame->cr, frame->left + frame->width, text);
}

static void
draw_waiting(const Frame *frame)
{
  const char *text = _("Computing…");
  int width, height;

  ms_drawn_text_size(frame->widget, text, &width, &height);
  ms_chart_set_colour(frame->cr, frame->paint->faint_text);
  cairo_move_to(frame->cr, frame->left + (frame->width - width) / 2, frame->top + (frame->height - height) / 2);
  ms_drawn_show_text(frame->widget, frame->cr, 0, text);
}

static void
draw_cursor(MsHistogramPlot *self, const Frame *frame)
{
  double x = floor(bin_x(frame, self->bin)) + 0.5;

  ms_chart_set_colour(frame->cr, frame->paint->text);
  cairo_set_line_width(frame->cr, 1);
  cairo_move_to(frame->cr, x, frame->top);
  cairo_line_to(frame->cr, x, frame->top + frame->height);
  cairo_stroke(frame->cr);
}

static gboolean
ms_histogram_plot_draw(GtkWidget *widget, cairo_t *cr)
{
  MsHistogramPlot *self = MS_HISTOGRAM_PLOT(widget);
  Frame frame = make_frame(self, cr);

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
  ms_drawn_focus(widget, cr);
  return GDK_EVENT_PROPAGATE;
}

/* The cursor */

static int
bin_at(MsHistogramPlot *self, double x)
{
  Frame frame = make_frame(self, NULL);
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
ms_histogram_plot_finalize(GObject *object)
{
  g_free(MS_HISTOGRAM_PLOT(object)->pixel);
  G_OBJECT_CLASS(ms_histogram_plot_parent_class)->finalize(object);
}

static void
ms_histogram_plot_class_init(MsHistogramPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_histogram_plot_finalize;
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

/* Copies both (nullable). */
static void
set_histograms(MsHistogramPlot *self, const MsHistogram *before, const MsHistogram *after)
{
  self->has_before = before != NULL;
  self->has_after = after != NULL;
  self->before = before ? *before : (MsHistogram){0};
  self->after = after ? *after : (MsHistogram){0};
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
    g_string_append_printf(words, "  %s ", channel_title(channel));
    if (self->has_before)
      g_string_append(words, before);
    if (self->has_before && self->has_after)
      g_string_append(words, " → ");
    if (self->has_after)
      g_string_append(words, after);
  }
  return g_string_free(g_steal_pointer(&words), FALSE);
}

/* The view */

struct _MsHistogramView {
  MsPixelPanel parent_instance;
  MsHistogramPlot *plot;
  GtkContainer *channel_box;
  GtkToggleButton *scale;
  GtkComboBox *pictures;
  GtkLabel *legend;
  GtkLabel *clipped;
  GtkLabel *reading;
};

G_DEFINE_FINAL_TYPE(MsHistogramView, ms_histogram_view, MS_TYPE_PIXEL_PANEL)

/* As in histogram-view.ui. */
#define PICTURES_BEFORE "before"
#define PICTURES_AFTER "after"

/* @statistics: (nullable) */
static void
append_clipped(GString *text, const char *name, const MsImageStatistics *statistics)
{
  static const char *const letters[] = {"R", "G", "B", "A", "Y"};

  if (!statistics)
    return;
  g_string_append_printf(text, _("%s%s clipped at 0 / 255:"), text->len > 0 ? "\n" : "", name);
  for (int channel = 0; channel < MS_N_CHANNELS; channel++) {
    const MsChannelStatistics *one = &statistics->channels[channel];
    g_autofree char *low = ms_format_count(one->clipped_low);
    g_autofree char *high = ms_format_count(one->clipped_high);
    if (channel == MS_CHANNEL_A)
      continue; /* opaque is not clipped */
    g_string_append_printf(text, "  %s %s / %s", letters[channel], low, high);
  }
}

/* Shows which curve belongs to which picture, and how many of their pixels are clipped. */
static void
show_words(MsHistogramView *self, MsDocument *document, const MsPictureNumbers *numbers)
{
  g_autofree char *before = ms_picture_statistics_name_before(document);
  g_autofree char *after = ms_picture_statistics_name_after(document);
  g_autofree char *legend = g_strdup_printf(_("Dashed: %s\nFilled: %s"), before, after);
  g_autoptr(GString) clipped = g_string_new(NULL);

  append_clipped(clipped, before, numbers->before);
  append_clipped(clipped, after, numbers->after);
  gtk_label_set_text(self->legend, legend);
  gtk_label_set_text(self->clipped, clipped->str);
}

static void
show_reading(MsHistogramView *self)
{
  MsPictureStatistics *statistics = ms_pixel_panel_get_statistics(MS_PIXEL_PANEL(self));
  int bin = self->plot->bin;
  g_autofree char *words = bin >= 0 ? ms_histogram_plot_read_bin(self->plot, bin) : NULL;
  const char *problem = statistics ? ms_picture_result_get_problem(MS_PICTURE_RESULT(statistics)) : NULL;
  const char *hint = _("Point at a level or at the picture.");
  const char *pixel = self->plot->pixel;

  gtk_label_set_text(self->reading, pixel ? pixel : words ? words : problem ? problem : hint);
}

static void
show_numbers(MsPixelPanel *panel)
{
  MsHistogramView *self = MS_HISTOGRAM_VIEW(panel);
  MsPictureStatistics *statistics = ms_pixel_panel_get_statistics(panel);
  const char *which = gtk_combo_box_get_active_id(self->pictures);
  MsPictureNumbers numbers = statistics ? ms_picture_statistics_get(statistics) : (MsPictureNumbers){0};

  if (g_strcmp0(which, PICTURES_AFTER) == 0)
    numbers.before = NULL;
  if (g_strcmp0(which, PICTURES_BEFORE) == 0)
    numbers.after = NULL;
  set_histograms(self->plot, numbers.before ? &numbers.before->histogram : NULL,
                 numbers.after ? &numbers.after->histogram : NULL);
  if (statistics)
    show_words(self, ms_panel_get_document(MS_PANEL(self)), &numbers);
  show_reading(self);
}

static int
luma_of(const guint8 *p)
{
  return MS_LUMA(p[0], p[1], p[2]);
}

/* The pixel under the pointer in the picture: position, colours in A and B, and the bin at which the cursor stands */
static void
on_pointed(MsHistogramView *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  const MsPointed *pointed = document ? ms_document_get_pointed(document) : NULL;
  MsHistogramPlot *plot = self->plot;

  if (!pointed && !plot->pixel)
    return;
  g_clear_pointer(&plot->pixel, g_free);
  if (pointed) {
    const guint8 *a = pointed->a, *b = pointed->b;
    plot->pixel = g_strdup_printf(_("%d, %d:  A %d %d %d → B %d %d %d,  luma %d → %d"), pointed->x, pointed->y, a[0],
                                  a[1], a[2], b[0], b[1], b[2], luma_of(a), luma_of(b));
  }
  ms_histogram_plot_set_bin(plot, pointed ? luma_of(pointed->b) : -1);
  show_reading(self);
}

static void
ms_histogram_view_attach(MsPanel *panel, MsDocument *document)
{
  MS_PANEL_CLASS(ms_histogram_view_parent_class)->attach(panel, document);
  ms_panel_connect(panel, document, "pointed", G_CALLBACK(on_pointed));
}

static void
on_scale_changed(MsHistogramView *self)
{
  self->plot->logarithmic = gtk_toggle_button_get_active(self->scale);
  gtk_widget_queue_draw(GTK_WIDGET(self->plot));
}

static void
on_channel_toggled(GtkToggleButton *button, MsHistogramView *self)
{
  MsImageChannel channel = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(button), "ms-channel"));

  self->plot->shown[channel] = gtk_toggle_button_get_active(button);
  gtk_widget_queue_draw(GTK_WIDGET(self->plot));
  show_reading(self);
}

/* The mark in front of a channel's name has the colour of its curve. */
static void
colour_mark(GtkWidget *label, gpointer channel)
{
  guint32 colour = ms_histogram_channel_colour(GPOINTER_TO_INT(channel), ms_drawn_theme(label));
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
  PangoAttribute *mark = pango_attr_foreground_new(
    (guint16)((colour >> 16 & 0xff) * 257), (guint16)((colour >> 8 & 0xff) * 257), (guint16)((colour & 0xff) * 257));

  mark->end_index = (guint)strlen("●");
  pango_attr_list_insert(attributes, mark);
  gtk_label_set_attributes(GTK_LABEL(label), attributes);
}

static void
add_channel_buttons(MsHistogramView *self)
{
  for (int channel = 0; channel < MS_N_CHANNELS; channel++) {
    GtkWidget *button = gtk_check_button_new_with_label(channel_title(channel));
    GtkWidget *label = gtk_bin_get_child(GTK_BIN(button));
    g_object_set_data(G_OBJECT(button), "ms-channel", GINT_TO_POINTER(channel));
    g_signal_connect(label, "style-updated", G_CALLBACK(colour_mark), GINT_TO_POINTER(channel));
    colour_mark(label, GINT_TO_POINTER(channel));
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), channel != MS_CHANNEL_A);
    g_signal_connect_object(button, "toggled", G_CALLBACK(on_channel_toggled), self, 0);
    gtk_container_add(self->channel_box, button);
    gtk_widget_set_can_focus(gtk_widget_get_parent(button), FALSE); /* the button itself takes the focus */
    gtk_widget_show_all(gtk_widget_get_parent(button));
  }
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsHistogramView, name)
#define CALLBACK(name) MS_TEMPLATE_CALLBACK(name)

static void
ms_histogram_view_class_init(MsHistogramViewClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(plot),
                                         CHILD(channel_box),
                                         CHILD(scale),
                                         CHILD(pictures),
                                         CHILD(legend),
                                         CHILD(clipped),
                                         CHILD(reading),
                                         CALLBACK(on_scale_changed),
                                         CALLBACK(show_numbers),
                                         CALLBACK(show_reading)};

  MS_PANEL_CLASS(klass)->attach = ms_histogram_view_attach;
  MS_PIXEL_PANEL_CLASS(klass)->show = show_numbers;
  g_type_ensure(MS_TYPE_HISTOGRAM_PLOT);
  ms_template_bind(klass, "panels/statistics/histogram-view.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_histogram_view_init(MsHistogramView *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  add_channel_buttons(self);
  show_reading(self);
}
