/* SPDX-License-Identifier: MIT */
/* The pictures that are one click or key away, as thumbnails: those of the open one's folder, and the recent ones. */
#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>

#include "ui/common/thumbnails.h"

#define THUMBNAIL_WIDTH 64
#define FOLDER_HEIGHT 44
#define RECENT_HEIGHT 48

/* Pictures shown on either side of the open one; limits the time for large folders. */
#define REACH 12

#define MOST_RECENT 10

#define FILE_KEY "ms-file"

/* A flat button for @file with @child in it. */
static GtkWidget *
add_button(GtkWidget *box, GFile *file, const char *name, GtkWidget *child)
{
  GtkWidget *button = gtk_button_new();

  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_object_set_data_full(G_OBJECT(button), FILE_KEY, g_object_ref(file), g_object_unref);
  gtk_container_add(GTK_CONTAINER(button), child);
  gtk_container_add(GTK_CONTAINER(box), button);
  return button;
}

static void
empty(GtkWidget *box)
{
  gtk_container_foreach(GTK_CONTAINER(box), (GtkCallback)(GCallback)gtk_widget_destroy, NULL);
}

/* The folder of the open picture */

/* (transfer full) (nullable): the names of all pictures in the folder of the open one, which is @index of them. */
static GPtrArray *
list_folder(MsWindow *self, char **folder, guint *index)
{
  GFile *file = self->document ? ms_document_get_file(self->document) : NULL;
  g_autofree char *path = file ? g_file_get_path(file) : NULL, *name = path ? g_path_get_basename(path) : NULL;

  *folder = path ? g_path_get_dirname(path) : NULL;
  g_autoptr(GPtrArray) names = path ? ms_folder_pictures(*folder) : NULL;
  return names && g_ptr_array_find_with_equal_func(names, name, g_str_equal, index) ? g_steal_pointer(&names) : NULL;
}

/** ms_window_open_neighbour: replaces the current picture by the one @step files later in its folder. */
void
ms_window_open_neighbour(MsWindow *self, int step)
{
  g_autofree char *folder = NULL;
  guint index = 0;
  g_autoptr(GPtrArray) names = list_folder(self, &folder, &index);

  if (!names || (int)index + step < 0 || index + step >= names->len)
    return;
  g_autoptr(GFile) neighbour = g_file_new_build_filename(folder, names->pdata[index + step], NULL);
  ms_window_open_in_place(self, neighbour);
}

/** ms_window_replace: gives a new picture the settings of the one in the view @old, and closes that. */
void
ms_window_replace(GtkWidget *old, MsDocument *document)
{
  const MsSettings settings = *ms_document_get_settings(ms_image_view_get_document(MS_IMAGE_VIEW(old)));

  ms_document_set_settings(document, &settings);
  ms_window_close_view(old);
}

static void
on_neighbour_clicked(MsWindow *self, GtkWidget *button)
{
  g_autoptr(GFile) file = g_object_ref(g_object_get_data(G_OBJECT(button), FILE_KEY));

  ms_window_open_in_place(self, file);
}

static void
add_neighbour(MsWindow *self, const char *folder, const char *name, gboolean is_open)
{
  GtkWidget *image = gtk_image_new();
  g_autofree char *title = g_filename_display_name(name);
  g_autoptr(GFile) file = g_file_new_build_filename(folder, name, NULL);
  GtkWidget *button = add_button(self->folder_box, file, title, image);

  ms_thumbnails_show(self->folder_thumbnails, GTK_IMAGE(image), g_file_peek_path(file));
  gtk_widget_set_focus_on_click(button, FALSE);
  gtk_widget_set_tooltip_text(button, title);
  if (is_open) {
    gtk_style_context_add_class(gtk_widget_get_style_context(button), "newest-run");
    atk_object_set_description(gtk_widget_get_accessible(button), _("The open picture"));
  }
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_neighbour_clicked), self, G_CONNECT_SWAPPED);
}

static void
scroll_to_open(MsWindow *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(self->folder_strip));

  gtk_adjustment_set_value(adjustment, self->folder_place * gtk_adjustment_get_upper(adjustment) -
                                         gtk_adjustment_get_page_size(adjustment) / 2);
}

/** ms_window_show_folder: shows the folder of the open picture, which is read only while the strip is visible. */
void
ms_window_show_folder(MsWindow *self)
{
  g_autofree char *folder = NULL;
  guint open = 0;

  if (!gtk_widget_get_mapped(self->folder_strip))
    return;
  g_autoptr(GPtrArray) names = list_folder(self, &folder, &open);
  empty(self->folder_box);
  if (!names)
    return;
  guint first = open > REACH ? open - REACH : 0, end = MIN(open + REACH + 1, names->len);
  for (guint i = first; i < end; i++)
    add_neighbour(self, folder, names->pdata[i], i == open);
  self->folder_place = (open - first + 0.5) / (end - first);
  gtk_widget_show_all(self->folder_box);
  scroll_to_open(self);
}

/* The recent pictures */

static void
on_recent_clicked(MsWindow *self, GtkWidget *button)
{
  g_autoptr(GFile) file = g_object_ref(g_object_get_data(G_OBJECT(button), FILE_KEY));

  gtk_popover_popdown(GTK_POPOVER(self->recent_popover));
  ms_window_open(self, file);
}

static void
add_line_of_text(GtkWidget *box, const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new(text);

  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 48);
  if (class)
    gtk_style_context_add_class(gtk_widget_get_style_context(label), class);
  gtk_container_add(GTK_CONTAINER(box), label);
}

static void
add_recent(MsWindow *self, GtkRecentInfo *info)
{
  g_autoptr(GFile) file = g_file_new_for_uri(gtk_recent_info_get_uri(info));
  g_autoptr(GFile) folder = g_file_get_parent(file);
  g_autofree char *place = folder ? g_file_get_parse_name(folder) : g_strdup("");
  const char *name = gtk_recent_info_get_display_name(info);
  GtkWidget *image = gtk_image_new();
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10), *text = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

  if (g_file_peek_path(file))
    ms_thumbnails_show(self->recent_thumbnails, GTK_IMAGE(image), g_file_peek_path(file));
  else
    gtk_widget_set_size_request(image, THUMBNAIL_WIDTH, RECENT_HEIGHT);
  gtk_widget_set_valign(text, GTK_ALIGN_CENTER);
  add_line_of_text(text, name, NULL);
  add_line_of_text(text, place, GTK_STYLE_CLASS_DIM_LABEL);
  gtk_container_add(GTK_CONTAINER(row), image);
  gtk_container_add(GTK_CONTAINER(row), text);
  g_signal_connect_object(add_button(self->recent_box, file, name, row), "clicked", G_CALLBACK(on_recent_clicked), self,
                          G_CONNECT_SWAPPED);
}

static int
compare_times(gconstpointer a, gconstpointer b)
{
  time_t one = gtk_recent_info_get_modified((gpointer)a), other = gtk_recent_info_get_modified((gpointer)b);

  return (one < other) - (one > other);
}

/** ms_window_list_recent: lists the pictures that were opened last, when the list is opened. */
void
ms_window_list_recent(MsWindow *self)
{
  GList *items = g_list_sort(gtk_recent_manager_get_items(gtk_recent_manager_get_default()), compare_times);
  guint n = 0;

  empty(self->recent_box);
  for (GList *l = items; l && n < MOST_RECENT; l = l->next)
    if (gtk_recent_info_has_application(l->data, g_get_application_name()) && gtk_recent_info_exists(l->data)) {
      add_recent(self, l->data);
      n++;
    }
  if (n == 0)
    add_line_of_text(self->recent_box, _("No picture was opened yet."), NULL);
  g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
  gtk_widget_show_all(self->recent_box);
}

/** ms_window_add_thumbnails: to be called once. */
void
ms_window_add_thumbnails(MsWindow *self)
{
  self->folder_thumbnails = ms_thumbnails_new(THUMBNAIL_WIDTH, FOLDER_HEIGHT);
  self->recent_thumbnails = ms_thumbnails_new(THUMBNAIL_WIDTH, RECENT_HEIGHT);
  /* The position of a new open picture is known after the next layout, which changes the length of the strip. */
  g_signal_connect_object(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(self->folder_strip)), "notify::upper",
                          G_CALLBACK(scroll_to_open), self, G_CONNECT_SWAPPED);
}
