/* SPDX-License-Identifier: MIT */
/*
 * The yardstick of startup.py: opens a device and copies a picture of 512x512 to it and back, and nothing else.
 * bench-open [cpu|gpu]: the first device of the first platform that has one of that kind.
 */
#include <CL/cl.h>
#include <string.h>

int
main(int argc, char **argv)
{
  static char pixels[512 * 512 * 4];
  const cl_device_type kind = argc > 1 && strcmp(argv[1], "gpu") == 0 ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
  cl_platform_id platforms[16];
  cl_device_id device = NULL;
  cl_uint n = 0;

  clGetPlatformIDs(16, platforms, &n);
  for (cl_uint i = 0; i < n && i < 16 && !device; i++)
    clGetDeviceIDs(platforms[i], kind, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof pixels, NULL, NULL);
  if (clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof pixels, pixels, 0, NULL, NULL) != CL_SUCCESS)
    return 1;
  return clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof pixels, pixels, 0, NULL, NULL) != CL_SUCCESS;
}
