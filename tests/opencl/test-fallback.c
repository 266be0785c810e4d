/* SPDX-License-Identifier: MIT */
/* `auto` and --fallback when a GPU fails; Oclgrind's simulator stands for the GPU. */
#include <glib/gstdio.h>
#include <gmodule.h>
#include <string.h>
#include <unistd.h>

#include "core/engine/engine.h"
#include "core/filter/settings/settings.h"
#include "core/opencl/device-choice.h"
#include "tests/support/fault-layer.h"
#include "tests/support/fixture.h"
#include "tests/support/row-stream.h"

#define SYSTEM_VENDORS "/etc/OpenCL/vendors"
#define SIMULATOR "/usr/lib/oclgrind/liboclgrind-rt-icd.so"

static MsFaultArm arm;
static GPtrArray *notes;

static void
copy_icds(const char *to)
{
  g_autoptr(GDir) folder = g_dir_open(SYSTEM_VENDORS, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name(folder))) {
    g_autofree char *source = g_build_filename(SYSTEM_VENDORS, name, NULL);
    g_autofree char *target = g_build_filename(to, name, NULL);
    g_autofree char *content = NULL;
    if (g_file_get_contents(source, &content, NULL, NULL))
      g_assert_true(g_file_set_contents(target, content, -1, NULL));
  }
}

static void
remove_folder(const char *path)
{
  g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name(folder))) {
    g_autofree char *entry = g_build_filename(path, name, NULL);
    g_unlink(entry);
  }
  g_rmdir(path);
}

/* Must come before the first OpenCL call, since the loader reads its variables once. */
static char *
offer_simulator(void)
{
  char *vendors = g_dir_make_tmp("ms-vendors-XXXXXX", NULL);
  g_autofree char *icd = g_build_filename(vendors, "simulator.icd", NULL);

  copy_icds(vendors);
  g_assert_true(g_file_set_contents(icd, SIMULATOR "\n", -1, NULL));
  g_setenv("OCL_ICD_VENDORS", vendors, TRUE);
  return vendors;
}

static gboolean
ready(void)
{
  const char *path = g_getenv("OPENCL_LAYERS");
  g_autoptr(GPtrArray) devices = ms_device_enumerate(NULL);
  gboolean gpu = FALSE, cpu = FALSE;

  for (guint i = 0; devices && i < devices->len; i++) {
    gpu = gpu || ms_device_matches(g_ptr_array_index(devices, i), "gpu");
    cpu = cpu || ms_device_matches(g_ptr_array_index(devices, i), "cpu");
  }
  GModule *layer = path ? g_module_open(path, G_MODULE_BIND_LAZY) : NULL;
  if (gpu && cpu && layer && g_module_symbol(layer, "ms_fault_arm", (gpointer *)&arm)) {
    arm(0);
    g_ptr_array_set_size(notes, 0);
    return TRUE;
  }
  g_test_skip("This needs an OpenCL processor, Oclgrind's simulator (package oclgrind) and a loader with layers.");
  return FALSE;
}

static void
take_note(const char *sentence, gpointer data)
{
  g_ptr_array_add(notes, g_strdup(sentence));
}

static MsSettings
small_settings(void)
{
  MsSettings settings = ms_settings_default();

  settings.params.sp = 2;
  settings.options.kernel = MS_KERNEL_DIRECT;
  return settings;
}

static void
check_run(MsEngine *engine, const char *type)
{
  MsSettings settings = small_settings();
  g_autoptr(MsImage) scene = ms_fixture_scene(23, 14, 5);
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob about = {.source = scene, .settings = &settings, .log = log};
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) result = ms_engine_run(engine, &about, &error);

  g_assert_no_error(error);
  ms_fixture_assert_same(expected, result, type);
  g_assert_cmpstr(ms_engine_describe(engine).type, ==, type);
  ms_job_clear(&about);
}

static MsEngine *
open_engine(const char *device_selector, MsFallback fallback)
{
  g_autoptr(GError) error = NULL;
  MsEngine *engine = ms_engine_open(device_selector, fallback, take_note, NULL, &error);

  g_assert_no_error(error);
  return engine;
}

static void
test_auto_takes_the_gpu(void)
{
  if (!ready())
    return;
  g_autoptr(MsEngine) engine = open_engine("auto", MS_FALLBACK_DEFAULT);
  check_run(engine, "gpu");
  g_assert_cmpuint(notes->len, ==, 0);
}

/* The first call that can fail is the one that opens the first device. */
static void
test_auto_passes_a_broken_gpu_over(void)
{
  if (!ready())
    return;
  arm(1);
  g_autoptr(MsEngine) engine = open_engine("auto", MS_FALLBACK_DEFAULT);
  g_assert_cmpuint(notes->len, ==, 1);
  g_assert_nonnull(strstr(g_ptr_array_index(notes, 0), "rejected"));
  g_assert_nonnull(strstr(g_ptr_array_index(notes, 0), "Oclgrind"));
  arm(0);
  check_run(engine, "cpu");
}

/* The GPU fails during a run: the processor filters this image and those that follow. */
static void
check_falls_back(const char *device_selector, MsFallback fallback)
{
  g_autoptr(MsEngine) engine = open_engine(device_selector, fallback);

  check_run(engine, "gpu");
  arm(3);
  check_run(engine, "cpu");
  arm(0);
  g_assert_cmpuint(notes->len, ==, 1);
  g_assert_nonnull(strstr(g_ptr_array_index(notes, 0), "is used instead"));
  check_run(engine, "cpu");
  g_assert_cmpuint(notes->len, ==, 1);
}

static void
test_auto_falls_back_to_the_processor(void)
{
  if (ready())
    check_falls_back("auto", MS_FALLBACK_DEFAULT);
}

static void
test_a_requested_fallback_is_used(void)
{
  if (ready())
    check_falls_back("gpu", MS_FALLBACK_CPU);
}

/* The modes are those of the serial reference as well, also where the device failed while it computed them. */
static void
test_modes_go_on_with_the_processor(void)
{
  MsSettings settings = small_settings();
  guint16 expected[23 * 14 * 2];
  g_autoptr(MsImage) scene = ms_fixture_scene(23, 14, 5);
  MsJob about = {.source = scene, .settings = &settings, .wants_modes = TRUE};
  g_autoptr(GError) error = NULL;

  if (!ready())
    return;
  g_autoptr(MsEngine) engine = open_engine("auto", MS_FALLBACK_DEFAULT);
  g_autoptr(MsImage) image = ms_fixture_reference_modes(scene, &settings.params, expected, &error);
  g_assert_no_error(error);
  arm(3);
  g_autoptr(MsImage) result = ms_engine_run(engine, &about, &error);
  arm(0);
  g_assert_no_error(error);
  g_assert_cmpstr(ms_engine_describe(engine).type, ==, "cpu");
  ms_fixture_assert_same(image, result, "modes");
  g_assert_cmpmem(about.modes, sizeof expected, expected, sizeof expected);
  ms_job_clear(&about);
}

static void
fail_once(gpointer stream)
{
  arm(2);
  ((TestStream *)stream)->after_write = NULL;
}

/* Of a picture of which only some rows are in memory, the processor computes those that the device did not. */
static void
test_rows_go_on_with_the_processor(void)
{
  MsSettings settings = small_settings();
  g_autoptr(MsImage) scene = ms_fixture_scene(23, 64, 5);
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  g_auto(TestStream) stream = {0};
  g_autoptr(GError) error = NULL;

  if (!ready())
    return;
  g_autoptr(MsEngine) engine = open_engine("auto", MS_FALLBACK_DEFAULT);
  test_stream_init(&stream, scene, expected, ms_params_halo(&settings.params, 64), 20);
  stream.after_write = fail_once;
  stream.data = &stream;
  MsJob about = {.source = stream.source, .settings = &settings, .stream = &stream.stream};
  g_autoptr(MsImage) result = ms_engine_run(engine, &about, &error);
  arm(0);
  g_assert_no_error(error);
  g_assert_true(result == stream.source);
  g_assert_cmpint(stream.n_written, ==, 64);
  g_assert_cmpstr(ms_engine_describe(engine).type, ==, "cpu");
  ms_job_clear(&about);
}

static void
test_a_named_device_fails(void)
{
  MsSettings settings = small_settings();
  g_autoptr(GError) error = NULL;

  if (!ready())
    return;
  g_autoptr(MsEngine) engine = open_engine("gpu", MS_FALLBACK_DEFAULT);
  g_autoptr(MsImage) scene = ms_fixture_scene(23, 14, 5);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob about = {.source = scene, .settings = &settings, .log = log};
  arm(3);
  g_autoptr(MsImage) result = ms_engine_run(engine, &about, &error);
  arm(0);
  g_assert_null(result);
  g_assert_nonnull(error);
  g_assert_cmpuint(notes->len, ==, 0);
  g_assert_cmpstr(ms_engine_describe(engine).type, ==, "gpu");
  ms_job_clear(&about);
}

static void
test_a_missing_device(void)
{
  g_autoptr(GError) error = NULL;

  if (!ready())
    return;
  g_autoptr(MsEngine) none = ms_engine_open("no such device", MS_FALLBACK_DEFAULT, take_note, NULL, &error);
  g_assert_null(none);
  g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
  g_autoptr(MsEngine) engine = open_engine("no such device", MS_FALLBACK_CPU);
  g_assert_cmpuint(notes->len, ==, 1);
  check_run(engine, "cpu");
}

static void
test_devices_of_two_platforms_share(void)
{
  g_autoptr(GError) error = NULL;

  if (!ready())
    return;
  g_autoptr(MsEngine) engine = ms_engine_open_several("gpu,cpu", MS_DIVISION_EQUAL, take_note, NULL, &error);
  g_assert_no_error(error);
  g_assert_nonnull(strstr(ms_engine_describe(engine).name, " + "));
  check_run(engine, "several");
}

int
main(int argc, char **argv)
{
  g_autofree char *vendors = offer_simulator();

  g_test_init(&argc, &argv, NULL);
  notes = g_ptr_array_new_with_free_func(g_free);
  g_test_add_func("/fallback/auto-takes-the-gpu", test_auto_takes_the_gpu);
  g_test_add_func("/fallback/auto-passes-a-broken-gpu-over", test_auto_passes_a_broken_gpu_over);
  g_test_add_func("/fallback/auto-falls-back-to-the-processor", test_auto_falls_back_to_the_processor);
  g_test_add_func("/fallback/a-requested-fallback-is-used", test_a_requested_fallback_is_used);
  g_test_add_func("/fallback/modes-go-on-with-the-processor", test_modes_go_on_with_the_processor);
  g_test_add_func("/fallback/rows-go-on-with-the-processor", test_rows_go_on_with_the_processor);
  g_test_add_func("/fallback/a-named-device-fails", test_a_named_device_fails);
  g_test_add_func("/fallback/a-missing-device", test_a_missing_device);
  g_test_add_func("/fallback/devices-of-two-platforms-share", test_devices_of_two_platforms_share);
  int status = g_test_run();
  g_ptr_array_unref(notes);
  remove_folder(vendors);
  return status;
}
