/* SPDX-License-Identifier: MIT */
/* What the process has in memory: in a program of its own, as nothing else may have grown it. */
#include "tests/support/fixture.h"
#include "tests/gui/window-fixture.h"
#include "ui/window/window-open.h"
#include "ui/window/window-tabs.h"

/* Two hundred pictures, one after the other: the memory they took comes back. */
static void
test_many(void)
{
  WindowFixture fixture;
  gsize settled = 0;

  SET_UP(&fixture);
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
  panel_fixture_settle();
  /* Read once: another thread may give memory back between two readings. Less than before is well. */
  gint64 grown = (gint64)window_fixture_resident_bytes() - (gint64)settled;
  g_test_message("%" G_GINT64_FORMAT " KiB more after 160 further pictures of 300 KiB", grown / 1024);
  g_assert_cmpint(grown, <, 24 << 20);
  window_fixture_tear_down(&fixture);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window/many", test_many);
  return g_test_run();
}
