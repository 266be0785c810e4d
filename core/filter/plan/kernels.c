/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/kernels.h"

#include "core/filter/plan/plan-checks.h"
#include "core/filter/plan/plan-direct.h"
#include "core/filter/plan/plan-matrix.h"
#include "core/filter/plan/plan-packed.h"
#include "core/filter/plan/plan-rows.h"

static const MsFilterKernel kernels[] = {
  {MS_KERNEL_DIRECT, ms_plan_direct}, {MS_KERNEL_ROWS, ms_plan_rows},     {MS_KERNEL_ROWS_WIDE, ms_plan_rows_wide},
  {MS_KERNEL_MATRIX, ms_plan_matrix}, {MS_KERNEL_PACKED, ms_plan_packed},
};

/* The kernels that `auto` tries, fastest first, for each kind of device; the last one must accept every request. */
static const MsKernel cpu_preference[] = {MS_KERNEL_ROWS, MS_KERNEL_DIRECT};
static const MsKernel wide_cpu_preference[] = {MS_KERNEL_ROWS_WIDE, MS_KERNEL_ROWS, MS_KERNEL_DIRECT};
static const MsKernel gpu_preference[] = {MS_KERNEL_DIRECT};
static const MsKernel bytes_gpu_preference[] = {MS_KERNEL_PACKED, MS_KERNEL_DIRECT};
static const MsKernel packed_gpu_preference[] = {MS_KERNEL_PACKED, MS_KERNEL_MATRIX, MS_KERNEL_DIRECT};
static const MsKernel matrix_gpu_preference[] = {MS_KERNEL_MATRIX, MS_KERNEL_PACKED, MS_KERNEL_DIRECT};

/*
 * From this radius on the matrix kernel is faster than the packed one on devices that have both, with most pictures and
 * colour radii of kernels/README.md.
 */
#define FIRST_MATRIX_RADIUS 15

/** ms_filter_kernel_find: (transfer none) (nullable): the row of a kernel; `auto` has none. */
const MsFilterKernel *
ms_filter_kernel_find(MsKernel kernel)
{
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++)
    if (kernels[i].kernel == kernel)
      return &kernels[i];
  return NULL;
}

static gboolean
suits_matrix(const MsPlanRequest *request)
{
  return request->settings.params.sp >= FIRST_MATRIX_RADIUS;
}

/** ms_filter_kernel_preference: (transfer none): the kernels that `auto` tries on that device, fastest first. */
const MsKernel *
ms_filter_kernel_preference(const MsPlanRequest *request, guint *n)
{
  if (request->limits.nvidia_capability >= MS_KERNEL_MATRIX_CAPABILITY) {
    *n = G_N_ELEMENTS(matrix_gpu_preference);
    return suits_matrix(request) ? matrix_gpu_preference : packed_gpu_preference;
  }
  if (request->limits.nvidia_capability >= MS_KERNEL_BYTES_CAPABILITY) {
    *n = G_N_ELEMENTS(bytes_gpu_preference);
    return bytes_gpu_preference;
  }
  if (request->limits.type == MS_DEVICE_TYPE_GPU) {
    *n = G_N_ELEMENTS(gpu_preference);
    return gpu_preference;
  }
  if (request->limits.vector_bytes >= 64) {
    *n = G_N_ELEMENTS(wide_cpu_preference);
    return wide_cpu_preference;
  }
  *n = G_N_ELEMENTS(cpu_preference);
  return cpu_preference;
}
