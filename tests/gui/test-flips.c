/* SPDX-License-Identifier: MIT */
/* Price tags: what each value of a toggle costs beside the present settings, and that all give the same pixels. */
#include <string.h>

#include "tests/gui/panel-fixture.h"
#include "ui/document/flips.h"
#include "ui/options/option-row.h"
#include "ui/options/options-panel.h"
#include "ui/options/price-tag.h"

static MsPriceTag *
tag_of(PanelFixture *f, const char *option, const char *value)
{
  g_autofree char *name = g_strdup_printf("Price of %s", value);
  GtkWidget *row = ms_options_panel_get_row(MS_OPTIONS_PANEL(f->panel), option);
  GtkWidget *tag = find_named(row, name);

  g_assert_nonnull(tag);
  return MS_PRICE_TAG(tag);
}

static gboolean
is_measuring(PanelFixture *f)
{
  guint done, all;

  return ms_document_is_measuring(f->document, &done, &all);
}

static void
measure_all(PanelFixture *f)
{
  ms_document_measure_flips(f->document, 200 * 1000);
  g_assert_true(is_measuring(f));
  wait_for(250, !is_measuring(f));
  panel_fixture_settle();
}

/* A fast filter, so that all flips take little time. */
static MsRun *
filter_quickly(PanelFixture *f)
{
  panel_fixture_filter(f, "max-iterations", "1");
  return panel_fixture_filter(f, "sp", "2");
}

/* Tags are filled as runs happen and by measuring all; the number is that of the runs, and all pixels are the same. */
static void
test_prices(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  MsRun *present = filter_quickly(&f);
  g_assert_cmpstr(ms_price_tag_get_text(tag_of(&f, "memory", "buffer")), ==, "1.0×");
  g_assert_cmpstr(ms_price_tag_get_text(tag_of(&f, "memory", "image")), ==, "");
  measure_all(&f);

  g_auto(MsFlip) image = ms_document_look_at(f.document, ms_option_find("memory"), "image");
  g_assert_nonnull(image.run);
  g_assert_true(ms_document_get_present_run(f.document) == present);
  g_assert_cmpuint(ms_run_summarise(present).n, >=, 3);
  g_autofree char *price = ms_price_text(&image, present);
  g_assert_cmpstr(ms_price_tag_get_text(tag_of(&f, "memory", "image")), ==, price);
  g_autofree char *tip = gtk_widget_get_tooltip_text(GTK_WIDGET(tag_of(&f, "memory", "image")));
  g_assert_nonnull(strstr(tip, "the time of the present settings: "));
  g_assert_nonnull(
    find_label_with(ms_options_panel_get_row(MS_OPTIONS_PANEL(f.panel), "memory"), "same pixels, verified"));
  g_assert_nonnull(find_label_with(ms_options_panel_get_row(MS_OPTIONS_PANEL(f.panel), "kernel"), "direct "));
  g_assert_false(ms_run_has_result(image.run)); /* its pixels are known by their digest */
  g_assert_cmpuint(g_list_model_get_n_items(ms_document_get_runs(f.document)), ==, 2);
  assert_accessible_names(f.panel);
  panel_fixture_screenshot(&f, "price-tags");
}

/* While a slider moves, no row asks for plans; when it is let go of, the prices are those of the new settings. */
static void
test_dragging(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  filter_quickly(&f);
  ms_document_set_live(f.document, FALSE);
  ms_document_set_dragging(f.document, TRUE);
  g_object_set(f.document, "sp", 3.0, NULL);
  panel_fixture_settle();
  g_assert_cmpstr(ms_price_tag_get_text(tag_of(&f, "memory", "buffer")), ==, "1.0×");
  GtkWidget *slider = find_by_type(ms_options_panel_get_row(MS_OPTIONS_PANEL(f.panel), "sp"), GTK_TYPE_SCALE);
  double number;
  g_object_get(slider, "number", &number, NULL);
  g_assert_cmpfloat(number, ==, 3);
  ms_document_set_dragging(f.document, FALSE);
  panel_fixture_settle();
  g_assert_cmpstr(ms_price_tag_get_text(tag_of(&f, "memory", "buffer")), ==, "");
}

/* Any request ends the measuring, and is not kept waiting by it. */
static void
test_interrupted(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  panel_fixture_filter(&f, "sr", "30");
  ms_document_measure_flips(f.document, 200 * 1000);
  wait_for(60, find_label_with(f.panel, "Stop, "));
  g_assert_true(is_measuring(&f));
  panel_fixture_filter(&f, "sr", "31");
  g_assert_false(is_measuring(&f));
  g_assert_cmpfloat(ms_run_get_settings(ms_document_get_current_run(f.document))->params.sr, ==, 31);

  /* The budget ends it, too. */
  ms_document_measure_flips(f.document, 1);
  wait_for(60, !is_measuring(&f));
}

/* A value that cannot run is crossed, with the reason. */
static void
test_refused(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  filter_quickly(&f);
  panel_fixture_filter(&f, "kernel", "rows");
  g_auto(MsFlip) image = ms_document_look_at(f.document, ms_option_find("memory"), "image");
  g_assert_nonnull(image.refusal);
  MsPriceTag *tag = tag_of(&f, "memory", "image");
  g_autofree char *tip = gtk_widget_get_tooltip_text(GTK_WIDGET(tag));
  g_assert_cmpstr(ms_price_tag_get_text(tag), ==, "✗");
  g_assert_cmpstr(tip, ==, image.refusal);
}

/* (transfer full): a run with the settings of a flip, whose picture differs from that of @present in one pixel */
static MsRun *
wrong_run(PanelFixture *f, MsRun *present)
{
  MsImage *picture = ms_run_get_result(present);
  MsSettings settings = *ms_run_get_settings(present), resolved;
  g_autoptr(GBytes) pixels = NULL;
  guint8 *copy = g_memdup2(ms_image_get_pixels(picture), ms_image_get_byte_size(picture));

  copy[0] ^= 1;
  pixels = g_bytes_new_take(copy, ms_image_get_byte_size(picture));
  g_autoptr(MsImage) other = ms_image_new(ms_image_get_width(picture), ms_image_get_height(picture), pixels, NULL);
  settings = *ms_document_get_settings(f->document);
  settings.options.memory = MS_MEMORY_IMAGE;
  g_assert_true(ms_document_resolve(f->document, &settings, &resolved));
  const MsRunFacts facts = {.requested = settings,
                            .settings = resolved,
                            .device = ms_run_get_device(present),
                            .log = ms_run_get_log(present),
                            .result = other,
                            .digest = "0000000000000000000000000000000000000000"};
  return ms_run_new(&facts);
}

/* Pixels that differ are counted, and a click shows where. */
static void
test_different_pixels(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  MsRun *present = filter_quickly(&f);
  g_autoptr(MsRun) wrong = wrong_run(&f, present);
  ms_document_add_flip(f.document, wrong);
  panel_fixture_settle();
  GtkWidget *row = ms_options_panel_get_row(MS_OPTIONS_PANEL(f.panel), "memory");
  GtkWidget *button = find_button(row, "pixels differ");
  g_assert_true(gtk_widget_get_mapped(button));
  g_autofree char *tip = gtk_widget_get_tooltip_text(button);
  g_assert_true(g_str_has_prefix(tip, "1 pixels differ"));
  gtk_button_clicked(GTK_BUTTON(button));
  g_assert_true(ms_document_get_run_a(f.document) == present);
  g_assert_true(ms_document_get_run_b(f.document) == wrong);
}

/* What a move of a slider costs beside the filter: every row asks the plan about each of its values. */
static void
test_cost_of_update(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  filter_quickly(&f);
  gint64 start = g_get_monotonic_time();
  for (int turn = 0; turn < 50; turn++)
    for (guint i = 0; i < ms_options.n_rows; i++)
      ms_option_row_update(MS_OPTION_ROW(ms_options_panel_get_row(MS_OPTIONS_PANEL(f.panel), ms_options.rows[i].name)));
  const double ms = (double)(g_get_monotonic_time() - start) / 50 / 1000;
  g_test_message("all rows are updated in %.2f ms", ms);
  if (g_test_perf())
    g_assert_cmpfloat(ms, <, 10);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/flips/dragging", test_dragging);
  g_test_add_func("/flips/prices", test_prices);
  g_test_add_func("/flips/interrupted", test_interrupted);
  g_test_add_func("/flips/refused", test_refused);
  g_test_add_func("/flips/cost-of-update", test_cost_of_update);
  g_test_add_func("/flips/different-pixels", test_different_pixels);
  return g_test_run();
}
