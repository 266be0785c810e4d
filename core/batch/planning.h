/* SPDX-License-Identifier: MIT */
/*
 * MsPlanning: the state of planning a batch, shared by its steps: omitting earlier results, naming outputs, settling
 * conflicts.
 */
#pragma once

#include "core/batch/batch.h"

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
