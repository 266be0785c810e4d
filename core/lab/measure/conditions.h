/* SPDX-License-Identifier: MIT */
/*
 * The conditions under which a configuration was measured: what else ran on the machine, and the clocks, temperature,
 * power and throttling of the device, at the beginning and at the end; and the energy of a measured region.
 */
#pragma once

#include "core/lab/measure/nvml.h"

/** MsMachineLoad: the processor time that all programs, and this one alone, had used at some moment, in seconds. */
typedef struct {
  double all;
  double own;
  double idle;
} MsMachineLoad;

MsMachineLoad ms_machine_load_now(void);
double ms_machine_load_of_others(const MsMachineLoad *since);

/** MsDeviceState: of a device at one moment; NAN where it cannot be measured. */
typedef struct {
  double clock_mhz;
  double memory_clock_mhz;
  double temperature_c;
  double power_w;
} MsDeviceState;

extern const MsDeviceState ms_device_state_unknown;

/**
 * MsConditions: of one measurement.
 * @source: (nullable): what read the state of the device: "NVML" or "sysfs"; %NULL where nothing can be read
 * @start, @end: before the first sample and after the last
 * @throttling: (nullable): the reasons for which the device ran slower than it could, in English, empty for none; %NULL
 *   where that cannot be measured
 * @load_before: load average of the machine over the minute before; NAN where it is not known
 * @foreign_load: share of the processors that other programs used meanwhile, 0 to 1; NAN where it is not known
 * @throttled: at the start: NVML's bits, or the sum of the counters of sysfs
 * @repeated: how often it was measured again because it was disturbed
 */
typedef struct {
  char *source;
  MsDeviceState start;
  MsDeviceState end;
  char *throttling;
  double load_before;
  double foreign_load;
  guint64 throttled;
  guint repeated;
} MsConditions;

/** MS_MOST_FOREIGN_LOAD: share of the processors above which other programs count as a disturbance. */
#define MS_MOST_FOREIGN_LOAD 0.1

gboolean ms_conditions_are_disturbed(const MsConditions *self);

typedef struct _MsSensor MsSensor;

MsSensor *ms_sensor_open(MsDevice *device);
MsSensor *ms_sensor_open_nvml(const char *library, const char *device_name, const MsPciAddress *address);
MsSensor *ms_sensor_open_sysfs(const char *root, const MsPciAddress *address);
void ms_sensor_free(MsSensor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSensor, ms_sensor_free)

void ms_sensor_begin(MsSensor *self, MsConditions *conditions);
void ms_sensor_end(MsSensor *self, MsConditions *conditions);

/* The energy of a region, where the device has a counter that can be read. */
const char *ms_sensor_energy_source(const MsSensor *self);
void ms_sensor_begin_energy(MsSensor *self);
double ms_sensor_end_energy(MsSensor *self);
