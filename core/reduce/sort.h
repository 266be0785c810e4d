/* SPDX-License-Identifier: MIT */
/* Bitonic sort of uint, int and float keys of any length, with the thread swapping of [BD] as variants. */
#pragma once

#include <gio/gio.h>

#include "core/opencl/context.h"
#include "core/reduce/reduce-options.h"
#include "core/reduce/element-type.h"

/**
 * MsSortOptions:
 * @form: MS_SORT_FAST gives each pair of keys to one work-item and keeps blocks in local memory; MS_SORT_STUDY gives
 *   each key to one work-item, of which half idle at every step, as the study measured
 * @swap: an #MsSwap, for MS_SORT_STUDY only
 * @swap_range: 64 to 512, a power of two, up to the work-group
 * @work_group: 0 for 512 or what the device allows
 */
typedef enum {
  MS_SORT_FAST,
  MS_SORT_STUDY,
} MsSortForm;

typedef struct {
  MsSortForm form;
  MsSwap swap;
  int swap_range;
  int work_group;
} MsSortOptions;

MsSortOptions ms_sort_options_default(void);
MsProgramSpec *ms_sort_compose(const MsSortOptions *options, MsElementType type, const MsDeviceLimits *limits,
                               guint64 n);
gboolean ms_sort_check_type(MsElementType type, GError **error);
gboolean ms_sort_check(const MsSortOptions *options, MsElementType type, const MsDeviceLimits *limits, guint64 n,
                       GError **error);

/** MsSortRequest: sorts @n keys of a type. */
typedef struct {
  MsSortOptions options;
  MsElementType type;
  guint64 n;
} MsSortRequest;

gboolean ms_sort_buffer(const MsDeviceRun *run, const MsSortRequest *request, cl_mem from, cl_mem into, GError **error);
void ms_sort_serial(MsElementType type, void *keys, guint64 n);
