/* SPDX-License-Identifier: MIT */
/* The file of the speeds that earlier runs measured, one for each device and kind of work. */
#pragma once

#include "core/filter/settings/options.h"
#include "core/opencl/device.h"

/**
 * MsLearnedSpeeds: the speeds of a file in memory.
 * @added: those that the file does not have yet
 */
typedef struct {
  char *path;
  GKeyFile *known;
  GKeyFile *added;
} MsLearnedSpeeds;

char *ms_learned_speeds_path(void);
char *ms_learned_speeds_work(const MsSettings *settings);
char *ms_learned_speeds_device(MsDevice *device);
double ms_learned_speeds_blend(double known, double measured, double pixels);
MsLearnedSpeeds *ms_learned_speeds_new(const char *path);
void ms_learned_speeds_free(MsLearnedSpeeds *self);
double ms_learned_speeds_get(const MsLearnedSpeeds *self, const char *device, const char *work);
void ms_learned_speeds_add(MsLearnedSpeeds *self, const char *device, const char *work, double pixels,
                           double milliseconds);
void ms_learned_speeds_save(MsLearnedSpeeds *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsLearnedSpeeds, ms_learned_speeds_free)
