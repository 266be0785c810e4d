/* SPDX-License-Identifier: MIT */
/*
 * MsPlanning: the state of planning a batch, shared by its steps: omitting earlier results, naming outputs, settling
 * conflicts.
 */
#pragma once

#include "core/batch/batch.h"

G_BEGIN_DECLS

/**
 * MsPlanning:
 * @into_folder: whether outputs are named by the template
 * @sources: (element-type MsFileId gpointer): every input
 * @claimed: output path, links followed -> input path, of this run
 * @numbers: output path -> the first number appended to it that may be free
 */
typedef struct {
  const MsBatchRequest *request;
  gboolean into_folder;
  guint seq_digits;
  GHashTable *sources;
  GHashTable *claimed;
  GHashTable *numbers;
} MsPlanning;

char *ms_planning_output_path(const MsPlanning *p, const MsBatchItem *item, gboolean any_seq);
void ms_planning_settle(const MsPlanning *p, MsBatchItem *item);
void ms_planning_leave_out_results(const MsPlanning *p, GPtrArray *inputs);

G_END_DECLS
