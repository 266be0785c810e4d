/* SPDX-License-Identifier: MIT */
#include "ui/window/picture-load.h"

#include <glib/gi18n-lib.h>

#include "core/image/image-io.h"
#include "core/service/shared-image.h"
#include "ui/window/load-row.h"

/* Progress of a shorter load is not shown, because it would flicker. */
#define SHOW_AFTER_MS 200
#define UPDATE_MS 100

/* Smaller pictures are decoded so quickly that a preview would only delay them. */
#define PREVIEW_PIXELS (G_GUINT64_CONSTANT(16) << 20)

/*
 * @losses: (nullable): what loading left out of the file
 * @permille: of the rows; written by the loading thread
 * @preview: (nullable) (atomic): passed from the loading thread to the main loop
 */
typedef struct {
  GFile *file;
  MsImageLimits limits;
  char *losses;
  GCancellable *cancellable;
  GCancellable *closing;
  gulong closing_handler;
  GtkContainer *rows; /* weak */
  GtkWidget *row;     /* weak */
  guint timer;
  int permille;
  MsImage *preview;
} PictureLoad;

static void
picture_load_free(gpointer data)
{
  PictureLoad *self = data;

  g_cancellable_disconnect(self->closing, self->closing_handler);
  g_clear_object(&self->closing);
  g_clear_object(&self->cancellable);
  g_clear_object(&self->preview);
  g_clear_weak_pointer(&self->rows);
  g_clear_weak_pointer(&self->row);
  g_object_unref(self->file);
  g_free(self->losses);
  g_free(self);
}

/* Reads a file that has no path; the messages of GIO do not name the file. */
static GBytes *
load_bytes(GFile *file, const char *name, GCancellable *cancellable, GError **error)
{
  g_autoptr(GError) cause = NULL;
  GBytes *bytes = g_file_load_bytes(file, cancellable, NULL, &cause);

  if (!bytes)
    g_set_error(error, cause->domain, cause->code,
                _("'%s' cannot be read: %s. Copy it to this computer and open it there."), name, cause->message);
  return bytes;
}

static void
on_row(guint64 done, guint64 total, gpointer data)
{
  PictureLoad *self = data;

  g_atomic_int_set(&self->permille, (int)(done * 1000 / total));
}

static MsImage *
load_path(PictureLoad *self, const char *path, const char *name, GError **error)
{
  g_autoptr(MsImageFile) file = ms_image_file_open(path, &self->limits, self->cancellable, error);

  if (!file)
    return NULL;
  if (!file->bytes && (guint64)file->header.width * file->header.height >= PREVIEW_PIXELS)
    g_atomic_pointer_set(&self->preview, ms_image_file_load_preview(file, NULL));
  file->rows = on_row;
  file->rows_data = self;
  MsImage *image = ms_image_file_load(file, error);
  if (image)
    self->losses = ms_image_header_describe_losses(&file->header, name, MS_LANGUAGE_USER);
  return image;
}

static void
load_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  PictureLoad *self = data;
  g_autofree char *path = g_file_get_path(self->file), *name = g_file_get_parse_name(self->file);
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = path ? NULL : load_bytes(self->file, name, self->cancellable, &error);
  MsImage *image = NULL;

  if (path)
    image = load_path(self, path, name, &error);
  else if (bytes)
    image = ms_image_load_bytes(bytes, name, &self->limits, self->cancellable, &error);
  if (image)
    g_task_return_pointer(task, ms_shared_image_move(image), g_object_unref);
  else
    g_task_return_error(task, g_steal_pointer(&error));
}

static void
add_row(PictureLoad *self)
{
  g_autofree char *base = g_file_get_basename(self->file);
  g_autofree char *name = base ? g_filename_display_name(base) : g_file_get_parse_name(self->file);

  g_set_weak_pointer(&self->row, ms_load_row_new(name, self->cancellable));
  gtk_widget_show(self->row);
  gtk_container_add(self->rows, self->row);
}

static gboolean
update_cb(gpointer data)
{
  PictureLoad *self = data;

  if (!self->rows || g_cancellable_is_cancelled(self->closing))
    return G_SOURCE_CONTINUE;
  if (!self->row) {
    add_row(self);
    self->timer = g_timeout_add(UPDATE_MS, update_cb, self);
  }
  ms_load_row_set_fraction(MS_LOAD_ROW(self->row), g_atomic_int_get(&self->permille) / 1000.0);
  g_autoptr(MsImage) preview = g_atomic_pointer_get(&self->preview);
  if (preview) {
    g_atomic_pointer_set(&self->preview, NULL);
    ms_load_row_set_preview(MS_LOAD_ROW(self->row), preview);
  }
  return g_source_get_id(g_main_current_source()) == self->timer;
}

static void
cancel_cb(GCancellable *closing, gpointer cancellable)
{
  g_cancellable_cancel(cancellable);
}

/**
 * ms_picture_load_async:
 * @cancellable: cancelled with the window; the row's button cancels this picture alone
 */
void
ms_picture_load_async(const MsPictureLoadRequest *request, GCancellable *cancellable, GAsyncReadyCallback callback,
                      gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(request->window, cancellable, callback, user_data);
  PictureLoad *self = g_new0(PictureLoad, 1);

  self->file = g_object_ref(request->file);
  self->limits = ms_image_limits_default();
  self->limits.max_pixels = request->max_pixels;
  self->cancellable = g_cancellable_new();
  self->closing = g_object_ref(cancellable);
  self->closing_handler = g_cancellable_connect(cancellable, G_CALLBACK(cancel_cb), self->cancellable, NULL);
  g_set_weak_pointer(&self->rows, request->rows);
  self->timer = g_timeout_add(SHOW_AFTER_MS, update_cb, self);
  g_task_set_task_data(task, self, picture_load_free);
  g_task_run_in_thread(task, load_thread);
}

/**
 * ms_picture_load_finish:
 * @file: (out) (transfer none): valid as long as @result
 * @losses: (out) (transfer none) (nullable): what loading left out of the file
 *
 * Must be called once, from the callback; removes the row.
 */
MsImage *
ms_picture_load_finish(GAsyncResult *result, GFile **file, char **losses, GError **error)
{
  PictureLoad *self = g_task_get_task_data(G_TASK(result));

  g_clear_handle_id(&self->timer, g_source_remove);
  if (self->row)
    gtk_widget_destroy(self->row);
  *file = self->file;
  *losses = self->losses;
  return g_task_propagate_pointer(G_TASK(result), error);
}
