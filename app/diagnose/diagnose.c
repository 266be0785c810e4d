/* SPDX-License-Identifier: MIT */
#include "app/diagnose/diagnose.h"

#include <string.h>
#include <sys/utsname.h>

#include "app/diagnose/self-test.h"
#include "app/process/version.h"
#include "app/report/device-list.h"
#include "core/opencl/program-cache.h"

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

static gboolean
append_self_test(GString *text, GPtrArray *devices)
{
  gboolean agrees = TRUE;

  g_string_append(text, "\nSelf-test of the kernels\n");
  for (guint i = 0; i < devices->len; i++)
    agrees = ms_self_test_run(g_ptr_array_index(devices, i), text) && agrees;
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

/**
 * ms_diagnose_text:
 * @agrees: (out): %FALSE if a kernel fails or its result differs from the serial reference
 * @error: set where there is no device; the report says so, too
 *
 * Returns: (transfer full): a report that can be sent, without the paths of the user's folders
 */
char *
ms_diagnose_text(gboolean *agrees, GError **error)
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
