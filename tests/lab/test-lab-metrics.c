/* SPDX-License-Identifier: MIT */
/* The metrics of charts and columns: every text, unit and value of the table, written down once more. */
#include <math.h>

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
  MsMeasurement *baseline = ms_report_fixture_row(report, 0)->measurement,
                *m = ms_report_fixture_row(report, 2)->measurement;

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
}
