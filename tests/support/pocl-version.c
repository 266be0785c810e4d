/* SPDX-License-Identifier: MIT */
/* Prints the version of PoCL's driver, or nothing where there is no PoCL; see tests/meson.build. */
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

int
main(void)
{
  cl_platform_id platforms[16];
  cl_uint n = 0;

  if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
    return 0;
  for (cl_uint i = 0; i < n && i < 16; i++) {
    char name[256] = "", version[256] = "";
    cl_device_id device;
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (strcmp(name, "Portable Computing Language") == 0 &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
        clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL) == CL_SUCCESS) {
      puts(version);
      return 0;
    }
  }
  return 0;
}
