/* SPDX-License-Identifier: MIT */
/* --diagnose: versions, system, devices, cache, and a self-test of every kernel on every device. */
#include "app/commands/command.h"

#include <string.h>

#include "app/command-line/help.h"
#include "core/engine/engine.h"
#include "core/engine/self-tune.h"
#include "core/filter/mean-shift.h"
#include "core/filter/reference.h"
#include "core/lab/kinds/kind.h"
#include "core/lab/report/environment.h"
#include "core/opencl/icd.h"
#include "core/opencl/program.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/operators.h"

/* Self-test: the kernels of a device on small inputs, compared with the serial code */

/*
 * The tests of one device.
 * @text: receives a line for each test
 * @n_identical, @n_others: tests whose results were right, and those that failed, differed or are not for this device
 * @agrees: %FALSE once a kernel failed or gave another result than the serial code
 */
typedef struct {
  MsLabBench *bench;
  const char *address;
  GString *text;
  guint n_identical;
  guint n_others;
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
  if (error || differences > 0)
    self->n_others++;
  else
    self->n_identical++;
  self->agrees = self->agrees && (error ? unsupported : differences == 0);
}

/* Sides that are no multiple of any work-group, so that the kernels meet the borders of the image. */
#define WIDTH 97
#define HEIGHT 61
#define PICTURE "size:97x61 sp:4 "

/* No multiple of any work-group, and more than one group folds. */
#define ARRAY "size:10007 "

/* The settings tested beside each kernel's default: the program parts that defaults leave out. */
static const struct {
  const char *name;
  const char *settings;
} variants[] = {
  {"direct, image objects", PICTURE "kernel:direct memory:image"},
  {"direct, refill", PICTURE "kernel:direct schedule:refill"},
  {"pyramid levels", PICTURE "levels:2"},
  {"L*u*v*", PICTURE "space:luv"},
  {"L*a*b*", PICTURE "space:lab"},
};

/* Tests a configuration as experiments have it. */
static void
test_configuration(SelfTest *self, const char *name, const char *kind, const char *settings)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsFactors) factors = ms_factors_parse(settings, NULL);
  g_autoptr(MsConfiguration) configuration =
    ms_configuration_new(ms_lab_kind_find(kind), self->bench, factors, name, &error);
  g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(MsLabEvent));
  MsSample sample = {-1, events};
  MsVerification verification = {FALSE};

  if (configuration && ms_configuration_prepare(configuration, NULL, &error) &&
      ms_configuration_run(configuration, &sample, NULL, &error))
    ms_configuration_check(configuration, &verification, NULL, &error);
  add_line(self, name, verification.mismatches, error);
  ms_verification_clear(&verification);
}

static void
test_filter(SelfTest *self)
{
  for (int i = MS_KERNEL_AUTO + 1; ms_filter_kernel_names[i]; i++) {
    g_autofree char *settings = g_strconcat(PICTURE "kernel:", ms_filter_kernel_names[i], NULL);
    test_configuration(self, ms_filter_kernel_names[i], "mean-shift", settings);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(variants); i++)
    test_configuration(self, variants[i].name, "mean-shift", variants[i].settings);
}

/* Integers, whose results are exact. */
static void
test_operators(SelfTest *self)
{
  for (int op = 0; op < MS_REDUCE_N_OPS; op++) {
    g_autofree char *name = g_strconcat("reduction ", ms_reduce_operator(op)->name, NULL);
    g_autofree char *settings = g_strconcat(ARRAY "type:int op:", ms_reduce_operator(op)->name, NULL);
    test_configuration(self, name, "reduce", settings);
  }
}

static MsImage *
new_random_image(guint32 seed)
{
  const gsize n = (gsize)WIDTH * HEIGHT * 4;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  guint8 *pixels = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = (guint8)g_rand_int_range(random, 0, 256);
  return ms_image_new_take(WIDTH, HEIGHT, pixels, NULL);
}

static void
test_modes(SelfTest *self)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(self->bench->context);
  MsImage *source = ms_lab_bench_image(self->bench, "97x61", NULL);
  g_autofree guint16 *found = g_new0(guint16, 2 * WIDTH * HEIGHT), *serial = g_new0(guint16, 2 * WIDTH * HEIGHT);
  g_autoptr(GError) error = NULL;
  guint64 different = 0;

  settings.params.sp = 4;
  MsJob expected = {.source = source, .settings = &settings, .wants_modes = TRUE, .modes_into = serial};
  MsJob job = {.source = source, .settings = &settings, .wants_modes = TRUE, .modes_into = found};
  g_autoptr(MsImage) reference = ms_reference_run(&expected, &error);
  g_autoptr(MsImage) result = reference ? ms_mean_shift_run(filter, &job, &error) : NULL;
  ms_job_clear(&job);
  for (gsize i = 0; result && i < 2 * WIDTH * HEIGHT; i++)
    different += found[i] != serial[i];
  add_line(self, "modes", different, error);
}

static void
test_histogram(SelfTest *self)
{
  g_autoptr(MsImage) image = new_random_image(3);
  g_autoptr(GError) error = NULL;
  MsHistogram found = {0}, serial = {0};
  guint64 different = 0;

  ms_histogram_serial(ms_image_get_pixels(image), (guint64)WIDTH * HEIGHT, &serial);
  if (ms_histogram_of_image(&(MsDeviceRun){self->bench->context, NULL, NULL}, image, &found, &error))
    for (int c = 0; c < MS_N_CHANNELS; c++)
      for (int i = 0; i < 256; i++)
        different += found.counts[c][i] != serial.counts[c][i];
  add_line(self, "histogram", different, error);
}

/* A device that the rules of the plan do not know */

/* The picture whose middle is filtered. */
#define MEASURED "512x512"

/* Adds a line for each candidate of `auto`, and all of them to @row, shortly: what the rules lack. */
static void
measure_kernels(SelfTest *self, GString *row)
{
  g_auto(MsMeasuredKernels) measured = {0};
  MsImage *picture = ms_lab_bench_image(self->bench, MEASURED, NULL);

  if (ms_device_is_known(self->bench->context->device) || !picture)
    return;
  ms_self_tune_measure(&measured, self->bench->context, picture, FALSE, NULL, NULL);
  for (guint i = 0; i < measured.candidates->len; i++) {
    const MsCandidate *c = &g_array_index(measured.candidates, MsCandidate, i);
    g_string_append_printf(self->text, "  %-5s %-35s ", self->address, c->settings);
    if (c->failure)
      g_string_append_printf(self->text, "not taken: %s\n", c->failure);
    else
      g_string_append_printf(self->text, "identical; sp %g %.3f ms, sp %g %.3f ms\n", ms_measured_radii[0], c->ms[0],
                             ms_measured_radii[1], c->ms[1]);
    g_string_append_printf(row, "%s%s", i > 0 ? ", " : "", c->settings);
    if (c->failure)
      g_string_append(row, " no");
    else
      g_string_append_printf(row, " %.1f/%.1f", c->ms[0], c->ms[1]);
  }
}

/* All kernels */

/*
 * Adds a line for each kernel to @text, and one for the device to @rows, as the README's table of devices has it;
 * %FALSE if a kernel failed or gave another result.
 */
static gboolean
self_test(MsDevice *device, GString *text, GString *rows)
{
  g_autoptr(GError) error = NULL;
  /* The device stays open until this process ends, because a driver may end it when it is closed. */
  MsContext *context = ms_context_new(device, &error);
  g_autoptr(MsLabBench) bench = context ? ms_lab_bench_new(context, NULL, NULL) : NULL;
  g_autoptr(GString) kernels = g_string_new(NULL);
  SelfTest self = {.bench = bench, .address = device->address, .text = text, .agrees = TRUE};

  if (bench) {
    test_filter(&self);
    test_modes(&self);
    test_configuration(&self, "labels of regions", "regions", PICTURE "min-region:9");
    test_operators(&self);
    test_histogram(&self);
    test_configuration(&self, "sort", "sort", ARRAY);
    test_configuration(&self, "sort, study's form", "sort", ARRAY "form:study");
    test_configuration(&self, "thread swapping", "swap-example", ARRAY "swap-range:64");
    measure_kernels(&self, kernels);
  } else {
    add_line(&self, "context", 0, error);
  }
  g_string_append_printf(rows, "| %s | %s, %s | %u of %u | %s |\n", device->name, device->platform, device->driver,
                         self.n_identical, self.n_identical + self.n_others,
                         kernels->len > 0 ? kernels->str : "by rules");
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
  g_autoptr(GString) rows = g_string_new(NULL);
  gboolean agrees = TRUE;

  g_string_append(text, "\nSelf-test of the kernels\n");
  for (guint i = 0; i < devices->len; i++)
    agrees = self_test(g_ptr_array_index(devices, i), text, rows) && agrees;
  g_string_append_printf(text, "\nA line for each device that helps others, if you send it (README, Devices)\n%s",
                         rows->str);
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
  g_autofree char *list = ms_device_list_text(devices);

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
  if (ms_icd_prepare())
    g_string_append_printf(text, "  %s\n", ms_icd_prepare());
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
