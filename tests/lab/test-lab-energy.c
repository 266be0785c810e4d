/* SPDX-License-Identifier: MIT */
/*
 * Energy counters and sensors of processors and GPUs, on invented files and a stand-in for the library: the counters
 * that are summed, what tells that a device was throttled, and devices without any.
 */
#include <glib/gstdio.h>
#include <math.h>

#include "core/lab/measure/measurement.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

static void
write_counter(const char *folder, const char *zone, const char *file, const char *text)
{
  g_autofree char *dir = g_build_filename(folder, zone, NULL);
  g_autofree char *path = g_build_filename(dir, file, NULL);

  g_assert_cmpint(g_mkdir_with_parents(dir, 0700), ==, 0);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void
write_zone(const char *root, const char *zone, const char *name, const char *range)
{
  write_counter(root, zone, "name", name);
  write_counter(root, zone, "energy_uj", "9000000\n");
  if (range)
    write_counter(root, zone, "max_energy_range_uj", range);
}

static void
test_energy(void)
{
  g_autofree char *root = g_dir_make_tmp("sysfs-XXXXXX", NULL);

  write_zone(root, "class/powercap/intel-rapl:0", "package-0\n", "10000000\n");
  write_zone(root, "class/powercap/intel-rapl:1", "package-1\n", "10000000\n");
  write_zone(root, "class/powercap/intel-rapl:0:0", "core\n", NULL); /* part of package 0: not counted twice */
  write_zone(root, "class/powercap/intel-rapl:0:1", "package-0-die-1\n", NULL); /* another part, named like a package */
  write_zone(root, "class/powercap/intel-rapl:2", "psys\n",
             NULL); /* all packages and what is around them: nor is this */
  write_zone(root, "class/powercap/intel-rapl-mmio:0", "package-0\n", NULL); /* package 0 by another way: nor is this */
  g_autoptr(MsSensor) energy = ms_sensor_open_sysfs(root, NULL);
  g_assert_nonnull(ms_sensor_energy_source(energy));
  ms_sensor_begin_energy(energy);
  write_counter(root, "class/powercap/intel-rapl:0", "energy_uj", "9500000\n");
  write_counter(root, "class/powercap/intel-rapl:1", "energy_uj", "500000\n"); /* wrapped: 1.5 J */
  write_counter(root, "class/powercap/intel-rapl:0:0", "energy_uj", "9400000\n");
  write_counter(root, "class/powercap/intel-rapl:0:1", "energy_uj", "9400000\n");
  write_counter(root, "class/powercap/intel-rapl:2", "energy_uj", "9900000\n");
  write_counter(root, "class/powercap/intel-rapl-mmio:0", "energy_uj", "9500000\n");
  g_assert_cmpfloat_with_epsilon(ms_sensor_end_energy(energy), 0.5 + 1.5, 1e-9);
}

/* The counter of the platform alone does not count as the processor's. */
static void
test_energy_of_the_platform(void)
{
  g_autofree char *root = g_dir_make_tmp("sysfs-XXXXXX", NULL);

  write_zone(root, "class/powercap/intel-rapl:0", "psys\n", "10000000\n");
  g_autoptr(MsSensor) energy = ms_sensor_open_sysfs(root, NULL);
  g_assert_null(ms_sensor_energy_source(energy));
}

/* Counter: what one counter reads at the start and at the end (%NULL: nothing), and its range; each gives no energy. */
typedef struct {
  const char *start;
  const char *end;
  const char *range;
} Counter;

static void
set_counter(const char *root, const char *text)
{
  g_autofree char *path = g_build_filename(root, "class/powercap/intel-rapl:0", "energy_uj", NULL);

  g_unlink(path);
  if (text)
    write_counter(root, "class/powercap/intel-rapl:0", "energy_uj", text);
}

static void
test_energy_unreadable(void)
{
  static const Counter counters[] = {
    {"9000000", "500000", NULL},                                     /* wrapped at an unknown range */
    {"9000000", "500000", "8000000"},                                /* wrapped at a range that it had passed */
    {"9000000", "500000", "garbage"}, {NULL, "9500000", "10000000"}, /* not read at the start */
    {"9000000", NULL, "10000000"},                                   /* nor at the end */
  };

  for (gsize i = 0; i < G_N_ELEMENTS(counters); i++) {
    g_autofree char *root = g_dir_make_tmp("sysfs-XXXXXX", NULL);
    write_zone(root, "class/powercap/intel-rapl:0", "package-0\n", counters[i].range);
    g_autoptr(MsSensor) energy = ms_sensor_open_sysfs(root, NULL);
    g_assert_nonnull(ms_sensor_energy_source(energy));
    set_counter(root, counters[i].start);
    ms_sensor_begin_energy(energy);
    set_counter(root, counters[i].end);
    if (!isnan(ms_sensor_end_energy(energy)))
      g_error("Counter %" G_GSIZE_FORMAT " cannot be read, and gives an energy.", i);
  }
}

static void
test_nvml(void)
{
  g_autoptr(MsSensor) third = ms_fixture_nvml("NVIDIA Three", NULL);
  g_autoptr(MsSensor) second = ms_fixture_nvml("NVIDIA Two", NULL);

  g_assert_nonnull(ms_sensor_energy_source(third));
  g_assert_cmpstr(ms_sensor_energy_source(third), ==, "NVML total energy");
  ms_sensor_begin_energy(third);
  g_assert_cmpfloat_with_epsilon(ms_sensor_end_energy(third), 1.5, 1e-9);
  g_assert_null(ms_sensor_energy_source(second)); /* that GPU has no counter */
  g_assert_true(isnan(ms_sensor_end_energy(second)));
}

static double
energy_at(const char *name, guint domain, guint bus, guint device)
{
  g_autoptr(MsSensor) energy = ms_fixture_nvml(name, &(MsPciAddress){domain, bus, device});

  if (!energy)
    return NAN;
  ms_sensor_begin_energy(energy);
  return ms_sensor_end_energy(energy);
}

/* Two GPUs of the same name are distinguished by their PCI addresses; without addresses, neither has a counter. */
static void
test_nvml_twins(void)
{
  g_autoptr(MsSensor) either = ms_fixture_nvml("NVIDIA Twin", NULL);
  g_autoptr(MsSensor) one = ms_fixture_nvml("NVIDIA One", NULL);

  g_assert_null(either);
  g_assert_cmpfloat_with_epsilon(energy_at("NVIDIA Twin", 1, 0x41, 3), 2.5, 1e-9);
  g_assert_cmpfloat_with_epsilon(energy_at("NVIDIA Twin", 1, 0xc1, 3), 4.5, 1e-9);
  g_assert_true(isnan(energy_at("NVIDIA Twin", 0, 0xc1, 3)));
  g_assert_true(isnan(energy_at("NVIDIA Twin", 1, 0xc2, 3)));
  g_assert_true(isnan(energy_at("NVIDIA Twin", 1, 0xc1, 0)));
  /* An equal name has precedence over one that contains it. */
  ms_sensor_begin_energy(one);
  g_assert_cmpfloat_with_epsilon(ms_sensor_end_energy(one), 1.5, 1e-9);
}

static void
test_no_energy(void)
{
  g_autoptr(MsSensor) energy = ms_sensor_open_sysfs("/nonexistent", NULL);

  g_assert_null(ms_sensor_energy_source(energy));
  g_assert_null(ms_sensor_energy_source(energy));
  ms_sensor_begin_energy(energy);
  g_assert_true(isnan(ms_sensor_end_energy(energy)));
}

static MsSensor *
open_fake(const char *device)
{
  g_autofree char *library = ms_fixture_nvml_library();

  return ms_sensor_open_nvml(library, device, NULL);
}

static MsMeasurement *
sense(MsSensor *sensor)
{
  MsMeasurement *m = ms_measurement_new();

  ms_sensor_begin(sensor, &m->conditions);
  ms_sensor_end(sensor, &m->conditions);
  return m;
}

static void
test_sensor_of_nvml(void)
{
  g_autoptr(MsSensor) one = open_fake("NVIDIA One"), hot = open_fake("NVIDIA One Max"), two = open_fake("NVIDIA Two");
  g_autoptr(MsMeasurement) good = sense(one), throttled = sense(hot), dumb = sense(two);
  const MsConditions *c = &good->conditions;

  g_assert_cmpstr(c->source, ==, "NVML");
  g_assert_cmpfloat(c->start.clock_mhz, ==, 1980);
  g_assert_cmpfloat(c->end.memory_clock_mhz, ==, 2619);
  g_assert_cmpfloat(c->end.temperature_c, ==, 41);
  g_assert_cmpfloat_with_epsilon(c->start.power_w, 98.5, 1e-9);
  g_assert_cmpstr(c->throttling, ==, ""); /* an idle GPU is not throttled */
  g_assert_false(ms_conditions_are_disturbed(c));
  g_assert_cmpstr(throttled->conditions.throttling, ==, "power cap, thermal slowdown");
  g_assert_true(ms_conditions_are_disturbed(&throttled->conditions));
  g_assert_null(dumb->conditions.throttling); /* this GPU does not tell */
  g_assert_false(ms_conditions_are_disturbed(&dumb->conditions));
  g_assert_null(open_fake("Radeon"));
  g_assert_null(ms_sensor_open_nvml("/nonexistent/libnvidia-ml.so.1", "NVIDIA One", NULL));
}

/* Each processor has a clock and counters of throttling; the monitor of another part of the machine is not read. */
static void
test_sensor_of_processors(void)
{
  g_autofree char *root = g_dir_make_tmp("sysfs-XXXXXX", NULL);
  const char *counter = "devices/system/cpu/cpu1/thermal_throttle";
  g_autoptr(MsMeasurement) m = ms_measurement_new();

  write_counter(root, "devices/system/cpu/cpu0/cpufreq", "scaling_cur_freq", "1200000\n");
  write_counter(root, "devices/system/cpu/cpu1/cpufreq", "scaling_cur_freq", "3400000\n");
  write_counter(root, counter, "package_throttle_count", "7\n");
  write_counter(root, "class/hwmon/hwmon0", "name", "nvme\n");
  write_counter(root, "class/hwmon/hwmon0", "temp1_input", "99000\n");
  write_counter(root, "class/hwmon/hwmon1", "name", "coretemp\n");
  write_counter(root, "class/hwmon/hwmon1", "temp1_input", "53500\n");
  g_autoptr(MsSensor) sensor = ms_sensor_open_sysfs(root, NULL);
  ms_sensor_begin(sensor, &m->conditions);
  ms_sensor_end(sensor, &m->conditions);
  g_assert_cmpstr(m->conditions.source, ==, "sysfs");
  g_assert_cmpfloat_with_epsilon(m->conditions.start.clock_mhz, 3400, 1e-9);
  g_assert_cmpfloat_with_epsilon(m->conditions.end.temperature_c, 53.5, 1e-9);
  g_assert_true(isnan(m->conditions.end.power_w));
  g_assert_cmpstr(m->conditions.throttling, ==, ""); /* throttled before, not since */
  ms_sensor_begin(sensor, &m->conditions);
  write_counter(root, counter, "package_throttle_count", "8\n");
  ms_sensor_end(sensor, &m->conditions);
  g_assert_cmpstr(m->conditions.throttling, ==, "thermal slowdown");
}

/* The monitor of a GPU is that of its PCI address. */
static void
test_sensor_of_a_gpu(void)
{
  g_autofree char *root = g_dir_make_tmp("sysfs-XXXXXX", NULL);
  const char *folder = "bus/pci/devices/0001:c1:03.0/hwmon/hwmon4";

  write_counter(root, folder, "temp1_input", "61000\n");
  write_counter(root, folder, "power1_average", "212000000\n");
  write_counter(root, folder, "freq1_input", "2100000000\n");
  g_autoptr(MsSensor) sensor = ms_sensor_open_sysfs(root, &(MsPciAddress){1, 0xc1, 3});
  g_autoptr(MsSensor) other = ms_sensor_open_sysfs(root, &(MsPciAddress){1, 0xc2, 3});
  g_autoptr(MsMeasurement) m = sense(sensor), none = sense(other);
  g_assert_cmpfloat_with_epsilon(m->conditions.end.clock_mhz, 2100, 1e-9);
  g_assert_cmpfloat_with_epsilon(m->conditions.end.temperature_c, 61, 1e-9);
  g_assert_cmpfloat_with_epsilon(m->conditions.end.power_w, 212, 1e-9);
  g_assert_null(m->conditions.throttling);
  g_assert_null(none->conditions.source);
}

void
ms_test_lab_energy(void)
{
  g_test_add_func("/lab/energy/powercap", test_energy);
  g_test_add_func("/lab/energy/platform", test_energy_of_the_platform);
  g_test_add_func("/lab/energy/unreadable", test_energy_unreadable);
  g_test_add_func("/lab/energy/nvml", test_nvml);
  g_test_add_func("/lab/energy/nvml-twins", test_nvml_twins);
  g_test_add_func("/lab/energy/none", test_no_energy);
  g_test_add_func("/lab/sensor/nvml", test_sensor_of_nvml);
  g_test_add_func("/lab/sensor/processors", test_sensor_of_processors);
  g_test_add_func("/lab/sensor/gpu", test_sensor_of_a_gpu);
}
