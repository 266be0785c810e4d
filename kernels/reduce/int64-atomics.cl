/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
