/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-accessible.h"

#include <glib/gi18n-lib.h>

#include "ui/image-view/image-view.h"

typedef struct {
  GtkWidgetAccessible parent_instance;
  char *description;
} MsImageViewAccessible;

typedef struct {
  GtkWidgetAccessibleClass parent_class;
} MsImageViewAccessibleClass;

static MsImageView *
view_of(gpointer accessible)
{
  return (MsImageView *)gtk_accessible_get_widget(GTK_ACCESSIBLE(accessible));
}

static void
get_value_and_text(AtkValue *value, double *number, char **text)
{
  MsImageView *view = view_of(value);

  *number = view ? ms_image_view_get_divider(view) * 100 : 0;
  if (text)
    *text = view ? ms_image_view_describe(view) : NULL;
}

static AtkRange *
get_range(AtkValue *value)
{
  return atk_range_new(0, 100, _("Divider of the split view, in percent of the width"));
}

static double
get_increment(AtkValue *value)
{
  return 1;
}

static void
set_value(AtkValue *value, const double number)
{
  MsImageView *view = view_of(value);

  if (view)
    ms_image_view_set_divider(view, number / 100);
}

static void
value_iface_init(AtkValueIface *iface)
{
  iface->get_value_and_text = get_value_and_text;
  iface->get_range = get_range;
  iface->get_increment = get_increment;
  iface->set_value = set_value;
}

G_DEFINE_TYPE_WITH_CODE(MsImageViewAccessible, ms_image_view_accessible, GTK_TYPE_WIDGET_ACCESSIBLE,
                        G_IMPLEMENT_INTERFACE(ATK_TYPE_VALUE, value_iface_init))

static const char *
get_description(AtkObject *object)
{
  MsImageViewAccessible *self = (MsImageViewAccessible *)object;
  MsImageView *view = view_of(self);

  g_free(self->description);
  self->description = view ? ms_image_view_describe(view) : NULL;
  return self->description;
}

static void
view_changed_cb(MsImageView *view, GParamSpec *pspec, AtkObject *object)
{
  g_object_notify(G_OBJECT(object), "accessible-description");
}

static void
initialize(AtkObject *object, gpointer data)
{
  ATK_OBJECT_CLASS(ms_image_view_accessible_parent_class)->initialize(object, data);
  atk_object_set_role(object, ATK_ROLE_IMAGE);
  atk_object_set_name(object, _("Picture"));
  g_signal_connect_object(data, "notify::mode", G_CALLBACK(view_changed_cb), object, 0);
  g_signal_connect_object(data, "notify::divider", G_CALLBACK(view_changed_cb), object, 0);
}

static void
ms_image_view_accessible_finalize(GObject *object)
{
  g_free(((MsImageViewAccessible *)object)->description);
  G_OBJECT_CLASS(ms_image_view_accessible_parent_class)->finalize(object);
}

static void
ms_image_view_accessible_class_init(MsImageViewAccessibleClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_image_view_accessible_finalize;
  ATK_OBJECT_CLASS(klass)->initialize = initialize;
  ATK_OBJECT_CLASS(klass)->get_description = get_description;
}

static void
ms_image_view_accessible_init(MsImageViewAccessible *self)
{
}
