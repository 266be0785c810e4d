/* SPDX-License-Identifier: MIT */
/*
 * Measurements whose process dies: what was measured is kept, the configuration that ended the process is marked, and
 * the next process goes on with the others.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/lab/kinds/measure.h"
#include "tests/lab/lab-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

/* Where a configuration ends its process; a death in a run is that of a round if it is not the first. */
typedef enum {
  NOWHERE,
  IN_PREPARE,
  IN_FIRST_RUN,
  IN_VERIFY,
  IN_ROUND,
  IN_LAST_VERIFY,
} Place;

#define N 3
#define ROUND_OF_DEATH 4

typedef struct {
  MsConfiguration base;
  guint runs;
  guint checks;
  Place dies_in;
  MsMeasurement *measurement;
  int how; /* a signal; 0 for exit(0), SIGSTOP for a hang */
} Fake;

static void
die_if(const Fake *self, gboolean here)
{
  if (!here)
    return;
  if (self->how == 0)
    _exit(0);
  for (;;)
    raise(self->how);
}

static gboolean
fake_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Fake *self = (Fake *)base;

  die_if(self, self->dies_in == IN_PREPARE);
  return TRUE;
}

/* Notes of the kernels of the first run, as a device gives them. */
static void
describe(Fake *self)
{
  GPtrArray *kernels = self->measurement->kernels;

  if (kernels->len > 0)
    return;
  MsKernelNote *note = ms_kernel_note_new("a “b”");

  note->registers = 40;
  g_ptr_array_add(kernels, note);
}

static gboolean
fake_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Fake *self = (Fake *)base;

  self->runs++;
  die_if(self, self->dies_in == IN_FIRST_RUN || (self->dies_in == IN_ROUND && self->runs == 2 + ROUND_OF_DEATH));
  ms_sample_add_event(sample, &(MsLabEvent){"upload", NULL, 0, 77, 400, FALSE});
  ms_sample_add_event(sample, &(MsLabEvent){"kernel", "a “b”", 100, 100 + 1000 + self->runs, 0, TRUE});
  describe(self);
  return TRUE;
}

static gboolean
fake_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Fake *self = (Fake *)base;

  self->checks++;
  die_if(self, self->dies_in == IN_VERIFY || (self->dies_in == IN_LAST_VERIFY && self->checks == 2));
  verification->total = 100;
  verification->max_difference = 0.5;
  verification->against = g_strdup("the “reference”\n");
  return TRUE;
}

static const MsLabKind fake_kind = {
  .name = "fake", .size = sizeof(Fake), .prepare = fake_prepare, .run = fake_run, .check = fake_check};

typedef struct {
  MsLabLog *log;
  guint runs[N]; /* of the last process */
  guint deaths_seen;
  Fake plan[N];
  MsMeasureOptions options;
  MsMeasurement *measurements[N]; /* of the last process */
  int status;
} Rig;

static void
rig_init(Rig *self)
{
  *self = (Rig){NULL};
  self->log = ms_lab_log_new(NULL);
  g_assert_nonnull(self->log);
  ms_measure_options_init(&self->options, TRUE);
  self->options.min_repeats = self->options.max_repeats = 10;
}

static void
rig_drop_measurements(Rig *self)
{
  for (guint i = 0; i < N; i++)
    g_clear_pointer(&self->measurements[i], ms_measurement_free);
}

static void
rig_clear(Rig *self)
{
  rig_drop_measurements(self);
  ms_lab_log_free(self->log);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

/* Measures as a child does. */
static void
measure(Rig *self)
{
  g_autoptr(MsLabLog) log = ms_lab_log_inherit(dup(ms_lab_log_get_fd(self->log)));
  MsConfiguration *configurations[N];

  g_assert_nonnull(log);
  self->deaths_seen = ms_lab_log_count_deaths(log);
  self->options.log = log;
  for (guint i = 0; i < N; i++) {
    Fake *fake = (Fake *)ms_lab_fixture_fake(&fake_kind, "a configuration");
    fake->dies_in = self->plan[i].dies_in;
    fake->how = self->plan[i].how;
    fake->base.key = g_strdup_printf("key “%u”\n", i);
    fake->base.work.pixels = 7;
    configurations[i] = &fake->base;
    self->measurements[i] = fake->measurement = ms_measurement_new();
  }
  g_assert_true(ms_measure(configurations, self->measurements, N, &self->options, NULL, NULL));
  for (guint i = 0; i < N; i++) {
    self->runs[i] = ((Fake *)configurations[i])->runs;
    ms_configuration_free(configurations[i]);
  }
}

/* Runs a child until it ends or is late, then notes its death; whether it finished. */
static gboolean
rig_child(Rig *self)
{
  const pid_t pid = fork();

  if (pid == 0) {
    measure(self);
    _exit(42);
  }
  while (waitpid(pid, &self->status, WNOHANG) == 0) {
    if (ms_lab_log_seconds_left(self->log) <= 0) {
      kill(pid, SIGKILL);
      waitpid(pid, &self->status, 0);
      break;
    }
    g_usleep(1000);
  }
  if (WIFEXITED(self->status) && WEXITSTATUS(self->status) == 42)
    return TRUE;
  ms_lab_log_note_death(self->log, "it was ended by signal 11");
  return FALSE;
}

static const MsStageSeries *
stage_of(const MsMeasurement *m, guint index)
{
  g_assert_cmpuint(m->stages->len, ==, 2);
  return m->stages->pdata[index];
}

static void
assert_complete(const MsMeasurement *m, guint samples)
{
  g_assert_cmpint(m->outcome, ==, MS_OUTCOME_OK);
  g_assert_cmpuint(m->samples->len, ==, samples);
  g_assert_cmpuint(m->rounds->len, ==, samples);
  g_assert_cmpuint(m->walls->len, ==, samples);
  g_assert_cmpstr(stage_of(m, 1)->name, ==, "a “b”");
  g_assert_true(stage_of(m, 1)->headline && !stage_of(m, 0)->headline);
  g_assert_cmpuint(stage_of(m, 0)->bytes, ==, 400);
  g_assert_cmpuint(stage_of(m, 1)->ns->len, ==, samples);
  for (guint i = 1; i < samples; i++)
    g_assert_cmpuint(g_array_index(m->rounds, guint, i), >, g_array_index(m->rounds, guint, i - 1));
  g_assert_true(m->verification.done);
  g_assert_cmpuint(m->verification.total, ==, 100);
  g_assert_cmpfloat(m->verification.max_difference, ==, 0.5);
  g_assert_cmpstr(m->verification.against, ==, "the “reference”\n");
  g_assert_cmpfloat(m->work.pixels, ==, 7);
  g_assert_true(isfinite(m->first_ns) && isfinite(m->prepare_ns) && isnan(m->joules));
  g_assert_cmpfloat(m->conditions.load_before, >=, 0);
  g_assert_cmpuint(m->kernels->len, ==, 1); /* described once, whichever process did it */
  const MsKernelNote *note = m->kernels->pdata[0];
  g_assert_cmpstr(note->name, ==, "a “b”");
  g_assert_true(note->registers == 40 && isnan(note->occupancy));
}

/* Dies in each phase and each way; the second of three configurations is marked, the others are complete. */
static void
test_death_in_each_phase(void)
{
  static const int ways[] = {SIGSEGV, SIGABRT, SIGKILL, 0};

  for (Place place = IN_PREPARE; place <= IN_LAST_VERIFY; place++)
    for (gsize w = 0; w < G_N_ELEMENTS(ways); w++) {
      g_auto(Rig) rig = {NULL};
      rig_init(&rig);
      rig.plan[1] = (Fake){.dies_in = place, .how = ways[w]};
      g_assert_false(rig_child(&rig));
      g_assert_true(ms_lab_log_has_grown(rig.log));
      g_assert_false(ms_lab_log_has_grown(rig.log));
      measure(&rig);
      g_assert_cmpuint(rig.deaths_seen, ==, 1);
      g_assert_cmpuint(rig.runs[1], ==, 0);
      g_assert_cmpint(rig.measurements[1]->outcome, ==, MS_OUTCOME_RUN);
      g_assert_nonnull(strstr(rig.measurements[1]->message, "died after 0."));
      g_assert_nonnull(strstr(rig.measurements[1]->message, "it was ended by signal 11."));
      assert_complete(rig.measurements[0], 10);
      assert_complete(rig.measurements[2], 10);
      if (place == IN_ROUND)
        g_assert_cmpuint(rig.measurements[1]->samples->len, ==, ROUND_OF_DEATH - 1);
    }
}

/* Samples that were taken before a death are not taken again, and those after it are of the same rounds for all. */
static void
test_samples_are_kept(void)
{
  g_auto(Rig) rig = {NULL};

  rig_init(&rig);
  rig.plan[1] = (Fake){.dies_in = IN_ROUND, .how = SIGSEGV};
  g_assert_false(rig_child(&rig));
  measure(&rig);
  const MsMeasurement *a = rig.measurements[0], *b = rig.measurements[2];
  /* The first run and the warm-up are repeated; three samples were kept, or four if it was before the one that died. */
  g_assert_cmpuint(rig.runs[0], >=, 2 + 10 - ROUND_OF_DEATH);
  g_assert_cmpuint(rig.runs[0], <=, 2 + 10 - ROUND_OF_DEATH + 1);
  /* The three rounds that were complete, and those of the second process, are common to both. */
  guint common = 0;
  for (guint i = 0; i < a->rounds->len; i++)
    for (guint k = 0; k < b->rounds->len; k++)
      common += g_array_index(a->rounds, guint, i) == g_array_index(b->rounds, guint, k);
  g_assert_cmpuint(common, >=, 9);
}

/* What has ended is not run again, also when the process dies once more. */
static void
test_ended_ones_are_not_run(void)
{
  g_auto(Rig) rig = {NULL};

  rig_init(&rig);
  measure(&rig);
  g_assert_cmpuint(rig.runs[0], ==, 12);
  for (int again = 0; again < 2; again++) {
    rig_drop_measurements(&rig);
    measure(&rig);
    for (guint i = 0; i < N; i++) {
      g_assert_cmpuint(rig.runs[i], ==, 0);
      assert_complete(rig.measurements[i], 10);
    }
  }
}

/* Two configurations end one process each; a death without a configuration does not count as growth. */
static void
test_growth(void)
{
  g_auto(Rig) rig = {NULL};

  rig_init(&rig);
  g_assert_false(ms_lab_log_has_grown(rig.log));
  ms_lab_log_note_death(rig.log, "while the device was opened");
  g_assert_false(ms_lab_log_has_grown(rig.log));
  rig.plan[0] = (Fake){.dies_in = IN_FIRST_RUN, .how = SIGSEGV};
  rig.plan[2] = (Fake){.dies_in = IN_FIRST_RUN, .how = SIGSEGV};
  for (int i = 0; i < 2; i++) {
    g_assert_false(rig_child(&rig));
    g_assert_true(ms_lab_log_has_grown(rig.log));
  }
  g_assert_true(rig_child(&rig));
  g_assert_true(ms_lab_log_has_grown(rig.log));
  g_assert_false(ms_lab_log_has_grown(rig.log));
  measure(&rig);
  g_assert_cmpuint(rig.deaths_seen, ==, 3);
  g_assert_cmpint(rig.measurements[0]->outcome, ==, MS_OUTCOME_RUN);
  g_assert_cmpint(rig.measurements[2]->outcome, ==, MS_OUTCOME_RUN);
  assert_complete(rig.measurements[1], 10);
}

/* A step that does not end is ended by the process that watches, and is a time-out; other steps have no limit left. */
static void
test_hang(void)
{
  g_auto(Rig) rig = {NULL};

  rig_init(&rig);
  g_assert_true(isinf(ms_lab_log_seconds_left(rig.log)));
  rig.options.step_s = 0.3;
  rig.plan[1] = (Fake){.dies_in = IN_ROUND, .how = SIGSTOP};
  g_assert_false(rig_child(&rig));
  g_assert_true(isinf(ms_lab_log_seconds_left(rig.log)));
  measure(&rig);
  g_assert_cmpint(rig.measurements[1]->outcome, ==, MS_OUTCOME_TIMEOUT);
  g_assert_nonnull(strstr(rig.measurements[1]->message, "did not end within 0.3 s"));
  assert_complete(rig.measurements[0], 10);
}

/* A configuration that dies when only its energy is measured keeps its times. */
static void
test_death_after_the_end(void)
{
  g_auto(Rig) rig = {NULL};

  rig_init(&rig);
  measure(&rig);
  rig_drop_measurements(&rig);
  g_autoptr(MsLabLog) child = ms_lab_log_inherit(dup(ms_lab_log_get_fd(rig.log)));
  ms_lab_log_begin(child, "key “1”\n", 0);
  ms_lab_log_note_death(rig.log, "it was ended by signal 11");
  measure(&rig);
  g_assert_cmpuint(rig.deaths_seen, ==, 1);
  assert_complete(rig.measurements[1], 10);
}

/* The clock of the first process is that of all. */
static void
test_clock(void)
{
  g_auto(Rig) rig = {NULL};

  rig_init(&rig);
  g_autoptr(MsLabLog) first = ms_lab_log_inherit(dup(ms_lab_log_get_fd(rig.log)));
  const gint64 started = ms_lab_log_start_clock(first);
  g_usleep(2000);
  g_autoptr(MsLabLog) second = ms_lab_log_inherit(dup(ms_lab_log_get_fd(rig.log)));
  g_assert_cmpint(ms_lab_log_start_clock(second), ==, started);
  g_assert_cmpint(ms_lab_log_start_clock(NULL), >, started);
}

static char *
text_of(const Rig *rig, gsize *size)
{
  const int fd = ms_lab_log_get_fd(rig->log);

  *size = (gsize)lseek(fd, 0, SEEK_END);
  char *text = g_malloc(*size + 1);
  g_assert_cmpint(pread(fd, text, *size, 0), ==, *size);
  text[*size] = '\0';
  return text;
}

static void
write_text(const Rig *rig, const char *text, gsize size)
{
  g_assert_cmpint(write(ms_lab_log_get_fd(rig->log), text, size), ==, size);
}

/* A log that is cut anywhere is that of a process that was killed there: all is measured in the end. */
static void
test_cut_logs(void)
{
  g_auto(Rig) whole = {NULL};
  gsize size = 0;

  rig_init(&whole);
  whole.options.min_repeats = whole.options.max_repeats = 3;
  measure(&whole);
  g_autofree char *text = text_of(&whole, &size);
  for (gsize cut = 0; cut <= size; cut += cut < 100 || g_test_thorough() ? 1 : 37) {
    g_auto(Rig) rig = {NULL};
    rig_init(&rig);
    rig.options.min_repeats = rig.options.max_repeats = 3;
    write_text(&rig, text, cut);
    ms_lab_log_seconds_left(rig.log);
    measure(&rig);
    for (guint i = 0; i < N; i++)
      assert_complete(rig.measurements[i], 3);
    g_assert_true(ms_lab_log_has_grown(rig.log));
    /* What was appended after the cut is read by the next process. */
    rig_drop_measurements(&rig);
    measure(&rig);
    for (guint i = 0; i < N; i++) {
      assert_complete(rig.measurements[i], 3);
      g_assert_cmpuint(rig.runs[i], ==, 0);
    }
  }
}

/* Text that is no line of a log is passed over; absurd numbers, wrong types and missing members change nothing. */
static void
test_garbage(void)
{
  static const char garbage[] =
    "\n\n \n{\n{}\n[]\n7\n{\"line\":7}\n{\"line\":\"begins\"}\n{\"line\":\"sample\",\"of\":[]}\n"
    "{\"line\":\"begins\",\"of\":\"a\",\"seconds\":\"x\",\"at_us\":null}\n{\"line\":\"row\",\"of\":\"a\"}\n"
    "{\"line\":\"row\",\"of\":\"b\",\"measured\":[]}\n{\"line\":\"row\",\"of\":\"c\",\"measured\":{\"samples_ns\":7,"
    "\"stages\":[[]],\"kernels\":[null],\"verification\":3}}\n"
    "{\"line\":\"sample\",\"of\":\"key\",\"ns\":null}\n{\"line\":\"sample\",\"of\":\"key\",\"ns\":-1,\"round\":1}\n"
    "{\"line\":\"sample\",\"of\":\"key\",\"ns\":1,\"round\":1e300}\n"
    "{\"line\":\"sample\",\"of\":\"key\",\"ns\":1,\"round\":3,\"commands\":[1,{},{\"stage\":\"k\",\"ns\":1e300}]}\n"
    "{\"line\":\"died\",\"of\":\"key\",\"message\":{}}\n{\"line\":\"complete\",\"of\":\"x\",\"head\":[]}\n"
    "{\"line\":\"begins\",\"of\":\"key\",\"seconds\":1e400,\"at_us\":-9223372036854775808}\n{\"line\":\"anew\"}\n"
    "\x01\x02\xff\xfe\nnull\n";
  g_auto(Rig) rig = {NULL};
  g_autofree char *line = g_malloc0(3 << 20);
  g_autoptr(GRand) random = g_rand_new_with_seed(5);

  rig_init(&rig);
  write_text(&rig, garbage, sizeof garbage - 1);
  for (gsize i = 0; i < 3 << 20; i++)
    line[i] = (char)g_rand_int_range(random, i < 1 << 16 ? 0 : 32, 127);
  write_text(&rig, line, 3 << 20);
  g_assert_true(isinf(ms_lab_log_seconds_left(rig.log)));
  g_assert_true(ms_lab_log_has_grown(rig.log)); /* the death of "key" */
  measure(&rig);
  for (guint i = 0; i < N; i++)
    assert_complete(rig.measurements[i], 10);
  g_assert_false(ms_lab_log_inherit(-1));
  g_assert_false(ms_lab_log_inherit(open("/dev/null", O_RDONLY))); /* which is not a log */
}

static MsMeasurement *
new_measurement(double ns)
{
  MsMeasurement *m = ms_measurement_new();
  g_autoptr(GArray) none = g_array_new(FALSE, TRUE, sizeof(MsLabEvent));

  m->outcome = MS_OUTCOME_OK;
  m->shown = g_strdup("angezeigt");
  ms_measurement_keep(m, &(MsSample){ns, none}, ns, 0);
  return m;
}

static void
assert_kept(MsLabLog *log, const char *key, double ns)
{
  g_autoptr(MsMeasurement) m = ms_measurement_new();

  g_assert_true(ms_lab_log_has(log, key));
  g_assert_true(ms_lab_log_restore(log, key, m));
  g_assert_cmpint(m->outcome, ==, MS_OUTCOME_OK);
  g_assert_cmpfloat(g_array_index(m->samples, double, 0), ==, ns);
  g_assert_cmpstr(m->shown, ==, "angezeigt");
}

static MsLabLog *
open_file(const char *path)
{
  g_autoptr(GError) error = NULL;
  MsLabLog *log = ms_lab_log_open(path, TRUE, &error);

  g_assert_no_error(error);
  return log;
}

/* A file is read by a later process: newer rows replace older ones, and what begins anew is forgotten with its end. */
static void
test_file(void)
{
  g_autofree char *folder = g_dir_make_tmp("log-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "measured.jsonl", NULL);
  g_autofree char *a = ms_lab_log_scope("small", "device", "1.0", "", NULL);
  g_autofree char *b = ms_lab_log_scope("small", "device", "1.1", "", NULL);
  g_autofree char *in_a = g_strconcat(a, "sp:5", NULL), *in_b = g_strconcat(b, "sp:5", NULL);
  g_autoptr(MsMeasurement) first = new_measurement(7), second = new_measurement(8), other = new_measurement(9);
  g_autoptr(GPtrArray) keys = g_ptr_array_new(), measurements = g_ptr_array_new();
  g_autoptr(GError) error = NULL;

  g_assert_cmpstr(a, !=, b);
  g_assert_null(ms_lab_log_open(path, FALSE, NULL));
  g_autoptr(MsLabLog) writer = open_file(path);
  g_ptr_array_add(keys, in_a);
  g_ptr_array_add(measurements, first);
  g_assert_true(ms_lab_log_write(writer, keys, measurements, &error));
  measurements->pdata[0] = second;
  g_assert_true(ms_lab_log_write(writer, keys, measurements, &error));
  ms_lab_log_finish(writer, in_b, other);
  g_assert_true(ms_lab_log_complete(writer, a, json_from_string("{\"date\": \"today\"}", NULL), &error));
  g_autoptr(MsLabLog) reader = open_file(path);
  g_assert_cmpstr(json_object_get_string_member(ms_lab_log_find_complete(reader, a), "date"), ==, "today");
  g_assert_null(ms_lab_log_find_complete(reader, b));
  assert_kept(reader, in_a, 8);
  assert_kept(reader, in_b, 9);
  ms_lab_log_forget(reader, a);
  g_assert_false(ms_lab_log_has(reader, in_a));
  g_assert_null(ms_lab_log_find_complete(reader, a));
  g_autoptr(MsLabLog) later = open_file(path);
  g_assert_null(ms_lab_log_find_complete(later, a));
  g_assert_false(ms_lab_log_has(later, in_a));
  assert_kept(later, in_b, 9);
  g_assert_null(ms_lab_log_open(folder, TRUE, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_IO);
}

void
ms_test_lab_log(void)
{
  g_test_add_func("/lab/log/file", test_file);
  g_test_add_func("/lab/log/death-in-each-phase", test_death_in_each_phase);
  g_test_add_func("/lab/log/samples-are-kept", test_samples_are_kept);
  g_test_add_func("/lab/log/ended-ones-are-not-run", test_ended_ones_are_not_run);
  g_test_add_func("/lab/log/growth", test_growth);
  g_test_add_func("/lab/log/hang", test_hang);
  g_test_add_func("/lab/log/death-after-the-end", test_death_after_the_end);
  g_test_add_func("/lab/log/clock", test_clock);
  g_test_add_func("/lab/log/cut", test_cut_logs);
  g_test_add_func("/lab/log/garbage", test_garbage);
}
