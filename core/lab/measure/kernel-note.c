/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/kernel-note.h"

static const char *const sources[] = {"not counted", "PTX", "machine code", "no objdump", "unknown form", NULL};

static gboolean
was_asked_for_instructions(gconstpointer note)
{
  return ((const MsKernelNote *)note)->counted_in != MS_INSTRUCTIONS_NOT_ASKED;
}

#define NOTE(member, form) MS_FIELD(MsKernelNote, member, form, #member)
#define COUNT(member, name) MS_FIELD(MsKernelNote, instructions.member, NUMBER, name, .has = was_asked_for_instructions)
static const MsField fields[] = {
  NOTE(name, TEXT),
  NOTE(group_size, NUMBER),
  NOTE(registers, NUMBER),
  NOTE(private_bytes, NUMBER),
  NOTE(local_bytes, NUMBER),
  NOTE(resident_groups, NUMBER),
  NOTE(occupancy, NUMBER),
  NOTE(limit, TEXT),
  MS_FIELD(MsKernelNote, counted_in, CHOICE, "counted_in", .names = sources, .has = was_asked_for_instructions),
  COUNT(total, "instructions"),
  COUNT(arithmetic, "arithmetic"),
  COUNT(packed, "packed"),
  COUNT(loads, "loads"),
  COUNT(stores, "stores"),
  COUNT(branches, "branches"),
  COUNT(other, "other"),
};
const MsRecord ms_kernel_note_record = MS_RECORD(fields);

/** ms_kernel_note_new: a note in which nothing is known but the name. */
MsKernelNote *
ms_kernel_note_new(const char *name)
{
  MsKernelNote *self = g_new0(MsKernelNote, 1);

  self->name = g_strdup(name);
  self->group_size = self->registers = self->private_bytes = self->local_bytes = NAN;
  self->resident_groups = self->occupancy = NAN;
  self->instructions = MS_INSTRUCTIONS_UNCOUNTED;
  return self;
}

void
ms_kernel_note_free(MsKernelNote *self)
{
  g_free(self->name);
  g_free(self->limit);
  g_free(self);
}

/** ms_kernel_notes_new: (transfer full) (element-type MsKernelNote): an empty array that frees its notes. */
GPtrArray *
ms_kernel_notes_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)ms_kernel_note_free);
}
