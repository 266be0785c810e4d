/* SPDX-License-Identifier: MIT */
/* What the plans of several kernels share: parts, passes and checks. */
#include "core/filter/plan/plan-private.h"

#include "core/filter/space/space.h"

/* The largest coordinate that 16 bits hold. */
#define MAX_EXTENT 65535

/* Columns of a work-group that computes each pixel from itself alone. */
#define PIXELWISE_WIDTH 64

/* Whether every window reaches equally far to all sides, unlike windows of a radius with a fraction of one half. */
static gboolean
has_whole_radius(const MsPlan *plan)
{
  int radius;

  return ms_params_whole_radius(&plan->settings.params, MAX(plan->width, plan->height), &radius);
}

/**
 * ms_plan_add_parts: adds the files of kernels/ that the kernel of the plan consists of, in their order, and the
 * constants that parts of several kernels use.
 */
void
ms_plan_add_parts(MsPlan *self, const char *const *parts, guint n_parts)
{
  const MsRule rule = self->settings.params.rule;

  ms_program_spec_add_parts(self->program, parts, n_parts);
  ms_plan_define(self, "HAS_MARKS", ms_plan_is_masked(self));
  ms_plan_define(self, "HAS_MODES", self->has_modes);
  ms_plan_define(self, "TRUNCATES", rule == MS_RULE_TRUNCATE);
  ms_plan_define(self, "REPLICATES", rule == MS_RULE_REPLICATE);
  ms_plan_define(self, "HALF_RADIUS", rule != MS_RULE_REPLICATE && !has_whole_radius(self));
}

/** ms_plan_define: adds a constant to the program. */
void
ms_plan_define(MsPlan *self, const char *name, gint64 value)
{
  ms_program_spec_define_int(self->program, name, value);
}

/** ms_plan_define_words: on devices without doubles, the types in which prelude/quotients.cl computes means. */
void
ms_plan_define_words(MsPlan *self, const char *words, const char *floats)
{
  if (self->limits->fp64)
    return;
  ms_program_spec_define_text(self->program, "WORDS", words);
  ms_program_spec_define_text(self->program, "FLOATS", floats);
}

/** ms_plan_add_scratch: adds a temporary buffer. */
void
ms_plan_add_scratch(MsPlan *self, MsScratch scratch)
{
  self->scratch[self->n_scratch++] = scratch;
}

/** ms_plan_set_work_group: sets the work-group that reports state. */
void
ms_plan_set_work_group(MsPlan *self, gsize width, gsize height)
{
  self->settings.options.work_group_width = (int)width;
  self->settings.options.work_group_height = (int)height;
}

/** ms_plan_add_last_args: appends the mask and the modes, where the plan has them, to the arguments of the pass. */
void
ms_plan_add_last_args(const MsPlan *self, MsPass *pass)
{
  g_assert(pass->n_args + 2 <= MS_PLAN_MAX_ARGS);
  if (ms_plan_is_masked(self))
    pass->args[pass->n_args++] = MS_ARG_MASK;
  if (self->has_modes)
    pass->args[pass->n_args++] = MS_ARG_MODES;
}

/**
 * ms_plan_add_pass: (transfer none): appends a pass; a work-item of one that says nothing else computes one pixel, and
 * the caller adds further arguments.
 */
MsPass *
ms_plan_add_pass(MsPlan *self, const MsPass *pass)
{
  MsPass *added = &self->passes[self->n_passes++];

  g_assert(self->n_passes <= MS_PLAN_MAX_PASSES && pass->n_args <= MS_PLAN_MAX_ARGS);
  *added = *pass;
  added->item_width = MAX(pass->item_width, 1);
  added->item_height = MAX(pass->item_height, 1);
  return added;
}

/**
 * ms_plan_mark_no_data: adds the pass that marks pixels without data in the source before all other passes, and the
 * constant by which the parts of the kernel leave them out; with levels, windows count them.
 */
void
ms_plan_mark_no_data(MsPlan *self)
{
  const MsPass mark = {"mark_no_data", MS_GRID_SOURCE, .local = {PIXELWISE_WIDTH, 1},
                       MS_PASS_ARGS(MS_ARG_PIXELS, MS_ARG_SCRATCH_0 + self->n_scratch, MS_ARG_IMAGE, MS_ARG_NO_DATA)};

  ms_plan_define(self, "NO_DATA", self->has_no_data && !ms_plan_is_masked(self));
  if (!self->has_no_data)
    return;
  ms_program_spec_add_part(self->program, "no-data/no-data.cl");
  ms_plan_add_pass(self, &mark);
  ms_plan_add_scratch(self, (MsScratch){.row_bytes = self->width});
}

/**
 * ms_plan_restore_no_data: adds the passes by which, after all others, pixels without data get their values again and
 * rest where they are.
 */
void
ms_plan_restore_no_data(MsPlan *self)
{
  static const MsPass rest = {"rest_no_data", MS_GRID_BAND, .local = {PIXELWISE_WIDTH, 1},
                              MS_PASS_ARGS(MS_ARG_RESULT, MS_ARG_MODES, MS_ARG_REGION, MS_ARG_BAND)};
  const MsPass restore = {"restore_no_data", MS_GRID_BAND, .local = {PIXELWISE_WIDTH, 1},
                          MS_PASS_ARGS(MS_ARG_RESULT, MS_ARG_SCRATCH_0 + self->n_scratch - 1, MS_ARG_IMAGE,
                                       MS_ARG_REGION, MS_ARG_BAND, MS_ARG_NO_DATA)};

  if (!self->has_no_data)
    return;
  if (self->has_modes)
    ms_plan_add_pass(self, &rest);
  ms_plan_add_pass(self, &restore);
}

/**
 * ms_plan_add_space: adds the conversion of the source to the colour space before all other passes, and that of the
 * result back to sRGB after them; without the latter where modes are computed, since regions are divided in the colour
 * space.
 */
void
ms_plan_add_space(MsPlan *self)
{
  static const MsPass convert = {"convert_source", MS_GRID_SOURCE, .local = {PIXELWISE_WIDTH, 1},
                                 MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_TABLES, MS_ARG_IMAGE)};
  static const MsPass restore = {"restore_result", MS_GRID_BAND, .local = {PIXELWISE_WIDTH, 1},
                                 MS_PASS_ARGS(MS_ARG_RESULT, MS_ARG_TABLES, MS_ARG_REGION, MS_ARG_BAND)};
  static const struct {
    const char *name;
    int value;
  } tables[] = {
    {"LUV_NODES", MS_SPACE_LUV_NODES},
    {"NODES", MS_SPACE_NODES},
    {"LINEAR", MS_SPACE_LINEAR},
    {"ROOT", MS_SPACE_ROOT},
    {"LIGHT", MS_SPACE_LIGHT},
    {"ENCODE", MS_SPACE_ENCODE},
    {"LUV_U", MS_SPACE_U},
    {"LUV_V", MS_SPACE_V},
    {"TO_XYZ", MS_SPACE_TO_XYZ},
    {"FROM_PARTS", MS_SPACE_FROM_PARTS},
    {"FROM_XYZ", MS_SPACE_FROM_XYZ},
    {"BY_NODES", MS_SPACE_BY_NODES},
    {"FROM_RGB", MS_SPACE_FROM_RGB},
    {"TO_RGB", MS_SPACE_TO_RGB},
    {"NODE_SIDE", MS_SPACE_SIDE},
  };
  const MsSpace space = self->settings.params.space;
  const char *const parts[] = {"space/nodes.cl", space == MS_SPACE_LUV ? "space/luv.cl" : "space/lab.cl",
                               "space/convert.cl"};

  if (space == MS_SPACE_RGB)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
    ms_plan_define(self, tables[i].name, tables[i].value);
  ms_program_spec_add_parts(self->program, parts, G_N_ELEMENTS(parts));
  ms_plan_add_pass(self, &convert);
  if (!self->has_modes)
    ms_plan_add_pass(self, &restore);
}

/**
 * ms_plan_check_work_group: whether the device supports a work-group of @width x @height with @local_bytes of local
 * memory.
 */
gboolean
ms_plan_check_work_group(const MsPlan *self, gsize width, gsize height, gsize local_bytes, GError **error)
{
  const MsDeviceLimits *l = self->limits;

  if (width * height > l->max_work_group || width > l->max_work_item[0] || height > l->max_work_item[1])
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "A work-group of %zux%zu is too large: the device takes %zu work-items, at most %zux%zu.", width,
                 height, l->max_work_group, l->max_work_item[0], l->max_work_item[1]);
  else if (local_bytes > l->local_memory)
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "A work-group of %zux%zu needs %zu bytes of local memory; the device has %zu.", width, height,
                 local_bytes, (gsize)l->local_memory);
  else
    return TRUE;
  return FALSE;
}

/**
 * ms_plan_check_loops: whether the loops of a work-item can end by themselves.
 * @steps: iterations of the method that a work-item may take for all of its pixels
 * @in_a_step: iterations of the loops within each of them
 */
gboolean
ms_plan_check_loops(const MsPlan *self, guint64 steps, guint64 in_a_step, GError **error)
{
  const guint most = self->limits->loop_iterations;
  const guint64 needed = steps * (in_a_step + 1);

  if (most == 0 || needed <= most)
    return TRUE;
  g_autofree char *shown = g_strdup_printf("%" G_GUINT64_FORMAT, needed);
  ms_set_error(error, MS_ERROR_UNSUPPORTED,
               "The device ends the loops of a work-item after %u iterations; --sp %g and --max-iterations %d can take "
               "%s. Choose smaller ones, or another device.",
               most, self->settings.params.sp, self->settings.params.max_iterations, shown);
  return FALSE;
}

/*
 * Accepts the kernel's own work-group when the kernel is chosen by name, so that the settings that a report states can
 * be repeated.
 */
static gboolean
names_own_work_group(const MsPlan *self, const MsOptionInfo *option, int width, int height)
{
  const MsToggles *o = &self->settings.options;

  return option->offset == G_STRUCT_OFFSET(MsSettings, options.work_group_width) && !self->is_auto &&
         o->work_group_width == width && o->work_group_height == height;
}

/**
 * ms_plan_check_default_toggles:
 * @width: columns of the kernel's own work-group
 * @height: its rows
 *
 * Whether every toggle but the kernel itself has its default or the kernel's own value; for kernels on which the
 * toggles have no effect.
 */
gboolean
ms_plan_check_default_toggles(const MsPlan *self, int width, int height, GError **error)
{
  const MsSettings *settings = &self->settings;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_options.rows[i];
    if (row->group != MS_OPTION_GROUP_TOGGLE || row->offset == G_STRUCT_OFFSET(MsSettings, options.kernel) ||
        ms_option_is_default(row, settings) || names_own_work_group(self, row, width, height))
      continue;
    g_autofree char *value = ms_option_get_text(row, settings);
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "This kernel does not support --%s %s; leave that out or choose --kernel direct.", row->name, value);
    return FALSE;
  }
  return TRUE;
}

/** ms_plan_check_needs: whether the job has all that the kernel needs. */
gboolean
ms_plan_check_needs(const MsPlan *self, MsPlanNeeds needs, GError **error)
{
  const MsParams *p = &self->settings.params;
  const char *name = ms_filter_kernel_name(self->settings.options.kernel);
  char sp[G_ASCII_DTOSTR_BUF_SIZE];

  if (needs & MS_NEEDS_CLIPPED_WINDOWS && p->rule == MS_RULE_REPLICATE)
    ms_set_error(
      error, MS_ERROR_UNSUPPORTED,
      "The %s kernel keeps windows inside the image, which --rule replicate does not; choose --kernel direct.", name);
  else if (needs & MS_NEEDS_WHOLE_RADIUS && !has_whole_radius(self))
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The %s kernel needs a window that reaches equally far to all sides; --sp %s does not. Choose a whole "
                 "radius or --kernel packed.",
                 name, g_ascii_dtostr(sp, sizeof sp, p->sp));
  else if (needs & MS_NEEDS_NO_MODES && self->has_modes)
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The %s kernel does not write the modes that regions are made of; choose --kernel packed.", name);
  else if (needs & MS_NEEDS_SHORT_SIDES && MAX(self->width, self->height) > MAX_EXTENT)
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The %s kernel takes images of up to %d pixels a side; this one has %dx%d. Choose --kernel direct.",
                 name, MAX_EXTENT, self->width, self->height);
  else
    return TRUE;
  return FALSE;
}
