/* SPDX-License-Identifier: MIT */
/*
 * The process that has the device is ended at every step of its work, below the real window: by signals, and by the
 * fault layer between OpenCL and the driver, which fails, crashes, exits or hangs at a call of a name. The window goes
 * on, says what happened, shows the right picture, and loses no descriptor.
 */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/opencl/driver-cache.h"
#include "core/process/driver.h"
#include "tests/faults/shared-count.h"
#include "tests/gui/processes.h"
#include "tests/gui/window-fixture.h"
#include "tests/support/fixture.h"
#include "ui/document/document.h"
#include "ui/document/picture-regions.h"
#include "ui/panels/statistics/picture-statistics.h"
#include "ui/window/window.h"

/* For a process that is silent for certain; one that opens the device may need longer. */
#define WATCHDOG_MS 500

/* The file of the fault layer in which the processes count their calls together. */
typedef struct {
  char *path;
  FaultCount *count;
} Faults;

static Faults faults;

static void
remove_faults(void)
{
  g_unsetenv("MS_FAULT_CALL");
  g_unsetenv("MS_FAULT_NTH");
  g_unsetenv("MS_FAULT_MODE");
  g_unsetenv("MS_FAULT_ALWAYS");
  g_unsetenv("MS_FAULT_COUNT");
}

static void
set_number(const char *name, long value)
{
  g_autofree char *text = g_strdup_printf("%ld", value);

  g_setenv(name, text, TRUE);
}

/* From the next process on, the @nth call of @name does what @mode says; %NULL for a call that fails. */
static void
set_faults(const char *name, long nth, const char *mode, gboolean always)
{
  const FaultCount none = {0, 0};

  if (!faults.path) {
    int fd = g_file_open_tmp("ms-count-XXXXXX", &faults.path, NULL);
    g_assert_cmpint(write(fd, &none, sizeof none), ==, sizeof none);
    close(fd);
    g_setenv("MS_FAULT_COUNT", faults.path, TRUE);
    faults.count = fault_count_map();
    g_assert_nonnull(faults.count);
  }
  *faults.count = none;
  g_setenv("MS_FAULT_COUNT", faults.path, TRUE);
  g_setenv("MS_FAULT_CALL", name, TRUE);
  set_number("MS_FAULT_NTH", nth);
  set_number("MS_FAULT_ALWAYS", always);
  if (mode)
    g_setenv("MS_FAULT_MODE", mode, TRUE);
  else
    g_unsetenv("MS_FAULT_MODE");
}

static const char *
message_of(WindowFixture *fixture)
{
  return ms_window_get_message(fixture->window);
}

static gboolean
is_ready(WindowFixture *fixture, GPid before)
{
  const GPid pid = ms_window_engine_get_pid(fixture->engine);

  return pid != 0 && pid != before && ms_window_engine_get_state(fixture->engine) == MS_WINDOW_ENGINE_READY;
}

/*
 * The process @pid, which hangs or is stopped, is ended for its silence. The next one has no limit.
 * @result: (nullable): what the process was asked for; where it has answered before it was stopped, it may be silent
 */
static void
wait_for_silent_end(WindowFixture *fixture, GPid pid, MsPictureResult *result)
{
  g_assert_cmpint(pid, >, 0);
  ms_window_engine_set_watchdog(fixture->engine, WATCHDOG_MS);
  wait_for(60, ms_window_engine_get_pid(fixture->engine) != pid || (result && !ms_picture_result_is_busy(result)));
  ms_window_engine_set_watchdog(fixture->engine, 0);
  if (ms_window_engine_get_pid(fixture->engine) == pid)
    kill(pid, SIGKILL);
}

/* More calls than a process makes before it is armed. */
#define UNARMED 1000000

/* The next call of the chosen name breaks. */
static void
arm(void)
{
  faults.count->calls = UNARMED;
}

/* A process of its own for what follows, which has the environment of now; it gets no request of the one before. */
static void
start_fresh_process(WindowFixture *fixture)
{
  window_fixture_wait_for_rest(fixture);
  const GPid before = ms_window_engine_get_pid(fixture->engine);
  window_fixture_dismiss(fixture);
  if (before)
    kill(before, SIGKILL);
  wait_for(60, is_ready(fixture, before) && message_of(fixture)[0] != '\0');
  window_fixture_dismiss(fixture);
}

/* Changes the settings, so that the picture is filtered. */
static void
change(WindowFixture *fixture)
{
  static int sr = 20;
  g_autofree char *value = g_strdup_printf("%d", 20 + ++sr % 40);

  g_assert_true(ms_document_set_option(ms_window_get_document(fixture->window), "sr", value, NULL));
}

static void
assert_works(WindowFixture *fixture)
{
  change(fixture);
  window_fixture_wait_idle(fixture);
  window_fixture_assert_filtered(fixture);
}

/* Faults of the driver */

typedef struct {
  const char *name;
  const char *call;
} Step;

static const Step steps[] = {
  {"compile", "clCreateKernel"},       {"upload", "clEnqueueWriteBuffer"},   {"kernel", "clEnqueueNDRangeKernel"},
  {"download", "clEnqueueReadBuffer"}, {"times", "clGetEventProfilingInfo"},
};

static const char *const modes[] = {"abort", "segv", "exit0", "exit1", "hang"};

/* The driver breaks once at @step; the request is tried again, and the bar says why. */
static void
break_once(WindowFixture *fixture, const Step *step, const char *mode)
{
  g_test_message("%s at %s", mode, step->name);
  set_faults(step->call, UNARMED + 1, mode, FALSE);
  start_fresh_process(fixture);
  arm();
  change(fixture);
  /* The limit applies to a request that hangs already. */
  if (strcmp(mode, "hang") == 0) {
    wait_for(60, faults.count->calls > UNARMED);
    wait_for_silent_end(fixture, ms_window_engine_get_pid(fixture->engine), NULL);
  }
  /* The call may be that of a request behind the filter's, such as the statistics. */
  wait_for(60, strstr(message_of(fixture), "opened again"));
  window_fixture_wait_idle(fixture);
  window_fixture_assert_filtered(fixture);
  /* It stays, unlike a toast, also when the request was done by the next process. */
  g_assert_nonnull(find_label_with(find_by_type(GTK_WIDGET(fixture->window), GTK_TYPE_INFO_BAR), "opened again"));
  g_assert_nonnull(strstr(message_of(fixture), "opened again"));
}

/* The driver breaks when a process opens the device; the next one opens it. */
static void
break_opening(WindowFixture *fixture, const char *mode)
{
  g_test_message("%s at opening", mode);
  set_faults("clCreateContext", 1, mode, FALSE);
  const gboolean hangs = strcmp(mode, "hang") == 0;
  const GPid before = ms_window_engine_get_pid(fixture->engine);
  window_fixture_dismiss(fixture);
  kill(before, SIGKILL);
  if (hangs) {
    wait_for(60, faults.count->calls > 0);
    wait_for_silent_end(fixture, ms_window_engine_get_pid(fixture->engine), NULL);
  }
  wait_for(60, is_ready(fixture, before) && message_of(fixture)[0] != '\0');
  /* A driver that crashes while it is opened may have read a damaged cache. */
  g_autofree char *folder = ms_driver_cache_find();
  g_assert_true(!folder || hangs == !strstr(message_of(fixture), folder));
  g_assert_cmpint(faults.count->calls, >=, 2);
  assert_works(fixture);
}

/* Finds settings whose program is in no cache, by a work-group that was never used. */
static gboolean
find_uncached(MsDocument *document, MsSettings *settings)
{
  *settings = *ms_document_get_settings(document);
  settings->options.kernel = MS_KERNEL_DIRECT;
  MsDevice *device = ms_window_engine_get_device(ms_document_get_engine(document));
  for (guint i = 0; i < 1000 && device; i++) {
    g_autofree char *shape = g_strdup_printf("%dx%d", g_test_rand_int_range(1, 64), g_test_rand_int_range(1, 16));
    g_assert_true(ms_option_set_text(ms_option_find("work-group"), settings, shape, NULL));
    g_autoptr(MsPlan) plan = ms_document_plan(document, settings, NULL);
    if (plan && !ms_program_is_cached(device, plan->program))
      return TRUE;
  }
  return FALSE;
}

/* While a kernel compiles, which is held up here, the progress says so. */
static void
test_compiling(void)
{
  MsSettings settings;

  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 80, 60);
  g_assert_true(find_uncached(document, &settings));
  set_faults("clCreateKernel", UNARMED + 1, "hang", FALSE);
  start_fresh_process(&fixture);
  arm();
  ms_document_set_settings(document, &settings);
  wait_for(60, faults.count->calls > UNARMED);
  GtkWidget *label = find_label_with(GTK_WIDGET(fixture.window), "Compiling…");
  g_assert_nonnull(label);
  wait_for(60, gtk_widget_get_mapped(label));
  wait_for_silent_end(&fixture, ms_window_engine_get_pid(fixture.engine), NULL);
  wait_for(60, strstr(message_of(&fixture), "opened again"));
  window_fixture_wait_idle(&fixture);
  g_assert_null(find_label_with(GTK_WIDGET(fixture.window), "Compiling…"));
  remove_faults();
  start_fresh_process(&fixture);
}

static void
test_steps(gconstpointer data)
{
  const char *mode = data;
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 80, 60);
  break_opening(&fixture, mode);
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
    break_once(&fixture, &steps[i], mode);
  remove_faults();
  start_fresh_process(&fixture);
  assert_works(&fixture);
  g_assert_false(processes_has_zombie());
}

/* A driver that breaks every time: the request is tried twice, and no more until something changes. */
static void
test_always(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 80, 60);
  MsRun *before = ms_document_get_current_run(document);
  /* The first process may have to measure the peak of the device, which later ones find on disk. */
  wait_for(120, find_label_with(GTK_WIDGET(fixture.window), "Measured peak of the device"));
  set_faults("clGetEventProfilingInfo", 1, "abort", TRUE);
  start_fresh_process(&fixture);
  g_assert_cmpint(faults.count->calls, ==, 0); /* opening makes no such call */
  change(&fixture);
  window_fixture_wait_idle(&fixture);
  g_assert_nonnull(strstr(message_of(&fixture), "twice"));
  /* A request that waited meanwhile may have had the device opened, in vain. */
  window_fixture_wait_for_rest(&fixture);
  g_assert_cmpint(faults.count->calls, >=, 2);
  g_assert_cmpint(faults.count->calls, <=, 4); /* the measurement of the device's peak may be tried twice, too */
  g_assert_true(ms_document_get_current_run(document) == before);
  remove_faults();
  assert_works(&fixture);
}

/* A device that cannot be opened is given up after three processes; another one can be chosen. */
static void
test_vain_starts(void)
{
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 80, 60);
  set_faults("clCreateContext", 1, "abort", TRUE);
  kill(ms_window_engine_get_pid(fixture.engine), SIGKILL);
  wait_for(60, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_FAILED);
  g_assert_cmpint(faults.count->calls, ==, MS_DRIVER_MOST_VAIN);
  g_assert_nonnull(strstr(message_of(&fixture), "choose another device"));
  ms_window_engine_choose(fixture.engine, MS_ENGINE_REFERENCE);
  wait_for(60, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_READY);
  assert_works(&fixture);
  remove_faults();
}

/* A process after one that died tries the device, although an earlier start has noted that it works. */
static void
test_lost(void)
{
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 80, 60);
  set_faults("clEnqueueNDRangeKernel", 1, NULL, TRUE);
  kill(ms_window_engine_get_pid(fixture.engine), SIGKILL);
  wait_for(60, faults.count->calls > 0 && ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_FAILED);
  remove_faults();
  kill(ms_window_engine_get_pid(fixture.engine), SIGKILL);
  ms_window_engine_choose(fixture.engine, "cpu");
  wait_for(60, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_READY);
  assert_works(&fixture);
}

/* A call that fails is reported, and the next request works. */
static void
test_failing_calls(void)
{
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 80, 60);
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    set_faults(steps[i].call, UNARMED + 1, NULL, FALSE);
    start_fresh_process(&fixture);
    arm();
    change(&fixture);
    window_fixture_wait_idle(&fixture);
    g_test_message("%s: %s", steps[i].name, message_of(&fixture));
    assert_works(&fixture);
  }
  remove_faults();
}

/* The user's cancellation frees the window although the driver never returns. */
static void
test_cancel(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 80, 60);
  set_faults("clEnqueueNDRangeKernel", UNARMED + 1, "hang", FALSE);
  start_fresh_process(&fixture);
  arm();
  change(&fixture);
  wait_for(60, faults.count->calls > UNARMED);
  ms_document_cancel(document);
  wait_for(60, !ms_document_is_busy(document));
  assert_works(&fixture);
  g_assert_cmpstr(message_of(&fixture), ==, ""); /* what was stopped has stopped */
  remove_faults();
}

/* Signals */

/* Ends the process by @number while it computes @result, which is there all the same. */
static void
signal_result(WindowFixture *fixture, MsPictureResult *result, int number)
{
  const GPid pid = ms_window_engine_get_pid(fixture->engine);

  g_assert_true(ms_picture_result_is_busy(result));
  kill(pid, number);
  if (number == SIGSTOP)
    wait_for_silent_end(fixture, pid, result);
  wait_for(120, !ms_picture_result_is_busy(result));
  g_assert_cmpstr(ms_picture_result_get_problem(result), ==, NULL);
  g_assert_nonnull(ms_picture_result_get_known(result));
  /*
   * The process may have answered before it got the signal. Once it has compiled something, handlers of the compiler
   * swallow other signals that come from outside.
   */
  wait_for(60, (number != SIGKILL && number != SIGSTOP) || strstr(message_of(fixture), "opened again"));
  window_fixture_dismiss(fixture);
}

static void
signal_results(WindowFixture *fixture, int number)
{
  MsDocument *document = ms_window_get_document(fixture->window);
  g_autoptr(MsPictureRegions) regions = g_object_new(MS_TYPE_PICTURE_REGIONS, NULL);
  g_autoptr(MsPictureStatistics) statistics = g_object_new(MS_TYPE_PICTURE_STATISTICS, NULL);

  ms_picture_regions_update(regions, document);
  signal_result(fixture, MS_PICTURE_RESULT(regions), number);
  ms_picture_statistics_update(statistics, document);
  signal_result(fixture, MS_PICTURE_RESULT(statistics), number);
  g_assert_nonnull(ms_picture_statistics_get(statistics).comparison);
}

static void
let_pass(guint ms)
{
  const gint64 until = g_get_monotonic_time() + ms * 1000;

  while (g_get_monotonic_time() < until)
    panel_fixture_iterate();
}

/* Without a limit of time, since the kernels of regions may have to be compiled. */
static void
compile_kernels_of_results(WindowFixture *fixture)
{
  MsDocument *document = ms_window_get_document(fixture->window);
  g_autoptr(MsPictureRegions) regions = g_object_new(MS_TYPE_PICTURE_REGIONS, NULL);
  g_autoptr(MsPictureStatistics) statistics = g_object_new(MS_TYPE_PICTURE_STATISTICS, NULL);

  ms_picture_regions_update(regions, document);
  wait_for(240, !ms_picture_result_is_busy(MS_PICTURE_RESULT(regions)));
  ms_picture_statistics_update(statistics, document);
  wait_for(240, !ms_picture_result_is_busy(MS_PICTURE_RESULT(statistics)));
}

/* Each signal at a moment of a drag and of the search for regions, in the long form at three. */
static void
test_signals(void)
{
  static const int numbers[] = {SIGKILL, SIGSEGV, SIGABRT, SIGSTOP};
  const guint moments = ms_fixture_form() >= MS_TEST_LONG ? 3 : 1;
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 200, 150);
  assert_works(&fixture);
  compile_kernels_of_results(&fixture);
  const guint before = ms_fixture_count_descriptors();
  for (guint i = 0; i < moments * G_N_ELEMENTS(numbers); i++) {
    change(&fixture);
    let_pass(g_test_rand_int_range(0, 60));
    const GPid pid = ms_window_engine_get_pid(fixture.engine);
    if (pid)
      kill(pid, numbers[i / moments]);
    change(&fixture);
    let_pass(g_test_rand_int_range(0, 60));
    change(&fixture);
    if (pid && numbers[i / moments] == SIGSTOP)
      wait_for_silent_end(&fixture, pid, NULL);
    window_fixture_wait_idle(&fixture);
    assert_works(&fixture);
    signal_results(&fixture, numbers[i / moments]);
  }
  g_assert_false(processes_has_zombie());
  g_test_message("%u descriptors before, %u after", before, ms_fixture_count_descriptors());
  g_assert_cmpuint(ms_fixture_count_descriptors(), <=, before + 40); /* those of the results of runs */
}

/* The device is open, and no driver is in the window; to be run first, since the fixture of others loads one. */
static void
test_no_driver_in_window(void)
{
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  g_autofree char *maps = NULL;

  ms_window_engine_choose(engine, "cpu");
  wait_for(60, ms_window_engine_get_state(engine) != MS_WINDOW_ENGINE_OPENING);
  g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
  g_assert_null(strstr(maps, "libpocl"));
}

static void
write_icd(const char *folder, const char *name, const char *library)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);

  g_assert_true(g_file_set_contents(path, library, -1, NULL));
}

/*
 * A driver beside that of the device ends each process which loads it: the device is open all the same, and the file
 * of the driver is named.
 */
static void
test_broken_icd(void)
{
  g_autofree char *vendors = g_dir_make_tmp("ms-vendors-XXXXXX", NULL), *pocl = NULL;
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();

  g_assert_true(g_file_get_contents("/etc/OpenCL/vendors/pocl.icd", &pocl, NULL, NULL));
  write_icd(vendors, "pocl.icd", pocl);
  write_icd(vendors, "a-stub.icd", g_getenv("MS_STUB_ICD_LIBRARY"));
  g_setenv("OCL_ICD_VENDORS", vendors, TRUE);
  g_setenv("MS_STUB_ICD", "abort", TRUE);
  ms_window_engine_choose(engine, "cpu");
  wait_for(60, ms_window_engine_get_state(engine) != MS_WINDOW_ENGINE_OPENING);
  g_assert_cmpint(ms_window_engine_get_state(engine), ==, MS_WINDOW_ENGINE_READY);
  g_assert_nonnull(strstr(ms_window_engine_get_explanation(engine), "a-stub.icd' is left out"));
  g_unsetenv("OCL_ICD_VENDORS");
  g_unsetenv("MS_STUB_ICD");
}

/* The process of the device that @pid has started, 0 for none; the window may start others, such as a bus. */
static GPid
child_of(GPid pid)
{
  g_autoptr(GArray) pids = processes_below(pid);

  for (guint i = 0; i < pids->len; i++) {
    g_autofree char *path = g_strdup_printf("/proc/%d/environ", g_array_index(pids, GPid, i));
    g_autofree char *environment = NULL;
    gsize length = 0;
    if (g_file_get_contents(path, &environment, &length, NULL) &&
        memmem(environment, length, MS_CHILD_VARIABLE "=", strlen(MS_CHILD_VARIABLE "=")))
      return g_array_index(pids, GPid, i);
  }
  return 0;
}

/* The process of the device ends with the window, also while the driver hangs in it. */
static void
test_orphan(gconstpointer hangs)
{
  g_autofree char *folder = g_path_get_dirname(g_getenv(MS_CHILD_PROGRAM_VARIABLE));
  g_autofree char *program = g_build_filename(folder, "meanshift-lab-window", NULL);
  char *arguments[] = {program, NULL};
  g_autoptr(GError) error = NULL;
  GPid window = 0, child = 0;

  prctl(PR_SET_CHILD_SUBREAPER, 1); /* gets the child when the window has ended */
  if (hangs)
    set_faults("clCreateContext", 1, "hang", TRUE);
  g_spawn_async(NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &window, &error);
  g_assert_no_error(error);
  wait_for(60, (child = child_of(window)) != 0 && (!hangs || faults.count->calls > 0));
  remove_faults();
  kill(window, SIGKILL);
  g_assert_cmpint(waitpid(window, NULL, 0), ==, window);
  wait_for(60, waitpid(child, NULL, WNOHANG) == child);
}

/* Processes that write nonsense */

static const char *const nonsense[] = {"garbage", "kind", "short", "number", "devices", "flood", "closed", "silent"};

static void
test_nonsense(gconstpointer data)
{
  g_autofree char *program = g_strdup(g_getenv(MS_CHILD_PROGRAM_VARIABLE));
  g_autofree char *fake = g_test_build_filename(G_TEST_DIST, "gui", "fake-device.py", NULL);
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  const guint before = ms_fixture_count_descriptors();

  g_setenv(MS_CHILD_PROGRAM_VARIABLE, fake, TRUE);
  g_setenv("MS_FAKE_DEVICE", data, TRUE);
  ms_window_engine_set_watchdog(engine, 2000);
  ms_window_engine_choose(engine, "auto");
  wait_for(60, ms_window_engine_get_state(engine) == MS_WINDOW_ENGINE_FAILED);
  g_test_message("%s", ms_window_engine_get_problem(engine)->message);
  g_setenv(MS_CHILD_PROGRAM_VARIABLE, program, TRUE);
  ms_window_engine_set_watchdog(engine, 0);
  ms_window_engine_choose(engine, "cpu");
  wait_for(60, ms_window_engine_get_state(engine) == MS_WINDOW_ENGINE_READY);
  ms_window_engine_shut_down(engine);
  g_assert_false(processes_has_zombie());
  g_assert_cmpuint(ms_fixture_count_descriptors(), <=, before);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(nonsense); i++) {
    g_autofree char *path = g_strconcat("/window-faults/nonsense/", nonsense[i], NULL);
    g_test_add_data_func(path, nonsense[i], test_nonsense);
  }
  g_test_add_func("/window-faults/no-driver", test_no_driver_in_window);
  g_test_add_func("/window-faults/broken-icd", test_broken_icd);
  /* One mode of five before the long form. */
  for (guint i = 0; i < (ms_fixture_form() >= MS_TEST_LONG ? G_N_ELEMENTS(modes) : 1); i++) {
    g_autofree char *path = g_strconcat("/window-faults/steps/", modes[i], NULL);
    g_test_add_data_func(path, modes[i], test_steps);
  }
  g_test_add_func("/window-faults/always", test_always);
  g_test_add_func("/window-faults/vain-starts", test_vain_starts);
  g_test_add_func("/window-faults/lost", test_lost);
  g_test_add_func("/window-faults/failing-calls", test_failing_calls);
  g_test_add_func("/window-faults/cancel", test_cancel);
  g_test_add_func("/window-faults/compiling", test_compiling);
  g_test_add_func("/window-faults/signals", test_signals);
  g_test_add_data_func("/window-faults/orphan/idle", NULL, test_orphan);
  g_test_add_data_func("/window-faults/orphan/hanging", GINT_TO_POINTER(1), test_orphan);
  int status = window_fixture_run();
  if (faults.path)
    g_unlink(faults.path);
  return status;
}
