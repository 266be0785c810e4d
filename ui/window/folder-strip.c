/* SPDX-License-Identifier: MIT */
#include "ui/window/folder-strip.h"

#include <glib/gi18n-lib.h>

#include "ui/common/thumbnails.h"

#define THUMBNAIL_WIDTH 64
#define THUMBNAIL_HEIGHT 44

/* Pictures shown on either side of the open one; limits the time for large folders. */
#define REACH 12

struct _MsFolderStrip {
  GtkScrolledWindow parent_instance;
  GtkWidget *box;
  MsThumbnails *thumbnails;
  GFile *file;  /* (nullable): the open picture */
  double place; /* of the open picture in the strip: 0 at the left, 1 at the right */
};

G_DEFINE_FINAL_TYPE(MsFolderStrip, ms_folder_strip, GTK_TYPE_SCROLLED_WINDOW)

static guint chosen_signal;

#define PATH_KEY "ms-path"

static void
clicked_cb(MsFolderStrip *self, GtkWidget *button)
{
  g_autoptr(GFile) file = g_file_new_for_path(g_object_get_data(G_OBJECT(button), PATH_KEY));

  g_signal_emit(self, chosen_signal, 0, file);
}

static void
add_picture(MsFolderStrip *self, const char *folder, const char *name, gboolean is_open)
{
  GtkWidget *button = gtk_button_new(), *image = gtk_image_new();
  g_autofree char *title = g_filename_display_name(name), *path = g_build_filename(folder, name, NULL);
  AtkObject *accessible = gtk_widget_get_accessible(button);

  ms_thumbnails_show(self->thumbnails, GTK_IMAGE(image), path);
  gtk_container_add(GTK_CONTAINER(button), image);
  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  gtk_widget_set_focus_on_click(button, FALSE);
  gtk_widget_set_tooltip_text(button, title);
  atk_object_set_name(accessible, title);
  if (is_open) {
    gtk_style_context_add_class(gtk_widget_get_style_context(button), "newest-run");
    atk_object_set_description(accessible, _("The open picture"));
  }
  g_signal_connect_object(button, "clicked", G_CALLBACK(clicked_cb), self, G_CONNECT_SWAPPED);
  g_object_set_data_full(G_OBJECT(button), PATH_KEY, g_steal_pointer(&path), g_free);
  gtk_container_add(GTK_CONTAINER(self->box), button);
}

static void
fill(MsFolderStrip *self)
{
  g_autofree char *path = self->file ? g_file_get_path(self->file) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname(path) : NULL, *name = path ? g_path_get_basename(path) : NULL;
  g_autoptr(GPtrArray) names = folder ? ms_folder_pictures(folder) : NULL;
  guint open = 0;

  gtk_container_foreach(GTK_CONTAINER(self->box), (GtkCallback)(GCallback)gtk_widget_destroy, NULL);
  if (!names || !g_ptr_array_find_with_equal_func(names, name, g_str_equal, &open))
    return;
  guint first = open > REACH ? open - REACH : 0, end = MIN(open + REACH + 1, names->len);
  for (guint i = first; i < end; i++)
    add_picture(self, folder, names->pdata[i], i == open);
  self->place = (open - first + 0.5) / (end - first);
  gtk_widget_show_all(self->box);
}

static void
scroll_to_open(MsFolderStrip *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(self));

  gtk_adjustment_set_value(adjustment, self->place * gtk_adjustment_get_upper(adjustment) -
                                         gtk_adjustment_get_page_size(adjustment) / 2);
}

/** ms_folder_strip_set_file: @file: (nullable): the open picture; its folder is read only while the strip is visible */
void
ms_folder_strip_set_file(MsFolderStrip *self, GFile *file)
{
  if (!g_set_object(&self->file, file) || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  fill(self);
  scroll_to_open(self);
}

static void
ms_folder_strip_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(ms_folder_strip_parent_class)->map(widget);
  fill(MS_FOLDER_STRIP(widget));
}

static void
ms_folder_strip_dispose(GObject *object)
{
  MsFolderStrip *self = MS_FOLDER_STRIP(object);

  g_clear_object(&self->thumbnails);
  g_clear_object(&self->file);
  G_OBJECT_CLASS(ms_folder_strip_parent_class)->dispose(object);
}

static void
ms_folder_strip_class_init(MsFolderStripClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_folder_strip_dispose;
  GTK_WIDGET_CLASS(klass)->map = ms_folder_strip_map;
  chosen_signal =
    g_signal_new("chosen", MS_TYPE_FOLDER_STRIP, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_FILE);
}

static void
ms_folder_strip_init(MsFolderStrip *self)
{
  self->thumbnails = ms_thumbnails_new(THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);
  self->box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_container_add(GTK_CONTAINER(self), self->box);
  gtk_widget_show(self->box);
  atk_object_set_name(gtk_widget_get_accessible(self->box), _("Pictures of the folder"));
  /* The position of a new open picture is known after the next layout, which changes the length of the strip. */
  g_signal_connect_object(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(self)), "notify::upper",
                          G_CALLBACK(scroll_to_open), self, G_CONNECT_SWAPPED);
}
