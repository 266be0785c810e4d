/* SPDX-License-Identifier: MIT */
#include "core/opencl/device.h"

#include <string.h>
#include <sys/resource.h>

#include "core/opencl/cl-error.h"
#include "core/opencl/driver-cache.h"

struct _MsDevice {
  GObject parent_instance;
  cl_device_id id;
  cl_platform_id platform_id;
  char *name;
  char *vendor;
  char *platform;
  char *driver;
  char *version;
  char *extensions;
  char *address;
  MsDeviceLimits limits;
  MsUnknownLimit unknown;
};

G_DEFINE_FINAL_TYPE(MsDevice, ms_device, G_TYPE_OBJECT)

static void
ms_device_finalize(GObject *object)
{
  MsDevice *self = MS_DEVICE(object);

  g_free(self->name);
  g_free(self->vendor);
  g_free(self->platform);
  g_free(self->driver);
  g_free(self->version);
  g_free(self->extensions);
  g_free(self->address);
  G_OBJECT_CLASS(ms_device_parent_class)->finalize(object);
}

static void
ms_device_class_init(MsDeviceClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_device_finalize;
}

static void
ms_device_init(MsDevice *self)
{
}

static char *
query_string(cl_device_id id, cl_device_info what)
{
  gsize size = 0;

  if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS || size == 0)
    return g_strdup("");
  char *text = g_malloc0(size + 1);
  if (clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS)
    text[0] = '\0';
  return g_strstrip(text);
}

static char *
query_platform_string(cl_platform_id id, cl_platform_info what)
{
  gsize size = 0;

  if (clGetPlatformInfo(id, what, 0, NULL, &size) != CL_SUCCESS || size == 0)
    return g_strdup("");
  char *text = g_malloc0(size + 1);
  if (clGetPlatformInfo(id, what, size, text, NULL) != CL_SUCCESS)
    text[0] = '\0';
  return g_strstrip(text);
}

/* (transfer full): the device with its limits read; the indices are places in the lists of the OpenCL loader. */
static MsDevice *
new_for_id(cl_device_id id, guint platform_index, guint device_index)
{
  MsDevice *self = g_object_new(MS_TYPE_DEVICE, NULL);

  self->id = id;
  clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof self->platform_id, &self->platform_id, NULL);
  self->name = query_string(id, CL_DEVICE_NAME);
  self->vendor = query_string(id, CL_DEVICE_VENDOR);
  self->driver = query_string(id, CL_DRIVER_VERSION);
  self->version = query_string(id, CL_DEVICE_VERSION);
  self->extensions = query_string(id, CL_DEVICE_EXTENSIONS);
  self->platform = query_platform_string(self->platform_id, CL_PLATFORM_NAME);
  self->address = g_strdup_printf("%u:%u", platform_index, device_index);
  ms_device_limits_read(id, self->version, self->extensions, &self->limits, &self->unknown);
  return self;
}

static void
append_platform_devices(GPtrArray *devices, cl_platform_id platform, guint platform_index)
{
  cl_uint n = 0;

  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n) != CL_SUCCESS || n == 0)
    return;
  g_autofree cl_device_id *ids = g_new0(cl_device_id, n);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids, NULL) != CL_SUCCESS)
    return;
  for (cl_uint i = 0; i < n; i++)
    g_ptr_array_add(devices, new_for_id(ids[i], platform_index, i));
}

/* A loader that lacks memory to load a driver also reports that there is no device. */
static char *
remedy_for_none(const char *cache_problem)
{
  struct rlimit addresses;

  if (cache_problem)
    return g_strdup(cache_problem);
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
    return g_strdup_printf("Perhaps no driver can be loaded in the %" G_GUINT64_FORMAT " MiB of addresses that the "
                           "system allows; raise the limit (ulimit -v), install a driver, or use --device reference.",
                           (guint64)addresses.rlim_cur >> 20);
  return g_strdup("Install a driver (the package pocl-opencl-icd runs on every processor), or use --device reference.");
}

/**
 * ms_device_enumerate:
 *
 * Every device of every platform, in the loader's order.
 *
 * Returns: (transfer full) (element-type MsDevice): at least one device, or %NULL with #MS_ERROR_NO_DEVICE
 */
GPtrArray *
ms_device_enumerate(GError **error)
{
  g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func(g_object_unref);
  const char *cache_problem = ms_driver_cache_prepare();
  cl_uint n = 0;

  if (clGetPlatformIDs(0, NULL, &n) == CL_SUCCESS && n > 0) {
    g_autofree cl_platform_id *platforms = g_new0(cl_platform_id, n);
    if (!ms_cl_check(clGetPlatformIDs(n, platforms, NULL), error, "listing the platforms"))
      return NULL;
    for (cl_uint i = 0; i < n; i++)
      append_platform_devices(devices, platforms[i], i);
  }
  if (devices->len == 0) {
    g_autofree char *remedy = remedy_for_none(cache_problem);
    ms_set_error(error, MS_ERROR_NO_DEVICE, "No OpenCL device was found. %s", remedy);
    return NULL;
  }
  return g_steal_pointer(&devices);
}

/* The texts of a snapshot, in this order. */
#define N_TEXTS 7

static void
list_texts(MsDevice *self, char **texts[N_TEXTS])
{
  char **const all[N_TEXTS] = {&self->name,    &self->vendor,     &self->platform, &self->driver,
                               &self->version, &self->extensions, &self->address};

  memcpy(texts, all, sizeof all);
}

/** ms_device_to_snapshot: (transfer floating): all that other processes of this program need to know about a device. */
GVariant *
ms_device_to_snapshot(MsDevice *self)
{
  char **texts[N_TEXTS];
  GVariantBuilder builder;

  list_texts(self, texts);
  g_variant_builder_init(&builder, G_VARIANT_TYPE("as"));
  for (guint i = 0; i < N_TEXTS; i++) {
    g_autofree char *valid = g_utf8_make_valid(*texts[i], -1);
    g_variant_builder_add(&builder, "s", valid);
  }
  return g_variant_new("(as@ay)", &builder,
                       g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, &self->limits, sizeof self->limits, 1));
}

/** ms_device_is_sane: whether plans can divide by the limits of a device from a snapshot. */
gboolean
ms_device_is_sane(MsDevice *self)
{
  const MsDeviceLimits *l = &self->limits;

  return l->compute_units > 0 && l->global_memory > 0 && l->max_allocation > 0 && l->max_work_group > 0 &&
         l->max_work_item[0] > 0 && l->max_work_item[1] > 0 && l->max_work_item[2] > 0 && l->preferred_multiple > 0;
}

/**
 * ms_device_new_from_snapshot:
 * @snapshot: of type %MS_DEVICE_SNAPSHOT, from another process
 *
 * Returns: (transfer full) (nullable): a device to make plans for, which cannot be opened in this process; %NULL if
 *   @snapshot is damaged
 */
MsDevice *
ms_device_new_from_snapshot(GVariant *snapshot)
{
  g_autoptr(MsDevice) self = g_object_new(MS_TYPE_DEVICE, NULL);
  g_autoptr(GVariant) names = g_variant_get_child_value(snapshot, 0);
  g_autoptr(GVariant) bytes = g_variant_get_child_value(snapshot, 1);
  char **texts[N_TEXTS];

  if (g_variant_n_children(names) != N_TEXTS || g_variant_get_size(bytes) != sizeof self->limits)
    return NULL;
  list_texts(self, texts);
  for (guint i = 0; i < N_TEXTS; i++)
    g_variant_get_child(names, i, "s", texts[i]);
  memcpy(&self->limits, g_variant_get_data(bytes), sizeof self->limits);
  return (guint)self->limits.type <= MS_DEVICE_TYPE_OTHER ? g_steal_pointer(&self) : NULL;
}

/** ms_device_equal: whether two snapshots are of the same device with the same driver. */
gboolean
ms_device_equal(MsDevice *a, MsDevice *b)
{
  g_autoptr(GVariant) p = g_variant_ref_sink(ms_device_to_snapshot(a));
  g_autoptr(GVariant) q = g_variant_ref_sink(ms_device_to_snapshot(b));

  return g_variant_equal(p, q);
}

cl_device_id
ms_device_get_id(MsDevice *self)
{
  return self->id;
}

const MsDeviceLimits *
ms_device_get_limits(MsDevice *self)
{
  return &self->limits;
}

/**
 * ms_device_check_limits:
 *
 * Returns: %FALSE with #MS_ERROR_DEVICE where the driver does not state a limit that plans need, or states 0
 */
gboolean
ms_device_check_limits(MsDevice *self, GError **error)
{
  if (!self->unknown.name)
    return TRUE;
  ms_set_error(error, MS_ERROR_DEVICE,
               "The driver of the device %s does not state its limit %s (%s); update the driver, or choose another "
               "device with --device.",
               self->name, self->unknown.name,
               self->unknown.status == CL_SUCCESS ? "0" : ms_cl_status_name(self->unknown.status));
  return FALSE;
}

/** ms_device_has_own_memory: whether its buffers take none of the machine's memory. */
gboolean
ms_device_has_own_memory(MsDevice *self)
{
  return self->limits.type == MS_DEVICE_TYPE_GPU && !self->limits.host_unified;
}

/** ms_device_set_extensions: sets what ms_compiler_probe() found; until then the limits say %FALSE. */
void
ms_device_set_extensions(MsDevice *self, MsCompilerExtensions extensions)
{
  self->limits.clang_vectors = extensions.clang_vectors;
  self->limits.byte_products = extensions.byte_products;
}

const char *
ms_device_get_name(MsDevice *self)
{
  return self->name;
}

const char *
ms_device_get_vendor(MsDevice *self)
{
  return self->vendor;
}

const char *
ms_device_get_platform(MsDevice *self)
{
  return self->platform;
}

const char *
ms_device_get_driver(MsDevice *self)
{
  return self->driver;
}

const char *
ms_device_get_version(MsDevice *self)
{
  return self->version;
}

const char *
ms_device_get_extensions(MsDevice *self)
{
  return self->extensions;
}

/** ms_device_get_address: "P:D", the form that --device takes. */
const char *
ms_device_get_address(MsDevice *self)
{
  return self->address;
}

/** ms_device_type_name: "cpu", "gpu", "accelerator" or "other", as reports and --device spell it. */
const char *
ms_device_type_name(MsDeviceType type)
{
  static const char *const names[] = {"cpu", "gpu", "accelerator", "other"};

  return names[type];
}
