/* SPDX-License-Identifier: MIT */
#include "ui/common/screen-colours.h"

#include "ui/common/colord.h"
#include "ui/common/screen-profile.h"

#define KEY "ms-screen-colours"

/**
 * Monitor:
 * @profile: (nullable): %NULL for sRGB
 * @conversions: the profile of pictures, empty for none, → MsColour, or %NULL where nothing is to be converted
 */
typedef struct {
  GBytes *profile;
  GHashTable *conversions;
} Monitor;

struct _MsScreenColours {
  GObject parent_instance;
  GdkScreen *screen;
  GHashTable *monitors;      /* index → Monitor */
  GPtrArray *managed;        /* (element-type GBytes): what the colour manager has said of each monitor, or NULL */
  GCancellable *cancellable; /* (nullable): of the questions to the colour manager */
};

G_DEFINE_FINAL_TYPE(MsScreenColours, ms_screen_colours, G_TYPE_OBJECT)

static guint changed_signal;

static void
monitor_free(gpointer data)
{
  Monitor *self = data;

  g_clear_pointer(&self->profile, g_bytes_unref);
  g_hash_table_unref(self->conversions);
  g_free(self);
}

static void
unref_profile(gpointer profile)
{
  if (profile)
    g_bytes_unref(profile);
}

static void
ms_screen_colours_finalize(GObject *object)
{
  MsScreenColours *self = MS_SCREEN_COLOURS(object);

  g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_hash_table_unref(self->monitors);
  g_ptr_array_unref(self->managed);
  G_OBJECT_CLASS(ms_screen_colours_parent_class)->finalize(object);
}

static void
ms_screen_colours_class_init(MsScreenColoursClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_screen_colours_finalize;
  changed_signal =
    g_signal_new("changed", MS_TYPE_SCREEN_COLOURS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_screen_colours_init(MsScreenColours *self)
{
  self->monitors = g_hash_table_new_full(NULL, NULL, NULL, monitor_free);
  self->managed = g_ptr_array_new_with_free_func(unref_profile);
}

static void
on_changed(gpointer unused, gpointer data)
{
  MsScreenColours *self = data;

  g_hash_table_remove_all(self->monitors);
  g_signal_emit(self, changed_signal, 0);
}

/* A question to the colour manager. */
typedef struct {
  MsScreenColours *self;
  guint monitor;
} Question;

static void
on_found(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Question *question = data;
  GBytes *profile = ms_colord_find_finish(result);

  if (!profile || g_cancellable_is_cancelled(g_task_get_cancellable(G_TASK(result)))) {
    unref_profile(profile);
    return;
  }
  unref_profile(question->self->managed->pdata[question->monitor]);
  question->self->managed->pdata[question->monitor] = profile;
  on_changed(NULL, question->self);
}

/* Asks for the profiles of all monitors; what was asked before counts no more. */
static void
ask_manager(MsScreenColours *self)
{
  GdkDisplay *display = gdk_screen_get_display(self->screen);
  const int n = gdk_display_get_n_monitors(display);

  g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  self->cancellable = g_cancellable_new();
  g_ptr_array_set_size(self->managed, 0);
  g_ptr_array_set_size(self->managed, n);
  for (int i = 0; i < n; i++) {
    Question *question = g_new(Question, 1);
    *question = (Question){self, (guint)i};
    ms_colord_find_async(gdk_monitor_get_model(gdk_display_get_monitor(display, i)), self->cancellable, on_found,
                         question);
  }
}

static void
on_monitors_changed(MsScreenColours *self)
{
  if (!ms_screen_profile_is_told(self->screen))
    ask_manager(self);
  on_changed(NULL, self);
}

/** ms_screen_colours_of: (transfer none): those of the screen that @widget is on. */
MsScreenColours *
ms_screen_colours_of(GtkWidget *widget)
{
  GdkScreen *screen = gtk_widget_get_screen(widget);
  MsScreenColours *self = g_object_get_data(G_OBJECT(screen), KEY);

  if (self)
    return self;
  self = g_object_new(MS_TYPE_SCREEN_COLOURS, NULL);
  self->screen = screen;
  g_object_set_data_full(G_OBJECT(screen), KEY, self, g_object_unref);
  g_signal_connect_object(screen, "monitors-changed", G_CALLBACK(on_monitors_changed), self, G_CONNECT_SWAPPED);
  ms_screen_profile_watch(screen, on_changed, self);
  if (!ms_screen_profile_is_told(screen))
    ask_manager(self);
  return self;
}

/** ms_screen_colours_monitor_of: the number of the monitor with most of the window of @widget; 0 for no window. */
int
ms_screen_colours_monitor_of(GtkWidget *widget)
{
  GdkDisplay *display = gtk_widget_get_display(widget);
  GdkWindow *window = gtk_widget_get_window(widget);
  GdkMonitor *monitor = window ? gdk_display_get_monitor_at_window(display, window) : NULL;

  for (int i = 0; i < gdk_display_get_n_monitors(display); i++)
    if (gdk_display_get_monitor(display, i) == monitor)
      return i;
  return 0;
}

/* (transfer full) (nullable): the profile of a monitor, if colours can be converted to it. */
static GBytes *
usable_profile(MsScreenColours *self, int monitor)
{
  GBytes *managed = (guint)monitor < self->managed->len ? self->managed->pdata[monitor] : NULL;
  g_autoptr(GBytes) profile = managed ? g_bytes_ref(managed) : ms_screen_profile_read(self->screen, monitor);
  g_autoptr(MsColour) colour = profile ? ms_colour_new(NULL, MS_COLOUR_RGBA, profile) : NULL;

  return colour ? g_steal_pointer(&profile) : NULL;
}

static void
free_conversion(gpointer colour)
{
  if (colour)
    ms_colour_free(colour);
}

static Monitor *
find_monitor(MsScreenColours *self, int number)
{
  Monitor *monitor = g_hash_table_lookup(self->monitors, GINT_TO_POINTER(number));

  if (monitor)
    return monitor;
  monitor = g_new(Monitor, 1);
  monitor->profile = usable_profile(self, number);
  monitor->conversions =
    g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, free_conversion);
  g_hash_table_insert(self->monitors, GINT_TO_POINTER(number), monitor);
  return monitor;
}

static MsColour *
new_conversion(GBytes *from, GBytes *to)
{
  if (ms_colour_is_srgb(from) && ms_colour_is_srgb(to))
    return NULL;
  return from && to && g_bytes_equal(from, to) ? NULL : ms_colour_new(from, MS_COLOUR_RGBA, to);
}

/* (transfer none) (nullable): the conversion of pixels of the profile @icc (nullable) to those of a monitor */
static const MsColour *
find_conversion(MsScreenColours *self, int monitor, GBytes *icc)
{
  Monitor *found = find_monitor(self, monitor);
  g_autoptr(GBytes) key = icc ? g_bytes_ref(icc) : g_bytes_new_static("", 0);
  gpointer known = NULL;

  if (g_hash_table_lookup_extended(found->conversions, key, NULL, &known))
    return known;
  MsColour *made = new_conversion(icc, found->profile);
  g_hash_table_insert(found->conversions, g_steal_pointer(&key), made);
  return made;
}

/**
 * ms_screen_colours_for_image:
 * @monitor: of @widget, see ms_screen_colours_monitor_of()
 *
 * Returns: (transfer none) (nullable): the conversion of the pixels of @image to those of @monitor, valid until
 *   "changed"; %NULL where they are the same, and where the image's profile cannot be used
 */
const MsColour *
ms_screen_colours_for_image(GtkWidget *widget, int monitor, MsImage *image)
{
  const MsMetadata *metadata = ms_image_get_metadata(image);

  return find_conversion(ms_screen_colours_of(widget), monitor, metadata ? metadata->icc : NULL);
}

/* (transfer full): a copy with alpha, converted. */
static GdkPixbuf *
convert(GdkPixbuf *pixbuf, const MsColour *colours)
{
  GdkPixbuf *result =
    gdk_pixbuf_get_has_alpha(pixbuf) ? gdk_pixbuf_copy(pixbuf) : gdk_pixbuf_add_alpha(pixbuf, FALSE, 0, 0, 0);
  guint8 *pixels = gdk_pixbuf_get_pixels(result);

  for (int y = 0; y < gdk_pixbuf_get_height(result); y++)
    ms_colour_convert(colours, pixels + (gsize)y * (gsize)gdk_pixbuf_get_rowstride(result),
                      (gsize)gdk_pixbuf_get_width(result));
  return result;
}

/** ms_screen_colours_show: shows @pixbuf (nullable), which has the profile @icc (nullable), in @image. */
void
ms_screen_colours_show(GtkImage *image, GdkPixbuf *pixbuf, GBytes *icc)
{
  GtkWidget *widget = GTK_WIDGET(image);
  const MsColour *colours =
    pixbuf ? find_conversion(ms_screen_colours_of(widget), ms_screen_colours_monitor_of(widget), icc) : NULL;
  g_autoptr(GdkPixbuf) converted = colours ? convert(pixbuf, colours) : NULL;

  gtk_image_set_from_pixbuf(image, converted ? converted : pixbuf);
}
