/* SPDX-License-Identifier: MIT */
/* MsKernelNote: what the driver tells of a kernel that a configuration ran, apart from its time. */
#pragma once

#include "core/lab/measure/instructions.h"
#include "core/record/record.h"

/**
 * MsInstructionSource: in what the instructions of a kernel were counted, or why not.
 * @MS_INSTRUCTIONS_NOT_ASKED: no column asks for them
 * @MS_INSTRUCTIONS_PTX: in the program from which NVIDIA's driver makes machine code
 * @MS_INSTRUCTIONS_MACHINE_CODE: in the machine code of a processor
 * @MS_INSTRUCTIONS_NO_OBJDUMP: the program that lists machine code is missing
 * @MS_INSTRUCTIONS_UNKNOWN_FORM: the driver hands out no binary, or one of a form that is not known here
 */
typedef enum {
  MS_INSTRUCTIONS_NOT_ASKED,
  MS_INSTRUCTIONS_PTX,
  MS_INSTRUCTIONS_MACHINE_CODE,
  MS_INSTRUCTIONS_NO_OBJDUMP,
  MS_INSTRUCTIONS_UNKNOWN_FORM,
} MsInstructionSource;

/**
 * MsKernelNote: what the driver tells of a kernel; an unknown number is NAN, an unknown text %NULL.
 * @name: of the kernel in the timings
 * @group_size: work-items of a work-group
 * @registers: of a work-item
 * @private_bytes: of a work-item; @local_bytes: of a work-group
 * @resident_groups: work-groups that a compute unit holds at once; @occupancy: its resident work-items, in percent of
 *   the most that it can hold
 * @limit: the resource that does not suffice for another group
 * @counted_in: where @instructions were counted
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
  MsInstructionSource counted_in;
  MsInstructionCounts instructions;
} MsKernelNote;

/** ms_kernel_note_record: its members in JSON and in messages. */
extern const MsRecord ms_kernel_note_record;

MsKernelNote *ms_kernel_note_new(const char *name);
void ms_kernel_note_free(MsKernelNote *self);
GPtrArray *ms_kernel_notes_new(void);
