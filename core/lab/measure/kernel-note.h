/* SPDX-License-Identifier: MIT */
/* MsKernelNote: what the driver tells of a kernel that a configuration ran, apart from its time. */
#pragma once

#include "core/record/record.h"

/**
 * MsKernelNote: what is not known is NAN or %NULL.
 * @name: of the kernel in the timings
 * @group_size: work-items of a work-group
 * @registers: of a work-item
 * @private_bytes: of a work-item; @local_bytes: of a work-group
 * @resident_groups: work-groups that a compute unit holds at once; @occupancy: its resident work-items, in percent of
 *   the most that it can hold
 * @limit: what there is too little of for another group
 */
typedef struct {
  char *name;
  double group_size;
  double registers;
  double private_bytes;
  double local_bytes;
  double resident_groups;
  double occupancy;
  char *limit;
} MsKernelNote;

/** ms_kernel_note_record: its members in JSON and in messages. */
extern const MsRecord ms_kernel_note_record;

MsKernelNote *ms_kernel_note_new(const char *name);
MsKernelNote *ms_kernel_note_copy(const MsKernelNote *self);
void ms_kernel_note_free(MsKernelNote *self);
GPtrArray *ms_kernel_notes_new(void);
