/* SPDX-License-Identifier: MIT */
#include "ui/panels/timing/stage-bar.h"

#include <glib/gi18n-lib.h>

#include "ui/panels/common/drawn.h"
#include "ui/common/format.h"
#include "ui/panels/common/drawn.h"

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
