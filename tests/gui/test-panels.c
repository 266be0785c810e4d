/* SPDX-License-Identifier: MIT */
/* The panels that show the document, with real runs, compared with the results of core. */
#include <math.h>
#include <string.h>

#include "tests/gui/panel-fixture.h"
#include "ui/document/flips.h"
#include "ui/panels/statistics/picture-statistics.h"
#include "ui/panels/statistics/histogram-view.h"
#include "ui/panels/runs/runs-panel.h"
#include "ui/panels/kernel/source-view.h"
#include "ui/panels/statistics/statistics-panel.h"
#include "ui/panels/timing/stage-bar.h"
#include "ui/panels/timing/timing-view.h"
#include "tests/support/fixture.h"

static void
test_timings(void)
{
  SET_UP_PANEL(f, MS_TYPE_TIMING_VIEW);
  MsRun *run = panel_fixture_filter(&f, "sp", "6");
  g_autoptr(GArray) rows = ms_timing_rows_collect(ms_run_get_log(run));
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW));
  MsStageBar *bar = MS_STAGE_BAR(find_by_type(f.panel, MS_TYPE_STAGE_BAR));

  g_assert_cmpint(tree_rows(tree), ==, rows->len);
  for (guint i = 0; i < rows->len; i++) {
    const MsTimingRow *row = &g_array_index(rows, MsTimingRow, i);
    g_autofree char *title = ms_timing_row_title(row);
    g_autofree char *shown = tree_cell(tree, (int)i, 0);
    g_autofree char *time = tree_cell(tree, (int)i, 4);
    g_assert_cmpstr(shown, ==, title);
    g_assert_cmpfloat_with_epsilon(g_strtod(time, NULL), row->run_ms, 0.0006);
  }
  double build = ms_timing_log_total_ms(ms_run_get_log(run), MS_STAGE_BUILD);
  double all = 0;
  for (guint i = 0; i < rows->len; i++)
    all += g_array_index(rows, MsTimingRow, i).run_ms;
  g_assert_cmpfloat_with_epsilon(ms_stage_bar_get_total_ms(bar, MS_STAGE_SIDE_B), all - build, 1e-6);
  g_assert_nonnull(find_label_with(f.panel, build > 0 ? "Building the kernels took" : "No kernels were built"));
  wait_for(60, find_label_with(f.panel, "Measured peak of the device"));
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "timings");
}

/*
 * (transfer full): the first words of the panel's comparison of B with A. Either can be the slower one: other programs
 * may interrupt a short run.
 */
static char *
comparison_of(MsRun *a, MsRun *b)
{
  const double ratio = ms_run_get_kernel_ms(b) / ms_run_get_kernel_ms(a), times = ratio >= 1 ? ratio : 1 / ratio;

  return g_strdup_printf("B is %.*f× %s (", times < 10 ? 2 : 1, times, ratio >= 1 ? "slower" : "faster");
}

/* Both runs stand on one scale, with the ratio in words: never a number below one. */
static void
test_timings_of_two_runs(void)
{
  SET_UP_PANEL(f, MS_TYPE_TIMING_VIEW);
  MsRun *small = panel_fixture_filter(&f, "sp", "3");
  MsRun *large = panel_fixture_filter(&f, "sp", "5");
  GtkWidget *bar = find_by_type(f.panel, MS_TYPE_STAGE_BAR);
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW));
  g_assert_false(gtk_tree_view_column_get_visible(gtk_tree_view_get_column(tree, 5)));
  ms_document_set_run_a(f.document, small);
  panel_fixture_settle();
  g_autofree char *once = comparison_of(small, large), *repeated = comparison_of(large, small);
  GtkWidget *words = find_label_with(f.panel, once);
  g_assert_nonnull(words);
  g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(words)), " (one run each): "));
  g_assert_cmpstr(atk_object_get_name(gtk_widget_get_accessible(bar)), ==, "Parts of both runs");
  g_assert_true(gtk_tree_view_column_get_visible(gtk_tree_view_get_column(tree, 5)));
  panel_fixture_screenshot(&f, "timings-of-two");
  for (int i = 0; i < 2; i++) {
    ms_run_add_time(small, ms_run_get_kernel_ms(small));
    ms_run_add_time(large, ms_run_get_kernel_ms(large));
  }
  ms_document_set_run_a(f.document, large);
  ms_document_set_run_b(f.document, small);
  panel_fixture_settle();
  words = find_label_with(f.panel, repeated);
  g_assert_nonnull(words);
  g_assert_null(strstr(gtk_label_get_text(GTK_LABEL(words)), "one run"));
  ms_document_set_run_b(f.document, large);
  panel_fixture_settle();
  g_assert_nonnull(find_label_with(f.panel, ", 160 × 120: kernels ")); /* a run is not compared with itself */
}

static void
test_histogram(void)
{
  g_autofree MsHistogram *before = g_new0(MsHistogram, 1);
  g_autofree MsHistogram *after = g_new0(MsHistogram, 1);

  SET_UP_PANEL(f, MS_TYPE_HISTOGRAM_VIEW);
  MsRun *run = panel_fixture_filter(&f, "sr", "25");
  MsImage *source = ms_document_get_source(f.document), *result = ms_run_get_result(run);
  MsPictureStatistics *statistics = ms_picture_statistics_of(f.document);
  wait_for(60,
           !ms_picture_result_is_busy(MS_PICTURE_RESULT(statistics)) && ms_picture_statistics_get(statistics).after);
  ms_histogram_serial(ms_image_get_pixels(source), ms_image_get_byte_size(source) / 4, before);
  ms_histogram_serial(ms_image_get_pixels(result), ms_image_get_byte_size(result) / 4, after);
  g_assert_cmpmem(&ms_picture_statistics_get(statistics).before->histogram, sizeof *before, before, sizeof *before);
  g_assert_cmpmem(&ms_picture_statistics_get(statistics).after->histogram, sizeof *after, after, sizeof *after);

  MsHistogramPlot *plot = MS_HISTOGRAM_PLOT(find_by_type(f.panel, MS_TYPE_HISTOGRAM_PLOT));
  ms_histogram_plot_set_bin(plot, 120);
  g_autofree char *pair = g_strdup_printf("● Red %" G_GUINT64_FORMAT " → %" G_GUINT64_FORMAT,
                                          before->counts[MS_CHANNEL_R][120], after->counts[MS_CHANNEL_R][120]);
  g_autofree char *words = ms_histogram_plot_read_bin(plot, 120);
  g_assert_nonnull(strstr(words, pair));
  g_assert_nonnull(find_label_with(f.panel, pair));
  double value = 0;
  g_autofree char *spoken = NULL;
  AtkObject *accessible = gtk_widget_get_accessible(GTK_WIDGET(plot));
  atk_value_get_value_and_text(ATK_VALUE(accessible), &value, &spoken);
  g_assert_cmpfloat(value, ==, 120);
  g_assert_cmpstr(spoken, ==, words);
  g_assert_cmpint(atk_object_get_role(accessible), ==, ATK_ROLE_CHART);
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "histogram");

  GtkWidget *red = find_button(f.panel, "● Red");
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(red), FALSE);
  g_autofree char *without = ms_histogram_plot_read_bin(plot, 120);
  g_assert_null(strstr(without, "Red"));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(find_button(f.panel, "Lo_g")), TRUE);
  panel_fixture_screenshot(&f, "histogram-logarithmic");

  /* The pixel under the pointer in the picture stands in place of the hint, and the cursor at its luma. */
  const MsPointed pointed = {12, 34, {10, 20, 30, 255}, {40, 50, 60, 255}};
  ms_document_set_pointed(f.document, &pointed);
  g_autofree char *pixel =
    g_strdup_printf("12, 34:  A 10 20 30 → B 40 50 60,  luma %d → %d", MS_LUMA(10, 20, 30), MS_LUMA(40, 50, 60));
  g_assert_nonnull(find_label_with(f.panel, pixel));
  g_assert_cmpint(ms_histogram_plot_get_bin(plot), ==, MS_LUMA(40, 50, 60));
  ms_document_set_pointed(f.document, NULL);
  g_assert_null(find_label_with(f.panel, "12, 34:"));
  g_assert_nonnull(find_label_with(f.panel, "Point at a level or at the picture"));
}

static void
press_key(GtkWidget *widget, guint keyval)
{
  GdkEvent *event = gdk_event_new(GDK_KEY_PRESS);

  event->key.window = g_object_ref(gtk_widget_get_window(widget));
  event->key.keyval = keyval;
  gdk_event_set_device(event, gdk_seat_get_keyboard(gdk_display_get_default_seat(gtk_widget_get_display(widget))));
  gtk_widget_event(widget, event);
  gdk_event_free(event);
}

static void
test_histogram_keys(void)
{
  SET_UP_PANEL(f, MS_TYPE_HISTOGRAM_VIEW);
  GtkWidget *plot = find_by_type(f.panel, MS_TYPE_HISTOGRAM_PLOT);
  MsHistogramPlot *self = MS_HISTOGRAM_PLOT(plot);
  press_key(plot, GDK_KEY_Home);
  g_assert_cmpint(ms_histogram_plot_get_bin(self), ==, 0);
  press_key(plot, GDK_KEY_Left);
  g_assert_cmpint(ms_histogram_plot_get_bin(self), ==, 0);
  press_key(plot, GDK_KEY_Right);
  g_assert_cmpint(ms_histogram_plot_get_bin(self), ==, 1);
  press_key(plot, GDK_KEY_Page_Down);
  g_assert_cmpint(ms_histogram_plot_get_bin(self), ==, 17);
  press_key(plot, GDK_KEY_End);
  g_assert_cmpint(ms_histogram_plot_get_bin(self), ==, 255);
}

/* The short form has one row for each channel, which shows whole numbers before and after. */
static void
check_compact_statistics(MsDocument *document, const MsImageStatistics *before, const MsImageComparison *comparison)
{
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget *panel = g_object_new(MS_TYPE_STATISTICS_PANEL, "visible", TRUE, "compact", TRUE, NULL);
  g_autofree MsImageStatistics *after = g_new0(MsImageStatistics, 1);
  MsImage *result = ms_run_get_result(ms_document_get_current_run(document));
  g_autofree char *difference =
    g_strdup_printf("%.2f %% of the pixels changed, PSNR %.1f dB",
                    100.0 * (double)comparison->changed / (double)comparison->pixels, comparison->psnr);

  gtk_container_add(GTK_CONTAINER(window), panel);
  gtk_widget_show(window);
  g_object_set(panel, "document", document, NULL);
  panel_fixture_settle();
  g_assert_nonnull(find_label_with(panel, difference));
  ms_fixture_statistics(ms_image_get_pixels(result), ms_image_get_byte_size(result) / 4, after);
  const MsChannelStatistics *a = &before->channels[0], *b = &after->channels[0];
  const double pairs[][2] = {
    {a->min, b->min}, {a->max, b->max}, {a->mean, b->mean}, {a->stddev, b->stddev}, {a->median, b->median}};
  for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
    g_autofree char *from = g_strdup_printf("%.0f", pairs[i][0]), *to = g_strdup_printf("%.0f", pairs[i][1]);
    g_autofree char *both = g_strconcat(from, "→", to, NULL);
    g_autofree char *cell = tree_cell(GTK_TREE_VIEW(find_by_type(panel, GTK_TYPE_TREE_VIEW)), 0, 2 + (int)i);
    g_assert_cmpstr(cell, ==, strcmp(from, to) == 0 ? to : both);
  }
  gtk_widget_destroy(window);
}

static void
test_statistics(void)
{
  g_autofree MsImageStatistics *source_numbers = g_new0(MsImageStatistics, 1);
  MsImageComparison comparison = {0};

  SET_UP_PANEL(f, MS_TYPE_STATISTICS_PANEL);
  MsRun *run = panel_fixture_filter(&f, "sr", "30");
  MsImage *source = ms_document_get_source(f.document), *result = ms_run_get_result(run);
  wait_for(60, find_label_with(f.panel, "PSNR"));
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW));
  ms_fixture_statistics(ms_image_get_pixels(source), ms_image_get_byte_size(source) / 4, source_numbers);
  ms_image_comparison_of_pixels(ms_image_get_pixels(source), ms_image_get_pixels(result),
                                ms_image_get_byte_size(source) / 4, &comparison);
  g_assert_cmpint(tree_rows(tree), ==, 2 * MS_N_CHANNELS);
  for (int channel = 0; channel < MS_N_CHANNELS; channel++) {
    const MsChannelStatistics *one = &source_numbers->channels[channel];
    g_autofree char *mean = tree_cell(tree, channel, 4);
    g_autofree char *deviation = tree_cell(tree, channel, 5);
    g_autofree char *max = tree_cell(tree, channel, 3);
    g_assert_cmpfloat_with_epsilon(g_strtod(mean, NULL), one->mean, 0.0051);
    g_assert_cmpfloat_with_epsilon(g_strtod(deviation, NULL), one->stddev, 0.0051);
    g_assert_cmpuint((guint)g_strtod(max, NULL), ==, one->max);
  }
  g_autofree char *psnr = g_strdup_printf("PSNR %.2f dB", comparison.psnr);
  g_assert_nonnull(find_label_with(f.panel, psnr));
  g_assert_nonnull(find_label_with(f.panel, "Kernel times: Original"));
  g_autofree char *table = ms_statistics_panel_get_text(MS_STATISTICS_PANEL(f.panel));
  g_assert_nonnull(strstr(table, "Picture\tChannel\tMin\tMax"));
  g_assert_nonnull(strstr(table, "Original\tRed\t"));
  check_compact_statistics(f.document, source_numbers, &comparison);
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "statistics");
}

static void
select_row(GtkTreeView *tree, int row)
{
  g_autoptr(GtkTreePath) path = gtk_tree_path_new_from_indices(row, -1);

  gtk_tree_view_set_cursor(tree, path, NULL, FALSE);
}

static void
test_runs(void)
{
  SET_UP_PANEL(f, MS_TYPE_RUNS_PANEL);
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW));
  MsRun *first = panel_fixture_filter(&f, "kernel", "direct");
  MsRun *second = panel_fixture_filter(&f, "unroll", "4");
  MsRun *third = panel_fixture_filter(&f, "sp", "4");
  g_assert_cmpint(tree_rows(tree), ==, 4);

  /* The first run is the baseline until another is marked. */
  select_row(tree, 1);
  g_assert_true(ms_runs_panel_get_selected(MS_RUNS_PANEL(f.panel)) == first);
  g_assert_nonnull(find_button(f.panel, "Unmark _Baseline"));
  select_row(tree, 2);
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "Mark as _Baseline")));
  panel_fixture_settle();
  g_assert_true(ms_document_get_baseline(f.document) == second);
  g_autofree char *first_badge = tree_cell(tree, 1, MS_RUNS_BADGE);
  g_autofree char *second_badge = tree_cell(tree, 2, MS_RUNS_BADGE);
  g_autofree char *third_badge = tree_cell(tree, 3, MS_RUNS_BADGE);
  g_assert_cmpstr(first_badge, ==, "✓ identical");
  g_assert_cmpstr(second_badge, ==, "★ baseline");
  g_assert_cmpstr(third_badge, ==, "other parameters");
  g_autofree char *speedup = tree_cell(tree, 1, MS_RUNS_SPEEDUP);
  const double ratio = ms_run_get_kernel_ms(second) / ms_run_get_kernel_ms(first);
  g_assert_cmpfloat_with_epsilon(g_strtod(speedup, NULL), MAX(ratio, 1 / ratio), 0.051);
  g_assert_true((strstr(speedup, "slower") != NULL) == (ratio < 1));
  g_autofree char *none = tree_cell(tree, 3, MS_RUNS_SPEEDUP);
  g_assert_cmpstr(none, ==, "–");

  ms_run_set_label(second, "unrolled by four");
  panel_fixture_settle();
  g_autofree char *label = tree_cell(tree, 2, MS_RUNS_LABEL);
  g_assert_cmpstr(label, ==, "unrolled by four");
  ms_document_set_run_a(f.document, first);
  panel_fixture_settle();
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "runs");

  select_row(tree, 2);
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "Restore _Settings")));
  g_assert_cmpfloat(ms_document_get_settings(f.document)->params.sp, ==, ms_run_get_settings(second)->params.sp);
  g_assert_true(third != second);
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "_Delete")));
  panel_fixture_settle();
  g_assert_cmpint(tree_rows(tree), ==, 3);
}

/* A run is named by what differs from the run before it; a kernel that follows from a toggle is named as well. */
static void
test_run_names(void)
{
  SET_UP_PANEL(f, MS_TYPE_RUNS_PANEL);
  g_assert_cmpstr(ms_run_get_label(panel_fixture_filter(&f, NULL, NULL)), ==, "defaults");
  g_assert_cmpstr(ms_run_get_label(panel_fixture_filter(&f, "sr", "30")), ==, "sr 30");
  g_assert_cmpstr(ms_run_get_label(panel_fixture_filter(&f, "max-iterations", "3")), ==, "max iterations 3");
  MsRun *rows = panel_fixture_filter(&f, "kernel", "rows");
  g_assert_cmpstr(ms_run_get_label(rows), ==, "rows");
  panel_fixture_filter(&f, "kernel", "auto");
  MsRun *image = panel_fixture_filter(&f, "memory", "image");
  g_assert_cmpstr(ms_run_get_label(image), ==, "image · direct");
  g_assert_cmpstr(ms_run_get_label(panel_fixture_filter(&f, "unroll", "4")), ==, "unroll 4");
  g_assert_cmpstr(ms_run_get_label(panel_fixture_filter(&f, "unroll", "1")), ==, "unroll 1");
  g_assert_cmpstr(ms_run_get_label(panel_fixture_filter(&f, "unroll", "4")), ==, "unroll 4"); /* the same difference */
  g_assert_cmpstr(ms_run_get_label(panel_fixture_filter(&f, NULL, NULL)), ==, "again");
  MsSettings both = *ms_document_get_settings(f.document);
  both.params.sr = 15;
  both.params.max_iterations = 2;
  ms_document_set_settings(f.document, &both);
  MsRun *last = panel_fixture_filter(&f, NULL, NULL);
  g_assert_cmpstr(ms_run_get_label(last), ==, "sr 15 · max iterations 2");
  g_autofree char *about = ms_run_describe(last);
  g_assert_true(g_str_has_prefix(about, "Run 11: sr 15 · max iterations 2\n"));
  g_assert_nonnull(strstr(about, "Memory object image"));
  panel_fixture_screenshot(&f, "run-names");
}

/* With the kernel held, the baseline is run with the kernel that a toggle needs, and the names differ by the toggle. */
static void
test_hold_kernel(void)
{
  SET_UP_PANEL(f, MS_TYPE_RUNS_PANEL);
  MsRun *first = panel_fixture_filter(&f, NULL, NULL);
  g_auto(MsFlip) flip = ms_document_look_at(f.document, ms_option_find("memory"), "image");
  g_auto(MsFlip) present = ms_document_look_at(f.document, ms_option_find("memory"), "buffer");
  g_assert_cmpstr(flip.kernel, ==, "direct");
  g_assert_null(present.kernel);
  ms_document_set_holds_kernel(f.document, TRUE);
  MsRun *image = panel_fixture_filter(&f, "memory", "image");
  MsRun *held = ms_document_get_baseline(f.document);
  g_assert_true(held != first && held != image);
  g_assert_cmpint(ms_run_get_settings(held)->options.kernel, ==, MS_KERNEL_DIRECT);
  g_assert_cmpint(ms_run_get_settings(held)->options.memory, ==, MS_MEMORY_BUFFER);
  g_assert_cmpstr(ms_run_get_label(held), ==, "direct");
  g_assert_cmpstr(ms_run_get_label(image), ==, "image");
  g_assert_true(ms_document_get_current_run(f.document) == image);
  g_assert_cmpint(ms_run_get_match(image), ==, MS_MATCH_IDENTICAL);

  /* Back at the first kernel, the run that was made with it is the baseline again. */
  panel_fixture_filter(&f, "memory", "buffer");
  g_assert_true(ms_document_get_baseline(f.document) == first);
  g_assert_cmpuint(g_list_model_get_n_items(ms_document_get_runs(f.document)), ==, 4);
}

static void
on_toggle_cell(GtkTreeView *tree, int column, int row)
{
  GList *cells = gtk_cell_layout_get_cells(GTK_CELL_LAYOUT(gtk_tree_view_get_column(tree, column)));
  g_autofree char *path = g_strdup_printf("%d", row);

  g_signal_emit_by_name(cells->data, "toggled", path);
  g_list_free(cells);
}

static void
test_runs_sides(void)
{
  SET_UP_PANEL(f, MS_TYPE_RUNS_PANEL);
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f.panel, GTK_TYPE_TREE_VIEW));
  MsRun *first = panel_fixture_filter(&f, "sr", "10");
  panel_fixture_filter(&f, "sr", "20");
  MsRun *third = panel_fixture_filter(&f, "sr", "40");
  on_toggle_cell(tree, 0, 1);
  g_assert_true(ms_document_get_run_a(f.document) == first);
  on_toggle_cell(tree, 0, 1);
  g_assert_null(ms_document_get_run_a(f.document));
  on_toggle_cell(tree, 1, 1);
  g_assert_true(ms_document_get_run_b(f.document) == first);
  on_toggle_cell(tree, 1, 3);
  g_assert_null(ms_document_get_run_b(f.document)); /* side B shows the newest run */
  g_assert_true(ms_document_get_current_run(f.document) == third);

  /* A bound of one picture drops all but the baseline's and the visible one, and the panel says so. */
  ms_document_set_memory_bound(f.document, ms_image_get_byte_size(ms_document_get_source(f.document)));
  panel_fixture_settle();
  g_autofree char *dropped = tree_cell(tree, 2, MS_RUNS_PICTURE);
  g_assert_cmpstr(dropped, ==, "dropped");
  g_assert_nonnull(find_label_with(f.panel, "1 older picture was removed"));
}

/* (transfer full): the contents of the text view, including change marks */
static char *
shown_source(PanelFixture *f)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(find_named(f->panel, "Kernel source")));
  char *text = NULL;

  g_object_get(buffer, "text", &text, NULL);
  return text;
}

/* Without change marks, the program and its options are shown as the compiler gets them. */
static void
check_plain_source(PanelFixture *f, const MsPlan *plan)
{
  GtkToggleButton *changes = GTK_TOGGLE_BUTTON(find_button(f->panel, "Show chan_ges"));
  g_autofree char *exact = ms_program_spec_compose(plan->program);

  gtk_toggle_button_set_active(changes, FALSE);
  g_autofree char *shown = shown_source(f);
  g_assert_cmpint(strlen(shown), ==, strlen(exact) + 1);
  g_assert_true(g_str_has_prefix(shown, exact));
  g_assert_nonnull(find_label_with(f->panel, ms_program_spec_get_options(plan->program)));
  gtk_toggle_button_set_active(changes, TRUE);
}

static void
test_source(void)
{
  SET_UP_PANEL(f, MS_TYPE_SOURCE_VIEW);
  panel_fixture_filter(&f, "kernel", "direct");
  g_autoptr(MsPlan) plan = ms_document_plan(f.document, ms_document_get_settings(f.document), NULL);
  check_plain_source(&f, plan);

  panel_fixture_filter(&f, "access", "vload");
  g_autofree char *shown = shown_source(&f);
  g_assert_nonnull(strstr(shown, "− "));
  g_assert_nonnull(strstr(shown, "+ "));
  g_assert_nonnull(find_label_with(f.panel, "since the previous configuration"));
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "kernel");

  g_autoptr(MsPlan) changed = ms_document_plan(f.document, ms_document_get_settings(f.document), NULL);
  check_plain_source(&f, changed);
  gtk_button_clicked(GTK_BUTTON(find_button(f.panel, "Co_mpile")));
  panel_fixture_settle();
}

typedef struct {
  guint32 texts[8];
  guint32 grounds[4];
  guint n_texts, n_grounds;
} SourceColours;

static guint32
rgb_of(const GdkRGBA *colour)
{
  return (guint32)(colour->red * 255 + 0.5) << 16 | (guint32)(colour->green * 255 + 0.5) << 8 |
         (guint32)(colour->blue * 255 + 0.5);
}

static void
take_colours(GtkTextTag *tag, gpointer data)
{
  SourceColours *colours = data;
  g_autoptr(GdkRGBA) text = NULL;
  g_autoptr(GdkRGBA) ground = NULL;
  gboolean has_text, has_ground;

  g_object_get(tag, "foreground-rgba", &text, "foreground-set", &has_text, "paragraph-background-rgba", &ground,
               "paragraph-background-set", &has_ground, NULL);
  if (has_text)
    colours->texts[colours->n_texts++] = rgb_of(text);
  if (has_ground)
    colours->grounds[colours->n_grounds++] = rgb_of(ground);
}

/* In a light and a dark theme, the coloured source has a contrast of 4.5:1 on plain, added and removed lines. */
static void
test_source_colours(void)
{
  SET_UP_PANEL(f, MS_TYPE_SOURCE_VIEW);
  panel_fixture_filter(&f, "kernel", "direct");
  for (int dark = 0; dark <= 1; dark++) {
    SourceColours colours = {.n_texts = 0};
    GdkRGBA base;

    g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", dark, NULL);
    panel_fixture_settle();
    GtkTextView *view = GTK_TEXT_VIEW(find_named(f.panel, "Kernel source"));
    gtk_text_tag_table_foreach(gtk_text_buffer_get_tag_table(gtk_text_view_get_buffer(view)), take_colours, &colours);
    g_assert_cmpuint(colours.n_texts, ==, 4);
    g_assert_cmpuint(colours.n_grounds, ==, 2);
    g_assert_true(gtk_style_context_lookup_color(gtk_widget_get_style_context(f.panel), "theme_base_color", &base));
    colours.grounds[colours.n_grounds++] = rgb_of(&base);
    g_assert_cmpint(base.green < 0.5, ==, dark);
    for (guint i = 0; i < colours.n_texts; i++)
      for (guint j = 0; j < colours.n_grounds; j++) {
        g_test_message("#%06x on #%06x", colours.texts[i], colours.grounds[j]);
        g_assert_cmpfloat(contrast(colours.texts[i], colours.grounds[j]), >=, 4.5);
      }
  }
  g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", FALSE, NULL);
}

static void
test_reference_engine(void)
{
  SET_UP_PANEL(f, MS_TYPE_SOURCE_VIEW);
  ms_window_engine_choose(f.engine, MS_ENGINE_REFERENCE);
  wait_for(60, ms_window_engine_get_state(f.engine) == MS_WINDOW_ENGINE_READY);
  panel_fixture_settle();
  g_assert_nonnull(find_label_with(f.panel, "serial reference"));
}

/*
 * The reference has statistics like a device, computed in plain C, and its time stands beside those of
 * devices.
 */
static void
test_reference_run(void)
{
  SET_UP_PANEL(f, MS_TYPE_TIMING_VIEW);
  MsRun *device_run = panel_fixture_filter(&f, "sp", "3");
  ms_window_engine_choose(f.engine, MS_ENGINE_REFERENCE);
  wait_for(60, ms_window_engine_get_state(f.engine) == MS_WINDOW_ENGINE_READY);
  MsRun *run = panel_fixture_filter(&f, NULL, NULL);
  g_assert_true(run != device_run);
  g_assert_null(ms_run_get_device(run));
  g_assert_nonnull(find_label_with(f.panel, "on Serial reference, 160 × 120: took "));
  g_assert_cmpstr(ms_runs_panel_badge(run, device_run), ==, "✓ identical");
  MsPictureStatistics *statistics = ms_picture_statistics_of(f.document);
  ms_picture_statistics_update(statistics, f.document);
  wait_for(60, !ms_picture_result_is_busy(MS_PICTURE_RESULT(statistics)));
  g_assert_null(ms_picture_result_get_problem(MS_PICTURE_RESULT(statistics)));
  g_assert_nonnull(ms_picture_statistics_get(statistics).comparison);
}

static void
test_without_document(void)
{
  static GType (*const types[])(void) = {ms_timing_view_get_type, ms_histogram_view_get_type,
                                         ms_statistics_panel_get_type, ms_runs_panel_get_type, ms_source_view_get_type};

  for (guint i = 0; i < G_N_ELEMENTS(types); i++)
    panel_fixture_show_empty(types[i]());
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/panels/timings", test_timings);
  g_test_add_func("/panels/timings-of-two-runs", test_timings_of_two_runs);
  g_test_add_func("/panels/histogram", test_histogram);
  g_test_add_func("/panels/histogram-keys", test_histogram_keys);
  g_test_add_func("/panels/statistics", test_statistics);
  g_test_add_func("/panels/runs", test_runs);
  g_test_add_func("/panels/runs-sides", test_runs_sides);
  g_test_add_func("/panels/run-names", test_run_names);
  g_test_add_func("/panels/hold-kernel", test_hold_kernel);
  g_test_add_func("/panels/source", test_source);
  g_test_add_func("/panels/source-colours", test_source_colours);
  g_test_add_func("/panels/reference-engine", test_reference_engine);
  g_test_add_func("/panels/reference-run", test_reference_run);
  g_test_add_func("/panels/without-document", test_without_document);
  return g_test_run();
}
