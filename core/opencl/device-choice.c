/* SPDX-License-Identifier: MIT */
#include "core/opencl/device-choice.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/opencl/wait.h"

static gboolean
contains_ignoring_case(const char *text, const char *part)
{
  g_autofree char *a = g_utf8_casefold(text, -1);
  g_autofree char *b = g_utf8_casefold(part, -1);

  return strstr(a, b) != NULL;
}

/**
 * ms_device_matches:
 * @device_selector: `auto`, `cpu`, `gpu`, `P:D`, or a part of the device's name or title or of the
 *   platform's name in any case
 */
gboolean
ms_device_matches(MsDevice *device, const char *device_selector)
{
  MsDeviceType type = device->limits.type;

  if (strcmp(device_selector, "auto") == 0)
    return TRUE;
  if (strcmp(device_selector, "cpu") == 0)
    return type == MS_DEVICE_TYPE_CPU;
  if (strcmp(device_selector, "gpu") == 0)
    return type == MS_DEVICE_TYPE_GPU;
  if (strcmp(device_selector, device->address) == 0)
    return TRUE;
  if (g_regex_match_simple("^[0-9]+:[0-9]+$", device_selector, 0, 0))
    return FALSE;
  return contains_ignoring_case(device->name, device_selector) ||
         contains_ignoring_case(device->title, device_selector) ||
         contains_ignoring_case(device->platform, device_selector);
}

/* GPUs before accelerators before processors: the order in which `auto` tries them. */
static int
preference(MsDevice *device)
{
  static const int order[] = {
    [MS_DEVICE_TYPE_GPU] = 0, [MS_DEVICE_TYPE_ACCELERATOR] = 1, [MS_DEVICE_TYPE_CPU] = 2, [MS_DEVICE_TYPE_OTHER] = 3};

  return order[device->limits.type];
}

static int
compare_preference(gconstpointer a, gconstpointer b)
{
  return preference(*(MsDevice *const *)a) - preference(*(MsDevice *const *)b);
}

/* Stable: devices of one kind stay in the loader's order (g_ptr_array_sort is a merge sort in GLib). */
static GPtrArray *
candidates(GPtrArray *devices, const char *device_selector)
{
  GPtrArray *matching = g_ptr_array_new_with_free_func((GDestroyNotify)ms_device_unref);

  for (guint i = 0; i < devices->len; i++)
    if (ms_device_matches(g_ptr_array_index(devices, i), device_selector))
      g_ptr_array_add(matching, ms_device_ref(g_ptr_array_index(devices, i)));
  g_ptr_array_sort(matching, compare_preference);
  return matching;
}

static void
report_none(const char *device_selector, GPtrArray *devices, GPtrArray *rejected, GError **error)
{
  g_autoptr(GString) known = g_string_new(NULL);

  for (guint i = 0; i < devices->len; i++) {
    MsDevice *device = g_ptr_array_index(devices, i);
    g_string_append_printf(known, "%s%s %s", i > 0 ? ", " : "", device->address, device->name);
  }
  if (rejected->len == 0)
    ms_set_error(error, MS_ERROR_NO_DEVICE, "No device matches '%s'. There are: %s.", device_selector, known->str);
  else
    ms_set_error(error, MS_ERROR_NO_DEVICE, "No device for '%s' works. %s", device_selector,
                 (const char *)g_ptr_array_index(rejected, 0));
}

/**
 * ms_device_choose_among:
 * @devices: (element-type MsDevice): the devices to choose from
 * @device_selector: see ms_device_matches()
 * @rejected: (out) (optional) (transfer full): a sentence for each device that was tried and does not work
 *
 * Opens the first matching device that can build and run a trivial kernel, GPUs first.
 *
 * Returns: (transfer full): its context, or %NULL with #MS_ERROR_NO_DEVICE
 */
MsContext *
ms_device_choose_among(GPtrArray *devices, const char *device_selector, GStrv *rejected, GError **error)
{
  g_autoptr(GPtrArray) matching = candidates(devices, device_selector);
  g_autoptr(GPtrArray) sentences = g_ptr_array_new_with_free_func(g_free);
  MsContext *context = NULL;

  for (guint i = 0; i < matching->len && !context; i++) {
    g_autoptr(GError) reason = NULL;
    MsDevice *device = g_ptr_array_index(matching, i);
    const MsWait before = ms_wait_begin(MS_WAIT_DEVICE);
    context = ms_context_new(device, &reason);
    if (context && !ms_context_works(context, &reason))
      g_clear_pointer(&context, ms_context_unref);
    ms_wait_end(before);
    if (!context)
      g_ptr_array_add(sentences, g_strdup_printf(_("The device %s (%s) was rejected: %s"), device->title,
                                                 device->address, reason->message));
  }
  if (!context)
    report_none(device_selector, devices, sentences, error);
  if (rejected) {
    g_ptr_array_add(sentences, NULL);
    *rejected = g_strdupv((GStrv)sentences->pdata);
  }
  return context;
}

/** ms_device_choose: ms_device_choose_among() over all devices of this machine. */
MsContext *
ms_device_choose(const char *device_selector, GStrv *rejected, GError **error)
{
  g_autoptr(GPtrArray) devices = ms_device_enumerate(error);

  if (rejected)
    *rejected = NULL;
  return devices ? ms_device_choose_among(devices, device_selector, rejected, error) : NULL;
}
