/* SPDX-License-Identifier: MIT */
#include "tests/support/fixture.h"

#include "core/filter/reference.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/opencl/device-choice.h"
#include "core/opencl/transfers.h"

#define MOST_SECONDS_OF_CASE 300

static GLogFunc usual_handler;

/*
 * A fatal message ends the program. GLib raises SIGTRAP for it, which the compilers of OpenCL drivers catch, so that a
 * program with such a driver would go on.
 */
static void
on_message(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  usual_handler(domain, level, message, data);
  if (!(level & G_LOG_FLAG_FATAL))
    return;
  g_printerr("%s\n", message);
  abort();
}

static void
on_endless(int number)
{
  static const char text[] = "Bail out! This case takes too much processor time: a kernel may not end.\n";

  _exit(write(STDOUT_FILENO, text, sizeof text - 1) < 0 ? 2 : 1);
}

/*
 * Ends the test when one case takes many times the processor time of any, as where a kernel waits for what never comes:
 * no driver can stop one. Other work on the machine does not count; cases of the other forms may take that long.
 */
static void
limit_case(void)
{
  const struct itimerval limit = {.it_value.tv_sec = MOST_SECONDS_OF_CASE};

  if (ms_fixture_form() != MS_TEST_SUITE || ms_fixture_under_oclgrind())
    return;
  signal(SIGPROF, on_endless);
  setitimer(ITIMER_PROF, &limit, NULL);
}

/*
 * Keeps the device's OpenCL context until the program ends: PoCL reads its library of functions, in a second of
 * processor time, for the first kernel that it compiles, and drops it with the last context.
 */
static void
keep_compiler(MsContext *context)
{
  static cl_context kept;

  if (!kept && clRetainContext(context->cl) == CL_SUCCESS)
    kept = context->cl;
}

/**
 * ms_fixture_context:
 *
 * Returns: (transfer full) (nullable): the device to test on: the one that MS_TEST_DEVICE describes, else a processor.
 *   Without one the test is skipped with a sentence, or failed where CI is set: there a missing device is a missing
 *   install step.
 */
MsContext *
ms_fixture_context(void)
{
  const char *device_selector = g_getenv("MS_TEST_DEVICE");
  g_autoptr(GError) error = NULL;
  limit_case();
  MsContext *context = ms_device_choose(device_selector ? device_selector : "cpu", NULL, &error);

  if (!usual_handler)
    usual_handler = g_log_set_default_handler(on_message, NULL);
  if (context) {
    keep_compiler(context);
    return context;
  }
  if (g_getenv("CI"))
    g_error("CI must have an OpenCL device: %s", error->message);
  g_test_skip(error->message);
  return NULL;
}

static GPtrArray *
open_all_devices(void)
{
  g_autoptr(GPtrArray) devices = ms_device_enumerate(NULL);
  GPtrArray *contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);

  for (guint i = 0; devices && i < MIN(devices->len, 3u); i++)
    g_ptr_array_add(contexts, ms_context_new(g_ptr_array_index(devices, i), NULL));
  return contexts;
}

/**
 * ms_fixture_open_several: (transfer full) (nullable): a filter on at most three devices; %NULL, with the test skipped
 * or failed as by ms_fixture_context(), where there is none, and skipped where there is one
 */
MsMeanShift *
ms_fixture_open_several(void)
{
  g_autoptr(MsContext) present = ms_fixture_context();
  g_autoptr(GPtrArray) contexts = present ? open_all_devices() : NULL;

  if (!contexts)
    return NULL;
  g_test_message("%u devices", contexts->len);
  if (contexts->len < 2) {
    g_test_skip("Fewer than two devices.");
    return NULL;
  }
  return ms_mean_shift_new_several(contexts);
}

/**
 * ms_fixture_form:
 *
 * Returns: how much tests are to do, by MS_TEST_FORM, which Meson's setups set: `suite` runs representative cases,
 *   `ci` every case and every pair of values, `long` every combination. Under Oclgrind, which is a thousand times as
 *   slow and checks accesses that combinations share, CI does what the suite does.
 */
MsTestForm
ms_fixture_form(void)
{
  const char *form = g_getenv("MS_TEST_FORM");

  if (g_strcmp0(form, "long") == 0)
    return MS_TEST_LONG;
  return g_strcmp0(form, "ci") == 0 && !ms_fixture_under_oclgrind() ? MS_TEST_CI : MS_TEST_SUITE;
}

/**
 * ms_fixture_under_oclgrind:
 *
 * Returns: whether Oclgrind simulates the device, which takes about a thousand times as long as a processor
 */
gboolean
ms_fixture_under_oclgrind(void)
{
  return g_getenv("MS_TEST_OCLGRIND") != NULL;
}

/** ms_fixture_has_vectors: whether the device has the vectors of the kernel, which only the rows kernels need. */
gboolean
ms_fixture_has_vectors(MsContext *context, MsKernel kernel)
{
  const MsDeviceLimits *limits = &context->device->limits;

  if (kernel == MS_KERNEL_ROWS_WIDE && !limits->clang_vectors)
    return FALSE;
  return (kernel != MS_KERNEL_ROWS && kernel != MS_KERNEL_ROWS_WIDE) || !ms_device_limits_lack_vectors(limits);
}

/**
 * ms_fixture_picture:
 * @relative: path below the folder of test pictures
 *
 * Returns: (transfer full) (nullable): its full path, %NULL with the test skipped where the folder is absent
 */
char *
ms_fixture_picture(const char *relative)
{
  const char *folder = g_getenv("MS_TEST_IMAGES");
  g_autofree char *path = folder ? g_build_filename(folder, relative, NULL) : NULL;

  if (path && g_file_test(path, G_FILE_TEST_EXISTS))
    return g_steal_pointer(&path);
  g_test_skip("The folder of test pictures (MS_TEST_IMAGES) is absent.");
  return NULL;
}

static guint32
next_random(guint32 *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/** ms_fixture_noise: (transfer full): independent random bytes in all four channels. */
MsImage *
ms_fixture_noise(int width, int height, guint32 seed)
{
  gsize n = (gsize)width * height * 4;
  guint8 *pixels = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = (guint8)next_random(&seed);
  return ms_image_new_take(width, height, pixels, NULL);
}

/** ms_fixture_filter: (transfer full): runs @job and forgets what came out besides the picture. */
MsImage *
ms_fixture_filter(MsMeanShift *filter, MsJob job, GError **error)
{
  MsImage *result = ms_mean_shift_run(filter, &job, error);

  ms_job_clear(&job);
  return result;
}

/** ms_fixture_reference: (transfer full): the serial reference's picture of @region (nullable). */
MsImage *
ms_fixture_reference(MsImage *source, const MsParams *params, const MsRegion *region, GError **error)
{
  const MsSettings settings = {.params = *params};
  MsJob job = {.source = source, .settings = &settings, .region = region};

  return ms_reference_run(&job, error);
}

/** ms_fixture_reference_modes: (transfer full): the same of the whole picture, with modes. */
MsImage *
ms_fixture_reference_modes(MsImage *source, const MsParams *params, guint16 *modes, GError **error)
{
  const MsSettings settings = {.params = *params};
  MsJob job = {.source = source, .settings = &settings, .wants_modes = TRUE, .modes_into = modes};

  return ms_reference_run(&job, error);
}

/**
 * ms_fixture_scene: (transfer full): gradients, edges and a little noise, so that windows are partly full as in
 * photographs.
 */
MsImage *
ms_fixture_scene(int width, int height, guint32 seed)
{
  guint8 *pixels = g_malloc((gsize)width * height * 4);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      guint8 *p = pixels + ((gsize)y * width + x) * 4;
      int edge = ((x / 13 + y / 9) % 3) * 40;
      for (int k = 0; k < 4; k++) {
        int value = edge + (int)(60 * sin((x * (k + 1) + y) / 17.0)) + 100 + (int)(next_random(&seed) % 17) - 8;
        p[k] = (guint8)CLAMP(value, 0, 255);
      }
    }
  return ms_image_new_take(width, height, pixels, NULL);
}

/**
 * ms_fixture_map:
 * @icc: (nullable): its profile
 *
 * Returns: (transfer full): a scene that has no data, the value 0, in a corner and in single pixels
 */
MsImage *
ms_fixture_map(int width, int height, GBytes *icc)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(width, height, 11);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(scene), ms_image_get_byte_size(scene));
  g_autoptr(GBytes) text = g_bytes_new_static("0", 2);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, NULL, 0, 0);

  ms_metadata_take_geo(metadata, ms_geo_new_no_data(text));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if ((x < width / 3 && y < height / 4) || (y < height / 2 && (x * 7 + y * 5) % 23 == 0))
        memset(pixels + 4 * ((gsize)y * (gsize)width + (gsize)x), 0, 3);
  return ms_image_new_take(width, height, pixels, metadata);
}

/** ms_fixture_assert_same: aborts the test with the first difference and how many there are. */
void
ms_fixture_assert_same(MsImage *expected, MsImage *actual, const char *what)
{
  g_assert_cmpint(ms_image_get_width(expected), ==, ms_image_get_width(actual));
  g_assert_cmpint(ms_image_get_height(expected), ==, ms_image_get_height(actual));
  MsImageDifference difference = ms_image_compare(expected, actual);
  if (difference.mismatched_pixels == 0)
    return;

  const guint8 *p = ms_image_get_pixels(expected), *q = ms_image_get_pixels(actual);
  int width = ms_image_get_width(expected);
  for (gsize i = 0; i < ms_image_get_byte_size(expected); i++)
    if (p[i] != q[i])
      g_error("%s: %" G_GUINT64_FORMAT
              " of %dx%d pixels differ, by up to %d; the first at (%d, %d) channel %d: %d, not %d",
              what, difference.mismatched_pixels, width, ms_image_get_height(expected), difference.max_difference,
              (int)(i / 4 % width), (int)(i / 4 / width), (int)(i % 4), q[i], p[i]);
}

/** ms_fixture_sort: ms_sort_buffer() for keys in host memory, which is unchanged on failure. */
gboolean
ms_fixture_sort(const MsDeviceRun *run, const MsSortRequest *request, void *keys, GError **error)
{
  MsContext *context = run->context;
  const gsize bytes = request->n * ms_element_type_size(request->type);
  g_auto(cl_mem) buffer = NULL;

  if (request->n == 0)
    return TRUE;
  if (!ms_sort_check(&request->options, request->type, &context->device->limits, request->n, error))
    return FALSE;
  buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);
  return buffer && ms_context_upload(context, &(MsBufferRange){buffer, 0, bytes}, keys, run->log, error) &&
         ms_sort_buffer(run, request, buffer, buffer, error) &&
         ms_context_download(context, &(MsBufferRange){buffer, 0, bytes}, keys, run->log, error);
}

/** ms_fixture_statistics: the statistics of all pixels on the host; the times are 0. */
void
ms_fixture_statistics(const guint8 *pixels, guint64 n_pixels, MsImageStatistics *statistics)
{
  memset(statistics, 0, sizeof *statistics);
  ms_histogram_serial(pixels, n_pixels, &statistics->histogram);
  for (int c = 0; c < MS_N_CHANNELS; c++)
    ms_channel_statistics_from_counts(statistics->histogram.counts[c], &statistics->channels[c]);
}

/** ms_fixture_nvml_library: (transfer full): the stand-in for NVIDIA's library, fake-nvml.c. */
char *
ms_fixture_nvml_library(void)
{
  char *library = g_test_build_filename(G_TEST_BUILT, "ms-fake-nvml.so", NULL);

  g_assert_true(g_file_test(library, G_FILE_TEST_EXISTS));
  return library;
}

/** ms_fixture_nvml: (transfer full) (nullable): the sensor of a GPU of that stand-in. */
MsSensor *
ms_fixture_nvml(const char *device, const MsPciAddress *address)
{
  g_autofree char *library = ms_fixture_nvml_library();

  return ms_sensor_open_nvml(library, device, address);
}

/** ms_fixture_limits: an invented processor, or an invented graphics processor with images, for plans only. */
MsDeviceLimits
ms_fixture_limits(MsDeviceType type)
{
  const gboolean cpu = type == MS_DEVICE_TYPE_CPU;

  return (MsDeviceLimits){.type = type,
                          .compute_units = cpu ? 2 : 20,
                          .global_memory = (guint64)(cpu ? 4 : 8) << 30,
                          .max_allocation = (guint64)(cpu ? 1 : 2) << 30,
                          .local_memory = 32768,
                          .local_is_dedicated = !cpu,
                          .max_work_group = cpu ? 4096 : 256,
                          .max_work_item = {cpu ? 4096 : 256, cpu ? 4096 : 256, 64},
                          .images = !cpu,
                          .image_max_width = 16384,
                          .image_max_height = 16384,
                          .fp64 = TRUE,
                          .vector_bytes = cpu ? 64 : 16,
                          .preferred_multiple = cpu ? 1 : 64,
                          .opencl_version = 120};
}

/** ms_plan_case: a whole picture of that size, with the device's default memory budget. */
MsPlanCase
ms_plan_case(const MsSettings *settings, const MsDeviceLimits *limits, int width, int height)
{
  return (MsPlanCase){.job = {.size = {width, height}}, .settings = *settings, .limits = *limits};
}

/** ms_plan_case_new: (transfer full): the plan, as ms_plan_new() makes it, which @self must outlive. */
MsPlan *
ms_plan_case_new(const MsPlanCase *self, GError **error)
{
  MsDeviceShare share = self->share;
  MsJob job = self->job;

  share.limits = &self->limits;
  job.settings = &self->settings;
  return ms_plan_new(&job, &share, error);
}

/** ms_plan_case_refusal: (transfer full) (nullable): why there is no plan. */
char *
ms_plan_case_refusal(const MsPlanCase *self)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_case_new(self, &error);

  return plan ? NULL : g_strdup(error->message);
}

/** ms_fixture_assert_refused: asserts that no plan can be made, for a reason that contains @word. */
void
ms_fixture_assert_refused(const MsPlanCase *request, const char *word)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_case_new(request, &error);

  g_assert_null(plan);
  g_assert_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED);
  if (!strstr(error->message, word))
    g_error("“%s” does not name %s", error->message, word);
}

/** ms_fixture_count_descriptors: how many descriptors of this process are open. */
guint
ms_fixture_count_descriptors(void)
{
  g_autoptr(GDir) folder = g_dir_open("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name(folder))
    n++;
  return n;
}
