/* SPDX-License-Identifier: MIT */
/* A report as a table of text cells, which becomes aligned columns for the terminal, and as CSV. */
#include "core/lab/report/report.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/csv.h"
#include "core/lab/report/report-column.h"
#include "core/lab/report/report-verdict.h"
#include "core/opencl/device.h"
#include "core/text.h"

/**
 * ms_report_table: (transfer full) (element-type GPtrArray): a row of headings and one of cells for each configuration.
 */
GPtrArray *
ms_report_table(const MsReport *self, MsLanguage language)
{
  g_autoptr(GArray) columns = ms_report_columns(self, MS_FORMAT_TABLE);
  GPtrArray *table = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);

  for (guint r = 0; r <= self->rows->len; r++) {
    GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
    for (guint c = 0; c < columns->len; c++) {
      const MsReportColumn *column = &g_array_index(columns, MsReportColumn, c);
      g_ptr_array_add(cells, r == 0 ? g_strdup(ms_text(language, column->title))
                                    : ms_report_column_text(column, self->rows->pdata[r - 1], language));
    }
    g_ptr_array_add(table, cells);
  }
  return table;
}

/**
 * ms_report_device: (transfer full): the device that was measured: for the user as people know it, in files as its
 * driver names it.
 */
char *
ms_report_device(const MsReport *self, MsLanguage language)
{
  const MsReportDevice *device = &self->device;

  if (!device->name)
    return g_strdup("?");
  return language == MS_LANGUAGE_USER ? ms_device_short_name(device->name, device->platform ? device->platform : "")
                                      : g_strdup(device->name);
}

/** ms_report_heading: (transfer full): device, driver, input and date in one line. */
char *
ms_report_heading(const MsReport *self, MsLanguage language)
{
  const MsReportDevice *device = &self->device;
  g_autofree char *driver = g_strdup_printf(ms_text(language, "driver %s"), device->driver ? device->driver : "?");
  g_autofree char *name = ms_report_device(self, language);

  return g_strdup_printf("%s · %s · %s%s%s · %s%s%s", name, device->platform ? device->platform : "?", driver,
                         self->input ? " · " : "", self->input ? self->input : "", self->date, self->quick ? " · " : "",
                         self->quick ? ms_text(language, "quick") : "");
}

/* Which counter energy and power are from, or that there is none. */
static void
append_energy_source(const MsReport *self, GString *text, MsLanguage language)
{
  const char *source = ms_report_energy_source(self);

  if (source)
    g_string_append_printf(text, ms_text(language, "Energy and power: from the counter %s.\n"), source);
  else if (ms_metric_is_of_energy(self->experiment->plot.y))
    g_string_append(text, ms_text(language, "Energy and power: n/a, this device has no counter that can be read.\n"));
}

static gboolean
has_row_with(const MsReport *self, const char *key, const char *value)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (g_strcmp0(ms_factors_get(((const MsReportRow *)self->rows->pdata[i])->factors, key), value) == 0)
      return TRUE;
  return FALSE;
}

static void
widen(double *low, double *high, double value)
{
  *low = fmin(*low, value);
  *high = fmax(*high, value);
}

static void
append_range(GString *text, double low, double high, const char *unit)
{
  if (!isfinite(low))
    return;
  g_autofree char *from = ms_number_text(low), *to = ms_number_text(high);
  g_string_append_printf(text, "%s%s%s%s %s", text->len ? ", " : "", from, low < high ? "–" : "", low < high ? to : "",
                         unit);
}

/* "1410–1980 MHz, 41–57 °C, 98–310 W": of the device before and after all rows. */
static char *
state_text(const MsReport *self, const char **source)
{
  MsDeviceState low = ms_device_state_unknown, high = ms_device_state_unknown;
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < self->rows->len; i++) {
    const MsConditions *c = &((MsReportRow *)self->rows->pdata[i])->measurement->conditions;
    const MsDeviceState *const states[] = {&c->start, &c->end};
    *source = *source ? *source : c->source;
    for (gsize k = 0; k < G_N_ELEMENTS(states); k++) {
      widen(&low.clock_mhz, &high.clock_mhz, states[k]->clock_mhz);
      widen(&low.temperature_c, &high.temperature_c, states[k]->temperature_c);
      widen(&low.power_w, &high.power_w, states[k]->power_w);
    }
  }
  append_range(text, low.clock_mhz, high.clock_mhz, "MHz");
  append_range(text, low.temperature_c, high.temperature_c, "°C");
  append_range(text, low.power_w, high.power_w, "W");
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The state of the device, and how many rows are not ranked since they were disturbed. */
static void
append_conditions(const MsReport *self, GString *text, MsLanguage language)
{
  const char *source = NULL;
  g_autofree char *state = state_text(self, &source);
  guint left_out = 0;

  if (source)
    g_string_append_printf(text, ms_text(language, "Device before and after the rows: %s (%s).\n"), state, source);
  for (guint i = 0; i < self->rows->len; i++)
    left_out += ms_report_leaves_out(self, self->rows->pdata[i]);
  if (left_out > 0)
    g_string_append_printf(text,
                           ms_text(language, "Not ranked, since they were measured while throttled or beside other "
                                             "programs: %u of %u configurations; --accept-disturbed ranks them.\n"),
                           left_out, self->rows->len);
}

/* What the counts of instructions are of, or why there are none; indexed by #MsInstructionSource. */
static const char *const instruction_remarks[] = {
  [MS_INSTRUCTIONS_NOT_ASKED] = "",
  [MS_INSTRUCTIONS_PTX] =
    N_("Instructions: as they stand in PTX, from which the driver makes machine code, not as often as they ran.\n"),
  [MS_INSTRUCTIONS_MACHINE_CODE] = N_("Instructions: as they stand in the machine code, not as often as they ran.\n"),
  [MS_INSTRUCTIONS_NO_OBJDUMP] = N_("Instructions are not counted: objdump (package binutils) is not installed.\n"),
  [MS_INSTRUCTIONS_UNKNOWN_FORM] =
    N_("Instructions are not counted: the driver hands out no binary of a form that is known here.\n"),
};

static void
append_instructions(const MsReport *self, GString *text, MsLanguage language)
{
  for (guint i = 0; i < self->rows->len; i++) {
    const MsReportRow *row = self->rows->pdata[i];
    const MsKernelNote *note = ms_measurement_main_kernel(row->measurement);
    if (!note || note->counted_in == MS_INSTRUCTIONS_NOT_ASKED)
      continue;
    g_string_append(text, ms_text(language, instruction_remarks[note->counted_in]));
    return;
  }
}

/* How much of its space a search has tried, and how many configurations failed, by class. */
static void
append_search(const MsReport *self, GString *text, MsLanguage language)
{
  if (self->space_size == 0)
    return;
  g_string_append_printf(text, ms_text(language, "Tried %u of %.0f configurations, in %.1f s."), self->rows->len,
                         (double)self->space_size, self->elapsed_s);
  for (MsOutcome outcome = MS_OUTCOME_CONSTRAINT; outcome <= MS_OUTCOME_TIMEOUT; outcome++)
    if (ms_report_count(self, outcome) > 0)
      g_string_append_printf(text, " %s: %u.", ms_text(language, ms_outcome_names[outcome]),
                             ms_report_count(self, outcome));
  g_string_append_c(text, '\n');
}

/* The numbers that a reduction came to, where it is the only row. */
static void
append_result(const MsReport *self, GString *text, MsLanguage language)
{
  const MsReportRow *row = self->rows->len == 1 ? self->rows->pdata[0] : NULL;
  const MsVerification *v = row ? &row->measurement->verification : NULL;

  if (!v || !v->result)
    return;
  g_autofree char *ms = ms_number_text(v->reference_ns * 1e-6);
  g_string_append_printf(text, ms_text(language, "Result: %s\nSerial result: %s (%s), in %s ms\n"), v->result,
                         v->expected, ms_text(language, v->mismatches ? N_("DIFFERS") : N_("agrees")), ms);
}

/** ms_report_footer: (transfer full): the study's result and remarks on how to read the table. */
char *
ms_report_footer(const MsReport *self, MsLanguage language)
{
  g_autoptr(GString) text = g_string_new(NULL);

  if (self->experiment->finding)
    g_string_append_printf(text, ms_text(language, "Published: %s\n"),
                           ms_experiment_text(self->experiment->finding, language));
  if (self->quick && ms_report_has_published(self))
    g_string_append(text,
                    ms_text(language, "Published values are those of the full sizes; this run was scaled down.\n"));
  if (self->device.by_wall_clock)
    g_string_append(text, ms_text(language, "Times: by the wall clock, since this driver's events give none.\n"));
  else if (has_row_with(self, "clock", "wall"))
    g_string_append(text, ms_text(language, "Times: by the wall clock of the host, for every row.\n"));
  if (self->compiler && has_row_with(self, "device", "reference"))
    g_string_append_printf(text, ms_text(language, "Serial code: compiled by %s.\n"), self->compiler);
  append_search(self, text, language);
  append_result(self, text, language);
  append_energy_source(self, text, language);
  append_instructions(self, text, language);
  append_conditions(self, text, language);
  if (self->restarts > 0)
    g_string_append_printf(text, ms_text(language, "Processes that the driver ended while they measured: %u.\n"),
                           self->restarts);
  if (!self->complete)
    g_string_append(
      text, ms_text(language, "Incomplete: the experiment was interrupted before every configuration was measured.\n"));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
find_widths(GPtrArray *table, glong *widths)
{
  for (guint r = 0; r < table->len; r++) {
    GPtrArray *cells = table->pdata[r];
    for (guint c = 0; c < cells->len; c++)
      widths[c] = MAX(widths[c], g_utf8_strlen(cells->pdata[c], -1));
  }
}

/* @columns: (nullable): those of a report; others have no numbers */
static gboolean
is_number_column(const GArray *columns, guint column)
{
  return columns && !g_array_index(columns, MsReportColumn, column).text;
}

static void
append_cell(GString *text, const char *cell, glong width, gboolean right, gboolean last)
{
  glong blanks = width - g_utf8_strlen(cell, -1);

  if (right)
    g_string_append_printf(text, "%*s", (int)blanks, "");
  g_string_append(text, cell);
  if (!right && !last)
    g_string_append_printf(text, "%*s", (int)blanks, "");
  g_string_append(text, last ? "\n" : "  ");
}

/**
 * ms_table_append_text: appends columns for a terminal.
 * @table: (element-type GPtrArray): a row of headings, and rows of as many cells
 * @report_columns: (nullable): what the columns are, so that numbers stand at the right
 */
void
ms_table_append_text(GString *text, GPtrArray *table, const GArray *report_columns)
{
  guint columns = ((GPtrArray *)table->pdata[0])->len;
  g_autofree glong *widths = g_new0(glong, columns);

  find_widths(table, widths);
  for (guint r = 0; r < table->len; r++)
    for (guint c = 0; c < columns; c++)
      append_cell(text, g_ptr_array_index((GPtrArray *)table->pdata[r], c), widths[c],
                  is_number_column(report_columns, c), c + 1 == columns);
}

/* A search has hundreds of rows, of which a terminal shows the first. */
#define MOST_TRIALS 10

/** ms_report_to_text: (transfer full): the table for a terminal. */
char *
ms_report_to_text(const MsReport *self)
{
  g_autoptr(GArray) columns = ms_report_columns(self, MS_FORMAT_TABLE);
  g_autoptr(GPtrArray) table = ms_report_table(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *heading = ms_report_heading(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *footer = ms_report_footer(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *verdict = ms_report_verdict_text(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *name = ms_printable(self->experiment->name, ""), *title = ms_printable(self->experiment->title, "");
  g_autoptr(GString) text = g_string_new(NULL);

  if (self->space_size > 0)
    g_ptr_array_set_size(table, (int)MIN(table->len, 1 + MOST_TRIALS));
  g_string_append_printf(text, "%s: %s\n%s\n%s%s\n", name, title, heading, verdict ? verdict : "", verdict ? "\n" : "");
  ms_table_append_text(text, table, columns);
  g_string_append_printf(text, "\n%s", footer);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* As CSV */

static void
append_csv_title(GString *text, const MsReportColumn *column)
{
  g_autofree char *name = column->metric ? g_strdelimit(g_strdup(column->metric->name), "-", '_') : NULL;

  ms_csv_append(text, name ? name : column->title);
}

static void
append_csv_cell(GString *text, const MsReportColumn *column, const MsReportRow *row)
{
  g_autofree char *cell = column->text ? column->text(row, MS_LANGUAGE_ENGLISH) : NULL;

  if (column->text)
    ms_csv_append(text, cell);
  else
    ms_csv_append_number(text, ms_report_column_value(column, row), NULL);
}

/**
 * ms_report_to_csv: (transfer full): a heading and a line for each configuration (RFC 4180), with times in nanoseconds
 * and decimal points in every locale; unknown values are empty fields.
 */
char *
ms_report_to_csv(const MsReport *self)
{
  g_autoptr(GArray) columns = ms_report_columns(self, MS_FORMAT_CSV);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint r = 0; r <= self->rows->len; r++) {
    for (guint c = 0; c < columns->len; c++) {
      const MsReportColumn *column = &g_array_index(columns, MsReportColumn, c);
      if (r == 0)
        append_csv_title(text, column);
      else
        append_csv_cell(text, column, self->rows->pdata[r - 1]);
    }
    g_string_append(text, "\r\n");
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}
