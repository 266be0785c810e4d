/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/energy.h"

#include <dlfcn.h>
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define POWERCAP_ROOT "/sys/class/powercap"
#define NVML_LIBRARY "libnvidia-ml.so.1"

/* From cl_khr_pci_bus_info and cl_nv_device_attribute_query; older headers lack these constants. */
#define PCI_BUS_INFO_KHR 0x410F
#define PCI_BUS_ID_NV 0x4008
#define PCI_SLOT_ID_NV 0x4009
#define PCI_DOMAIN_ID_NV 0x400A

typedef struct _NvmlDevice *NvmlHandle;

/* nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3, in its documented layout. */
typedef struct {
  char short_id[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int device_id;
  unsigned int subsystem_id;
  char id[32];
} NvmlPciInfo;

/* The functions of NVML used here, with their documented signatures; older libraries lack @pci. */
typedef struct {
  void *library;
  int (*init)(void);
  int (*shutdown)(void);
  int (*count)(unsigned int *n);
  int (*handle)(unsigned int index, NvmlHandle *handle);
  int (*name)(NvmlHandle handle, char *name, unsigned int length);
  int (*energy)(NvmlHandle handle, unsigned long long *millijoules);
  int (*pci)(NvmlHandle handle, NvmlPciInfo *info);
} Nvml;

struct _MsEnergy {
  Nvml nvml;
  NvmlHandle gpu;
  GPtrArray *zones; /* char *: folders of the powercap packages */
  guint64 *zone_start;
  gboolean *zone_started; /* whether zone_start was read */
  double gpu_start;
  const char *source;
};

static gboolean
ask(MsDevice *device, cl_device_info what, void *value, gsize size)
{
  gsize written = 0;

  return clGetDeviceInfo(ms_device_get_id(device), what, size, value, &written) == CL_SUCCESS && written == size;
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
nvml_load(Nvml *nvml, const char *library)
{
  const struct {
    const char *name;
    void **into;
  } symbols[] = {
    {"nvmlInit_v2", (void **)&nvml->init},
    {"nvmlShutdown", (void **)&nvml->shutdown},
    {"nvmlDeviceGetCount_v2", (void **)&nvml->count},
    {"nvmlDeviceGetHandleByIndex_v2", (void **)&nvml->handle},
    {"nvmlDeviceGetName", (void **)&nvml->name},
    {"nvmlDeviceGetTotalEnergyConsumption", (void **)&nvml->energy},
  };

  nvml->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!nvml->library)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS(symbols); i++) {
    *symbols[i].into = dlsym(nvml->library, symbols[i].name);
    if (!*symbols[i].into)
      return FALSE;
  }
  *(void **)&nvml->pci = dlsym(nvml->library, "nvmlDeviceGetPciInfo_v3");
  return nvml->init() == 0;
}

/**
 * Target: the OpenCL device whose GPU is searched. @name, @address: (nullable): %NULL, if unknown, matches every GPU.
 */
typedef struct {
  const char *name;
  const MsPciAddress *address;
} Target;

typedef gboolean (*Fits)(const Nvml *nvml, NvmlHandle handle, const Target *target);

static gboolean
name_fits(const Nvml *nvml, NvmlHandle handle, const Target *target)
{
  char name[128] = "";

  return nvml->name(handle, name, sizeof name) == 0 &&
         (!target->name || strstr(name, target->name) || strstr(target->name, name));
}

static gboolean
name_is_same(const Nvml *nvml, NvmlHandle handle, const Target *target)
{
  char name[128] = "";

  return target->name && nvml->name(handle, name, sizeof name) == 0 && strcmp(name, target->name) == 0;
}

static gboolean
address_is_same(const Nvml *nvml, NvmlHandle handle, const Target *target)
{
  NvmlPciInfo info;

  return nvml->pci(handle, &info) == 0 &&
         ms_pci_address_equal(target->address, &(MsPciAddress){info.domain, info.bus, info.device});
}

/* The matching GPU if exactly one matches; @n: (out): how many match. */
static NvmlHandle
only_match(const Nvml *nvml, Fits fits, const Target *target, unsigned int *n)
{
  unsigned int total = 0;
  NvmlHandle found = NULL;

  *n = 0;
  if (nvml->count(&total) != 0)
    return NULL;
  for (unsigned int i = 0; i < total; i++) {
    NvmlHandle handle;
    if (nvml->handle(i, &handle) == 0 && fits(nvml, handle, target)) {
      found = handle;
      ++*n;
    }
  }
  return *n == 1 ? found : NULL;
}

/* Finds the GPU by its PCI address where both sides know it, else by name: equal, or one containing the other. */
static NvmlHandle
find_gpu(const Nvml *nvml, const Target *target)
{
  unsigned int n = 0;
  NvmlHandle found;

  if (target->address && nvml->pci)
    return only_match(nvml, address_is_same, target, &n);
  found = only_match(nvml, name_is_same, target, &n);
  return n > 0 ? found : only_match(nvml, name_fits, target, &n);
}

static gboolean
read_counter(const char *folder, const char *file, guint64 *value)
{
  g_autofree char *path = g_build_filename(folder, file, NULL);
  g_autofree char *text = NULL;

  if (!g_file_get_contents(path, &text, NULL, NULL))
    return FALSE;
  return g_ascii_string_to_unsigned(g_strstrip(text), 10, 0, G_MAXUINT64, value, NULL);
}

/*
 * Packages are "intel-rapl:0"; the sum excludes their parts ("intel-rapl:0:1") and "intel-rapl-mmio:0", which count the
 * same energy again, and "psys", which is named like a package but counts the whole platform.
 */
static gboolean
is_package_zone(const char *folder, const char *zone)
{
  g_autofree char *path = g_build_filename(folder, "name", NULL);
  g_autofree char *name = NULL;
  const char *colon = strchr(zone, ':');

  return colon && !strchr(colon + 1, ':') && g_str_has_prefix(zone, "intel-rapl:") &&
         g_file_get_contents(path, &name, NULL, NULL) && g_str_has_prefix(name, "package-");
}

/**
 * ms_energy_open_nvml:
 * @library: (nullable): instead of the driver's own
 * @device_name: (nullable): name of the OpenCL device, by which NVML's GPU is found
 * @address: (nullable): its PCI address; if %NULL the name must match exactly one GPU
 *
 * Returns: (transfer full): the counter of a GPU; ms_energy_available() says whether it can be read
 */
MsEnergy *
ms_energy_open_nvml(const char *library, const char *device_name, const MsPciAddress *address)
{
  MsEnergy *self = g_new0(MsEnergy, 1);
  unsigned long long millijoules;

  if (nvml_load(&self->nvml, library ? library : NVML_LIBRARY))
    self->gpu = find_gpu(&self->nvml, &(Target){device_name, address});
  if (self->gpu && self->nvml.energy(self->gpu, &millijoules) == 0)
    self->source = "NVML total energy";
  return self;
}

/**
 * ms_energy_open_powercap: (transfer full): the counter of the processor. @root: (nullable): instead of the system's
 * folder
 */
MsEnergy *
ms_energy_open_powercap(const char *root)
{
  MsEnergy *self = g_new0(MsEnergy, 1);
  const char *top = root ? root : POWERCAP_ROOT, *name;
  g_autoptr(GDir) dir = g_dir_open(top, 0, NULL);

  self->zones = g_ptr_array_new_with_free_func(g_free);
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *folder = g_build_filename(top, name, NULL);
    guint64 value;
    if (is_package_zone(folder, name) && read_counter(folder, "energy_uj", &value))
      g_ptr_array_add(self->zones, g_steal_pointer(&folder));
  }
  self->zone_start = g_new0(guint64, self->zones->len);
  self->zone_started = g_new0(gboolean, self->zones->len);
  if (self->zones->len > 0)
    self->source = "powercap package energy";
  return self;
}

void
ms_energy_free(MsEnergy *self)
{
  if (!self)
    return;
  if (self->nvml.library) {
    if (self->nvml.shutdown)
      self->nvml.shutdown();
    dlclose(self->nvml.library);
  }
  g_clear_pointer(&self->zones, g_ptr_array_unref);
  g_free(self->zone_start);
  g_free(self->zone_started);
  g_free(self);
}

gboolean
ms_energy_available(const MsEnergy *self)
{
  return self->source != NULL;
}

/** ms_energy_source: (nullable): the name of the counter, for the report. */
const char *
ms_energy_source(const MsEnergy *self)
{
  return self->source;
}

static double
gpu_joules(MsEnergy *self)
{
  unsigned long long millijoules = 0;

  return self->nvml.energy(self->gpu, &millijoules) == 0 ? (double)millijoules * 1e-3 : NAN;
}

/** ms_energy_begin: reads the counters at the start of a region. */
void
ms_energy_begin(MsEnergy *self)
{
  if (!self->source)
    return;
  if (self->gpu)
    self->gpu_start = gpu_joules(self);
  for (guint i = 0; self->zones && i < self->zones->len; i++)
    self->zone_started[i] = read_counter(self->zones->pdata[i], "energy_uj", &self->zone_start[i]);
}

/* Joules since the start. The counter wraps to 0 at its range. NAN where a reading is missing or impossible. */
static double
zone_joules(MsEnergy *self, guint i)
{
  const char *folder = self->zones->pdata[i];
  const guint64 start = self->zone_start[i];
  guint64 now, range;

  if (!self->zone_started[i] || !read_counter(folder, "energy_uj", &now))
    return NAN;
  if (now >= start)
    return (double)(now - start) * 1e-6;
  if (!read_counter(folder, "max_energy_range_uj", &range) || range < start)
    return NAN;
  return (double)(range - start + now) * 1e-6;
}

/**
 * ms_energy_end:
 *
 * Returns: joules since ms_energy_begin(), of the whole GPU or of all processor packages; NAN without a counter or when
 *   a reading failed
 */
double
ms_energy_end(MsEnergy *self)
{
  double joules = 0;

  if (!self->source)
    return NAN;
  if (self->gpu) {
    joules = gpu_joules(self) - self->gpu_start;
    return joules >= 0 ? joules : NAN; /* a reloaded driver counts from 0 */
  }
  for (guint i = 0; i < self->zones->len; i++)
    joules += zone_joules(self, i);
  return joules;
}
