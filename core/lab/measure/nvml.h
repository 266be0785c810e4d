/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's management library, which is loaded where the machine has it: energy, clocks, temperature, power and reasons
 * for throttling of the GPU that is an OpenCL device.
 */
#pragma once

#include "core/opencl/device.h"

/** MsPciAddress: domain, bus and device; the function number is ignored. */
typedef struct {
  guint domain;
  guint bus;
  guint device;
} MsPciAddress;

gboolean ms_pci_address_of_device(MsDevice *device, MsPciAddress *address);
gboolean ms_pci_address_equal(const MsPciAddress *a, const MsPciAddress *b);

typedef struct _MsNvmlDevice *MsNvmlGpu;

/* nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3, in its documented layout. */
typedef struct {
  char short_id[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int device_id;
  unsigned int subsystem_id;
  char id[32];
} MsNvmlPciInfo;

/** The arguments of @clock and @temperature. */
enum {
  MS_NVML_CLOCK_SM = 1,
  MS_NVML_CLOCK_MEMORY = 2,
  MS_NVML_TEMPERATURE_GPU = 0,
};

/**
 * MsNvml: an open library with one GPU, and the functions used here with their documented signatures, which return 0 on
 * success. Those from @pci on are %NULL where the library lacks them.
 */
typedef struct {
  void *library;
  MsNvmlGpu gpu;
  int (*init)(void);
  int (*shutdown)(void);
  int (*count)(unsigned int *n);
  int (*handle)(unsigned int index, MsNvmlGpu *gpu);
  int (*name)(MsNvmlGpu gpu, char *name, unsigned int length);
  int (*energy)(MsNvmlGpu gpu, unsigned long long *millijoules);
  int (*pci)(MsNvmlGpu gpu, MsNvmlPciInfo *info);
  int (*clock)(MsNvmlGpu gpu, int which, unsigned int *megahertz);
  int (*temperature)(MsNvmlGpu gpu, int which, unsigned int *celsius);
  int (*power)(MsNvmlGpu gpu, unsigned int *milliwatts);
  int (*throttling)(MsNvmlGpu gpu, unsigned long long *reasons);
} MsNvml;

MsNvml *ms_nvml_open(const char *library, const char *device_name, const MsPciAddress *address);
void ms_nvml_close(MsNvml *self);
