/* SPDX-License-Identifier: MIT */
/* The table of metrics that a report can show of a row. */
#include "core/lab/report/report-metric.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define GIGABYTES_IN_GIBIBYTE 1.073741824

static double
per_second(double amount, const MsReportRow *row)
{
  return amount > 0 ? amount / (row->summary.median * 1e-9) : NAN;
}

static const MsReportRow *
measured_baseline(const MsReportRow *row)
{
  const MsReportRow *baseline = ms_report_find_baseline(row->report, row);

  return baseline && baseline->measurement->outcome == MS_OUTCOME_OK ? baseline : NULL;
}

/** ms_report_row_is_peer: whether another program computed it. */
gboolean
ms_report_row_is_peer(const MsReportRow *row)
{
  const char *kind = ms_factors_get(row->factors, "kind");

  return kind && g_str_has_suffix(kind, "peer");
}

/* The speed-up over the first peer in the group. */
static double
peer_speed_up(const MsReportRow *row)
{
  const GPtrArray *rows = row->report->rows;

  for (guint i = 0; i < rows->len; i++) {
    const MsReportRow *peer = rows->pdata[i];
    if (ms_report_row_is_peer(peer) && g_strcmp0(peer->group, row->group) == 0 &&
        peer->measurement->outcome == MS_OUTCOME_OK)
      return peer->summary.median / row->summary.median;
  }
  return NAN;
}

/* Jumps and copies between registers have no packed form. */
static double
packed_share(const MsReportRow *row)
{
  const MsKernelNote *note = ms_measurement_main_kernel(row->measurement);
  const MsInstructionCounts *counts = note ? &note->instructions : NULL;

  return counts ? 100 * counts->packed / (counts->total - counts->branches - counts->other) : NAN;
}

#define VALUE(name, expression)                                                                                        \
  static double name(const MsReportRow *row)                                                                           \
  {                                                                                                                    \
    return expression;                                                                                                 \
  }
VALUE(speed_up, row->speedup.ratio)
VALUE(megapixels, per_second(row->measurement->work.pixels, row) * 1e-6)
VALUE(window_samples, per_second(row->measurement->work.window_samples, row) * 1e-9)
VALUE(elements, per_second(row->measurement->work.elements, row) * 1e-9)
VALUE(gigabytes, per_second(row->measurement->work.bytes, row) * 1e-9)
VALUE(peak_share, gigabytes(row) / row->report->device.peak_read_gb_per_s * 100)
VALUE(first_extra, ms_measurement_first_extra_ns(row->measurement) * 1e-6)
VALUE(first_run, row->measurement->first_wall_ns * 1e-6)
VALUE(energy, row->measurement->joules)
VALUE(power, row->measurement->watts)

/* Those of a model that has counted something. */
#define OF_MODEL(name, counted, expression)                                                                            \
  static double name(const MsReportRow *row)                                                                           \
  {                                                                                                                    \
    const MsWork *work = &row->measurement->work;                                                                      \
                                                                                                                       \
    return work->counted > 0 ? expression : NAN;                                                                       \
  }
OF_MODEL(accesses, accesses, work->accesses)
OF_MODEL(uncoalesced, accesses, work->uncoalesced * 1e-3)
OF_MODEL(bank_conflicts, local_cycles, 100 * work->bank_conflicts / work->local_cycles)

/* Those that compare with the baseline, whose ratio of time is for studies that hold it against several peers. */
#define OVER_BASELINE(name, expression)                                                                                \
  static double name(const MsReportRow *row)                                                                           \
  {                                                                                                                    \
    const MsReportRow *baseline = measured_baseline(row);                                                              \
                                                                                                                       \
    return baseline ? expression : NAN;                                                                                \
  }
OVER_BASELINE(time_ratio, row->summary.median / baseline->summary.median)
OVER_BASELINE(power_ratio, row->measurement->watts / baseline->measurement->watts)
OVER_BASELINE(extra_time_us, (row->summary.median - baseline->summary.median) * 1e-3)

/* Those of the kernel that took the longest. */
#define OF_KERNEL(name, member)                                                                                        \
  static double name(const MsReportRow *row)                                                                           \
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

#define PLOTTED MS_METRIC_PLOTTED
#define USUAL MS_METRIC_USUAL
#define RARE MS_METRIC_RARE
#define OCCUPANCY MS_METRIC_OCCUPANCY
#define INSTRUCTIONS MS_METRIC_INSTRUCTIONS

/* Columns are in this order. A metric with a factor is proportional to the time, so a chart can draw its quartiles. */
static const MsMetric metrics[] = {
  {"time", PLOTTED, N_("Time, ms (lower is better)"), "ms", NULL, 1e-6, NULL},
  {"time-us", PLOTTED, N_("Time, µs (lower is better)"), "µs", NULL, 1e-3, NULL},
  {"speed-up", PLOTTED, N_("Speed-up over the baseline (higher is better)"), "×", NULL, 0, speed_up},
  {"first-extra", PLOTTED, N_("First run beyond the median, ms (lower is better)"), "ms", NULL, 0, first_extra},
  {"linpack", PLOTTED, N_("Linpack, Gflop/s, published values only (higher is better)"), "Gflop/s", NULL, 0, NULL},
  {"megapixels-per-s", USUAL, N_("Megapixels a second (higher is better)"), "Mpx/s", N_("Mpx/s"), 0, megapixels},
  {"window-samples-per-s", USUAL, N_("Window samples a second, in thousand millions (higher is better)"), "G/s",
   N_("window G/s"), 0, window_samples},
  {"elements-per-s", USUAL, N_("Elements a second, in thousand millions (higher is better)"), "G/s", N_("elements G/s"),
   0, elements},
  {"gb-per-s", USUAL, N_("Bandwidth, GB/s (higher is better)"), "GB/s", N_("GB/s"), 0, gigabytes},
  {"peak-share", USUAL, N_("Share of the measured peak bandwidth, % (higher is better)"), "%", N_("% of peak"), 0,
   peak_share},
  {"energy", USUAL, N_("Energy of one run, J (lower is better)"), "J", N_("J"), 0, energy},
  {"power", USUAL, N_("Mean power, W (lower is better)"), "W", N_("W"), 0, power},
  {"accesses", USUAL, N_("Memory accesses of a warp, by the model of warps (lower is better)"), "accesses",
   N_("accesses"), 0, accesses},
  {"uncoalesced", USUAL, N_("Accesses that are not coalesced, in thousands, by the model of warps (lower is better)"),
   "k", N_("uncoalesced k"), 0, uncoalesced},
  {"bank-conflicts", RARE,
   N_("Cycles of local memory lost to bank conflicts, %, by the model of banks (lower is better)"), "%",
   N_("conflict %"), 0, bank_conflicts},
  {"peer-speed-up", RARE, N_("Speed-up over OpenCV (higher is better)"), "×", N_("× over the peer"), 0, peer_speed_up},
  {"time-ratio", RARE, N_("Time over that of the baseline"), "×", N_("× the time"), 0, time_ratio},
  {"power-ratio", RARE, N_("Power over that of the baseline (lower is better)"), "×", N_("× power"), 0, power_ratio},
  {"extra-time-us", RARE, N_("Time beyond that of the baseline, µs (lower is better)"), "µs", N_("extra µs"), 0,
   extra_time_us},
  {"first-run", RARE, N_("First run, ms (lower is better)"), "ms", N_("first ms"), 0, first_run},
  {"registers", OCCUPANCY, N_("Registers of a work-item"), "registers", N_("registers"), 0, registers},
  {"private-bytes", OCCUPANCY, N_("Private memory of a work-item, bytes"), "bytes", N_("private B"), 0, private_bytes},
  {"local-bytes", OCCUPANCY, N_("Local memory of a work-group, bytes"), "bytes", N_("local B"), 0, local_bytes},
  {"resident-groups", OCCUPANCY, N_("Work-groups that a compute unit holds at once"), "groups", N_("groups at once"), 0,
   resident_groups},
  {"occupancy", OCCUPANCY, N_("Occupancy: resident work-items of all that a compute unit can hold, %"), "%",
   N_("occupancy %"), 0, occupancy},
  {"instructions", INSTRUCTIONS, N_("Instructions of the kernel, as they stand in the program"), "", N_("instructions"),
   0, instructions},
  {"arithmetic", INSTRUCTIONS, N_("Instructions that compute"), "", N_("arithmetic"), 0, arithmetic},
  {"packed-share", INSTRUCTIONS,
   N_("Instructions on several elements at once, of those that compute, load or store, %"), "%", N_("packed %"), 0,
   packed_share},
  {"loads", INSTRUCTIONS, N_("Instructions that read memory"), "", N_("loads"), 0, loads},
  {"stores", INSTRUCTIONS, N_("Instructions that write memory"), "", N_("stores"), 0, stores},
  {"branches", INSTRUCTIONS, N_("Jumps, calls and returns"), "", N_("branches"), 0, branches},
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

/** ms_metric_value: of a row, in the unit of the metric; NAN when the row was not verified or lacks the metric. */
double
ms_metric_value(const MsMetric *self, const MsReportRow *row)
{
  if (row->measurement->outcome != MS_OUTCOME_OK || row->summary.n == 0)
    return NAN;
  const double value = self->value           ? self->value(row)
                       : self->ns_factor > 0 ? row->summary.median * self->ns_factor
                                             : (double)NAN;
  return isfinite(value) ? value : NAN;
}

/** ms_report_row_metric: the value of the metric "time", "speed-up", "gb-per-s", …; NAN for one that is not known. */
double
ms_report_row_metric(const MsReportRow *row, const char *metric)
{
  const MsMetric *known = ms_metric_find(metric);

  return known ? ms_metric_value(known, row) : NAN;
}

/** ms_metric_is_of_kernel: whether the driver tells the metric, in an optional column. */
gboolean
ms_metric_is_of_kernel(const char *name)
{
  const MsMetric *metric = ms_metric_find(name);

  return metric && metric->kind & MS_METRICS_OF_KERNEL;
}

/** ms_metric_is_of_energy: whether the metric needs a counter of energy. */
gboolean
ms_metric_is_of_energy(const char *name)
{
  return g_str_has_prefix(name, "energy") || g_str_has_prefix(name, "power");
}

/** ms_report_has_metric: whether any row has a value of @metric. */
gboolean
ms_report_has_metric(const MsReport *self, const MsMetric *metric)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (isfinite(ms_metric_value(metric, self->rows->pdata[i])))
      return TRUE;
  return FALSE;
}

/**
 * ms_report_find_metrics:
 * @report: (nullable): %NULL for all metrics of these kinds
 * @kinds: bits of #MsMetricKind
 *
 * Returns: (transfer container) (element-type MsMetric): those of which a row has a value, in the order of columns
 */
GPtrArray *
ms_report_find_metrics(const MsReport *report, guint kinds)
{
  GPtrArray *found = g_ptr_array_new();

  for (gsize i = 0; i < G_N_ELEMENTS(metrics); i++)
    if (metrics[i].kind & kinds && (!report || ms_report_has_metric(report, &metrics[i])))
      g_ptr_array_add(found, (gpointer)&metrics[i]);
  return found;
}

/** ms_metric_title: the title of an axis for @metric. */
const char *
ms_metric_title(const char *metric, MsLanguage language)
{
  const MsMetric *known = ms_metric_find(metric);

  return known ? ms_text(language, known->title) : metric;
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
  const MsMetric *known = ms_metric_find(metric);
  double middle = (published->low + published->high) / 2;
  gboolean wants_time = g_str_has_prefix(metric, "time");

  if (wants_time && g_str_has_prefix(published->metric, "time"))
    return middle * unit_in_ms(published->unit) / unit_in_ms(known ? known->unit : NULL);
  if (g_strcmp0(published->unit, "GiB/s") == 0)
    middle *= GIGABYTES_IN_GIBIBYTE;
  return g_strcmp0(published->metric, metric) == 0 ? middle : NAN;
}
