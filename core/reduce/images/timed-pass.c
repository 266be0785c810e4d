/* SPDX-License-Identifier: MIT */
#include "core/reduce/images/timed-pass.h"

#include "core/reduce/bandwidth.h"
#include "core/reduce/launch.h"

/* The peak is measured once; a failure of that does not fail the pass. */
static double
share_of_peak(MsContext *context, double gb_per_s, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  MsBandwidth peak;

  if (!ms_bandwidth_get(context, NULL, &peak, cancellable, &error)) {
    g_debug("%s", error->message);
    return 0;
  }
  return gb_per_s / peak.read;
}

/** ms_timed_pass_join: two passes as one, whose rates are the means over the time. */
MsTimedPass
ms_timed_pass_join(MsTimedPass a, MsTimedPass b)
{
  const double ms = a.kernel_ms + b.kernel_ms;

  if (ms <= 0)
    return (MsTimedPass){0, 0, 0};
  return (MsTimedPass){.kernel_ms = ms,
                       .gb_per_s = (a.gb_per_s * a.kernel_ms + b.gb_per_s * b.kernel_ms) / ms,
                       .peak_share = (a.peak_share * a.kernel_ms + b.peak_share * b.kernel_ms) / ms};
}

/**
 * ms_time_pass:
 * @run: whose log gets copies of the rows
 * @own: the log of this pass only; resolved here
 */
gboolean
ms_time_pass(const MsDeviceRun *run, MsTimingLog *own, MsTimedPass *timed, GError **error)
{
  if (!ms_timing_log_resolve(own, error))
    return FALSE;
  timed->kernel_ms = ms_log_kernel_ms(own);
  timed->gb_per_s = timed->kernel_ms > 0 ? (double)ms_log_kernel_bytes(own) / timed->kernel_ms * 1e-6 : 0;
  timed->peak_share = share_of_peak(run->context, timed->gb_per_s, run->cancellable);
  if (run->log)
    ms_timing_log_append(run->log, own);
  return TRUE;
}
