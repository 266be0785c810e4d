/* SPDX-License-Identifier: MIT */
#include "app/process/version.h"

#include <CL/cl.h>
#include <cairo.h>
#include <json-glib/json-glib.h>
#include <png.h>
#include <stdio.h>
#include <zlib.h>

#include <jpeglib.h>

#define TEXT_OF(number) #number
#define AS_TEXT(macro) TEXT_OF(macro)

/**
 * ms_version_text: (transfer full): one line for the program and one for each library: its version in this process, or,
 * for those that a build can do without, its version when the program was built.
 */
char *
ms_version_text(void)
{
  char *text =
    g_strdup_printf("meanshift-lab %s\n"
                    "GLib %u.%u.%u\n"
                    "JSON-GLib %s\n"
                    "cairo %s\n"
                    "zlib %s\n"
                    "libpng %s\n"
                    "libjpeg-turbo %s\n" MS_OPTIONAL_LIBRARIES "OpenCL %d.%d headers\n",
                    MS_VERSION, glib_major_version, glib_minor_version, glib_micro_version, JSON_VERSION_S,
                    cairo_version_string(), zlibVersion(), png_get_libpng_ver(NULL), AS_TEXT(LIBJPEG_TURBO_VERSION),
                    CL_TARGET_OPENCL_VERSION / 100, CL_TARGET_OPENCL_VERSION / 10 % 10);

  /*
   * Meson doubles a backslash in a definition, so these lines end in bars. With a blank in the program, lintian would
   * take the version of libdeflate for an embedded copy of zlib.
   */
  return g_strdelimit(g_strdelimit(text, "|", '\n'), ":", ' ');
}
