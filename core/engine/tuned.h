/* SPDX-License-Identifier: MIT */
/* Resolves `auto` on a tuned device to the stored winner, if the plan accepts it. */
#pragma once

#include "core/factors.h"
#include "core/filter/plan/job.h"
#include "core/json.h"
#include "core/opencl/device.h"

/**
 * MsKnownWinners: the winners that were looked for, so that no picture opens a file, until their folder changes; all
 * zero at first.
 * @winners: (nullable): for device, driver and class of problems the #MsFactors, %NULL for none
 */
typedef struct {
  GHashTable *winners;
  gint64 changed_ns;
} MsKnownWinners;

void ms_known_winners_clear(MsKnownWinners *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsKnownWinners, ms_known_winners_clear)

MsSettings ms_tuned_settings(MsKnownWinners *known, const MsJob *job, MsDevice *device);
gboolean ms_settings_are_automatic(const MsSettings *settings);

/** MS_N_MEASURED_RADII: at how many radii a device measures the kernels the first time that it filters. */
#define MS_N_MEASURED_RADII 2

/** ms_measured_radii: in pixels. */
extern const double ms_measured_radii[MS_N_MEASURED_RADII];

char *ms_problem_class_measured(guint radius);
char *ms_problem_class_filter(double sp, gint64 width, gint64 height);

/**
 * MsWinnerKey: the device and the class of problems of a winner.
 * @driver: version of the device's driver; another one may prefer other settings
 * @problem: see ms_problem_class_filter()
 */
typedef struct {
  const char *device;
  const char *driver;
  const char *problem;
} MsWinnerKey;

char *ms_winner_store_default_directory(void);
char *ms_winner_store_path(const char *directory, const MsWinnerKey *key, const char *ending);
GStrv ms_winner_store_find_damaged(const char *directory);
JsonNode *ms_winner_store_read(const char *path, const MsWinnerKey *key, const char *version);
JsonBuilder *ms_winner_store_begin(const MsWinnerKey *key, const char *version);
gboolean ms_winner_store_write(const char *path, JsonBuilder *builder, GError **error);
MsFactors *ms_winner_store_load(const char *directory, const MsWinnerKey *key, const char *version);
gboolean ms_winner_store_save(const char *directory, const MsWinnerKey *key, const char *version,
                              const MsFactors *winner, GError **error);
gboolean ms_winner_store_remove(const char *directory, const MsWinnerKey *key, GError **error);
