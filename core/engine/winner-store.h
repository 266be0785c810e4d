/* SPDX-License-Identifier: MIT */
/*
 * The store of winners: for each device, driver and class of problem, the fastest settings that tuning found, one JSON
 * file each in the user's data folder.
 */
#pragma once

#include "core/factors.h"

/**
 * MsWinnerKey: the device and the class of problems of a winner.
 * @driver: version of the device's driver; another one may prefer other settings
 * @problem: see ms_problem_class_filter() and ms_problem_class_reduce()
 */
typedef struct {
  const char *device;
  const char *driver;
  const char *problem;
} MsWinnerKey;

char *ms_winner_store_default_directory(void);
char *ms_winner_store_path(const char *directory, const MsWinnerKey *key, const char *ending);
GStrv ms_winner_store_find_damaged(const char *directory);
MsFactors *ms_winner_store_load(const char *directory, const MsWinnerKey *key, const char *version);
gboolean ms_winner_store_save(const char *directory, const MsWinnerKey *key, const char *version,
                              const MsFactors *winner, GError **error);
