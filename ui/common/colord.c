/* SPDX-License-Identifier: MIT */
#include "ui/common/colord.h"

#define NAME "org.freedesktop.ColorManager"
#define PATH "/org/freedesktop/ColorManager"

#define TIMEOUT_MS 5000

/* (transfer full) (nullable): the reply, a tuple of @type. */
static GVariant *
call(GDBusConnection *bus, const char *path, const char *interface, const char *method, GVariant *arguments,
     const char *type)
{
  return g_dbus_connection_call_sync(bus, NAME, path, interface, method, arguments, G_VARIANT_TYPE(type),
                                     G_DBUS_CALL_FLAGS_NONE, TIMEOUT_MS, NULL, NULL);
}

/* (transfer full) (nullable): all properties of a device or of a profile. */
static GVariant *
read_properties(GDBusConnection *bus, const char *path, const char *interface)
{
  g_autoptr(GVariant) reply =
    call(bus, path, "org.freedesktop.DBus.Properties", "GetAll", g_variant_new("(s)", interface), "(a{sv})");

  return reply ? g_variant_get_child_value(reply, 0) : NULL;
}

/* (transfer full) (nullable): the content of the file of a profile. */
static GBytes *
read_profile(GDBusConnection *bus, const char *path)
{
  g_autoptr(GVariant) properties = read_properties(bus, path, NAME ".Profile");
  const char *name = NULL;
  char *data = NULL;
  gsize size = 0;

  if (!properties || !g_variant_lookup(properties, "Filename", "&s", &name) ||
      !g_file_get_contents(name, &data, &size, NULL))
    return NULL;
  return g_bytes_new_take(data, size);
}

/* (transfer full) (nullable): the first profile of a device, which is the one in use. */
static GBytes *
read_device(GDBusConnection *bus, GVariant *properties)
{
  g_autoptr(GVariantIter) profiles = NULL;
  const char *path;

  if (!g_variant_lookup(properties, "Profiles", "ao", &profiles) || !g_variant_iter_next(profiles, "&o", &path))
    return NULL;
  return read_profile(bus, path);
}

/* The monitor is told by its model; the only one needs no name. */
static GBytes *
find_profile(GDBusConnection *bus, const char *model)
{
  g_autoptr(GVariant) reply = call(bus, PATH, NAME, "GetDevicesByKind", g_variant_new("(s)", "display"), "(ao)");
  g_autoptr(GVariant) devices = reply ? g_variant_get_child_value(reply, 0) : NULL;
  const gsize n = devices ? g_variant_n_children(devices) : 0;

  for (gsize i = 0; i < n; i++) {
    const char *path, *given = NULL;
    g_variant_get_child(devices, i, "&o", &path);
    g_autoptr(GVariant) properties = read_properties(bus, path, NAME ".Device");
    if (properties && (n == 1 || (g_variant_lookup(properties, "Model", "&s", &given) && g_str_equal(given, model))))
      return read_device(bus, properties);
  }
  return NULL;
}

static void
find_in_thread(GTask *task, gpointer source, gpointer model, GCancellable *cancellable)
{
  g_autoptr(GDBusConnection) bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, cancellable, NULL);

  g_task_return_pointer(task, bus ? find_profile(bus, model) : NULL, (GDestroyNotify)g_bytes_unref);
}

/** ms_colord_find_async: @model: (nullable): of the monitor, as the system names it */
void
ms_colord_find_async(const char *model, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);

  g_task_set_task_data(task, g_strdup(model ? model : ""), g_free);
  g_task_run_in_thread(task, find_in_thread);
}

/** ms_colord_find_finish: (transfer full) (nullable): the profile; %NULL without one, also where colord is missing. */
GBytes *
ms_colord_find_finish(GAsyncResult *result)
{
  return g_task_propagate_pointer(G_TASK(result), NULL);
}
