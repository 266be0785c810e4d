/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/energy.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define POWERCAP_ROOT "/sys/class/powercap"

struct _MsEnergy {
  MsNvml *nvml;
  GPtrArray *zones; /* char *: folders of the powercap packages */
  guint64 *zone_start;
  gboolean *zone_started; /* whether zone_start was read */
  double gpu_start;
  const char *source;
};

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

  self->nvml = ms_nvml_open(library, device_name, address);
  if (self->nvml && self->nvml->energy(self->nvml->gpu, &millijoules) == 0)
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
  ms_nvml_close(self->nvml);
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

  return self->nvml->energy(self->nvml->gpu, &millijoules) == 0 ? (double)millijoules * 1e-3 : NAN;
}

/** ms_energy_begin: reads the counters at the start of a region. */
void
ms_energy_begin(MsEnergy *self)
{
  if (!self->source)
    return;
  if (self->nvml)
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
  if (self->nvml) {
    joules = gpu_joules(self) - self->gpu_start;
    return joules >= 0 ? joules : NAN; /* a reloaded driver counts from 0 */
  }
  for (guint i = 0; i < self->zones->len; i++)
    joules += zone_joules(self, i);
  return joules;
}
