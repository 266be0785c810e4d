/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/nvml.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

/* From cl_khr_pci_bus_info and cl_nv_device_attribute_query; older headers lack these constants. */
#define PCI_BUS_INFO_KHR 0x410F
#define PCI_BUS_ID_NV 0x4008
#define PCI_SLOT_ID_NV 0x4009
#define PCI_DOMAIN_ID_NV 0x400A

static gboolean
ask(MsDevice *device, cl_device_info what, void *value, gsize size)
{
  gsize written = 0;

  return clGetDeviceInfo(device->id, what, size, value, &written) == CL_SUCCESS && written == size;
}

static gboolean
ask_khr(MsDevice *device, MsPciAddress *address)
{
  struct {
    cl_uint domain;
    cl_uint bus;
    cl_uint device;
    cl_uint function;
  } info;

  if (!ask(device, PCI_BUS_INFO_KHR, &info, sizeof info))
    return FALSE;
  *address = (MsPciAddress){info.domain, info.bus, info.device};
  return TRUE;
}

/* NVIDIA's slot holds the function in its lowest three bits. Drivers without the domain query use domain 0. */
static gboolean
ask_nvidia(MsDevice *device, MsPciAddress *address)
{
  cl_uint domain = 0, bus, slot;

  if (!ask(device, PCI_BUS_ID_NV, &bus, sizeof bus) || !ask(device, PCI_SLOT_ID_NV, &slot, sizeof slot))
    return FALSE;
  if (!ask(device, PCI_DOMAIN_ID_NV, &domain, sizeof domain))
    domain = 0;
  *address = (MsPciAddress){domain, bus, slot >> 3};
  return TRUE;
}

/** ms_pci_address_of_device: %FALSE where the device does not report it, as processors do not. */
gboolean
ms_pci_address_of_device(MsDevice *device, MsPciAddress *address)
{
  return ask_khr(device, address) || ask_nvidia(device, address);
}

gboolean
ms_pci_address_equal(const MsPciAddress *a, const MsPciAddress *b)
{
  return a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}

static gboolean
load(MsNvml *nvml, const char *library)
{
  const struct {
    const char *name;
    void **into;
    gboolean needed;
  } symbols[] = {
    {"nvmlInit_v2", (void **)&nvml->init, TRUE},
    {"nvmlShutdown", (void **)&nvml->shutdown, TRUE},
    {"nvmlDeviceGetCount_v2", (void **)&nvml->count, TRUE},
    {"nvmlDeviceGetHandleByIndex_v2", (void **)&nvml->handle, TRUE},
    {"nvmlDeviceGetName", (void **)&nvml->name, TRUE},
    {"nvmlDeviceGetTotalEnergyConsumption", (void **)&nvml->energy, TRUE},
    {"nvmlDeviceGetPciInfo_v3", (void **)&nvml->pci, FALSE},
    {"nvmlDeviceGetClockInfo", (void **)&nvml->clock, FALSE},
    {"nvmlDeviceGetTemperature", (void **)&nvml->temperature, FALSE},
    {"nvmlDeviceGetPowerUsage", (void **)&nvml->power, FALSE},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", (void **)&nvml->throttling, FALSE},
  };

  nvml->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  for (gsize i = 0; nvml->library && i < G_N_ELEMENTS(symbols); i++) {
    *symbols[i].into = dlsym(nvml->library, symbols[i].name);
    if (!*symbols[i].into && symbols[i].needed)
      return FALSE;
  }
  return nvml->library && nvml->init() == 0;
}

/**
 * Target: the OpenCL device whose GPU is searched. @name, @address: (nullable): %NULL, if unknown, matches every GPU.
 */
typedef struct {
  const char *name;
  const MsPciAddress *address;
} Target;

typedef gboolean (*Fits)(const MsNvml *nvml, MsNvmlGpu handle, const Target *target);

static gboolean
name_fits(const MsNvml *nvml, MsNvmlGpu handle, const Target *target)
{
  char name[128] = "";

  return nvml->name(handle, name, sizeof name) == 0 &&
         (!target->name || strstr(name, target->name) || strstr(target->name, name));
}

static gboolean
name_is_same(const MsNvml *nvml, MsNvmlGpu handle, const Target *target)
{
  char name[128] = "";

  return target->name && nvml->name(handle, name, sizeof name) == 0 && strcmp(name, target->name) == 0;
}

static gboolean
address_is_same(const MsNvml *nvml, MsNvmlGpu handle, const Target *target)
{
  MsNvmlPciInfo info;

  return nvml->pci(handle, &info) == 0 &&
         ms_pci_address_equal(target->address, &(MsPciAddress){info.domain, info.bus, info.device});
}

/* The matching GPU if exactly one matches; @n: (out): how many match. */
static MsNvmlGpu
only_match(const MsNvml *nvml, Fits fits, const Target *target, unsigned int *n)
{
  unsigned int total = 0;
  MsNvmlGpu found = NULL;

  *n = 0;
  if (nvml->count(&total) != 0)
    return NULL;
  for (unsigned int i = 0; i < total; i++) {
    MsNvmlGpu handle;
    if (nvml->handle(i, &handle) == 0 && fits(nvml, handle, target)) {
      found = handle;
      ++*n;
    }
  }
  return *n == 1 ? found : NULL;
}

/* Finds the GPU by its PCI address where both sides know it, else by name: equal, or one containing the other. */
static MsNvmlGpu
find_gpu(const MsNvml *nvml, const Target *target)
{
  unsigned int n = 0;
  MsNvmlGpu found;

  if (target->address && nvml->pci)
    return only_match(nvml, address_is_same, target, &n);
  found = only_match(nvml, name_is_same, target, &n);
  return n > 0 ? found : only_match(nvml, name_fits, target, &n);
}

/**
 * ms_nvml_open:
 * @library: (nullable): instead of the driver's own
 * @device_name: (nullable): name of the OpenCL device, by which the GPU is found
 * @address: (nullable): its PCI address; if %NULL the name must match exactly one GPU
 *
 * Returns: (transfer full) (nullable): the library with the GPU; %NULL without a library that works or without the GPU
 */
MsNvml *
ms_nvml_open(const char *library, const char *device_name, const MsPciAddress *address)
{
  MsNvml *self = g_new0(MsNvml, 1);

  if (load(self, library ? library : LIBRARY))
    self->gpu = find_gpu(self, &(Target){device_name, address});
  if (self->gpu)
    return self;
  ms_nvml_close(self);
  return NULL;
}

/** ms_nvml_close: @self: (nullable) (transfer full) */
void
ms_nvml_close(MsNvml *self)
{
  if (self && self->library) {
    if (self->shutdown)
      self->shutdown();
    dlclose(self->library);
  }
  g_free(self);
}
