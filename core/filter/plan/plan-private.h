/* SPDX-License-Identifier: MIT */
/*
 * What the plans of the kernels share, and their functions: each fills a plan that was begun for a job, or refuses with
 * #MS_ERROR_UNSUPPORTED and a sentence; none makes an OpenCL call.
 */
#pragma once

#include "core/filter/plan/plan.h"

/* The least compute capability, times ten, of NVIDIA devices with the matrix units that the matrix kernel uses. */
#define MS_KERNEL_MATRIX_CAPABILITY 80

/**
 * MsPlanNeeds: what a kernel needs of a job.
 * @MS_NEEDS_CLIPPED_WINDOWS: windows inside the image, as under every rule but replicate
 * @MS_NEEDS_WHOLE_RADIUS: windows that reach equally far to all sides
 * @MS_NEEDS_NO_MODES: no modes, for kernels that do not write them
 * @MS_NEEDS_SHORT_SIDES: coordinates that fit 16 bits
 */
typedef enum {
  MS_NEEDS_CLIPPED_WINDOWS = 1 << 0,
  MS_NEEDS_WHOLE_RADIUS = 1 << 1,
  MS_NEEDS_NO_MODES = 1 << 2,
  MS_NEEDS_SHORT_SIDES = 1 << 3,
} MsPlanNeeds;

void ms_plan_add_parts(MsPlan *self, const char *const *parts, guint n_parts);
void ms_plan_mark_no_data(MsPlan *self);
void ms_plan_add_space(MsPlan *self);
void ms_plan_restore_no_data(MsPlan *self);
void ms_plan_add_last_args(const MsPlan *self, MsPass *pass);
void ms_plan_add_scratch(MsPlan *self, MsScratch scratch);
void ms_plan_define(MsPlan *self, const char *name, gint64 value);
void ms_plan_define_words(MsPlan *self, const char *words, const char *floats);

/* MS_PASS_ARGS: the arguments of a pass in its initialiser. */
#define MS_PASS_ARGS(...) .n_args = sizeof((MsArg[]){__VA_ARGS__}) / sizeof(MsArg), .args = {__VA_ARGS__}

MsPass *ms_plan_add_pass(MsPlan *self, const MsPass *pass);
void ms_plan_set_work_group(MsPlan *self, gsize width, gsize height);

gboolean ms_plan_check_work_group(const MsPlan *self, gsize width, gsize height, gsize local_bytes, GError **error);
gboolean ms_plan_check_loops(const MsPlan *self, guint64 steps, guint64 in_a_step, GError **error);
gboolean ms_plan_check_default_toggles(const MsPlan *self, int width, int height, GError **error);
gboolean ms_plan_check_needs(const MsPlan *self, MsPlanNeeds needs, GError **error);

gboolean ms_plan_direct(MsPlan *plan, GError **error);
gboolean ms_plan_rows(MsPlan *plan, GError **error);
gboolean ms_plan_rows_wide(MsPlan *plan, GError **error);
gboolean ms_plan_matrix(MsPlan *plan, GError **error);
gboolean ms_plan_packed(MsPlan *plan, GError **error);
