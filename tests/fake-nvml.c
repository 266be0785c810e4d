/* SPDX-License-Identifier: MIT */
/* A stand-in for NVIDIA's management library: three GPUs, the second without a counter, the third counts 1.5 J a reading. */
#include <string.h>

typedef struct {
  const char *name;
  int has_counter;
  unsigned long long millijoules;
} Gpu;

static Gpu gpus[] = {{"NVIDIA One", 1, 1000}, {"NVIDIA Two", 0, 0}, {"NVIDIA Three", 1, 5000}};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned int *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Gpu **handle);
int nvmlDeviceGetName(Gpu *gpu, char *name, unsigned int length);
int nvmlDeviceGetTotalEnergyConsumption(Gpu *gpu, unsigned long long *millijoules);

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
nvmlDeviceGetTotalEnergyConsumption(Gpu *gpu, unsigned long long *millijoules)
{
  if (!gpu->has_counter)
    return 3; /* not supported */
  gpu->millijoules += 1500;
  *millijoules = gpu->millijoules;
  return 0;
}
