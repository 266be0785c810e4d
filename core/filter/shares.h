/* SPDX-License-Identifier: MIT */
/* MsShares: the division of a step's rows among devices, corrected by measured times ([LB]). */
#pragma once

#include <glib.h>

#include "core/filter/plan/job.h"

/**
 * MsSharesPolicy: a way to divide, from the balancers that [LB] describes.
 * @learned: whether it starts from the speeds of earlier runs
 * @corrected: whether it corrects the shares after each step
 * @scaled: whether a correction is scaled by the slowest over the fastest device
 * @bounded: whether a correction is bounded
 */
typedef struct {
  const char *name;
  gboolean learned;
  gboolean corrected;
  gboolean scaled;
  gboolean bounded;
} MsSharesPolicy;

/**
 * MsShares: @share[i] of every step goes to device i; the shares add up to 1.
 * @idle_steps: for each device the steps in a row in which its share was less than a row
 * @probes: the unsuccessful probes of each
 */
typedef struct {
  guint n;
  double share[MS_DEVICES_MAX];
  guint idle_steps[MS_DEVICES_MAX];
  guint probes[MS_DEVICES_MAX];
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

const MsSharesPolicy *ms_shares_policy_find(const char *name, GError **error);
guint ms_shares_choose_processors(guint processors, guint n_devices);
MsShares ms_shares_equal(guint n);
MsShares ms_shares_from_speeds(const MsKnownSpeed *speeds, guint n);
void ms_shares_cut(const MsShares *self, MsRows step, MsRows *parts);
void ms_shares_correct(MsShares *self, const MsSharesPolicy *policy, const MsRows *parts, const double *milliseconds);

/**
 * MsPartner: a simulated second device of a given speed, for experiments on a machine with one device. The first device
 * computes the partner's rows without being timed. The partner's time follows from the time of the first device for
 * the rows of the first device.
 * @ratio: how many times as fast as the partner the first device is
 * @row_ms: milliseconds that the first device takes for a row
 * @step: steps so far, which choose the variation
 * @total_ms: time of all steps, each as long as the slowest device of it
 */
typedef struct {
  double ratio;
  double row_ms;
  guint step;
  double total_ms;
} MsPartner;

void ms_partner_begin(MsPartner *self);
double ms_partner_take(MsPartner *self, int rows, int first_rows, double first_ms);
void ms_partner_end_step(MsPartner *self, const double *milliseconds, guint n);
