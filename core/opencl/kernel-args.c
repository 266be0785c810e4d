/* SPDX-License-Identifier: MIT */
#include "core/opencl/kernel-args.h"

#include "core/opencl/cl-error.h"

/** ms_kernel_set_args: sets the arguments 0 to @n - 1 of the kernel called @name. */
gboolean
ms_kernel_set_args(cl_kernel kernel, const char *name, const MsKernelArg *args, guint n, GError **error)
{
  for (cl_uint i = 0; i < n; i++)
    if (!ms_cl_check(clSetKernelArg(kernel, i, args[i].size, args[i].value), error,
                     "setting argument %u of the kernel %s", i, name))
      return FALSE;
  return TRUE;
}
