/* SPDX-License-Identifier: MIT */
/* The panel of regions against the serial code: their number, the row of the selected one, the pictures. */
#include <string.h>

#include "core/engine/engine.h"
#include "core/image/image-io.h"
#include "core/regions/segment-table.h"
#include "tests/gui/panel-fixture.h"
#include "tests/support/fixture.h"
#include "ui/document/picture-regions.h"
#include "ui/panels/regions/regions-panel.h"

static MsSegmentation *
find_serially(MsImage *source, MsRun *run, guint min_pixels)
{
  const MsSettings *settings = ms_run_get_requested(run);
  const MsRegionOptions options = {min_pixels, MS_REGION_RANGE_DEFAULT, NULL};
  g_autoptr(GError) error = NULL;
  g_autoptr(MsEngine) reference = ms_reference_engine_new();
  MsJob modes_run = {.source = source, .settings = settings, .wants_modes = TRUE};

  g_autoptr(MsImage) filtered = ms_engine_run(reference, &modes_run, &error);
  g_autofree guint16 *modes = modes_run.modes;
  g_assert_no_error(error);
  g_autoptr(MsNoData) no_data = ms_no_data_find(source, (MsRows){0, ms_image_get_height(source)});
  const MsFiltered found = {
    .image = filtered, .modes = modes, .params = &settings->params, .absent = no_data ? no_data->absent : NULL};
  MsSegmentation *s = ms_segmentation_new_on(NULL, &found, &options, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MsSegmentTable) table = ms_segment_table_new_on(NULL, s, source, &error);
  if (no_data)
    ms_left_out_drop(no_data, s, table);
  return s;
}

/* The spin button whose value cannot exceed @upper. */
static GtkWidget *
find_spin(GtkWidget *root, double upper)
{
  double largest = 0;

  if (GTK_IS_SPIN_BUTTON(root)) {
    gtk_spin_button_get_range(GTK_SPIN_BUTTON(root), NULL, &largest);
    return largest == upper ? root : NULL;
  }
  g_autoptr(GList) children = GTK_IS_CONTAINER(root) ? gtk_container_get_children(GTK_CONTAINER(root)) : NULL;
  for (GList *child = children; child; child = child->next) {
    GtkWidget *found = find_spin(child->data, upper);
    if (found)
      return found;
  }
  return NULL;
}

/* Selecting a region selects its row, and selecting a row selects its region. */
static void
check_selection(PanelFixture *f, const MsSegmentation *s)
{
  MsPictureRegions *regions = ms_picture_regions_of(f->document);
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f->panel, GTK_TYPE_TREE_VIEW));
  g_autoptr(GtkTreePath) last = gtk_tree_path_new_from_indices((int)s->n - 1, -1);
  const int x = s->width / 2, y = s->height / 2;

  gtk_tree_view_set_cursor(tree, last, NULL, FALSE);
  g_assert_cmpuint(ms_picture_regions_get_selected(regions), ==, s->n);
  ms_picture_regions_select_pixel(regions, x, y);
  g_autoptr(GtkTreePath) path = gtk_tree_path_new_from_indices((int)s->labels[(gsize)y * s->width + x] - 1, -1);
  g_assert_true(gtk_tree_selection_path_is_selected(gtk_tree_view_get_selection(tree), path));
}

static char *
shown_cell(GtkTreeView *tree, int row, int column)
{
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  GtkTreeViewColumn *shown = gtk_tree_view_get_column(tree, column);
  g_autoptr(GList) cells = gtk_cell_layout_get_cells(GTK_CELL_LAYOUT(shown));
  GtkTreeIter iter;
  char *text;

  g_assert_true(gtk_tree_model_iter_nth_child(model, &iter, NULL, row));
  gtk_tree_view_column_cell_set_cell_data(shown, model, &iter, FALSE, FALSE);
  g_object_get(cells->data, "text", &text, NULL);
  return text;
}

/* Each cell of the last row, which has the numbers of that region in the order of the columns. */
static void
check_rows(PanelFixture *f, const MsSegmentation *s)
{
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f->panel, GTK_TYPE_TREE_VIEW));
  const MsSegment *r = &ms_picture_regions_get_table(ms_picture_regions_of(f->document))->segments[s->n - 1];
  g_autofree char *text =
    g_strdup_printf("%u|%u|%d–%d|%d–%d|%.1f, %.1f|%.1f, %.1f, %.1f|%.1f, %.1f, %.1f|%u|%u", s->n, r->pixels, r->left,
                    r->right, r->top, r->bottom, r->x, r->y, r->mean[0], r->mean[1], r->mean[2], r->deviation[0],
                    r->deviation[1], r->deviation[2], r->n_neighbours, (guint)r->perimeter);
  g_auto(GStrv) expected = g_strsplit(text, "|", -1);

  g_assert_cmpint(tree_rows(tree), ==, s->n);
  g_assert_cmpuint(g_strv_length(expected), ==, gtk_tree_view_get_n_columns(tree));
  for (int i = 0; expected[i]; i++) {
    g_autofree char *shown = shown_cell(tree, (int)s->n - 1, i);
    g_assert_cmpstr(shown, ==, expected[i]);
  }
}

static gboolean
has_found(MsPictureRegions *regions, const MsSegmentation *expected)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(regions);
  const gsize bytes = (gsize)expected->width * expected->height * sizeof *expected->labels;

  return s && s->n == expected->n && memcmp(s->labels, expected->labels, bytes) == 0;
}

/* Before and behind the first run the panel says what it waits for. */
static void
test_waiting(void)
{
  SET_UP_PANEL(f, MS_TYPE_REGIONS_PANEL);
  panel_fixture_settle();
  g_assert_nonnull(find_label_with(f.panel, "has not been filtered yet"));
  panel_fixture_filter(&f, "sr", "20");
  MsPictureResult *regions = MS_PICTURE_RESULT(ms_picture_regions_of(f.document));
  wait_for(60, ms_picture_result_is_busy(regions) || ms_picture_result_get_known(regions));
  g_assert_null(find_label_with(f.panel, "filtered yet"));
  g_assert_true(find_label_with(f.panel, "Computing…") || find_label_with(f.panel, "region"));
}

static void
check_regions(PanelFixture *f, MsRun *run, guint min_pixels)
{
  MsPictureRegions *regions = ms_picture_regions_of(f->document);
  g_autoptr(MsSegmentation) expected = find_serially(ms_document_get_source(f->document), run, min_pixels);
  g_autofree char *count = g_strdup_printf("%u regions", expected->n);

  g_assert_cmpuint(expected->n, >, 1);
  wait_for(60, has_found(regions, expected));
  g_assert_null(ms_picture_result_get_problem(MS_PICTURE_RESULT(regions)));
  g_assert_nonnull(find_label_with(f->panel, count));
  check_rows(f, expected);
  check_selection(f, expected);
}

/* The pixel of a picture as one number. */
static guint32
colour_at(MsImage *image, gsize i)
{
  const guint8 *p = ms_image_get_pixels(image) + 4 * i;

  return (guint32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* Whether the pixel to the right (@dx is 1) or below belongs to another region. */
static gboolean
borders(const MsSegmentation *s, int x, int y, int dx)
{
  const int right = x + dx, below = y + !dx;

  return right < s->width && below < s->height &&
         s->labels[(gsize)y * s->width + x] != s->labels[(gsize)below * s->width + right];
}

/* Pixels with another region right or below are red, the others as in the original. */
static void
check_outlines(MsImage *outlines, const MsSegmentation *s, MsImage *source)
{
  gsize i = 0;

  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++, i++)
      g_assert_cmphex(colour_at(outlines, i), ==,
                      borders(s, x, y, 1) || borders(s, x, y, 0) ? 0xff0000ff : colour_at(source, i));
}

/* Pixels of a region have one opaque colour, neighbours of another region another, consecutive labels one far away. */
static void
check_labels(MsImage *labels, const MsSegmentation *s)
{
  g_autofree guint32 *colours = g_new0(guint32, s->n + 1);
  gsize i = 0;

  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++, i++) {
      guint32 *colour = &colours[s->labels[i]];
      *colour = *colour ? *colour : colour_at(labels, i);
      g_assert_cmphex(colour_at(labels, i), ==, *colour);
      g_assert_cmphex(*colour & 255, ==, 255);
      g_assert_true(!borders(s, x, y, 1) || colour_at(labels, i + 1) != *colour);
      g_assert_true(!borders(s, x, y, 0) || colour_at(labels, i + s->width) != *colour);
    }
  for (guint32 label = 1; label < s->n; label++)
    g_assert_cmpint(ABS((int)(colours[label] >> 24) - (int)(colours[label + 1] >> 24)), >=, 64);
}

/* Each channel of a pixel is its mean over the region, to the nearest; pixels of no region are as in the original. */
static void
check_means(MsImage *means, const MsSegmentation *s, MsImage *source)
{
  const gsize n = (gsize)s->width * s->height;
  const guint8 *from = ms_image_get_pixels(source), *to = ms_image_get_pixels(means);
  g_autofree guint64(*sums)[4] = g_malloc0(((gsize)s->n + 1) * sizeof *sums);

  for (gsize i = 0; i < n; i++) {
    guint64 *sum = sums[s->labels[i]];
    for (int k = 0; k < 3; k++)
      sum[k] += from[4 * i + k];
    sum[3]++;
  }
  for (gsize i = 0; i < n; i++) {
    const guint64 *sum = sums[s->labels[i]];
    for (int k = 0; k < 3; k++)
      g_assert_cmpint(to[4 * i + k], ==, s->labels[i] ? (2 * sum[k] + sum[3]) / (2 * sum[3]) : from[4 * i + k]);
    g_assert_cmpint(to[4 * i + 3], ==, from[4 * i + 3]);
  }
}

static void
check_pictures(MsPictureRegions *regions, MsImage *source)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(regions);
  const MsSegmentTable *table = ms_picture_regions_get_table(regions);
  g_autoptr(MsImage) outlines = ms_region_picture_paint(MS_REGION_PICTURE_OUTLINES, s, table, source);
  g_autoptr(MsImage) labels = ms_region_picture_paint(MS_REGION_PICTURE_LABELS, s, table, source);
  g_autoptr(MsImage) means = ms_region_picture_paint(MS_REGION_PICTURE_MEANS, s, table, source);

  check_outlines(outlines, s, source);
  check_labels(labels, s);
  check_means(means, s, source);
}

static void
test_regions(void)
{
  SET_UP_PANEL(f, MS_TYPE_REGIONS_PANEL);
  MsRun *run = panel_fixture_filter(&f, "sp", "4");
  check_regions(&f, run, 50);
  check_pictures(ms_picture_regions_of(f.document), ms_document_get_source(f.document));
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(find_spin(f.panel, 1000000)), 900);
  check_regions(&f, run, 900);
  run = panel_fixture_filter(&f, "sr", "40");
  check_regions(&f, run, 900);
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "regions");
}

/* Under this rule windows may leave the image, so that regions are refused with the reason. */
static void
test_refusal(void)
{
  SET_UP_PANEL(f, MS_TYPE_REGIONS_PANEL);
  panel_fixture_filter(&f, "rule", "replicate");
  wait_for(60, find_label_with(f.panel, "'Rule' replicate"));
  g_assert_null(ms_picture_regions_get_table(ms_picture_regions_of(f.document)));
}

/* What a save reports: how many have ended, and (nullable) the sentence on what the last one lost. */
typedef struct {
  guint n;
  char *losses;
} Saved;

static void
on_saved(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  Saved *saved = data;

  g_clear_pointer(&saved->losses, g_free);
  g_assert_true(ms_picture_regions_save_finish(MS_PICTURE_REGIONS(source), result, &saved->losses, &error));
  g_assert_no_error(error);
  saved->n++;
}

/* What a file of regions lacks is told in the window as on the command line. */
static void
check_losses(MsPictureRegions *regions)
{
  g_autofree char *folder = g_dir_make_tmp("ms-regions-XXXXXX", NULL);
  g_autofree char *png = g_build_filename(folder, "means.png", NULL), *tiff = g_build_filename(folder, "a.tif", NULL);
  Saved saved = {0};

  ms_picture_regions_save_async(regions, MS_REGION_FILE_MEANS, png, on_saved, &saved);
  wait_for(60, saved.n == 1);
  g_assert_nonnull(strstr(saved.losses, "the value of pixels without data could not be kept"));
  ms_picture_regions_save_async(regions, MS_REGION_FILE_MEANS, tiff, on_saved, &saved);
  wait_for(60, saved.n == 2);
  g_assert_null(saved.losses);
  panel_fixture_remove_folder(folder);
}

/* Pixels without data belong to no region, and none has such a neighbour. */
static void
test_no_data(void)
{
  g_autoptr(MsImage) map = ms_fixture_map(200, 150, NULL);

  SET_UP_PANEL(f, MS_TYPE_REGIONS_PANEL);
  g_object_unref(f.document);
  f.document = ms_document_new(f.engine, map, NULL, "map.tif");
  ms_document_set_live(f.document, FALSE);
  g_object_set(f.panel, "document", f.document, NULL);
  MsRun *run = panel_fixture_filter(&f, "sp", "4");
  check_regions(&f, run, 50);
  MsPictureRegions *regions = ms_picture_regions_of(f.document);
  const MsSegmentTable *table = ms_picture_regions_get_table(regions);
  g_assert_cmpuint(ms_picture_regions_get_segmentation(regions)->labels[0], ==, 0);
  ms_picture_regions_select_pixel(regions, 0, 0);
  g_assert_cmpuint(ms_picture_regions_get_selected(regions), ==, 0);
  for (gsize i = 0; i < table->n_neighbours; i++)
    g_assert_cmpuint(table->neighbours[i], >, 0);
  check_pictures(regions, map);
  check_losses(regions);
}

static void
test_without_document(void)
{
  panel_fixture_show_empty(MS_TYPE_REGIONS_PANEL);
}

/* The pictures of a file and of the regions are one; texts are those of the command line, numbers follow a header. */
static void
check_file(MsRegionFile kind, const char *path, MsPictureRegions *regions, MsImage *source)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(regions);
  const MsSegmentTable *table = ms_picture_regions_get_table(regions);
  const gsize size = (gsize)s->width * s->height * sizeof *s->labels;
  const gboolean is_text = kind == MS_REGION_FILE_CSV || kind == MS_REGION_FILE_JSON;
  g_autoptr(GError) error = NULL;
  g_autofree char *contents = NULL;
  gsize length = 0;

  g_assert_true(g_file_get_contents(path, &contents, &length, NULL));
  if (is_text) {
    g_autofree char *text =
      kind == MS_REGION_FILE_CSV ? ms_segment_table_to_csv(table) : ms_segment_table_to_json(table);
    g_assert_cmpstr(contents, ==, text);
  } else if (kind == MS_REGION_FILE_LABELS) {
    g_assert_cmpuint(length, ==, 128 + size);
    g_assert_cmpmem(contents + 128, size, s->labels, size);
  } else {
    g_autoptr(MsImage) saved = ms_image_load(path, NULL, NULL, &error);
    g_assert_no_error(error);
    if (kind == MS_REGION_FILE_MEANS)
      check_means(saved, s, source);
    else
      check_outlines(saved, s, source);
  }
}

/* The range of closeness makes fewer regions, and all that the command line writes can be saved. */
static void
test_range_and_files(void)
{
  static const struct {
    MsRegionFile kind;
    const char *name;
  } cases[] = {{MS_REGION_FILE_MEANS, "means.png"},
               {MS_REGION_FILE_OUTLINES, "outlines.png"},
               {MS_REGION_FILE_LABELS, "labels.npy"},
               {MS_REGION_FILE_CSV, "table.csv"},
               {MS_REGION_FILE_JSON, "table.json"}};
  Saved saved = {0};

  SET_UP_PANEL(f, MS_TYPE_REGIONS_PANEL);
  g_autofree char *folder = g_dir_make_tmp("ms-regions-XXXXXX", NULL);
  panel_fixture_filter(&f, "sr", "20");
  MsPictureRegions *regions = ms_picture_regions_of(f.document);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(find_spin(f.panel, 1e6)), 1);
  wait_for(60, ms_picture_regions_get_table(regions) && !ms_picture_result_is_busy(MS_PICTURE_RESULT(regions)));
  const guint32 before = ms_picture_regions_get_table(regions)->n;
  GtkWidget *range = find_named(f.panel, "Closeness of regions");
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(range), 1.5);
  wait_for(60,
           !ms_picture_result_is_busy(MS_PICTURE_RESULT(regions)) && ms_picture_regions_get_table(regions)->n < before);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_build_filename(folder, cases[i].name, NULL);
    ms_picture_regions_save_async(regions, cases[i].kind, path, on_saved, &saved);
    wait_for(60, saved.n == i + 1);
    g_assert_null(saved.losses);
    check_file(cases[i].kind, path, regions, ms_document_get_source(f.document));
  }
  panel_fixture_remove_folder(folder);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/panel-regions/regions", test_regions);
  g_test_add_func("/panel-regions/waiting", test_waiting);
  g_test_add_func("/panel-regions/range-and-files", test_range_and_files);
  g_test_add_func("/panel-regions/no-data", test_no_data);
  g_test_add_func("/panel-regions/refusal", test_refusal);
  g_test_add_func("/panel-regions/without-document", test_without_document);
  return g_test_run();
}
