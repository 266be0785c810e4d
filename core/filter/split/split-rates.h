/* SPDX-License-Identifier: MIT */
/* Whether several devices filter an image in less time than the fastest of them alone, by times of earlier images. */
#pragma once

#include "core/filter/split/learned-speeds.h"
#include "core/filter/split/shares.h"

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
