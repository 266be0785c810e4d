/* SPDX-License-Identifier: MIT */
/* The file of the speeds that earlier runs measured, one for each device and kind of work. */
#pragma once

#include "core/filter/settings/settings.h"
#include "core/filter/split/shares.h"
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

/* In one of so many images the slower way, or a device too slow for a share, is measured again. */
#define MS_SPLIT_IMAGES_UNTIL_TRIAL 32

/**
 * MsSplitRates: which image the times are of.
 * @speeds: those of earlier images
 * @devices: the names of all devices
 * @work: rule and radius, by ms_learned_speeds_work()
 * @pixels: of the image
 * @image: its number in this process, from 1; the first compiles kernels, so that its time is not kept
 */
typedef struct {
  MsLearnedSpeeds *speeds;
  GPtrArray *devices;
  const char *work;
  guint64 pixels;
  guint image;
} MsSplitRates;

gboolean ms_split_rates_prefer_alone(double together, double alone, double kernels, guint image);
void ms_split_rates_choose(const MsSplitRates *self, MsShares *shares);
void ms_split_rates_keep(const MsSplitRates *self, const MsShares *shares, double milliseconds);
void ms_split_rates_keep_kernels(const MsSplitRates *self, guint device, double pixels, double milliseconds);
