/* SPDX-License-Identifier: MIT */
/* The parts that panels are made of: differences, timing rows, numbers as text, charts and tables of reports. */
#include <string.h>

#include "core/chart/chart.h"
#include "core/filter/plan/plan.h"
#include "core/lab/tune/tuner.h"
#include "core/opencl/timing.h"
#include "core/text.h"
#include "tests/gui/panel-fixture.h"
#include "tests/support/fixture.h"
#include "ui/batch/batch-rows.h"
#include "ui/common/format.h"
#include "ui/engine/rates.h"
#include "ui/options/options-panel.h"
#include "ui/options/price-tag.h"
#include "ui/panels/common/chart-view.h"
#include "ui/panels/common/report-view.h"
#include "ui/panels/common/table.h"
#include "ui/panels/statistics/histogram-view.h"
#include "ui/panels/kernel/source-view.h"
#include "ui/panels/runs/runs-panel.h"
#include "ui/panels/timing/stage-bar.h"
#include "ui/panels/timing/timing-view.h"

#define LONG_NAME                                                                                                      \
  "memory image, local-memory on, unroll 4, access vload, work-group 32x8, kernel direct, schedule refill"

/* Reads a difference as one line: "=a -b +c". */
static char *
diff_words(const char *before, const char *after)
{
  static const char signs[] = {'=', '+', '-'};
  g_auto(GStrv) a = g_strsplit(before, " ", -1);
  g_auto(GStrv) b = g_strsplit(after, " ", -1);
  g_autoptr(GArray) diff = ms_text_diff((const char *const *)a, (const char *const *)b);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < diff->len; i++) {
    const MsDiffLine *line = &g_array_index(diff, MsDiffLine, i);
    g_string_append_printf(text, "%s%c%s", i ? " " : "", signs[line->kind], line->text);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
test_diff(void)
{
  static const char *const cases[][3] = {
    {"a b c", "a b c", "=a =b =c"}, {"a b c", "a x c", "=a -b +x =c"},        {"a b", "a b c", "=a =b +c"},
    {"a b c", "b c", "-a =b =c"},   {"a b c d", "a c b d", "=a -b =c +b =d"}, {"a a b", "a b b", "=a -a =b +b"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *words = diff_words(cases[i][0], cases[i][1]);
    g_assert_cmpstr(words, ==, cases[i][2]);
  }
  const char *none[] = {NULL}, *some[] = {"x", "y", NULL};
  g_autoptr(GArray) all_new = ms_text_diff(none, some);
  g_autoptr(GArray) all_gone = ms_text_diff(some, none);
  g_autoptr(GArray) empty = ms_text_diff(none, none);
  g_assert_cmpuint(ms_text_diff_count(all_new, MS_DIFF_ADDED), ==, 2);
  g_assert_cmpuint(ms_text_diff_count(all_gone, MS_DIFF_REMOVED), ==, 2);
  g_assert_cmpuint(empty->len, ==, 0);
}

static void
add_row(MsTimingLog *log, MsStage stage, const char *name, guint64 start, guint64 end, guint64 bytes)
{
  MsTiming row = {stage, name ? g_intern_string(name) : NULL, start - 300, start - 100, start, end, bytes};

  ms_timing_log_add(log, &row);
}

static void
test_timing_rows(void)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();

  add_row(log, MS_STAGE_UPLOAD, NULL, 1000, 3000, 4000);
  add_row(log, MS_STAGE_KERNEL, "mean_shift", 10000, 20000, 5000);
  add_row(log, MS_STAGE_KERNEL, "mean_shift", 30000, 50000, 10000);
  add_row(log, MS_STAGE_KERNEL, "other", 70000, 71000, 0);
  add_row(log, MS_STAGE_KERNEL, "in part", 80000, 90000, 7000);
  add_row(log, MS_STAGE_KERNEL, "in part", 60000, 50000, 7000); /* ends before it starts */
  g_autoptr(GArray) rows = ms_timing_rows_collect(log);
  g_assert_cmpuint(rows->len, ==, 4);
  const MsTimingRow *kernel = &g_array_index(rows, MsTimingRow, 1);
  g_assert_cmpuint(kernel->launches, ==, 2);
  g_assert_cmpuint(kernel->first, ==, 1);
  g_assert_cmpfloat_with_epsilon(kernel->run_ms, 0.03, 1e-12);
  g_assert_cmpfloat_with_epsilon(kernel->queued_ms, 0.0004, 1e-12);
  g_assert_cmpfloat_with_epsilon(kernel->submitted_ms, 0.0002, 1e-12);
  g_assert_cmpuint(kernel->bytes, ==, 15000);
  g_assert_cmpfloat_with_epsilon(kernel->gb_per_s, 0.5, 1e-12);
  g_autofree char *title = ms_timing_row_title(kernel);
  g_assert_cmpstr(title, ==, "Kernel mean_shift");
  g_assert_true(ms_timing_row_moves_device_memory(kernel));
  g_assert_false(ms_timing_row_moves_device_memory(&g_array_index(rows, MsTimingRow, 0)));
  g_assert_false(ms_timing_row_moves_device_memory(&g_array_index(rows, MsTimingRow, 2)));
  const MsTimingRow *in_part = &g_array_index(rows, MsTimingRow, 3);
  g_assert_cmpuint(in_part->launches, ==, 2);
  g_assert_true(isnan(in_part->run_ms) && isnan(in_part->queued_ms) && isnan(in_part->gb_per_s));
  g_assert_cmpuint(in_part->bytes, ==, 14000);
}

static MsRun *
new_run(MsImage *result, MsTimingLog *log)
{
  return ms_run_new(&(MsRunFacts){
    .requested = ms_settings_default(), .settings = ms_settings_default(), .log = log, .result = result, .digest = ""});
}

/* (transfer full): the text of the table that a panel shows of @document. */
static char *
table_of(GType type, MsDocument *document)
{
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL), *panel = g_object_new(type, "visible", TRUE, NULL);

  gtk_container_add(GTK_CONTAINER(window), panel);
  gtk_widget_show(window);
  g_object_set(panel, "document", document, NULL);
  panel_fixture_settle();
  char *text = ms_table_text(GTK_TREE_VIEW(find_by_type(panel, GTK_TYPE_TREE_VIEW)), FALSE);
  gtk_widget_destroy(window);
  return text;
}

/* Every number of a row differs, and so does that of run A, so that each stands below its own title. */
static void
test_timing_table(void)
{
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  g_autoptr(MsImage) image = ms_fixture_noise(8, 8, 1);
  g_autoptr(MsDocument) document = ms_document_new(engine, image, NULL, "noise");
  g_autoptr(MsTimingLog) log = ms_timing_log_new(), log_of_a = ms_timing_log_new();
  const char *kernel = g_intern_string("mean_shift");

  ms_timing_log_add(log, &(MsTiming){MS_STAGE_DECODE, NULL, 0, 0, 0, 9000000, 0});
  ms_timing_log_add(log, &(MsTiming){MS_STAGE_UPLOAD, NULL, 0, 20000, 70000, 370000, 600000});
  ms_timing_log_add(log, &(MsTiming){MS_STAGE_KERNEL, kernel, 0, 400000, 1100000, 3100000, 5000000});
  ms_timing_log_add(log, &(MsTiming){MS_STAGE_KERNEL, kernel, 0, 200000, 400000, 6400000, 3000000});
  ms_timing_log_add(log_of_a, &(MsTiming){MS_STAGE_KERNEL, kernel, 0, 100000, 150000, 4150000, 1000000});
  g_autoptr(MsRun) run = new_run(image, log), a = new_run(image, log_of_a);
  ms_document_add_run(document, a);
  ms_document_add_run(document, run);
  ms_document_set_run_a(document, a);
  g_autofree char *table = table_of(MS_TYPE_TIMING_VIEW, document);
  g_assert_cmpstr(
    table, ==,
    "Stage\tLaunches\tQueued (ms)\tSubmitted (ms)\tRun (ms)\tRun of A (ms)\tB to A\tBytes\tGB/s\tOf peak\n"
    "Decode\t1\t–\t–\t9.000\t–\t–\t–\t–\t–\n"
    "Upload\t1\t0.020\t0.050\t0.300\t–\t–\t600.0\u00a0kB\t2.00\t–\n"
    "Kernel mean_shift\t2\t0.600\t0.900\t8.000\t4.000\t2.00×\t8.0\u00a0MB\t1.00\t–\n");
  ms_window_engine_shut_down(engine);
}

/* A run whose kernel took @ms milliseconds, and in four repeats 10 % and 5 % less and more. */
static MsRun *
add_repeated_run(MsDocument *document, MsImage *image, double ms)
{
  static const double shares[] = {0.9, 0.95, 1.05, 1.1};
  g_autoptr(MsTimingLog) log = ms_timing_log_new();

  ms_timing_log_add(log, &(MsTiming){MS_STAGE_KERNEL, NULL, 0, 0, 0, (guint64)(ms * 1e6), 0});
  g_autoptr(MsRun) run = new_run(image, log);
  for (guint i = 0; i < G_N_ELEMENTS(shares); i++)
    ms_run_add_time(run, ms * shares[i]);
  ms_document_add_run(document, run);
  return run;
}

#define SETTINGS "--sp 10 --sr 20 --max-iterations 5 --epsilon 1 --rule opencv --levels 0 --space rgb"

/* The spread of five times of which each quarter is 5 % apart is 1.57 * 10 % / √5, of their ratio √2 times as much. */
static void
test_runs_table(void)
{
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  g_autoptr(MsImage) image = ms_fixture_noise(8, 8, 1);
  g_autoptr(MsDocument) document = ms_document_new(engine, image, NULL, "noise");

  add_repeated_run(document, image, 4);
  add_repeated_run(document, image, 2);
  add_repeated_run(document, image, 6);
  g_autofree char *table = table_of(MS_TYPE_RUNS_PANEL, document);
  g_assert_cmpstr(table, ==,
                  "A\tB\tRun\tSettings\tDevice\tKernel time\tSpeed-up\tPicture\tMemory\tOrder\n"
                  "yes\tno\tOriginal\t8 × 8\t\t\t\t\t\t\n"
                  "no\tno\tdefaults\t" SETTINGS "\tSerial reference\t4.00 ms ± 7.0 %, 5×\t1.00×\t★ baseline\tkept\t1\n"
                  "no\tno\tagain\t" SETTINGS
                  "\tSerial reference\t2.00 ms ± 7.0 %, 5×\t2.00× ± 9.9 %\t✓ identical\tkept\t2\n"
                  "no\tyes\tagain\t" SETTINGS
                  "\tSerial reference\t6.00 ms ± 7.0 %, 5×\t1.50× slower ± 9.9 %\t✓ identical\tkept\t3, newest\n");
  ms_window_engine_shut_down(engine);
}

/* What the price of a value that takes half of the time is in words, with the interval of the ratio. */
static void
test_price(void)
{
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  g_autoptr(MsImage) image = ms_fixture_noise(8, 8, 1);
  g_autoptr(MsDocument) document = ms_document_new(engine, image, NULL, "noise");
  MsRun *present = add_repeated_run(document, image, 4), *other = add_repeated_run(document, image, 2);
  GtkWidget *tag = g_object_ref_sink(ms_price_tag_new("image"));

  ms_price_tag_set(MS_PRICE_TAG(tag), &(MsFlip){.run = other}, present, 2);
  g_autofree char *words = gtk_widget_get_tooltip_text(tag);
  g_assert_cmpstr(ms_price_tag_get_text(MS_PRICE_TAG(tag)), ==, "0.5×");
  g_assert_cmpstr(words, ==, "0.50× the time of the present settings: 2.00 ms, between 0.45× and 0.55×");
  g_object_unref(tag);
  ms_window_engine_shut_down(engine);
}

/* Adds the texts of all labels below @widget, and of bars to assistive technology. */
static void
add_texts(GtkWidget *widget, gpointer text)
{
  if (GTK_IS_LABEL(widget))
    g_string_append_printf(text, "%s\n", gtk_label_get_text(GTK_LABEL(widget)));
  if (MS_IS_STAGE_BAR(widget))
    g_string_append_printf(text, "%s\n", atk_object_get_description(gtk_widget_get_accessible(widget)));
  if (GTK_IS_CONTAINER(widget))
    gtk_container_forall(GTK_CONTAINER(widget), add_texts, text);
}

/* (transfer full): the texts around the table and the table of a panel of @document */
static char *
texts_of(GType type, MsDocument *document)
{
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL), *panel = g_object_new(type, "visible", TRUE, NULL);
  GString *text = g_string_new(NULL);

  gtk_container_add(GTK_CONTAINER(window), panel);
  gtk_widget_show(window);
  g_object_set(panel, "document", document, NULL);
  panel_fixture_settle();
  add_texts(panel, text);
  g_autofree char *table = ms_table_text(GTK_TREE_VIEW(find_by_type(panel, GTK_TYPE_TREE_VIEW)), FALSE);
  g_string_append(text, table);
  gtk_widget_destroy(window);
  return g_string_free(text, FALSE);
}

static void
assert_nothing_made_up(const char *text)
{
  if (g_regex_match_simple("\\bnan|\\binf\\b|(?<![.\\d])0(\\.0+)? (ms|µs|%)|(?<!\\d)0\\.0+\\b", text, 0, 0))
    g_error("a figure is made up:\n%s", text);
}

/* Nothing of a run whose driver tells no times, or only that of the upload, is a figure in any panel. */
static void
test_unknown_times(void)
{
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  g_autoptr(MsImage) image = ms_fixture_noise(8, 8, 1);
  g_autoptr(MsDocument) document = ms_document_new(engine, image, NULL, "noise");
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  const char *kernel = g_intern_string("mean_shift");

  MsRun *timed = add_repeated_run(document, image, 4);
  ms_timing_log_add(log, &(MsTiming){MS_STAGE_UPLOAD, NULL, 0, 20000, 70000, 370000, 600000});
  ms_timing_log_add(log, &(MsTiming){MS_STAGE_KERNEL, kernel, 400000, 400000, 400000, 3100000, 5000000});
  ms_timing_log_add(log, &(MsTiming){MS_STAGE_KERNEL, kernel, 400000, 400000, 400000, 400001, 5000000});
  ms_timing_log_add(log, &(MsTiming){MS_STAGE_DOWNLOAD, NULL, 500000, 500000, 500000, 500000, 600000});
  g_autoptr(MsRun) run = new_run(image, log);
  ms_document_add_run(document, run);
  g_autofree char *alone = texts_of(MS_TYPE_TIMING_VIEW, document), *runs = texts_of(MS_TYPE_RUNS_PANEL, document);
  g_assert_nonnull(strstr(alone, "\nUpload: 300 µs\n"));
  g_assert_nonnull(strstr(alone, "Kernel mean_shift\t2\t–\t–\t–\t"));
  g_assert_nonnull(strstr(alone, "Download\t1\t–\t–\t–\t"));
  g_assert_nonnull(strstr(runs, "\t–\t–\t✓ identical\t"));
  ms_document_set_run_a(document, timed);
  g_autofree char *beside = texts_of(MS_TYPE_TIMING_VIEW, document);
  g_assert_nonnull(strstr(beside, "The driver does not tell how long kernels ran."));
  GtkWidget *tag = g_object_ref_sink(ms_price_tag_new("image"));
  ms_price_tag_set(MS_PRICE_TAG(tag), &(MsFlip){.run = run}, timed, 2);
  g_autofree char *words = gtk_widget_get_tooltip_text(tag);
  g_assert_cmpstr(ms_price_tag_get_text(MS_PRICE_TAG(tag)), ==, "");
  g_assert_cmpstr(words, ==, "The driver does not tell how long kernels ran.");
  assert_nothing_made_up(alone);
  assert_nothing_made_up(runs);
  assert_nothing_made_up(beside);
  g_object_unref(tag);
  ms_window_engine_shut_down(engine);
}

static void
test_format(void)
{
  const struct {
    double ms;
    const char *text;
  } times[] = {{0.0123, "12.3 µs"}, {0.9998, "1.00 ms"}, {1.234, "1.23 ms"},
               {45.67, "45.7 ms"},  {678.9, "679 ms"},   {1234, "1.23 s"}};

  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    g_autofree char *text = ms_format_ms(times[i].ms);
    g_assert_cmpstr(text, ==, times[i].text);
  }
  static const struct {
    double value;
    const char *format;
    const char *text;
  } numbers[] = {{0.79, "%.3g", "0.79"},
                 {123.4, "%.3g", "123"},
                 {1234.4, "%.3g", "1234"},
                 {99999, "%.4g", "99999"},
                 {-1234.4, "%.3g", "-1234"},
                 {0.00001, "%.3g", "1e-05"},
                 {0.1, "%.17g", "0.10000000000000001"}};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_autofree char *text = ms_number_format(numbers[i].value, numbers[i].format);
    g_assert_cmpstr(text, ==, numbers[i].text);
  }
  g_autofree char *early = ms_format_progress(0.25, 900), *late = ms_format_progress(0.2, 5000);
  g_assert_cmpstr(early, ==, "25 %");
  g_assert_cmpstr(late, ==, "20 %, about 20 s left");
  g_autofree char *nothing = ms_format_ms(G_MAXDOUBLE * 10);
  g_autofree char *share = ms_format_share(0.125);
  g_autofree char *ratio = ms_format_ratio(1.337);
  g_autofree char *no_ratio = ms_format_ratio(1.0 / 0.0);
  g_assert_cmpstr(nothing, ==, MS_NO_NUMBER);
  g_assert_cmpstr(share, ==, "12.5 %");
  g_assert_cmpstr(ratio, ==, "1.34×");
  g_assert_cmpstr(no_ratio, ==, MS_NO_NUMBER);
}

static void
test_stage_bar(void)
{
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget *widget = g_object_new(MS_TYPE_STAGE_BAR, NULL);
  MsStageBar *bar = MS_STAGE_BAR(widget);
  AtkObject *accessible = gtk_widget_get_accessible(widget);

  gtk_container_add(GTK_CONTAINER(window), widget);
  gtk_widget_show_all(window);
  panel_fixture_settle();
  ms_stage_bar_add(bar, MS_STAGE_SIDE_B, "Upload", 0, 1);
  ms_stage_bar_add(bar, MS_STAGE_SIDE_B, "Nothing", 1, 0);
  ms_stage_bar_add(bar, MS_STAGE_SIDE_B, "Kernel", 2, 3);
  panel_fixture_settle();
  g_assert_cmpfloat(ms_stage_bar_get_total_ms(bar, MS_STAGE_SIDE_B), ==, 4);
  g_assert_nonnull(strstr(atk_object_get_description(accessible), "Kernel: 3.00 ms, 75 %"));
  g_assert_null(strstr(atk_object_get_description(accessible), "Nothing"));
  double value = 0;
  g_autofree char *words = NULL;
  atk_value_get_value_and_text(ATK_VALUE(accessible), &value, &words);
  g_assert_cmpfloat(value, ==, 4);
  g_assert_cmpstr(words, ==, "4.00 ms");
  ms_stage_bar_clear(bar, TRUE);
  g_assert_cmpfloat(ms_stage_bar_get_total_ms(bar, MS_STAGE_SIDE_B), ==, 0);
  /* Two runs: each stage has both times, and one that only one run has no number on the other side. */
  ms_stage_bar_add(bar, MS_STAGE_SIDE_B, "Kernel", 2, 6);
  ms_stage_bar_add(bar, MS_STAGE_SIDE_A, "Kernel", 2, 2);
  ms_stage_bar_add(bar, MS_STAGE_SIDE_A, "Probe", 3, 1);
  g_assert_cmpstr(atk_object_get_name(accessible), ==, "Parts of both runs");
  g_assert_cmpstr(atk_object_get_description(accessible), ==, "Kernel: 2.00 ms → 6.00 ms; Probe: 1.00 ms → –");
  gtk_widget_destroy(window);
}

static MsReport *
mixed_report(void)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_new("mixed", "Mixed", "mean-shift");
  MsReport *report = ms_report_new(experiment);
  static const MsOutcome outcomes[] = {MS_OUTCOME_OK, MS_OUTCOME_WRONG, MS_OUTCOME_CONSTRAINT, MS_OUTCOME_PENDING};

  for (guint i = 0; i < G_N_ELEMENTS(outcomes); i++) {
    g_autoptr(MsFactors) settings = ms_factors_new();
    g_autofree char *label = g_strdup_printf("row <%u> & more", i);
    ms_factors_set(settings, "case", label);
    MsReportRow *row = ms_report_add_row(report, settings, label, "g");
    for (guint k = 0; k < 5; k++) {
      double ns = 1e6 * (4 - i) + k;
      g_array_append_val(row->measurement->samples, ns);
    }
    row->measurement->outcome = outcomes[i];
    if (outcomes[i] == MS_OUTCOME_CONSTRAINT)
      row->measurement->message = g_strdup("a < b & c");
    ms_report_finish_row(report, row);
  }
  ms_report_rank(report);
  return report;
}

/* Clicks where the chart has a point, as a person who looks for a bar does; whether there is one, once it is drawn. */
static gboolean
click_bar(MsChartView *chart)
{
  const int width = gtk_widget_get_allocated_width(GTK_WIDGET(chart));
  const int height = gtk_widget_get_allocated_height(GTK_WIDGET(chart));
  g_autoptr(GdkEvent) event = gdk_event_new(GDK_BUTTON_PRESS);
  gboolean taken = FALSE;

  event->button.window = g_object_ref(gtk_widget_get_window(GTK_WIDGET(chart)));
  event->button.button = GDK_BUTTON_PRIMARY;
  gdk_event_set_device(event, gdk_seat_get_pointer(gdk_display_get_default_seat(gdk_display_get_default())));
  for (int y = 0; y < height && !taken; y += 4)
    for (int x = 0; x < width && !taken; x += 4) {
      event->button.x = x;
      event->button.y = y;
      taken = gtk_widget_event(GTK_WIDGET(chart), event);
    }
  return taken;
}

/* Settings that vary have columns of their own, and the time has its uncertainty and a bar beside it. */
static void
test_report_factors(void)
{
  static const char *const memories[] = {"buffer", "image", NULL}, *const unrolls[] = {"1", "2", NULL};
  static const char *const titles[] = {"memory", "unroll", "median ms", "± %"};
  g_autoptr(MsExperiment) experiment = ms_experiment_new("grid", "Grid", "mean-shift");
  ms_experiment_add_axis(experiment, "memory", memories, NULL);
  ms_experiment_add_axis(experiment, "unroll", unrolls, NULL);
  g_autoptr(MsReport) report = ms_report_new(experiment);
  GtkWidget *view = g_object_ref_sink(g_object_new(MS_TYPE_REPORT_VIEW, NULL));

  for (guint i = 0; i < 4; i++) {
    g_autoptr(MsFactors) settings = ms_factors_new();
    ms_factors_set(settings, "memory", memories[i / 2]);
    ms_factors_set(settings, "unroll", unrolls[i % 2]);
    MsReportRow *row = ms_report_add_row(report, settings, "label", "g");
    for (guint k = 0; k < 5; k++) {
      const double ns = i < 3 ? 1e6 * (i + 1) : 10e6;
      g_array_append_val(row->measurement->samples, ns);
    }
    row->measurement->outcome = MS_OUTCOME_OK;
    ms_report_finish_row(report, row);
  }
  ms_report_view_set_report(MS_REPORT_VIEW(view), report);
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(view, GTK_TYPE_TREE_VIEW));
  for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
    g_assert_cmpstr(gtk_tree_view_column_get_title(gtk_tree_view_get_column(tree, (int)i + 1)), ==, titles[i]);
  g_autofree char *memory = tree_cell(tree, 2, 4), *unroll = tree_cell(tree, 2, 5), *spread = tree_cell(tree, 2, 7);
  g_assert_cmpstr(memory, ==, "image");
  g_assert_cmpstr(unroll, ==, "1");
  g_assert_cmpstr(spread, ==, "0.0");
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  GtkTreeIter iter;
  int bar;
  g_assert_true(gtk_tree_model_iter_nth_child(model, &iter, NULL, 2));
  gtk_tree_model_get(model, &iter, 3, &bar, -1);
  g_assert_cmpint(bar, ==, 30);
  gtk_tree_view_column_clicked(gtk_tree_view_get_column(tree, 3));
  g_autofree char *longest = tree_cell(tree, 3, 6);
  g_assert_cmpstr(longest, ==, "10"); /* sorted by value, not as text */
  g_object_unref(view);
}

static void
test_report_view(void)
{
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget *view = g_object_new(MS_TYPE_REPORT_VIEW, NULL);
  g_autoptr(MsReport) report = mixed_report();

  gtk_container_add(GTK_CONTAINER(window), view);
  gtk_window_set_default_size(GTK_WINDOW(window), 900, 400);
  gtk_widget_show(window);
  ms_report_view_set_report(MS_REPORT_VIEW(view), report);
  panel_fixture_settle();
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(view, GTK_TYPE_TREE_VIEW));
  static const char *const marks[] = {"✓", "✗ wrong", "⊘", "…"};
  for (int i = 0; i < 4; i++) {
    g_autofree char *mark = tree_cell(tree, i, 2);
    g_assert_cmpstr(mark, ==, marks[i]);
  }
  /* Only verified rows are drawn. */
  MsChartView *chart = MS_CHART_VIEW(find_by_type(view, MS_TYPE_CHART_VIEW));
  g_assert_cmpuint(ms_chart_n_points(ms_chart_view_get_chart(chart)), ==, 1);
  AtkObject *accessible = gtk_widget_get_accessible(GTK_WIDGET(chart));
  g_assert_cmpstr(atk_object_get_name(accessible), ==, "Mixed");
  g_assert_cmpint(atk_object_get_role(accessible), ==, ATK_ROLE_CHART);
  g_assert_nonnull(strstr(atk_object_get_description(accessible), "row <0> & more"));

  /* A click on a bar selects its row. */
  wait_for(60, click_bar(chart));
  g_assert_cmpint(ms_report_view_get_selected(MS_REPORT_VIEW(view)), ==, 0);

  /* The chosen sort order is kept when rows are added. */
  gtk_tree_view_column_clicked(gtk_tree_view_get_column(tree, 1));
  gtk_tree_view_column_clicked(gtk_tree_view_get_column(tree, 1));
  ms_report_view_set_report(MS_REPORT_VIEW(view), report);
  g_autofree char *first = tree_cell(tree, 0, 4);
  g_assert_cmpstr(first, ==, "row <3> & more");
  gtk_widget_destroy(window);
}

/* (transfer full): a report of one row, whose name and refusal are longer than a table is wide */
static MsReport *
long_report(void)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_new("long", "Long", "mean-shift");
  MsReport *report = ms_report_new(experiment);
  g_autoptr(MsFactors) settings = ms_factors_new();

  ms_factors_set(settings, "case", LONG_NAME);
  MsReportRow *row = ms_report_add_row(report, settings, LONG_NAME, "g");
  row->measurement->outcome = MS_OUTCOME_CONSTRAINT;
  row->measurement->message = g_strnfill(300, 'y');
  ms_report_finish_row(report, row);
  return report;
}

/* Names take the width of their text; the last column takes the rest of the width. */
static void
test_report_columns(void)
{
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget *view = g_object_new(MS_TYPE_REPORT_VIEW, NULL);
  g_autoptr(MsReport) report = long_report();
  int text, width;

  gtk_container_add(GTK_CONTAINER(window), view);
  gtk_window_set_default_size(GTK_WINDOW(window), 700, 400);
  gtk_widget_show(window);
  ms_report_view_set_report(MS_REPORT_VIEW(view), report);
  panel_fixture_settle();
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(view, GTK_TYPE_TREE_VIEW));
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(tree), LONG_NAME);
  pango_layout_get_pixel_size(layout, &text, NULL);
  const int name = gtk_tree_view_column_get_width(gtk_tree_view_get_column(tree, 1));
  g_assert_cmpint(name, >=, text);
  const int last = (int)gtk_tree_view_get_n_columns(tree) - 1;
  const int narrow = gtk_tree_view_column_get_width(gtk_tree_view_get_column(tree, last));

  gtk_window_resize(GTK_WINDOW(window), 2200, 400);
  wait_for(60, gtk_widget_get_allocated_width(GTK_WIDGET(tree)) > 2000);
  int others = 0;
  for (int i = 0; i < last; i++)
    others += gtk_tree_view_column_get_width(gtk_tree_view_get_column(tree, i));
  width = gtk_tree_view_column_get_width(gtk_tree_view_get_column(tree, last));
  g_assert_cmpint(width, ==, gtk_widget_get_allocated_width(GTK_WIDGET(tree)) - others);
  g_assert_cmpint(width, >, narrow);
  g_assert_cmpint(gtk_tree_view_column_get_width(gtk_tree_view_get_column(tree, 1)), ==, name);
  gtk_widget_destroy(window);
}

static void
on_problem(MsReportView *view, GError *error, gpointer data)
{
  g_clear_pointer((char **)data, g_free);
  *(char **)data = g_strdup(error->message);
}

static void
test_export_problems(void)
{
  GtkWidget *view = g_object_ref_sink(g_object_new(MS_TYPE_REPORT_VIEW, NULL));
  g_autoptr(MsReport) report = mixed_report();
  g_autofree char *message = NULL;

  g_signal_connect(view, "problem", G_CALLBACK(on_problem), &message);
  ms_report_view_set_report(MS_REPORT_VIEW(view), report);
  ms_report_view_export_to(MS_REPORT_VIEW(view), "/tmp/report.docx");
  g_assert_nonnull(message);
  g_assert_nonnull(strstr(message, "report.docx"));
  g_clear_pointer(&message, g_free);
  ms_report_view_export_to(MS_REPORT_VIEW(view), "/nonexistent-folder/report.csv");
  wait_for(60, message);
  g_assert_nonnull(strstr(message, "/nonexistent-folder/report.csv"));
  gtk_widget_destroy(view);
  g_object_unref(view);
}

/* In each theme, text, curves and bars have a contrast of 4.5:1 with their background. */
static void
test_contrast(void)
{
  for (MsChartTheme theme = MS_CHART_LIGHT; theme <= MS_CHART_DARK; theme++) {
    const MsChartPaint *paint = ms_chart_paint(theme);
    g_assert_cmpfloat(contrast(paint->text, paint->background), >=, 4.5);
    g_assert_cmpfloat(contrast(paint->faint_text, paint->background), >=, 4.5);
    for (guint i = 0; i < MS_CHART_N_STYLES; i++)
      g_assert_cmpfloat(contrast(paint->series[i], paint->background), >=, 4.5);
    for (MsImageChannel channel = 0; channel < MS_N_CHANNELS; channel++)
      g_assert_cmpfloat(contrast(ms_histogram_channel_colour(channel, theme), paint->background), >=, 4.5);
  }
}

static void
add_trial(MsReport *report, const char *toggles, double ms)
{
  g_autoptr(MsFactors) factors = ms_factors_parse(toggles, NULL);
  MsMeasurement *measured = ms_measurement_new();
  const double ns = ms * 1e6;

  measured->outcome = MS_OUTCOME_OK;
  g_array_append_val(measured->samples, ns);
  ms_tune_add(report, factors, measured);
}

/* A time measured with other parameters is scaled by the pixels that are visited. */
static void
test_rates(void)
{
  const MsDeviceLimits limits = {.type = MS_DEVICE_TYPE_CPU,
                                 .compute_units = 2,
                                 .global_memory = G_GUINT64_CONSTANT(4) << 30,
                                 .max_allocation = G_GUINT64_CONSTANT(1) << 30,
                                 .local_memory = 32768,
                                 .max_work_group = 4096,
                                 .max_work_item = {4096, 4096, 4096},
                                 .fp64 = TRUE,
                                 .preferred_multiple = 1,
                                 .opencl_version = 300};
  g_autoptr(MsRates) rates = ms_rates_new();
  g_autoptr(MsFactors) none = ms_factors_new(), problem = ms_factors_parse("size:100x100 sp:10", NULL);
  g_autoptr(MsReport) unknown = ms_tune_report_new("mean-shift", none);
  g_autoptr(MsReport) report = ms_tune_report_new("mean-shift", problem);
  MsSettings settings = ms_settings_default();
  MsRateQuery query = {"processor", &settings, 200, 100};

  unknown->device.name = g_strdup("processor");
  add_trial(unknown, "kernel:direct access:pointer unroll:1", 30);
  ms_rates_add_report(rates, unknown, &limits);
  g_assert_cmpfloat(ms_rates_find_kernel(rates, &query), <, 0); /* the size of the picture is not known */
  report->device.name = g_strdup("processor");
  add_trial(report, "kernel:direct access:pointer unroll:1", 30);
  add_trial(report, "kernel:direct access:pointer unroll:4", 20);
  ms_rates_add_report(rates, report, &limits);
  settings.options.kernel = MS_KERNEL_DIRECT;
  const MsJob job = {.settings = &settings, .size = {200, 100}};
  g_autoptr(MsPlan) plan = ms_plan_new(&job, &(MsDeviceShare){.limits = &limits}, NULL);
  settings = plan->settings;
  settings.options.unroll = 1;
  g_assert_cmpfloat_with_epsilon(ms_rates_find_same(rates, &query), 60, 1e-9);
  settings.options.unroll = 4;
  g_assert_cmpfloat_with_epsilon(ms_rates_find_same(rates, &query), 40, 1e-9);
  settings.options.unroll = 2;
  g_assert_cmpfloat(ms_rates_find_same(rates, &query), <, 0);
  g_assert_cmpfloat_with_epsilon(ms_rates_find_kernel(rates, &query), 40, 1e-9); /* the winner's */
  settings.params.sp = 20;
  g_assert_cmpfloat_with_epsilon(ms_rates_find_kernel(rates, &query), 40 * (41.0 * 41) / (21.0 * 21), 1e-9);
  query.device = "another";
  g_assert_cmpfloat(ms_rates_find_kernel(rates, &query), <, 0);
}

/* Sentences of the library name options as the command line does; those of the window have its labels. */
static void
test_words(void)
{
  static const char *const cases[][2] = {
    {"Choose --memory buffer or --levels 0.", "Choose 'Memory object' buffer or 'Pyramid levels' 0."},
    {"--unroll cannot be '3'.", "'Unroll' cannot be '3'."},
    {"Choose another name, or --on-conflict skip.", "Choose another name, or 'on conflict' skip."},
    {"'a--b.png' cannot be read -- it is empty.", "'a--b.png' cannot be read -- it is empty."},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *words = ms_words_of_window(cases[i][0]);
    g_assert_cmpstr(words, ==, cases[i][1]);
  }
}

static void
take_event(MsBatchRows *rows, const char *event)
{
  g_autoptr(JsonNode) root = json_from_string(event, NULL);

  ms_batch_rows_take_event(rows, json_node_get_object(root));
}

static void
assert_batch_row(const MsBatchRows *rows, int row, const char *expected)
{
  static const MsBatchColumn columns[] = {MS_BATCH_NAME, MS_BATCH_STATE,  MS_BATCH_SIZE,
                                          MS_BATCH_TIME, MS_BATCH_RESULT, MS_BATCH_REASON};
  g_autoptr(GString) text = g_string_new(NULL);
  GtkTreeIter iter = g_array_index(rows->iters, GtkTreeIter, row);

  for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
    g_autofree char *cell = NULL;
    gtk_tree_model_get(GTK_TREE_MODEL(rows->store), &iter, columns[i], &cell, -1);
    g_string_append_printf(text, "%s%s", i ? "|" : "", cell ? cell : "");
  }
  g_assert_cmpstr(text->str, ==, expected);
}

/* The rows of a batch, and what is said of them all: those that are skipped belong to no total. */
static void
test_batch_rows(void)
{
  MsBatchRows *rows = ms_batch_rows_new();

  take_event(rows, "{\"seq\":1,\"input\":\"/in/a.png\",\"output\":\"/out/a.jpg\",\"status\":\"done\",\"width\":640,"
                   "\"height\":480,\"kernel_ms\":12.5}");
  for (int seq = 2; seq <= 5; seq++) {
    g_autofree char *event = g_strdup_printf("{\"seq\":%d,\"input\":\"/in/%d.png\",\"status\":\"pending\"}", seq, seq);
    take_event(rows, event);
  }
  take_event(rows, "{\"seq\":6,\"input\":\"/in/c.png\",\"status\":\"skipped\",\"shown\":\"exists\"}");
  g_autofree char *good = ms_batch_rows_describe(rows, 0);
  g_assert_cmpstr(good, ==, "1 of 5 done, 0 failed, 1 skipped");
  take_event(rows, "{\"seq\":2,\"input\":\"/in/2.png\",\"status\":\"failed\",\"shown\":\"'/in/2.png' is damaged.\"}");
  g_autofree char *at_work = ms_batch_rows_describe(rows, 2);
  g_assert_cmpstr(at_work, ==, "1 of 5 done, 2.0 images/s, 1.50 s left, 1 skipped");
  assert_batch_row(rows, 0, "a.png|✓ Done|640 × 480|12.5 ms|/out/a.jpg|");
  assert_batch_row(rows, 1, "2.png|✗ Failed||||'2.png' is damaged.");
  assert_batch_row(rows, 2, "3.png|Waiting||||");
  assert_batch_row(rows, 5, "c.png|– Skipped||||exists");
  ms_batch_rows_free(rows);
}

/* Failures that are tried again stay failures where the run does not come to them; a plan has none. */
static void
test_batch_failures(void)
{
  MsBatchRows *rows = ms_batch_rows_new();

  rows->is_plan = TRUE;
  for (int seq = 1; seq <= 3; seq++) {
    g_autofree char *event = g_strdup_printf("{\"seq\":%d,\"input\":\"/in/%d.png\",\"status\":\"%s\",\"shown\":"
                                             "\"'/out/%d.png' exists already.\"}",
                                             seq, seq, seq < 3 ? "failed" : "pending", seq);
    take_event(rows, event);
  }
  g_autofree char *planned = ms_batch_rows_describe_failures(rows), *outlook = ms_batch_rows_describe_outlook(rows);
  g_autofree char *unknown = ms_batch_rows_describe_outlook(NULL);
  g_assert_cmpstr(planned, ==, "2 would conflict");
  g_assert_nonnull(strstr(outlook, "2 of 3 pictures would conflict"));
  g_assert_true(g_str_has_prefix(unknown, "The settings have changed since this batch;"));
  assert_batch_row(rows, 0, "1.png|⚠ Conflict||||'/out/1.png' exists already.");
  ms_batch_rows_note_failures(rows);
  g_assert_cmpuint(g_hash_table_size(rows->failures), ==, 0);

  rows->is_plan = FALSE;
  take_event(rows, "{\"seq\":1,\"input\":\"/in/1.png\",\"status\":\"failed\",\"shown\":\"'/in/1.png' is damaged.\"}");
  take_event(rows, "{\"seq\":2,\"input\":\"/in/2.png\",\"status\":\"failed\",\"shown\":\"'/in/2.png' is damaged.\"}");
  ms_batch_rows_note_failures(rows);
  take_event(rows, "{\"seq\":1,\"input\":\"/in/1.png\",\"status\":\"pending\"}");
  take_event(rows, "{\"seq\":2,\"input\":\"/in/2.png\",\"status\":\"pending\"}");
  take_event(rows, "{\"seq\":2,\"input\":\"/in/2.png\",\"status\":\"done\"}");
  g_assert_cmpuint(rows->counts[MS_ITEM_FAILED], ==, 0);
  ms_batch_rows_restore_failures(rows);
  g_assert_cmpuint(rows->counts[MS_ITEM_FAILED], ==, 1);
  assert_batch_row(rows, 0, "1.png|✗ Failed||||'1.png' is damaged.");
  assert_batch_row(rows, 1, "2.png|✓ Done||||");
  ms_batch_rows_free(rows);
}

/* What stands in place of regions and statistics, for each state. */
static void
test_waiting(void)
{
  static const struct {
    MsWaiting waiting;
    const char *text;
  } cases[] = {
    {{FALSE, FALSE, FALSE, FALSE, FALSE}, "Open a picture to see this."},
    {{TRUE, FALSE, FALSE, FALSE, FALSE}, "The picture has not been filtered yet."},
    {{TRUE, FALSE, TRUE, FALSE, FALSE}, "The picture is being filtered."},
    {{TRUE, FALSE, FALSE, FALSE, TRUE}, "The picture has not been filtered yet."},
    {{TRUE, FALSE, TRUE, FALSE, TRUE}, "This waits for the end of a measurement, which has the device to itself."},
    {{TRUE, TRUE, TRUE, FALSE, FALSE}, "This is computed when the picture has been filtered again."},
    {{TRUE, TRUE, FALSE, TRUE, FALSE}, "Computing…"},
    {{TRUE, TRUE, FALSE, FALSE, FALSE}, "Computing…"},
    {{TRUE, TRUE, FALSE, TRUE, TRUE}, "This waits for the end of a measurement, which has the device to itself."},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    g_assert_cmpstr(ms_waiting_text(&cases[i].waiting), ==, cases[i].text);
}

/* What the side panel says of the time, for each state. */
static void
test_cost(void)
{
  static const struct {
    MsCost cost;
    const char *text;
  } cases[] = {
    {{NULL, NULL, NULL, 25}, "These settings take about 25 ms."},
    {{NULL, NULL, NULL, -1}, "No run with this kernel has been measured yet."},
    {{"Spatial radius", "6", NULL, 25}, "Spatial radius 6 takes about 25 ms."},
    {{"Spatial radius", "6", NULL, -1}, "Spatial radius 6: no run with its kernel has been measured yet."},
    {{"Unrolling", "4", "direct", 25}, "Unrolling 4 needs the kernel 'direct' and takes about 25 ms."},
    {{"Unrolling", "4", "direct", -1}, "Unrolling 4 needs the kernel 'direct', which has not been measured yet."},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = ms_cost_text(&cases[i].cost);
    g_assert_cmpstr(text, ==, cases[i].text);
  }
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/panel-parts/diff", test_diff);
  g_test_add_func("/panel-parts/timing-rows", test_timing_rows);
  g_test_add_func("/panel-parts/timing-table", test_timing_table);
  g_test_add_func("/panel-parts/runs-table", test_runs_table);
  g_test_add_func("/panel-parts/price", test_price);
  g_test_add_func("/panel-parts/unknown-times", test_unknown_times);
  g_test_add_func("/panel-parts/format", test_format);
  g_test_add_func("/panel-parts/stage-bar", test_stage_bar);
  g_test_add_func("/panel-parts/report-view", test_report_view);
  g_test_add_func("/panel-parts/report-columns", test_report_columns);
  g_test_add_func("/panel-parts/report-factors", test_report_factors);
  g_test_add_func("/panel-parts/export-problems", test_export_problems);
  g_test_add_func("/panel-parts/contrast", test_contrast);
  g_test_add_func("/panel-parts/rates", test_rates);
  g_test_add_func("/panel-parts/words", test_words);
  g_test_add_func("/panel-parts/batch-rows", test_batch_rows);
  g_test_add_func("/panel-parts/batch-failures", test_batch_failures);
  g_test_add_func("/panel-parts/waiting", test_waiting);
  g_test_add_func("/panel-parts/cost", test_cost);
  return g_test_run();
}
