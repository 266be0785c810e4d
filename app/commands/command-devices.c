/* SPDX-License-Identifier: MIT */
/* --list-devices: every device with its limits, as a table or as JSON. */
#include "app/commands/command.h"

#include "app/report/report-file.h"
#include "core/engine/engine.h"
#include "core/engine/self-tune.h"
#include "core/json.h"
#include "core/opencl/device.h"

static void
append_size(GString *text, const char *label, guint64 bytes)
{
  if (bytes >= 1 << 20)
    g_string_append_printf(text, "      %-22s %" G_GUINT64_FORMAT " MiB\n", label, bytes >> 20);
  else
    g_string_append_printf(text, "      %-22s %" G_GUINT64_FORMAT " KiB\n", label, bytes >> 10);
}

/* Who chooses the kernel that `auto` takes. */
static const char *
chosen_by(MsDevice *device, MsMeasuredKernels *measured)
{
  if (ms_device_is_known(device))
    return "rules";
  return ms_measured_kernels_load(measured, device) && measured->is_complete ? "measurement" : "first picture";
}

static void
append_kernels(GString *text, MsDevice *device)
{
  g_auto(MsMeasuredKernels) measured = {0};
  const char *by = chosen_by(device, &measured);
  g_autofree char *fastest = ms_measured_kernels_describe(&measured);

  g_string_append_printf(text, "      %-22s by %s%s%s\n", "fastest kernel", by, fastest ? ": " : "",
                         fastest ? fastest : "");
}

static void
append_device(GString *text, MsDevice *device)
{
  const MsDeviceLimits *l = &device->limits;

  g_string_append_printf(text, "%-5s %s\n", device->address, device->name);
  g_string_append_printf(text, "      %-22s %s, %s\n", "platform", device->platform, device->version);
  g_string_append_printf(text, "      %-22s %s, driver %s\n", "vendor", device->vendor, device->driver);
  g_string_append_printf(text, "      %-22s %s, %u compute units at %u MHz\n", "type", ms_device_type_name(l->type),
                         l->compute_units, l->clock_mhz);
  append_size(text, "global memory", l->global_memory);
  append_size(text, "largest buffer", l->max_allocation);
  append_size(text, l->local_is_dedicated ? "local memory" : "local memory (cached)", l->local_memory);
  g_string_append_printf(text,
                         "      %-22s %" G_GSIZE_FORMAT " work-items, at most %" G_GSIZE_FORMAT "x%" G_GSIZE_FORMAT
                         "x%" G_GSIZE_FORMAT ", in steps of %u\n",
                         "work-group", l->max_work_group, l->max_work_item[0], l->max_work_item[1], l->max_work_item[2],
                         l->preferred_multiple);
  if (l->images)
    g_string_append_printf(text, "      %-22s up to %" G_GSIZE_FORMAT "x%" G_GSIZE_FORMAT "\n", "images",
                           l->image_max_width, l->image_max_height);
  else
    g_string_append_printf(text, "      %-22s none\n", "images");
  g_string_append_printf(text, "      %-22s fp64 %s, sub-groups %s, 64-bit atomics %s\n", "features",
                         l->fp64 ? "yes" : "no", l->subgroups ? "yes" : "no", l->int64_atomics ? "yes" : "no");
  append_kernels(text, device);
  g_string_append_printf(text, "      %-22s %s\n", "extensions", device->extensions);
}

/** ms_device_list_text: (transfer full): a block of lines for each of @devices (element-type MsDevice). */
char *
ms_device_list_text(GPtrArray *devices)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < devices->len; i++)
    append_device(text, g_ptr_array_index(devices, i));
  return g_string_free(text, FALSE);
}

static void
add_numbers(JsonBuilder *b, const char *member, const gsize *values, guint n)
{
  ms_json_begin_array(b, member);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value(b, (gint64)values[i]);
  json_builder_end_array(b);
}

static void
add_extensions(JsonBuilder *b, const char *extensions)
{
  g_auto(GStrv) words = g_strsplit(extensions, " ", -1);

  ms_json_begin_array(b, "extensions");
  for (gsize i = 0; words[i]; i++)
    if (words[i][0])
      json_builder_add_string_value(b, words[i]);
  json_builder_end_array(b);
}

static void
add_limits(JsonBuilder *b, const MsDeviceLimits *l)
{
  const gsize image[2] = {l->image_max_width, l->image_max_height};

  ms_json_add_text(b, "type", ms_device_type_name(l->type));
  ms_json_add_integer(b, "compute_units", l->compute_units);
  ms_json_add_integer(b, "clock_mhz", l->clock_mhz);
  ms_json_add_integer(b, "global_memory", (gint64)l->global_memory);
  ms_json_add_integer(b, "max_allocation", (gint64)l->max_allocation);
  ms_json_add_integer(b, "local_memory", (gint64)l->local_memory);
  ms_json_add_boolean(b, "local_memory_dedicated", l->local_is_dedicated);
  ms_json_add_integer(b, "max_work_group", (gint64)l->max_work_group);
  add_numbers(b, "max_work_item", l->max_work_item, 3);
  ms_json_add_integer(b, "preferred_multiple", (gint64)l->preferred_multiple);
  ms_json_add_boolean(b, "images", l->images);
  add_numbers(b, "max_image", image, 2);
  ms_json_add_boolean(b, "fp64", l->fp64);
  ms_json_add_boolean(b, "subgroups", l->subgroups);
  ms_json_add_boolean(b, "int64_atomics", l->int64_atomics);
  ms_json_add_boolean(b, "host_unified", l->host_unified);
}

static void
add_kernels(JsonBuilder *b, MsDevice *device)
{
  g_auto(MsMeasuredKernels) measured = {0};

  ms_json_add_text(b, "kernel_chosen_by", chosen_by(device, &measured));
  ms_json_begin_array(b, "candidates");
  ms_measured_kernels_add(&measured, b);
  json_builder_end_array(b);
}

static JsonNode *
device_node(MsDevice *device)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  json_builder_begin_object(b);
  ms_json_add_text(b, "address", device->address);
  ms_json_add_text(b, "name", device->name);
  ms_json_add_text(b, "vendor", device->vendor);
  ms_json_add_text(b, "platform", device->platform);
  ms_json_add_text(b, "driver", device->driver);
  ms_json_add_text(b, "version", device->version);
  add_limits(b, &device->limits);
  add_kernels(b, device);
  add_extensions(b, device->extensions);
  json_builder_end_object(b);
  return json_builder_get_root(b);
}

static gboolean
save_json(const char *path, GPtrArray *devices, GError **error)
{
  g_autoptr(GPtrArray) nodes = g_ptr_array_new();

  for (guint i = 0; i < devices->len; i++)
    g_ptr_array_add(nodes, device_node(g_ptr_array_index(devices, i)));
  return ms_report_file_save_nodes(path, "devices", nodes, NULL, error);
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
  g_autofree char *text = ms_device_list_text(devices);
  const gboolean good =
    line->json ? save_json(line->json, devices, &error) : ms_report_file_save(MS_INPUT_STDIN, text, NULL, &error);
  return good ? MS_EXIT_DONE : ms_command_fail(console, error);
}
