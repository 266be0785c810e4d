/* SPDX-License-Identifier: MIT */
/*
 * Makes every OpenCL call of a run fail in turn: each gives an error with a sentence, without a crash or a leak. The
 * suite does so with two kernels, CI with all.
 */
#include <gmodule.h>
#include <string.h>

#include "core/filter/settings/settings.h"
#include "core/lab/measure/conditions.h"
#include "core/opencl/device-choice.h"
#include "core/opencl/staging.h"
#include "core/opencl/transfers.h"
#include "core/reduce/bandwidth.h"
#include "tests/support/fault-layer.h"
#include "tests/support/fixture.h"

static MsFaultArm arm;
static MsFaultCount count;
static MsFaultPlaceAt place;
static MsFaultRefuse refuse;
static MsFaultTime set_time;

/* The loader has loaded the layer by now if it knows layers; the same file opened again is the same object. */
static gboolean
layer_works(void)
{
  const char *path = g_getenv("OPENCL_LAYERS");
  g_autoptr(MsContext) context = ms_fixture_context();

  if (!context || !path)
    return FALSE;
  GModule *module = g_module_open(path, G_MODULE_BIND_LAZY);
  if (!module || !g_module_symbol(module, "ms_fault_arm", (gpointer *)&arm) ||
      !g_module_symbol(module, "ms_fault_count", (gpointer *)&count) ||
      !g_module_symbol(module, "ms_fault_place", (gpointer *)&place) ||
      !g_module_symbol(module, "ms_fault_time", (gpointer *)&set_time) ||
      !g_module_symbol(module, "ms_fault_refuse", (gpointer *)&refuse))
    return FALSE;
  arm(0);
  g_autoptr(MsContext) second = ms_fixture_context();
  return count() > 0;
}

static MsImage *
whole_run(MsImage *source, const MsSettings *settings, GError **error)
{
  g_autoptr(GPtrArray) devices = ms_device_enumerate(error);
  g_autoptr(MsContext) context = devices ? ms_context_new(g_ptr_array_index(devices, 0), error) : NULL;
  g_autoptr(MsMeanShift) filter = context ? ms_mean_shift_new(context) : NULL;
  g_autoptr(MsTimingLog) log = ms_timing_log_new();

  if (!filter)
    return NULL;
  g_clear_pointer(&context->cache_folder, g_free);
  return ms_fixture_filter(filter, (MsJob){.source = source, .settings = settings, .log = log}, error);
}

static void
fail_each_call(MsImage *source, MsImage *expected, const MsSettings *settings)
{
  int last = G_MAXINT, survived = 0;

  for (int nth = 1; nth <= last; nth++) {
    g_autoptr(GError) error = NULL;
    arm(nth);
    g_autoptr(MsImage) result = whole_run(source, settings, &error);
    if (count() < nth) {
      g_assert_no_error(error);
      ms_fixture_assert_same(expected, result, "after all faults");
      last = nth - 1;
      break;
    }
    if (result) {
      /* The check of the compiler for wide vectors: its failure means only that there are none. */
      ms_fixture_assert_same(expected, result, "after a fault without consequences");
      survived++;
      continue;
    }
    g_assert_nonnull(error);
    g_assert_cmpuint(strlen(error->message), >, 15);
  }
  g_test_message("%d calls failed in turn", last);
  g_assert_cmpint(last, >, 10);
  g_assert_cmpint(survived, <=, 2);
}

/* The suite runs images, and one kernel of three passes with buffers of its own; CI every kernel. */
static void
test_each_call(void)
{
  static const struct {
    MsTestForm form;
    MsKernel kernel;
    MsMemory memory;
  } cases[] = {
    {MS_TEST_SUITE, MS_KERNEL_DIRECT, MS_MEMORY_IMAGE},  {MS_TEST_CI, MS_KERNEL_DIRECT, MS_MEMORY_BUFFER},
    {MS_TEST_CI, MS_KERNEL_ROWS, MS_MEMORY_BUFFER},      {MS_TEST_CI, MS_KERNEL_ROWS_WIDE, MS_MEMORY_BUFFER},
    {MS_TEST_SUITE, MS_KERNEL_PACKED, MS_MEMORY_BUFFER}, {MS_TEST_CI, MS_KERNEL_MATRIX, MS_MEMORY_BUFFER},
  };
  g_autoptr(MsImage) scene = ms_fixture_scene(20, 12, 3);
  MsSettings settings = ms_settings_default();

  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  settings.params.sp = 2;
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    if (cases[i].form > ms_fixture_form())
      continue;
    settings.options.kernel = cases[i].kernel;
    settings.options.memory = cases[i].memory;
    arm(0);
    g_autoptr(MsImage) probe = whole_run(scene, &settings, &error);
    if (!probe && g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED))
      continue;
    fail_each_call(scene, expected, &settings);
  }
  arm(0);
}

#define CHUNK 4096
#define STAGED (10 * CHUNK)

static gboolean
transfer(MsStaging *staging, cl_mem buffer, guint8 *host, gboolean up, GError **error)
{
  /* One thread, since PoCL 3.1 sometimes never returns where several use one queue of its device “basic”. */
  const MsStagedPart part = {buffer, 0, STAGED, host};

  return ms_staging_move(staging, up, 1, &part, NULL, error);
}

/* Every call of a staged transfer fails once: the failure is reported, all threads end, the next one is complete. */
static void
test_staged_transfers(void)
{
  g_autoptr(GError) problem = NULL;
  g_autofree guint8 *sent = g_malloc(STAGED), *back = g_malloc(STAGED);
  guint failed = 0;

  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  arm(0);
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsStaging) staging = ms_staging_new(context->cl, context->queue, CHUNK, &problem);
  g_assert_no_error(problem);
  g_auto(cl_mem) buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, STAGED, NULL, &problem);
  g_assert_no_error(problem);
  for (gsize i = 0; i < STAGED; i++)
    sent[i] = (guint8)((i * 2654435761u) >> 24);
  g_assert_true(transfer(staging, buffer, sent, TRUE, &problem)); /* pins the memory of all lanes */
  for (int up = 0; up < 2; up++)
    for (int nth = 1, done = FALSE; !done; nth++) {
      g_autoptr(GError) error = NULL;
      arm(nth);
      const gboolean good = transfer(staging, buffer, up ? sent : back, up, &error);
      done = count() < nth;
      arm(0);
      g_assert_true(good == !error && good == done);
      failed += !good;
      g_assert_true(transfer(staging, buffer, sent, TRUE, &problem));
      g_assert_true(transfer(staging, buffer, back, FALSE, &problem));
      g_assert_cmpmem(back, STAGED, sent, STAGED);
    }
  g_assert_cmpuint(failed, >=, 40); /* each chunk is enqueued and waited for, twice */
}

#define LARGE ((gsize)4 << 20)

/* Where no further memory can be pinned, the first block serves alone. */
static void
test_little_pinned_memory(void)
{
  g_autoptr(GError) error = NULL;
  g_autofree guint8 *sent = g_malloc(LARGE), *back = g_malloc0(LARGE);

  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  arm(0);
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsStaging) staging = ms_staging_new(context->cl, context->queue, (gsize)2 << 20, &error);
  g_auto(cl_mem) buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, LARGE, NULL, &error);
  g_assert_no_error(error);
  for (gsize i = 0; i < LARGE; i++)
    sent[i] = (guint8)((i * 2654435761u) >> 24);
  for (int up = 1; up >= 0; up--) {
    arm(1); /* pinning */
    const MsStagedPart part = {buffer, 0, LARGE, up ? sent : back};
    g_assert_true(ms_staging_move(staging, up, 1, &part, NULL, &error));
    g_assert_cmpint(count(), >, 8); /* one command for each half of a megabyte */
    arm(0);
  }
  g_assert_cmpmem(back, LARGE, sent, LARGE);
}

/* Every call of a run in pieces fails once: the failure is reported, no queue or thread waits for ever. */
static void
test_pieces(void)
{
  g_autoptr(GError) problem = NULL;
  MsSettings settings = ms_settings_default();
  guint failed = 0;

  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  arm(0);
  g_autoptr(MsContext) context = ms_fixture_context();
  context->processors = 2; /* one thread a queue, as above */
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) scene = ms_fixture_scene(40, 60, 3);
  settings.params.sp = 2;
  settings.options.kernel = MS_KERNEL_DIRECT;
  MsJob request = {.source = scene, .settings = &settings};
  g_autoptr(MsImage) expected = ms_fixture_filter(filter, request, &problem);
  g_autoptr(MsPlan) plan = ms_mean_shift_plan(filter, &request, &problem);
  g_assert_no_error(problem);
  plan->depth = MS_PLAN_MOST_DEPTH;
  plan->tile_rows = 15;
  request.plan = plan;
  g_autoptr(MsImage) first = ms_fixture_filter(filter, request, &problem); /* pins memory */
  ms_fixture_assert_same(expected, first, "in pieces");
  for (int nth = 1, done = FALSE; !done; nth++) {
    g_autoptr(MsTimingLog) log = ms_timing_log_new();
    g_autoptr(GError) error = NULL;
    arm(nth);
    g_autoptr(MsImage) result =
      ms_fixture_filter(filter, (MsJob){.source = scene, .settings = &settings, .log = log, .plan = plan}, &error);
    done = count() < nth;
    arm(0);
    g_assert_true((result != NULL) == !error);
    failed += !result;
    if (result)
      ms_fixture_assert_same(expected, result, "in pieces");
  }
  g_assert_cmpuint(failed, >=, 40);
}

/* Makes notes of earlier starts say that devices are still to be tried; what their compilers accept stays known. */
static void
distrust_devices(void)
{
  g_autofree char *folder = ms_program_cache_folder();
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GKeyFile) note = g_key_file_new();
    if (g_str_has_suffix(name, ".device") && g_key_file_load_from_file(note, path, G_KEY_FILE_NONE, NULL)) {
      g_key_file_set_boolean(note, "device", "works", FALSE);
      g_assert_true(g_key_file_save_to_file(note, path, NULL));
    }
  }
}

/* `auto` rejects a device that cannot open, build or run a trivial kernel, reports it, and takes the next. */
static void
test_broken_device_is_rejected(void)
{
  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  g_autoptr(GPtrArray) devices = ms_device_enumerate(NULL);
  if (devices->len < 2) {
    g_test_skip("Fewer than two devices.");
    return;
  }
  /* Context, queue, and calls of the probe kernel. The third loads a cached binary: a device that fails there works. */
  static const int calls[] = {1, 2, 4, 5, 7, 9, 10};
  for (gsize i = 0; i < G_N_ELEMENTS(calls); i++) {
    g_auto(GStrv) rejected = NULL;
    g_autoptr(GError) error = NULL;
    distrust_devices();
    arm(calls[i]);
    g_autoptr(MsContext) context = ms_device_choose_among(devices, "auto", &rejected, &error);
    g_assert_no_error(error);
    g_assert_true(context->device == g_ptr_array_index(devices, 1));
    g_assert_cmpuint(g_strv_length(rejected), ==, 1);
    g_assert_nonnull(strstr(rejected[0], ((MsDevice *)g_ptr_array_index(devices, 0))->title));
  }
  arm(0);
}

/* The bandwidth of a device that cannot be measured is tried once, not for every image. */
static void
test_failed_bandwidth_is_remembered(void)
{
  g_autoptr(GError) first = NULL, second = NULL;
  MsBandwidth bandwidth;

  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  g_autoptr(MsContext) context = ms_fixture_context();
  arm(1);
  g_assert_false(ms_bandwidth_get(context, "/dev/null/nowhere", &bandwidth, NULL, &first));
  g_assert_nonnull(first);
  arm(0);
  g_assert_false(ms_bandwidth_get(context, "/dev/null/nowhere", &bandwidth, NULL, &second));
  g_assert_error(second, first->domain, first->code);
  g_assert_cmpstr(second->message, ==, first->message);
  g_assert_cmpint(count(), ==, 0);
}

/* A copy moves each byte twice. One pass of 60 ms is long enough, so that the array stays the smallest, of 1 MiB. */
static void
test_bandwidth_of_known_times(void)
{
  MsBandwidth bandwidth;

  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  g_autoptr(MsContext) context = ms_fixture_context();
  set_time(60000000);
  g_assert_true(ms_bandwidth_measure(context, &bandwidth, NULL, NULL));
  set_time(0);
  g_assert_cmpfloat_with_epsilon(bandwidth.read, (1 << 20) / 60e6, 1e-9);
  g_assert_cmpfloat_with_epsilon(bandwidth.copy, 2 * (1 << 20) / 60e6, 1e-9);
}

static void
assert_place(MsDevice *device, guint domain, guint bus, guint on_bus)
{
  MsPciAddress found;

  g_assert_true(ms_pci_address_of_device(device, &found));
  g_assert_true(ms_pci_address_equal(&found, &(MsPciAddress){domain, bus, on_bus}));
}

/* The two queries for the PCI address have different formats: NVIDIA's slot has the function in its last three bits. */
static void
test_place_on_the_bus(void)
{
  MsFaultPlace at = {.khr = {1, 0xc1, 3, 0}, .nvidia = {0x41, 3 << 3 | 1, 2}};
  MsPciAddress found;

  if (!layer_works()) {
    g_test_skip("This OpenCL loader takes no layers.");
    return;
  }
  g_autoptr(MsContext) context = ms_fixture_context();
  MsDevice *device = context->device;
  place(&at);
  g_assert_false(ms_pci_address_of_device(device, &found));
  at.has_nvidia = TRUE;
  assert_place(device, 2, 0x41, 3);
  at.has_khr = TRUE;
  assert_place(device, 1, 0xc1, 3);
  place(NULL);
}

/* A device whose driver does not state a limit is refused with its name; without images it is one without images. */
static void
test_unknown_limits(void)
{
  static const struct {
    cl_device_info query;
    const char *name;
  } limits[] = {
    {CL_DEVICE_MAX_COMPUTE_UNITS, "CL_DEVICE_MAX_COMPUTE_UNITS"},
    {CL_DEVICE_GLOBAL_MEM_SIZE, "CL_DEVICE_GLOBAL_MEM_SIZE"},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, "CL_DEVICE_MAX_MEM_ALLOC_SIZE"},
    {CL_DEVICE_LOCAL_MEM_SIZE, "CL_DEVICE_LOCAL_MEM_SIZE"},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "CL_DEVICE_MAX_WORK_GROUP_SIZE"},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, "CL_DEVICE_MAX_WORK_ITEM_SIZES"},
  };

  if (!layer_works()) {
    g_test_skip("This needs a device and a loader with layers.");
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
    g_autoptr(GError) error = NULL;
    refuse(limits[i].query);
    g_autoptr(MsContext) context = ms_device_choose("auto", NULL, &error);
    g_assert_null(context);
    g_assert_error(error, MS_ERROR, MS_ERROR_NO_DEVICE);
    g_assert_nonnull(strstr(error->message, limits[i].name));
    g_assert_nonnull(strstr(error->message, "CL_INVALID_VALUE"));
  }
  g_autoptr(GError) error = NULL;
  refuse(CL_DEVICE_IMAGE_SUPPORT);
  g_autoptr(MsContext) context = ms_device_choose("auto", NULL, &error);
  refuse(0);
  g_assert_no_error(error);
  g_assert_false(context->device->limits.images);
}

int
main(int argc, char **argv)
{
  /* Two devices on every machine that has PoCL; other drivers ignore it. */
  g_setenv("POCL_DEVICES", "pthread basic", FALSE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/faults/broken-device-is-passed-over", test_broken_device_is_rejected);
  g_test_add_func("/faults/each-call", test_each_call);
  g_test_add_func("/faults/staged-transfers", test_staged_transfers);
  g_test_add_func("/faults/little-pinned-memory", test_little_pinned_memory);
  g_test_add_func("/faults/pieces", test_pieces);
  g_test_add_func("/faults/unknown-limits", test_unknown_limits);
  g_test_add_func("/faults/place-on-the-bus", test_place_on_the_bus);
  g_test_add_func("/faults/bandwidth-of-known-times", test_bandwidth_of_known_times);
  g_test_add_func("/faults/failed-bandwidth-is-remembered", test_failed_bandwidth_is_remembered);
  return g_test_run();
}
