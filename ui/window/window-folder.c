/* SPDX-License-Identifier: MIT */
#include "ui/window/window-folder.h"

#include "ui/common/thumbnails.h"
#include "ui/document/document-settings.h"
#include "ui/window/window-open.h"
#include "ui/window/window-private.h"
#include "ui/window/window-tabs.h"

/** ms_window_open_in_place: opens a picture, which replaces the one shown. */
void
ms_window_open_in_place(MsWindow *self, GFile *file)
{
  if (self->n_opening > 0)
    return;
  g_set_weak_pointer(&self->replaced, GTK_WIDGET(ms_window_get_view(self)));
  ms_window_open(self, file);
}

/** ms_window_open_neighbour: replaces the current picture by the one @step files later in its folder. */
void
ms_window_open_neighbour(MsWindow *self, int step)
{
  GFile *file = self->document ? ms_document_get_file(self->document) : NULL;
  g_autofree char *path = file ? g_file_get_path(file) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname(path) : NULL, *name = path ? g_path_get_basename(path) : NULL;
  g_autoptr(GPtrArray) names = folder ? ms_folder_pictures(folder) : NULL;
  guint index = 0;

  if (!names || !g_ptr_array_find_with_equal_func(names, name, g_str_equal, &index))
    return;
  if ((int)index + step < 0 || index + step >= names->len)
    return;
  g_autoptr(GFile) neighbour = g_file_new_build_filename(folder, names->pdata[index + step], NULL);
  ms_window_open_in_place(self, neighbour);
}

/** ms_window_replace: gives the new picture the settings of the replaced one, and closes that. */
void
ms_window_replace(MsWindow *self)
{
  GtkWidget *old = self->replaced;
  MsSettings settings;

  if (!old || old == GTK_WIDGET(ms_window_get_view(self)))
    return;
  settings = *ms_document_get_settings(ms_image_view_get_document(MS_IMAGE_VIEW(old)));
  ms_document_set_settings(self->document, &settings);
  g_clear_weak_pointer(&self->replaced);
  ms_window_close_view(old);
}
