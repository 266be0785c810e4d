/* SPDX-License-Identifier: MIT */
/* The resident memory of the process, in a separate program, so that other tests do not change it. */
#include "tests/support/fixture.h"
#include "tests/gui/window-fixture.h"
#include "ui/document/document.h"
#include "ui/window/window.h"

/* A decrease counts as no growth. */
static gint64
grown_since(gsize before)
{
  return (gint64)window_fixture_resident_bytes() - (gint64)before;
}

/* The memory of two hundred pictures, opened one after the other, is freed. */
static void
test_many(void)
{
  gsize settled = 0;

  SET_UP(fixture);
  g_autoptr(MsImage) scene = ms_fixture_scene(320, 240, 9);
  g_autoptr(GFile) file = window_fixture_write(&fixture, scene, "many.png");
  for (int i = 0; i < 200; i++) {
    ms_window_open(fixture.window, file);
    wait_for(60, ms_window_get_n_documents(fixture.window) == 1);
    if (i % 20 == 0)
      window_fixture_wait_idle(&fixture);
    ms_window_close_tab(fixture.window);
    if (i == 40)
      settled = window_fixture_resident_bytes();
  }
  /* The memory of a cancelled run is freed later, by its thread. */
  wait_for(60, grown_since(settled) < 24 << 20);
  g_test_message("%" G_GINT64_FORMAT " KiB more after 160 further pictures of 300 KiB", grown_since(settled) / 1024);
}

/* MS_TEST_RUNS sets the number. There are none under the sanitizers, whose own memory grows. */
static int
number_of_runs(void)
{
  const char *given = g_getenv("MS_TEST_RUNS");

  if (given)
    return (int)g_ascii_strtoll(given, NULL, 10);
  return ms_fixture_form() == MS_TEST_LONG ? 2000 : 0;
}

/* Filter runs of one picture, one after the other: from a quarter of them on, memory grows by at most 5 %. */
static void
test_many_runs(void)
{
  const int n = number_of_runs();
  gsize settled = 0;

  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 64, 48);
  for (int i = 0; i < n; i++) {
    MsSettings settings = *ms_document_get_settings(document);
    settings.params.sr = 10 + i % 20;
    ms_document_set_settings(document, &settings);
    window_fixture_wait_idle(&fixture);
    if (i == n / 4)
      settled = window_fixture_resident_bytes();
    if (i % MAX(n / 8, 1) == 0)
      g_test_message("%" G_GSIZE_FORMAT " KiB after run %d", window_fixture_resident_bytes() / 1024, i + 1);
  }
  wait_for(60, grown_since(settled) <= (gint64)settled / 20);
  g_test_message("%.1f MiB, and %.1f MiB after %d runs", settled / 1048576.0,
                 window_fixture_resident_bytes() / 1048576.0, n);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window/many", test_many);
  if (number_of_runs() > 0)
    g_test_add_func("/window/many-runs", test_many_runs);
  return window_fixture_run();
}
