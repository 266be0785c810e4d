/* SPDX-License-Identifier: MIT */
#include "ui/common/thumbnails.h"

#include <string.h>

#include "core/image/codec.h"
#include "core/image/image-io.h"
#include "ui/common/screen-colours.h"

/* Files decoded at the same time; more would take processors from the filter. */
#define MOST_LOADING 2

/* Requests that wait; older ones belong to rows that have been scrolled out of view. */
#define MOST_WAITING 48

/* Thumbnails kept; when there are more, all are decoded again on demand. */
#define MOST_KEPT 2000

struct _MsThumbnails {
  GObject parent_instance;
  int width;
  int height;
  GHashTable *pictures; /* path → GdkPixbuf, or NULL while it is being loaded or where there is none */
  GQueue waiting;       /* paths, the newest first */
  guint loading;
};

G_DEFINE_FINAL_TYPE(MsThumbnails, ms_thumbnails, G_TYPE_OBJECT)

static guint loaded_signal;

static void
ms_thumbnails_finalize(GObject *object)
{
  MsThumbnails *self = MS_THUMBNAILS(object);

  g_hash_table_unref(self->pictures);
  g_queue_clear_full(&self->waiting, g_free);
  G_OBJECT_CLASS(ms_thumbnails_parent_class)->finalize(object);
}

static void
ms_thumbnails_class_init(MsThumbnailsClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_thumbnails_finalize;
  loaded_signal =
    g_signal_new("loaded", MS_TYPE_THUMBNAILS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
unref_picture(gpointer picture)
{
  if (picture)
    g_object_unref(picture);
}

static void
ms_thumbnails_init(MsThumbnails *self)
{
  self->pictures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_picture);
  g_queue_init(&self->waiting);
}

/** ms_thumbnails_new: (transfer full): @width, @height: the largest size of a thumbnail, in pixels */
MsThumbnails *
ms_thumbnails_new(int width, int height)
{
  MsThumbnails *self = g_object_new(MS_TYPE_THUMBNAILS, NULL);

  self->width = width;
  self->height = height;
  return self;
}

#define ICC_KEY "ms-icc"

/* Keeps the profile of the pixels with them; @icc: (transfer full) (nullable) */
static GdkPixbuf *
with_profile(GdkPixbuf *pixbuf, GBytes *icc)
{
  if (icc)
    g_object_set_data_full(G_OBJECT(pixbuf), ICC_KEY, icc, (GDestroyNotify)g_bytes_unref);
  return pixbuf;
}

/* (transfer full): the upright picture that gdk-pixbuf has read, with the profile that it found. */
static GdkPixbuf *
make_upright(GdkPixbuf *stored)
{
  const char *text = gdk_pixbuf_get_option(stored, "icc-profile");
  gsize size = 0;
  guchar *icc = text ? g_base64_decode(text, &size) : NULL;

  return with_profile(gdk_pixbuf_apply_embedded_orientation(stored), icc ? g_bytes_new_take(icc, size) : NULL);
}

static GdkPixbuf *
scale_image(MsImage *image, int width, int height)
{
  const int from_width = ms_image_get_width(image), from_height = ms_image_get_height(image);
  const double scale = MIN(MIN((double)width / from_width, (double)height / from_height), 1);
  g_autoptr(GdkPixbuf) whole = gdk_pixbuf_new_from_bytes(ms_image_get_bytes(image), GDK_COLORSPACE_RGB, TRUE, 8,
                                                         from_width, from_height, (int)ms_image_get_stride(image));

  const MsMetadata *metadata = ms_image_get_metadata(image);
  GBytes *icc = metadata && metadata->icc ? g_bytes_ref(metadata->icc) : NULL;

  return with_profile(gdk_pixbuf_scale_simple(whole, MAX((int)(from_width * scale), 1),
                                              MAX((int)(from_height * scale), 1), GDK_INTERP_BILINEAR),
                      icc);
}

/**
 * ms_thumbnail_load:
 * @width, @height: the largest size
 * @most_pixels: a larger picture has none; 0 for no limit
 *
 * Reads a file of the formats that the program reads, scaled. What modules of gdk-pixbuf decode is decoded in a process
 * of its own, never in this one.
 *
 * Returns: (transfer full) (nullable): the upright picture
 */
GdkPixbuf *
ms_thumbnail_load(const char *path, int width, int height, guint64 most_pixels)
{
  MsImageLimits limits = ms_image_limits_default();

  if (most_pixels > 0)
    limits.max_pixels = most_pixels;
  g_autoptr(MsImageFile) file = ms_image_file_open(path, &limits, NULL, NULL);
  if (file && !ms_codec_is_written(file->codec)) {
    g_autoptr(MsImage) image = ms_image_file_load(file, NULL);
    return image ? scale_image(image, width, height) : NULL;
  }
  g_autoptr(GdkPixbuf) stored = file ? gdk_pixbuf_new_from_file_at_scale(path, width, height, TRUE, NULL) : NULL;
  return stored ? make_upright(stored) : NULL;
}

/** ms_thumbnail_show: shows a picture of ms_thumbnail_load() (nullable) in the colours of the screen. */
void
ms_thumbnail_show(GtkImage *image, GdkPixbuf *thumbnail)
{
  ms_screen_colours_show(image, thumbnail, thumbnail ? g_object_get_data(G_OBJECT(thumbnail), ICC_KEY) : NULL);
}

static void
load_in_thread(GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  MsThumbnails *self = source;

  g_task_return_pointer(task, ms_thumbnail_load(path, self->width, self->height, 0), g_object_unref);
}

static void load_next(MsThumbnails *self);

static void
on_loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  MsThumbnails *self = MS_THUMBNAILS(source);
  const char *path = g_task_get_task_data(G_TASK(result));

  self->loading--;
  g_hash_table_replace(self->pictures, g_strdup(path), g_task_propagate_pointer(G_TASK(result), NULL));
  g_signal_emit(self, loaded_signal, 0, path);
  load_next(self);
}

static void
load_next(MsThumbnails *self)
{
  while (self->loading < MOST_LOADING && !g_queue_is_empty(&self->waiting)) {
    g_autoptr(GTask) task = g_task_new(self, NULL, on_loaded, NULL);
    g_task_set_task_data(task, g_queue_pop_head(&self->waiting), g_free);
    self->loading++;
    g_task_run_in_thread(task, load_in_thread);
  }
}

/** ms_thumbnails_get: (transfer none) (nullable): %NULL while it is being loaded, or if the file is no picture. */
GdkPixbuf *
ms_thumbnails_get(MsThumbnails *self, const char *path)
{
  gpointer picture = NULL;

  if (g_hash_table_lookup_extended(self->pictures, path, NULL, &picture))
    return picture;
  if (g_hash_table_size(self->pictures) >= MOST_KEPT)
    g_hash_table_remove_all(self->pictures);
  g_hash_table_insert(self->pictures, g_strdup(path), NULL);
  g_queue_push_head(&self->waiting, g_strdup(path));
  while (g_queue_get_length(&self->waiting) > MOST_WAITING) {
    g_autofree char *oldest = g_queue_pop_tail(&self->waiting);
    g_hash_table_remove(self->pictures, oldest);
  }
  load_next(self);
  return NULL;
}

#define PATH_KEY "ms-path"

static void
on_thumbnail_loaded(GtkImage *image, const char *path, MsThumbnails *self)
{
  if (g_str_equal(g_object_get_data(G_OBJECT(image), PATH_KEY), path))
    ms_thumbnail_show(image, ms_thumbnails_get(self, path));
}

/** ms_thumbnails_show: shows the thumbnail of a file in @image, which is empty until the thumbnail is loaded. */
void
ms_thumbnails_show(MsThumbnails *self, GtkImage *image, const char *path)
{
  g_object_set_data_full(G_OBJECT(image), PATH_KEY, g_strdup(path), g_free);
  gtk_widget_set_size_request(GTK_WIDGET(image), self->width, self->height);
  ms_thumbnail_show(image, ms_thumbnails_get(self, path));
  g_signal_connect_object(self, "loaded", G_CALLBACK(on_thumbnail_loaded), image, G_CONNECT_SWAPPED);
}

/* The pictures of a folder */

typedef struct {
  char *name;
  char *key; /* sorts as the user's language does */
} Entry;

static int
compare_entries(gconstpointer a, gconstpointer b)
{
  return strcmp(((const Entry *)a)->key, ((const Entry *)b)->key);
}

/* Keys are made once for each name: comparing 10,000 names needs them 130,000 times. */
static GArray *
read_entries(const char *folder)
{
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    if (ms_codec_from_path(name) == MS_IMAGE_FORMAT_AUTO)
      continue;
    Entry entry = {g_strdup(name), g_utf8_collate_key_for_filename(name, -1)};
    g_array_append_val(entries, entry);
  }
  return entries;
}

/** ms_folder_pictures: (transfer full) (element-type utf8): the names of the files that the program can open */
GPtrArray *
ms_folder_pictures(const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) entries = read_entries(folder);

  g_array_sort(entries, compare_entries);
  for (guint i = 0; i < entries->len; i++) {
    Entry *entry = &g_array_index(entries, Entry, i);
    g_ptr_array_add(names, entry->name);
    g_free(entry->key);
  }
  return names;
}
