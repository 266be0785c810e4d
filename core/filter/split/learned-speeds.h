/* SPDX-License-Identifier: MIT */
/* The file of the speeds that earlier runs measured, one for each device and kind of work. */
#pragma once

#include "core/filter/settings/options.h"
#include "core/opencl/device.h"

G_BEGIN_DECLS

char *ms_learned_speeds_path(void);
char *ms_learned_speeds_work(const MsSettings *settings);
char *ms_learned_speeds_device(MsDevice *device);
gboolean ms_learned_speeds_load(const char *path, const char *device, const char *work, double *speed);
void ms_learned_speeds_keep(const char *path, const char *device, const char *work, double pixels, double milliseconds);
double ms_learned_speeds_blend(double known, double measured, double pixels);

G_END_DECLS
