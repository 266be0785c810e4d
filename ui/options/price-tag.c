/* SPDX-License-Identifier: MIT */
#include "ui/options/price-tag.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/drawn.h"
#include "ui/common/format.h"

#define BAR 3
#define LEAST_WIDTH 24

/* Opacity of a number that may as well be 1, and of one that is not known. */
#define UNCERTAIN 0.55

struct _MsPriceTag {
  GtkDrawingArea parent_instance;
  char *name;
  char *text;
  double share; /* of the width that the bar takes, 0 for none */
  gboolean is_refused;
  gboolean is_certain;
  gboolean is_faster;
  gboolean is_present;
};

G_DEFINE_FINAL_TYPE(MsPriceTag, ms_price_tag, GTK_TYPE_DRAWING_AREA)

/* What stands in the tag */

/* One time of each run tells no more than that a large ratio is not 1. */
#define LARGE 1.5

/* Whether the number differs from 1 as far as can be told. */
static gboolean
is_certain(MsRun *run, MsRun *present)
{
  const MsRunRatio ratio = ms_run_compare(run, present);

  if (run == present)
    return TRUE;
  return ratio.is_repeated ? ratio.low > 1 || ratio.high < 1 : ratio.ratio > LARGE || ratio.ratio < 1 / LARGE;
}

/** ms_price_text: (transfer full): "7.1×", empty where it is not known, "✗" where the value cannot run */
char *
ms_price_text(const MsFlip *flip, MsRun *present)
{
  if (flip->refusal)
    return g_strdup("✗");
  const double ratio = flip->run && present ? ms_run_compare(flip->run, present).ratio : NAN;
  if (!isfinite(ratio))
    return g_strdup("");
  return g_strdup_printf(ratio >= 9.95 ? "%.0f×" : ratio >= 0.095 ? "%.1f×" : "%.2f×", ratio);
}

/* (transfer full): the same for a tooltip and for assistive technology */
static char *
words_of(const MsFlip *flip, MsRun *present)
{
  if (flip->refusal)
    return g_strdup(flip->refusal);
  if (!flip->run || !present)
    return g_strdup(_("Not measured yet beside the present settings."));
  const MsRunRatio ratio = ms_run_compare(flip->run, present);
  if (!isfinite(ratio.ratio))
    return g_strdup(_("The driver does not tell how long kernels ran."));
  g_autofree char *times = ms_format_ratio(ratio.ratio), *time = ms_format_ms(ms_run_get_kernel_ms(flip->run));
  g_autofree char *low = ms_format_ratio(ratio.low), *high = ms_format_ratio(ratio.high);
  if (flip->run == present)
    return g_strdup_printf(_("The present settings take %s."), time);
  if (!ratio.is_repeated)
    return g_strdup_printf(_("%s the time of the present settings: %s, one run"), times, time);
  return g_strdup_printf(ratio.low <= 1 && ratio.high >= 1
                           ? _("%s the time of the present settings: %s, between %s and %s, so perhaps the same")
                           : _("%s the time of the present settings: %s, between %s and %s"),
                         times, time, low, high);
}

/* Drawing */

static void
draw_bar(MsPriceTag *self, cairo_t *cr, const MsChartPaint *paint, int width)
{
  const guint32 colour = self->is_present ? paint->faint_text : paint->series[self->is_faster ? 2 : 1];

  cairo_set_source_rgba(cr, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0,
                        self->is_certain ? 1 : UNCERTAIN);
  cairo_rectangle(cr, 2, 1, MAX(self->share * (width - 4), 2), BAR);
  cairo_fill(cr);
}

static gboolean
ms_price_tag_draw(GtkWidget *widget, cairo_t *cr)
{
  MsPriceTag *self = MS_PRICE_TAG(widget);
  const MsChartPaint *paint = ms_chart_paint(ms_drawn_theme(widget));
  const int width = gtk_widget_get_allocated_width(widget);
  int text_width, text_height;

  if (self->share > 0)
    draw_bar(self, cr, paint, width);
  ms_drawn_text_size(widget, self->text, &text_width, &text_height);
  ms_chart_set_colour(cr, self->is_certain ? paint->text : paint->faint_text);
  cairo_move_to(cr, (width - text_width) / 2, BAR + 1);
  ms_drawn_show_text(widget, cr, 0, self->text);
  return GDK_EVENT_PROPAGATE;
}

static void
ms_price_tag_get_preferred_width(GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = *natural = LEAST_WIDTH;
}

static void
ms_price_tag_get_preferred_height(GtkWidget *widget, int *minimum, int *natural)
{
  int height;

  ms_drawn_text_size(widget, "0", NULL, &height);
  *minimum = *natural = BAR + 1 + height;
}

static void
ms_price_tag_finalize(GObject *object)
{
  MsPriceTag *self = MS_PRICE_TAG(object);

  g_free(self->name);
  g_free(self->text);
  G_OBJECT_CLASS(ms_price_tag_parent_class)->finalize(object);
}

static void
ms_price_tag_class_init(MsPriceTagClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_price_tag_finalize;
  widget_class->draw = ms_price_tag_draw;
  widget_class->get_preferred_width = ms_price_tag_get_preferred_width;
  widget_class->get_preferred_height = ms_price_tag_get_preferred_height;
  ms_drawn_class_init(widget_class);
}

static void
ms_price_tag_init(MsPriceTag *self)
{
  self->text = g_strdup("");
  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(self)), "price");
}

/** ms_price_tag_new: (transfer floating): @name: of the value, for assistive technology */
GtkWidget *
ms_price_tag_new(const char *name)
{
  MsPriceTag *self = g_object_new(MS_TYPE_PRICE_TAG, NULL);

  self->name = g_strdup_printf(_("Price of %s"), name);
  ms_drawn_describe(GTK_WIDGET(self), ATK_ROLE_LEVEL_BAR, self->name, NULL);
  return GTK_WIDGET(self);
}

const char *
ms_price_tag_get_text(MsPriceTag *self)
{
  return self->text;
}

/**
 * ms_price_tag_set:
 * @present: (nullable): the run of the present settings
 * @most: the ratio whose bar fills the width
 */
void
ms_price_tag_set(MsPriceTag *self, const MsFlip *flip, MsRun *present, double most)
{
  const double found = !flip->refusal && flip->run && present ? ms_run_compare(flip->run, present).ratio : NAN;
  const gboolean is_known = isfinite(found);
  const double ratio = is_known ? found : 0;
  g_autofree char *words = words_of(flip, present);

  g_free(self->text);
  self->text = ms_price_text(flip, present);
  self->is_certain = is_known && is_certain(flip->run, present);
  self->is_faster = ratio < 1;
  self->is_present = is_known && flip->run == present;
  self->share = is_known && most > 0 ? ratio / most : 0;
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), words);
  ms_drawn_describe(GTK_WIDGET(self), ATK_ROLE_LEVEL_BAR, self->name, words);
  ms_drawn_set_value(GTK_WIDGET(self), ratio, self->text);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
