/* SPDX-License-Identifier: MIT */
#include "ui/panels/runs/run-drag.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/image/image-save.h"
#include "ui/image-view/pixbuf.h"

#define PATH_KEY "ms-dragged-file"
#define TITLE_KEY "ms-title"

static void
remove_file(gpointer path)
{
  g_autofree char *folder = g_path_get_dirname(path);

  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
}

static char *
file_name(const char *title)
{
  const char *dot = strrchr(title, '.');
  g_autofree char *stem = dot && dot != title ? g_strndup(title, (gsize)(dot - title)) : g_strdup(title);

  g_strdelimit(stem, G_DIR_SEPARATOR_S, '-');
  return g_strdup_printf("%s-meanshift.png", stem);
}

/* (transfer none) (nullable): a file with the picture of the run; removed with the run. */
static const char *
write_file(MsRun *run, const char *title)
{
  const char *known = g_object_get_data(G_OBJECT(run), PATH_KEY);
  g_autofree char *folder = known ? NULL : g_dir_make_tmp("meanshift-lab-XXXXXX", NULL);
  g_autofree char *name = file_name(title);
  char *path = folder ? g_build_filename(folder, name, NULL) : NULL;

  if (known || !path)
    return known;
  if (!ms_image_save(ms_run_get_result(run), path, NULL, NULL, NULL, NULL)) {
    remove_file(path);
    return NULL;
  }
  g_object_set_data_full(G_OBJECT(run), PATH_KEY, path, remove_file);
  return path;
}

static void
drag_data_get_cb(GtkWidget *widget, GdkDragContext *context, GtkSelectionData *data, guint info, guint time, MsRun *run)
{
  GdkAtom target = gtk_selection_data_get_target(data);
  MsImage *result = ms_run_get_result(run);

  if (!result)
    return;
  if (gtk_targets_include_uri(&target, 1)) {
    const char *path = write_file(run, g_object_get_data(G_OBJECT(widget), TITLE_KEY));
    g_autofree char *uri = path ? g_filename_to_uri(path, NULL, NULL) : NULL;
    gtk_selection_data_set_uris(data, (char *[]){uri, NULL});
  } else {
    g_autoptr(GdkPixbuf) pixbuf = ms_pixbuf_from_image(result);
    gtk_selection_data_set_pixbuf(data, pixbuf);
  }
}

/** ms_run_drag_add: lets @widget be dragged as the filtered picture of @run; it must have a GdkWindow. */
void
ms_run_drag_add(GtkWidget *widget, MsRun *run, MsDocument *document, GdkPixbuf *icon)
{
  gtk_drag_source_set(widget, GDK_BUTTON1_MASK, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_source_add_uri_targets(widget);
  gtk_drag_source_add_image_targets(widget);
  if (icon)
    gtk_drag_source_set_icon_pixbuf(widget, icon);
  g_object_set_data_full(G_OBJECT(widget), TITLE_KEY, g_strdup(ms_document_get_title(document)), g_free);
  g_signal_connect_object(widget, "drag-data-get", G_CALLBACK(drag_data_get_cb), run, 0);
}
