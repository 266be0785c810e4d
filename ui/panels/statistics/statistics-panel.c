/* SPDX-License-Identifier: MIT */
#include "ui/panels/statistics/statistics-panel.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/panels/common/table.h"

struct _MsStatisticsPanel {
  MsPixelPanel parent_instance;
  GtkTreeView *tree;
  GtkListStore *store; /* of @tree */
  GtkLabel *difference;
  GtkLabel *times;
  GtkWidget *copy;
};

G_DEFINE_FINAL_TYPE(MsStatisticsPanel, ms_statistics_panel, MS_TYPE_PIXEL_PANEL)

/* The columns of the model, which the table shows in this order; others follow the median. */
enum {
  COLUMN_PICTURE,
  COLUMN_CHANNEL,
  COLUMN_MIN,
  COLUMN_MAX,
  COLUMN_MEAN,
  COLUMN_DEVIATION,
  COLUMN_MEDIAN,
};

static const MsTableColumn columns[] = {
  {N_("Picture"), COLUMN_PICTURE, .expands = TRUE},   {N_("Channel"), COLUMN_CHANNEL},
  {N_("Min"), COLUMN_MIN, .is_number = TRUE},         {N_("Max"), COLUMN_MAX, .is_number = TRUE},
  {N_("Mean"), COLUMN_MEAN, .is_number = TRUE},       {N_("Std. dev."), COLUMN_DEVIATION, .is_number = TRUE},
  {N_("Median"), COLUMN_MEDIAN, .is_number = TRUE},   {N_("1 %"), COLUMN_MEDIAN + 1, .is_number = TRUE},
  {N_("5 %"), COLUMN_MEDIAN + 2, .is_number = TRUE},  {N_("25 %"), COLUMN_MEDIAN + 3, .is_number = TRUE},
  {N_("75 %"), COLUMN_MEDIAN + 4, .is_number = TRUE}, {N_("95 %"), COLUMN_MEDIAN + 5, .is_number = TRUE},
  {N_("99 %"), COLUMN_MEDIAN + 6, .is_number = TRUE}, {N_("Non-zero"), COLUMN_MEDIAN + 7, .is_number = TRUE},
  {N_("At 0"), COLUMN_MEDIAN + 8, .is_number = TRUE}, {N_("At 255"), COLUMN_MEDIAN + 9, .is_number = TRUE},
};

static const char *const channel_names[] = {N_("Red"), N_("Green"), N_("Blue"), N_("Alpha"), N_("Luma")};

static char *
number_text(double value)
{
  return value == floor(value) ? g_strdup_printf("%.0f", value) : g_strdup_printf("%.2f", value);
}

static void
add_channel(MsStatisticsPanel *self, const char *picture, int channel, const MsChannelStatistics *one)
{
  const double *p = one->percentiles;
  const double numbers[] = {one->min, one->max, one->mean, one->stddev, one->median, p[0],
                            p[1],     p[2],     p[3],      p[4],        p[5]};
  const guint64 counts[] = {one->nonzero, one->clipped_low, one->clipped_high};
  GtkTreeIter iter;
  int column = COLUMN_MIN;

  gtk_list_store_insert_with_values(self->store, &iter, -1, COLUMN_PICTURE, picture, COLUMN_CHANNEL,
                                    _(channel_names[channel]), -1);
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_autofree char *text = number_text(numbers[i]);
    gtk_list_store_set(self->store, &iter, column++, text, -1);
  }
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    g_autofree char *text = ms_format_count(counts[i]);
    gtk_list_store_set(self->store, &iter, column++, text, -1);
  }
}

/* @statistics: (nullable) */
static void
add_picture(MsStatisticsPanel *self, const char *name, const MsImageStatistics *statistics)
{
  for (int channel = 0; statistics && channel < MS_N_CHANNELS; channel++)
    add_channel(self, channel == 0 ? name : "", channel, &statistics->channels[channel]);
}

static char *
short_difference_text(const MsImageComparison *comparison)
{
  if (comparison->changed == 0)
    return g_strdup(_("The pictures are identical."));
  return g_strdup_printf(_("%.2f %% of the pixels changed, PSNR %.1f dB"),
                         100.0 * (double)comparison->changed / (double)comparison->pixels, comparison->psnr);
}

static char *
difference_text(const MsImageComparison *comparison)
{
  g_autofree char *changed = ms_format_count(comparison->changed);
  g_autofree char *pixels = ms_format_count(comparison->pixels);
  double percent = comparison->pixels > 0 ? 100.0 * (double)comparison->changed / (double)comparison->pixels : 0;

  if (comparison->changed == 0)
    return g_strdup_printf(_("The pictures are identical (%s pixels)."), pixels);
  return g_strdup_printf(_("%s of %s pixels changed (%.2f %%). PSNR %.2f dB, mean absolute difference %.3f, largest "
                           "difference %u."),
                         changed, pixels, percent, comparison->psnr, comparison->mean_absolute,
                         comparison->max_difference);
}

static void
append_time(GString *text, const char *what, const MsTimedPass *pass)
{
  g_autofree char *time = ms_format_ms(pass->kernel_ms);

  if (!(pass->kernel_ms > 0))
    return;
  g_string_append_printf(text, "%s%s %s", text->len > 0 ? "   " : _("Kernel times: "), what, time);
  if (pass->gb_per_s > 0)
    g_string_append_printf(text, ", %.2f GB/s", pass->gb_per_s);
  if (pass->peak_share > 0)
    g_string_append_printf(text, _(" (%.0f %% of the peak)"), pass->peak_share * 100);
}

static void
show_times(MsStatisticsPanel *self, const MsPictureNumbers *numbers, const char *before_name, const char *after_name)
{
  const MsImageStatistics *before = numbers->before, *after = numbers->after;
  g_autoptr(GString) text = g_string_new(NULL);

  if (before)
    append_time(text, before_name, &before->timed);
  if (after)
    append_time(text, after_name, &after->timed);
  gtk_label_set_text(self->times, text->str);
}

static void
show_difference(MsStatisticsPanel *self, const MsImageComparison *comparison, const char *problem)
{
  const MsWaiting waiting = ms_panel_get_waiting(MS_PANEL(self), TRUE);
  gboolean compact = ms_panel_is_compact(MS_PANEL(self));
  g_autofree char *text = !comparison ? NULL
                          : compact   ? short_difference_text(comparison)
                                      : difference_text(comparison);

  gtk_label_set_text(self->difference, text ? text : problem ? problem : ms_waiting_text(&waiting));
}

/* Whole numbers keep all columns of the compact form in view; the full form has the decimals. */
static char *
arrow(double before, double after)
{
  return rint(before) == rint(after) ? g_strdup_printf("%.0f", after) : g_strdup_printf("%.0f→%.0f", before, after);
}

/* Fills one row for each channel, with the numbers before and after in one cell. */
static void
add_compact_rows(MsStatisticsPanel *self, const MsImageStatistics *before, const MsImageStatistics *after)
{
  for (int channel = 0; channel < MS_N_CHANNELS; channel++) {
    const MsChannelStatistics *a = &before->channels[channel], *b = &after->channels[channel];
    g_autofree char *min = arrow(a->min, b->min), *max = arrow(a->max, b->max), *mean = arrow(a->mean, b->mean);
    g_autofree char *deviation = arrow(a->stddev, b->stddev), *median = arrow(a->median, b->median);
    GtkTreeIter iter;
    /* The compact form leaves alpha out where every pixel of both pictures is opaque. */
    if (channel == MS_CHANNEL_A && a->min == 255 && b->min == 255)
      continue;
    gtk_list_store_append(self->store, &iter);
    gtk_list_store_set(self->store, &iter, COLUMN_CHANNEL, _(channel_names[channel]), COLUMN_MIN, min, COLUMN_MAX, max,
                       COLUMN_MEAN, mean, COLUMN_DEVIATION, deviation, COLUMN_MEDIAN, median, -1);
  }
}

static void
ms_statistics_panel_show(MsPixelPanel *panel)
{
  MsStatisticsPanel *self = MS_STATISTICS_PANEL(panel);
  MsPictureStatistics *statistics = ms_pixel_panel_get_statistics(panel);
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));

  gtk_list_store_clear(self->store);
  gtk_widget_set_sensitive(self->copy, document != NULL);
  if (!document) {
    show_difference(self, NULL, NULL);
    gtk_label_set_text(self->times, "");
    return;
  }
  const MsPictureNumbers numbers = ms_picture_statistics_get(statistics);
  show_difference(self, numbers.comparison, ms_picture_result_get_problem(MS_PICTURE_RESULT(statistics)));
  if (ms_panel_is_compact(MS_PANEL(self))) {
    if (numbers.before)
      add_compact_rows(self, numbers.before, numbers.after ? numbers.after : numbers.before);
    return;
  }
  g_autofree char *before_name = ms_picture_statistics_name_before(document);
  g_autofree char *after_name = ms_picture_statistics_name_after(document);
  add_picture(self, before_name, numbers.before);
  add_picture(self, after_name, numbers.after);
  show_times(self, &numbers, before_name, after_name);
}

/** ms_statistics_panel_get_text: (transfer full): the table with tabs between its cells, for the clipboard. */
char *
ms_statistics_panel_get_text(MsStatisticsPanel *self)
{
  g_autofree char *table = ms_table_text(self->tree, FALSE);

  return g_strconcat(table, gtk_label_get_text(self->difference), "\n", NULL);
}

static void
on_copy_clicked(MsStatisticsPanel *self)
{
  g_autofree char *text = ms_statistics_panel_get_text(self);

  gtk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD), text, -1);
}

static void
make_compact(MsStatisticsPanel *self)
{
  for (int column = 0; column < (int)G_N_ELEMENTS(columns); column++) {
    GtkTreeViewColumn *view = gtk_tree_view_get_column(self->tree, column);
    gtk_tree_view_column_set_visible(view, column >= COLUMN_CHANNEL && column <= COLUMN_MEDIAN);
    gtk_tree_view_column_set_expand(view, TRUE);
  }
  gtk_tree_view_column_set_title(gtk_tree_view_get_column(self->tree, COLUMN_CHANNEL), "");
  gtk_tree_view_column_set_title(gtk_tree_view_get_column(self->tree, COLUMN_DEVIATION), _("Dev."));
  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(self->tree)), "compact");
  /* What is around the short form scrolls; it has all its rows in sight. */
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(gtk_widget_get_parent(GTK_WIDGET(self->tree))), GTK_POLICY_NEVER,
                                 GTK_POLICY_NEVER);
  gtk_label_set_width_chars(self->difference, 24);
}

static void
ms_statistics_panel_constructed(GObject *object)
{
  G_OBJECT_CLASS(ms_statistics_panel_parent_class)->constructed(object);
  if (ms_panel_is_compact(MS_PANEL(object)))
    make_compact(MS_STATISTICS_PANEL(object));
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsStatisticsPanel, name)

static void
ms_statistics_panel_class_init(MsStatisticsPanelClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(tree), CHILD(difference), CHILD(times), CHILD(copy),
                                         MS_TEMPLATE_CALLBACK(on_copy_clicked)};

  G_OBJECT_CLASS(klass)->constructed = ms_statistics_panel_constructed;
  MS_PIXEL_PANEL_CLASS(klass)->show = ms_statistics_panel_show;
  ms_template_bind(klass, "panels/statistics/statistics-panel.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_statistics_panel_init(MsStatisticsPanel *self)
{
  g_autoptr(GtkListStore) store = ms_table_new_store(G_N_ELEMENTS(columns));

  gtk_widget_init_template(GTK_WIDGET(self));
  ms_table_add_columns(self->tree, columns, G_N_ELEMENTS(columns));
  gtk_tree_view_set_model(self->tree, GTK_TREE_MODEL(store));
  self->store = store;
}
