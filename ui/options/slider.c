/* SPDX-License-Identifier: MIT */
#include "ui/options/slider.h"

#include <gtk/gtk-a11y.h>
#include <math.h>

struct _MsSlider {
  GtkScale parent_instance;
  const MsOptionInfo *option;
};

G_DEFINE_FINAL_TYPE(MsSlider, ms_slider, GTK_TYPE_SCALE)

/* Positions and numbers */

/* Ranges with more steps than this get a logarithmic slider. */
#define LINEAR_STEPS 2000

/* Ranges with more steps than this, such as the colour radius, give most of the travel to small values. */
#define CURVED_STEPS 120
#define CURVE 4.0

static gboolean
is_logarithmic(const MsOptionInfo *option)
{
  return (option->maximum - option->minimum) / option->step > LINEAR_STEPS;
}

static gboolean
is_curved(const MsOptionInfo *option)
{
  return !is_logarithmic(option) && (option->maximum - option->minimum) / option->step > CURVED_STEPS;
}

static double
to_position(const MsOptionInfo *option, double value)
{
  if (is_logarithmic(option))
    return log10(1 + value - option->minimum);
  return is_curved(option) ? pow((value - option->minimum) / (option->maximum - option->minimum), 1 / CURVE) : value;
}

static double
from_position(const MsOptionInfo *option, double position)
{
  double value = position;

  if (is_logarithmic(option))
    value = pow(10, position) - 1 + option->minimum;
  else if (is_curved(option))
    value = option->minimum + pow(position, CURVE) * (option->maximum - option->minimum);
  return CLAMP(rint(value), option->minimum, option->maximum);
}

static double
step_of(const MsOptionInfo *option)
{
  return is_logarithmic(option) ? 0.05 : is_curved(option) ? 0.005 : option->step;
}

static double
get_number(MsSlider *self)
{
  return from_position(self->option, gtk_range_get_value(GTK_RANGE(self)));
}

/* A number that differs by rounding only does not move the slider, which may be under the pointer. */
static void
set_number(MsSlider *self, double number)
{
  if (get_number(self) != number)
    gtk_range_set_value(GTK_RANGE(self), to_position(self->option, number));
}

/* What assistive technology reads and sets: the number */

typedef struct {
  GtkScaleAccessible parent_instance;
} MsSliderAccessible;

typedef struct {
  GtkScaleAccessibleClass parent_class;
} MsSliderAccessibleClass;

static MsSlider *
slider_of(AtkValue *accessible)
{
  return (MsSlider *)gtk_accessible_get_widget(GTK_ACCESSIBLE(accessible));
}

static void
get_value_and_text(AtkValue *accessible, double *value, char **text)
{
  MsSlider *self = slider_of(accessible);
  const double number = self ? get_number(self) : 0;

  *value = number;
  if (text)
    *text = g_strdup_printf("%g", number);
}

static void
get_current_value(AtkValue *accessible, GValue *value)
{
  g_value_init(value, G_TYPE_DOUBLE);
  g_value_set_double(value, slider_of(accessible) ? get_number(slider_of(accessible)) : 0);
}

static AtkRange *
get_range(AtkValue *accessible)
{
  const MsSlider *self = slider_of(accessible);

  return self ? atk_range_new(self->option->minimum, self->option->maximum, NULL) : NULL;
}

static void
set_value(AtkValue *accessible, double value)
{
  if (slider_of(accessible))
    set_number(slider_of(accessible), value);
}

static void
value_interface_init(AtkValueIface *iface)
{
  iface->get_value_and_text = get_value_and_text;
  iface->get_current_value = get_current_value;
  iface->get_range = get_range;
  iface->set_value = set_value;
}

static GType ms_slider_accessible_get_type(void);

G_DEFINE_TYPE_WITH_CODE(MsSliderAccessible, ms_slider_accessible, GTK_TYPE_SCALE_ACCESSIBLE,
                        G_IMPLEMENT_INTERFACE(ATK_TYPE_VALUE, value_interface_init))

static void
ms_slider_accessible_class_init(MsSliderAccessibleClass *klass)
{
}

static void
ms_slider_accessible_init(MsSliderAccessible *self)
{
}

/* The widget */

/* The wheel scrolls the panel unless the control has the focus, so that scrolling changes no setting by accident. */
static gboolean
ms_slider_scroll(GtkWidget *widget, GdkEventScroll *event)
{
  if (!gtk_widget_has_focus(widget))
    return GDK_EVENT_PROPAGATE;
  return GTK_WIDGET_CLASS(ms_slider_parent_class)->scroll_event(widget, event);
}

static void
ms_slider_value_changed(GtkRange *range)
{
  g_object_notify(G_OBJECT(range), "number");
}

static void
ms_slider_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_double(value, get_number(MS_SLIDER(object)));
}

static void
ms_slider_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  set_number(MS_SLIDER(object), g_value_get_double(value));
}

static void
ms_slider_class_init(MsSliderClass *klass)
{
  G_OBJECT_CLASS(klass)->get_property = ms_slider_get_property;
  G_OBJECT_CLASS(klass)->set_property = ms_slider_set_property;
  g_object_class_install_property(
    G_OBJECT_CLASS(klass), 1,
    g_param_spec_double("number", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0,
                        G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS));
  GTK_RANGE_CLASS(klass)->value_changed = ms_slider_value_changed;
  GTK_WIDGET_CLASS(klass)->scroll_event = ms_slider_scroll;
  gtk_widget_class_set_accessible_type(GTK_WIDGET_CLASS(klass), ms_slider_accessible_get_type());
}

static void
ms_slider_init(MsSlider *self)
{
  gtk_scale_set_draw_value(GTK_SCALE(self), FALSE);
}

/** ms_slider_new: (transfer floating): a slider over the range of @option, a number. */
GtkWidget *
ms_slider_new(const MsOptionInfo *option)
{
  const double low = to_position(option, option->minimum), high = to_position(option, option->maximum);
  MsSlider *self = g_object_new(MS_TYPE_SLIDER, NULL);

  self->option = option;
  gtk_range_set_adjustment(GTK_RANGE(self), gtk_adjustment_new(low, low, high, step_of(option), (high - low) / 20, 0));
  return GTK_WIDGET(self);
}
