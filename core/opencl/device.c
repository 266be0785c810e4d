/* SPDX-License-Identifier: MIT */
#include "core/opencl/device.h"

#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>

#include "core/opencl/cl.h"
#include "core/opencl/driver-cache.h"
#include "core/opencl/icd.h"
#include "core/opencl/wait.h"
#include "core/threads.h"

/* Vendor queries, defined here because their headers are not installed everywhere; the extensions fix the numbers. */
#define NV_COMPUTE_CAPABILITY_MAJOR 0x4000
#define NV_COMPUTE_CAPABILITY_MINOR 0x4001
#define NV_REGISTERS_PER_BLOCK 0x4002
#define NV_WARP_SIZE 0x4003
#define AMD_WAVEFRONT_WIDTH 0x4043
#define PREFERRED_WORK_GROUP_SIZE_MULTIPLE 0x1067
#define MAX_NUM_SUB_GROUPS 0x105C
#define OPENCL_C_FEATURES 0x106F

/* Of every processor whose vectors are worth using. */
#define LEAST_VECTOR_BYTES 16

/** NamedVersion: cl_name_version of OpenCL 3.0. */
typedef struct {
  guint32 version;
  char name[64];
} NamedVersion;

/*
 * The unsigned value of a query of 4 or 8 bytes; 0 where the device does not support the query, which then counts as
 * a device without what is asked for: images, double precision, sub-groups, a known clock or vector width.
 */
static guint64
query_number(cl_device_id id, cl_device_info what)
{
  guint64 wide = 0;
  guint32 narrow = 0;
  gsize size = 0;

  if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS)
    return 0;
  if (size == sizeof narrow && clGetDeviceInfo(id, what, size, &narrow, NULL) == CL_SUCCESS)
    return narrow;
  if (size == sizeof wide && clGetDeviceInfo(id, what, size, &wide, NULL) == CL_SUCCESS)
    return wide;
  return 0;
}

/* A limit without which nothing can be planned: the first that the driver refuses to state, or states as 0, is kept. */
static guint64
require_number(MsDevice *self, cl_device_info what, const char *name)
{
  gsize size = 0;
  cl_int status = clGetDeviceInfo(self->id, what, 0, NULL, &size);
  guint64 number = status == CL_SUCCESS ? query_number(self->id, what) : 0;

  if (number == 0 && !self->unknown) {
    self->unknown = name;
    self->unknown_status = status;
  }
  return number;
}

#define REQUIRE(self, what) require_number(self, what, #what)

static MsDeviceType
device_type(cl_device_id id)
{
  guint64 type = query_number(id, CL_DEVICE_TYPE);

  if (type & CL_DEVICE_TYPE_GPU)
    return MS_DEVICE_TYPE_GPU;
  if (type & CL_DEVICE_TYPE_CPU)
    return MS_DEVICE_TYPE_CPU;
  if (type & CL_DEVICE_TYPE_ACCELERATOR)
    return MS_DEVICE_TYPE_ACCELERATOR;
  return MS_DEVICE_TYPE_OTHER;
}

static guint
opencl_version(const char *text)
{
  guint major = 0, minor = 0;

  if (sscanf(text, "OpenCL %u.%u", &major, &minor) != 2)
    return 100;
  return major * 100 + minor * 10;
}

static gboolean
has_extension(MsDevice *self, const char *extension)
{
  g_auto(GStrv) words = g_strsplit(self->extensions, " ", -1);

  return g_strv_contains((const char *const *)words, extension);
}

/* Sends a vendor's query only to that vendor's devices, because API checkers report it as an error on others. */
static guint
preferred_multiple(MsDevice *self)
{
  guint64 answer = 0;

  if (has_extension(self, "cl_nv_device_attribute_query"))
    answer = query_number(self->id, NV_WARP_SIZE);
  else if (has_extension(self, "cl_amd_device_attribute_query"))
    answer = query_number(self->id, AMD_WAVEFRONT_WIDTH);
  else if (self->limits.opencl_version >= 300)
    answer = query_number(self->id, PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  if (answer > 0)
    return (guint)answer;
  return self->limits.type == MS_DEVICE_TYPE_GPU ? 32 : 1;
}

/* OpenCL C features are listed since version 3.0, as pairs of version and name. */
static gboolean
has_feature(MsDevice *self, const char *feature)
{
  gsize size = 0;

  if (self->limits.opencl_version < 300 || clGetDeviceInfo(self->id, OPENCL_C_FEATURES, 0, NULL, &size) != CL_SUCCESS)
    return FALSE;
  g_autofree NamedVersion *features = g_malloc0(size + 1);
  if (clGetDeviceInfo(self->id, OPENCL_C_FEATURES, size, features, NULL) != CL_SUCCESS)
    return FALSE;
  for (gsize i = 0; i < size / sizeof *features; i++)
    if (strncmp(features[i].name, feature, sizeof features[i].name) == 0)
      return TRUE;
  return FALSE;
}

/*
 * Whether it has the extension of OpenCL 2 or the feature of OpenCL C 3.0; the number is 0 where sub-groups are absent.
 */
static gboolean
has_subgroups(MsDevice *self)
{
  gboolean known = (self->limits.opencl_version >= 200 && has_extension(self, "cl_khr_subgroups")) ||
                   has_feature(self, "__opencl_c_subgroups");

  return known && query_number(self->id, MAX_NUM_SUB_GROUPS) > 0;
}

static guint
nvidia_capability(MsDevice *self)
{
  if (!has_extension(self, "cl_nv_device_attribute_query"))
    return 0;
  return (guint)(query_number(self->id, NV_COMPUTE_CAPABILITY_MAJOR) * 10 +
                 query_number(self->id, NV_COMPUTE_CAPABILITY_MINOR));
}

static void
require_work_item_sizes(MsDevice *self)
{
  gsize *sizes = self->limits.max_work_item;
  cl_int status =
    clGetDeviceInfo(self->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof self->limits.max_work_item, sizes, NULL);

  if (status == CL_SUCCESS && sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0)
    return;
  if (!self->unknown) {
    self->unknown = "CL_DEVICE_MAX_WORK_ITEM_SIZES";
    self->unknown_status = status;
  }
}

/*
 * Mesa's llvmpipe ends all loops of a work-item after so many iterations together, so that no shader runs for ever, and
 * goes on behind them; 22.3 does so, and 25.0 no longer.
 */
#define LLVMPIPE_ITERATIONS 65535
#define FIRST_MESA_WITHOUT_LIMIT 25

static guint
loop_iterations(MsDevice *self)
{
  const gboolean has_limit =
    g_str_has_prefix(self->name, "llvmpipe") && g_ascii_strtoull(self->driver, NULL, 10) < FIRST_MESA_WITHOUT_LIMIT;

  return has_limit ? LLVMPIPE_ITERATIONS : 0;
}

static void
read_limits(MsDevice *self)
{
  const cl_device_id id = self->id;
  MsDeviceLimits *l = &self->limits;

  l->type = device_type(id);
  l->compute_units = (guint)REQUIRE(self, CL_DEVICE_MAX_COMPUTE_UNITS);
  l->clock_mhz = (guint)query_number(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  l->global_memory = REQUIRE(self, CL_DEVICE_GLOBAL_MEM_SIZE);
  l->max_allocation = REQUIRE(self, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  l->constant_memory = query_number(id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
  l->local_memory = REQUIRE(self, CL_DEVICE_LOCAL_MEM_SIZE);
  l->local_is_dedicated = query_number(id, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  l->max_work_group = REQUIRE(self, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  require_work_item_sizes(self);
  l->images = query_number(id, CL_DEVICE_IMAGE_SUPPORT) != 0;
  l->image_max_width = query_number(id, CL_DEVICE_IMAGE2D_MAX_WIDTH);
  l->image_max_height = query_number(id, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  l->fp64 = query_number(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  l->opencl_version = opencl_version(self->version);
  l->subgroups = has_subgroups(self);
  l->subgroup_shuffle = l->subgroups && has_extension(self, "cl_khr_subgroup_shuffle");
  l->int64_atomics = has_extension(self, "cl_khr_int64_base_atomics");
  l->vector_bytes = 4 * (guint)query_number(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT);
  REQUIRE(self, CL_DEVICE_ENDIAN_LITTLE); /* kernels take a pixel's first byte for the lowest of its word */
  l->host_unified = query_number(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  l->preferred_multiple = preferred_multiple(self);
  l->nvidia_capability = nvidia_capability(self);
  l->registers_of_group = l->nvidia_capability > 0 ? (guint)query_number(id, NV_REGISTERS_PER_BLOCK) : 0;
  l->loop_iterations = loop_iterations(self);
}

/* The texts of a snapshot, in this order. */
#define N_TEXTS 8

static void
list_texts(MsDevice *self, char **texts[N_TEXTS])
{
  char **const all[N_TEXTS] = {&self->name,    &self->vendor,     &self->platform, &self->driver,
                               &self->version, &self->extensions, &self->address,  &self->title};

  memcpy(texts, all, sizeof all);
}

/** ms_device_ref: Returns: (transfer full): @self */
MsDevice *
ms_device_ref(MsDevice *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_device(gpointer device)
{
  char **texts[N_TEXTS];

  g_datalist_clear(&((MsDevice *)device)->attached);
  list_texts(device, texts);
  for (guint i = 0; i < N_TEXTS; i++)
    g_free(*texts[i]);
}

void
ms_device_unref(MsDevice *self)
{
  g_atomic_rc_box_release_full(self, clear_device);
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

/* Names as people know them */

/* A rewriting of names, all in order; a platform of NULL is any. */
typedef struct {
  const char *platform;
  const char *pattern;
  const char *by;
} NameRule;

#define POCL "Portable Computing Language"

static const NameRule name_rules[] = {
  {NULL, "(?i)\\((R|TM|C)\\)|[®™]", ""},
  /* PoCL puts its driver, and newer versions the kind of processor, before the model, or have only the kind. */
  {POCL, "^(pthread|cpu|basic|cpu-minimal|cpu-tbb)-([a-z0-9_.-]+-(?=[A-Z]))?(?=.)", ""},
  {POCL, "-?0x[0-9a-f]+$", ""},
  /* Mesa describes the driver in parentheses. */
  {"rusticl", "(?<=.)\\s*\\(.*\\)$", ""},
  {"rusticl", "^Mesa\\b", ""},
  {"Clover", "(?<=.)\\s*\\(.*\\)$", ""},
  {"NVIDIA CUDA", "^(?!NVIDIA)", "NVIDIA "},
  {"NVIDIA CUDA", " \\d+GB HBM\\w*$", ""},
  {"AMD Accelerated Parallel Processing", "^(?=gfx)", "AMD "},
  {NULL, "(?<=gfx)([0-9a-f]+):.*", "\\1"},
  {NULL, "@.*|\\[0x.*\\]|\\b\\w+-Core\\b.*|\\bwith Radeon\\b.*|\\bw/ Radeon\\b.*", ""},
  {NULL, "\\b(CPU|Processor|Compute Engine|NEO)\\b", ""},
  {NULL, "\\s+", " "},
};

/**
 * ms_device_short_name: (transfer full): a device as people know it, from the driver's names of it and its platform:
 * "pthread-haswell-Intel(R) Xeon(R) Processor @ 2.10GHz" of PoCL is "Intel Xeon (PoCL)". A driver that may offer the
 * processor or graphics of another vendor is named in parentheses. Nothing is left out of a name that no rule knows.
 */
char *
ms_device_short_name(const char *name, const char *platform)
{
  const gboolean is_pocl = g_str_equal(platform, POCL);
  const gboolean is_mesa = g_str_equal(platform, "rusticl") || g_str_equal(platform, "Clover");
  g_autofree char *text = g_utf8_make_valid(name, -1);

  for (guint i = 0; i < G_N_ELEMENTS(name_rules); i++) {
    if (name_rules[i].platform && !g_str_equal(name_rules[i].platform, platform))
      continue;
    g_autoptr(GRegex) pattern = g_regex_new(name_rules[i].pattern, 0, 0, NULL);
    char *next = g_regex_replace(pattern, text, -1, 0, name_rules[i].by, 0, NULL);
    g_free(g_steal_pointer(&text));
    text = next;
  }
  g_strstrip(text);
  const char *shown = *text ? text : name;
  return is_pocl || is_mesa ? g_strdup_printf("%s (%s)", shown, is_pocl ? "PoCL" : platform) : g_strdup(shown);
}

/** ms_device_is_pocl: whether its driver is PoCL, which runs kernels on the processor. */
gboolean
ms_device_is_pocl(MsDevice *self)
{
  return g_str_equal(self->platform, POCL);
}

static guint
count_titled(GPtrArray *devices, guint n, const char *title)
{
  guint same = 0;

  for (guint i = 0; i < n; i++)
    same += g_str_equal(((MsDevice *)devices->pdata[i])->title, title) ? 1 : 0;
  return same;
}

/**
 * ms_device_number_titles:
 * @devices: (element-type MsDevice): all devices, in the loader's order
 *
 * Adds a number to the titles of devices that have the same: "NVIDIA H200 #1", "NVIDIA H200 #2".
 */
void
ms_device_number_titles(GPtrArray *devices)
{
  g_autoptr(GPtrArray) numbered = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < devices->len; i++) {
    const char *title = ((MsDevice *)devices->pdata[i])->title;
    const guint before = count_titled(devices, i, title);
    g_ptr_array_add(numbered, count_titled(devices, devices->len, title) > 1
                                ? g_strdup_printf("%s #%u", title, before + 1)
                                : g_strdup(title));
  }
  for (guint i = 0; i < devices->len; i++) {
    MsDevice *device = devices->pdata[i];
    g_free(device->title);
    device->title = g_steal_pointer(&numbered->pdata[i]);
  }
}

/* (transfer full): the device with its limits read; the indices are places in the lists of the OpenCL loader. */
static MsDevice *
new_for_id(cl_device_id id, guint platform_index, guint device_index)
{
  MsDevice *self = g_atomic_rc_box_new0(MsDevice);
  cl_platform_id platform = NULL;

  self->id = id;
  clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
  self->name = query_string(id, CL_DEVICE_NAME);
  self->vendor = query_string(id, CL_DEVICE_VENDOR);
  self->driver = query_string(id, CL_DRIVER_VERSION);
  self->version = query_string(id, CL_DEVICE_VERSION);
  self->extensions = query_string(id, CL_DEVICE_EXTENSIONS);
  self->platform = query_platform_string(platform, CL_PLATFORM_NAME);
  self->address = g_strdup_printf("%u:%u", platform_index, device_index);
  self->title = ms_device_short_name(self->name, self->platform);
  read_limits(self);
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
remedy_for_none(const char *left_out, const char *cache_problem)
{
  const guint64 addresses = ms_address_limit();

  if (left_out)
    return g_strdup_printf(_("%s Use --device reference, which needs no driver."), left_out);
  if (cache_problem)
    return g_strdup(cache_problem);
  if (addresses != G_MAXUINT64)
    return g_strdup_printf("Perhaps no driver can be loaded in the %" G_GUINT64_FORMAT " MiB of addresses that the "
                           "system allows; raise the limit (ulimit -v), install a driver, or use --device reference.",
                           addresses >> 20);
  return g_strdup("Install a driver (the package pocl-opencl-icd runs on every processor), or use --device reference.");
}

static GPtrArray *
enumerate(const char *left_out, const char *cache_problem, GError **error)
{
  g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func((GDestroyNotify)ms_device_unref);
  cl_uint n = 0;

  if (clGetPlatformIDs(0, NULL, &n) == CL_SUCCESS && n > 0) {
    g_autofree cl_platform_id *platforms = g_new0(cl_platform_id, n);
    if (!ms_cl_check(clGetPlatformIDs(n, platforms, NULL), error, "listing the platforms"))
      return NULL;
    for (cl_uint i = 0; i < n; i++)
      append_platform_devices(devices, platforms[i], i);
  }
  if (devices->len == 0) {
    g_autofree char *remedy = remedy_for_none(left_out, cache_problem);
    ms_set_error(error, MS_ERROR_NO_DEVICE, "No OpenCL device was found. %s", remedy);
    return NULL;
  }
  ms_device_number_titles(devices);
  return g_steal_pointer(&devices);
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
  const char *left_out = ms_icd_prepare();
  const char *cache_problem = ms_driver_cache_prepare();
  const MsWait before = ms_wait_begin(MS_WAIT_DRIVERS);
  GPtrArray *devices = enumerate(left_out, cache_problem, error);

  ms_wait_end(before);
  return devices;
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
  g_autoptr(MsDevice) self = g_atomic_rc_box_new0(MsDevice);
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

/**
 * ms_device_check_limits:
 *
 * Returns: %FALSE with #MS_ERROR_DEVICE where the driver does not state a limit that plans need, or states 0
 */
gboolean
ms_device_check_limits(MsDevice *self, GError **error)
{
  if (!self->unknown)
    return TRUE;
  ms_set_error(error, MS_ERROR_DEVICE,
               "The driver of the device %s does not state its limit %s (%s); update the driver, or choose another "
               "device with --device.",
               self->name, self->unknown,
               self->unknown_status == CL_SUCCESS ? "0" : ms_cl_status_name(self->unknown_status));
  return FALSE;
}

/**
 * ms_device_limits_lack_vectors: whether a processor computes work-items side by side, and vectors number by number, as
 * Mesa's llvmpipe does, which needs a minute to compile some of those. It has no doubles, and shorter vectors than all
 * processors have.
 */
gboolean
ms_device_limits_lack_vectors(const MsDeviceLimits *limits)
{
  return limits->type == MS_DEVICE_TYPE_CPU && !limits->fp64 && limits->vector_bytes < LEAST_VECTOR_BYTES;
}

/** ms_device_limits_have_vectors: whether it is a processor whose work-items compute in vectors of several numbers. */
gboolean
ms_device_limits_have_vectors(const MsDeviceLimits *limits)
{
  return limits->type == MS_DEVICE_TYPE_CPU && !ms_device_limits_lack_vectors(limits);
}

/** ms_device_has_own_memory: whether its buffers take none of the machine's memory. */
gboolean
ms_device_has_own_memory(MsDevice *self)
{
  return self->limits.type == MS_DEVICE_TYPE_GPU && !self->limits.host_unified;
}

/** ms_device_type_name: "cpu", "gpu", "accelerator" or "other", as reports and --device spell it. */
const char *
ms_device_type_name(MsDeviceType type)
{
  static const char *const names[] = {"cpu", "gpu", "accelerator", "other"};

  return names[type];
}
