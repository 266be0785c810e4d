/* SPDX-License-Identifier: MIT */
/* The panel of regions against the serial code: their number, the row of the selected one, the pictures. */
#include <string.h>

#include "core/engine/engine.h"
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
  MsEngineRun modes_run = {.want_modes = TRUE};

  g_autoptr(MsImage) filtered = ms_engine_run(reference, source, settings, &modes_run, &error);
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

/* A row for each region, with its number of pixels. */
static void
check_rows(PanelFixture *f, const MsSegmentation *s)
{
  GtkTreeView *tree = GTK_TREE_VIEW(find_by_type(f->panel, GTK_TYPE_TREE_VIEW));
  const MsSegmentTable *table = ms_picture_regions_get_table(ms_picture_regions_of(f->document));
  g_autofree char *label = shown_cell(tree, (int)s->n - 1, 0), *pixels = shown_cell(tree, (int)s->n - 1, 1);

  g_assert_cmpint(tree_rows(tree), ==, s->n);
  g_assert_cmpuint(g_ascii_strtoull(label, NULL, 10), ==, s->n);
  g_assert_cmpuint(g_ascii_strtoull(pixels, NULL, 10), ==, table->segments[s->n - 1].pixels);
}

static gboolean
has_found(MsPictureRegions *regions, const MsSegmentation *expected)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(regions);
  const gsize bytes = (gsize)expected->width * expected->height * sizeof *expected->labels;

  return s && s->n == expected->n && memcmp(s->labels, expected->labels, bytes) == 0;
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

/* Each picture differs from the others. */
static void
check_pictures(MsPictureRegions *regions, MsImage *source)
{
  const MsSegmentation *s = ms_picture_regions_get_segmentation(regions);
  const MsSegmentTable *table = ms_picture_regions_get_table(regions);
  MsImage *pictures[MS_N_REGION_PICTURES];

  for (int i = 0; i < MS_N_REGION_PICTURES; i++) {
    pictures[i] = ms_region_picture_paint((MsRegionPicture)i, s, table, source);
    for (int k = 0; k < i; k++)
      g_assert_false(memcmp(ms_image_get_pixels(pictures[i]), ms_image_get_pixels(pictures[k]),
                            ms_image_get_byte_size(source)) == 0);
  }
  for (int i = 0; i < MS_N_REGION_PICTURES; i++)
    g_object_unref(pictures[i]);
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
}

static void
test_without_document(void)
{
  panel_fixture_show_empty(MS_TYPE_REGIONS_PANEL);
}

static void
on_saved(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_picture_regions_save_finish(MS_PICTURE_REGIONS(source), result, &error));
  g_assert_no_error(error);
  (*(guint *)data)++;
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
  guint saved = 0;

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
    wait_for(60, saved == i + 1);
    g_autofree char *contents = NULL;
    gsize length = 0;
    g_assert_true(g_file_get_contents(path, &contents, &length, NULL));
    g_assert_cmpuint(length, >, 100);
    if (cases[i].kind == MS_REGION_FILE_CSV) {
      g_autofree char *csv = ms_segment_table_to_csv(ms_picture_regions_get_table(regions));
      g_assert_cmpstr(contents, ==, csv);
    }
  }
  panel_fixture_remove_folder(folder);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/panel-regions/regions", test_regions);
  g_test_add_func("/panel-regions/range-and-files", test_range_and_files);
  g_test_add_func("/panel-regions/no-data", test_no_data);
  g_test_add_func("/panel-regions/refusal", test_refusal);
  g_test_add_func("/panel-regions/without-document", test_without_document);
  return g_test_run();
}
