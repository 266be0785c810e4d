/* SPDX-License-Identifier: MIT */
/* The table of metrics that a report can show of a row. */
#include "core/lab/report/report-metric.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

const char *const ms_metric_columns[MS_N_METRIC_COLUMNS] = {"megapixels-per-s",
                                                            "window-samples-per-s",
                                                            "elements-per-s",
                                                            "gb-per-s",
                                                            "peak-share",
                                                            "energy",
                                                            "power",
                                                            "accesses",
                                                            "uncoalesced",
                                                            "bank-conflicts",
                                                            "peer-speed-up",
                                                            "time-ratio",
                                                            "power-ratio",
                                                            "extra-time-us",
                                                            "first-run"};

const char *const ms_kernel_columns[MS_N_KERNEL_COLUMNS] = {
  "registers",  "private-bytes", "local-bytes", "resident-groups", "occupancy", "instructions",
  "arithmetic", "packed-share",  "loads",       "stores",          "branches"};

const char *const ms_kernel_headings[MS_N_KERNEL_COLUMNS] = {
  N_("registers"),  N_("private B"), N_("local B"), N_("groups at once"), N_("occupancy %"), N_("instructions"),
  N_("arithmetic"), N_("packed %"),  N_("loads"),   N_("stores"),         N_("branches")};

#define GIGABYTES_IN_GIBIBYTE 1.073741824

static double
time_ms(const MsReport *report, const MsReportRow *row)
{
  return row->summary.median * 1e-6;
}

static double
time_us(const MsReport *report, const MsReportRow *row)
{
  return row->summary.median * 1e-3;
}

static double
speed_up(const MsReport *report, const MsReportRow *row)
{
  return row->speedup.ratio;
}

static double
per_second(double amount, const MsReportRow *row)
{
  return amount > 0 ? amount / (row->summary.median * 1e-9) : NAN;
}

static double
megapixels(const MsReport *report, const MsReportRow *row)
{
  return per_second(row->measurement->work.pixels, row) * 1e-6;
}

static double
window_samples(const MsReport *report, const MsReportRow *row)
{
  return per_second(row->measurement->work.window_samples, row) * 1e-9;
}

static double
elements(const MsReport *report, const MsReportRow *row)
{
  return per_second(row->measurement->work.elements, row) * 1e-9;
}

static double
gigabytes(const MsReport *report, const MsReportRow *row)
{
  return per_second(row->measurement->work.bytes, row) * 1e-9;
}

static double
peak_share(const MsReport *report, const MsReportRow *row)
{
  return gigabytes(report, row) / report->device.peak_read_gb_per_s * 100;
}

static double
first_extra(const MsReport *report, const MsReportRow *row)
{
  return ms_measurement_first_extra_ns(row->measurement) * 1e-6;
}

static double
first_run(const MsReport *report, const MsReportRow *row)
{
  return row->measurement->first_wall_ns * 1e-6;
}

static double
energy(const MsReport *report, const MsReportRow *row)
{
  return row->measurement->joules;
}

static double
power(const MsReport *report, const MsReportRow *row)
{
  return row->measurement->watts;
}

static const MsReportRow *
measured_baseline(const MsReport *report, const MsReportRow *row)
{
  const MsReportRow *baseline = ms_report_find_baseline(report, row);

  return baseline && baseline->measurement->outcome == MS_OUTCOME_OK ? baseline : NULL;
}

static double
extra_time_us(const MsReport *report, const MsReportRow *row)
{
  const MsReportRow *baseline = measured_baseline(report, row);

  return baseline ? (row->summary.median - baseline->summary.median) * 1e-3 : NAN;
}

static double
power_ratio(const MsReport *report, const MsReportRow *row)
{
  const MsReportRow *baseline = measured_baseline(report, row);

  return baseline ? row->measurement->watts / baseline->measurement->watts : NAN;
}

/* How many times faster the baseline is, for baselines that a study holds against several peers. */
static double
time_ratio(const MsReport *report, const MsReportRow *row)
{
  const MsReportRow *baseline = measured_baseline(report, row);

  return baseline ? row->summary.median / baseline->summary.median : NAN;
}

static gboolean
is_peer(const MsReportRow *row)
{
  const char *kind = ms_factors_get(row->factors, "kind");

  return g_strcmp0(kind, "peer") == 0 || g_strcmp0(kind, "reduce-peer") == 0;
}

/* The speed-up over the first peer in the group. */
static double
peer_speed_up(const MsReport *report, const MsReportRow *row)
{
  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *peer = report->rows->pdata[i];
    if (is_peer(peer) && g_strcmp0(peer->group, row->group) == 0 && peer->measurement->outcome == MS_OUTCOME_OK)
      return peer->summary.median / row->summary.median;
  }
  return NAN;
}

/* A metric of published values only. */
static double
published_only(const MsReport *report, const MsReportRow *row)
{
  return NAN;
}

static double
accesses(const MsReport *report, const MsReportRow *row)
{
  double value = row->measurement->work.accesses;

  return value > 0 ? value : NAN;
}

static double
uncoalesced(const MsReport *report, const MsReportRow *row)
{
  const MsWork *work = &row->measurement->work;

  return work->accesses > 0 ? work->uncoalesced * 1e-3 : NAN;
}

static double
bank_conflicts(const MsReport *report, const MsReportRow *row)
{
  const MsWork *work = &row->measurement->work;

  return work->local_cycles > 0 ? 100 * work->bank_conflicts / work->local_cycles : NAN;
}

/* Those of the kernel that took the longest. */
#define OF_KERNEL(name, member)                                                                                        \
  static double name(const MsReport *report, const MsReportRow *row)                                                   \
  {                                                                                                                    \
    const MsKernelNote *note = ms_measurement_main_kernel(row->measurement);                                           \
                                                                                                                       \
    return note ? note->member : NAN;                                                                                  \
  }
OF_KERNEL(registers, registers)
OF_KERNEL(private_bytes, private_bytes)
OF_KERNEL(local_bytes, local_bytes)
OF_KERNEL(resident_groups, resident_groups)
OF_KERNEL(occupancy, occupancy)
OF_KERNEL(instructions, instructions.total)
OF_KERNEL(arithmetic, instructions.arithmetic)
OF_KERNEL(loads, instructions.loads)
OF_KERNEL(stores, instructions.stores)
OF_KERNEL(branches, instructions.branches)

/* Jumps and copies between registers have no packed form. */
static double
packed_share(const MsReport *report, const MsReportRow *row)
{
  const MsKernelNote *note = ms_measurement_main_kernel(row->measurement);
  const MsInstructionCounts *counts = note ? &note->instructions : NULL;

  return counts ? 100 * counts->packed / (counts->total - counts->branches - counts->other) : NAN;
}

/* A metric with a factor is proportional to the time, so the chart can draw its quartiles. */
static const MsMetric metrics[] = {
  {"time", N_("Time, ms (lower is better)"), "ms", 1e-6, time_ms},
  {"time-us", N_("Time, µs (lower is better)"), "µs", 1e-3, time_us},
  {"speed-up", N_("Speed-up over the baseline (higher is better)"), "×", 0, speed_up},
  {"megapixels-per-s", N_("Megapixels a second (higher is better)"), "Mpx/s", 0, megapixels},
  {"window-samples-per-s", N_("Window samples a second, in thousand millions (higher is better)"), "G/s", 0,
   window_samples},
  {"elements-per-s", N_("Elements a second, in thousand millions (higher is better)"), "G/s", 0, elements},
  {"gb-per-s", N_("Bandwidth, GB/s (higher is better)"), "GB/s", 0, gigabytes},
  {"peak-share", N_("Share of the measured peak bandwidth, % (higher is better)"), "%", 0, peak_share},
  {"first-run", N_("First run, ms (lower is better)"), "ms", 0, first_run},
  {"first-extra", N_("First run beyond the median, ms (lower is better)"), "ms", 0, first_extra},
  {"energy", N_("Energy of one run, J (lower is better)"), "J", 0, energy},
  {"peer-speed-up", N_("Speed-up over OpenCV (higher is better)"), "×", 0, peer_speed_up},
  {"time-ratio", N_("Time over that of the baseline"), "×", 0, time_ratio},
  {"linpack", N_("Linpack, Gflop/s, published values only (higher is better)"), "Gflop/s", 0, published_only},
  {"accesses", N_("Memory accesses of a warp, by the model of warps (lower is better)"), "accesses", 0, accesses},
  {"uncoalesced", N_("Accesses that are not coalesced, in thousands, by the model of warps (lower is better)"), "k", 0,
   uncoalesced},
  {"bank-conflicts", N_("Cycles of local memory lost to bank conflicts, %, by the model of banks (lower is better)"),
   "%", 0, bank_conflicts},
  {"power", N_("Mean power, W (lower is better)"), "W", 0, power},
  {"power-ratio", N_("Power over that of the baseline (lower is better)"), "×", 0, power_ratio},
  {"extra-time-us", N_("Time beyond that of the baseline, µs (lower is better)"), "µs", 0, extra_time_us},
  {"registers", N_("Registers of a work-item"), "registers", 0, registers},
  {"private-bytes", N_("Private memory of a work-item, bytes"), "bytes", 0, private_bytes},
  {"local-bytes", N_("Local memory of a work-group, bytes"), "bytes", 0, local_bytes},
  {"resident-groups", N_("Work-groups that a compute unit holds at once"), "groups", 0, resident_groups},
  {"occupancy", N_("Occupancy: resident work-items of all that a compute unit can hold, %"), "%", 0, occupancy},
  {"instructions", N_("Instructions of the kernel, as they stand in the program"), "", 0, instructions},
  {"arithmetic", N_("Instructions that compute"), "", 0, arithmetic},
  {"packed-share", N_("Instructions on several elements at once, of those that compute, load or store, %"), "%", 0,
   packed_share},
  {"loads", N_("Instructions that read memory"), "", 0, loads},
  {"stores", N_("Instructions that write memory"), "", 0, stores},
  {"branches", N_("Jumps, calls and returns"), "", 0, branches},
};

/** ms_metric_find: (nullable): the metric of this name. */
const MsMetric *
ms_metric_find(const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS(metrics); i++)
    if (g_strcmp0(metrics[i].name, name) == 0)
      return &metrics[i];
  return NULL;
}

/**
 * ms_report_row_metric:
 * @metric: "time", "speed-up", "gb-per-s", …
 *
 * Returns: the value in the unit of @metric; NAN when the row was not verified or lacks the metric
 */
double
ms_report_row_metric(const MsReport *self, const MsReportRow *row, const char *metric)
{
  const MsMetric *q = ms_metric_find(metric);

  if (!q || row->measurement->outcome != MS_OUTCOME_OK || row->summary.n == 0)
    return NAN;
  double value = q->value(self, row);
  return isfinite(value) ? value : NAN;
}

/** ms_metric_is_of_kernel: whether the driver tells the metric, in an optional column. */
gboolean
ms_metric_is_of_kernel(const char *name)
{
  for (gsize i = 0; i < MS_N_KERNEL_COLUMNS; i++)
    if (strcmp(ms_kernel_columns[i], name) == 0)
      return TRUE;
  return FALSE;
}

/** ms_report_has_metric: whether any row has a value of @metric. */
gboolean
ms_report_has_metric(const MsReport *self, const char *metric)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (isfinite(ms_report_row_metric(self, self->rows->pdata[i], metric)))
      return TRUE;
  return FALSE;
}

/** ms_report_kernel_columns: which of ms_kernel_columns the report has: bit k is set where a row has a value. */
guint
ms_report_kernel_columns(const MsReport *self)
{
  guint columns = 0;

  for (guint k = 0; k < MS_N_KERNEL_COLUMNS; k++)
    columns |= ms_report_has_metric(self, ms_kernel_columns[k]) ? 1u << k : 0;
  return columns;
}

static const char *
metric_unit(const char *metric)
{
  const MsMetric *q = ms_metric_find(metric);

  return q ? q->unit : "";
}

/** ms_metric_title: the title of an axis for @metric. */
const char *
ms_metric_title(const char *metric, MsLanguage language)
{
  const MsMetric *q = ms_metric_find(metric);

  return q ? ms_text(language, q->title) : metric;
}

static double
unit_in_ms(const char *unit)
{
  if (g_strcmp0(unit, "s") == 0)
    return 1e3;
  if (g_strcmp0(unit, "us") == 0 || g_strcmp0(unit, "µs") == 0)
    return 1e-3;
  return 1.0;
}

/** ms_published_in: the mean of a published range in the unit of @metric; NAN when it is of another metric. */
double
ms_published_in(const MsPublished *published, const char *metric)
{
  double middle = (published->low + published->high) / 2;
  gboolean wants_time = g_str_has_prefix(metric, "time");

  if (wants_time && g_str_has_prefix(published->metric, "time"))
    return middle * unit_in_ms(published->unit) / unit_in_ms(metric_unit(metric));
  if (g_strcmp0(published->unit, "GiB/s") == 0)
    middle *= GIGABYTES_IN_GIBIBYTE;
  return g_strcmp0(published->metric, metric) == 0 ? middle : NAN;
}
