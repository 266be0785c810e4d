/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan.h"

#include <string.h>

#include "core/filter/space/space-tables.h"

void
ms_plan_free(MsPlan *self)
{
  if (!self)
    return;
  g_clear_object(&self->program);
  g_clear_pointer(&self->coarser, ms_plan_free);
  g_free(self->rejected);
  g_free(self);
}

/** ms_plan_is_masked: whether only the pixels of a mask are filtered: on all levels of a pyramid but the topmost. */
gboolean
ms_plan_is_masked(const MsPlan *self)
{
  return self->settings.params.levels > 0;
}

/** ms_plan_add_marks: adds the parts that select the pixels to filter and that store modes. */
void
ms_plan_add_marks(MsPlan *self)
{
  ms_program_spec_add_part(self->program, ms_plan_is_masked(self) ? "levels/marks-on.cl" : "levels/marks-off.cl");
  ms_program_spec_add_part(self->program, self->request.modes ? "regions/modes-on.cl" : "regions/modes-off.cl");
}

/** ms_plan_add_last_args: appends the mask and the modes, where the plan has them, to the arguments of the pass. */
void
ms_plan_add_last_args(const MsPlan *self, MsPass *pass)
{
  g_assert(pass->n_args + 2 <= MS_PLAN_MAX_ARGS);
  if (ms_plan_is_masked(self))
    pass->args[pass->n_args++] = MS_ARG_MASK;
  if (self->request.modes)
    pass->args[pass->n_args++] = MS_ARG_MODES;
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

/* Columns of a work-group of the conversions. */
#define CONVERT_WIDTH 64

static void
define_tables(MsProgramSpec *program)
{
  ms_program_spec_define_int(program, "LUV_NODES", MS_SPACE_LUV_NODES);
  ms_program_spec_define_int(program, "NODES", MS_SPACE_NODES);
  ms_program_spec_define_int(program, "LINEAR", MS_SPACE_LINEAR);
  ms_program_spec_define_int(program, "ROOT", MS_SPACE_ROOT);
  ms_program_spec_define_int(program, "LIGHT", MS_SPACE_LIGHT);
  ms_program_spec_define_int(program, "ENCODE", MS_SPACE_ENCODE);
  ms_program_spec_define_int(program, "LUV_U", MS_SPACE_U);
  ms_program_spec_define_int(program, "LUV_V", MS_SPACE_V);
}

/**
 * ms_plan_add_space: adds the conversion of the source to the colour space before all other passes, and that of the
 * result back to sRGB after them; without the latter where modes are computed, since regions are divided in the colour
 * space.
 */
void
ms_plan_add_space(MsPlan *self)
{
  static const MsArg convert_args[] = {MS_ARG_SOURCE, MS_ARG_TABLES, MS_ARG_IMAGE};
  static const MsArg restore_args[] = {MS_ARG_RESULT, MS_ARG_TABLES, MS_ARG_REGION, MS_ARG_BAND};
  const MsSpace space = self->settings.params.space;
  MsPass *pass;

  if (space == MS_SPACE_RGB)
    return;
  define_tables(self->program);
  ms_program_spec_add_part(self->program, space == MS_SPACE_LUV ? "space/luv.cl" : "space/lab.cl");
  ms_program_spec_add_part(self->program, "space/convert.cl");
  pass = ms_plan_add_pass(self, "convert_source", MS_GRID_SOURCE, convert_args, G_N_ELEMENTS(convert_args));
  pass->local[0] = CONVERT_WIDTH;
  pass->local[1] = 1;
  if (self->request.modes)
    return;
  pass = ms_plan_add_pass(self, "restore_result", MS_GRID_BAND, restore_args, G_N_ELEMENTS(restore_args));
  pass->local[0] = CONVERT_WIDTH;
  pass->local[1] = 1;
}
