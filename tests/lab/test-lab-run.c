/* SPDX-License-Identifier: MIT */
/*
 * The lab on a real device: a user's experiment, comparing, tuning. CI adds two functions of OpenCV, each of which
 * starts an interpreter, and a second working set in each memory.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/engine/self-tune.h"
#include "core/engine/tuned.h"
#include "core/error.h"
#include "core/lab/lab-tune.h"
#include "core/lab/lab.h"
#include "core/lab/report/environment.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report.h"
#include "tests/lab/lab-fixture.h"
#include "tests/support/fixture.h"

static void
test_own_experiment(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(report->rows->len, ==, 6);
  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    ms_lab_fixture_assert_row(report, row);
    g_assert_true(row->baseline == (i % 3 == 0));
    g_assert_cmpfloat(row->measurement->work.window_samples, >, row->measurement->work.pixels);
  }
  ms_lab_fixture_assert_file(f, "small", ".json");
}

/* Before the end of an experiment its folder has the rows alone, from which a later run resumes. */
static void
look_at_files(const MsReport *report, double fraction, const char *message, gpointer data)
{
  const MsLabFixture *f = data;
  g_autofree char *rows = g_build_filename(f->folder, MS_REPORT_LOG, NULL);
  g_autofree char *chart = g_build_filename(f->folder, "small.svg", NULL);

  g_assert_false(g_file_test(chart, G_FILE_TEST_EXISTS));
  g_assert_true(fraction < 1 || g_file_test(rows, G_FILE_TEST_EXISTS));
}

static void
test_files_are_written_once(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  f->request.progress = look_at_files;
  f->request.progress_data = f;
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  ms_lab_fixture_assert_file(f, "small", ".svg");
}

static void
test_refused_configuration(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) report =
    ms_lab_fixture_run(f,
                       "[Experiment]\nTitle=Refused\nKind=mean-shift\n"
                       "[Axes]\nmemory=buffer;image\n[Fixed]\nkernel=direct\naccess=vload\nsize=32x32\n",
                       NULL, &error);
  g_assert_no_error(error);
  const MsReportRow *buffer = report->rows->pdata[0], *image = report->rows->pdata[1];
  g_assert_cmpint(buffer->measurement->outcome, ==, MS_OUTCOME_OK);
  g_assert_cmpint(image->measurement->outcome, ==, MS_OUTCOME_CONSTRAINT); /* vload reads no images */
  g_assert_nonnull(image->measurement->message);
}

static const char staged[] = "[Experiment]\nTitle=Staged\nKind=mean-shift\n%s"
                             "[Axes]\nlocal-memory=off;on\n[Fixed]\nkernel=direct\nwork-group=8x4\nsize=48x40\n";

/* PoCL 3.1 reports the memory of a kernel; PoCL 6 reports 0 for every kernel. */
static gboolean
tells_of_memory(MsContext *context)
{
  MsDevice *device = context->device;

  return !ms_device_is_pocl(device) || g_ascii_strtod(device->driver, NULL) < 4;
}

/* On a processor the driver tells of memory, and nothing of occupancy; without the key of the file, of neither. */
static void
test_occupancy(MsLabFixture *f, gconstpointer data)
{
  const gboolean tells = tells_of_memory(f->context);
  g_autofree char *plain = g_strdup_printf(staged, ""), *asked = g_strdup_printf(staged, "Columns=occupancy\n");
  g_autoptr(MsReport) without = ms_lab_fixture_run(f, plain, NULL, NULL),
                      with = ms_lab_fixture_run(f, asked, NULL, NULL);

  for (guint i = 0; i < 2; i++) {
    const MsMeasurement *m = ((const MsReportRow *)with->rows->pdata[i])->measurement;
    g_assert_cmpuint(((const MsReportRow *)without->rows->pdata[i])->measurement->kernels->len, ==, 0);
    const MsKernelNote *note = ms_measurement_main_kernel(m);
    g_assert_cmpstr(note->name, ==, "mean_shift_direct");
    g_assert_cmpfloat(note->group_size, ==, 32);
    g_assert_true(tells ? note->private_bytes >= 0 : isnan(note->private_bytes));
    if (!tells)
      g_assert_true(isnan(note->local_bytes));
    else if (i == 0)
      g_assert_cmpfloat(note->local_bytes, ==, 0);
    else
      g_assert_cmpfloat(note->local_bytes, >=, 8 * 4 * 4); /* the pixels of the group */
    if (f->context->device->limits.type == MS_DEVICE_TYPE_CPU)
      g_assert_true(isnan(note->registers) && isnan(note->resident_groups) && isnan(note->occupancy));
  }
  g_autofree char *text = ms_report_to_text(with), *text_without = ms_report_to_text(without);
  g_assert_cmpint(strstr(text, "  private B  local B  ") != NULL, ==, tells);
  g_assert_null(strstr(text_without, "local B"));
  f->request.columns = MS_COLUMNS_OCCUPANCY;
  g_autoptr(MsReport) requested = ms_lab_fixture_run(f, plain, NULL, NULL);
  g_assert_cmpuint(((const MsReportRow *)requested->rows->pdata[0])->measurement->kernels->len, ==, 1);
}

/* On a processor they are counted in the machine code: unrolled loops have more of them. */
static void
test_instructions(MsLabFixture *f, gconstpointer data)
{
  static const char unrolled[] = "[Experiment]\nTitle=Unrolled\nKind=mean-shift\nColumns=instructions\n"
                                 "[Axes]\nunroll=1;4\n[Fixed]\nkernel=direct\nwork-group=8x4\nsize=48x40\n";
  g_autofree char *objdump = g_find_program_in_path("objdump"), *path = g_strdup(g_getenv("PATH"));

  g_autofree char *system = ms_environment_system();
  const MsDeviceLimits *limits = &f->context->device->limits;
  if (limits->type != MS_DEVICE_TYPE_CPU || ms_device_limits_lack_vectors(limits) || !objdump ||
      !strstr(system, "x86_64")) {
    g_test_skip("There is no x86 processor as a device whose programs are machine code, or no objdump.");
    return;
  }
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, unrolled, NULL, NULL);
  const MsMeasurement *m[] = {((const MsReportRow *)report->rows->pdata[0])->measurement,
                              ((const MsReportRow *)report->rows->pdata[1])->measurement};
  for (guint i = 0; i < 2; i++) {
    const MsKernelNote *note = ms_measurement_main_kernel(m[i]);
    g_assert_cmpint(note->counted_in, ==, MS_INSTRUCTIONS_MACHINE_CODE);
    g_assert_cmpfloat(note->instructions.arithmetic, >, 50);
    g_assert_cmpfloat(note->instructions.loads, >, 10);
    g_assert_cmpfloat(note->instructions.stores, >, 0);
    g_assert_cmpfloat(note->instructions.branches, >, 5);
    g_assert_cmpfloat(note->instructions.branches + note->instructions.other, <, note->instructions.total);
    g_assert_true(isnan(note->local_bytes)); /* of the other columns */
  }
  g_assert_cmpfloat(ms_measurement_main_kernel(m[1])->instructions.total, >,
                    ms_measurement_main_kernel(m[0])->instructions.total);
  g_setenv("PATH", "/nonexistent", TRUE);
  g_autoptr(MsReport) without = ms_lab_fixture_run(f, unrolled, NULL, NULL);
  g_setenv("PATH", path, TRUE);
  const MsReportRow *row = without->rows->pdata[0];
  ms_lab_fixture_assert_row(without, row);
  g_assert_cmpint(ms_measurement_main_kernel(row->measurement)->counted_in, ==, MS_INSTRUCTIONS_NO_OBJDUMP);
}

/* OpenCV's filter gives the same picture where Python has its module, and is listed with the reason where not. */
static void
test_peer(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) report =
    ms_lab_fixture_run(f,
                       "[Experiment]\nTitle=Peer\nKind=mean-shift\n[Cases]\npeer=kind:peer library:opencv\n"
                       "ours=kernel:direct work-group:8x4\n"
                       "wrong=kind:peer library:opencv-cuda\n[Fixed]\nsp=4\nsr=20\nsize=48x40\n[Baseline]\ncase=ours\n",
                       NULL, &error);
  g_assert_no_error(error);
  const MsReportRow *peer = report->rows->pdata[0], *ours = report->rows->pdata[1], *wrong = report->rows->pdata[2];
  ms_lab_fixture_assert_row(report, peer);
  g_assert_cmpstr(peer->group, ==, ours->group);
  g_assert_cmpint(wrong->measurement->outcome, ==, MS_OUTCOME_CONSTRAINT); /* another rule */
  if (peer->measurement->outcome == MS_OUTCOME_OK)
    g_assert_cmpfloat(ms_report_row_metric(ours, "peer-speed-up"), ==, peer->summary.median / ours->summary.median);
  else
    g_assert_nonnull(strstr(peer->measurement->message, "OpenCV"));
}

/* OpenCV's functions reduce the same elements to the same numbers; the type that it lacks is listed with the reason. */
static void
test_reduce_peer(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  const gboolean more = ms_fixture_form() >= MS_TEST_CI;
  g_autofree char *text = g_strdup_printf("[Experiment]\nTitle=Peer\nKind=reduce\n[Axes]\nop=%s\n"
                                          "[Cases]\npeer=kind:reduce-peer type:short\n"
                                          "ours=variant:auto type:short\nlacking=kind:reduce-peer type:uint\n"
                                          "[Fixed]\nsize=1000\nclock=wall\n[Baseline]\ncase=ours\n",
                                          more ? "sum;minMax-positions;stddev" : "stddev");
  const guint n = more ? 3 : 1;
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, text, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(report->rows->len, ==, 3 * n);
  for (guint i = 0; i < n; i++) {
    const MsReportRow *peer = report->rows->pdata[i], *ours = report->rows->pdata[i + n];
    const MsReportRow *lacking = report->rows->pdata[i + 2 * n];
    g_assert_cmpstr(peer->group, ==, ours->group);
    g_assert_cmpint(ours->measurement->outcome, ==, MS_OUTCOME_OK);
    if (peer->measurement->outcome == MS_OUTCOME_OK)
      g_assert_cmpfloat(ms_report_row_metric(ours, "peer-speed-up"), ==, peer->summary.median / ours->summary.median);
    else
      g_assert_nonnull(strstr(peer->measurement->message, "OpenCV"));
    g_assert_cmpint(peer->measurement->outcome, !=, MS_OUTCOME_WRONG);
    g_assert_cmpint(lacking->measurement->outcome, ==, MS_OUTCOME_CONSTRAINT);
  }
}

/*
 * Working sets whose blocks no loop of four divides, in each memory; sums of 2^18 numbers, modulo 2^32 where the
 * accumulator has 32 bits; and sets that no memory holds.
 */
static void
test_memories(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  const gboolean more = ms_fixture_form() >= MS_TEST_CI;
  g_autofree char *text = g_strdup_printf("[Experiment]\nTitle=Memories\nKind=memory\n"
                                          "[Axes]\nbytes=%s\nmemory=global;constant;local;private\n",
                                          more ? "20480;28736" : "28736");
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, text, NULL, &error);
  g_autoptr(MsReport) large = ms_lab_fixture_run(f,
                                                 "[Experiment]\nTitle=Memories\nKind=memory\n"
                                                 "[Axes]\nbytes=2^30\nmemory=constant;local;private\n",
                                                 NULL, NULL);
  g_autoptr(MsReport) sums =
    ms_lab_fixture_run(f,
                       "[Experiment]\nTitle=Sums\nKind=reduce\n[Axes]\naccumulator=32-bit;exact\n"
                       "[Fixed]\nop=sum\nsize=2^18\nvariant=pcl\n",
                       NULL, NULL);

  g_assert_no_error(error);
  g_assert_cmpuint(report->rows->len, ==, more ? 8 : 4);
  for (guint i = 0; i < report->rows->len; i++)
    ms_lab_fixture_assert_row(report, report->rows->pdata[i]);
  for (guint i = 0; i < 3; i++) {
    const MsReportRow *row = large->rows->pdata[i];
    g_assert_cmpint(row->measurement->outcome, ==, MS_OUTCOME_CONSTRAINT);
    g_assert_nonnull(strstr(row->measurement->message, "bytes at most"));
  }
  const MsReportRow *narrow = sums->rows->pdata[0], *exact = sums->rows->pdata[1];
  ms_lab_fixture_assert_row(sums, narrow);
  ms_lab_fixture_assert_row(sums, exact);
  g_assert_cmpstr(narrow->measurement->verification.result, !=, exact->measurement->verification.result);
}

/* The kernel time of one run by the device's events. */
static double
get_kernel_ns(const MsMeasurement *measurement, guint sample)
{
  double ns = 0;

  for (guint i = 0; i < measurement->stages->len; i++) {
    const MsStageSeries *stage = measurement->stages->pdata[i];
    if (stage->headline && sample < stage->ns->len)
      ns += g_array_index(stage->ns, double, sample);
  }
  return ns;
}

/* The wall clock counts the launches and waits around the kernels as well. */
static void
test_clocks(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) report = ms_lab_fixture_run(
    f, "[Experiment]\nTitle=Clocks\nKind=reduce\n[Axes]\nclock=events;wall\n[Fixed]\nsize=1000\n", NULL, &error);

  g_assert_no_error(error);
  const MsReportRow *events = report->rows->pdata[0], *wall = report->rows->pdata[1];
  g_assert_cmpuint(events->measurement->samples->len, >, 0);
  g_assert_cmpuint(wall->measurement->samples->len, >, 0);
  for (guint i = 0; i < events->measurement->samples->len; i++)
    g_assert_cmpfloat_with_epsilon(g_array_index(events->measurement->samples, double, i),
                                   get_kernel_ns(events->measurement, i), 0.5);
  for (guint i = 0; i < wall->measurement->samples->len; i++)
    g_assert_cmpfloat(g_array_index(wall->measurement->samples, double, i), >, get_kernel_ns(wall->measurement, i));
}

static void
test_settings_that_mean_nothing(MsLabFixture *f, gconstpointer data)
{
  static const char *const wrong[] = {
    "[Experiment]\nTitle=x\nKind=mean-shift\n[Axes]\ncolour=red;blue\n",
    "[Experiment]\nTitle=x\nKind=mean-shift\n[Axes]\nunroll=1;3\n[Fixed]\nsize=8x8\n",
    "[Experiment]\nTitle=x\nKind=mean-shift\n[Axes]\nsize=huge\n",
    "[Experiment]\nTitle=x\nKind=nothing\n[Axes]\nsize=1x1\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(MsReport) report = ms_lab_fixture_run(f, wrong[i], NULL, &error);
    g_assert_null(report);
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  }
}

static void
test_compare_with_baseline(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(f->folder, "small.json", NULL);
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_autoptr(GPtrArray) reports = g_ptr_array_new();

  g_assert_no_error(error);
  g_ptr_array_add(reports, report);
  g_autoptr(GPtrArray) baseline = ms_reports_load(path, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(baseline->len, ==, 1);
  g_autoptr(GPtrArray) same = ms_compare_all(baseline, reports, 0.01);
  g_assert_cmpuint(same->len, ==, 1);
  g_assert_cmpuint(ms_comparisons_judged(same), ==, report->rows->len);
  g_assert_cmpuint(((MsComparison *)same->pdata[0])->faster, ==, 0);
  g_assert_cmpuint(((MsComparison *)same->pdata[0])->slower, ==, 0);
  g_assert_false(ms_comparisons_slower(same));
  g_assert_null(ms_reports_load("/nonexistent.json", &error));
  g_assert_nonnull(strstr(error->message, "/nonexistent.json"));
  g_clear_error(&error);
  g_assert_null(ms_reports_load("/dev/zero", &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_IO);
  g_clear_error(&error);
  g_assert_null(ms_reports_load_named("/dev/zero", &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
}

static void
test_image_of_the_caller(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  guint8 *pixels = g_malloc0(19 * 13 * 4);
  g_autoptr(MsImage) image = ms_image_new_take(19, 13, pixels, NULL);

  f->request.image = image;
  f->request.input = "mine.png";
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(report->rows->len, ==, 3); /* the sizes fall together */
  const MsReportRow *row = report->rows->pdata[0];
  g_assert_cmpstr(ms_factors_get(row->factors, "size"), ==, "19x13");
  g_assert_cmpfloat(row->measurement->work.pixels, ==, 19 * 13);
  g_assert_cmpstr(report->input, ==, "mine.png");
}

/* What computes on numbers takes no picture, and the report names none. */
static void
test_image_that_is_not_taken(MsLabFixture *f, gconstpointer data)
{
  static const char numbers[] = "[Experiment]\nTitle=Numbers\nKind=reduce\n[Fixed]\nop=sum\nsize=1000\n";
  const char *names[] = {NULL, NULL, NULL};
  g_autofree char *path = g_build_filename(f->folder, "numbers.experiment", NULL);
  g_autofree char *other = g_build_filename(f->folder, "small.experiment", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) image = ms_image_new_take(19, 13, g_malloc0(19 * 13 * 4), NULL);

  g_assert_true(g_file_set_contents(path, numbers, -1, NULL) && g_file_set_contents(other, MS_LAB_SMALL, -1, NULL));
  f->request.image = image;
  f->request.input = "mine.png";
  names[0] = path;
  g_assert_null(ms_lab_run_experiments(names, &f->request, NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_nonnull(strstr(error->message, "takes no image"));
  g_clear_error(&error);
  names[1] = other;
  g_autoptr(GPtrArray) both = ms_lab_run_experiments(names, &f->request, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(((MsReport *)both->pdata[0])->input);
  g_assert_cmpstr(((MsReport *)both->pdata[1])->input, ==, "mine.png");
}

static void
test_baseline_of_nothing(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(ms_lab_fixture_run(f,
                                   "[Experiment]\nTitle=x\nKind=reduce\n[Axes]\nvariant=naive;pcl\n[Fixed]\nsize=1000\n"
                                   "[Baseline]\nvariant=minmax-36\n",
                                   NULL, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_nonnull(strstr(error->message, "baseline, 'variant:minmax-36'"));
}

/* Leaves a search the kernel, so that it has tried all that there is long before its budget is spent. */
#define ALL_BUT_KERNEL                                                                                                 \
  "sp:3 sr:10 unroll:1 access:pointer local-memory:off schedule:fixed memory:buffer work-group:auto"

static void
test_tune(MsLabFixture *f, gconstpointer data)
{
  MsLabTuneRequest request;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsFactors) fixed = ms_factors_parse(ALL_BUT_KERNEL, NULL);

  ms_lab_tune_request_init(&request, f->context);
  request.width = 64;
  request.height = 48;
  request.fixed = fixed;
  request.budget_s = 3;
  request.directory = f->folder;
  g_autoptr(MsReport) record = ms_lab_tune(&request, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(ms_tune_best(record));
  g_assert_cmpfloat(ms_tune_best(record)->summary.median, >, 0);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_WRONG), ==, 0);
  g_assert_cmpuint(ms_report_count(record, MS_OUTCOME_BUILD), ==, 0);
  guint trials = record->rows->len;
  request.budget_s = 1;
  g_autoptr(MsReport) again = ms_lab_tune(&request, NULL, &error); /* continues the saved search */
  g_assert_no_error(error);
  g_assert_cmpuint(again->rows->len, >=, trials);
}

static MsLabLog *
open_log(MsLabLog *watched)
{
  return ms_lab_log_inherit(dup(ms_lab_log_get_fd(watched)));
}

/* A log of a process that died while it measured the configuration. */
static MsLabLog *
log_of_a_death(const char *key)
{
  g_autoptr(MsLabLog) watched = ms_lab_log_new(NULL), child = open_log(watched);

  ms_lab_log_begin(child, key, 0);
  ms_lab_log_note_death(watched, "it was ended by signal 6");
  return open_log(watched);
}

static void
run_sensed(MsLabFixture *f, const char *device, guint repeated)
{
  g_autofree char *library = ms_fixture_nvml_library();
  g_autoptr(MsSensor) sensor = ms_sensor_open_nvml(library, device, NULL);
  g_autoptr(GError) error = NULL;

  f->request.sensor = sensor;
  f->request.accept_disturbed = FALSE;
  f->request.retries = 2;
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    ms_lab_fixture_assert_row(report, row);
    g_assert_cmpfloat(row->measurement->conditions.end.clock_mhz, ==, 1980);
    if (i < 3) /* other programs may add to it */
      g_assert_cmpuint(row->measurement->conditions.repeated, >=, repeated);
    if (repeated == 2)
      g_assert_true(ms_report_leaves_out(report, row) && isnan(row->speedup.ratio));
    else
      g_assert_cmpstr(row->measurement->conditions.throttling, ==, "");
  }
}

/* What was throttled is measured again, no more than twice; what is throttled still is not ranked. */
static void
test_throttling(MsLabFixture *f, gconstpointer data)
{
  run_sensed(f, "NVIDIA Three", 1);
  run_sensed(f, "NVIDIA One Max", 2);
}

/* A row that ended its process is marked, the others are measured; what another process measured is taken over. */
static void
test_log(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(MsLabLog) watched = ms_lab_log_new(NULL), first = open_log(watched);
  g_autoptr(GError) error = NULL;

  f->request.log = first;
  g_autoptr(MsReport) whole = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MsLabLog) second = open_log(watched);
  f->request.log = second;
  g_autoptr(MsReport) same = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(same->restarts, ==, 0);
  for (guint i = 0; i < whole->rows->len; i++) {
    const MsReportRow *a = whole->rows->pdata[i], *b = same->rows->pdata[i];
    ms_lab_fixture_assert_row(same, b);
    g_assert_cmpmem(a->measurement->samples->data, a->measurement->samples->len * sizeof(double),
                    b->measurement->samples->data, b->measurement->samples->len * sizeof(double));
    g_assert_cmpint(a->speedup.verdict, ==, b->speedup.verdict);
  }
  const char *key;
  g_assert_nonnull(ms_lab_log_nth(second, 2, &key)); /* after the bandwidth and the first row */
  g_autoptr(MsLabLog) third = log_of_a_death(key);
  f->request.log = third;
  g_autoptr(MsReport) report = ms_lab_fixture_run(f, MS_LAB_SMALL, NULL, &error);
  g_assert_no_error(error);
  g_autofree char *path = g_build_filename(f->folder, "small.json", NULL);
  g_autoptr(MsReport) read = ms_report_load(path, &error);
  g_assert_cmpuint(read->restarts, ==, 1);
  for (guint i = 0; i < report->rows->len; i++)
    if (i != 1)
      ms_lab_fixture_assert_row(report, report->rows->pdata[i]);
  const MsReportRow *killer = report->rows->pdata[1];
  g_assert_cmpint(killer->measurement->outcome, ==, MS_OUTCOME_RUN);
  g_assert_nonnull(strstr(killer->measurement->message, "it was ended by signal 6"));
  g_autofree char *text = ms_report_to_text(report);
  g_assert_nonnull(strstr(text, "ended while they measured: 1."));
}

/* A setting that ended the process is passed over, in this search and in later ones. */
static void
test_tune_after_a_death(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(MsLabLog) watched = ms_lab_log_new(NULL), first = open_log(watched);
  MsLabTuneRequest request;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsFactors) fixed = ms_factors_parse(ALL_BUT_KERNEL, NULL);

  ms_lab_tune_request_init(&request, f->context);
  request.width = 64;
  request.height = 48;
  request.fixed = fixed;
  request.budget_s = 1;
  request.fresh = TRUE;
  request.directory = f->folder;
  request.log = first;
  g_autoptr(MsReport) whole = ms_lab_tune(&request, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MsLabLog) read = open_log(watched);
  const char *key;
  g_assert_nonnull(ms_lab_log_nth(read, 0, &key));
  g_autoptr(MsLabLog) second = log_of_a_death(key);
  g_autoptr(MsFactors) killer = ms_factors_parse(strstr(key, "trial ") + strlen("trial "), NULL);
  request.log = second;
  g_autoptr(MsReport) record = ms_lab_tune(&request, NULL, &error);
  g_assert_no_error(error);
  const MsReportRow *trial = ms_tune_find(record, killer);
  g_assert_nonnull(trial);
  g_assert_cmpint(trial->measurement->outcome, ==, MS_OUTCOME_RUN);
  g_assert_nonnull(strstr(trial->measurement->message, "it was ended by signal 6"));
  g_assert_nonnull(ms_tune_best(record));
  /* The winner ends the process in the final, after the search was saved. */
  g_auto(GStrv) parts = g_strsplit(key, "trial ", 2);
  g_assert_true(g_str_has_suffix(parts[1], trial->label));
  g_autofree char *problem = g_strndup(parts[1], strlen(parts[1]) - strlen(trial->label));
  g_autofree char *final = g_strconcat(parts[0], "final ", problem, ms_tune_best(record)->label, NULL);
  g_autoptr(MsFactors) winner = ms_tune_settings(ms_tune_best(record));
  g_autoptr(MsLabLog) third = log_of_a_death(final);
  request.log = third;
  request.fresh = FALSE;
  g_autoptr(MsReport) later = ms_lab_tune(&request, NULL, &error);
  g_assert_no_error(error);
  request.log = NULL;
  g_autoptr(MsReport) last = ms_lab_tune(&request, NULL, &error);
  g_assert_no_error(error);
  MsReport *const both[] = {later, last};
  for (gsize i = 0; i < G_N_ELEMENTS(both); i++) {
    g_assert_cmpint(ms_tune_find(both[i], killer)->measurement->outcome, ==, MS_OUTCOME_RUN);
    g_assert_cmpint(ms_tune_find(both[i], winner)->measurement->outcome, ==, MS_OUTCOME_RUN);
  }
}

/* Those of this test, and what another test or an earlier run left. */
static void
forget_winners(void)
{
  g_autofree char *folder = ms_winner_store_default_directory();
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
  }
}

/*
 * Before tuning auto is auto; afterwards it is the winner, but only for what was tuned and where nothing was chosen by
 * hand.
 */
static void
test_tuned_auto(MsLabFixture *f, gconstpointer data)
{
  g_auto(MsKnownWinners) known = {0};
  MsLabTuneRequest request;
  g_autoptr(GError) error = NULL;
  MsDevice *device = f->context->device;
  MsSettings settings = ms_settings_default();
  g_autoptr(MsFactors) fixed = ms_factors_parse("sp:3 sr:10", NULL);
  g_autoptr(MsFactors) narrowed = ms_factors_parse(ALL_BUT_KERNEL " kernel:direct", NULL);

  settings.params.sp = 3;
  settings.params.sr = 10;
  forget_winners();
  const MsJob tuned_job = {.settings = &settings, .size = {64, 48}};
  MsSettings before = ms_tuned_settings(&known, &tuned_job, device);
  g_assert_true(ms_settings_equal(&before, &settings));
  ms_lab_tune_request_init(&request, f->context);
  request.width = 64;
  request.height = 48;
  request.fixed = narrowed;
  request.budget_s = 1; /* no directory: saved in the folder that every run reads */
  g_autoptr(MsReport) narrow = ms_lab_tune(&request, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(ms_tune_best(narrow));
  MsSettings unmoved =
    ms_tuned_settings(&known, &tuned_job, device); /* the winner of a restricted search is not used */
  g_assert_true(ms_settings_equal(&unmoved, &settings));
  request.fixed = fixed;
  request.budget_s = 1;
  g_autoptr(MsReport) record = ms_lab_tune(&request, NULL, &error);
  g_assert_no_error(error);
  MsSettings after = ms_tuned_settings(&known, &tuned_job, device);
  g_assert_false(ms_settings_equal(&after, &settings));
  g_autofree char *kernel = ms_option_get_text(ms_option_find("kernel"), &after);
  g_assert_cmpstr(kernel, ==, ms_factors_get(ms_tune_best(record)->factors, "kernel"));
  g_assert_true(ms_params_equal(&after.params, &settings.params));
  settings.options.unroll = 2; /* set by the user */
  MsSettings by_hand = ms_tuned_settings(&known, &tuned_job, device);
  g_assert_true(ms_settings_equal(&by_hand, &settings));
  settings = ms_settings_default();
  settings.params.sp = 30; /* of another class */
  MsSettings other = ms_tuned_settings(&known, &tuned_job, device);
  g_assert_true(ms_settings_equal(&other, &settings));
  forget_winners();
}

/* A candidate whose turn was cancelled has not ended the process, and gets its turn another time. */
static void
test_cancelled_measuring(MsLabFixture *f, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_auto(MsMeasuredKernels) measured = {0}, kept = {0};
  g_autoptr(MsImage) picture = ms_fixture_noise(64, 48, 7);
  g_autoptr(GError) error = NULL;

  forget_winners();
  g_cancellable_cancel(cancellable);
  g_assert_false(ms_self_tune_measure(&measured, f->context, picture, TRUE, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint(measured.candidates->len, ==, 0);
  g_assert_true(ms_measured_kernels_load(&kept, f->context->device));
  g_assert_false(kept.is_complete);
  g_assert_cmpuint(kept.candidates->len, ==, 0);
  forget_winners();
}

static const MsLabTest tests[] = {
  {"/lab/run/own", test_own_experiment},
  {"/lab/run/files", test_files_are_written_once},
  {"/lab/run/refused", test_refused_configuration},
  {"/lab/run/occupancy", test_occupancy},
  {"/lab/run/instructions", test_instructions},
  {"/lab/run/peer", test_peer},
  {"/lab/run/reduce-peer", test_reduce_peer},
  {"/lab/run/clocks", test_clocks},
  {"/lab/run/memories", test_memories},
  {"/lab/run/meaningless", test_settings_that_mean_nothing},
  {"/lab/run/compare", test_compare_with_baseline},
  {"/lab/run/image", test_image_of_the_caller},
  {"/lab/run/no-image", test_image_that_is_not_taken},
  {"/lab/run/no-baseline", test_baseline_of_nothing},
  {"/lab/run/tune", test_tune},
  {"/lab/run/tuned-auto", test_tuned_auto},
  {"/lab/run/cancelled-measuring", test_cancelled_measuring},
  {"/lab/run/throttling", test_throttling},
  {"/lab/run/log", test_log},
  {"/lab/run/tune-after-a-death", test_tune_after_a_death},
};

int
main(int argc, char **argv)
{
  /* Winners of tuning are saved in this test's own folder, so that other tests do not use them. */
  g_autofree char *data = g_dir_make_tmp("lab-data-XXXXXX", NULL);

  g_setenv("XDG_DATA_HOME", data, TRUE);
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
    ms_lab_fixture_add(&tests[i]);
  return g_test_run();
}
