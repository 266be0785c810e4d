/* SPDX-License-Identifier: MIT */
/* The panel of regions against the serial code: their number, the row of the one clicked, the pictures. */
#include <string.h>

#include "core/engine/filter-modes.h"
#include "tests/gui/panel-fixture.h"
#include "tests/support/fixture.h"
#include "ui/document/document-runs.h"
#include "ui/panels/regions/regions-panel.h"

static MsSegmentation *
find_serially(MsImage *source, MsRun *run, guint min_pixels)
{
  const MsSettings *settings = ms_run_get_requested(run);
  const MsRegionOptions options = {min_pixels, MS_REGION_RANGE_DEFAULT};
  g_autoptr(GError) error = NULL;
  MsModesRun modes_run = {NULL};

  g_autoptr(MsImage) filtered = ms_filter_modes_run(NULL, source, settings, &modes_run, &error);
  g_autofree guint16 *modes = modes_run.modes;
  g_assert_no_error(error);
  MsSegmentation *s = ms_segmentation_new_on(NULL, filtered, modes, &settings->params, &options, NULL, &error);
  g_assert_no_error(error);
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

static void
click(GtkWidget *area, double x, double y)
{
  g_autoptr(GdkEvent) event = gdk_event_new(GDK_BUTTON_PRESS);

  event->button.window = g_object_ref(gtk_widget_get_window(area));
  event->button.button = GDK_BUTTON_PRIMARY;
  event->button.x = x;
  event->button.y = y;
  gdk_event_set_device(event, gdk_seat_get_pointer(gdk_display_get_default_seat(gtk_widget_get_display(area))));
  g_assert_true(gtk_widget_event(area, event));
}

/* The middle of the area shows the middle of the picture. */
static void
check_click(PanelFixture *f, const MsSegmentation *s)
{
  GtkWidget *area = find_by_type(f->panel, GTK_TYPE_DRAWING_AREA);
  const guint32 label = s->labels[(gsize)(s->height / 2) * s->width + s->width / 2];
  g_autofree char *words = g_strdup_printf("Region %u: ", label);

  click(area, gtk_widget_get_allocated_width(area) / 2.0 + 0.01, gtk_widget_get_allocated_height(area) / 2.0 + 0.01);
  g_assert_nonnull(find_label_with(f->panel, words));
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
  MsPictureRegions *regions = ms_regions_panel_get_regions(MS_REGIONS_PANEL(f->panel));
  g_autoptr(MsSegmentation) expected = find_serially(ms_document_get_source(f->document), run, min_pixels);
  g_autofree char *count = g_strdup_printf("%u regions", expected->n);

  g_assert_cmpuint(expected->n, >, 1);
  wait_for(60, has_found(regions, expected));
  g_assert_null(ms_picture_result_get_problem(MS_PICTURE_RESULT(regions)));
  g_assert_nonnull(find_label_with(f->panel, count));
  check_click(f, expected);
}

/* Each picture differs from the others. */
static void
check_pictures(MsPictureRegions *regions)
{
  g_autoptr(MsImage) outlines = ms_picture_regions_paint(regions, MS_REGION_PICTURE_OUTLINES);
  g_autoptr(MsImage) labels = ms_picture_regions_paint(regions, MS_REGION_PICTURE_LABELS);
  g_autoptr(MsImage) means = ms_picture_regions_paint(regions, MS_REGION_PICTURE_MEANS);
  const gsize bytes = ms_image_get_byte_size(outlines);

  g_assert_false(memcmp(ms_image_get_pixels(outlines), ms_image_get_pixels(labels), bytes) == 0);
  g_assert_false(memcmp(ms_image_get_pixels(labels), ms_image_get_pixels(means), bytes) == 0);
  g_assert_false(memcmp(ms_image_get_pixels(means), ms_image_get_pixels(outlines), bytes) == 0);
}

static void
test_regions(void)
{
  PanelFixture f;

  if (!panel_fixture_set_up(&f, MS_TYPE_REGIONS_PANEL))
    return;
  MsRun *run = panel_fixture_filter(&f, "sp", "4");
  check_regions(&f, run, 50);
  check_pictures(ms_regions_panel_get_regions(MS_REGIONS_PANEL(f.panel)));
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(find_spin(f.panel, 1000000)), 900);
  check_regions(&f, run, 900);
  run = panel_fixture_filter(&f, "sr", "40");
  check_regions(&f, run, 900);
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "regions");
  panel_fixture_tear_down(&f);
}

/* Levels have no modes: the panel says so. The serial reference has no kernels to build for them. */
static void
test_refusal(void)
{
  PanelFixture f;

  if (!panel_fixture_set_up(&f, MS_TYPE_REGIONS_PANEL))
    return;
  ms_window_engine_choose(f.engine, "reference");
  wait_for(60, ms_window_engine_is_reference(f.engine));
  panel_fixture_filter(&f, "levels", "1");
  wait_for(60, find_label_with(f.panel, "--levels"));
  g_assert_null(ms_picture_regions_get_table(ms_regions_panel_get_regions(MS_REGIONS_PANEL(f.panel))));
  panel_fixture_tear_down(&f);
}

static void
test_without_document(void)
{
  panel_fixture_show_empty(MS_TYPE_REGIONS_PANEL);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/panel-regions/regions", test_regions);
  g_test_add_func("/panel-regions/refusal", test_refusal);
  g_test_add_func("/panel-regions/without-document", test_without_document);
  return g_test_run();
}
