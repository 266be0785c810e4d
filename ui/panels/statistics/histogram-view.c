/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/histogram-view.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/panels/common/drawn.h"
#include "ui/panels/statistics/histogram-plot.h"

struct _MsHistogramView {
  MsPixelPanel parent_instance;
  MsHistogramPlot *plot;
  GtkContainer *channel_box;
  GtkComboBox *scale;
  GtkComboBox *pictures;
  GtkLabel *legend;
  GtkLabel *clipped;
  GtkLabel *reading;
};

G_DEFINE_FINAL_TYPE(MsHistogramView, ms_histogram_view, MS_TYPE_PIXEL_PANEL)

/* As in histogram-view.ui. */
#define PICTURES_BEFORE "before"
#define PICTURES_AFTER "after"
#define SCALE_LOGARITHMIC "logarithmic"

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
  g_autofree char *legend = g_strdup_printf(_("Dashed, hollow marks: %s\nSolid, filled marks: %s"), before, after);
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
  int bin = ms_histogram_plot_get_bin(self->plot);
  g_autofree char *words = bin >= 0 ? ms_histogram_plot_read_bin(self->plot, bin) : NULL;
  const char *problem = statistics ? ms_picture_result_get_problem(MS_PICTURE_RESULT(statistics)) : NULL;
  const char *hint = _("Point at a level, or use the arrow keys.");

  gtk_label_set_text(self->reading, words ? words : problem ? problem : hint);
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
  ms_histogram_plot_set_histograms(self->plot, numbers.before ? &numbers.before->histogram : NULL,
                                   numbers.after ? &numbers.after->histogram : NULL);
  if (statistics)
    show_words(self, ms_panel_get_document(MS_PANEL(self)), &numbers);
  show_reading(self);
}

static void
on_scale_changed(MsHistogramView *self)
{
  const char *scale = gtk_combo_box_get_active_id(self->scale);

  ms_histogram_plot_set_logarithmic(self->plot, g_strcmp0(scale, SCALE_LOGARITHMIC) == 0);
}

static void
on_channel_toggled(GtkToggleButton *button, MsHistogramView *self)
{
  MsImageChannel channel = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(button), "ms-channel"));

  ms_histogram_plot_set_channel(self->plot, channel, gtk_toggle_button_get_active(button));
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
    GtkWidget *button = gtk_check_button_new_with_label(ms_histogram_channel_title(channel));
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
