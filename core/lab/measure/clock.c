/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/clock.h"

#include <time.h>

/** ms_clock_now_ns: nanoseconds of the monotonic clock, for times too short for g_get_monotonic_time(). */
guint64
ms_clock_now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (guint64)now.tv_sec * G_GUINT64_CONSTANT(1000000000) + (guint64)now.tv_nsec;
}
