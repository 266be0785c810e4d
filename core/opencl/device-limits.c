/* SPDX-License-Identifier: MIT */
#include "core/opencl/device-limits.h"

#include <stdio.h>
#include <string.h>

/* Vendor queries, defined here because their headers are not installed everywhere; the extensions fix the numbers. */
#define NV_COMPUTE_CAPABILITY_MAJOR 0x4000
#define NV_COMPUTE_CAPABILITY_MINOR 0x4001
#define NV_WARP_SIZE 0x4003
#define AMD_WAVEFRONT_WIDTH 0x4043
#define PREFERRED_WORK_GROUP_SIZE_MULTIPLE 0x1067
#define MAX_NUM_SUB_GROUPS 0x105C
#define OPENCL_C_FEATURES 0x106F

/** NamedVersion: cl_name_version of OpenCL 3.0. */
typedef struct {
  guint32 version;
  char name[64];
} NamedVersion;

/* A device whose limits are being read. */
typedef struct {
  cl_device_id id;
  const char *extensions;
  MsDeviceLimits *limits;
  MsUnknownLimit *unknown;
} Reader;

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
require_number(const Reader *self, cl_device_info what, const char *name)
{
  gsize size = 0;
  cl_int status = clGetDeviceInfo(self->id, what, 0, NULL, &size);
  guint64 number = status == CL_SUCCESS ? query_number(self->id, what) : 0;

  if (number == 0 && !self->unknown->name) {
    self->unknown->name = name;
    self->unknown->status = status;
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
has_extension(const Reader *self, const char *extension)
{
  g_auto(GStrv) words = g_strsplit(self->extensions, " ", -1);

  return g_strv_contains((const char *const *)words, extension);
}

/* Sends a vendor's query only to that vendor's devices, because API checkers report it as an error on others. */
static guint
preferred_multiple(const Reader *self)
{
  guint64 answer = 0;

  if (has_extension(self, "cl_nv_device_attribute_query"))
    answer = query_number(self->id, NV_WARP_SIZE);
  else if (has_extension(self, "cl_amd_device_attribute_query"))
    answer = query_number(self->id, AMD_WAVEFRONT_WIDTH);
  else if (self->limits->opencl_version >= 300)
    answer = query_number(self->id, PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  if (answer > 0)
    return (guint)answer;
  return self->limits->type == MS_DEVICE_TYPE_GPU ? 32 : 1;
}

/* OpenCL C features are listed since version 3.0, as pairs of version and name. */
static gboolean
has_feature(const Reader *self, const char *feature)
{
  gsize size = 0;

  if (self->limits->opencl_version < 300 || clGetDeviceInfo(self->id, OPENCL_C_FEATURES, 0, NULL, &size) != CL_SUCCESS)
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
has_subgroups(const Reader *self)
{
  gboolean known = (self->limits->opencl_version >= 200 && has_extension(self, "cl_khr_subgroups")) ||
                   has_feature(self, "__opencl_c_subgroups");

  return known && query_number(self->id, MAX_NUM_SUB_GROUPS) > 0;
}

static guint
nvidia_capability(const Reader *self)
{
  if (!has_extension(self, "cl_nv_device_attribute_query"))
    return 0;
  return (guint)(query_number(self->id, NV_COMPUTE_CAPABILITY_MAJOR) * 10 +
                 query_number(self->id, NV_COMPUTE_CAPABILITY_MINOR));
}

static void
require_work_item_sizes(const Reader *self)
{
  gsize *sizes = self->limits->max_work_item;
  cl_int status =
    clGetDeviceInfo(self->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof self->limits->max_work_item, sizes, NULL);

  if (status == CL_SUCCESS && sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0)
    return;
  if (!self->unknown->name) {
    self->unknown->name = "CL_DEVICE_MAX_WORK_ITEM_SIZES";
    self->unknown->status = status;
  }
}

/**
 * ms_device_limits_read:
 * @version: CL_DEVICE_VERSION
 * @extensions: CL_DEVICE_EXTENSIONS
 * @unknown: (out): the first limit that plans need and the driver does not state; its name is %NULL where there is none
 */
void
ms_device_limits_read(cl_device_id id, const char *version, const char *extensions, MsDeviceLimits *l,
                      MsUnknownLimit *unknown)
{
  const Reader reader = {id, extensions, l, unknown}, *self = &reader;

  *unknown = (MsUnknownLimit){NULL};
  l->type = device_type(id);
  l->compute_units = (guint)REQUIRE(self, CL_DEVICE_MAX_COMPUTE_UNITS);
  l->clock_mhz = (guint)query_number(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  l->global_memory = REQUIRE(self, CL_DEVICE_GLOBAL_MEM_SIZE);
  l->max_allocation = REQUIRE(self, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  l->local_memory = REQUIRE(self, CL_DEVICE_LOCAL_MEM_SIZE);
  l->local_is_dedicated = query_number(id, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  l->max_work_group = REQUIRE(self, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  require_work_item_sizes(self);
  l->images = query_number(id, CL_DEVICE_IMAGE_SUPPORT) != 0;
  l->image_max_width = query_number(id, CL_DEVICE_IMAGE2D_MAX_WIDTH);
  l->image_max_height = query_number(id, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  l->fp64 = query_number(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  l->opencl_version = opencl_version(version);
  l->subgroups = has_subgroups(self);
  l->subgroup_shuffle = l->subgroups && has_extension(self, "cl_khr_subgroup_shuffle");
  l->int64_atomics = has_extension(self, "cl_khr_int64_base_atomics");
  l->vector_bytes = 4 * (guint)query_number(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT);
  l->little_endian = query_number(id, CL_DEVICE_ENDIAN_LITTLE) != 0;
  l->host_unified = query_number(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  l->preferred_multiple = preferred_multiple(self);
  l->nvidia_capability = nvidia_capability(self);
}
