/* SPDX-License-Identifier: MIT */
/* Reports of made-up figures in every form, comparing two of them, and the charts. */
#include <math.h>
#include <string.h>

#include "core/chart/chart-draw.h"
#include "core/error.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/compare.h"
#include "core/lab/report/report-chart.h"
#include "core/lab/report/report-csv.h"
#include "core/lab/report/report-json-read.h"
#include "core/lab/report/report-json.h"
#include "core/lab/report/report-markdown.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-save.h"
#include "core/lab/report/report-text.h"
#include "core/lab/report/report.h"
#include "tests/support/json-schema.h"

static const char sample[] =
  "[Experiment]\nTitle=A \"title\" & <more>, with all\nKind=mean-shift\nStudy=MS\nFinding=It was found.\n"
  "[Axes]\nmemory=buffer;image\nunroll=1;2;4\n[Fixed]\nsp=5\n[Baseline]\nunroll=1\n"
  "[Plot]\nType=bars\nX=unroll\nSeries=memory\nY=time\n"
  "[Published Old GPU]\nQuantity=time\nUnit=us\nValues=memory:buffer unroll:4 2500\n"
  "[Published Older GPU]\nQuantity=speed-up\nUnit=×\nValues=unroll:4 1.2..1.4\n";

static void
fill_row(MsReport *report, guint index, double ms)
{
  MsReportRow *row = report->rows->pdata[index];
  MsMeasurement *m = row->measurement;

  for (int i = 0; i < 11; i++) {
    double ns = ms * 1e6 * (1 + 0.001 * (i - 5));
    double wall = ns + 1000;
    g_array_append_val(m->samples, ns);
    guint round = m->rounds->len;
    g_array_append_val(m->walls, wall);
    g_array_append_val(m->rounds, round);
    g_array_append_val(ms_measurement_stage(m, "kernel", "direct")->ns, ns);
  }
  m->first_ns = ms * 2e6;
  m->first_wall_ns = ms * 3e6;
  m->prepare_ns = 5e6;
  m->outcome = MS_OUTCOME_OK;
  m->work = (MsWork){1e6, 2e8, 0, 8e6};
  g_free(m->verification.against);
  m->verification = (MsVerification){TRUE, 1000000, 0, 0, g_strdup("the reference")};
  ms_report_finish_row(report, row);
}

/* An anchor that took 3 ms in the rounds of all rows. */
static void
add_anchor(MsReport *report, double factor)
{
  MsMeasurement *anchor = ms_measurement_new();

  for (guint round = 0; round < 11; round++) {
    double ns = 3e6 * factor * (1 + 0.001 * (round % 3));
    g_array_append_val(anchor->samples, ns);
    g_array_append_val(anchor->rounds, round);
  }
  anchor->outcome = MS_OUTCOME_OK;
  g_hash_table_insert(report->anchors, g_strdup("one group"), anchor);
}

static MsReport *
make_report(double factor)
{
  g_autoptr(MsExperiment) e = ms_experiment_parse("sample", sample, -1, NULL);
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  MsReport *report = ms_report_new(e);

  report->device.name = g_strdup("Test, \"device\"");
  report->device.platform = g_strdup("Platform");
  report->device.driver = g_strdup("1.0");
  report->device.type = g_strdup("cpu");
  report->device.peak_read_gb_per_s = 10;
  report->program_version = g_strdup("0");
  report->complete = TRUE;
  for (guint i = 0; i < all->len; i++) {
    g_autofree char *label = ms_experiment_label(e, all->pdata[i]);
    ms_report_add_row(report, all->pdata[i], label, "one group");
  }
  add_anchor(report, 1);
  fill_row(report, 0, 10);
  fill_row(report, 1, 5);
  fill_row(report, 2, 2.5 * factor);
  fill_row(report, 3, 20);
  ms_measurement_fail(((MsReportRow *)report->rows->pdata[4])->measurement, MS_OUTCOME_WRONG,
                      "3 of 100\nwrong | pixels");
  ms_measurement_fail(((MsReportRow *)report->rows->pdata[5])->measurement, MS_OUTCOME_CONSTRAINT, "Refused.");
  ms_report_rank(report);
  return report;
}

static const MsReportRow *
row_at(const MsReport *report, guint index)
{
  return report->rows->pdata[index];
}

/* The copy is the same in every form that a report has, and stays so when the original is measured on and freed. */
static void
test_snapshot(void)
{
  MsReport *report = make_report(1);
  g_autofree char *before = ms_report_to_json(report);
  g_autoptr(MsReport) copy = ms_report_snapshot(report);

  fill_row(report, 1, 77);
  ms_report_rank(report);
  g_autofree char *after = ms_report_to_json(report);
  ms_report_unref(report);
  g_autofree char *copied = ms_report_to_json(copy);
  g_assert_cmpstr(copied, ==, before);
  g_assert_cmpstr(copied, !=, after);
}

static void
test_ranking(void)
{
  g_autoptr(MsReport) report = make_report(1);

  g_assert_true(row_at(report, 0)->baseline);
  g_assert_true(row_at(report, 3)->baseline); /* the image's own unroll 1 */
  g_assert_cmpint(row_at(report, 1)->speedup.verdict, ==, MS_VERDICT_FASTER);
  g_assert_cmpfloat_with_epsilon(row_at(report, 2)->speedup.ratio, 4, 1e-9);
  g_assert_true(isnan(row_at(report, 4)->speedup.ratio)); /* a wrong one is not ranked */
  g_assert_true(isnan(row_at(report, 5)->speedup.ratio));
  g_assert_true(isnan(ms_report_row_metric(report, row_at(report, 4), "time")));
  g_assert_cmpuint(ms_report_count(report, MS_OUTCOME_OK), ==, 4);
  ms_measurement_fail(row_at(report, 2)->measurement, MS_OUTCOME_WRONG, "Found at the end, after all samples.");
  ms_report_rank(report);
  g_assert_true(isnan(row_at(report, 2)->speedup.ratio));
}

static void
test_quantities(void)
{
  g_autoptr(MsReport) report = make_report(1);
  const MsReportRow *row = row_at(report, 0); /* 10 ms, 1 megapixel, 2e8 samples, 8 MB */

  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(report, row, "time"), 10, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(report, row, "time-us"), 10000, 1e-6);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(report, row, "megapixels-per-s"), 100, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(report, row, "window-samples-per-s"), 20, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(report, row, "gb-per-s"), 0.8, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(report, row, "peak-share"), 8, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(report, row, "first-extra"), 30 - 10.001, 1e-9);
  g_assert_true(isnan(ms_report_row_metric(report, row, "elements-per-s")));
  g_assert_true(isnan(ms_report_row_metric(report, row, "energy")));
  g_assert_true(isnan(ms_report_row_metric(report, row, "no such thing")));
}

static JsonNode *
load_schema(void)
{
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "report.schema.json", NULL);
  g_autoptr(JsonParser) parser = json_parser_new();
  g_autoptr(GError) error = NULL;

  json_parser_load_from_file(parser, path, &error);
  g_assert_no_error(error);
  return json_node_copy(json_parser_get_root(parser));
}

static void
test_json_schema(void)
{
  g_autoptr(JsonNode) schema = load_schema();
  g_autoptr(MsReport) report = make_report(1);
  g_autoptr(JsonNode) node = ms_report_to_json_node(report);
  g_autofree char *violation = ms_test_schema_violation(schema, node);

  g_assert_cmpstr(violation, ==, NULL);
  json_object_remove_member(json_node_get_object(node), "rows");
  g_autofree char *missing = ms_test_schema_violation(schema, node);
  g_assert_cmpstr(missing, ==, "$ lacks rows");
  json_object_set_string_member(json_node_get_object(node), "rows", "none");
  g_autofree char *type = ms_test_schema_violation(schema, node);
  g_assert_cmpstr(type, ==, "$.rows is of type string");
}

static void
test_json_round_trip(void)
{
  g_autoptr(MsReport) report = make_report(1);
  g_autofree char *text = ms_report_to_json(report);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) copy = ms_report_from_json(text, -1, &error);
  g_autofree char *again = copy ? ms_report_to_json(copy) : NULL;

  g_assert_no_error(error);
  g_assert_cmpstr(text, ==, again);
  g_assert_cmpint(row_at(copy, 1)->speedup.verdict, ==, MS_VERDICT_FASTER);
}

static void
test_json_damaged(void)
{
  static const char *const damaged[] = {
    "",
    "[]",
    "{}",
    "null",
    "{\"format\": \"meanshift-lab experiment report\"}",
    "{\"format\": \"meanshift-lab experiment report\", \"rows\": [], \"experiment\": {}}",
    "{\"format\": 1, \"rows\": [1], \"experiment\": {\"name\": 3}}"};

  for (gsize i = 0; i < G_N_ELEMENTS(damaged); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_report_from_json(damaged[i], -1, &error));
    g_assert_nonnull(error);
  }
  /* Members of a wrong type are ignored. */
  g_autoptr(MsReport) odd =
    ms_report_from_json("{\"format\": \"meanshift-lab experiment report\", \"noise\": \"x\", \"rows\": [1, "
                        "{\"settings\": {\"a\": 1},"
                        "\"samples_ns\": [1, \"x\", -5, null]}], \"experiment\": {\"name\": \"n\", "
                        "\"title\": \"t\", \"kind\": \"k\","
                        "\"axes\": [{\"key\": \"a\", \"values\": [1]}, 7], \"published\": [{}]}}",
                        -1, NULL);
  g_assert_nonnull(odd);
  g_assert_cmpuint(odd->rows->len, ==, 1);
  g_assert_cmpuint(row_at(odd, 0)->measurement->samples->len, ==, 1);
}

/* A small reader of RFC 4180, so that the writer is not its own judge. */
static GPtrArray *
read_csv(const char *text)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  GPtrArray *line = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) cell = g_string_new(NULL);
  gboolean quoted = FALSE;

  for (const char *p = text; *p; p++) {
    if (quoted && *p == '"' && p[1] == '"') {
      g_string_append_c(cell, *p++);
    } else if (*p == '"') {
      quoted = !quoted;
    } else if (quoted || (*p != ',' && *p != '\r' && *p != '\n')) {
      g_string_append_c(cell, *p);
    } else if (*p == ',' || *p == '\r') {
      g_ptr_array_add(line, g_strdup(cell->str));
      g_string_truncate(cell, 0);
    } else {
      g_ptr_array_add(lines, line);
      line = g_ptr_array_new_with_free_func(g_free);
    }
  }
  g_assert_false(quoted);
  g_assert_cmpuint(line->len, ==, 0);
  g_ptr_array_unref(line);
  return lines;
}

static const char *
csv_cell(GPtrArray *lines, guint row, const char *column)
{
  GPtrArray *heading = lines->pdata[0], *line = lines->pdata[row];

  for (guint i = 0; i < heading->len; i++)
    if (strcmp(heading->pdata[i], column) == 0)
      return line->pdata[i];
  g_error("the CSV has no column %s", column);
}

static void
test_csv(void)
{
  g_autoptr(MsReport) report = make_report(1);
  g_autofree char *text = ms_report_to_csv(report);
  g_autoptr(GPtrArray) lines = read_csv(text);

  g_assert_cmpuint(lines->len, ==, 1 + report->rows->len);
  for (guint i = 0; i < lines->len; i++)
    g_assert_cmpuint(((GPtrArray *)lines->pdata[i])->len, ==, ((GPtrArray *)lines->pdata[0])->len);
  g_assert_cmpstr(csv_cell(lines, 1, "device"), ==, "Test, \"device\"");
  g_assert_cmpfloat(g_ascii_strtod(csv_cell(lines, 1, "median_ns"), NULL), ==, row_at(report, 0)->summary.median);
  g_assert_cmpfloat(g_ascii_strtod(csv_cell(lines, 3, "speedup"), NULL), ==, row_at(report, 2)->speedup.ratio);
  g_assert_cmpstr(csv_cell(lines, 2, "verdict"), ==, "faster");
  g_assert_cmpstr(csv_cell(lines, 5, "outcome"), ==, "wrong-result");
  g_assert_cmpstr(csv_cell(lines, 5, "median_ns"), ==, "");
  g_assert_cmpstr(csv_cell(lines, 5, "message"), ==, "3 of 100\nwrong | pixels");
}

static void
ignore_text(GMarkupParseContext *context, const char *text, gsize length, gpointer data, GError **error)
{
  *(guint *)data += 1;
}

static void
assert_well_formed(const char *path)
{
  const GMarkupParser parser = {.text = ignore_text};
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  gsize length;
  guint pieces = 0;

  g_file_get_contents(path, &text, &length, &error);
  g_assert_no_error(error);
  g_assert_nonnull(strstr(text, "<svg"));
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&parser, 0, &pieces, NULL);
  g_markup_parse_context_parse(context, text, (gssize)length, &error);
  g_assert_no_error(error);
  g_markup_parse_context_end_parse(context, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(length, >, 2000);
}

static void
test_files(void)
{
  g_autofree char *folder = g_dir_make_tmp("report-XXXXXX", NULL);
  g_autofree char *inner = g_build_filename(folder, "made", "on the way", NULL);
  g_autoptr(MsReport) report = make_report(1);
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  static const char *const endings[] = {"sample.json", "sample.csv", "sample.md", "sample.svg", "sample-dark.svg"};

  g_assert_true(ms_report_save(report, inner, &error));
  g_assert_no_error(error);
  for (gsize i = 0; i < G_N_ELEMENTS(endings); i++) {
    g_autofree char *path = g_build_filename(inner, endings[i], NULL);
    g_assert_true(g_file_test(path, G_FILE_TEST_IS_REGULAR));
    if (g_str_has_suffix(path, ".svg"))
      assert_well_formed(path);
  }
  g_autofree char *json = g_build_filename(inner, "sample.json", NULL);
  g_autoptr(MsReport) loaded = ms_report_load(json, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(loaded->rows->len, ==, 6);
  g_ptr_array_add(all, report);
  g_assert_true(ms_report_save_index(all, inner, &error));
  g_autofree char *index = g_build_filename(inner, "index.html", NULL);
  g_autofree char *html = NULL;
  g_assert_true(g_file_get_contents(index, &html, NULL, NULL));
  g_assert_nonnull(strstr(html, "sample.svg"));
  g_assert_null(strstr(html, "<more>")); /* escaped */
  g_assert_false(ms_report_save(report, "/proc/nowhere", &error));
  g_assert_nonnull(strstr(error->message, "/proc/nowhere"));
}

static void
test_text_and_markdown(void)
{
  g_autoptr(MsReport) report = make_report(1);
  g_autofree char *text = ms_report_to_text(report);
  g_autofree char *markdown = ms_report_to_markdown(report);

  g_assert_nonnull(strstr(text, "baseline"));
  g_assert_nonnull(strstr(text, "4× ["));
  g_assert_nonnull(strstr(text, "2500 µs (Old GPU)"));
  g_assert_nonnull(strstr(text, "1.2–1.4 × speed-up (Older GPU)"));
  g_assert_nonnull(strstr(text, "wrong-result: 3 of 100"));
  g_assert_nonnull(strstr(text, "constraint: Refused."));
  g_assert_nonnull(strstr(text, "It was found."));
  g_assert_nonnull(strstr(markdown, "![A"));
  g_auto(GStrv) lines = g_strsplit(markdown, "\n", -1);
  guint bars = 0;
  for (char **line = lines; *line; line++) { /* every line of the table has as many cells as its heading */
    guint n = 0;
    for (const char *p = *line; **line == '|' && *p; p++)
      n += *p == '|' && (p == *line || p[-1] != '\\');
    if (n > 0 && bars == 0)
      bars = n;
    if (n > 0)
      g_assert_cmpuint(n, ==, bars);
  }
  g_assert_cmpuint(bars, >, 5);
}

static void
test_compare(void)
{
  g_autoptr(MsReport) before = make_report(1);
  g_autoptr(MsReport) slower = make_report(1.5);
  g_autoptr(MsReport) faster = make_report(0.5);
  g_autoptr(MsComparison) worse = ms_compare_reports(before, slower, 0.01);
  g_autoptr(MsComparison) better = ms_compare_reports(before, faster, 0.01);
  g_autofree char *text = ms_comparison_to_text(worse);

  g_assert_cmpuint(worse->slower, ==, 1);
  g_assert_cmpuint(worse->same, ==, 3);
  g_assert_cmpuint(worse->missing, ==, 2);
  g_assert_null(worse->warning);
  g_assert_cmpuint(better->faster, ==, 1);
  g_assert_cmpuint(better->slower, ==, 0);
  g_assert_nonnull(strstr(text, "1 slower"));
  g_free(slower->device.driver);
  slower->device.driver = g_strdup("2.0");
  g_autoptr(MsComparison) warned = ms_compare_reports(before, slower, 0.01);
  g_assert_nonnull(strstr(warned->warning, "driver"));
}

/* The same program on a machine of half the speed: the anchor says so, and nothing is called slower. */
static void
test_compare_apart_in_time(void)
{
  g_autoptr(MsReport) before = make_report(1);
  g_autoptr(MsReport) now = make_report(1);
  g_autoptr(MsReport) unanchored = make_report(1.5);

  for (guint i = 0; i < 4; i++) {
    GArray *samples = row_at(now, i)->measurement->samples;
    for (guint k = 0; k < samples->len; k++)
      g_array_index(samples, double, k) *= 2;
  }
  add_anchor(now, 2);
  g_hash_table_remove_all(unanchored->anchors);
  g_autoptr(MsComparison) drifted = ms_compare_reports(before, now, 0.02);
  g_autoptr(MsComparison) unknown = ms_compare_reports(before, unanchored, 0.02);
  g_assert_cmpuint(drifted->slower + drifted->faster, ==, 0);
  const MsComparisonRow *first = drifted->rows->pdata[0];
  g_assert_cmpfloat_with_epsilon(first->speedup.ratio, 1, 0.01);
  g_assert_cmpuint(unknown->uncertain, ==, 4);
}

static void
test_chart_of_report(void)
{
  g_autoptr(MsReport) report = make_report(1);
  g_autoptr(MsChart) chart = ms_report_to_chart(report);
  g_autofree char *words = ms_chart_describe(chart);

  /* four verified rows, one published time; the published ratio is no time and stands in the second panel */
  g_assert_cmpuint(ms_chart_n_points(chart), ==, 5);
  g_assert_cmpuint(ms_chart_n_panels(chart), ==, 1);
  g_assert_nonnull(strstr(words, "buffer, 4: 2.5"));
  g_assert_nonnull(strstr(words, "published, Old GPU: buffer, 4: 2.5"));
  const char *second = strstr(words, "Speed-up over the baseline");
  g_assert_nonnull(second);
  g_assert_nonnull(strstr(second, "published, Older GPU: buffer, 4: 1.3"));
  g_assert_nonnull(strstr(second, "buffer, 4: 4."));
  g_assert_cmpuint(second - words, <, strstr(words, "Older GPU") - words);
}

/* Watts above joules above the published ratio of the powers, each of its own panel, and the counter's name. */
static void
test_chart_of_energy(void)
{
  g_autoptr(MsExperiment) e = ms_experiment_parse(
    "energy",
    "[Experiment]\nTitle=Energy\nKind=mean-shift\n[Axes]\nunroll=1;2\n[Plot]\nX=unroll\nY=power\nY2=energy\n"
    "[Published Old GPU]\nQuantity=power-ratio\nUnit=×\nValues=unroll:2 0.93\n",
    -1, NULL);
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  g_autoptr(MsReport) report = ms_report_new(e);

  for (guint i = 0; i < all->len; i++) {
    MsReportRow *row = ms_report_add_row(report, all->pdata[i], "row", "one group");
    fill_row(report, i, 10);
    row->measurement->watts = 200 - 50 * i;
    row->measurement->joules = 7 + i;
    row->measurement->energy_source = g_strdup("counter of the test");
  }
  ms_report_rank(report);
  g_autofree char *json = ms_report_to_json(report);
  g_autoptr(MsReport) again = ms_report_from_json(json, -1, NULL);
  g_autoptr(MsChart) chart = ms_report_to_chart(again);
  g_autofree char *words = ms_chart_describe(chart);
  g_autofree char *footer = ms_report_footer(again);
  const char *watts = strstr(words, "Mean power, W"), *joules = strstr(words, "Energy of one run, J");
  const char *ratios = strstr(words, "Power over that of the baseline");

  g_assert_cmpuint(ms_chart_n_panels(chart), ==, 2);
  g_assert_true(watts && joules > watts && ratios > joules);
  g_assert_nonnull(strstr(watts, "measured, 2: 150."));
  g_assert_nonnull(strstr(joules, "measured, 2: 8."));
  g_assert_nonnull(strstr(ratios, "measured, 2: 0.75."));
  g_assert_nonnull(strstr(ratios, "Old GPU, 2: 0.93."));
  g_assert_nonnull(strstr(footer, "counter of the test"));
  g_assert_cmpfloat(ms_report_row_metric(again, row_at(again, 1), "extra-time-us"), ==, 0);
}

static guint
count_colours(cairo_surface_t *surface)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  const guint8 *data = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface);

  for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
    for (int x = 0; x < cairo_image_surface_get_width(surface); x++)
      g_hash_table_add(seen, GUINT_TO_POINTER(*(const guint32 *)(data + y * stride + 4 * x) | 1u << 31));
  return g_hash_table_size(seen);
}

static void
draw_chart(const MsChart *chart, int width, int height, MsChartTheme theme)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create(surface);

  ms_chart_draw(chart, cr, width, height, theme);
  g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_flush(surface);
  if (width > 200)
    g_assert_cmpuint(count_colours(surface), >, 10);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* Every type, axis, number of series and odd value, at sizes from tiny to large. */
static void
test_charts_draw(void)
{
  static const int sizes[][2] = {{1, 1}, {40, 30}, {300, 200}, {900, 480}};
  static const double odd[] = {NAN, INFINITY, 0, 1e-9, 1e12, 5, 5};

  for (MsChartType type = MS_CHART_BARS; type <= MS_CHART_STACKED; type++)
    for (int log = 0; log < 2; log++)
      for (guint n = 0; n <= 10; n += 2) {
        g_autoptr(MsChart) chart = ms_chart_new(type, "Title");
        ms_chart_set_x_axis(chart, "x", log);
        ms_chart_set_y_axis(chart, "y", log);
        for (guint i = 0; i < 7; i++)
          ms_chart_add_category(chart, i % 2 ? "a category with a rather long label" : "b");
        for (guint s = 0; s < n; s++) {
          guint series = ms_chart_add_series(chart, "a series", s % 3 == 2);
          for (guint i = 0; i < 7; i++)
            ms_chart_add_point(chart, series, i, odd[(i + s) % 7], odd[i] * 0.9, odd[i] * 1.1);
        }
        for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
          draw_chart(chart, sizes[i][0], sizes[i][1], i % 2 ? MS_CHART_DARK : MS_CHART_LIGHT);
        g_autofree char *tip = ms_chart_point_at(chart, 900, 480, 450, 300);
      }
}

static void
test_tooltip(void)
{
  g_autoptr(MsChart) chart = ms_chart_new(MS_CHART_BARS, "Title");
  guint series = ms_chart_add_series(chart, "one", FALSE);

  ms_chart_add_category(chart, "left");
  ms_chart_add_category(chart, "right");
  ms_chart_add_point(chart, series, 0, 10, NAN, NAN);
  ms_chart_add_point(chart, series, 1, 20, NAN, NAN);
  g_autofree char *left = ms_chart_point_at(chart, 900, 480, 240, 380);
  g_autofree char *right = ms_chart_point_at(chart, 900, 480, 680, 380);
  g_autofree char *nothing = ms_chart_point_at(chart, 900, 480, 450, 100);
  g_assert_cmpstr(left, ==, "one, left: 10");
  g_assert_cmpstr(right, ==, "one, right: 20");
  g_assert_null(nothing);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/lab/report/ranking", test_ranking);
  g_test_add_func("/lab/report/quantities", test_quantities);
  g_test_add_func("/lab/report/json-schema", test_json_schema);
  g_test_add_func("/lab/report/json-round-trip", test_json_round_trip);
  g_test_add_func("/lab/report/json-damaged", test_json_damaged);
  g_test_add_func("/lab/report/csv", test_csv);
  g_test_add_func("/lab/report/files", test_files);
  g_test_add_func("/lab/report/snapshot", test_snapshot);
  g_test_add_func("/lab/report/text", test_text_and_markdown);
  g_test_add_func("/lab/report/compare", test_compare);
  g_test_add_func("/lab/report/compare/apart-in-time", test_compare_apart_in_time);
  g_test_add_func("/lab/report/chart", test_chart_of_report);
  g_test_add_func("/lab/report/chart-of-energy", test_chart_of_energy);
  g_test_add_func("/lab/chart/draw", test_charts_draw);
  g_test_add_func("/lab/chart/tooltip", test_tooltip);
  return g_test_run();
}
