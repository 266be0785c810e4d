/* SPDX-License-Identifier: MIT */
#include "ui/window/recent-popover.h"

#include <glib/gi18n-lib.h>

#include "ui/common/thumbnails.h"

#define THUMBNAIL_WIDTH 64
#define THUMBNAIL_HEIGHT 48
#define MOST_PICTURES 10

struct _MsRecentPopover {
  GtkPopover parent_instance;
  GtkWidget *list;
  MsThumbnails *thumbnails;
};

G_DEFINE_FINAL_TYPE(MsRecentPopover, ms_recent_popover, GTK_TYPE_POPOVER)

static guint chosen_signal;

#define FILE_KEY "ms-file"

static void
clicked_cb(MsRecentPopover *self, GtkWidget *button)
{
  g_autoptr(GFile) file = g_object_ref(g_object_get_data(G_OBJECT(button), FILE_KEY));

  gtk_popover_popdown(GTK_POPOVER(self));
  g_signal_emit(self, chosen_signal, 0, file);
}

static GtkWidget *
new_line_of_text(const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new(text);

  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 48);
  if (class)
    gtk_style_context_add_class(gtk_widget_get_style_context(label), class);
  return label;
}

static void
add_picture(MsRecentPopover *self, GtkRecentInfo *info)
{
  g_autoptr(GFile) file = g_file_new_for_uri(gtk_recent_info_get_uri(info));
  g_autoptr(GFile) folder = g_file_get_parent(file);
  g_autofree char *place = folder ? g_file_get_parse_name(folder) : g_strdup("");
  const char *name = gtk_recent_info_get_display_name(info);
  GtkWidget *button = gtk_button_new(), *image = gtk_image_new();
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10), *text = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

  if (g_file_peek_path(file))
    ms_thumbnails_show(self->thumbnails, GTK_IMAGE(image), g_file_peek_path(file));
  else
    gtk_widget_set_size_request(image, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);
  gtk_widget_set_valign(text, GTK_ALIGN_CENTER);
  gtk_container_add(GTK_CONTAINER(text), new_line_of_text(name, NULL));
  gtk_container_add(GTK_CONTAINER(text), new_line_of_text(place, GTK_STYLE_CLASS_DIM_LABEL));
  gtk_container_add(GTK_CONTAINER(row), image);
  gtk_container_add(GTK_CONTAINER(row), text);
  gtk_container_add(GTK_CONTAINER(button), row);
  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_object_set_data_full(G_OBJECT(button), FILE_KEY, g_steal_pointer(&file), g_object_unref);
  g_signal_connect_object(button, "clicked", G_CALLBACK(clicked_cb), self, G_CONNECT_SWAPPED);
  gtk_container_add(GTK_CONTAINER(self->list), button);
}

static int
compare_times(gconstpointer a, gconstpointer b)
{
  time_t one = gtk_recent_info_get_modified((gpointer)a), other = gtk_recent_info_get_modified((gpointer)b);

  return (one < other) - (one > other);
}

static void
fill(MsRecentPopover *self)
{
  GList *items = g_list_sort(gtk_recent_manager_get_items(gtk_recent_manager_get_default()), compare_times);
  guint n = 0;

  gtk_container_foreach(GTK_CONTAINER(self->list), (GtkCallback)(GCallback)gtk_widget_destroy, NULL);
  for (GList *l = items; l && n < MOST_PICTURES; l = l->next)
    if (gtk_recent_info_has_application(l->data, g_get_application_name()) && gtk_recent_info_exists(l->data)) {
      add_picture(self, l->data);
      n++;
    }
  if (n == 0)
    gtk_container_add(GTK_CONTAINER(self->list), new_line_of_text(_("No picture was opened yet."), NULL));
  g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
  gtk_widget_show_all(self->list);
}

static void
ms_recent_popover_show(GtkWidget *widget)
{
  fill(MS_RECENT_POPOVER(widget));
  GTK_WIDGET_CLASS(ms_recent_popover_parent_class)->show(widget);
}

static void
ms_recent_popover_dispose(GObject *object)
{
  g_clear_object(&MS_RECENT_POPOVER(object)->thumbnails);
  G_OBJECT_CLASS(ms_recent_popover_parent_class)->dispose(object);
}

static void
ms_recent_popover_class_init(MsRecentPopoverClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_recent_popover_dispose;
  GTK_WIDGET_CLASS(klass)->show = ms_recent_popover_show;
  chosen_signal =
    g_signal_new("chosen", MS_TYPE_RECENT_POPOVER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_FILE);
}

static void
ms_recent_popover_init(MsRecentPopover *self)
{
  self->thumbnails = ms_thumbnails_new(THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);
  self->list = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_container_set_border_width(GTK_CONTAINER(self->list), 6);
  gtk_container_add(GTK_CONTAINER(self), self->list);
  gtk_widget_show(self->list);
}

/** ms_recent_popover_new: @relative_to: the button that opens it */
GtkWidget *
ms_recent_popover_new(GtkWidget *relative_to)
{
  return g_object_new(MS_TYPE_RECENT_POPOVER, "relative-to", relative_to, NULL);
}
