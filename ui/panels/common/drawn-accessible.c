/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/drawn-accessible.h"

struct _MsDrawnAccessible {
  GtkWidgetAccessible parent_instance;
  double value;
  char *text;
};

static void value_interface_init(AtkValueIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE(MsDrawnAccessible, ms_drawn_accessible, GTK_TYPE_WIDGET_ACCESSIBLE,
                              G_IMPLEMENT_INTERFACE(ATK_TYPE_VALUE, value_interface_init))

static void
ms_drawn_accessible_finalize(GObject *object)
{
  g_free(MS_DRAWN_ACCESSIBLE(object)->text);
  G_OBJECT_CLASS(ms_drawn_accessible_parent_class)->finalize(object);
}

static void
ms_drawn_accessible_class_init(MsDrawnAccessibleClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_drawn_accessible_finalize;
}

static void
ms_drawn_accessible_init(MsDrawnAccessible *self)
{
}

static void
get_value_and_text(AtkValue *object, double *value, char **text)
{
  MsDrawnAccessible *self = MS_DRAWN_ACCESSIBLE(object);

  *value = self->value;
  if (text)
    *text = g_strdup(self->text ? self->text : "");
}

static void
value_interface_init(AtkValueIface *iface)
{
  iface->get_value_and_text = get_value_and_text;
}

/** ms_drawn_class_init: called in the class_init of a widget that draws itself. */
void
ms_drawn_class_init(GtkWidgetClass *klass)
{
  gtk_widget_class_set_accessible_type(klass, MS_TYPE_DRAWN_ACCESSIBLE);
}

/** ms_drawn_describe: @description: (nullable): the contents of the drawing in text */
void
ms_drawn_describe(GtkWidget *widget, AtkRole role, const char *name, const char *description)
{
  AtkObject *accessible = gtk_widget_get_accessible(widget);

  atk_object_set_role(accessible, role);
  atk_object_set_name(accessible, name);
  atk_object_set_description(accessible, description ? description : "");
}

/** ms_drawn_set_value: sets the value at the cursor of the drawing, as a number and as text. */
void
ms_drawn_set_value(GtkWidget *widget, double value, const char *text)
{
  AtkObject *accessible = gtk_widget_get_accessible(widget);

  if (!MS_IS_DRAWN_ACCESSIBLE(accessible))
    return;
  MsDrawnAccessible *self = MS_DRAWN_ACCESSIBLE(accessible);
  if (self->value == value && g_strcmp0(self->text, text) == 0)
    return;
  self->value = value;
  g_free(self->text);
  self->text = g_strdup(text);
  g_signal_emit_by_name(accessible, "value-changed", value, self->text ? self->text : "");
}
