/* SPDX-License-Identifier: MIT */
/* A report as a table of text cells, which becomes aligned columns for the terminal, or Markdown. */
#include "core/lab/report/report.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-verdict.h"
#include "core/opencl/device.h"
#include "core/text.h"

/** ms_report_published_text: (transfer full): "163.3 ms HD 5850; 167.2 ms C2050", or empty. */
char *
ms_report_published_text(const MsReportRow *row)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < row->published->len; i++) {
    const MsPublished *p = row->published->pdata[i];
    g_autofree char *low = ms_number_text(p->low);
    g_autofree char *high = ms_number_text(p->high);
    /* A ratio needs the metric's name, and what is no time or rate; other units do not. */
    gboolean named = strcmp(p->unit, "×") == 0 || ms_metric_is_of_kernel(p->metric);
    gboolean range = p->low != p->high;
    const char *unit = strcmp(p->unit, "us") == 0 ? "µs" : p->unit;
    g_string_append_printf(text, "%s%s%s%s %s%s%s (%s)", text->len ? "; " : "", low, range ? "–" : "",
                           range ? high : "", unit, named ? " " : "", named ? p->metric : "", p->device);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/*
 * "1.34× [1.31–1.36] faster", "12.5× [12.1–12.8] slower", "baseline", or empty: with the word "slower", the ratio tells
 * how many times the baseline's time the row takes.
 */
static char *
speedup_text(const MsReportRow *row, MsLanguage language)
{
  const char *verdict = ms_text(language, ms_verdict_to_string(row->speedup.verdict));
  const gboolean is_slower = row->speedup.verdict == MS_VERDICT_SLOWER;
  const double from = row->speedup.low, to = row->speedup.high;

  if (row->baseline)
    return g_strdup(ms_text(language, "baseline"));
  if (!isfinite(row->speedup.ratio))
    return g_strdup("");
  g_autofree char *ratio = ms_number_text(is_slower ? 1 / row->speedup.ratio : row->speedup.ratio);
  if (!isfinite(to))
    return g_strdup_printf("%s× %s", ratio, verdict);
  g_autofree char *low = ms_number_text(is_slower ? 1 / to : from);
  g_autofree char *high = ms_number_text(is_slower ? 1 / from : to);
  return g_strdup_printf("%s× [%s–%s] %s", ratio, low, high, verdict);
}

static void add_remark(GString *text, MsLanguage language, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Appends a clause, whose format is in @language. */
static void
add_remark(GString *text, MsLanguage language, const char *format, ...)
{
  va_list args;

  if (text->len)
    g_string_append(text, ms_text(language, "; "));
  va_start(args, format);
  g_string_append_vprintf(text, format, args);
  va_end(args);
}

static void
add_outliers(GString *text, MsLanguage language, gsize n)
{
  if (language == MS_LANGUAGE_USER)
    add_remark(text, language, g_dngettext(GETTEXT_PACKAGE, "%zu outlier", "%zu outliers", n), n);
  else
    add_remark(text, language, n == 1 ? "%zu outlier" : "%zu outliers", n);
}

/* What disturbed a row, how often it was measured again, and that it is not ranked for that reason. */
static void
add_disturbance(GString *text, const MsReportRow *row, MsLanguage language)
{
  const MsConditions *c = &row->measurement->conditions;

  if (c->foreign_load > MS_MOST_FOREIGN_LOAD)
    add_remark(text, language, ms_text(language, "disturbed: other programs used %.0f %% of the processors"),
               c->foreign_load * 100);
  if (c->throttling && *c->throttling)
    add_remark(text, language, ms_text(language, "throttled: %s"), c->throttling);
  if (ms_report_leaves_out(row->report, row))
    add_remark(text, language, "%s", ms_text(language, "not ranked"));
  if (c->repeated > 0)
    add_remark(text, language, ms_text(language, "measured again after a disturbance: %u×"), c->repeated);
}

/* Why a row failed, or what disturbed its samples; empty where neither applies. */
static char *
remarks_of(const MsReportRow *row, MsLanguage language)
{
  g_autoptr(GString) text = g_string_new(NULL);
  const MsMeasurement *m = row->measurement;
  const double *samples = (const double *)m->samples->data;

  const char *message = language == MS_LANGUAGE_USER && m->shown ? m->shown : m->message;

  if (message) /* its first line, since build logs are in the JSON only */
    add_remark(text, language, "%.*s", (int)strcspn(message, "\n"), message);
  if (m->outcome != MS_OUTCOME_OK)
    return g_string_free(g_steal_pointer(&text), FALSE);
  gsize outliers = ms_statistics_outliers(samples, m->samples->len);
  MsDrift drift = ms_statistics_find_clock_drop(samples, m->samples->len);
  if (outliers)
    add_outliers(text, language, outliers);
  if (drift.found)
    add_remark(text, language, ms_text(language, "slower by %.0f %% from sample %zu on: a clock drop?"),
               (drift.ratio - 1) * 100, drift.index + 1);
  add_disturbance(text, row, language);
  if (m->rejected)
    add_remark(text, language, ms_text(language, "%u runs rejected: events ended before they started"), m->rejected);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* (transfer container) (element-type MsMetric): those that are columns of the table. */
static GPtrArray *
find_columns(const MsReport *self)
{
  const MsPlot *plot = &self->experiment->plot;
  GPtrArray *columns = ms_report_find_metrics(self, MS_METRIC_USUAL | MS_METRIC_RARE | MS_METRICS_OF_KERNEL);

  for (guint i = columns->len; i-- > 0;) {
    const MsMetric *metric = columns->pdata[i];
    if (metric->kind == MS_METRIC_RARE && g_strcmp0(plot->y, metric->name) != 0 &&
        g_strcmp0(plot->y2, metric->name) != 0)
      g_ptr_array_remove_index(columns, i);
  }
  return columns;
}

static void
add_cell(GPtrArray *cells, char *text)
{
  g_ptr_array_add(cells, text);
}

static GPtrArray *
heading_cells(const MsReport *self, const GPtrArray *columns, MsLanguage language)
{
  GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
  static const char *const fixed[] = {N_("configuration"), N_("median ms"), N_("min ms"),
                                      N_("IQR ms"),        N_("n"),         N_("first +ms")};

  for (gsize i = 0; i < G_N_ELEMENTS(fixed); i++)
    add_cell(cells, g_strdup(ms_text(language, fixed[i])));
  for (guint i = 0; i < columns->len; i++)
    add_cell(cells, g_strdup(ms_text(language, ((const MsMetric *)columns->pdata[i])->heading)));
  add_cell(cells, g_strdup(ms_text(language, "against the baseline")));
  if (ms_report_has_published(self))
    add_cell(cells, g_strdup(ms_text(language, "published")));
  add_cell(cells, g_strdup(ms_text(language, "result")));
  return cells;
}

static char *
result_text(const MsReportRow *row, MsLanguage language)
{
  g_autofree char *remarks = remarks_of(row, language);
  const gboolean ok = row->measurement->outcome == MS_OUTCOME_OK;
  const char *word = ms_text(language, ok ? N_("verified") : ms_outcome_names[row->measurement->outcome]);

  return *remarks ? g_strconcat(word, ": ", remarks, NULL) : g_strdup(word);
}

/* Most that the driver tells of a kernel are whole numbers. */
static char *
metric_text(const MsMetric *metric, const MsReportRow *row)
{
  const double value = ms_metric_value(metric, row);
  const gboolean whole = metric->kind & MS_METRICS_OF_KERNEL && value == floor(value);

  return whole ? ms_number_format(value, "%.0f") : ms_number_text(value);
}

static GPtrArray *
row_cells(const MsReport *self, const MsReportRow *row, const GPtrArray *columns, MsLanguage language)
{
  GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
  const MsSummary *s = &row->summary;
  gboolean ok = row->measurement->outcome == MS_OUTCOME_OK;

  add_cell(cells, g_strdup(row->label));
  add_cell(cells, ms_number_text(ok ? s->median * 1e-6 : NAN));
  add_cell(cells, ms_number_text(ok ? s->minimum * 1e-6 : NAN));
  add_cell(cells, ms_number_text(ok ? s->iqr * 1e-6 : NAN));
  add_cell(cells, g_strdup_printf("%u", s->n));
  add_cell(cells, ms_number_text(ok ? ms_measurement_first_extra_ns(row->measurement) * 1e-6 : NAN));
  for (guint i = 0; i < columns->len; i++)
    add_cell(cells, metric_text(columns->pdata[i], row));
  add_cell(cells, speedup_text(row, language));
  if (ms_report_has_published(self))
    add_cell(cells, ms_report_published_text(row));
  add_cell(cells, result_text(row, language));
  return cells;
}

/**
 * ms_report_table: (transfer full) (element-type GPtrArray): a row of headings and one of cells for each configuration.
 */
GPtrArray *
ms_report_table(const MsReport *self, MsLanguage language)
{
  GPtrArray *table = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  g_autoptr(GPtrArray) columns = find_columns(self);

  g_ptr_array_add(table, heading_cells(self, columns, language));
  for (guint i = 0; i < self->rows->len; i++)
    g_ptr_array_add(table, row_cells(self, self->rows->pdata[i], columns, language));
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

static gboolean
is_number_column(GPtrArray *table, guint column)
{
  const char *title = g_ptr_array_index((GPtrArray *)table->pdata[0], column);

  return column > 0 && strcmp(title, "published") != 0 && strcmp(title, "result") != 0 &&
         strcmp(title, "against the baseline") != 0;
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
 * @aligned: whether numbers stand at the right of their columns
 */
void
ms_table_append_text(GString *text, GPtrArray *table, gboolean aligned)
{
  guint columns = ((GPtrArray *)table->pdata[0])->len;
  g_autofree glong *widths = g_new0(glong, columns);

  find_widths(table, widths);
  for (guint r = 0; r < table->len; r++)
    for (guint c = 0; c < columns; c++)
      append_cell(text, g_ptr_array_index((GPtrArray *)table->pdata[r], c), widths[c],
                  aligned && is_number_column(table, c), c + 1 == columns);
}

/** ms_report_to_text: (transfer full): the table for a terminal. */
char *
ms_report_to_text(const MsReport *self)
{
  g_autoptr(GPtrArray) table = ms_report_table(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *heading = ms_report_heading(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *footer = ms_report_footer(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *verdict = ms_report_verdict_text(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *name = ms_printable(self->experiment->name, ""), *title = ms_printable(self->experiment->title, "");
  g_autoptr(GString) text = g_string_new(NULL);

  g_string_append_printf(text, "%s: %s\n%s\n%s%s\n", name, title, heading, verdict ? verdict : "", verdict ? "\n" : "");
  ms_table_append_text(text, table, TRUE);
  g_string_append_printf(text, "\n%s", footer);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* As Markdown, with the chart of the report beside it */

/** ms_markdown_append: text in which nothing is markup: no tag, no link, and no control character of a terminal. */
void
ms_markdown_append(GString *text, const char *raw)
{
  g_autofree char *lines = g_strdelimit(g_strdup(raw), "\n\t", ' ');
  g_autofree char *plain = ms_printable(lines, "");

  for (const char *p = plain; *p; p++) {
    if (strchr("|\\*_<`", *p) || (*p == ']' && p[1] != '\0' && strchr("([:", p[1])))
      g_string_append_c(text, '\\');
    g_string_append_c(text, *p);
  }
}

static void
append_paragraph(GString *text, const char *raw)
{
  ms_markdown_append(text, raw);
  g_string_append(text, "\n\n");
}

/** ms_table_append_markdown: the same as Markdown; numbers in all columns but the first are @aligned. */
void
ms_table_append_markdown(GString *text, GPtrArray *table, gboolean aligned)
{
  for (guint r = 0; r < table->len; r++) {
    const GPtrArray *cells = table->pdata[r];
    g_string_append_c(text, '|');
    for (guint c = 0; c < cells->len; c++) {
      g_string_append_c(text, ' ');
      ms_markdown_append(text, cells->pdata[c]);
      g_string_append(text, " |");
    }
    g_string_append(text, r == 0 ? "\n|" : "\n");
    for (guint c = 0; r == 0 && c < cells->len; c++)
      g_string_append(text, aligned && c > 0 ? "---:|" : "---|");
    g_string_append(text, r == 0 ? "\n" : "");
  }
}

/** ms_report_to_markdown: (transfer full): title, chart, table, remarks. The chart is NAME.svg in the same folder. */
char *
ms_report_to_markdown(const MsReport *self)
{
  g_autoptr(GPtrArray) table = ms_report_table(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *heading = ms_report_heading(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *footer = ms_report_footer(self, MS_LANGUAGE_ENGLISH);
  g_auto(GStrv) remarks = g_strsplit(footer, "\n", -1);
  g_autofree char *file = ms_file_name(self->experiment->name);
  g_autofree char *picture = g_uri_escape_string(file, NULL, FALSE);
  g_autoptr(GString) text = g_string_new("# ");
  const MsExperiment *e = self->experiment;

  append_paragraph(text, e->title);
  g_autofree char *verdict = ms_report_verdict_text(self, MS_LANGUAGE_ENGLISH);
  if (verdict)
    append_paragraph(text, verdict);
  if (e->description)
    append_paragraph(text, e->description);
  append_paragraph(text, heading);
  g_string_append(text, "![");
  ms_markdown_append(text, e->title);
  g_string_append_printf(text, "](%s.svg)\n\n", picture);
  ms_table_append_markdown(text, table, TRUE);
  g_string_append_c(text, '\n');
  for (char **remark = remarks; *remark; remark++) {
    ms_markdown_append(text, *remark);
    g_string_append(text, remark[1] ? "\n" : "");
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}
