/* SPDX-License-Identifier: MIT */
#include "ui/panels/timing/timing-rows.h"

#include <glib/gi18n-lib.h>

/* Some drivers report timestamps that go backwards; a negative wait counts as zero. */
static double
phase_ms(guint64 from, guint64 to)
{
  return to > from ? (to - from) * 1e-6 : 0.0;
}

/** ms_timing_row_of: a row for a single launch. */
MsTimingRow
ms_timing_row_of(const MsTiming *timing)
{
  MsTimingRow row = {.stage = timing->stage, .name = timing->kernel, .launches = 1};

  if (!ms_timing_is_valid(timing)) {
    row.invalid = 1;
    return row;
  }
  row.queued_ms = phase_ms(timing->queued_ns, timing->submitted_ns);
  row.submitted_ms = phase_ms(timing->submitted_ns, timing->started_ns);
  row.run_ms = ms_timing_ms(timing);
  row.bytes = timing->bytes;
  row.gb_per_s = ms_timing_gb_per_s(timing);
  return row;
}

/** ms_timing_row_holds: whether @timing is one of the launches in @self. Names are interned. */
gboolean
ms_timing_row_holds(const MsTimingRow *self, const MsTiming *timing)
{
  return self->stage == timing->stage && self->name == timing->kernel;
}

static MsTimingRow *
find_row(GArray *rows, const MsTiming *timing)
{
  for (guint i = 0; i < rows->len; i++)
    if (ms_timing_row_holds(&g_array_index(rows, MsTimingRow, i), timing))
      return &g_array_index(rows, MsTimingRow, i);
  return NULL;
}

static void
add_launch(MsTimingRow *row, const MsTimingRow *launch)
{
  row->launches++;
  row->invalid += launch->invalid;
  row->queued_ms += launch->queued_ms;
  row->submitted_ms += launch->submitted_ms;
  row->run_ms += launch->run_ms;
  row->bytes += launch->bytes;
  row->gb_per_s = row->run_ms > 0 ? row->bytes / (row->run_ms * 1e6) : 0.0;
}

/** ms_timing_rows_collect: (transfer full) (element-type MsTimingRow): in order of their first launch. */
GArray *
ms_timing_rows_collect(MsTimingLog *log)
{
  GArray *rows = g_array_new(FALSE, TRUE, sizeof(MsTimingRow));

  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *timing = ms_timing_log_get(log, i);
    MsTimingRow launch = ms_timing_row_of(timing);
    MsTimingRow *row = find_row(rows, timing);
    if (row) {
      add_launch(row, &launch);
      continue;
    }
    launch.first = i;
    g_array_append_val(rows, launch);
  }
  return rows;
}

/** ms_timing_row_moves_device_memory: whether its rate can be compared with the device's memory bandwidth. */
gboolean
ms_timing_row_moves_device_memory(const MsTimingRow *self)
{
  return self->stage == MS_STAGE_KERNEL && self->gb_per_s > 0;
}

/** ms_timing_row_title: (transfer full): "Upload", "Kernel mean_shift". */
char *
ms_timing_row_title(const MsTimingRow *self)
{
  static const char *const titles[] = {N_("Decode"), N_("Build"),    N_("Upload"),
                                       N_("Kernel"), N_("Download"), N_("Encode")};

  if (self->stage == MS_STAGE_KERNEL && self->name)
    return g_strdup_printf("%s %s", _(titles[self->stage]), self->name);
  return g_strdup(_(titles[self->stage]));
}
