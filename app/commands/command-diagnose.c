/* SPDX-License-Identifier: MIT */
/* --diagnose: versions, system, devices, cache, and a self-test of every kernel on every device; and --list-devices. */
#include "app/commands/command.h"

#include <string.h>

#include "app/command-line/help.h"
#include "app/report/device-list.h"
#include "app/report/report-file.h"
#include "core/engine/engine.h"
#include "core/filter/mean-shift.h"
#include "core/lab/report/environment.h"
#include "core/opencl/program.h"
#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce.h"
#include "core/reduce/sort.h"
#include "core/reduce/swap.h"
#include "core/regions/segmentation.h"

/* Self-test: the kernels of a device on small inputs, compared with the serial code */

/*
 * The tests of one device.
 * @text: receives a line for each test
 * @agrees: %FALSE once a kernel failed or gave another result than the serial code
 */
typedef struct {
  MsContext *context;
  const char *address;
  GString *text;
  gboolean agrees;
} SelfTest;

/*
 * Adds the line of one kernel.
 * @differences: values in which its result differs from that of the serial code
 * @error: (nullable): why it did not run; #MS_ERROR_UNSUPPORTED is no failure
 */
static void
add_line(SelfTest *self, const char *name, guint64 differences, const GError *error)
{
  const gboolean unsupported = g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED);

  g_string_append_printf(self->text, "  %-5s %-26s ", self->address, name);
  if (error)
    g_string_append_printf(self->text, "%s %s\n", unsupported ? "not here:" : "FAILS:", error->message);
  else if (differences > 0)
    g_string_append_printf(self->text, "DIFFERS from the reference in %" G_GUINT64_FORMAT " values\n", differences);
  else
    g_string_append(self->text, "identical to the reference\n");
  self->agrees = self->agrees && (error ? unsupported : differences == 0);
}

/* The filter */

/* Sides that are no multiple of any work-group, so that the kernels meet the borders of the image. */
#define WIDTH 97
#define HEIGHT 61
#define RADIUS 4

/* Smaller regions join others. */
#define LEAST_REGION 9

/** Variant: what a test changes in the default settings. */
typedef struct {
  const char *name;
  MsKernel kernel;
  int memory;
  int schedule;
  int levels;
  MsSpace space;
} Variant;

/* The settings tested beside each kernel's default: the program parts that defaults leave out. */
static const Variant variants[] = {
  {"direct, image objects", MS_KERNEL_DIRECT, .memory = MS_MEMORY_IMAGE},
  {"direct, refill", MS_KERNEL_DIRECT, .schedule = MS_SCHEDULE_REFILL},
  {"pyramid levels", .levels = 2},
  {"L*u*v*", .space = MS_SPACE_LUV},
  {"L*a*b*", .space = MS_SPACE_LAB},
};

static MsImage *
new_smooth_image(void)
{
  gsize n = (gsize)WIDTH * HEIGHT * 4;
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  guint8 *pixels = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = (guint8)(i % 4 == 3 ? 255 : (i / 16 + (gsize)g_rand_int_range(random, 0, 40)) % 256);
  return ms_image_new_take(WIDTH, HEIGHT, pixels, NULL);
}

static MsSettings
settings_of(const Variant *variant)
{
  MsSettings settings = ms_settings_default();

  settings.params.sp = RADIUS;
  settings.params.levels = variant->levels;
  settings.params.space = variant->space;
  settings.options.kernel = variant->kernel;
  settings.options.memory = variant->memory;
  settings.options.schedule = variant->schedule;
  return settings;
}

static void
test_variant(SelfTest *self, MsMeanShift *filter, MsImage *source, const Variant *variant)
{
  const MsSettings settings = settings_of(variant);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) result =
    ms_mean_shift_run(filter, &(MsFilterRequest){.source = source, .settings = &settings}, &error);
  g_autoptr(MsImage) reference = result ? ms_reference_run(source, &settings.params, NULL, &error) : NULL;

  add_line(self, variant->name, reference ? ms_image_compare(result, reference).mismatched_pixels : 0, error);
}

static guint64
count_different(const guint32 *a, const guint32 *b, gsize n)
{
  guint64 different = 0;

  for (gsize i = 0; i < n; i++)
    different += a[i] != b[i];
  return different;
}

/* The kernels that find regions, on the modes of the serial code. */
static void
test_regions(SelfTest *self, const MsFiltered *filtered)
{
  const MsRegionOptions options = {LEAST_REGION, MS_REGION_RANGE_DEFAULT, NULL};
  g_autoptr(GError) error = NULL;
  g_autoptr(MsSegmentation) serial = ms_segmentation_new_on(NULL, filtered, &options, NULL, &error);
  g_autoptr(MsSegmentation) found =
    serial ? ms_segmentation_new_on(self->context, filtered, &options, NULL, &error) : NULL;

  add_line(self, "labels of regions",
           found ? count_different(found->labels, serial->labels, WIDTH * HEIGHT) + (found->n != serial->n) : 0, error);
}

static void
test_modes(SelfTest *self, MsMeanShift *filter, MsImage *source)
{
  const MsSettings settings = settings_of(&(Variant){0});
  g_autofree guint16 *found = g_new0(guint16, 2 * WIDTH * HEIGHT), *serial = g_new0(guint16, 2 * WIDTH * HEIGHT);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) reference = ms_reference_run_with_modes(source, &settings.params, serial, NULL, &error);
  g_autoptr(MsImage) result =
    reference
      ? ms_mean_shift_run(filter, &(MsFilterRequest){.source = source, .settings = &settings, .modes = found}, &error)
      : NULL;

  add_line(self, "modes", result ? count_different((guint32 *)found, (guint32 *)serial, WIDTH * HEIGHT) : 0, error);
  if (!reference)
    return;
  test_regions(self, &(MsFiltered){.image = reference, .modes = serial, .params = &settings.params});
}

/* Tests the kernels of the filter, of colour spaces and of regions. */
static void
test_filter(SelfTest *self)
{
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(self->context);
  g_autoptr(MsImage) source = new_smooth_image();

  for (int i = MS_KERNEL_AUTO + 1; ms_filter_kernel_names[i]; i++)
    test_variant(self, filter, source, &(Variant){ms_filter_kernel_names[i], (MsKernel)i});
  for (guint i = 0; i < G_N_ELEMENTS(variants); i++)
    test_variant(self, filter, source, &variants[i]);
  test_modes(self, filter, source);
}

/* Reductions */

/* No multiple of any work-group, and more than one group folds. */
#define N 10007
#define SWAP_RANGE 64

static guint8 *
random_bytes(gsize n, guint32 seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  guint8 *bytes = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8)g_rand_int_range(random, 0, 256);
  return bytes;
}

static MsImage *
new_random_image(guint32 seed)
{
  return ms_image_new_take(WIDTH, HEIGHT, random_bytes((gsize)WIDTH * HEIGHT * 4, seed), NULL);
}

/* Integers, whose results are exact. */
static void
test_operator(SelfTest *self, MsReduceOp op)
{
  const MsReduceSpec spec = MS_REDUCE_SPEC(op, MS_ELEMENT_INT);
  const MsReduceOptions options = ms_reduce_options_auto();
  g_autofree char *name = g_strdup_printf("reduction %s", ms_reduce_operator(op)->name);
  g_autofree guint8 *elements = random_bytes(N * sizeof(gint32), 2);
  g_autoptr(GError) error = NULL;
  MsReduceResult found = {0}, serial = {0};
  const gboolean ran =
    ms_reduce_array(self->context, &(MsReduceRequest){spec, options}, &(MsReduceInput){.host = elements, .n = N},
                    &(MsReduceJob){&found, NULL, NULL}, &error) &&
    ms_reduce_serial(&spec, elements, N, &serial, &error);

  add_line(self, name, ran && !ms_reduce_result_agrees(&found, &serial, 0), error);
}

static void
test_histogram(SelfTest *self)
{
  g_autoptr(MsImage) image = new_random_image(3);
  g_autoptr(GError) error = NULL;
  MsHistogram found = {0}, serial = {0};
  guint64 different = 0;

  ms_histogram_serial(ms_image_get_pixels(image), (guint64)WIDTH * HEIGHT, &serial);
  if (ms_histogram_of_image(&(MsDeviceRun){self->context, NULL, NULL}, image, &found, &error))
    for (int c = 0; c < MS_N_CHANNELS; c++)
      for (int i = 0; i < 256; i++)
        different += found.counts[c][i] != serial.counts[c][i];
  add_line(self, "histogram", different, error);
}

static void
test_comparison(SelfTest *self)
{
  g_autoptr(MsImage) a = new_random_image(4), b = new_random_image(5);
  g_autoptr(GError) error = NULL;
  MsImageComparison found = {0}, serial = {0};
  guint64 different = 0;

  ms_image_comparison_serial(ms_image_get_pixels(a), ms_image_get_pixels(b), (guint64)WIDTH * HEIGHT, &serial);
  if (ms_image_comparison(&(MsDeviceRun){self->context, NULL, NULL}, a, b, &found, &error)) {
    for (int c = 0; c < 4; c++)
      different += (found.absolute[c] != serial.absolute[c]) + (found.squared[c] != serial.squared[c]);
    different += (found.changed != serial.changed) + (found.max_difference != serial.max_difference);
  }
  add_line(self, "comparison of images", different, error);
}

static void
test_sort(SelfTest *self, const char *name, MsSortForm form)
{
  MsSortOptions options = ms_sort_options_default();
  g_autofree guint32 *found = (guint32 *)random_bytes(N * sizeof(guint32), 6);
  g_autofree guint32 *serial = g_memdup2(found, N * sizeof(guint32));
  g_autoptr(GError) error = NULL;

  options.form = form;
  ms_sort_serial(MS_ELEMENT_UINT, serial, N);
  ms_sort_host(&(MsDeviceRun){self->context, NULL, NULL}, &(MsSortRequest){options, MS_ELEMENT_UINT, N}, found, &error);
  add_line(self, name, count_different(found, serial, N), error);
}

static void
test_swapping(SelfTest *self)
{
  g_autofree float *a = g_new(float, N), *b = g_new(float, N), *found = g_new0(float, N), *serial = g_new0(float, N);
  g_autoptr(MsSwapExample) example = NULL;
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < N; i++) {
    a[i] = 0.1f * (float)i;
    b[i] = 1000.7f - (float)i;
  }
  ms_swap_example_serial(a, b, serial, N);
  example = ms_swap_example_new(self->context, &(MsSwapArrays){a, b, N}, SWAP_RANGE, NULL, &error);
  if (example && ms_swap_example_run(example, NULL, &error))
    ms_swap_example_read(example, found, &error);
  add_line(self, "thread swapping", count_different((guint32 *)found, (guint32 *)serial, N), error);
}

/*
 * Tests every reduction, the histogram, the comparison, the sort and the example of thread
 * swapping.
 */
static void
test_reductions(SelfTest *self)
{
  for (int op = 0; op < MS_REDUCE_N_OPS; op++)
    test_operator(self, (MsReduceOp)op);
  test_histogram(self);
  test_comparison(self);
  test_sort(self, "sort", MS_SORT_FAST);
  test_sort(self, "sort, study's form", MS_SORT_STUDY);
  test_swapping(self);
}

/* All kernels */

/* Adds a line for each kernel to @text; %FALSE if one failed or gave another result. */
static gboolean
self_test(MsDevice *device, GString *text)
{
  g_autoptr(GError) error = NULL;
  /* The device stays open until this process ends, because a driver may end it when it is closed. */
  MsContext *context = ms_context_new(device, &error);
  SelfTest self = {context, device->address, text, TRUE};

  if (context) {
    test_filter(&self);
    test_reductions(&self);
  } else {
    add_line(&self, "context", 0, error);
  }
  return self.agrees && context;
}

/* The report */

static void
append_system(GString *text)
{
  g_autofree char *system = ms_environment_system();

  g_string_append_printf(text, "\nSystem\n  %s, %u processors\n", system, g_get_num_processors());
}

static void
append_cache(GString *text)
{
  g_autofree char *folder = ms_program_cache_folder();
  g_autoptr(GDir) dir = folder ? g_dir_open(folder, 0, NULL) : NULL;
  guint n = 0;

  while (dir && g_dir_read_name(dir))
    n++;
  g_string_append_printf(text, "\nCache of compiled kernels\n  %s: %u files\n", folder ? folder : "none", n);
}

static gboolean
append_self_test(GString *text, GPtrArray *devices)
{
  gboolean agrees = TRUE;

  g_string_append(text, "\nSelf-test of the kernels\n");
  for (guint i = 0; i < devices->len; i++)
    agrees = self_test(g_ptr_array_index(devices, i), text) && agrees;
  return agrees;
}

/* Replaces a folder's path, which may contain the user's name. */
static void
hide_folder(GString *text, const char *path, const char *name)
{
  if (strlen(path) > 1)
    g_string_replace(text, path, name, 0);
}

static gboolean
append_devices(GString *text, GPtrArray *devices)
{
  g_autofree char *list = ms_device_list_to_text(devices);

  g_string_append(text, list);
  return append_self_test(text, devices);
}

/*
 * (transfer full): a report that can be sent, without the paths of the user's folders.
 * @agrees: (out): %FALSE if a kernel fails or its result differs from the serial reference
 * @error: set where there is no device; the report says so, too
 */
static char *
diagnose(gboolean *agrees, GError **error)
{
  g_autofree char *version = ms_version_text();
  g_autoptr(GError) failure = NULL;
  g_autoptr(GPtrArray) devices = ms_device_enumerate(&failure);
  g_autoptr(GString) text = g_string_new(version);

  append_system(text);
  append_cache(text);
  g_string_append(text, "\nOpenCL devices\n");
  if (failure)
    g_string_append_printf(text, "  none: %s\n", failure->message);
  *agrees = devices ? append_devices(text, devices) : TRUE;
  hide_folder(text, g_get_home_dir(), "~");
  hide_folder(text, g_get_user_cache_dir(), "$XDG_CACHE_HOME");
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/** ms_diagnose_command_run: exit status 3 if a kernel fails or its result differs from the serial reference. */
MsExitStatus
ms_diagnose_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  gboolean agrees;
  g_autofree char *text = diagnose(&agrees, &error);

  ms_engine_note_driver(ms_console_print_note, console);
  ms_console_print(console, text);
  if (error)
    return ms_command_fail(console, error);
  return agrees ? MS_EXIT_DONE : MS_EXIT_DIFFERENT;
}

/** ms_list_devices_command_run: prints the list as JSON with --json. */
MsExitStatus
ms_list_devices_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) devices = ms_device_enumerate(&error);

  ms_engine_note_driver(ms_console_print_note, console);
  if (!devices)
    return ms_command_fail(console, error);
  g_autofree char *text = line->json ? ms_device_list_to_json(devices) : ms_device_list_to_text(devices);
  if (!ms_report_file_save(line->json ? line->json : MS_INPUT_STDIN, text, NULL, &error))
    return ms_command_fail(console, error);
  return MS_EXIT_DONE;
}
