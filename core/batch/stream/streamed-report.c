/* SPDX-License-Identifier: MIT */
#include "core/batch/stream/streamed-report.h"

/* Adds the time of a part to that of the image, of which each repeat has one. */
static void
add_time(GArray *times, guint repeat, double ms)
{
  if (repeat >= times->len)
    g_array_append_val(times, ms);
  else
    g_array_index(times, double, repeat) += ms;
}

/** ms_streamed_report_add: @run: of one part of the image; @repeat: which of its repeats, from 0 on. */
void
ms_streamed_report_add(MsStreamedRun *self, MsEngineRun *run, guint repeat)
{
  g_free(self->rejected);
  self->rejected = g_steal_pointer(&run->rejected);
  self->used = run->used;
  add_time(self->kernel_ms, repeat, ms_timing_log_total_ms(run->log, MS_STAGE_KERNEL));
  add_time(self->filter_ms, repeat, ms_timing_log_get_filter_ms(run->log));
  if (repeat + 1 == self->repeat)
    ms_timing_log_append(self->log, run->log);
}
