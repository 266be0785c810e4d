/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for NVIDIA's management library. "NVIDIA Two" has no counter; each reading of the others adds a constant.
 * Two GPUs have the same name, and one name contains another. "NVIDIA One Max" is always throttled, and "NVIDIA Three"
 * at the first readings.
 */
#include <string.h>

typedef struct {
  const char *name;
  unsigned int bus;
  unsigned long long step; /* millijoules */
  unsigned long long millijoules;
} Gpu;

/* The first members of nvmlPciInfo_t, which is longer. */
typedef struct {
  char short_id[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
} PciInfo;

static Gpu gpus[] = {{"NVIDIA One Max", 0x01, 9000, 0}, {"NVIDIA One", 0x02, 1500, 1000},
                     {"NVIDIA Two", 0x03, 0, 0},        {"NVIDIA Three", 0x04, 1500, 5000},
                     {"NVIDIA Twin", 0x41, 2500, 0},    {"NVIDIA Twin", 0xc1, 4500, 0}};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned int *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Gpu **handle);
int nvmlDeviceGetName(Gpu *gpu, char *name, unsigned int length);
int nvmlDeviceGetPciInfo_v3(Gpu *gpu, PciInfo *info);
int nvmlDeviceGetTotalEnergyConsumption(Gpu *gpu, unsigned long long *millijoules);
int nvmlDeviceGetClockInfo(Gpu *gpu, int which, unsigned int *megahertz);
int nvmlDeviceGetTemperature(Gpu *gpu, int which, unsigned int *celsius);
int nvmlDeviceGetPowerUsage(Gpu *gpu, unsigned int *milliwatts);
int nvmlDeviceGetCurrentClocksThrottleReasons(Gpu *gpu, unsigned long long *reasons);

int
nvmlInit_v2(void)
{
  return 0;
}

int
nvmlShutdown(void)
{
  return 0;
}

int
nvmlDeviceGetCount_v2(unsigned int *n)
{
  *n = sizeof gpus / sizeof *gpus;
  return 0;
}

int
nvmlDeviceGetHandleByIndex_v2(unsigned int index, Gpu **handle)
{
  *handle = &gpus[index];
  return 0;
}

int
nvmlDeviceGetName(Gpu *gpu, char *name, unsigned int length)
{
  strncpy(name, gpu->name, length - 1);
  name[length - 1] = '\0';
  return 0;
}

int
nvmlDeviceGetPciInfo_v3(Gpu *gpu, PciInfo *info)
{
  info->domain = 1;
  info->bus = gpu->bus;
  info->device = 3;
  return 0;
}

int
nvmlDeviceGetTotalEnergyConsumption(Gpu *gpu, unsigned long long *millijoules)
{
  if (gpu->step == 0)
    return 3; /* not supported */
  gpu->millijoules += gpu->step;
  *millijoules = gpu->millijoules;
  return 0;
}

int
nvmlDeviceGetClockInfo(Gpu *gpu, int which, unsigned int *megahertz)
{
  *megahertz = which == 1 ? 1980 : which == 2 ? 2619 : 1;
  return 0;
}

int
nvmlDeviceGetTemperature(Gpu *gpu, int which, unsigned int *celsius)
{
  *celsius = 41;
  return which;
}

int
nvmlDeviceGetPowerUsage(Gpu *gpu, unsigned int *milliwatts)
{
  *milliwatts = 98500;
  return 0;
}

int
nvmlDeviceGetCurrentClocksThrottleReasons(Gpu *gpu, unsigned long long *reasons)
{
  static int readings;

  if (gpu->step == 0)
    return 3;
  *reasons = 1; /* idle, which is no reason to measure again */
  if (gpu == &gpus[0])
    *reasons = 0x4 | 0x20;
  else if (gpu == &gpus[3] && readings++ < 4)
    *reasons = 0x40;
  return 0;
}
