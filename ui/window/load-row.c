/* SPDX-License-Identifier: MIT */
#include "ui/window/load-row.h"

#include <glib/gi18n-lib.h>

#include "ui/image-view/pixbuf.h"

#define PREVIEW_WIDTH 480
#define PREVIEW_HEIGHT 300

struct _MsLoadRow {
  GtkBox parent_instance;
  GtkWidget *progress;
  GtkWidget *preview;
  char *name;
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE(MsLoadRow, ms_load_row, GTK_TYPE_BOX)

static void
ms_load_row_finalize(GObject *object)
{
  MsLoadRow *self = MS_LOAD_ROW(object);

  g_clear_object(&self->cancellable);
  g_free(self->name);
  G_OBJECT_CLASS(ms_load_row_parent_class)->finalize(object);
}

static void
ms_load_row_class_init(MsLoadRowClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_load_row_finalize;
}

static void
on_cancel_clicked(MsLoadRow *self)
{
  g_cancellable_cancel(self->cancellable);
}

static void
ms_load_row_init(MsLoadRow *self)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12), *cancel = gtk_button_new_with_label(_("Cancel"));

  self->progress = gtk_progress_bar_new();
  self->preview = gtk_image_new();
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_container_set_border_width(GTK_CONTAINER(self), 6);
  gtk_box_set_spacing(GTK_BOX(self), 6);
  gtk_progress_bar_set_show_text(GTK_PROGRESS_BAR(self->progress), TRUE);
  gtk_progress_bar_set_ellipsize(GTK_PROGRESS_BAR(self->progress), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_valign(self->progress, GTK_ALIGN_CENTER);
  gtk_widget_set_no_show_all(self->preview, TRUE);
  g_signal_connect_swapped(cancel, "clicked", G_CALLBACK(on_cancel_clicked), self);
  gtk_box_pack_start(GTK_BOX(line), self->progress, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(line), cancel, FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(self), line);
  gtk_container_add(GTK_CONTAINER(self), self->preview);
  gtk_widget_show_all(line);
}

/** ms_load_row_new: @cancellable: cancelled by the row's button */
GtkWidget *
ms_load_row_new(const char *name, GCancellable *cancellable)
{
  MsLoadRow *self = g_object_new(MS_TYPE_LOAD_ROW, NULL);

  self->name = g_strdup(name);
  self->cancellable = g_object_ref(cancellable);
  ms_load_row_set_fraction(self, 0);
  return GTK_WIDGET(self);
}

/** ms_load_row_set_fraction: the share of the rows that is decoded, 0 while the file is being read. */
void
ms_load_row_set_fraction(MsLoadRow *self, double fraction)
{
  g_autofree char *text = fraction > 0 ? g_strdup_printf(_("Loading %s… %.0f %%"), self->name, fraction * 100)
                                       : g_strdup_printf(_("Loading %s…"), self->name);

  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), fraction);
  gtk_progress_bar_set_text(GTK_PROGRESS_BAR(self->progress), text);
  atk_object_set_name(gtk_widget_get_accessible(self->progress), text);
}

void
ms_load_row_set_preview(MsLoadRow *self, MsImage *preview)
{
  g_autoptr(GdkPixbuf) pixbuf = ms_pixbuf_from_image(preview);
  int width = ms_image_get_width(preview), height = ms_image_get_height(preview);
  double scale = MIN(MIN((double)PREVIEW_WIDTH / width, (double)PREVIEW_HEIGHT / height), 1);
  g_autoptr(GdkPixbuf) scaled =
    gdk_pixbuf_scale_simple(pixbuf, MAX((int)(width * scale), 1), MAX((int)(height * scale), 1), GDK_INTERP_BILINEAR);
  g_autofree char *name = g_strdup_printf(_("Preview of %s"), self->name);

  gtk_image_set_from_pixbuf(GTK_IMAGE(self->preview), scaled);
  atk_object_set_name(gtk_widget_get_accessible(self->preview), name);
  gtk_widget_show(self->preview);
}
