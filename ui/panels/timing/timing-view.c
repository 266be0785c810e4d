/* SPDX-License-Identifier: MIT */
#include "ui/panels/timing/timing-view.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/format.h"
#include "ui/document/document.h"
#include "ui/common/template.h"
#include "ui/panels/common/table.h"
#include "ui/panels/timing/stage-bar.h"

/* The view */

struct _MsTimingView {
  MsPanel parent_instance;
  GtkLabel *heading;
  GtkLabel *build;
  GtkLabel *peak_label;
  MsStageBar *bar;
  GtkTreeStore *store;
  GtkTreeView *tree;
  GtkContainer *table_buttons;
  GtkStack *stack;
  MsDevice *peak_device; /* (nullable): the device whose peak was measured or is being measured */
  double peak;           /* GB/s, 0 while unknown */
  char *peak_problem;    /* (nullable): why it could not be measured */
  GCancellable *measuring;
};

G_DEFINE_FINAL_TYPE(MsTimingView, ms_timing_view, MS_TYPE_PANEL)

/* The rows */

/* A row for a single launch. */
static MsTimingRow
row_of(const MsTiming *timing)
{
  return (MsTimingRow){.stage = timing->stage,
                       .name = timing->kernel,
                       .launches = 1,
                       .queued_ms = ms_timing_queued_ms(timing),
                       .submitted_ms = ms_timing_submitted_ms(timing),
                       .run_ms = ms_timing_ms(timing),
                       .bytes = timing->bytes,
                       .gb_per_s = ms_timing_gb_per_s(timing)};
}

/* Whether @timing is one of the launches in @self. Names are interned. */
static gboolean
holds(const MsTimingRow *self, const MsTiming *timing)
{
  return self->stage == timing->stage && self->name == timing->kernel;
}

static MsTimingRow *
find_row(GArray *rows, const MsTiming *timing)
{
  for (guint i = 0; i < rows->len; i++)
    if (holds(&g_array_index(rows, MsTimingRow, i), timing))
      return &g_array_index(rows, MsTimingRow, i);
  return NULL;
}

static void
add_launch(MsTimingRow *row, const MsTimingRow *launch)
{
  row->launches++;
  row->queued_ms += launch->queued_ms;
  row->submitted_ms += launch->submitted_ms;
  row->run_ms += launch->run_ms;
  row->bytes += launch->bytes;
  row->gb_per_s = row->run_ms > 0 ? (double)row->bytes / (row->run_ms * 1e6) : NAN;
}

/** ms_timing_rows_collect: (transfer full) (element-type MsTimingRow): in order of their first launch. */
GArray *
ms_timing_rows_collect(MsTimingLog *log)
{
  GArray *rows = g_array_new(FALSE, TRUE, sizeof(MsTimingRow));

  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *timing = ms_timing_log_get(log, i);
    MsTimingRow launch = row_of(timing);
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

/* The table */

/* As in timing-view.ui. */
enum {
  COLUMN_TITLE,
  COLUMN_LAUNCHES,
  COLUMN_QUEUED,
  COLUMN_SUBMITTED,
  COLUMN_RUN,
  COLUMN_BYTES,
  COLUMN_RATE,
  COLUMN_SHARE,
  COLUMN_OF_A,
  COLUMN_RATIO,
};

static const MsTableColumn columns[] = {
  {N_("Stage"), COLUMN_TITLE, .expands = TRUE, .ellipsize = PANGO_ELLIPSIZE_END, .chars = 22},
  {N_("Launches"), COLUMN_LAUNCHES, .is_number = TRUE},
  {N_("Queued (ms)"), COLUMN_QUEUED, .is_number = TRUE},
  {N_("Submitted (ms)"), COLUMN_SUBMITTED, .is_number = TRUE},
  {N_("Run (ms)"), COLUMN_RUN, .is_number = TRUE},
  {N_("Run of A (ms)"), COLUMN_OF_A, .is_number = TRUE},
  {N_("B to A"), COLUMN_RATIO, .is_number = TRUE},
  {N_("Bytes"), COLUMN_BYTES, .is_number = TRUE},
  {N_("GB/s"), COLUMN_RATE, .is_number = TRUE},
  {N_("Of peak"), COLUMN_SHARE, .is_number = TRUE},
};

static void
ms_timing_view_dispose(GObject *object)
{
  MsTimingView *self = MS_TIMING_VIEW(object);

  if (self->measuring)
    g_cancellable_cancel(self->measuring);
  g_clear_object(&self->measuring);
  g_clear_pointer(&self->peak_device, ms_device_unref);
  g_clear_pointer(&self->peak_problem, g_free);
  G_OBJECT_CLASS(ms_timing_view_parent_class)->dispose(object);
}

/* @peak: of the device in GB/s, 0 if unknown */
static void
append_row(MsTimingView *self, const MsTimingRow *row, const char *title, double peak, GtkTreeIter *parent,
           GtkTreeIter *iter)
{
  g_autofree char *launches = g_strdup_printf("%u", row->launches);
  g_autofree char *queued = ms_format_cell_ms(row->queued_ms);
  g_autofree char *submitted = ms_format_cell_ms(row->submitted_ms);
  g_autofree char *run = ms_format_cell_ms(row->run_ms);
  g_autofree char *bytes = ms_format_bytes(row->bytes);
  g_autofree char *rate = ms_format_rate(row->gb_per_s);
  g_autofree char *share =
    ms_format_share(peak > 0 && ms_timing_row_moves_device_memory(row) ? row->gb_per_s / peak : 0);

  gtk_tree_store_insert_with_values(self->store, iter, parent, -1, COLUMN_TITLE, title, COLUMN_LAUNCHES,
                                    parent ? "" : launches, COLUMN_QUEUED, queued, COLUMN_SUBMITTED, submitted,
                                    COLUMN_RUN, run, COLUMN_BYTES, bytes, COLUMN_RATE, rate, COLUMN_SHARE, share, -1);
}

static void
append_launches(MsTimingView *self, MsTimingLog *log, const MsTimingRow *row, double peak, GtkTreeIter *parent)
{
  guint number = 0;

  for (guint i = row->first; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *timing = ms_timing_log_get(log, i);
    if (!holds(row, timing))
      continue;
    MsTimingRow launch = row_of(timing);
    g_autofree char *title = g_strdup_printf(_("Launch %u"), ++number);
    GtkTreeIter iter;
    append_row(self, &launch, title, peak, parent, &iter);
  }
}

static void
show_build(MsTimingView *self, MsTimingLog *log)
{
  double ms = ms_timing_log_total_ms(log, MS_STAGE_BUILD);
  g_autofree char *time = ms_format_ms(ms);
  g_autofree char *text = ms > 0 ? g_strdup_printf(_("Building the kernels took %s, apart from the run."), time)
                                 : g_strdup(_("No kernels were built; they were ready from an earlier run."));

  g_autofree char *whole =
    ms_timing_log_has_wall_clock(log)
      ? g_strdup_printf("%s %s", text, _("Times by the wall clock: this driver's events give none."))
      : g_strdup(text);
  gtk_label_set_text(self->build, whole);
}

/* Side A */

/* Colour and hatch of a stage; kernels follow the transfers in the order of their first launch in either run. */
static guint
style_of(const MsTimingRow *row, GPtrArray *kernels)
{
  guint index = 0;

  if (row->stage != MS_STAGE_KERNEL)
    return row->stage == MS_STAGE_UPLOAD ? 0 : 1;
  if (!g_ptr_array_find(kernels, row->name, &index)) {
    index = kernels->len;
    g_ptr_array_add(kernels, (gpointer)row->name);
  }
  return 2 + index;
}

static const MsTimingRow *
same_row(GArray *rows, const MsTimingRow *row)
{
  for (guint i = 0; i < rows->len; i++) {
    const MsTimingRow *other = &g_array_index(rows, MsTimingRow, i);
    if (other->stage == row->stage && g_strcmp0(other->name, row->name) == 0)
      return other;
  }
  return NULL;
}

/* Puts the time of side A beside that of B. @row: (nullable): of side A; @time_of_b: 0 where B has no such stage */
static void
set_other(MsTimingView *self, GtkTreeIter *iter, const MsTimingRow *row, double time_of_b)
{
  g_autofree char *time = row ? ms_format_cell_ms(row->run_ms) : g_strdup(MS_NO_NUMBER);
  g_autofree char *ratio =
    row && row->run_ms > 0 && time_of_b > 0 ? ms_format_ratio(time_of_b / row->run_ms) : g_strdup(MS_NO_NUMBER);

  gtk_tree_store_set(self->store, iter, COLUMN_OF_A, time, COLUMN_RATIO, ratio, -1);
}

/* The short form leaves out the word "Kernel", for which it has no room. */
static void
add_to_bar(MsTimingView *self, MsStageSide side, const MsTimingRow *row, GPtrArray *kernels)
{
  const gboolean is_short = ms_panel_is_compact(MS_PANEL(self)) && row->stage == MS_STAGE_KERNEL && row->name;
  g_autofree char *title = is_short ? g_strdup(row->name) : ms_timing_row_title(row);

  if (row->stage != MS_STAGE_BUILD)
    ms_stage_bar_add(self->bar, side, title, style_of(row, kernels), row->run_ms);
}

/* Adds the bar of side A, and the rows of stages that only it has. @rows: of side B */
static void
show_other(MsTimingView *self, GArray *rows, GArray *others, GPtrArray *kernels)
{
  for (guint i = 0; i < others->len; i++) {
    const MsTimingRow *other = &g_array_index(others, MsTimingRow, i);
    g_autofree char *title = ms_timing_row_title(other);
    GtkTreeIter iter;
    if (other->stage == MS_STAGE_BUILD)
      continue;
    add_to_bar(self, MS_STAGE_SIDE_A, other, kernels);
    if (same_row(rows, other))
      continue;
    gtk_tree_store_insert_with_values(self->store, &iter, NULL, -1, COLUMN_TITLE, title, -1);
    set_other(self, &iter, other, 0);
  }
}

/* (transfer full) (nullable): the kernel that explains most of the difference of @change_ms, with both times */
static char *
largest_change(GArray *rows, GArray *others, double change_ms)
{
  const MsTimingRow *most = NULL, *before = NULL;

  for (guint i = 0; i < rows->len; i++) {
    const MsTimingRow *row = &g_array_index(rows, MsTimingRow, i), *other = same_row(others, row);
    if (row->stage == MS_STAGE_KERNEL && other && isfinite(row->run_ms - other->run_ms) &&
        (!most || fabs(row->run_ms - other->run_ms) > fabs(most->run_ms - before->run_ms))) {
      most = row;
      before = other;
    }
  }
  if (!most || fabs(most->run_ms - before->run_ms) < fabs(change_ms) / 2)
    return NULL;
  g_autofree char *from = ms_format_ms(before->run_ms), *to = ms_format_ms(most->run_ms);
  return g_strdup_printf("%s %s → %s", most->name, from, to);
}

/* (transfer full): whether B is slower or faster than A, by how much and how certainly, and in which stage most */
static char *
comparison_words(MsRun *a, MsRun *b, GArray *rows, GArray *others)
{
  const MsRunRatio ratio = ms_run_compare(b, a);
  const gboolean slower = ratio.ratio >= 1;

  if (!isfinite(ratio.ratio))
    return g_strdup(_("The driver does not tell how long kernels ran."));
  const double from_ms = ms_run_get_kernel_ms(a), to_ms = ms_run_get_kernel_ms(b);
  g_autofree char *stage = largest_change(rows, others, to_ms - from_ms);
  g_autofree char *from = ms_format_ms(from_ms), *to = ms_format_ms(to_ms);
  g_autofree char *where = stage ? g_steal_pointer(&stage) : g_strdup_printf("%s → %s", from, to);
  g_autofree char *times = ms_format_ratio(slower ? ratio.ratio : 1 / ratio.ratio);
  g_autofree char *low = ms_format_ratio(slower ? ratio.low : 1 / ratio.high);
  g_autofree char *high = ms_format_ratio(slower ? ratio.high : 1 / ratio.low);
  g_autofree char *interval = ratio.is_repeated ? g_strdup_printf("%s – %s", low, high) : g_strdup(_("one run each"));

  if (ratio.is_repeated && ratio.low <= 1 && ratio.high >= 1)
    return g_strdup_printf(_("A and B take the same time, as far as can be told: %s"), where);
  return g_strdup_printf(slower ? _("B is %s slower (%s): %s") : _("B is %s faster (%s): %s"), times, interval, where);
}

/*
 * @log: (nullable): with resolved timestamps; @others: (nullable): the rows of side A; @heading: describes the run;
 * @peak_gb_per_s: the device's measured bandwidth, 0 if unknown
 */
static void
show_log(MsTimingView *self, MsTimingLog *log, GArray *others, const char *heading, double peak_gb_per_s)
{
  g_autoptr(GPtrArray) kernels = g_ptr_array_new();

  gtk_tree_store_clear(self->store);
  ms_stage_bar_clear(self->bar, others != NULL);
  for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
    if (columns[i].text == COLUMN_OF_A || columns[i].text == COLUMN_RATIO)
      gtk_tree_view_column_set_visible(gtk_tree_view_get_column(self->tree, (int)i), others != NULL);
  gtk_stack_set_visible_child_name(self->stack, log ? "rows" : "empty");
  if (!log)
    return;

  g_autoptr(GArray) rows = ms_timing_rows_collect(log);
  gtk_label_set_text(self->heading, heading);
  show_build(self, log);
  for (guint i = 0; i < rows->len; i++) {
    const MsTimingRow *row = &g_array_index(rows, MsTimingRow, i);
    g_autofree char *title = ms_timing_row_title(row);
    GtkTreeIter iter;
    append_row(self, row, title, peak_gb_per_s, NULL, &iter);
    if (others)
      set_other(self, &iter, same_row(others, row), row->run_ms);
    if (row->launches > 1)
      append_launches(self, log, row, peak_gb_per_s, &iter);
    add_to_bar(self, MS_STAGE_SIDE_B, row, kernels);
  }
  if (others)
    show_other(self, rows, others, kernels);
}

/* @device: (nullable): of the run that is shown */
static void
show_peak(MsTimingView *self, MsDevice *device)
{
  const gboolean asked = device && device == self->peak_device;
  const char *unknown = !asked               ? _("The peak of the device has not been measured.")
                        : self->peak_problem ? self->peak_problem
                                             : _("The peak of the device is being measured.");
  g_autofree char *text = asked && self->peak > 0
                            ? g_strdup_printf(_("Measured peak of the device: %.1f GB/s."), self->peak)
                            : g_strdup(unknown);

  gtk_label_set_text(self->peak_label, text);
}

static void
on_peak_measured(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsTimingView) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsAnswer) answer = ms_window_engine_ask_finish(MS_WINDOW_ENGINE(source), result, &error);

  if (answer) {
    g_variant_get_child(answer->content, 1, "d", &self->peak);
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_free(self->peak_problem);
    self->peak_problem = ms_words_of_window(error->message);
  }
  ms_panel_invalidate(MS_PANEL(self));
}

/*
 * Kernels both read and write, so their rate is compared with the copy bandwidth, which is measured once and cached on
 * disk.
 */
static void
want_peak(MsTimingView *self, MsWindowEngine *engine)
{
  MsDevice *device = ms_window_engine_get_device(engine);

  if (!device || device == self->peak_device)
    return;
  if (self->measuring)
    g_cancellable_cancel(self->measuring);
  g_clear_object(&self->measuring);
  self->measuring = g_cancellable_new();
  g_clear_pointer(&self->peak_device, ms_device_unref);
  self->peak_device = ms_device_ref(device);
  self->peak = 0;
  g_clear_pointer(&self->peak_problem, g_free);
  ms_window_engine_ask_async(engine, ms_window_request_new(MS_REQUEST_BANDWIDTH, g_variant_new("()")), self->measuring,
                             on_peak_measured, g_object_ref(self));
}

static char *
run_heading(MsRun *run)
{
  g_autofree char *kernel = ms_format_ms(ms_run_get_kernel_ms(run));
  gboolean device = ms_run_get_device(run) != NULL;

  return g_strdup_printf(_("%s on %s, %d × %d: %s %s"), ms_run_get_label(run), ms_run_get_device_name(run),
                         ms_run_get_width(run), ms_run_get_height(run), device ? _("kernels") : _("took"), kernel);
}

/* (transfer full): what the heading says of @run, compared with @other (nullable) */
static char *
heading_of(MsRun *run, MsRun *other, GArray *others)
{
  if (!other)
    return run_heading(run);
  g_autoptr(GArray) rows = ms_timing_rows_collect(ms_run_get_log(run));
  return comparison_words(other, run, rows, others);
}

static void
ms_timing_view_refresh(MsPanel *panel)
{
  MsTimingView *self = MS_TIMING_VIEW(panel);
  MsDocument *document = ms_panel_get_document(panel);
  MsRun *run = document ? ms_document_get_shown_run(document) : NULL, *a = run ? ms_document_get_run_a(document) : NULL;

  if (!run) {
    show_log(self, NULL, NULL, NULL, 0);
    return;
  }
  MsRun *other = a != run ? a : NULL;
  MsDevice *device = ms_run_get_device(run);
  g_autoptr(GArray) others = other ? ms_timing_rows_collect(ms_run_get_log(other)) : NULL;
  g_autofree char *heading = heading_of(run, other, others);
  g_autofree char *about = ms_run_describe(run), *about_other = other ? ms_run_describe(other) : NULL;
  g_autofree char *tip = other ? g_strdup_printf("B: %s\n\nA: %s", about, about_other) : NULL;

  show_log(self, ms_run_get_log(run), others, heading, device == self->peak_device ? self->peak : 0);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->heading), tip ? tip : about);
  want_peak(self, ms_document_get_engine(document));
  show_peak(self, device);
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsTimingView, name)

static void
ms_timing_view_class_init(MsTimingViewClass *klass)
{
  static const char *const follows[] = {"notify::shown-run", "notify::run-a", NULL};
  static const MsTemplatePart parts[] = {CHILD(heading), CHILD(build), CHILD(peak_label), CHILD(bar),
                                         CHILD(store),   CHILD(tree),  CHILD(stack),      CHILD(table_buttons)};

  G_OBJECT_CLASS(klass)->dispose = ms_timing_view_dispose;
  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->refresh = ms_timing_view_refresh;
  g_type_ensure(MS_TYPE_STAGE_BAR);
  ms_template_bind(klass, "panels/timing/timing-view.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_timing_view_init(MsTimingView *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  ms_table_add_columns(self->tree, columns, G_N_ELEMENTS(columns));
  ms_table_add_buttons(self->tree, self->table_buttons);
}
