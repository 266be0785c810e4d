/* SPDX-License-Identifier: MIT */
#include "ui/panels/timing/timing-view.h"

#include <glib/gi18n-lib.h>

#include "ui/common/format.h"
#include "ui/document/document.h"
#include "ui/common/template.h"
#include "ui/panels/common/drawn.h"
#include "ui/panels/common/table.h"

/* The bar */

#define BAR_HEIGHT 28
#define KEY_SIZE 12
#define GAP 6

typedef struct {
  char *label;
  double ms;
} Part;

struct _MsStageBar {
  GtkDrawingArea parent_instance;
  GArray *parts; /* Part */
};

G_DEFINE_FINAL_TYPE(MsStageBar, ms_stage_bar, GTK_TYPE_DRAWING_AREA)

static void
clear_part(gpointer data)
{
  g_free(((Part *)data)->label);
}

static void
ms_stage_bar_finalize(GObject *object)
{
  g_array_unref(MS_STAGE_BAR(object)->parts);
  G_OBJECT_CLASS(ms_stage_bar_parent_class)->finalize(object);
}

double
ms_stage_bar_get_total_ms(MsStageBar *self)
{
  double total = 0;

  for (guint i = 0; i < self->parts->len; i++)
    total += g_array_index(self->parts, Part, i).ms;
  return total;
}

static char *
part_text(MsStageBar *self, const Part *part)
{
  g_autofree char *time = ms_format_ms(part->ms);

  double percent = 100 * part->ms / ms_stage_bar_get_total_ms(self);

  return percent < 1 ? g_strdup_printf(_("%s: %s, < 1 %%"), part->label, time)
                     : g_strdup_printf("%s: %s, %.0f %%", part->label, time, percent);
}

static void
draw_part(GtkWidget *widget, cairo_t *cr, const MsChartPaint *paint, guint style, const GdkRectangle *area)
{
  cairo_rectangle(cr, area->x, area->y, MAX(area->width - 1, 1), area->height);
  ms_chart_fill_hatched(cr, paint, (MsChartStyle){style, FALSE});
}

static void
draw_bar(MsStageBar *self, cairo_t *cr, const MsChartPaint *paint, int width)
{
  double total = ms_stage_bar_get_total_ms(self), before = 0;

  for (guint i = 0; i < self->parts->len; i++) {
    double ms = g_array_index(self->parts, Part, i).ms;
    int left = (int)(before / total * width), right = (int)((before + ms) / total * width);
    draw_part(GTK_WIDGET(self), cr, paint, i, &(GdkRectangle){left, 0, right - left, BAR_HEIGHT});
    before += ms;
  }
}

/* Lays out the legend in rows, draws it if @cr is given, and returns its height. */
static int
lay_legend(MsStageBar *self, cairo_t *cr, const MsChartPaint *paint, int width)
{
  int x = 0, y = BAR_HEIGHT + GAP, row = 0;

  for (guint i = 0; i < self->parts->len; i++) {
    g_autofree char *text = part_text(self, &g_array_index(self->parts, Part, i));
    int text_width, text_height;
    ms_drawn_text_size(GTK_WIDGET(self), text, &text_width, &text_height);
    int item = MIN(KEY_SIZE + GAP + text_width, width);
    if (x > 0 && x + item > width) {
      x = 0;
      y += row + GAP;
    }
    if (cr) {
      GdkRectangle key = {x, y + (text_height - KEY_SIZE) / 2, KEY_SIZE + 1, KEY_SIZE};
      draw_part(GTK_WIDGET(self), cr, paint, i, &key);
      ms_chart_set_colour(cr, paint->text);
      cairo_move_to(cr, x + KEY_SIZE + GAP, y);
      ms_drawn_show_text(GTK_WIDGET(self), cr, width - KEY_SIZE - GAP, text);
    }
    row = text_height;
    x += item + 3 * GAP;
  }
  return y + row;
}

static gboolean
ms_stage_bar_draw(GtkWidget *widget, cairo_t *cr)
{
  MsStageBar *self = MS_STAGE_BAR(widget);
  const MsChartPaint *paint = ms_chart_paint(ms_drawn_theme(widget));
  int width = gtk_widget_get_allocated_width(widget);

  if (ms_stage_bar_get_total_ms(self) <= 0)
    return GDK_EVENT_PROPAGATE;
  draw_bar(self, cr, paint, width);
  lay_legend(self, cr, paint, width);
  return GDK_EVENT_PROPAGATE;
}

static GtkSizeRequestMode
ms_stage_bar_get_request_mode(GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
ms_stage_bar_get_preferred_height_for_width(GtkWidget *widget, int width, int *minimum, int *natural)
{
  MsStageBar *self = MS_STAGE_BAR(widget);

  *minimum = *natural = self->parts->len > 0 ? lay_legend(self, NULL, NULL, width) : BAR_HEIGHT;
}

static void
ms_stage_bar_get_preferred_height(GtkWidget *widget, int *minimum, int *natural)
{
  ms_stage_bar_get_preferred_height_for_width(widget, MAX(gtk_widget_get_allocated_width(widget), 320), minimum,
                                              natural);
}

static void
ms_stage_bar_get_preferred_width(GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = 160;
  *natural = 480;
}

static gboolean
ms_stage_bar_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  MsStageBar *self = MS_STAGE_BAR(widget);
  double at = (double)x / MAX(gtk_widget_get_allocated_width(widget), 1) * ms_stage_bar_get_total_ms(self);

  if (by_keyboard || y > BAR_HEIGHT)
    return FALSE;
  for (guint i = 0; i < self->parts->len; i++) {
    const Part *part = &g_array_index(self->parts, Part, i);
    if (at <= part->ms) {
      g_autofree char *text = part_text(self, part);
      gtk_tooltip_set_text(tooltip, text);
      return TRUE;
    }
    at -= part->ms;
  }
  return FALSE;
}

static void
ms_stage_bar_class_init(MsStageBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_stage_bar_finalize;
  widget_class->draw = ms_stage_bar_draw;
  widget_class->get_request_mode = ms_stage_bar_get_request_mode;
  widget_class->get_preferred_height = ms_stage_bar_get_preferred_height;
  widget_class->get_preferred_height_for_width = ms_stage_bar_get_preferred_height_for_width;
  widget_class->get_preferred_width = ms_stage_bar_get_preferred_width;
  widget_class->query_tooltip = ms_stage_bar_query_tooltip;
  ms_drawn_class_init(widget_class);
}

static void
update_words(MsStageBar *self)
{
  g_autoptr(GString) words = g_string_new(NULL);
  g_autofree char *total = ms_format_ms(ms_stage_bar_get_total_ms(self));

  for (guint i = 0; i < self->parts->len; i++) {
    g_autofree char *text = part_text(self, &g_array_index(self->parts, Part, i));
    g_string_append_printf(words, "%s%s", i ? "; " : "", text);
  }
  ms_drawn_describe(GTK_WIDGET(self), ATK_ROLE_CHART, _("Parts of the run"), words->str);
  ms_drawn_set_value(GTK_WIDGET(self), ms_stage_bar_get_total_ms(self), total);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

static void
ms_stage_bar_init(MsStageBar *self)
{
  self->parts = g_array_new(FALSE, TRUE, sizeof(Part));
  g_array_set_clear_func(self->parts, clear_part);
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  update_words(self);
}

void
ms_stage_bar_clear(MsStageBar *self)
{
  g_array_set_size(self->parts, 0);
  update_words(self);
}

/** ms_stage_bar_add: appends a part at the right; a part of zero time is ignored. */
void
ms_stage_bar_add(MsStageBar *self, const char *label, double ms)
{
  Part part = {g_strdup(label), ms};

  if (ms > 0)
    g_array_append_val(self->parts, part);
  else
    clear_part(&part);
  update_words(self);
}

/* The view */

struct _MsTimingView {
  MsPanel parent_instance;
  GtkLabel *heading;
  GtkLabel *build;
  GtkLabel *peak_label;
  MsStageBar *bar;
  GtkTreeStore *store;
  GtkStack *stack;
  MsDevice *peak_device; /* (nullable): the device whose peak was measured or is being measured */
  double peak;           /* GB/s, 0 while unknown */
  GCancellable *measuring;
};

G_DEFINE_FINAL_TYPE(MsTimingView, ms_timing_view, MS_TYPE_PANEL)

/* The rows */

/* Some drivers report timestamps that go backwards; a negative wait counts as zero. */
static double
phase_ms(guint64 from, guint64 to)
{
  return to > from ? (to - from) * 1e-6 : 0.0;
}

/* A row for a single launch. */
static MsTimingRow
row_of(const MsTiming *timing)
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
};

static void
ms_timing_view_dispose(GObject *object)
{
  MsTimingView *self = MS_TIMING_VIEW(object);

  if (self->measuring)
    g_cancellable_cancel(self->measuring);
  g_clear_object(&self->measuring);
  g_clear_object(&self->peak_device);
  G_OBJECT_CLASS(ms_timing_view_parent_class)->dispose(object);
}

/* @peak: of the device in GB/s, 0 if unknown */
static void
append_row(MsTimingView *self, const MsTimingRow *row, const char *title, double peak, GtkTreeIter *parent,
           GtkTreeIter *iter)
{
  gboolean event = row->stage >= MS_STAGE_UPLOAD && row->stage <= MS_STAGE_DOWNLOAD;
  g_autofree char *launches = g_strdup_printf("%u", row->launches);
  g_autofree char *queued = event ? ms_format_cell_ms(row->queued_ms) : g_strdup(MS_NO_NUMBER);
  g_autofree char *submitted = event ? ms_format_cell_ms(row->submitted_ms) : g_strdup(MS_NO_NUMBER);
  g_autofree char *run = row->invalid == row->launches ? g_strdup("rejected") : ms_format_cell_ms(row->run_ms);
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

  gtk_label_set_text(self->build, text);
}

/*
 * @log: (nullable): with resolved timestamps; @heading: describes the run; @peak_gb_per_s: the device's measured
 * bandwidth, 0 if unknown.
 */
static void
show_log(MsTimingView *self, MsTimingLog *log, const char *heading, double peak_gb_per_s)
{
  gtk_tree_store_clear(self->store);
  ms_stage_bar_clear(self->bar);
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
    if (row->launches > 1)
      append_launches(self, log, row, peak_gb_per_s, &iter);
    if (row->stage != MS_STAGE_BUILD)
      ms_stage_bar_add(self->bar, title, row->run_ms);
  }
  g_autofree char *peak = peak_gb_per_s > 0
                            ? g_strdup_printf(_("Measured peak of the device: %.1f GB/s."), peak_gb_per_s)
                            : g_strdup(_("The peak of the device has not been measured."));
  gtk_label_set_text(self->peak_label, peak);
}

static void
on_peak_measured(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsTimingView) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsAnswer) answer = ms_window_engine_call_finish(MS_WINDOW_ENGINE(source), result, &error);

  if (answer) {
    g_variant_get_child(answer->content, 1, "d", &self->peak);
    ms_panel_invalidate(MS_PANEL(self));
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    gtk_label_set_text(self->peak_label, error->message);
  }
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
  g_set_object(&self->peak_device, device);
  self->peak = 0;
  const MsWindowEngineCall call = {
    .kind = MS_REQUEST_BANDWIDTH, .answer = MS_ANSWER_BANDWIDTH, .content = g_variant_new("()")};
  ms_window_engine_call_async(engine, &call, self->measuring, on_peak_measured, g_object_ref(self));
}

static char *
run_heading(MsRun *run)
{
  g_autofree char *kernel = ms_format_ms(ms_run_get_kernel_ms(run));
  gboolean device = ms_run_get_device(run) != NULL;

  return g_strdup_printf(_("%s on %s, %d × %d: %s %s"), ms_run_get_label(run), ms_run_get_device_name(run),
                         ms_run_get_width(run), ms_run_get_height(run), device ? _("kernels") : _("took"), kernel);
}

static void
ms_timing_view_refresh(MsPanel *panel)
{
  MsTimingView *self = MS_TIMING_VIEW(panel);
  MsDocument *document = ms_panel_get_document(panel);
  MsRun *run = document ? ms_document_get_current_run(document) : NULL;

  if (!run) {
    show_log(self, NULL, NULL, 0);
    return;
  }
  g_autofree char *heading = run_heading(run);
  MsDevice *device = ms_run_get_device(run);
  g_autofree char *about = ms_run_describe(run);
  show_log(self, ms_run_get_log(run), heading, device == self->peak_device ? self->peak : 0);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->heading), about);
  want_peak(self, ms_document_get_engine(document));
}

static void
ms_timing_view_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_follow(panel, document, "notify::current-run");
  ms_panel_follow(panel, ms_document_get_engine(document), "changed");
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsTimingView, name)

static void
ms_timing_view_class_init(MsTimingViewClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(heading),
                                         CHILD(build),
                                         CHILD(peak_label),
                                         CHILD(bar),
                                         CHILD(store),
                                         CHILD(stack),
                                         MS_TEMPLATE_CALLBACK(ms_table_copy),
                                         MS_TEMPLATE_CALLBACK(ms_table_export)};

  G_OBJECT_CLASS(klass)->dispose = ms_timing_view_dispose;
  MS_PANEL_CLASS(klass)->attach = ms_timing_view_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_timing_view_refresh;
  g_type_ensure(MS_TYPE_STAGE_BAR);
  ms_template_bind(klass, "panels/timing/timing-view.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_timing_view_init(MsTimingView *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
