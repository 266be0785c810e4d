/* SPDX-License-Identifier: MIT */
/*
 * MsShares: how the rows of a step are divided among devices, and how the division learns from measured times ([LB]).
 */
#pragma once

#include <glib.h>

#include "core/filter/bands.h"

G_BEGIN_DECLS

#define MS_SHARES_MAX 16

/** MsSplitMode: equal shares; shares that earlier runs found, kept; or those, corrected from step to step. */
typedef enum {
  MS_SPLIT_EQUAL,
  MS_SPLIT_LEARNED,
  MS_SPLIT_ADAPTIVE,
} MsSplitMode;

/**
 * MsShares: @share[i] of every step goes to device i; the shares add up to 1.
 * @idle_steps: for each device the steps in a row in which its share was less than a row
 * @probes: how often each was then given a row in vain
 */
typedef struct {
  guint n;
  double share[MS_SHARES_MAX];
  guint idle_steps[MS_SHARES_MAX];
  guint probes[MS_SHARES_MAX];
} MsShares;

extern const char *const ms_split_mode_names[];

gboolean ms_split_mode_parse(const char *text, MsSplitMode *mode, GError **error);
MsShares ms_shares_equal(guint n);
MsShares ms_shares_from_speeds(const double *speeds, guint n);
void ms_shares_cut(const MsShares *self, MsRows step, MsRows *parts);
void ms_shares_correct(MsShares *self, const MsRows *parts, const double *milliseconds);

char *ms_shares_store_path(void);
gboolean ms_shares_load_speed(const char *path, const char *device, const char *work, double *speed);
gboolean ms_shares_store_speed(const char *path, const char *device, const char *work, double speed, GError **error);
double ms_shares_blend_speed(double known, double measured, double pixels);

G_END_DECLS
