/* SPDX-License-Identifier: MIT */
#include "ui/panels/runs/run-strip.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/image/image-save.h"
#include "ui/common/format.h"
#include "ui/common/screen-colours.h"
#include "ui/common/template.h"
#include "ui/document/document.h"
#include "ui/image-view/picture.h"

/* As in run-item.ui. */
#define THUMBNAIL_WIDTH 48
#define THUMBNAIL_HEIGHT 36

/* Older runs are in the table of runs only. */
#define MOST_RUNS 24

struct _MsRunStrip {
  MsPanel parent_instance;
  GtkWidget *original; /* stays in view while the runs scroll */
  GtkWidget *scrolled;
  GtkWidget *box;
  GPtrArray *items; /* Item: that of the original, then one for each run in its order */
};

/* What shows a run, or the original; it stays while others come and go, so that the keyboard's focus does. */
typedef struct {
  MsRun *run; /* (nullable): %NULL for the original, which can be side A only */
  MsDocument *document;
  GtkWidget *widget;
  GtkWidget *handle; /* can be dragged */
  GtkImage *image;
  GtkLabel *label;
  GtkToggleButton *sides[2]; /* A and B */
} Item;

G_DEFINE_FINAL_TYPE(MsRunStrip, ms_run_strip, MS_TYPE_PANEL)

#define ITEM_KEY "ms-item"
#define THUMBNAIL_KEY "ms-thumbnail"

/* Each pixel of the thumbnail is one pixel of the picture: scaling is slow, and overflows from 32768 columns on. */
static GdkPixbuf *
new_thumbnail(MsImage *image)
{
  int width = ms_image_get_width(image), height = ms_image_get_height(image);
  double scale = MAX((double)width / THUMBNAIL_WIDTH, (double)height / THUMBNAIL_HEIGHT);
  int columns = MAX((int)(width / scale), 1), rows = MAX((int)(height / scale), 1);
  GdkPixbuf *thumbnail = gdk_pixbuf_new(GDK_COLORSPACE_RGB, TRUE, 8, columns, rows);
  guint8 *pixels = gdk_pixbuf_get_pixels(thumbnail);

  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++)
      memcpy(pixels + (gsize)y * gdk_pixbuf_get_rowstride(thumbnail) + (gsize)x * 4,
             ms_image_get_pixels(image) + MIN((int)((y + 0.5) * scale), height - 1) * ms_image_get_stride(image) +
               (gsize)MIN((int)((x + 0.5) * scale), width - 1) * 4,
             4);
  return thumbnail;
}

static GdkPixbuf *
thumbnail_of_image(MsImage *image)
{
  if (!g_object_get_data(G_OBJECT(image), THUMBNAIL_KEY))
    g_object_set_data_full(G_OBJECT(image), THUMBNAIL_KEY, new_thumbnail(image), g_object_unref);
  return g_object_get_data(G_OBJECT(image), THUMBNAIL_KEY);
}

/* Runs with the same picture share one thumbnail, which stays after their picture was removed to save memory. */
static GdkPixbuf *
thumbnail_of_run(MsRun *run)
{
  MsImage *image = ms_run_get_result(run);

  if (!g_object_get_data(G_OBJECT(run), THUMBNAIL_KEY) && image)
    g_object_set_data_full(G_OBJECT(run), THUMBNAIL_KEY, g_object_ref(thumbnail_of_image(image)), g_object_unref);
  return g_object_get_data(G_OBJECT(run), THUMBNAIL_KEY);
}

/* Dragging a picture out of the window: as a PNG file for a file manager, as pixels for an editor */

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
on_drag_data_get(GtkWidget *widget, GdkDragContext *context, GtkSelectionData *data, guint info, guint time, MsRun *run)
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
    g_autoptr(GdkPixbuf) pixbuf = ms_pixbuf_for_others(result);
    gtk_selection_data_set_pixbuf(data, pixbuf);
  }
}

/* Lets @widget be dragged as the filtered picture of @run; it must have a GdkWindow. */
static void
add_drag(GtkWidget *widget, MsRun *run, MsDocument *document, GdkPixbuf *icon)
{
  gtk_drag_source_set(widget, GDK_BUTTON1_MASK, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_source_add_uri_targets(widget);
  gtk_drag_source_add_image_targets(widget);
  if (icon)
    gtk_drag_source_set_icon_pixbuf(widget, icon);
  g_object_set_data_full(G_OBJECT(widget), TITLE_KEY, g_strdup(ms_document_get_title(document)), g_free);
  g_signal_connect_object(widget, "drag-data-get", G_CALLBACK(on_drag_data_get), run, 0);
}

/* The items */

static gboolean
is_on_side(const Item *self, guint side)
{
  return self->run == (side == 0 ? ms_document_get_run_a(self->document) : ms_document_get_shown_run(self->document));
}

static void
on_toggled(MsRunStrip *self, GtkToggleButton *button)
{
  const Item *item = g_object_get_data(G_OBJECT(button), ITEM_KEY);
  const guint side = button == item->sides[1];
  const gboolean active = gtk_toggle_button_get_active(button);

  if (active == is_on_side(item, side))
    return;
  if (side == 0)
    ms_document_set_run_a(item->document, active ? item->run : NULL);
  else
    ms_document_set_run_b(item->document,
                          active && item->run != ms_document_get_current_run(item->document) ? item->run : NULL);
  ms_panel_invalidate(MS_PANEL(self));
}

static void
item_free(gpointer data)
{
  Item *self = data;

  if (self->widget)
    gtk_widget_destroy(self->widget);
  g_clear_object(&self->widget);
  g_clear_object(&self->run);
  g_clear_object(&self->document);
  g_free(self);
}

static Item *
item_new(MsRunStrip *strip, MsDocument *document, MsRun *run)
{
  g_autoptr(GtkBuilder) builder =
    gtk_builder_new_from_resource("/io/github/meanshift_lab/MeanshiftLab/ui/panels/runs/run-item.ui");
  Item *self = g_new0(Item, 1);

  *self = (Item){.run = run ? g_object_ref(run) : NULL,
                 .document = g_object_ref(document),
                 .widget = g_object_ref(GTK_WIDGET(gtk_builder_get_object(builder, "item"))),
                 .handle = GTK_WIDGET(gtk_builder_get_object(builder, "handle")),
                 .image = GTK_IMAGE(gtk_builder_get_object(builder, "image")),
                 .label = GTK_LABEL(gtk_builder_get_object(builder, "label")),
                 .sides = {GTK_TOGGLE_BUTTON(gtk_builder_get_object(builder, "a")),
                           GTK_TOGGLE_BUTTON(gtk_builder_get_object(builder, "b"))}};
  for (guint side = 0; side < G_N_ELEMENTS(self->sides); side++) {
    g_object_set_data(G_OBJECT(self->sides[side]), ITEM_KEY, self);
    g_signal_connect_object(self->sides[side], "toggled", G_CALLBACK(on_toggled), strip, G_CONNECT_SWAPPED);
  }
  gtk_container_add(GTK_CONTAINER(run ? strip->box : strip->original), self->widget);
  gtk_widget_show_all(self->widget);
  gtk_widget_set_visible(GTK_WIDGET(self->sides[1]), run != NULL);
  if (run && ms_run_get_result(run)) {
    gtk_widget_set_tooltip_text(self->handle, _("Drag the picture of this run to another program"));
    add_drag(self->handle, run, document, thumbnail_of_run(run));
  }
  return self;
}

static void
update_side(const Item *self, guint side, const char *title)
{
  GtkWidget *toggle = GTK_WIDGET(self->sides[side]);
  const char *letter = gtk_button_get_label(GTK_BUTTON(toggle));
  g_autofree char *name = g_strdup_printf(_("%s as %s"), title, letter);
  g_autofree char *tip = g_strdup_printf(_("Shows %s on side %s of the views"), title, letter);

  gtk_toggle_button_set_active(self->sides[side], is_on_side(self, side));
  atk_object_set_name(gtk_widget_get_accessible(toggle), name);
  gtk_widget_set_tooltip_text(toggle, tip);
}

static void
mark_newest(const Item *self)
{
  GtkStyleContext *style = gtk_widget_get_style_context(self->widget);
  const gboolean is_newest = self->run && self->run == ms_document_get_newest_run(self->document);

  if (is_newest)
    gtk_style_context_add_class(style, "newest-run");
  else
    gtk_style_context_remove_class(style, "newest-run");
  atk_object_set_description(gtk_widget_get_accessible(GTK_WIDGET(self->image)), is_newest ? _("Newest run") : "");
}

static void
update_item(const Item *self)
{
  MsRun *run = self->run;
  MsImage *source = ms_document_get_source(self->document);
  const MsMetadata *metadata = ms_image_get_metadata(source);
  const char *title = run ? ms_run_get_label(run) : _("Original");
  g_autofree char *time = run ? ms_format_ms(ms_run_get_kernel_ms(run)) : NULL;
  g_autofree char *about = run ? ms_run_describe(run) : NULL;
  g_autofree char *text = g_strjoin("\n", title, time, NULL);
  g_autofree char *name = g_strdup_printf(_("Thumbnail of %s"), title);

  gtk_label_set_text(self->label, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->label), about);
  ms_screen_colours_show(self->image, run ? thumbnail_of_run(run) : thumbnail_of_image(source),
                         metadata ? metadata->icc : NULL);
  atk_object_set_name(gtk_widget_get_accessible(GTK_WIDGET(self->image)), name);
  update_side(self, 0, title);
  if (run)
    update_side(self, 1, title);
  mark_newest(self);
}

static void
scroll_to_newest(MsRunStrip *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(self->scrolled));

  gtk_adjustment_set_value(adjustment, gtk_adjustment_get_upper(adjustment));
}

/* Puts the item of @run, which is made where there is none, at @place of the list; what was before it there is gone. */
static void
place_item(MsRunStrip *self, MsDocument *document, guint place, MsRun *run)
{
  guint i = place;

  while (i < self->items->len && ((const Item *)self->items->pdata[i])->run != run)
    i++;
  if (i == self->items->len)
    g_ptr_array_insert(self->items, (int)place, item_new(self, document, run));
  else if (i > place)
    g_ptr_array_remove_range(self->items, place, i - place);
  if (run)
    gtk_box_reorder_child(GTK_BOX(self->box), ((const Item *)self->items->pdata[place])->widget, (int)place - 1);
}

static void
ms_run_strip_refresh(MsPanel *panel)
{
  MsRunStrip *self = MS_RUN_STRIP(panel);
  MsDocument *document = ms_panel_get_document(panel);
  GListModel *runs = document ? ms_document_get_runs(document) : NULL;
  const guint n = runs ? g_list_model_get_n_items(runs) : 0, first = n > MOST_RUNS ? n - MOST_RUNS : 0;

  if (!document || (self->items->len > 0 && ((const Item *)self->items->pdata[0])->document != document))
    g_ptr_array_set_size(self->items, 0);
  if (!document)
    return;
  place_item(self, document, 0, NULL);
  for (guint i = first; i < n; i++) {
    g_autoptr(MsRun) run = g_list_model_get_item(runs, i);
    place_item(self, document, 1 + i - first, run);
  }
  g_ptr_array_set_size(self->items, (int)(1 + n - first));
  for (guint i = 0; i < self->items->len; i++)
    update_item(self->items->pdata[i]);
}

static void
on_runs_changed(MsRunStrip *self)
{
  ms_panel_invalidate(MS_PANEL(self));
  scroll_to_newest(self);
}

static void
ms_run_strip_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_connect(panel, ms_document_get_runs(document), "items-changed", G_CALLBACK(on_runs_changed));
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsRunStrip, name)

static void
ms_run_strip_dispose(GObject *object)
{
  MsRunStrip *self = MS_RUN_STRIP(object);

  g_clear_pointer(&self->items, g_ptr_array_unref);
  G_OBJECT_CLASS(ms_run_strip_parent_class)->dispose(object);
}

static void
ms_run_strip_class_init(MsRunStripClass *klass)
{
  static const char *const follows[] = {"notify::current-run", "notify::shown-run", "notify::run-a", NULL};
  static const MsTemplatePart parts[] = {CHILD(original), CHILD(scrolled), CHILD(box)};

  G_OBJECT_CLASS(klass)->dispose = ms_run_strip_dispose;
  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->attach = ms_run_strip_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_run_strip_refresh;
  ms_template_bind(klass, "panels/runs/run-strip.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_run_strip_init(MsRunStrip *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->items = g_ptr_array_new_with_free_func(item_free);
  /* The position of a new run is known after the next layout, which makes the strip longer. */
  g_signal_connect_object(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(self->scrolled)), "notify::upper",
                          G_CALLBACK(scroll_to_newest), self, G_CONNECT_SWAPPED);
}
