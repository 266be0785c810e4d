/* SPDX-License-Identifier: MIT */
/*
 * MsSplit: filters one image on several devices: in steps of rows, each divided by shares, with the result of one
 * device.
 */
#pragma once

#include "core/filter/mean-shift.h"
#include "core/filter/split/shares.h"

#define MS_TYPE_SPLIT (ms_split_get_type())
G_DECLARE_FINAL_TYPE(MsSplit, ms_split, MS, SPLIT, GObject)

MsSplit *ms_split_new(GPtrArray *contexts, MsSplitMode mode);
void ms_split_set_store(MsSplit *self, const char *path);
void ms_split_set_compares(MsSplit *self, gboolean compares);
void ms_split_set_steps(MsSplit *self, guint steps);
void ms_split_set_memory_budget(MsSplit *self, guint64 bytes);
void ms_split_add_partner(MsSplit *self, double ratio);
double ms_split_get_simulated_ms(MsSplit *self);
void ms_split_set_progress(MsSplit *self, MsProgressFunc progress, gpointer user_data);
guint ms_split_get_n_devices(MsSplit *self);
MsContext *ms_split_get_context(MsSplit *self, guint index);
MsShares ms_split_get_shares(MsSplit *self);
guint64 ms_split_get_rows(MsSplit *self, guint index);
void ms_split_save_speeds(MsSplit *self);
MsImage *ms_split_run(MsSplit *self, const MsFilterRequest *request, GError **error);
MsImage *ms_split_run_each(MsSplit *self, const MsFilterRequest *request, const MsSettings *settings, GError **error);
