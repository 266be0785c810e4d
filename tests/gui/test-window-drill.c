/* SPDX-License-Identifier: MIT */
/*
 * A drill: at random moments of everything that the window does, a random one of its processes gets a random signal.
 * After each the window works and its picture is right; at the end nothing is left over. The suite, where
 * test-window-faults.c sends a signal at each step, leaves it to CI. MS_KILLS sets the number of signals, MS_SEED the
 * random numbers, which are printed.
 */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "core/process/child.h"
#include "tests/gui/processes.h"
#include "tests/gui/window-fixture.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"
#include "ui/batch/batch-page.h"
#include "ui/document/document.h"
#include "ui/document/picture-regions.h"
#include "ui/panels/experiment/experiment-panel.h"
#include "ui/panels/statistics/picture-statistics.h"
#include "ui/window/window.h"

/* The shortest silence that a machine with much other work does not mistake for a hang. */
#define WATCHDOG_MS 4000

#define BATCH_PICTURES 6

/* Shared memory: of the picture and of the newest results. */
#define MOST_SHARED (1 + 32)

/* Memory is compared from this signal on: then the window keeps as many runs as it may. */
#define SETTLED_AFTER(n) ((n) / 2)

/* Fewer signals than this are too few to see a slow growth of memory. */
#define LEAST_FOR_MEMORY 100

static const int numbers[] = {SIGKILL, SIGSEGV, SIGABRT, SIGSTOP};

typedef struct {
  WindowFixture *fixture;
  GRand *random;
  char *folder; /* of the pictures of the batch */
  char *experiment;
} Drill;

static guint
number_of_kills(void)
{
  const char *given = g_getenv("MS_KILLS");

  if (given)
    return (guint)g_ascii_strtoull(given, NULL, 10);
  return ms_fixture_form() == MS_TEST_LONG ? 200 : 10;
}

static GRand *
new_random(void)
{
  const char *given = g_getenv("MS_SEED");
  const guint32 seed = given ? (guint32)g_ascii_strtoull(given, NULL, 10) : g_random_int();

  g_test_message("MS_SEED=%u", seed);
  return g_rand_new_with_seed(seed);
}

static MsDocument *
document_of(Drill *self)
{
  return ms_window_get_document(self->fixture->window);
}

static GtkWidget *
find_panel(Drill *self, GType type)
{
  GtkWidget *panel = find_by_type(GTK_WIDGET(self->fixture->window), type);

  g_assert_nonnull(panel);
  return panel;
}

static void
show(Drill *self, const char *workspace, const char *key, const char *page)
{
  GSettings *settings = ms_application_get_settings(self->fixture->application);

  g_settings_set_string(settings, "workspace", workspace);
  g_settings_set_boolean(settings, "details", g_strcmp0(key, "details-page") == 0);
  if (key)
    g_settings_set_string(settings, key, page);
  panel_fixture_settle();
}

static void
let_pass(guint ms)
{
  const gint64 until = g_get_monotonic_time() + ms * 1000;

  while (g_get_monotonic_time() < until)
    panel_fixture_iterate();
}

static void
change(Drill *self)
{
  g_autofree char *value = g_strdup_printf("%d", g_rand_int_range(self->random, 10, 60));

  g_assert_true(ms_document_set_option(document_of(self), "sr", value, NULL));
}

/* Ends a random one of the processes below the window, that of the device or one of a program. */
static void
strike(Drill *self, int number, guint most_ms)
{
  let_pass(g_rand_int_range(self->random, 0, most_ms));
  g_autoptr(GArray) pids = processes_of_program(getpid());
  if (pids->len > 0)
    kill(g_array_index(pids, GPid, g_rand_int_range(self->random, 0, pids->len)), number);
}

/* The activities; each returns when what it began has ended. */

static void
drag(Drill *self, int number)
{
  show(self, "picture", "details-page", "timings");
  change(self);
  strike(self, number, 60);
  change(self);
  let_pass(g_rand_int_range(self->random, 0, 30));
  change(self);
}

static void
wait_for_result(MsPictureResult *result)
{
  wait_for(120, !ms_picture_result_is_busy(result) && ms_picture_result_get_known(result));
  g_assert_cmpstr(ms_picture_result_get_problem(result), ==, NULL);
}

/* The page computes what it shows as soon as there is a new run. */
static void
strike_page(Drill *self, int number, const char *page, MsPictureResult *result)
{
  show(self, "picture", "details-page", page);
  change(self);
  wait_for(180, !ms_document_is_busy(document_of(self)));
  strike(self, number, 12);
  window_fixture_wait_idle(self->fixture);
  wait_for_result(result);
}

static void
find_regions(Drill *self, int number)
{
  strike_page(self, number, "regions", MS_PICTURE_RESULT(ms_picture_regions_of(document_of(self))));
}

static void
compute_statistics(Drill *self, int number)
{
  strike_page(self, number, "statistics", MS_PICTURE_RESULT(ms_picture_statistics_of(document_of(self))));
}

static void
compute_histogram(Drill *self, int number)
{
  strike_page(self, number, "histogram", MS_PICTURE_RESULT(ms_picture_statistics_of(document_of(self))));
}

static void
run_experiment(Drill *self, int number)
{
  show(self, "lab", "lab-page", "experiments");
  MsJobPanel *panel = MS_JOB_PANEL(find_panel(self, MS_TYPE_EXPERIMENT_PANEL));
  g_assert_true(ms_experiment_panel_select(MS_EXPERIMENT_PANEL(panel), "drill"));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(find_button(GTK_WIDGET(panel), "On the open _picture")), TRUE);
  ms_job_panel_run(panel);
  wait_for(60, processes_find_program() != 0);
  strike(self, number, 1500);
  let_pass(g_rand_int_range(self->random, 0, 500));
  if (ms_job_panel_is_running(panel))
    gtk_button_clicked(GTK_BUTTON(find_button(GTK_WIDGET(panel), "C_ancel")));
  wait_for(60, !ms_job_panel_is_running(panel));
  show(self, "picture", NULL, NULL);
}

/* Every file that has its name is right, whatever has ended the batch. */
static void
check_results(Drill *self)
{
  const MsSettings *settings = ms_document_get_settings(document_of(self));
  g_autofree char *output = g_build_filename(self->folder, "meanshift", NULL);
  g_autoptr(MsImage) expected =
    ms_fixture_reference(ms_document_get_source(document_of(self)), &settings->params, NULL, NULL);
  GDir *dir = g_dir_open(output, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(output, name, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(MsImage) result = ms_image_load(path, NULL, NULL, &error);
    g_assert_no_error(error);
    ms_fixture_assert_same(expected, result, name);
    g_assert_cmpint(g_unlink(path), ==, 0);
  }
  g_clear_pointer(&dir, g_dir_close);
}

static void
run_batch(Drill *self, int number)
{
  g_autoptr(GFile) folder = g_file_new_for_path(self->folder);
  show(self, "batch", NULL, NULL);
  GtkWidget *page = find_panel(self, MS_TYPE_BATCH_PAGE);
  gtk_button_clicked(GTK_BUTTON(find_button(page, "C_lear")));
  ms_batch_page_add(MS_BATCH_PAGE(page), folder);
  gtk_button_clicked(GTK_BUTTON(find_button(page, "_Start")));
  wait_for(60, processes_find_program() != 0);
  strike(self, number, 800);
  /* A program or worker that was stopped ends by a click. */
  let_pass(1000);
  GtkWidget *cancel = find_button(page, "Cance_l");
  if (gtk_widget_get_sensitive(cancel))
    gtk_button_clicked(GTK_BUTTON(cancel));
  wait_for(60, !gtk_widget_get_sensitive(cancel));
  check_results(self);
  show(self, "picture", NULL, NULL);
}

static const struct {
  const char *name;
  void (*run)(Drill *self, int number);
} activities[] = {
  {"a drag", drag},
  {"regions", find_regions},
  {"statistics", compute_statistics},
  {"histogram", compute_histogram},
  {"an experiment", run_experiment},
  {"a batch", run_batch},
};

/* The drill */

static guint
count_shared_memory(void)
{
  GDir *dir = g_dir_open("/proc/self/fd", 0, NULL);
  guint n = 0;

  for (const char *name; (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename("/proc/self/fd", name, NULL);
    g_autofree char *target = g_file_read_link(path, NULL);
    n += target && g_str_has_prefix(target, "/memfd:meanshift");
  }
  g_dir_close(dir);
  return n;
}

static void
write_inputs(Drill *self)
{
  g_autoptr(GError) error = NULL;

  self->experiment = g_build_filename(self->fixture->folder, "drill.experiment", NULL);
  self->folder = g_build_filename(self->fixture->folder, "batch", NULL);
  g_assert_cmpint(g_mkdir(self->folder, 0700), ==, 0);
  for (guint i = 0; i < BATCH_PICTURES; i++) {
    g_autofree char *path = g_strdup_printf("%s/%u.png", self->folder, i);
    g_assert_true(ms_image_save(ms_document_get_source(document_of(self)), path, NULL, NULL, NULL, NULL));
  }
  g_assert_true(g_file_set_contents(self->experiment,
                                    "[Experiment]\nTitle=Drill\nKind=mean-shift\n[Axes]\n"
                                    "sp=2;3;4;5;6;7;8;9;10;11;12\nunroll=1;2;4\n[Fixed]\nsr=10\nkernel=direct\n",
                                    -1, NULL));
  show(self, "lab", "lab-page", "experiments");
  ms_experiment_panel_add_file(MS_EXPERIMENT_PANEL(find_panel(self, MS_TYPE_EXPERIMENT_PANEL)), self->experiment,
                               &error);
  g_assert_no_error(error);
}

/* One signal; afterwards the window filters and its picture is right. */
static void
strike_once(Drill *self, guint index)
{
  const guint activity = g_rand_int_range(self->random, 0, G_N_ELEMENTS(activities));
  const int number = numbers[g_rand_int_range(self->random, 0, G_N_ELEMENTS(numbers))];

  g_test_message("%u: signal %d during %s; %" G_GSIZE_FORMAT " KiB, %u descriptors, %u of shared memory", index, number,
                 activities[activity].name, window_fixture_resident_bytes() / 1024, ms_fixture_count_descriptors(),
                 count_shared_memory());
  activities[activity].run(self, number);
  window_fixture_wait_idle(self->fixture);
  change(self);
  window_fixture_wait_idle(self->fixture);
  window_fixture_assert_filtered(self->fixture);
  wait_for(60, !processes_has_zombie());
  wait_for(60, count_shared_memory() <= MOST_SHARED);
}

/* By the same activities without a signal: compiling may take longer than the limit of silence. */
static void
compile_kernels(Drill *self)
{
  find_regions(self, 0);
  compute_statistics(self, 0);
}

static void
test_drill(void)
{
  const guint n = number_of_kills();
  g_autoptr(GRand) random = new_random();
  gsize settled = 0;

  SET_UP(fixture);
  Drill self = {&fixture, random, NULL, NULL};
  const guint descriptors = ms_fixture_count_descriptors();
  g_settings_set_int(ms_application_get_settings(fixture.application), "picture-memory", 16);
  window_fixture_open_scene(&fixture, 320, 240);
  compile_kernels(&self);
  ms_window_engine_set_watchdog(fixture.engine, WATCHDOG_MS);
  write_inputs(&self);
  for (guint i = 0; i < n; i++) {
    if (i == SETTLED_AFTER(n))
      settled = window_fixture_resident_bytes();
    strike_once(&self, i);
  }
  g_test_message("%" G_GSIZE_FORMAT " KiB after %u signals, %" G_GSIZE_FORMAT " KiB after %u", settled / 1024,
                 SETTLED_AFTER(n), window_fixture_resident_bytes() / 1024, n);
  if (n >= LEAST_FOR_MEMORY)
    g_assert_cmpuint(window_fixture_resident_bytes(), <=, settled + settled / 20);
  ms_window_engine_set_watchdog(fixture.engine, 0);
  ms_window_close_tab(fixture.window);
  wait_for(30, count_shared_memory() == 0);
  g_test_message("%u descriptors before, %u after", descriptors, ms_fixture_count_descriptors());
  g_assert_cmpuint(ms_fixture_count_descriptors(), <=, descriptors + 4);
  panel_fixture_remove_folder(self.folder);
  g_unlink(self.experiment);
  g_free(self.folder);
  g_free(self.experiment);
}

/* The window is killed at random moments of its start and of its work: no process of it is left a second later. */
static void
test_window_killed(void)
{
  g_autofree char *folder = g_path_get_dirname(g_getenv(MS_CHILD_PROGRAM_VARIABLE));
  g_autofree char *program = g_build_filename(folder, "meanshift-lab-window", NULL);
  g_autofree char *picture = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "samples", "harbour.png", NULL);
  char *arguments[] = {program, picture, NULL};
  g_autoptr(GRand) random = new_random();
  g_autoptr(MsContext) context = ms_fixture_context();

  prctl(PR_SET_CHILD_SUBREAPER, 1); /* gets the children when the window has ended */
  for (guint i = 0; context && i < MAX(number_of_kills() / 10, 3); i++) {
    g_autoptr(GError) error = NULL;
    GPid window = 0;
    g_spawn_async(NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &window, &error);
    g_assert_no_error(error);
    let_pass(g_rand_int_range(random, 50, 2500));
    g_autoptr(GArray) pids = processes_below(window);
    g_test_message("killed with %u processes", pids->len);
    kill(window, SIGKILL);
    g_assert_cmpint(waitpid(window, NULL, 0), ==, window);
    wait_for(60, processes_count_alive(pids) == 0);
    while (waitpid(-1, NULL, WNOHANG) > 0)
      ;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window-drill/signals", test_drill);
  /* Last, because this process becomes the parent of whatever a killed window leaves. */
  g_test_add_func("/window-drill/window-killed", test_window_killed);
  return window_fixture_run();
}
