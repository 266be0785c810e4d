/* SPDX-License-Identifier: MIT */
/* MsMemoryBudget: counts the memory of a computation whose need depends on its data, and refuses more than allowed. */
#pragma once

#include <glib.h>

/**
 * MsMemoryBudget: a pointer to one may be %NULL, for no limit.
 * @most: bytes that may be held at once
 * @held: bytes that are held now
 * @needed: the bytes that would have been held at the first refusal; 0 without one
 */
typedef struct {
  guint64 most;
  guint64 held;
  guint64 needed;
} MsMemoryBudget;

gboolean ms_memory_budget_take(MsMemoryBudget *self, guint64 bytes);
guint64 ms_memory_budget_mark(const MsMemoryBudget *self);
void ms_memory_budget_return(MsMemoryBudget *self, guint64 mark);
gboolean ms_memory_budget_fail(const MsMemoryBudget *self, GError **error);
