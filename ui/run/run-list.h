/* SPDX-License-Identifier: MIT */
/* MsRunList: the runs of a document as a list model; drops the oldest pictures when they need too much memory. */
#pragma once

#include "ui/run/run.h"

#define MS_TYPE_RUN_LIST (ms_run_list_get_type())
/* Signal: "dropped" (guint n): the pictures of n runs were dropped. */
G_DECLARE_FINAL_TYPE(MsRunList, ms_run_list, MS, RUN_LIST, GObject)

MsRunList *ms_run_list_new(void);
void ms_run_list_add(MsRunList *self, MsRun *run);
void ms_run_list_replace_newest(MsRunList *self, MsRun *run);
guint ms_run_list_remove(MsRunList *self, MsRun *run);
void ms_run_list_insert(MsRunList *self, MsRun *run, guint position);
MsRun *ms_run_list_get_newest(MsRunList *self);
MsRun *ms_run_list_get_baseline(MsRunList *self);
void ms_run_list_set_baseline(MsRunList *self, MsRun *run);
void ms_run_list_set_bound(MsRunList *self, guint64 bytes);
void ms_run_list_pin(MsRunList *self, MsRun *current, MsRun *a, MsRun *b);
guint64 ms_run_list_get_picture_bytes(MsRunList *self);
