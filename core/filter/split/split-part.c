/* SPDX-License-Identifier: MIT */
#include "core/filter/split/split-part.h"

/** ms_split_part_run: plans and runs the part, and fills the fields that the run sets. */
void
ms_split_part_run(MsSplitPart *self)
{
  const int width = ms_image_get_width(self->source);
  const gsize first = (gsize)self->rows.first * width;
  const MsRegion region = {0, self->rows.first, width, self->rows.count};
  guint16 *modes = self->modes ? self->modes + first * 2 : NULL;
  const MsFilterRequest request = {
    .source = self->source, .settings = self->settings, .region = &region, .modes = modes};
  g_autoptr(MsPlan) plan = ms_mean_shift_plan_request(self->filter, &request, &self->error);
  gint64 start = g_get_monotonic_time();

  self->good = plan && ms_mean_shift_run_plan_into(
                         self->filter, &(MsPlanRun){self->source, plan, self->log, self->cancellable, modes},
                         self->pixels + first * 4, &self->error);
  self->milliseconds = (double)(g_get_monotonic_time() - start) / 1000.0;
}

/**
 * ms_split_part_speed_ms:
 *
 * Returns: the milliseconds of the run as a measure of the device's speed; 0 where the device built a program, since
 *   the time of compilation, also at the first launch, does not depend on the pixels
 */
double
ms_split_part_speed_ms(const MsSplitPart *self)
{
  for (guint i = 0; i < ms_timing_log_get_length(self->log); i++)
    if (ms_timing_log_get(self->log, i)->stage == MS_STAGE_BUILD)
      return 0;
  return self->milliseconds;
}

static gpointer
part_thread(gpointer data)
{
  ms_split_part_run(data);
  return NULL;
}

/** ms_split_parts_run: runs the parts side by side, the last one on the calling thread. */
void
ms_split_parts_run(MsSplitPart *parts, guint n)
{
  GThread *threads[MS_SHARES_MAX] = {NULL};

  for (guint i = 0; i < n; i++)
    if (parts[i].rows.count > 0 && i + 1 < n)
      threads[i] = g_thread_new("device", part_thread, &parts[i]);
  if (parts[n - 1].rows.count > 0)
    ms_split_part_run(&parts[n - 1]);
  for (guint i = 0; i < n; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}

/** ms_split_parts_take_error: clears the errors of all parts; %FALSE with the first one if there is any. */
gboolean
ms_split_parts_take_error(MsSplitPart *parts, guint n, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < n; i++) {
    if (parts[i].rows.count == 0 || parts[i].good)
      continue;
    if (good)
      g_propagate_error(error, g_steal_pointer(&parts[i].error));
    g_clear_error(&parts[i].error);
    good = FALSE;
  }
  return good;
}
