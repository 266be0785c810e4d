/* SPDX-License-Identifier: MIT */
/* Reports of a program held against reports of the same program, on simulated machines that drift between runs. */
#include <math.h>

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/compare.h"
#include "tests/support/cases.h"

#define RUNS 20
#define ROWS 12
#define ROUNDS 11

/* How a run differs from the next: @drift, the most by which the machine slows down; @busy, share of disturbed runs. */
typedef struct {
  const char *name;
  double drift;
  double busy;
} Machine;

static const Machine machines[] = {{"quiet", 0.01, 0}, {"drifting", 0.2, 0}, {"busy", 0.05, 0.25}};

static double
gaussian(GRand *random)
{
  return sqrt(-2 * log(1 - g_rand_double(random))) * cos(2 * G_PI * g_rand_double(random));
}

/* Times about @centre; what else runs on the machine lengthens some of them by up to one half. */
static void
fill(MsMeasurement *m, double centre, const Machine *machine, GRand *random)
{
  for (guint round = 0; round < ROUNDS; round++) {
    const double burst = g_rand_double(random) < machine->busy ? g_rand_double_range(random, 1, 1.5) : 1;
    const double ns = centre * burst * exp(0.01 * gaussian(random));
    g_array_append_val(m->samples, ns);
    g_array_append_val(m->rounds, round);
  }
  m->outcome = MS_OUTCOME_OK;
}

/* Rows slow down by 0.6 to 1.4 times what the anchor does, and each lies at other addresses in every run. */
static MsReport *
run_on(const Machine *machine, double factor, GRand *random)
{
  static const char text[] =
    "[Experiment]\nTitle=Drill\nKind=reduce\n[Axes]\ntimes=1;2;3;4;5;6;7;8;9;10;11;12\n[Plot]\nX=times\n";
  g_autoptr(MsExperiment) experiment = ms_experiment_parse("drill", text, -1, NULL);
  g_autoptr(GPtrArray) all = ms_experiment_expand(experiment, FALSE);
  const double slow = g_rand_double_range(random, 0, machine->drift);
  MsReport *report = ms_report_new(experiment);
  MsMeasurement *anchor = ms_measurement_new();

  g_assert_cmpuint(all->len, ==, ROWS);
  fill(anchor, 1e6 * (1 + slow), machine, random);
  g_hash_table_insert(report->anchors, g_strdup("group"), anchor);
  for (guint i = 0; i < ROWS; i++) {
    MsReportRow *row = ms_report_add_row(report, all->pdata[i], "row", "group");
    const double own = 1 + slow * (0.6 + 0.8 * i / (ROWS - 1)), place = exp(0.015 * gaussian(random));
    fill(row->measurement, 1e6 * (i + 1) * own * place * (i == 3 ? factor : 1), machine, random);
    ms_report_finish_row(report, row);
  }
  ms_report_rank(report);
  return report;
}

/* At most one row in 200 and one report in 20 is called changed; a row of twice the time is found nearly always. */
static void
test_unchanged(gconstpointer data)
{
  const Machine *machine = data;
  g_autoptr(GRand) random = g_rand_new_with_seed(28);
  guint rows = 0, changed = 0, reports = 0, found = 0, n = 0;

  for (guint i = 0; i < RUNS * RUNS; i++) {
    g_autoptr(MsReport) before = run_on(machine, 1, random), again = run_on(machine, 1, random);
    g_autoptr(MsReport) slower = run_on(machine, 2, random);
    g_autoptr(MsComparison) same = ms_compare_reports(before, again, 0.01);
    g_autoptr(MsComparison) different = ms_compare_reports(before, slower, 0.01);
    rows += same->rows->len;
    changed += same->faster + same->slower;
    reports += same->faster + same->slower > 0;
    found += ((MsComparisonRow *)different->rows->pdata[3])->speedup.verdict == MS_VERDICT_SLOWER;
    n++;
  }
  g_test_message("%s: %u of %u rows and %u of %u reports changed; twice the time found in %u", machine->name, changed,
                 rows, reports, n, found);
  g_assert_cmpuint(changed * 200, <=, rows);
  g_assert_cmpuint(reports * 20, <=, n);
  g_assert_cmpuint(found * 10, >=, n * 9);
}

static MsComparison *
compare_on(const char *device, const char *driver)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  g_autoptr(MsReport) before = run_on(&machines[0], 1, random), now = run_on(&machines[0], 1, random);

  before->device.name = g_strdup("GPU");
  before->device.driver = g_strdup("1");
  now->device.name = g_strdup(device);
  now->device.driver = g_strdup(driver);
  MsComparison *comparison = ms_compare_reports(before, now, 0.01);
  const MsComparisonRow *row = comparison->rows->pdata[5];
  if (comparison->across) /* the ratio is that of the two times that are printed */
    g_assert_cmpfloat_with_epsilon(row->speedup.ratio, row->baseline_ns / row->current_ns, 1e-12);
  return comparison;
}

/* Another device or driver: the medians as they are, and nothing is judged. */
static void
test_across(void)
{
  g_autoptr(MsComparison) device = compare_on("CPU", "1"), driver = compare_on("GPU", "2"),
                          one = compare_on("GPU", "1");
  g_autofree char *across = ms_comparison_to_text(device), *within = ms_comparison_to_text(one);

  g_assert_cmpuint(device->unjudged, ==, ROWS);
  g_assert_cmpuint(driver->unjudged, ==, ROWS);
  g_assert_cmpuint(device->same + device->uncertain + device->faster + device->slower, ==, 0);
  g_assert_nonnull(strstr(across, "another device (GPU)"));
  g_assert_null(strstr(across, "same within noise"));
  g_assert_null(strstr(across, "anchor"));
  g_assert_null(strstr(across, "["));
  g_assert_false(one->across);
  g_assert_nonnull(strstr(within, " ms at an anchor of "));
}

/* Two rows scatter by what one of them has changed, which is found all the same. */
static void
test_two_rows(void)
{
  guint found = 0;

  for (guint32 seed = 0; seed < RUNS; seed++) {
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    g_autoptr(MsReport) before = run_on(&machines[0], 1, random), now = run_on(&machines[0], 2, random);
    g_ptr_array_set_size(now->rows, 4);
    g_ptr_array_remove_range(now->rows, 0, 2);
    g_autoptr(MsComparison) comparison = ms_compare_reports(before, now, 0.01);
    g_assert_cmpuint(comparison->rows->len, ==, 2);
    found += ((MsComparisonRow *)comparison->rows->pdata[1])->speedup.verdict == MS_VERDICT_SLOWER;
  }
  g_assert_cmpuint(found, >=, RUNS - 1);
}

/* A row without a ratio has no interval of dashes. */
static void
test_no_numbers(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  g_autoptr(MsReport) before = run_on(&machines[0], 1, random), now = run_on(&machines[0], 1, random);
  MsReportRow *row = now->rows->pdata[0];

  g_array_set_size(row->measurement->samples, 0);
  g_array_set_size(row->measurement->rounds, 0);
  ms_report_finish_row(now, row);
  g_autoptr(MsComparison) comparison = ms_compare_reports(before, now, 0.01);
  g_autofree char *text = ms_comparison_to_text(comparison);
  g_assert_null(strstr(text, "–×"));
  g_assert_null(strstr(text, "–]"));
  g_assert_nonnull(strstr(text, "no time now"));
}

void
ms_test_lab_drift(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(machines); i++) {
    g_autofree char *path = g_strconcat("/lab/drift/unchanged/", machines[i].name, NULL);
    g_test_add_data_func(path, &machines[i], test_unchanged);
  }
  g_test_add_func("/lab/drift/across", test_across);
  g_test_add_func("/lab/drift/two-rows", test_two_rows);
  g_test_add_func("/lab/drift/no-numbers", test_no_numbers);
}
