/* SPDX-License-Identifier: MIT */
/* A device that fails below the real window: the fault layer sits between OpenCL and the driver. */
#include <gmodule.h>

#include "tests/gui/window-fixture.h"
#include "ui/document/document-filter.h"
#include "ui/document/document-runs.h"
#include "ui/document/document-settings.h"
#include "ui/window/window-message.h"

static void (*arm)(int nth);

static void
find_layer(void)
{
  GModule *module = g_module_open(g_getenv("OPENCL_LAYERS"), G_MODULE_BIND_LAZY);

  if (!module || !g_module_symbol(module, "ms_fault_arm", (gpointer *)&arm))
    g_error("The fault layer cannot be used: %s", g_module_error());
}

/* When a call fails, the window reports it or continues without it, and filters again once calls succeed. */
static void
test_failing_calls(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 80, 60);
  guint told = 0;
  for (int nth = 1; nth <= 8; nth++) {
    g_autofree char *value = g_strdup_printf("%d", 20 + nth);
    arm(nth);
    g_assert_true(ms_document_set_option(document, "sr", value, NULL));
    panel_fixture_settle();
    wait_for(60, !ms_document_is_busy(document));
    told += ms_window_get_message(fixture.window)[0] != '\0';
    arm(0);
  }
  g_test_message("the window spoke of %u of 8 failing calls", told);
  g_assert_cmpuint(told, >, 0);
  ms_window_engine_choose(fixture.engine, "cpu");
  wait_for(60, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_READY);
  g_assert_true(ms_document_set_option(document, "sr", "33", NULL));
  window_fixture_wait_idle(&fixture);
  window_fixture_assert_filtered(&fixture);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  find_layer();
  g_test_add_func("/window-faults/failing-calls", test_failing_calls);
  return window_fixture_run();
}
