/* SPDX-License-Identifier: MIT */
/* A picture on several devices at once against the same picture by the reference. */
#include "tests/support/fixture.h"

/* The rows of a picture that the device @index computed; the sum of all for the number of devices. */
static int
rows_of(MsMeanShift *filter, guint index)
{
  int sum = 0;

  for (guint i = 0; i < ms_mean_shift_get_n_devices(filter); i++)
    sum += ms_mean_shift_get_rows(filter, i);
  return index < ms_mean_shift_get_n_devices(filter) ? ms_mean_shift_get_rows(filter, index) : sum;
}

static void
note_rows(int done, int total, gpointer last)
{
  g_assert_cmpint(done, >, *(int *)last);
  g_assert_cmpint(done, <=, total);
  *(int *)last = done;
}

static void
test_same_picture(gconstpointer data)
{
  const MsDivision division = (MsDivision)GPOINTER_TO_INT(data);
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  g_autoptr(MsImage) scene = ms_fixture_scene(90, 101, 5);
  MsSettings settings = ms_settings_default();

  if (!filter)
    return;
  settings.params.sp = 4;
  ms_mean_shift_set_division(filter, division);
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  for (int run = 0; run < 3; run++) {
    g_autoptr(MsTimingLog) log = ms_timing_log_new();
    g_autoptr(GError) error = NULL;
    int last = 0;
    const MsJob job = {
      .source = scene, .settings = &settings, .log = log, .progress = note_rows, .progress_data = &last};
    g_autoptr(MsImage) actual = ms_fixture_filter(filter, job, &error);
    g_assert_no_error(error);
    ms_fixture_assert_same(expected, actual, "several");
    g_assert_cmpint(rows_of(filter, G_MAXUINT), ==, 101);
    g_assert_cmpint(last, ==, 101);
    /* The other divisions depend on the kinds of devices, and on how busy the machine is. */
    if (division == MS_DIVISION_EQUAL) {
      g_assert_cmpint(rows_of(filter, 1), >, 30);
      g_assert_cmpuint(ms_timing_log_get_length(log), >=, 6);
    }
  }
}

/* A part of a picture, with modes, and levels, each of which goes another way through the devices. */
static void
test_further_jobs(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  g_autoptr(MsImage) scene = ms_fixture_scene(90, 101, 5);
  const MsRegion region = {11, 23, 57, 61};
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  if (!filter)
    return;
  settings.params.sp = 3;
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, &region, NULL);
  g_autoptr(MsImage) part =
    ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings, .region = &region}, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, part, "region");
  settings.params.levels = 2;
  g_autoptr(MsImage) with_levels = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  for (int run = 0; run < 2; run++) {
    g_autoptr(MsImage) actual = ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings}, &error);
    g_assert_no_error(error);
    ms_fixture_assert_same(with_levels, actual, "levels");
  }
}

/* Each device may have toggles of its own, and rows that were handed out. */
static void
test_settings_and_shares(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  g_autoptr(MsImage) scene = ms_fixture_scene(60, 64, 5);
  MsSettings settings[MS_DEVICES_MAX];
  MsRows shares[MS_DEVICES_MAX] = {{0, 10}, {10, 54}};
  g_autoptr(GError) error = NULL;

  if (!filter)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    settings[i] = ms_settings_default();
    settings[i].params.sp = 3;
    settings[i].options.kernel = i == 0 ? MS_KERNEL_DIRECT : MS_KERNEL_ROWS;
  }
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob job = {.source = scene, .settings = settings, .settings_of = settings, .shares = shares, .log = log};
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings[0].params, NULL, NULL);
  g_autoptr(MsImage) actual = ms_mean_shift_run(filter, &job, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, actual, "shares");
  g_assert_cmpint(rows_of(filter, 0), ==, 10);
  g_assert_cmpint(rows_of(filter, 1), ==, 54);
  g_assert_cmpint(job.used.options.kernel, ==, MS_KERNEL_DIRECT);
  guint direct = 0, others = 0;
  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *row = ms_timing_log_get(log, i);
    if (row->stage == MS_STAGE_KERNEL)
      strcmp(row->kernel, "mean_shift_direct") == 0 ? direct++ : others++;
  }
  g_assert_cmpuint(direct, >, 0);
  g_assert_cmpuint(others, >, 0);
  ms_job_clear(&job);
}

/* Devices with memory of their own, which overlap transfers with kernels, take tiles from one list as well. */
static void
test_overlapped(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  if (!filter || ms_fixture_under_oclgrind()) {
    g_test_skip("No devices that are fast enough for a large image.");
    return;
  }
  const guint n = ms_mean_shift_get_n_devices(filter);
  MsDeviceLimits limits[MS_DEVICES_MAX];
  g_autoptr(MsImage) scene = ms_fixture_noise(700, 2400, 5);
  settings.params.sp = 1;
  settings.params.max_iterations = 1;
  settings.options.kernel = MS_KERNEL_ROWS;
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  for (guint i = 0; i < n; i++) {
    MsDevice *device = ms_mean_shift_get_device(filter, i)->device;
    limits[i] = device->limits;
    device->limits.type = MS_DEVICE_TYPE_GPU;
    device->limits.host_unified = FALSE;
  }
  for (int run = 0; run < 4; run++) {
    g_autoptr(MsTimingLog) log = ms_timing_log_new();
    const MsJob job = {.source = scene, .settings = &settings, .log = log};
    g_autoptr(MsImage) actual = ms_fixture_filter(filter, job, &error);
    g_assert_no_error(error);
    ms_fixture_assert_same(expected, actual, "overlapped");
    g_assert_cmpint(rows_of(filter, G_MAXUINT), ==, 2400);
    /* One row of the log for all uploads of a device says that they overlap. */
    guint uploads = 0;
    for (guint i = 0; i < ms_timing_log_get_length(log); i++)
      uploads += ms_timing_log_get(log, i)->stage == MS_STAGE_UPLOAD;
    g_assert_cmpuint(uploads, >=, 1);
    g_assert_cmpuint(uploads, <=, n);
  }
  for (guint i = 0; i < n; i++)
    ms_mean_shift_get_device(filter, i)->device->limits = limits[i];
}

/* A device that computed rows has a speed, except in a run that built its program; the next shares follow from it. */
static void
test_speeds(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  g_autoptr(MsImage) scene = ms_fixture_scene(60, 64, 5);
  MsSettings settings = ms_settings_default();

  if (!filter)
    return;
  settings.params.sp = 2.25;
  ms_mean_shift_set_division(filter, MS_DIVISION_EQUAL);
  for (int run = 0; run < 2; run++) {
    g_autoptr(MsImage) result = ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings}, NULL);
    for (guint i = 0; i < ms_mean_shift_get_n_devices(filter); i++)
      g_assert_true((ms_mean_shift_get_speed(filter, i) > 0) == (run == 1));
  }
  double sum = 0;
  for (guint i = 0; i < ms_mean_shift_get_n_devices(filter); i++)
    sum += ms_mean_shift_get_speed(filter, i);
  const double first = 64 * CLAMP(ms_mean_shift_get_speed(filter, 0) / sum, 0.01, 0.99);
  ms_mean_shift_set_division(filter, MS_DIVISION_LEARNED);
  g_autoptr(MsImage) result = ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings}, NULL);
  g_assert_cmpfloat_with_epsilon(ms_mean_shift_get_rows(filter, 0), first, 1);
}

static guint
count_kernels(MsMeanShift *filter, MsImage *scene)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  guint n = 0;

  settings.params.sp = 2;
  g_autoptr(MsImage) result =
    ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings, .log = log}, &error);
  g_assert_no_error(error);
  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    n += ms_timing_log_get(log, i)->stage == MS_STAGE_KERNEL;
  return n;
}

/* Devices that share the machine's memory filter in more tiles where they may take less of it. */
static void
test_memory_budget(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  g_autoptr(MsImage) scene = ms_fixture_scene(200, 300, 5);

  if (!filter)
    return;
  for (guint i = 0; i < ms_mean_shift_get_n_devices(filter); i++)
    if (ms_device_has_own_memory(ms_mean_shift_get_device(filter, i)->device)) {
      g_test_skip("A device has memory of its own.");
      return;
    }
  ms_mean_shift_set_division(filter, MS_DIVISION_EQUAL);
  guint whole = count_kernels(filter, scene);
  ms_mean_shift_set_host_budget(filter, 2 * 200 * 300 * 4);
  g_assert_cmpuint(count_kernels(filter, scene), >, whole);
}

static void
test_cancelled(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(40, 40, 5);
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  if (!filter)
    return;
  g_cancellable_cancel(cancellable);
  g_assert_null(
    ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings, .cancellable = cancellable}, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Filters once and frees the result; returns the address of its pixels. */
static gconstpointer
place_of_result(MsMeanShift *filter, MsImage *scene)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;

  settings.params.sp = 1;
  settings.params.max_iterations = 1;
  g_autoptr(MsImage) result = ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings}, &error);
  g_assert_no_error(error);
  return ms_image_get_pixels(result);
}

/* A large result takes the memory that the one before it left. */
static void
test_result_memory(void)
{
  g_autoptr(MsMeanShift) filter = ms_fixture_open_several();

  if (!filter || ms_fixture_under_oclgrind()) {
    g_test_skip("No devices that are fast enough for a large image.");
    return;
  }
  g_autoptr(MsImage) scene = ms_fixture_noise(4096, 2100, 5);
  gconstpointer first = place_of_result(filter, scene);
  /* Takes the place of the first result if that was freed. */
  g_autofree guint8 *other = g_malloc(ms_image_get_byte_size(scene));
  g_assert_true(other != first);
  g_assert_true(place_of_result(filter, scene) == first);
}

int
main(int argc, char **argv)
{
  /* Two devices on every machine that has PoCL; other drivers ignore it. */
  g_setenv("POCL_DEVICES", "pthread basic", FALSE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/split/same-picture/equal", GINT_TO_POINTER(MS_DIVISION_EQUAL), test_same_picture);
  g_test_add_data_func("/split/same-picture/learned", GINT_TO_POINTER(MS_DIVISION_LEARNED), test_same_picture);
  g_test_add_data_func("/split/same-picture/adaptive", GINT_TO_POINTER(MS_DIVISION_ADAPTIVE), test_same_picture);
  g_test_add_func("/split/further-jobs", test_further_jobs);
  g_test_add_func("/split/settings-and-shares", test_settings_and_shares);
  g_test_add_func("/split/overlapped", test_overlapped);
  g_test_add_func("/split/speeds", test_speeds);
  g_test_add_func("/split/memory-budget", test_memory_budget);
  g_test_add_func("/split/cancelled", test_cancelled);
  g_test_add_func("/split/result-memory", test_result_memory);
  return g_test_run();
}
