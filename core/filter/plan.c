/* SPDX-License-Identifier: MIT */
#include "core/filter/plan.h"

#include <string.h>

void
ms_plan_free(MsPlan *self)
{
  if (!self)
    return;
  g_clear_object(&self->program);
  g_free(self->rejected);
  g_free(self);
}

/**
 * ms_plan_add_pass: (transfer none): appends a pass with one pixel for each work-item; the caller sets the other
 * fields.
 */
MsPass *
ms_plan_add_pass(MsPlan *self, const char *function, MsGrid grid, const MsArg *args, guint n_args)
{
  MsPass *pass = &self->passes[self->n_passes++];

  g_assert(self->n_passes <= MS_PLAN_MAX_PASSES && n_args <= MS_PLAN_MAX_ARGS);
  *pass = (MsPass){.function = function, .grid = grid, .item_width = 1, .item_height = 1, .n_args = n_args};
  memcpy(pass->args, args, n_args * sizeof *args);
  return pass;
}
