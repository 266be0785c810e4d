/* SPDX-License-Identifier: MIT */
/* The profiles of monitors from a colour manager on a bus of its own, which answers as colord does. */
#include <gtk/gtk.h>
#include <string.h>

#include "tests/gui/panel-fixture.h"
#include "tests/support/image-files.h"
#include "ui/common/colord.h"

#define NAME "org.freedesktop.ColorManager"
#define PATH "/org/freedesktop/ColorManager"

/* What the manager knows: @devices display devices, "A" and "B", of which "B" has the profile. */
typedef struct {
  int devices;
  const char *file;
} Manager;

static const char interfaces[] =
  "<node>"
  "<interface name='" NAME "'><method name='GetDevicesByKind'><arg type='s' direction='in'/>"
  "<arg type='ao' direction='out'/></method></interface>"
  "<interface name='" NAME ".Device'><property name='Model' type='s' access='read'/>"
  "<property name='Profiles' type='ao' access='read'/></interface>"
  "<interface name='" NAME ".Profile'><property name='Filename' type='s' access='read'/></interface>"
  "</node>";

static void
on_call(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *method,
        GVariant *arguments, GDBusMethodInvocation *call, gpointer data)
{
  static const char *const paths[] = {PATH "/B", PATH "/A"};
  const Manager *manager = data;
  const char *kind;

  g_variant_get(arguments, "(&s)", &kind);
  g_assert_cmpstr(kind, ==, "display");
  g_dbus_method_invocation_return_value(call, g_variant_new("(@ao)", g_variant_new_objv(paths, manager->devices)));
}

static GVariant *
on_get(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *property,
       GError **error, gpointer data)
{
  static const char *const profile[] = {PATH "/profile"};
  const Manager *manager = data;
  const gboolean has_profile = g_str_has_suffix(path, "/B");

  if (g_str_equal(property, "Filename"))
    return g_variant_new_string(manager->file);
  if (g_str_equal(property, "Model"))
    return g_variant_new_string(has_profile ? "B" : "A");
  return g_variant_new_objv(profile, has_profile ? 1 : 0);
}

static const GDBusInterfaceVTable answers = {.method_call = on_call, .get_property = on_get};

static void
on_name(GDBusConnection *bus, const char *name, gpointer done)
{
  *(gboolean *)done = TRUE;
}

/* A connection that has the name of the manager. */
static GDBusConnection *
serve(const char *address, Manager *manager)
{
  const GDBusConnectionFlags flags =
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION;
  static const char *const paths[] = {PATH, PATH "/A", PATH "/B", PATH "/profile"};
  static const int numbers[] = {0, 1, 1, 2};
  g_autoptr(GDBusNodeInfo) node = g_dbus_node_info_new_for_xml(interfaces, NULL);
  GDBusConnection *bus = g_dbus_connection_new_for_address_sync(address, flags, NULL, NULL, NULL);
  gboolean has_name = FALSE;

  g_assert_nonnull(bus);
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
    g_assert_cmpuint(
      g_dbus_connection_register_object(bus, paths[i], node->interfaces[numbers[i]], &answers, manager, NULL, NULL), >,
      0);
  g_bus_own_name_on_connection(bus, NAME, G_BUS_NAME_OWNER_FLAGS_NONE, on_name, NULL, &has_name, NULL);
  wait_for(30, has_name);
  return bus;
}

typedef struct {
  gboolean is_done;
  GBytes *profile;
} Answer;

static void
on_found(GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;

  answer->profile = ms_colord_find_finish(result);
  answer->is_done = TRUE;
}

/* (transfer full) (nullable) */
static GBytes *
find(const char *model)
{
  Answer answer = {FALSE, NULL};

  ms_colord_find_async(model, NULL, on_found, &answer);
  wait_for(60, answer.is_done);
  return answer.profile;
}

static void
test_profiles(void)
{
  g_autofree char *folder = ms_test_folder_new(), *file = g_build_filename(folder, "b.icc", NULL);
  g_autoptr(GTestDBus) daemon = g_test_dbus_new(G_TEST_DBUS_NONE);
  Manager manager = {2, file};

  g_assert_true(g_file_set_contents(file, "profile", -1, NULL));
  g_test_dbus_up(daemon);
  g_setenv("DBUS_SYSTEM_BUS_ADDRESS", g_test_dbus_get_bus_address(daemon), TRUE);
  g_assert_null(find("B")); /* without the manager */
  g_autoptr(GDBusConnection) bus = serve(g_test_dbus_get_bus_address(daemon), &manager);
  g_autoptr(GBytes) of_b = find("B");
  g_assert_cmpmem(g_bytes_get_data(of_b, NULL), g_bytes_get_size(of_b), "profile", 7);
  g_assert_null(find("A"));
  g_assert_null(find("C"));
  g_assert_null(find(NULL));
  manager.devices = 1;
  g_autoptr(GBytes) of_only = find("C");
  g_assert_nonnull(of_only);
  manager.file = "/nowhere";
  g_assert_null(find("B"));
  manager.devices = 0;
  g_assert_null(find("B"));
  g_dbus_connection_close_sync(bus, NULL, NULL);
  g_test_dbus_stop(daemon);
  ms_test_folder_remove(g_steal_pointer(&folder));
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/colord/profiles", test_profiles);
  return g_test_run();
}
