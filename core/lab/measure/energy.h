/* SPDX-License-Identifier: MIT */
/* Energy of a measured region from NVML's total-energy counter or from powercap/RAPL, where they can be read. */
#pragma once

#include "core/lab/measure/nvml.h"

typedef struct _MsEnergy MsEnergy;

MsEnergy *ms_energy_open_nvml(const char *library, const char *device_name, const MsPciAddress *address);
MsEnergy *ms_energy_open_powercap(const char *root);
void ms_energy_free(MsEnergy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsEnergy, ms_energy_free)

gboolean ms_energy_available(const MsEnergy *self);
const char *ms_energy_source(const MsEnergy *self);
void ms_energy_begin(MsEnergy *self);
double ms_energy_end(MsEnergy *self);
