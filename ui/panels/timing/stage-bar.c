/* SPDX-License-Identifier: MIT */
#include "ui/panels/timing/stage-bar.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/format.h"
#include "ui/common/drawn.h"

#define BAR_HEIGHT 28
#define PAIR_HEIGHT 20
#define KEY_SIZE 12
#define GAP 6
#define N_SIDES 2

/* @ms: by MsStageSide */
typedef struct {
  char *label;
  guint style;
  double ms[N_SIDES];
} Part;

struct _MsStageBar {
  GtkDrawingArea parent_instance;
  GArray *parts; /* Part */
  gboolean compares;
  gboolean is_partial; /* since the time of a part is unknown */
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

static const Part *
part_at(MsStageBar *self, guint index)
{
  return &g_array_index(self->parts, Part, index);
}

double
ms_stage_bar_get_total_ms(MsStageBar *self, MsStageSide side)
{
  double total = 0;

  for (guint i = 0; i < self->parts->len; i++)
    total += part_at(self, i)->ms[side];
  return total;
}

/* The time that fills the width. */
static double
scale_ms(MsStageBar *self)
{
  return MAX(ms_stage_bar_get_total_ms(self, MS_STAGE_SIDE_A), ms_stage_bar_get_total_ms(self, MS_STAGE_SIDE_B));
}

static char *
part_text(MsStageBar *self, const Part *part)
{
  g_autofree char *time = ms_format_ms(part->ms[MS_STAGE_SIDE_B]), *other = ms_format_ms(part->ms[MS_STAGE_SIDE_A]);
  const double percent = 100 * part->ms[MS_STAGE_SIDE_B] / ms_stage_bar_get_total_ms(self, MS_STAGE_SIDE_B);

  if (self->compares)
    return g_strdup_printf("%s: %s → %s", part->label, part->ms[MS_STAGE_SIDE_A] > 0 ? other : MS_NO_NUMBER,
                           part->ms[MS_STAGE_SIDE_B] > 0 ? time : MS_NO_NUMBER);
  if (self->is_partial)
    return g_strdup_printf("%s: %s", part->label, time);
  return percent < 1 ? g_strdup_printf(_("%s: %s, < 1 %%"), part->label, time)
                     : g_strdup_printf("%s: %s, %.0f %%", part->label, time, percent);
}

static void
draw_part(cairo_t *cr, const MsChartPaint *paint, guint style, const GdkRectangle *area)
{
  cairo_rectangle(cr, area->x, area->y, MAX(area->width - 1, 1), area->height);
  ms_chart_fill_hatched(cr, paint, (MsChartStyle){style, FALSE});
}

/* Where the bar of a side lies. */
static GdkRectangle
bar_area(MsStageBar *self, MsStageSide side, int width)
{
  int letter = 0;

  if (!self->compares)
    return (GdkRectangle){0, 0, width, BAR_HEIGHT};
  ms_drawn_text_size(GTK_WIDGET(self), "B", &letter, NULL);
  return (GdkRectangle){letter + GAP, side == MS_STAGE_SIDE_A ? 0 : PAIR_HEIGHT + 2, width - letter - GAP, PAIR_HEIGHT};
}

static int
bars_height(MsStageBar *self)
{
  return self->compares ? 2 * PAIR_HEIGHT + 2 : BAR_HEIGHT;
}

static void
draw_bar(MsStageBar *self, cairo_t *cr, const MsChartPaint *paint, MsStageSide side)
{
  const GdkRectangle area = bar_area(self, side, gtk_widget_get_allocated_width(GTK_WIDGET(self)));
  double scale = scale_ms(self), before = 0;

  if (self->compares) {
    ms_chart_set_colour(cr, paint->text);
    cairo_move_to(cr, 0, area.y + 1);
    ms_drawn_show_text(GTK_WIDGET(self), cr, area.x, side == MS_STAGE_SIDE_A ? "A" : "B");
  }
  for (guint i = 0; i < self->parts->len; i++) {
    const Part *part = part_at(self, i);
    int left = (int)(before / scale * area.width), right = (int)((before + part->ms[side]) / scale * area.width);
    if (part->ms[side] > 0)
      draw_part(cr, paint, part->style, &(GdkRectangle){area.x + left, area.y, right - left, area.height});
    before += part->ms[side];
  }
}

/* Lays out the legend in rows, draws it if @cr is given, and returns its height. */
static int
lay_legend(MsStageBar *self, cairo_t *cr, const MsChartPaint *paint, int width)
{
  int x = 0, y = bars_height(self) + GAP, row = 0;

  for (guint i = 0; i < self->parts->len; i++) {
    g_autofree char *text = part_text(self, part_at(self, i));
    int text_width, text_height;
    ms_drawn_text_size(GTK_WIDGET(self), text, &text_width, &text_height);
    int item = MIN(KEY_SIZE + GAP + text_width, width);
    if (x > 0 && x + item > width) {
      x = 0;
      y += row + GAP / 2;
    }
    if (cr) {
      GdkRectangle key = {x, y + (text_height - KEY_SIZE) / 2, KEY_SIZE + 1, KEY_SIZE};
      draw_part(cr, paint, part_at(self, i)->style, &key);
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

  if (scale_ms(self) <= 0)
    return GDK_EVENT_PROPAGATE;
  if (self->compares)
    draw_bar(self, cr, paint, MS_STAGE_SIDE_A);
  draw_bar(self, cr, paint, MS_STAGE_SIDE_B);
  lay_legend(self, cr, paint, gtk_widget_get_allocated_width(widget));
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

/* (nullable): the part of @side at @x */
static const Part *
find_part(MsStageBar *self, MsStageSide side, int x)
{
  const GdkRectangle area = bar_area(self, side, gtk_widget_get_allocated_width(GTK_WIDGET(self)));
  double at = (double)(x - area.x) / MAX(area.width, 1) * scale_ms(self);

  for (guint i = 0; i < self->parts->len; i++) {
    if (at <= part_at(self, i)->ms[side])
      return part_at(self, i);
    at -= part_at(self, i)->ms[side];
  }
  return NULL;
}

static gboolean
ms_stage_bar_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  MsStageBar *self = MS_STAGE_BAR(widget);
  const MsStageSide side = self->compares && y < PAIR_HEIGHT ? MS_STAGE_SIDE_A : MS_STAGE_SIDE_B;
  const Part *part = by_keyboard || y > bars_height(self) ? NULL : find_part(self, side, x);
  g_autofree char *text = part ? part_text(self, part) : NULL;

  gtk_tooltip_set_text(tooltip, text);
  /* Below the bars, so that it covers none of them. */
  gtk_tooltip_set_tip_area(tooltip, &(GdkRectangle){x, 0, 1, bars_height(self)});
  return part != NULL;
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
  double total = ms_stage_bar_get_total_ms(self, MS_STAGE_SIDE_B);
  g_autofree char *time = ms_format_ms(self->is_partial ? NAN : total);

  for (guint i = 0; i < self->parts->len; i++) {
    g_autofree char *text = part_text(self, part_at(self, i));
    g_string_append_printf(words, "%s%s", i ? "; " : "", text);
  }
  ms_drawn_describe(GTK_WIDGET(self), ATK_ROLE_CHART, self->compares ? _("Parts of both runs") : _("Parts of the run"),
                    words->str);
  ms_drawn_set_value(GTK_WIDGET(self), total, time);
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

/** ms_stage_bar_clear: removes all parts; @compares: whether two runs will be added */
void
ms_stage_bar_clear(MsStageBar *self, gboolean compares)
{
  g_array_set_size(self->parts, 0);
  self->compares = compares;
  self->is_partial = FALSE;
  update_words(self);
}

static Part *
find_label(MsStageBar *self, const char *label)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (g_str_equal(part_at(self, i)->label, label))
      return &g_array_index(self->parts, Part, i);
  return NULL;
}

/**
 * ms_stage_bar_add: appends a part at the right, or gives the part of that name its time of the other side; a part of
 * zero time is ignored, and where that of one is unknown, which is NAN, the others have no share of the whole.
 * @style: of colour and hatch, the same for the same stage in every bar
 */
void
ms_stage_bar_add(MsStageBar *self, MsStageSide side, const char *label, guint style, double ms)
{
  Part *known = find_label(self, label);

  self->is_partial |= isnan(ms);
  if (!(ms > 0)) {
    update_words(self);
    return;
  }
  if (!known) {
    const Part part = {.label = g_strdup(label), .style = style};
    g_array_append_val(self->parts, part);
    known = &g_array_index(self->parts, Part, self->parts->len - 1);
  }
  known->ms[side] += ms;
  update_words(self);
}
