/* SPDX-License-Identifier: MIT */
#include "core/memory-budget.h"

#include <inttypes.h>

#include "core/error.h"

/** ms_memory_budget_take: to be called before @bytes are allocated; %FALSE where that would exceed the budget. */
gboolean
ms_memory_budget_take(MsMemoryBudget *self, guint64 bytes)
{
  if (!self)
    return TRUE;
  if (self->held + bytes <= self->most) {
    self->held += bytes;
    return TRUE;
  }
  if (self->needed == 0)
    self->needed = self->held + bytes;
  return FALSE;
}

/** ms_memory_budget_mark: the bytes that are held now, for ms_memory_budget_return(). */
guint64
ms_memory_budget_mark(const MsMemoryBudget *self)
{
  return self ? self->held : 0;
}

/** ms_memory_budget_return: reduces the held bytes to @mark; call it once the memory taken since then is freed. */
void
ms_memory_budget_return(MsMemoryBudget *self, guint64 mark)
{
  if (self)
    self->held = mark;
}

/** ms_memory_budget_fail: sets #MS_ERROR_TOO_LARGE and returns %TRUE if the budget has refused memory. */
gboolean
ms_memory_budget_fail(const MsMemoryBudget *self, GError **error)
{
  if (!self || self->needed == 0)
    return FALSE;
  ms_set_error(error, MS_ERROR_TOO_LARGE, "%" PRIu64 " MiB of memory are needed, and %" PRIu64 " MiB are allowed.",
               (self->needed >> 20) + 1, self->most >> 20);
  return TRUE;
}
