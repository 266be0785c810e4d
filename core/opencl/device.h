/* SPDX-License-Identifier: MIT */
/* MsDevice: one OpenCL device with a snapshot of the limits that plans depend on. */
#pragma once

#include <CL/cl.h>
#include <glib.h>

#include "core/error.h"

typedef enum {
  MS_DEVICE_TYPE_CPU,
  MS_DEVICE_TYPE_GPU,
  MS_DEVICE_TYPE_ACCELERATOR,
  MS_DEVICE_TYPE_OTHER,
} MsDeviceType;

/**
 * MsDeviceLimits: the limits that plans depend on, as plain numbers, so that plans can be tested with invented devices.
 * @preferred_multiple: work-items that execute in lockstep (warp or wavefront); 1 where unknown
 * @subgroups: whether OpenCL C has sub-groups; @subgroup_shuffle: whether their work-items can read each other's
 *   registers
 * @vector_bytes: bytes of a vector register, from the device's native vector width of int
 * @clang_vectors: whether its compiler accepts clang's vectors of any length; set when a context is opened
 * @byte_products: whether it also accepts sums of products of bytes in vectors of 512 bits; set with @clang_vectors
 * @opencl_version: 120 for OpenCL 1.2, 300 for 3.0
 * @nvidia_capability: compute capability times ten (90 on Hopper), 0 on other devices
 * @registers_of_group: registers that a work-group can have, on NVIDIA; 0 where unknown
 * @loop_iterations: of all loops of a work-item together, after which they end and give wrong results; 0 for no limit
 * @host_unified: whether host and device share memory, so that buffers can wrap host pointers
 */
typedef struct {
  MsDeviceType type;
  guint compute_units;
  guint clock_mhz;
  guint64 global_memory;
  guint64 max_allocation;
  guint64 constant_memory;
  guint64 local_memory;
  gboolean local_is_dedicated;
  gsize max_work_group;
  gsize max_work_item[3];
  gboolean images;
  gsize image_max_width;
  gsize image_max_height;
  gboolean fp64;
  gboolean subgroups;
  gboolean subgroup_shuffle;
  gboolean int64_atomics;
  guint vector_bytes;
  gboolean clang_vectors;
  gboolean byte_products;
  gboolean host_unified;
  guint preferred_multiple;
  guint opencl_version;
  guint nvidia_capability;
  guint registers_of_group;
  guint loop_iterations;
} MsDeviceLimits;

/**
 * MsDevice: is counted by references; once its context is open, nobody changes more than @attached.
 * @id: %NULL for a device of another process
 * @title: as people know it: ms_device_short_name(), numbered where two have the same
 * @address: "P:D", the form that --device takes
 * @unknown: (nullable): the query of the first limit that plans need and the driver does not state
 * @unknown_status: of that query; %CL_SUCCESS for a limit of 0
 * @attached: what a module has measured of the device and frees with it
 */
typedef struct {
  cl_device_id id;
  char *name;
  char *title;
  char *vendor;
  char *platform;
  char *driver;
  char *version;
  char *extensions;
  char *address;
  MsDeviceLimits limits;
  const char *unknown;
  cl_int unknown_status;
  GData *attached;
} MsDevice;

MsDevice *ms_device_ref(MsDevice *self);
void ms_device_unref(MsDevice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsDevice, ms_device_unref)

/** MS_DEVICE_SNAPSHOT: the GVariant type of ms_device_to_snapshot(): eight texts and the bytes of #MsDeviceLimits. */
#define MS_DEVICE_SNAPSHOT "(asay)"

GPtrArray *ms_device_enumerate(GError **error);
GVariant *ms_device_to_snapshot(MsDevice *self);
MsDevice *ms_device_new_from_snapshot(GVariant *snapshot);
gboolean ms_device_is_sane(MsDevice *self);
gboolean ms_device_equal(MsDevice *a, MsDevice *b);

gboolean ms_device_check_limits(MsDevice *self, GError **error);
gboolean ms_device_limits_lack_vectors(const MsDeviceLimits *limits);
gboolean ms_device_limits_have_vectors(const MsDeviceLimits *limits);
gboolean ms_device_has_own_memory(MsDevice *self);
gboolean ms_device_is_pocl(MsDevice *self);
char *ms_device_short_name(const char *name, const char *platform);
void ms_device_number_titles(GPtrArray *devices);
const char *ms_device_type_name(MsDeviceType type);
