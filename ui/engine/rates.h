/* SPDX-License-Identifier: MIT */
/* MsRates: kernel times that were measured, in proportion to the pixels that a filter visits at most. */
#pragma once

#include "core/lab/report/report.h"
#include "ui/run/run.h"

typedef struct _MsRates MsRates;

MsRates *ms_rates_new(void);
void ms_rates_free(MsRates *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsRates, ms_rates_free)

void ms_rates_add_run(MsRates *self, MsRun *run);
void ms_rates_add_report(MsRates *self, MsReport *report, const MsDeviceLimits *limits);

/**
 * MsRateQuery: the run whose time is estimated.
 * @device: (nullable): name of the device, %NULL for the serial reference
 * @settings: as the plan resolved them
 */
typedef struct {
  const char *device;
  const MsSettings *settings;
  int width;
  int height;
} MsRateQuery;

double ms_rates_find_same(MsRates *self, const MsRateQuery *query);
double ms_rates_find_kernel(MsRates *self, const MsRateQuery *query);
double ms_rates_estimate(MsRates *self, MsDevice *device, const MsRateQuery *query);
