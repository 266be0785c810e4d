/* SPDX-License-Identifier: MIT */
/* MsShares: the division of a step's rows among devices, corrected by measured times ([LB]). */
#pragma once

#include <glib.h>

#include "core/filter/pyramid/pyramid.h"

#define MS_SHARES_MAX 16

/**
 * MsSplitMode: how an image is divided.
 * @MS_SPLIT_EQUAL: equal shares
 * @MS_SPLIT_LEARNED: in proportion to the speeds of earlier runs, kept for the whole image
 * @MS_SPLIT_ADAPTIVE: the same, corrected from step to step: both algorithms of [LB] together
 * @MS_SPLIT_DYNAMIC: equal at first, then in proportion to the speeds of the last step: the original balancer that [LB]
 *   compares itself with
 * @MS_SPLIT_EXPERIENCE: the experience-guided algorithm of [LB] alone: learned shares, corrections scaled by the
 *   devices' relative performance
 * @MS_SPLIT_BOUNDED: the multi-device adaptive algorithm of [LB] alone: equal at first, each device's correction scaled
 *   and bounded
 */
typedef enum {
  MS_SPLIT_EQUAL,
  MS_SPLIT_LEARNED,
  MS_SPLIT_ADAPTIVE,
  MS_SPLIT_DYNAMIC,
  MS_SPLIT_EXPERIENCE,
  MS_SPLIT_BOUNDED,
} MsSplitMode;

/**
 * MsSplitPolicy: the properties of a mode.
 * @learned: whether it starts from the speeds of earlier runs
 * @corrected: whether it corrects the shares after each step
 * @scaled: whether a correction is scaled by the slowest over the fastest device
 * @bounded: whether a correction is bounded
 * @leaves_out: whether devices that are much slower than the others get no rows
 */
typedef struct {
  gboolean learned;
  gboolean corrected;
  gboolean scaled;
  gboolean bounded;
  gboolean leaves_out;
} MsSplitPolicy;

/**
 * MsShares: @share[i] of every step goes to device i; the shares add up to 1.
 * @idle_steps: for each device the steps in a row in which its share was less than a row
 * @probes: the unsuccessful probes of each
 * @left_out: the devices that get no rows and are not probed
 */
typedef struct {
  guint n;
  double share[MS_SHARES_MAX];
  guint idle_steps[MS_SHARES_MAX];
  guint probes[MS_SHARES_MAX];
  gboolean left_out[MS_SHARES_MAX];
} MsShares;

/**
 * MsKnownSpeed: the speed of a device in earlier runs.
 * @speed: work done in a unit of time; 0 where nothing is known
 * @is_processor: whether the device is the host's processor
 */
typedef struct {
  double speed;
  gboolean is_processor;
} MsKnownSpeed;

/** ms_split_mode_names: the modes of the command line; ms_split_mode_parse() knows those of the study as well. */
extern const char *const ms_split_mode_names[];

const MsSplitPolicy *ms_split_mode_policy(MsSplitMode mode);
guint ms_split_choose_processors(guint processors, guint n_devices);
guint ms_split_choose_steps(guint64 bytes, gboolean corrected, guint n_devices, guint most);
gboolean ms_split_mode_parse(const char *text, MsSplitMode *mode, GError **error);
MsShares ms_shares_equal(guint n);
MsShares ms_shares_from_speeds(const MsKnownSpeed *speeds, guint n);
void ms_shares_leave_out(MsShares *self, const MsKnownSpeed *speeds);
void ms_shares_keep_fastest(MsShares *self);
guint ms_shares_count_active(const MsShares *self);
void ms_shares_cut(const MsShares *self, MsRows step, MsRows *parts);
void ms_shares_correct(MsShares *self, const MsSplitPolicy *policy, const MsRows *parts, const double *milliseconds);
