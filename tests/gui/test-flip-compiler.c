/* SPDX-License-Identifier: MIT */
/* The programs that the first flip of a toggle needs are compiled before it, with caches that were empty. */
#include <glib/gstdio.h>
#include <stdlib.h>

#include "tests/gui/panel-fixture.h"
#include "tests/support/fixture.h"
#include "ui/document/flip-compiler.h"
#include "ui/document/flips.h"
#include "ui/options/options-panel.h"

/* How the program of @run was built: "source" or "cached"; %NULL where the process had it already. */
static const char *
build_of(MsRun *run)
{
  MsTimingLog *log = ms_run_get_log(run);

  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    if (ms_timing_log_get(log, i)->stage == MS_STAGE_BUILD)
      return ms_timing_log_get(log, i)->kernel;
  return NULL;
}

/* Filters quickly with few values left: the other toggles are refused where the kernel is `rows`. */
static MsRun *
filter(PanelFixture *f, const char *kernel)
{
  panel_fixture_filter(f, "max-iterations", "1");
  panel_fixture_filter(f, "sp", "2");
  return panel_fixture_filter(f, "kernel", kernel);
}

/* Filters with another value. */
static void
flip(PanelFixture *f, const char *option, const char *value)
{
  g_assert_true(ms_document_set_option(f->document, option, value, NULL));
  ms_document_request_filter(f->document);
  wait_for(120, !ms_document_is_busy(f->document));
}

/* Without it, the first flip compiles; the window says so. */
static void
test_without(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  filter(&f, "direct");
  g_assert_false(ms_flip_compiler_is_busy(f.engine));
  flip(&f, "access", "vload");
  g_assert_cmpstr(build_of(ms_document_get_current_run(f.document)), ==, "source");
  ms_document_set_option(f.document, "unroll", "2", NULL);
  ms_document_request_filter(f.document);
  g_assert_true(ms_document_is_compiling(f.document));
  wait_for(60, !ms_document_is_busy(f.document));
  g_assert_false(ms_document_is_compiling(f.document));
}

/* The first flip takes its program from the cache; a request beside the compiler does not wait for it. */
static void
test_first_flip(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  ms_flip_compiler_attach(f.engine, MS_FLIP_COMPILER_NICE);
  filter(&f, "direct");
  g_assert_true(ms_flip_compiler_is_busy(f.engine));
  flip(&f, "sr", "10");

  /* At the usual priority, since a busy machine may leave nothing to the lowest one. */
  ms_flip_compiler_detach(f.engine);
  ms_flip_compiler_attach(f.engine, 0);
  flip(&f, "sr", "11");
  wait_for(250, !ms_flip_compiler_is_busy(f.engine));
  flip(&f, "memory", "image");
  g_assert_cmpstr(build_of(ms_document_get_current_run(f.document)), ==, "cached");
  panel_fixture_filter(&f, "memory", "buffer");
  g_assert_cmpstr(build_of(panel_fixture_filter(&f, "unroll", "4")), ==, "cached");
}

/* Neither on a device without a cache, nor while a measurement has the device. */
static void
test_off(void)
{
  SET_UP_PANEL(f, MS_TYPE_OPTIONS_PANEL);
  ms_flip_compiler_attach(f.engine, 0);
  g_setenv("POCL_KERNEL_CACHE", "0", TRUE);
  filter(&f, "auto");
  g_assert_false(ms_flip_compiler_is_busy(f.engine));
  g_unsetenv("POCL_KERNEL_CACHE");
}

/* Writes what the system says of a power supply; %NULL for nothing. */
static void
add_supply(const char *folder, const char *name, const char *status, const char *scope)
{
  g_autofree char *own = g_build_filename(folder, name, NULL);
  g_autofree char *status_path = g_build_filename(own, "status", NULL),
                  *scope_path = g_build_filename(own, "scope", NULL);

  g_mkdir(own, 0700);
  g_assert_true(!status || g_file_set_contents(status_path, status, -1, NULL));
  g_assert_true(!scope || g_file_set_contents(scope_path, scope, -1, NULL));
}

static void
test_battery(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-supplies-XXXXXX", NULL);
  char *remove[] = {"rm", "-r", folder, NULL};

  g_assert_false(ms_flip_compiler_is_on_battery("/nowhere"));
  g_assert_false(ms_flip_compiler_is_on_battery(folder));
  add_supply(folder, "AC", NULL, NULL);
  add_supply(folder, "mouse", "Discharging\n", "Device\n");
  add_supply(folder, "BAT0", "Charging\n", "System\n");
  g_assert_false(ms_flip_compiler_is_on_battery(folder));
  add_supply(folder, "BAT1", "Discharging\n", NULL);
  g_assert_true(ms_flip_compiler_is_on_battery(folder));
  g_spawn_sync(NULL, remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

int
main(int argc, char **argv)
{
  g_autofree char *caches = g_dir_make_tmp("ms-caches-XXXXXX", NULL);
  char *remove[] = {"rm", "-r", caches, NULL};
  g_autofree char *driver = g_build_filename(caches, "pocl", NULL);

  g_mkdir(driver, 0700);
  g_setenv("XDG_CACHE_HOME", caches, TRUE);
  g_setenv("POCL_CACHE_DIR", driver, TRUE);
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/flip-compiler/battery", test_battery);
  g_test_add_func("/flip-compiler/without", test_without);
  g_test_add_func("/flip-compiler/off", test_off);
  g_test_add_func("/flip-compiler/first-flip", test_first_flip);
  int status = g_test_run();
  g_spawn_sync(NULL, remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  return status;
}
