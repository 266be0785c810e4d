/* SPDX-License-Identifier: MIT */
#include "ui/window/window-folder.h"

#include <string.h>

#include "core/image/codec.h"
#include "ui/document/document-settings.h"
#include "ui/window/window-open.h"
#include "ui/window/window-private.h"
#include "ui/window/window-tabs.h"

static int
compare_names(gconstpointer a, gconstpointer b)
{
  g_autofree char *one = g_utf8_collate_key_for_filename(*(const char *const *)a, -1);
  g_autofree char *other = g_utf8_collate_key_for_filename(*(const char *const *)b, -1);

  return strcmp(one, other);
}

/* (transfer full) (element-type utf8): the names of the pictures in a folder, in the order of file managers */
static GPtrArray *
list_pictures(const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir)))
    if (ms_codec_from_path(name) != MS_IMAGE_FORMAT_AUTO)
      g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare_names);
  return names;
}

/** ms_window_open_neighbour: opens the picture @step files after the current one of its folder in its place. */
void
ms_window_open_neighbour(MsWindow *self, int step)
{
  GFile *file = self->document ? ms_document_get_file(self->document) : NULL;
  g_autofree char *path = file ? g_file_get_path(file) : NULL;
  g_autofree char *folder = path ? g_path_get_dirname(path) : NULL, *name = path ? g_path_get_basename(path) : NULL;
  g_autoptr(GPtrArray) names = folder ? list_pictures(folder) : NULL;
  guint index = 0;

  if (self->n_opening > 0 || !names || !g_ptr_array_find_with_equal_func(names, name, g_str_equal, &index))
    return;
  if ((int)index + step < 0 || index + step >= names->len)
    return;
  g_autoptr(GFile) neighbour = g_file_new_build_filename(folder, names->pdata[index + step], NULL);
  g_set_weak_pointer(&self->replaced, GTK_WIDGET(ms_window_get_view(self)));
  ms_window_open(self, neighbour);
}

/** ms_window_replace: gives the new picture the settings of the one it takes the place of, and closes that one. */
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
