/* SPDX-License-Identifier: MIT */
/* MsMeanShift: filters pictures on one device, or on several together, and keeps buffers there between pictures. */
#pragma once

#include "core/filter/plan/plan.h"
#include "core/opencl/context.h"

/**
 * MsDivision: how several devices divide a picture.
 * @MS_DIVISION_EQUAL: in equal parts
 * @MS_DIVISION_LEARNED: by the speeds that they had in the picture before
 * @MS_DIVISION_ADAPTIVE: each takes the next tile when it is free
 */
typedef enum {
  MS_DIVISION_EQUAL,
  MS_DIVISION_LEARNED,
  MS_DIVISION_ADAPTIVE,
} MsDivision;

/** ms_division_names: as the command line spells them. */
extern const char *const ms_division_names[];

typedef struct _MsMeanShift MsMeanShift;

MsMeanShift *ms_mean_shift_new(MsContext *context);
MsMeanShift *ms_mean_shift_new_several(GPtrArray *contexts);
void ms_mean_shift_free(MsMeanShift *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsMeanShift, ms_mean_shift_free)

MsContext *ms_mean_shift_get_context(MsMeanShift *self);
guint ms_mean_shift_get_n_devices(MsMeanShift *self);
MsContext *ms_mean_shift_get_device(MsMeanShift *self, guint index);
int ms_mean_shift_get_rows(MsMeanShift *self, guint index);
double ms_mean_shift_get_speed(MsMeanShift *self, guint index);

void ms_mean_shift_set_division(MsMeanShift *self, MsDivision division);
void ms_mean_shift_set_memory_budget(MsMeanShift *self, guint64 bytes);
void ms_mean_shift_set_host_budget(MsMeanShift *self, guint64 bytes);
void ms_mean_shift_set_shares_device(MsMeanShift *self, gboolean shares_device);

MsPlan *ms_mean_shift_plan(MsMeanShift *self, const MsJob *job, GError **error);
MsImage *ms_mean_shift_run(MsMeanShift *self, MsJob *job, GError **error);
