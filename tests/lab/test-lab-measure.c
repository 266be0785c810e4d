/* SPDX-License-Identifier: MIT */
/* The measuring loop on simulated configurations: noise, order, failures, time-outs, cancelling, energy counters. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/kinds/measure.h"
#include "tests/lab/lab-fixture.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

typedef struct {
  MsConfiguration base;
  char id;
  guint64 first_ns;
  guint64 base_ns;
  guint64 jitter_ns;
  guint bad_events; /* so many runs report an end before the start */
  GError *prepare_error;
  GError *run_error;
  guint wrong_after; /* verification fails from this check on; 0 for never */
  gulong sleep_us;
  guint cancel_after; /* cancels the campaign from within; 0 for never */
  GCancellable *campaign;
  guint runs;
  guint checks;
  guint releases;
  GString *order;
} Fake;

static gboolean
fake_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Fake *self = (Fake *)base;

  if (!self->prepare_error)
    return TRUE;
  g_propagate_error(error, g_error_copy(self->prepare_error));
  return FALSE;
}

static gboolean
fake_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Fake *self = (Fake *)base;
  guint64 ns = self->base_ns + (self->jitter_ns ? (self->runs * 7919) % self->jitter_ns : 0);

  g_usleep(self->sleep_us);
  if (self->run_error) {
    g_propagate_error(error, g_error_copy(self->run_error));
    return FALSE;
  }
  if (++self->runs == 1 && self->first_ns) {
    ns = self->first_ns;
    g_usleep(20000);
  }
  if (self->cancel_after && self->runs >= self->cancel_after)
    g_cancellable_cancel(self->campaign);
  if (self->order)
    g_string_append_c(self->order, self->id);
  if (self->runs > 2 && self->bad_events > 0) {
    self->bad_events--;
    ms_sample_add_event(sample, &(MsLabEvent){"kernel", "k", 5000, 4000, 0, TRUE});
    return TRUE;
  }
  ms_sample_add_event(sample, &(MsLabEvent){"upload", NULL, 0, 77, 400, FALSE});
  ms_sample_add_event(sample, &(MsLabEvent){"kernel", "a", 100, 100 + ns / 2, 0, TRUE});
  ms_sample_add_event(sample, &(MsLabEvent){"kernel", "a", 1000000, 1000000 + ns - ns / 2, 0, TRUE});
  return TRUE;
}

static gboolean
fake_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Fake *self = (Fake *)base;

  self->checks++;
  verification->total = 100;
  verification->mismatches = self->wrong_after && self->checks >= self->wrong_after ? 3 : 0;
  verification->max_difference = verification->mismatches ? 9 : 0;
  return TRUE;
}

static void
fake_release(MsConfiguration *base)
{
  ((Fake *)base)->releases++;
}

static void
fake_finalize(MsConfiguration *base)
{
  Fake *self = (Fake *)base;

  g_clear_error(&self->prepare_error);
  g_clear_error(&self->run_error);
}

static const MsLabKind fake_kind = {.name = "fake",
                                    .size = sizeof(Fake),
                                    .prepare = fake_prepare,
                                    .run = fake_run,
                                    .check = fake_check,
                                    .release = fake_release,
                                    .finalize = fake_finalize};

static Fake *
fake_new(const char *label, guint64 base_ns)
{
  Fake *self = (Fake *)ms_lab_fixture_fake(&fake_kind, label);

  self->id = label[0];
  self->base_ns = base_ns;
  return self;
}

typedef struct {
  MsConfiguration *configurations[4];
  MsMeasurement *measurements[4];
  guint n;
  MsMeasureOptions options;
} Bench;

static Bench
bench_new(void)
{
  Bench bench = {0};

  ms_measure_options_init(&bench.options, FALSE);
  return bench;
}

static Fake *
bench_add(Bench *bench, const char *label, guint64 base_ns)
{
  Fake *fake = fake_new(label, base_ns);

  bench->configurations[bench->n] = &fake->base;
  bench->measurements[bench->n++] = ms_measurement_new();
  return fake;
}

static gboolean
bench_run(Bench *bench, GCancellable *cancellable, GError **error)
{
  return ms_measure(bench->configurations, bench->measurements, bench->n, &bench->options, cancellable, error);
}

static void
bench_clear(Bench *bench)
{
  for (guint i = 0; i < bench->n; i++) {
    ms_configuration_free(bench->configurations[i]);
    ms_measurement_free(bench->measurements[i]);
  }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bench, bench_clear)

static void
test_steady(void)
{
  g_auto(Bench) bench = bench_new();
  g_autoptr(GError) error = NULL;

  Fake *fake = bench_add(&bench, "steady", 1000);
  fake->first_ns = 50000;
  g_assert_true(bench_run(&bench, NULL, &error));
  g_assert_no_error(error);
  MsMeasurement *m = bench.measurements[0];
  g_assert_cmpint(m->outcome, ==, MS_OUTCOME_OK);
  g_assert_cmpuint(m->samples->len, ==, bench.options.min_repeats); /* no spread, so the least number of repeats */
  g_assert_cmpfloat(ms_measurement_summarise(m).median, ==, 1000);
  g_assert_cmpfloat(m->first_ns, ==, 50000); /* apart, in no sample */
  g_assert_cmpuint(m->walls->len, ==, m->samples->len);
  g_assert_cmpfloat(ms_measurement_first_extra_ns(m), >, 10e6); /* wall time has it, events do not */
  g_assert_cmpuint(m->stages->len, ==, 2);
  MsStageSeries *upload = m->stages->pdata[0], *kernel = m->stages->pdata[1];
  g_assert_cmpstr(upload->stage, ==, "upload");
  g_assert_false(upload->headline);
  g_assert_cmpuint(upload->bytes, ==, 400);
  g_assert_cmpuint(kernel->ns->len, ==, m->samples->len);
  g_assert_cmpfloat(g_array_index(kernel->ns, double, 0), ==, 1000); /* two launches are one sum */
  g_assert_cmpuint(fake->checks, ==, 2);                             /* the first run and the last */
  g_assert_cmpuint(fake->releases, ==, 1);
}

static void
test_noise_asks_for_more(void)
{
  g_auto(Bench) bench = bench_new();

  bench.options.max_repeats = 60;
  bench_add(&bench, "noisy", 1000)->jitter_ns = 900;
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpuint(bench.measurements[0]->samples->len, ==, 60);
  bench_clear(&bench);
  bench = bench_new();
  bench.options.max_repeats = 60;
  bench.options.noise = 3; /* a spread of 300 % is allowed */
  bench_add(&bench, "noisy", 1000)->jitter_ns = 900;
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpuint(bench.measurements[0]->samples->len, ==, bench.options.min_repeats);
}

/* With both asking for many repeats, their runs alternate, and not always in the same order. */
static void
test_interleaving(void)
{
  g_auto(Bench) bench = bench_new();
  g_autoptr(GString) order = g_string_new(NULL);

  bench.options.min_repeats = 40;
  bench.options.warm_up = 0;
  bench_add(&bench, "a", 1000)->order = order;
  bench_add(&bench, "b", 2000)->order = order;
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpuint(order->len, ==, 2 + 80);
  guint a_first = 0, changes = 0;
  for (guint i = 2; i < order->len; i += 4) {
    /* a round of random order and its mirror */
    g_assert_true(order->str[i] != order->str[i + 1]);
    g_assert_true(order->str[i + 2] == order->str[i + 1] && order->str[i + 3] == order->str[i]);
    a_first += order->str[i] == 'a';
    changes += i > 2 && order->str[i] != order->str[i - 4];
  }
  g_assert_cmpuint(a_first, >, 2);
  g_assert_cmpuint(a_first, <, 18);
  g_assert_cmpuint(changes, >, 2); /* neither always the same nor always the other order */
  g_assert_cmpuint(changes, <, 17);
}

static void
check_seed_order(guint32 seed, GString *order)
{
  g_auto(Bench) bench = bench_new();

  bench.options.min_repeats = 30;
  bench.options.seed = seed;
  bench_add(&bench, "a", 1000)->order = order;
  bench_add(&bench, "b", 1000)->order = order;
  g_assert_true(bench_run(&bench, NULL, NULL));
}

static void
test_seed(void)
{
  g_autoptr(GString) one = g_string_new(NULL);
  g_autoptr(GString) same = g_string_new(NULL);
  g_autoptr(GString) other = g_string_new(NULL);

  check_seed_order(3, one);
  check_seed_order(3, same);
  check_seed_order(4, other);
  g_assert_cmpstr(one->str, ==, same->str);
  g_assert_cmpstr(one->str, !=, other->str);
}

static void
test_impossible_events(void)
{
  g_auto(Bench) bench = bench_new();

  bench_add(&bench, "few", 1000)->bad_events = 4;
  bench_add(&bench, "many", 1000)->bad_events = 1000;
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpint(bench.measurements[0]->outcome, ==, MS_OUTCOME_OK);
  g_assert_cmpuint(bench.measurements[0]->rejected, ==, 4);
  g_assert_cmpfloat(ms_measurement_summarise(bench.measurements[0]).minimum, ==, 1000);
  g_assert_cmpint(bench.measurements[1]->outcome, ==, MS_OUTCOME_RUN);
  g_assert_nonnull(strstr(bench.measurements[1]->message, "do not say how long commands ran"));
}

static void
test_failures(void)
{
  g_auto(Bench) bench = bench_new();

  bench_add(&bench, "build", 1000)->prepare_error = g_error_new(MS_ERROR, MS_ERROR_BUILD, "log");
  bench_add(&bench, "run", 1000)->run_error = g_error_new(MS_ERROR, MS_ERROR_DEVICE, "lost");
  bench_add(&bench, "refused", 1000)->prepare_error = g_error_new(MS_ERROR, MS_ERROR_UNSUPPORTED, "reason");
  Fake *good = bench_add(&bench, "good", 1000);
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpint(bench.measurements[0]->outcome, ==, MS_OUTCOME_BUILD);
  g_assert_cmpstr(bench.measurements[0]->message, ==, "log");
  g_assert_cmpint(bench.measurements[1]->outcome, ==, MS_OUTCOME_RUN);
  g_assert_cmpint(bench.measurements[2]->outcome, ==, MS_OUTCOME_CONSTRAINT);
  g_assert_cmpint(bench.measurements[3]->outcome, ==, MS_OUTCOME_OK);
  g_assert_cmpuint(good->releases, ==, 1);
  g_assert_cmpuint(((Fake *)bench.configurations[0])->releases, ==, 0); /* never prepared */
}

static void
test_wrong_results(void)
{
  g_auto(Bench) bench = bench_new();

  Fake *at_once = bench_add(&bench, "wrong", 1000);
  at_once->wrong_after = 1;
  bench_add(&bench, "later", 1000)->wrong_after = 2;
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpint(bench.measurements[0]->outcome, ==, MS_OUTCOME_WRONG);
  g_assert_cmpuint(bench.measurements[0]->samples->len, ==, 0);
  g_assert_cmpuint(at_once->runs, ==, 1);
  g_assert_cmpuint(bench.measurements[0]->verification.mismatches, ==, 3);
  g_assert_nonnull(strstr(bench.measurements[0]->message, "3 of 100"));
  g_assert_cmpint(bench.measurements[1]->outcome, ==, MS_OUTCOME_WRONG);
}

/* The time of a measurement is looked at between runs. */
static void
test_time_out(void)
{
  g_auto(Bench) bench = bench_new();

  bench.options.time_s = 0.2;
  bench.options.min_repeats = bench.options.max_repeats = 1000;
  Fake *slow = bench_add(&bench, "slow", 1000);
  slow->sleep_us = 20000;
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpint(bench.measurements[0]->outcome, ==, MS_OUTCOME_TIMEOUT);
  g_assert_nonnull(strstr(bench.measurements[0]->message, "slow did not end within 0.2 s"));
  g_assert_cmpuint(slow->runs, >, 0);
  g_assert_cmpuint(slow->runs, <=, 10);
  g_assert_cmpuint(slow->releases, ==, 1);
}

static void
test_cancel(void)
{
  g_auto(Bench) bench = bench_new();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;

  bench.options.min_repeats = 50;
  Fake *fake = bench_add(&bench, "cancels", 1000);
  fake->cancel_after = 10;
  fake->campaign = cancellable;
  g_assert_false(bench_run(&bench, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint(bench.measurements[0]->outcome, ==, MS_OUTCOME_PENDING);
  g_assert_cmpuint(fake->releases, ==, 1);
  g_assert_cmpuint(fake->runs, ==, 10);
}

/* What has an outcome already, from an earlier campaign, is not run again. */
static void
test_finished_ones_are_left_alone(void)
{
  g_auto(Bench) bench = bench_new();

  Fake *old = bench_add(&bench, "old", 1000);
  Fake *new = bench_add(&bench, "new", 1000);
  bench.measurements[0]->outcome = MS_OUTCOME_OK;
  g_assert_true(bench_run(&bench, NULL, NULL));
  g_assert_cmpuint(old->runs, ==, 0);
  g_assert_cmpuint(new->runs, >, 0);
}

/* The energy of a configuration is that of one run, taken over a second of runs. */
static void
test_energy_of_a_configuration(void)
{
  g_autoptr(MsSensor) sensor = ms_fixture_nvml("NVIDIA One", NULL);
  g_auto(Bench) bench = bench_new();

  bench.options.sensor = sensor;
  bench.options.energy = TRUE;
  Fake *fake = bench_add(&bench, "counted", 1000);
  g_assert_true(bench_run(&bench, NULL, NULL));
  MsMeasurement *m = bench.measurements[0];
  guint counted = fake->runs - 1 - bench.options.warm_up - m->samples->len;
  g_assert_cmpuint(counted, >, 0);
  g_assert_cmpfloat_with_epsilon(m->joules * counted, 1.5, 1e-9);
  /* The power is that of the whole second, not of the kernels in it. */
  g_assert_cmpfloat(m->watts, <=, 1.5);
  g_assert_cmpfloat(m->watts, >, 0.1);
  g_assert_cmpstr(m->energy_source, ==, "NVML total energy");
}

void
ms_test_lab_measure(void)
{
  g_test_add_func("/lab/measure/steady", test_steady);
  g_test_add_func("/lab/measure/noise", test_noise_asks_for_more);
  g_test_add_func("/lab/measure/interleaving", test_interleaving);
  g_test_add_func("/lab/measure/seed", test_seed);
  g_test_add_func("/lab/measure/impossible-events", test_impossible_events);
  g_test_add_func("/lab/measure/failures", test_failures);
  g_test_add_func("/lab/measure/wrong-results", test_wrong_results);
  g_test_add_func("/lab/measure/time-out", test_time_out);
  g_test_add_func("/lab/measure/cancel", test_cancel);
  g_test_add_func("/lab/measure/finished", test_finished_ones_are_left_alone);
  g_test_add_func("/lab/measure/energy", test_energy_of_a_configuration);
}
