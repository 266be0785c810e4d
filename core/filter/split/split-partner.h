/* SPDX-License-Identifier: MIT */
/*
 * MsSplitPartner: a simulated second device of a given speed, for experiments on a machine with one. It computes its
 * rows on the first device while nothing is timed; its time is derived from the first device's time for its rows.
 */
#pragma once

#include <glib.h>

/**
 * MsSplitPartner:
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
