/* SPDX-License-Identifier: MIT */
/* What reports say of a row: every text, unit and value of the table of metrics, written down once more, and files. */
#include <math.h>
#include <string.h>

#include "core/lab/report/report-metric.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"

#define PEER 6

static void
add_kernel_note(MsMeasurement *m)
{
  MsKernelNote *note = ms_kernel_note_new("direct");

  note->group_size = 64;
  note->registers = 33;
  note->private_bytes = 48;
  note->local_bytes = 2048;
  note->resident_groups = 6;
  note->occupancy = 37.5;
  note->instructions = (MsInstructionCounts){
    .total = 250, .arithmetic = 120, .packed = 50, .loads = 41, .stores = 23, .branches = 19, .other = 31};
  g_ptr_array_add(m->kernels, note);
}

/* The third row took a quarter of the time of its baseline, and a sixteenth of that of a peer. */
static MsReport *
new_report(void)
{
  MsReport *report = ms_report_fixture_new(1);
  g_autoptr(MsFactors) peer = ms_factors_parse("kind:filter-peer", NULL);
  MsReportRow *row = report->rows->pdata[2];
  MsMeasurement *baseline = ms_report_fixture_row(report, 0)->measurement, *m = row->measurement;

  ms_report_add_row(report, peer, "peer", "one group");
  ms_report_fixture_fill_row(report, PEER, 40);
  m->work = (MsWork){.pixels = 1e6,
                     .window_samples = 2e8,
                     .elements = 3e6,
                     .bytes = 8e6,
                     .accesses = 12,
                     .uncoalesced = 34000,
                     .local_cycles = 400,
                     .bank_conflicts = 30};
  m->first_ns = 7e6;
  m->first_wall_ns = 7.75e6;
  m->joules = 1.5;
  m->watts = 60;
  baseline->watts = 80;
  add_kernel_note(m);
  row->speedup.low = 3.5;
  row->speedup.high = 4.75;
  return report;
}

/* For each metric its name, the axis of charts, the unit, the column of tables, and the value of the third row. */
static const char *const expected[] = {
  "time | Time, ms (lower is better) | ms | no column | 2.5",
  "time-us | Time, µs (lower is better) | µs | no column | 2500",
  "speed-up | Speed-up over the baseline (higher is better) | × | no column | 4",
  "first-extra | First run beyond the median, ms (lower is better) | ms | no column | 5.249",
  "linpack | Linpack, Gflop/s, published values only (higher is better) | Gflop/s | no column | nan",
  "megapixels-per-s | Megapixels a second (higher is better) | Mpx/s | Mpx/s | 400",
  "window-samples-per-s | Window samples a second, in thousand millions (higher is better) | G/s | window G/s | 80",
  "elements-per-s | Elements a second, in thousand millions (higher is better) | G/s | elements G/s | 1.2",
  "gb-per-s | Bandwidth, GB/s (higher is better) | GB/s | GB/s | 3.2",
  "peak-share | Share of the measured peak bandwidth, % (higher is better) | % | % of peak | 32",
  "energy | Energy of one run, J (lower is better) | J | J | 1.5",
  "power | Mean power, W (lower is better) | W | W | 60",
  "accesses | Memory accesses of a warp, by the model of warps (lower is better) | accesses | accesses | 12",
  "uncoalesced | Accesses that are not coalesced, in thousands, by the model of warps (lower is better) | k | "
  "uncoalesced k | 34",
  "bank-conflicts | Cycles of local memory lost to bank conflicts, %, by the model of banks (lower is better) | % | "
  "conflict % | 7.5",
  "peer-speed-up | Speed-up over OpenCV (higher is better) | × | × over the peer | 16",
  "time-ratio | Time over that of the baseline | × | × the time | 0.25",
  "power-ratio | Power over that of the baseline (lower is better) | × | × power | 0.75",
  "extra-time-us | Time beyond that of the baseline, µs (lower is better) | µs | extra µs | -7500",
  "first-run | First run, ms (lower is better) | ms | first ms | 7.75",
  "registers | Registers of a work-item | registers | registers | 33",
  "private-bytes | Private memory of a work-item, bytes | bytes | private B | 48",
  "local-bytes | Local memory of a work-group, bytes | bytes | local B | 2048",
  "resident-groups | Work-groups that a compute unit holds at once | groups | groups at once | 6",
  "occupancy | Occupancy: resident work-items of all that a compute unit can hold, % | % | occupancy % | 37.5",
  "instructions | Instructions of the kernel, as they stand in the program |  | instructions | 250",
  "arithmetic | Instructions that compute |  | arithmetic | 120",
  "packed-share | Instructions on several elements at once, of those that compute, load or store, % | % | packed % | "
  "25",
  "loads | Instructions that read memory |  | loads | 41",
  "stores | Instructions that write memory |  | stores | 23",
  "branches | Jumps, calls and returns |  | branches | 19",
};

static void
test_table(void)
{
  g_autoptr(MsReport) report = new_report();
  g_autoptr(GPtrArray) metrics = ms_report_find_metrics(NULL, ~0u);

  for (guint i = 0; i < metrics->len; i++) {
    const MsMetric *metric = metrics->pdata[i];
    g_autofree char *line = g_strdup_printf(
      "%s | %s | %s | %s | %.6g", metric->name, ms_metric_title(metric->name, MS_LANGUAGE_ENGLISH), metric->unit,
      metric->heading ? metric->heading : "no column", ms_metric_value(metric, ms_report_fixture_row(report, 2)));
    g_assert_cmpuint(i, <, G_N_ELEMENTS(expected));
    g_assert_cmpstr(line, ==, expected[i]);
  }
  g_assert_cmpuint(metrics->len, ==, G_N_ELEMENTS(expected));
}

/* Each cell of the third row below its heading, in the table that people read. */
static void
test_cells(void)
{
  static const char *const expected_cells[] = {
    "configuration: memory buffer, unroll 4",
    "median ms: 2.5",
    "min ms: 2.487",
    "IQR ms: 0.0125",
    "n: 11",
    "first +ms: 5.249",
    "Mpx/s: 400",
    "window G/s: 80",
    "elements G/s: 1.2",
    "GB/s: 3.2",
    "% of peak: 32",
    "J: 1.5",
    "W: 60",
    "accesses: 12",
    "uncoalesced k: 34",
    "registers: 33",
    "private B: 48",
    "local B: 2048",
    "groups at once: 6",
    "occupancy %: 37.5",
    "instructions: 250",
    "arithmetic: 120",
    "packed %: 25",
    "loads: 41",
    "stores: 23",
    "branches: 19",
    "against the baseline: 4.00× [3.50–4.75] faster",
    "published: 2500 µs (Old GPU); 1.2–1.4 × speed-up (Older GPU)",
    "result: verified",
  };
  g_autoptr(MsReport) report = new_report();
  g_autoptr(GPtrArray) table = ms_report_table(report, MS_LANGUAGE_ENGLISH);
  const GPtrArray *headings = table->pdata[0], *cells = table->pdata[3];

  g_assert_cmpuint(headings->len, ==, G_N_ELEMENTS(expected_cells));
  g_assert_cmpuint(cells->len, ==, headings->len);
  for (guint i = 0; i < cells->len; i++) {
    g_autofree char *cell = g_strdup_printf("%s: %s", (char *)headings->pdata[i], (char *)cells->pdata[i]);
    g_assert_cmpstr(cell, ==, expected_cells[i]);
  }
}

/* The numbers of the third row that are written, by the names of their columns. */
static const struct {
  const char *name;
  double value;
} numbers[] = {
  {"n", 11},
  {"median_ns", 2500000},
  {"min_ns", 2487500},
  {"q1_ns", 2493750},
  {"q3_ns", 2506250},
  {"max_ns", 2512500},
  {"first_ns", 7000000},
  {"first_extra_ns", 5249000},
  {"prepare_ns", 5000000},
  {"rejected", 0},
  {"outliers", 0},
  {"speedup", 4},
  {"speedup_low", 3.5},
  {"speedup_high", 4.75},
  {"mismatches", 0},
  {"megapixels_per_s", 400},
  {"gb_per_s", 3.2},
  {"first_run", 7.75},
  {"branches", 19},
};

/* A comma that does not lie within quotes. */
#define COMMA ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)"

static void
test_csv(void)
{
  g_autoptr(MsReport) report = new_report();
  g_autofree char *csv = ms_report_to_csv(report);
  g_auto(GStrv) lines = g_strsplit(csv, "\r\n", -1), names = g_strsplit(lines[0], ",", -1),
                cells = g_regex_split_simple(COMMA, lines[3], 0, 0);
  guint found = 0;

  g_assert_cmpuint(g_strv_length(names), ==, g_strv_length(cells));
  for (guint i = 0; names[i]; i++)
    for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
      if (strcmp(names[i], numbers[k].name) == 0) {
        g_assert_cmpfloat_with_epsilon(g_ascii_strtod(cells[i], NULL), numbers[k].value, 1e-6);
        found++;
      }
  g_assert_cmpuint(found, ==, G_N_ELEMENTS(numbers));
}

/* The summary that the JSON has beside the samples. */
static void
test_json(void)
{
  static const char *const members[] = {"median_ns", "minimum_ns", "q1_ns", "q3_ns", "maximum_ns", "mean_ns", "iqr_ns"};
  static const double values[] = {2500000, 2487500, 2493750, 2506250, 2512500, 2500000, 12500};
  g_autoptr(MsReport) report = new_report();
  g_autoptr(JsonNode) root = ms_report_to_json_node(report);
  JsonArray *rows = json_object_get_array_member(json_node_get_object(root), "rows");
  JsonObject *row = json_array_get_object_element(rows, 2);
  JsonObject *summary = json_object_get_object_member(row, "summary");
  JsonObject *speedup = json_object_get_object_member(row, "speedup");

  for (guint i = 0; i < G_N_ELEMENTS(members); i++)
    g_assert_cmpfloat_with_epsilon(json_object_get_double_member(summary, members[i]), values[i], 1e-6);
  g_assert_cmpfloat(json_object_get_double_member(speedup, "low"), ==, 3.5);
  g_assert_cmpfloat(json_object_get_double_member(speedup, "high"), ==, 4.75);
}

/* Published values are shown in the unit of the axis. */
static void
test_published(void)
{
  static const struct {
    MsPublished published;
    const char *metric;
    double value;
  } cases[] = {
    {{.metric = "time", .unit = "ms", .low = 2, .high = 4}, "time", 3},
    {{.metric = "time", .unit = "us", .low = 2500, .high = 2500}, "time", 2.5},
    {{.metric = "time", .unit = "s", .low = 2, .high = 2}, "time", 2000},
    {{.metric = "time", .unit = "ms", .low = 2, .high = 2}, "time-us", 2000},
    {{.metric = "gb-per-s", .unit = "GB/s", .low = 5, .high = 5}, "gb-per-s", 5},
    {{.metric = "gb-per-s", .unit = "GiB/s", .low = 5, .high = 5}, "gb-per-s", 5.36870912},
    {{.metric = "gb-per-s", .unit = "GB/s", .low = 5, .high = 5}, "time", NAN},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const double value = ms_published_in(&cases[i].published, cases[i].metric);
    g_assert_true(isnan(cases[i].value) ? isnan(value) : fabs(value - cases[i].value) < 1e-9);
  }
}

void
ms_test_lab_metrics(void)
{
  g_test_add_func("/lab-metrics/table", test_table);
  g_test_add_func("/lab-metrics/published", test_published);
  g_test_add_func("/lab-metrics/cells", test_cells);
  g_test_add_func("/lab-metrics/csv", test_csv);
  g_test_add_func("/lab-metrics/json", test_json);
}
