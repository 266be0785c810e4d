/* SPDX-License-Identifier: MIT */
#include "core/engine/problem-class.h"

static const char *
radius_class(double sp)
{
  return sp <= 3 ? "sp 1-3" : sp <= 7 ? "sp 4-7" : sp <= 12 ? "sp 8-12" : sp <= 24 ? "sp 13-24" : "sp 25-64";
}

static const char *
size_class(double pixels)
{
  return pixels < 0.3e6   ? "up to 0.3 megapixels"
         : pixels < 1.5e6 ? "0.3 to 1.5 megapixels"
         : pixels < 10e6  ? "1.5 to 10 megapixels"
                          : "10 megapixels and more";
}

/** ms_problem_class_filter: (transfer full): the class of filtering an image of @width x @height pixels. */
char *
ms_problem_class_filter(double sp, gint64 width, gint64 height)
{
  return g_strdup_printf("mean-shift, %s, %s", radius_class(sp), size_class((double)width * (double)height));
}

/*
 * The classes range from arrays where the launch dominates to arrays that exceed every cache. The bounds are not powers
 * of two, which are the most common lengths.
 */
static const char *
length_class(guint64 bytes)
{
  return bytes < 128 << 10    ? "below 128 KiB"
         : bytes < 2 << 20    ? "128 KiB to 2 MiB"
         : bytes < 24 << 20   ? "2 to 24 MiB"
         : bytes < 384u << 20 ? "24 to 384 MiB"
                              : "384 MiB and more";
}

/** ms_problem_class_reduce: (transfer full): the class of reducing an array of @n elements. */
char *
ms_problem_class_reduce(const MsReduceSpec *spec, guint64 n)
{
  return g_strdup_printf("reduce, %s of %s, %s", ms_reduce_operator(spec->op)->name, ms_element_type_name(spec->type),
                         length_class(n * ms_element_type_size(spec->type)));
}
