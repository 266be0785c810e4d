/* SPDX-License-Identifier: MIT */
/*
 * MsSplit: filters one image on several devices: in steps of rows, each divided by shares, with the result of one
 * device.
 */
#pragma once

#include "core/filter/mean-shift.h"
#include "core/filter/split/shares.h"

typedef struct _MsSplit MsSplit;

MsSplit *ms_split_new(GPtrArray *contexts, MsSplitMode mode);
void ms_split_free(MsSplit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSplit, ms_split_free)

void ms_split_set_store(MsSplit *self, const char *path);
void ms_split_set_compares(MsSplit *self, gboolean compares);
void ms_split_set_steps(MsSplit *self, guint steps);
void ms_split_set_memory_budget(MsSplit *self, guint64 bytes);
void ms_split_add_partner(MsSplit *self, double ratio);
double ms_split_get_simulated_ms(MsSplit *self);
guint ms_split_get_n_devices(MsSplit *self);
MsContext *ms_split_get_context(MsSplit *self, guint index);
MsShares ms_split_get_shares(MsSplit *self);
guint64 ms_split_get_rows(MsSplit *self, guint index);
void ms_split_save_speeds(MsSplit *self);
MsImage *ms_split_run(MsSplit *self, MsJob *job, GError **error);
MsImage *ms_split_run_each(MsSplit *self, MsJob *job, const MsSettings *settings, GError **error);

/**
 * MsSplitPartner: a simulated second device of a given speed, for experiments on a machine with one. It computes its
 * rows on the first device while nothing is timed; its time is derived from the first device's time for its rows.
 * @ratio: how many times as fast as the partner the first device is; 0 for no partner
 * @row_ms: milliseconds that the first device takes for a row
 * @step: steps so far, which choose the variation
 * @total_ms: time of all steps, each as long as the slowest device of it
 */
typedef struct {
  double ratio;
  double row_ms;
  guint step;
  double total_ms;
} MsSplitPartner;

void ms_split_partner_begin(MsSplitPartner *self);
double ms_split_partner_take(MsSplitPartner *self, int rows, int first_rows, double first_ms);
void ms_split_partner_end_step(MsSplitPartner *self, const double *milliseconds, guint n);

double ms_split_speed_ms(MsTimingLog *log, double milliseconds);
