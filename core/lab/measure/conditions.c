/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/conditions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SYSFS_ROOT "/sys"

/* Processors whose clock and throttling are read, since each reading may have to wake one. */
#define MOST_PROCESSORS 8

/* The system counts processor time in hundredths of a second, too coarse for a share of less than this. */
#define LEAST_PROCESSOR_TIME_S 0.25

const MsDeviceState ms_device_state_unknown = {NAN, NAN, NAN, NAN};

/* Load of the machine */

static double
seconds_of(const struct timeval *time)
{
  return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

/**
 * ms_machine_load_now: the processor time used since the machine started; NAN members where the system does not say.
 */
MsMachineLoad
ms_machine_load_now(void)
{
  g_autofree char *text = NULL;
  struct rusage self, children;
  double fields[8] = {0};

  if (!g_file_get_contents("/proc/stat", &text, NULL, NULL) || getrusage(RUSAGE_SELF, &self) != 0 ||
      getrusage(RUSAGE_CHILDREN, &children) != 0 ||
      sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &fields[0], &fields[1], &fields[2], &fields[3], &fields[4],
             &fields[5], &fields[6], &fields[7]) < 5)
    return (MsMachineLoad){NAN, NAN, NAN};
  const double ticks = (double)sysconf(_SC_CLK_TCK);
  return (MsMachineLoad){(fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7]) / ticks,
                         seconds_of(&self.ru_utime) + seconds_of(&self.ru_stime) + seconds_of(&children.ru_utime) +
                           seconds_of(&children.ru_stime),
                         (fields[3] + fields[4]) / ticks};
}

/**
 * ms_machine_load_of_others: the share of the processors that other programs used since @since, 0 to 1; time that a
 * virtual machine was not given counts as theirs. NAN where it cannot be measured, or too little time has passed.
 */
double
ms_machine_load_of_others(const MsMachineLoad *since)
{
  const MsMachineLoad now = ms_machine_load_now();
  const double all = now.all - since->all, total = all + now.idle - since->idle;

  return total >= LEAST_PROCESSOR_TIME_S ? CLAMP((all - (now.own - since->own)) / total, 0.0, 1.0) : (double)NAN;
}

/** ms_conditions_are_disturbed: whether the device was throttled, or other programs used the machine. */
gboolean
ms_conditions_are_disturbed(const MsConditions *self)
{
  return self->foreign_load > MS_MOST_FOREIGN_LOAD || (self->throttling && *self->throttling);
}

/* State of the device */

/* A file that holds a number, and what that is to be multiplied by. */
typedef struct {
  char *path;
  double factor;
} NumberFile;

/* A package of powercap, and its counter at the start of a region, if that could be read. */
typedef struct {
  char *folder;
  guint64 start;
  gboolean started;
} Zone;

struct _MsSensor {
  MsNvml *nvml; /* (nullable) */
  const char *energy_source;
  double gpu_start; /* joules at the start of a region */
  GArray *zones;
  NumberFile clocks[MOST_PROCESSORS];
  NumberFile throttles[2 * MOST_PROCESSORS]; /* counters that only grow */
  NumberFile memory_clock;
  NumberFile temperature;
  NumberFile power;
};

/* The bits of nvmlClocksThrottleReasons that make the clock lower than the work would allow. */
static const struct {
  guint64 bit;
  const char *text;
} reasons[] = {
  {0x4, "power cap"},    {0x8, "hardware slowdown"}, {0x20, "thermal slowdown"}, {0x40, "hardware thermal slowdown"},
  {0x80, "power brake"},
};

static double
number_in(const NumberFile *file)
{
  g_autofree char *text = NULL;
  char *end;

  if (!file->path || !g_file_get_contents(file->path, &text, NULL, NULL))
    return NAN;
  const double value = g_ascii_strtod(text, &end);
  return end == text ? (double)NAN : value * file->factor;
}

static gboolean
take_file(NumberFile *into, const char *folder, const char *name, double factor)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);

  if (into->path || !g_file_test(path, G_FILE_TEST_EXISTS))
    return FALSE;
  *into = (NumberFile){g_steal_pointer(&path), factor};
  return TRUE;
}

static void
take_processors(MsSensor *self, const char *root)
{
  for (guint i = 0; i < MOST_PROCESSORS; i++) {
    g_autofree char *folder = g_strdup_printf("%s/devices/system/cpu/cpu%u", root, i);
    take_file(&self->clocks[i], folder, "cpufreq/scaling_cur_freq", 1e-3);
    take_file(&self->throttles[2 * i], folder, "thermal_throttle/core_throttle_count", 1);
    take_file(&self->throttles[2 * i + 1], folder, "thermal_throttle/package_throttle_count", 1);
  }
}

/* Whether the monitor of this folder is one of a processor's own. */
static gboolean
is_of_processor(const char *folder)
{
  static const char *const names[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal", NULL};
  g_autofree char *path = g_build_filename(folder, "name", NULL), *name = NULL;

  return g_file_get_contents(path, &name, NULL, NULL) && g_strv_contains(names, g_strstrip(name));
}

static void
take_monitor(MsSensor *self, const char *folder, gboolean of_gpu)
{
  if (!of_gpu && !is_of_processor(folder))
    return;
  take_file(&self->temperature, folder, "temp1_input", 1e-3);
  if (!of_gpu)
    return;
  if (!take_file(&self->power, folder, "power1_average", 1e-6))
    take_file(&self->power, folder, "power1_input", 1e-6);
  take_file(&self->clocks[0], folder, "freq1_input", 1e-6);
  take_file(&self->memory_clock, folder, "freq2_input", 1e-6);
}

static void
take_monitors(MsSensor *self, const char *parent, gboolean of_gpu)
{
  g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *folder = g_build_filename(parent, name, NULL);
    take_monitor(self, folder, of_gpu);
  }
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

static void
take_zones(MsSensor *self, const char *root)
{
  g_autofree char *top = g_build_filename(root, "class/powercap", NULL);
  g_autoptr(GDir) dir = g_dir_open(top, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    Zone zone = {.folder = g_build_filename(top, name, NULL)};
    if (is_package_zone(zone.folder, name) && read_counter(zone.folder, "energy_uj", &zone.start))
      g_array_append_val(self->zones, zone);
    else
      g_free(zone.folder);
  }
  if (self->zones->len > 0)
    self->energy_source = "powercap package energy";
}

static void
clear_zone(gpointer zone)
{
  g_free(((Zone *)zone)->folder);
}

static MsSensor *
sensor_new(MsNvml *nvml)
{
  MsSensor *self = g_new0(MsSensor, 1);

  self->nvml = nvml;
  self->zones = g_array_new(FALSE, FALSE, sizeof(Zone));
  g_array_set_clear_func(self->zones, clear_zone);
  return self;
}

/**
 * ms_sensor_open_nvml: (transfer full) (nullable): the sensors of NVIDIA's library, with the arguments of
 * ms_nvml_open(); %NULL without it or without the GPU
 */
MsSensor *
ms_sensor_open_nvml(const char *library, const char *device_name, const MsPciAddress *address)
{
  MsNvml *nvml = ms_nvml_open(library, device_name, address);
  MsSensor *self = nvml ? sensor_new(nvml) : NULL;
  unsigned long long millijoules;

  if (self && nvml->energy(nvml->gpu, &millijoules) == 0)
    self->energy_source = "NVML total energy";
  return self;
}

/**
 * ms_sensor_open_sysfs:
 * @root: (nullable): instead of the system's folder
 * @address: (nullable): of a GPU; %NULL for the processors
 *
 * Returns: (transfer full): the sensors that the system's files have, if any
 */
MsSensor *
ms_sensor_open_sysfs(const char *root, const MsPciAddress *address)
{
  MsSensor *self = sensor_new(NULL);
  const char *top = root ? root : SYSFS_ROOT;
  g_autofree char *parent = address ? g_strdup_printf("%s/bus/pci/devices/%04x:%02x:%02x.0/hwmon", top, address->domain,
                                                      address->bus, address->device)
                                    : g_build_filename(top, "class/hwmon", NULL);

  take_monitors(self, parent, address != NULL);
  if (!address) {
    take_processors(self, top);
    take_zones(self, top);
  }
  return self;
}

/**
 * ms_sensor_open: (transfer full) (nullable): the sensors of @device: NVIDIA's library for a GPU that it knows, else
 * the files of the system.
 */
MsSensor *
ms_sensor_open(MsDevice *device)
{
  MsPciAddress address;

  if (device->limits.type != MS_DEVICE_TYPE_GPU)
    return ms_sensor_open_sysfs(NULL, NULL);
  gboolean known = ms_pci_address_of_device(device, &address);
  MsSensor *sensor = ms_sensor_open_nvml(NULL, device->name, known ? &address : NULL);
  return sensor || !known ? sensor : ms_sensor_open_sysfs(NULL, &address);
}

/** ms_sensor_free: @self: (nullable) (transfer full) */
void
ms_sensor_free(MsSensor *self)
{
  if (!self)
    return;
  ms_nvml_close(self->nvml);
  for (gsize i = 0; i < G_N_ELEMENTS(self->clocks); i++)
    g_free(self->clocks[i].path);
  for (gsize i = 0; i < G_N_ELEMENTS(self->throttles); i++)
    g_free(self->throttles[i].path);
  g_free(self->memory_clock.path);
  g_free(self->temperature.path);
  g_free(self->power.path);
  g_array_unref(self->zones);
  g_free(self);
}

static MsDeviceState
read_nvml(const MsNvml *nvml)
{
  MsDeviceState state = ms_device_state_unknown;
  unsigned int value;

  if (nvml->clock && nvml->clock(nvml->gpu, MS_NVML_CLOCK_SM, &value) == 0)
    state.clock_mhz = value;
  if (nvml->clock && nvml->clock(nvml->gpu, MS_NVML_CLOCK_MEMORY, &value) == 0)
    state.memory_clock_mhz = value;
  if (nvml->temperature && nvml->temperature(nvml->gpu, MS_NVML_TEMPERATURE_GPU, &value) == 0)
    state.temperature_c = value;
  if (nvml->power && nvml->power(nvml->gpu, &value) == 0)
    state.power_w = value * 1e-3;
  return state;
}

static MsDeviceState
read_files(const MsSensor *self)
{
  MsDeviceState state = {NAN, number_in(&self->memory_clock), number_in(&self->temperature), number_in(&self->power)};

  for (gsize i = 0; i < G_N_ELEMENTS(self->clocks); i++)
    state.clock_mhz = fmax(state.clock_mhz, number_in(&self->clocks[i]));
  return state;
}

/* The bits, or the sum of the counters. FALSE where neither can be read. */
static gboolean
read_throttling(const MsSensor *self, guint64 *value)
{
  unsigned long long bits = 0;
  gboolean known = FALSE;

  *value = 0;
  if (self->nvml) {
    known = self->nvml->throttling && self->nvml->throttling(self->nvml->gpu, &bits) == 0;
    *value = bits;
    return known;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(self->throttles); i++) {
    const double count = number_in(&self->throttles[i]);
    known |= isfinite(count);
    *value += isfinite(count) ? (guint64)count : 0;
  }
  return known;
}

static char *
describe_bits(guint64 bits)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(reasons); i++)
    if (bits & reasons[i].bit)
      g_string_append_printf(text, "%s%s", text->len ? ", " : "", reasons[i].text);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static gboolean
is_known(const MsDeviceState *state)
{
  return isfinite(state->clock_mhz) || isfinite(state->memory_clock_mhz) || isfinite(state->temperature_c) ||
         isfinite(state->power_w);
}

/** ms_sensor_begin: reads the state at the beginning of a measurement. @self: (nullable): then only the load */
void
ms_sensor_begin(MsSensor *self, MsConditions *conditions)
{
  if (getloadavg(&conditions->load_before, 1) != 1)
    conditions->load_before = NAN;
  if (!self)
    return;
  conditions->start = self->nvml ? read_nvml(self->nvml) : read_files(self);
  g_free(conditions->source);
  conditions->source = is_known(&conditions->start) ? g_strdup(self->nvml ? "NVML" : "sysfs") : NULL;
  g_clear_pointer(&conditions->throttling, g_free);
  if (read_throttling(self, &conditions->throttled))
    conditions->throttling = self->nvml ? describe_bits(conditions->throttled) : g_strdup("");
}

/** ms_sensor_end: reads it at the end, and finds out whether the device was throttled since ms_sensor_begin(). */
void
ms_sensor_end(MsSensor *self, MsConditions *conditions)
{
  guint64 value;

  if (!self)
    return;
  conditions->end = self->nvml ? read_nvml(self->nvml) : read_files(self);
  if (!conditions->throttling || !read_throttling(self, &value))
    return;
  g_free(conditions->throttling);
  conditions->throttling = self->nvml                      ? describe_bits(conditions->throttled | value)
                           : value > conditions->throttled ? g_strdup("thermal slowdown")
                                                           : g_strdup("");
}

/* Energy */

/** ms_sensor_energy_source: (nullable): the name of the counter, for the report. @self: (nullable) */
const char *
ms_sensor_energy_source(const MsSensor *self)
{
  return self ? self->energy_source : NULL;
}

static double
gpu_joules(const MsSensor *self)
{
  unsigned long long millijoules = 0;

  return self->nvml->energy(self->nvml->gpu, &millijoules) == 0 ? (double)millijoules * 1e-3 : NAN;
}

/** ms_sensor_begin_energy: reads the counters at the start of a region. */
void
ms_sensor_begin_energy(MsSensor *self)
{
  if (self->nvml)
    self->gpu_start = gpu_joules(self);
  for (guint i = 0; i < self->zones->len; i++) {
    Zone *zone = &g_array_index(self->zones, Zone, i);
    zone->started = read_counter(zone->folder, "energy_uj", &zone->start);
  }
}

/* Joules since the start. The counter wraps to 0 at its range. NAN where a reading is missing or impossible. */
static double
zone_joules(const Zone *zone)
{
  guint64 now, range;

  if (!zone->started || !read_counter(zone->folder, "energy_uj", &now))
    return NAN;
  if (now >= zone->start)
    return (double)(now - zone->start) * 1e-6;
  if (!read_counter(zone->folder, "max_energy_range_uj", &range) || range < zone->start)
    return NAN;
  return (double)(range - zone->start + now) * 1e-6;
}

/**
 * ms_sensor_end_energy:
 *
 * Returns: joules since ms_sensor_begin_energy(), of the whole GPU or of all processor packages; NAN without a counter
 *   or when a reading failed
 */
double
ms_sensor_end_energy(MsSensor *self)
{
  double joules = 0;

  if (!self->energy_source)
    return NAN;
  if (self->nvml) {
    joules = gpu_joules(self) - self->gpu_start;
    return joules >= 0 ? joules : NAN; /* a reloaded driver counts from 0 */
  }
  for (guint i = 0; i < self->zones->len; i++)
    joules += zone_joules(&g_array_index(self->zones, Zone, i));
  return joules;
}
