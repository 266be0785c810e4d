/* SPDX-License-Identifier: MIT */
#include "app/diagnose.h"

#include <string.h>
#include <sys/utsname.h>

#include "app/report/device-list.h"
#include "app/process/version.h"
#include "core/filter/mean-shift.h"
#include "core/opencl/program-cache.h"

/* Sides that are no multiple of any work-group, so that the kernels meet the borders of the image. */
#define TEST_WIDTH 97
#define TEST_HEIGHT 61
#define TEST_RADIUS 4

static void
append_system(GString *text)
{
  struct utsname names = {0};

  uname(&names);
  g_string_append_printf(text, "\nSystem\n  %s %s, %s, %u processors\n", names.sysname, names.release, names.machine,
                         g_get_num_processors());
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

static MsImage *
new_test_image(void)
{
  gsize n = (gsize)TEST_WIDTH * TEST_HEIGHT * 4;
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  guint8 *pixels = g_malloc(n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = (guint8)(i % 4 == 3 ? 255 : (i / 16 + (gsize)g_rand_int_range(random, 0, 40)) % 256);
  return ms_image_new_take(TEST_WIDTH, TEST_HEIGHT, pixels, NULL);
}

/*
 * Returns the kernel's line: identical, different, or the reason why it cannot run on this device, which is no failure.
 */
static char *
test_kernel(MsMeanShift *filter, MsImage *source, MsImage *reference, const MsSettings *settings, gboolean *agrees)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) result = ms_mean_shift_run(filter, source, settings, NULL, NULL, NULL, &error);
  MsImageDifference difference = {0};

  if (!result && g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED))
    return g_strdup_printf("not here: %s", error->message);
  if (result)
    difference = ms_image_compare(result, reference);
  if (result && difference.mismatched_pixels == 0)
    return g_strdup("identical to the reference");
  *agrees = FALSE;
  return result ? g_strdup_printf("DIFFERS from the reference in %" G_GUINT64_FORMAT " pixels",
                                  (guint64)difference.mismatched_pixels)
                : g_strdup_printf("FAILS: %s", error->message);
}

static void
append_kernels(GString *text, MsDevice *device, MsImage *source, MsImage *reference, MsSettings settings,
               gboolean *agrees)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsContext) context = ms_context_new(device, &error);
  g_autoptr(MsMeanShift) filter = context ? ms_mean_shift_new(context) : NULL;

  if (!filter) {
    g_string_append_printf(text, "  %-5s FAILS: %s\n", ms_device_get_address(device), error->message);
    *agrees = FALSE;
    return;
  }
  for (int i = MS_KERNEL_AUTO + 1; ms_filter_kernel_names[i]; i++) {
    settings.options.kernel = i;
    g_autofree char *line = test_kernel(filter, source, reference, &settings, agrees);
    g_string_append_printf(text, "  %-5s %-10s %s\n", ms_device_get_address(device), ms_filter_kernel_names[i], line);
  }
}

static gboolean
append_self_test(GString *text, GPtrArray *devices, gboolean *agrees, GError **error)
{
  MsSettings settings = ms_settings_default();
  g_autoptr(MsImage) source = new_test_image();
  g_autoptr(MsImage) reference = NULL;

  settings.params.sp = TEST_RADIUS;
  reference = ms_reference_run(source, &settings.params, NULL, NULL, NULL, NULL, error);
  if (!reference)
    return FALSE;
  g_string_append(text, "\nSelf-test of the kernels\n");
  for (guint i = 0; i < devices->len; i++)
    append_kernels(text, g_ptr_array_index(devices, i), source, reference, settings, agrees);
  return TRUE;
}

/* Replaces the home folder's path, which may contain the user's name. */
static char *
hide_home(const char *text)
{
  g_auto(GStrv) parts = g_strsplit(text, g_get_home_dir(), -1);

  return strcmp(g_get_home_dir(), "/") == 0 ? g_strdup(text) : g_strjoinv("~", parts);
}

/**
 * ms_diagnose_text:
 * @agrees: (out): %FALSE if a kernel fails or its result differs from the serial reference
 *
 * Returns: (transfer full): a report that can be sent, without the path of the home folder; or %NULL with @error set
 */
char *
ms_diagnose_text(gboolean *agrees, GError **error)
{
  g_autoptr(GPtrArray) devices = ms_device_enumerate(error);
  g_autofree char *version = ms_version_text();
  g_autoptr(GString) text = g_string_new(version);

  *agrees = TRUE;
  if (!devices)
    return NULL;
  g_autofree char *list = ms_device_list_to_text(devices);
  append_system(text);
  append_cache(text);
  g_string_append_printf(text, "\nOpenCL devices\n%s", list);
  return append_self_test(text, devices, agrees, error) ? hide_home(text->str) : NULL;
}
