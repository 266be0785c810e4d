/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-preview.h"

#include <glib/gi18n-lib.h>

#define PREVIEW_WIDTH 320
#define PREVIEW_HEIGHT 220

struct _MsBatchPreview {
  GtkBox parent_instance;
  GtkWidget *images[2];
  GCancellable *loading;
};

G_DEFINE_FINAL_TYPE(MsBatchPreview, ms_batch_preview, GTK_TYPE_BOX)

static void
cancel(MsBatchPreview *self)
{
  if (self->loading)
    g_cancellable_cancel(self->loading);
  g_clear_object(&self->loading);
}

static void
ms_batch_preview_dispose(GObject *object)
{
  cancel(MS_BATCH_PREVIEW(object));
  G_OBJECT_CLASS(ms_batch_preview_parent_class)->dispose(object);
}

static void
ms_batch_preview_class_init(MsBatchPreviewClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_batch_preview_dispose;
}

static GtkWidget *
new_image(MsBatchPreview *self, const char *title)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *label = gtk_label_new(title);
  GtkWidget *image = gtk_image_new();

  gtk_widget_set_size_request(image, PREVIEW_WIDTH / 2, 60);
  atk_object_set_name(gtk_widget_get_accessible(image), title);
  gtk_style_context_add_class(gtk_widget_get_style_context(label), GTK_STYLE_CLASS_DIM_LABEL);
  gtk_container_add(GTK_CONTAINER(box), label);
  gtk_box_pack_start(GTK_BOX(box), image, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(self), box, TRUE, TRUE, 0);
  return image;
}

static void
ms_batch_preview_init(MsBatchPreview *self)
{
  gtk_box_set_spacing(GTK_BOX(self), 12);
  self->images[0] = new_image(self, _("Before"));
  self->images[1] = new_image(self, _("After"));
  gtk_widget_show_all(GTK_WIDGET(self));
}

static void
loaded_cb(GObject *source, GAsyncResult *result, gpointer image)
{
  g_autoptr(GtkImage) held = image;
  g_autoptr(GError) error = NULL;
  g_autoptr(GdkPixbuf) pixbuf = gdk_pixbuf_new_from_stream_finish(result, &error);

  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    gtk_image_set_from_pixbuf(held, pixbuf);
}

static void
load(MsBatchPreview *self, GtkWidget *image, const char *path)
{
  g_autoptr(GFile) file = path ? g_file_new_for_path(path) : NULL;
  g_autoptr(GFileInputStream) stream = file ? g_file_read(file, NULL, NULL) : NULL;

  gtk_image_clear(GTK_IMAGE(image));
  if (stream)
    gdk_pixbuf_new_from_stream_at_scale_async(G_INPUT_STREAM(stream), PREVIEW_WIDTH, PREVIEW_HEIGHT, TRUE,
                                              self->loading, loaded_cb, g_object_ref(image));
}

/** ms_batch_preview_show: @before: (nullable): path of the input; @after: (nullable): path of the result */
void
ms_batch_preview_show(MsBatchPreview *self, const char *before, const char *after)
{
  cancel(self);
  self->loading = g_cancellable_new();
  load(self, self->images[0], before);
  load(self, self->images[1], after);
}
