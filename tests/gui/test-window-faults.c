/* SPDX-License-Identifier: MIT */
/* A device that fails and one that hangs, below the real window: the fault layer sits between OpenCL and the driver. */
#include <gmodule.h>
#include <string.h>

#include "core/engine/detached.h"
#include "tests/gui/window-fixture.h"
#include "ui/document/document-filter.h"
#include "ui/document/document-runs.h"
#include "ui/document/document-settings.h"
#include "ui/engine/window-engine-hold.h"
#include "ui/panels/tune/tune-job.h"
#include "ui/window/window-message.h"

/*
 * What LeakSanitizer asks a program for, where there is one: pixels that a hung device may still write to are never
 * freed.
 */
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
  return "leak:run_reporting_rows\n";
}

static void (*arm)(int nth);
static void (*hang)(int hang);

static void
find_layer(void)
{
  GModule *module = g_module_open(g_getenv("OPENCL_LAYERS"), G_MODULE_BIND_LAZY);

  if (!module || !g_module_symbol(module, "ms_fault_arm", (gpointer *)&arm) ||
      !g_module_symbol(module, "ms_fault_hang", (gpointer *)&hang))
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

/*
 * A device that hangs is reported within the watchdog's time; settings and pictures are kept, and another device can be
 * used.
 */
static void
test_hang(void)
{
  SET_UP(fixture);
  ms_window_engine_set_watchdog(fixture.engine, 1000);
  ms_window_engine_choose(fixture.engine, "cpu");
  wait_for(60, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_READY);
  MsDocument *document = window_fixture_open_scene(&fixture, 80, 60);
  MsRun *before = ms_document_get_current_run(document);
  hang(1);
  g_assert_true(ms_document_set_option(document, "sr", "41", NULL));
  wait_for(30, ms_window_get_message(fixture.window)[0] != '\0');
  g_assert_nonnull(strstr(ms_window_get_message(fixture.window), "answer"));
  g_assert_true(ms_document_get_current_run(document) == before);
  g_assert_cmpfloat(ms_document_get_settings(document)->params.sr, ==, 41);
  hang(0);
  ms_window_engine_choose(fixture.engine, MS_ENGINE_REFERENCE);
  wait_for(60, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_READY);
  wait_for(60, ms_document_get_current_run(document) != before);
  window_fixture_wait_idle(&fixture);
  window_fixture_assert_filtered(&fixture);
}

/* A search ends with its budget although the driver does not return, and the window can use the device again. */
static void
test_budget_of_tuning(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 80, 60);
  hang(1);
  g_autoptr(MsTuneJob) job = ms_tune_job_start(&(MsTuneJobSpec){.device = ms_window_engine_get_device(fixture.engine),
                                                                .engine = fixture.engine,
                                                                .image = ms_document_get_source(document),
                                                                .settings = *ms_document_get_settings(document),
                                                                .budget_s = 1,
                                                                .fresh = TRUE,
                                                                .directory = fixture.folder});
  wait_for(50, !ms_panel_job_is_running(MS_PANEL_JOB(job)));
  g_assert_cmpuint(ms_detached_count(), ==, 1); /* still inside the driver */
  g_assert_false(ms_window_engine_is_held(fixture.engine));
  g_assert_null(ms_tune_job_get_best(job));
  while (ms_detached_count() > 0) {
    hang(0);
    panel_fixture_iterate();
  }
  g_assert_true(ms_document_set_option(document, "sr", "43", NULL));
  window_fixture_wait_idle(&fixture);
  window_fixture_assert_filtered(&fixture);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  find_layer();
  g_test_add_func("/window-faults/failing-calls", test_failing_calls);
  g_test_add_func("/window-faults/hang", test_hang);
  g_test_add_func("/window-faults/budget-of-tuning", test_budget_of_tuning);
  return window_fixture_run();
}
