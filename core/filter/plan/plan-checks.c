/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan-checks.h"

/* The largest coordinate that 16 bits hold. */
#define MAX_EXTENT 65535

/**
 * ms_plan_check_work_group: whether the device supports a work-group of @width x @height with @local_bytes of local
 * memory.
 */
gboolean
ms_plan_check_work_group(const MsPlanRequest *request, gsize width, gsize height, gsize local_bytes, GError **error)
{
  const MsDeviceLimits *l = &request->limits;

  if (width * height > l->max_work_group || width > l->max_work_item[0] || height > l->max_work_item[1]) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "A work-group of %zux%zu is too large: the device takes %zu work-items, at most %zux%zu.", width,
                 height, l->max_work_group, l->max_work_item[0], l->max_work_item[1]);
    return FALSE;
  }
  if (local_bytes > l->local_memory) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "A work-group of %zux%zu needs %zu bytes of local memory; the device has %zu.", width, height,
                 local_bytes, (gsize)l->local_memory);
    return FALSE;
  }
  return TRUE;
}

/*
 * Accepts the kernel's own work-group when the kernel is chosen by name, so that the settings that a report states can
 * be repeated.
 */
static gboolean
names_own_work_group(const MsOptionInfo *option, const MsSettings *settings, int width, int height)
{
  return option->offset == G_STRUCT_OFFSET(MsSettings, options.work_group_width) &&
         settings->options.kernel != MS_KERNEL_AUTO && settings->options.work_group_width == width &&
         settings->options.work_group_height == height;
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
ms_plan_check_default_toggles(const MsPlanRequest *request, int width, int height, GError **error)
{
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    if (table[i].group != MS_OPTION_GROUP_TOGGLE || table[i].offset == G_STRUCT_OFFSET(MsSettings, options.kernel) ||
        ms_option_is_default(&table[i], &request->settings) ||
        names_own_work_group(&table[i], &request->settings, width, height))
      continue;
    g_autofree char *value = ms_option_get_text(&table[i], &request->settings);
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "This kernel does not support --%s %s; leave that out or choose --kernel direct.", table[i].name,
                 value);
    return FALSE;
  }
  return TRUE;
}

/** ms_plan_check_clipped_windows: whether windows are clipped to the image, as under every rule but replicate. */
gboolean
ms_plan_check_clipped_windows(const MsPlanRequest *request, MsKernel kernel, GError **error)
{
  if (request->settings.params.rule != MS_RULE_REPLICATE)
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED,
               "The %s kernel keeps windows inside the image, which --rule replicate does not; choose --kernel direct.",
               ms_filter_kernel_name(kernel));
  return FALSE;
}

/** ms_plan_check_doubles: whether the device computes in double precision, which the means need. */
gboolean
ms_plan_check_doubles(const MsPlanRequest *request, MsKernel kernel, GError **error)
{
  if (request->limits.fp64)
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED,
               "The %s kernel computes its means in double precision, which this device lacks; choose --kernel direct.",
               ms_filter_kernel_name(kernel));
  return FALSE;
}

/**
 * ms_plan_has_whole_radius: whether every window reaches equally far to all sides, unlike windows of a radius with a
 * fraction of one half.
 */
gboolean
ms_plan_has_whole_radius(const MsPlanRequest *request)
{
  int radius;

  return ms_params_whole_radius(&request->settings.params, MAX(request->width, request->height), &radius);
}

/** ms_plan_check_whole_radius: whether every window reaches equally far to all sides. */
gboolean
ms_plan_check_whole_radius(const MsPlanRequest *request, MsKernel kernel, GError **error)
{
  char sp[G_ASCII_DTOSTR_BUF_SIZE];

  if (ms_plan_has_whole_radius(request))
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED,
               "The %s kernel needs a window that reaches equally far to all sides; --sp %s does not. Choose a whole "
               "radius or --kernel packed.",
               ms_filter_kernel_name(kernel), g_ascii_dtostr(sp, sizeof sp, request->settings.params.sp));
  return FALSE;
}

/** ms_plan_check_no_modes: whether the request has no modes, for kernels that do not write them. */
gboolean
ms_plan_check_no_modes(const MsPlanRequest *request, MsKernel kernel, GError **error)
{
  if (!request->modes)
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED,
               "The %s kernel does not write the modes that regions are made of; choose --kernel packed.",
               ms_filter_kernel_name(kernel));
  return FALSE;
}

/** ms_plan_check_extent: whether coordinates in the image fit 16 bits. */
gboolean
ms_plan_check_extent(const MsPlanRequest *request, MsKernel kernel, GError **error)
{
  if (MAX(request->width, request->height) <= MAX_EXTENT)
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED,
               "The %s kernel takes images of up to %d pixels a side; this one has %dx%d. Choose --kernel direct.",
               ms_filter_kernel_name(kernel), MAX_EXTENT, request->width, request->height);
  return FALSE;
}
