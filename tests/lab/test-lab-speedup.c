/* SPDX-License-Identifier: MIT */
/* Verdicts on invented samples, and of the measuring loop on a simulated machine whose speed changes. */
#include <math.h>

#include "core/lab/kinds/measure.h"
#include "tests/lab/lab-fixture.h"
#include "tests/support/cases.h"

#define TRIALS 20
#define RUN_NS 10e6

static const double noise = 0.01;

static void
assert_near(double value, double expected)
{
  g_assert_cmpfloat_with_epsilon(value, expected, 1e-9);
}

/* @n samples about @centre, spread over @width of it in a fixed order without a trend. */
static void
fill(double *samples, guint *rounds, guint n, double centre, double width, guint step)
{
  for (guint i = 0; i < n; i++) {
    samples[i] = centre * (1 + width * ((i * step % n) / (double)(n - 1) - 0.5));
    rounds[i] = i;
  }
}

static MsSpeedup
speedup_of(double baseline, double candidate, double width)
{
  double a[25], b[25];
  guint rounds[25];
  const MsTimes times[] = {{a, rounds, 25}, {b, rounds, 25}};

  fill(a, rounds, 25, baseline, width, 7);
  fill(b, rounds, 25, candidate, width, 11);
  return ms_speedup_side_by_side(&times[0], &times[1], noise);
}

static void
test_verdicts(void)
{
  MsSpeedup faster = speedup_of(200, 100, 0.02);

  g_assert_cmpint(faster.verdict, ==, MS_VERDICT_FASTER);
  g_assert_cmpfloat_with_epsilon(faster.ratio, 2, 0.01);
  g_assert_cmpfloat(faster.low, >, 1.97);
  g_assert_cmpfloat(faster.high, <, 2.03);
  g_assert_cmpfloat(faster.low, <=, faster.ratio);
  g_assert_cmpfloat(faster.high, >=, faster.ratio);
  g_assert_cmpint(speedup_of(100, 200, 0.02).verdict, ==, MS_VERDICT_SLOWER);
  g_assert_cmpint(speedup_of(100, 100, 0.002).verdict, ==, MS_VERDICT_SAME);
  g_assert_cmpint(speedup_of(100.3, 100, 0.001).verdict, ==, MS_VERDICT_SAME);
  g_assert_cmpint(speedup_of(100, 101, 0.3).verdict, ==, MS_VERDICT_UNCERTAIN);
}

/* Exchanging the two inverts the ratio and the interval. */
static void
test_inverse(void)
{
  MsSpeedup there = speedup_of(150, 100, 0.05), back = speedup_of(100, 150, 0.05);

  g_assert_cmpfloat_with_epsilon(there.ratio * back.ratio, 1, 0.01);
  g_assert_cmpfloat(there.high, >, there.low);
  double a[] = {15, 16, 14, 15, 17}, b[] = {10, 11, 10, 9, 10};
  const guint rounds[] = {0, 1, 2, 3, 4};
  const MsTimes x = {a, rounds, 5}, y = {b, rounds, 5};
  there = ms_speedup_side_by_side(&x, &y, noise);
  back = ms_speedup_side_by_side(&y, &x, noise);
  assert_near(there.ratio * back.ratio, 1);
  assert_near(there.low * back.high, 1);
  assert_near(there.high * back.low, 1);
}

/* Five rounds decide by the extremes of their ratios; fewer decide nothing. */
static void
test_few_rounds(void)
{
  const double slow[] = {10, 11, 12, 11, 11}, fast[] = {4, 5, 6, 5, 5}, wide[] = {4, 5, 13, 5, 5};
  const guint rounds[] = {0, 1, 2, 3, 4};
  const MsTimes a = {slow, rounds, 5}, b = {fast, rounds, 5}, c = {wide, rounds, 5}, few = {fast, rounds, 4};
  MsSpeedup clear = ms_speedup_side_by_side(&a, &b, noise);

  g_assert_cmpint(clear.verdict, ==, MS_VERDICT_FASTER);
  assert_near(clear.low, 2.0);
  assert_near(clear.high, 2.5);
  g_assert_cmpint(ms_speedup_side_by_side(&a, &c, noise).verdict, ==, MS_VERDICT_UNCERTAIN);
  MsSpeedup unknown = ms_speedup_side_by_side(&a, &few, noise);
  g_assert_cmpint(unknown.verdict, ==, MS_VERDICT_UNCERTAIN);
  g_assert_true(isinf(unknown.high));
  g_assert_cmpfloat(unknown.ratio, >, 2);
  const MsTimes nothing = {NULL, NULL, 0};
  g_assert_true(isnan(ms_speedup_side_by_side(&a, &nothing, noise).ratio));
}

/* One configuration ran alone while the machine was slower: only the common rounds count. */
static void
test_common_rounds(void)
{
  const double a[] = {10, 10, 10, 10, 10, 10}, b[] = {10, 10, 10, 10, 10, 10, 14, 14, 14, 14, 14, 14, 14};
  const guint rounds[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const MsTimes x = {a, rounds, 6}, y = {b, rounds, 13};
  const MsTimes late = {b, rounds + 6, 6};

  g_assert_cmpint(ms_speedup_side_by_side(&x, &y, noise).verdict, ==, MS_VERDICT_SAME);
  g_assert_cmpint(ms_speedup_side_by_side(&x, &late, noise).verdict, ==, MS_VERDICT_UNCERTAIN);
}

/* The first run of each pair of rounds is slow; the mirrored order cancels that. */
static void
test_mirrored_rounds(void)
{
  double a[16], b[16];
  guint rounds[16];
  const MsTimes x = {a, rounds, 16}, y = {b, rounds, 16};

  for (guint i = 0; i < 16; i++) {
    a[i] = i % 2 ? 10 : 13;
    b[i] = i % 2 ? 13 : 10;
    rounds[i] = i;
  }
  g_assert_cmpint(ms_speedup_side_by_side(&x, &y, noise).verdict, ==, MS_VERDICT_SAME);
}

/*
 * Hollander and Wolfe's example of two samples (table 4.1, membranes at term and at 12 to 26 weeks), as logarithms of
 * times: the interval has the third of their fifty differences at each end.
 */
static void
test_apart(void)
{
  static const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
  double old[10], new[5];
  guint rounds[10];
  const MsTimes a = {old, rounds, 10}, b = {new, rounds, 5}, few = {new, rounds, 4};

  for (guint i = 0; i < 10; i++) {
    old[i] = exp(at_term[i]);
    new[i % 5] = exp(early[i % 5]);
    rounds[i] = i;
  }
  const MsSpeedup speedup = ms_speedup_apart(&a, &b, noise), inverse = ms_speedup_apart(&b, &a, noise);
  assert_near(speedup.ratio, ms_times_median(&a) / ms_times_median(&b));
  assert_near(log(speedup.low), -0.41);
  assert_near(log(speedup.high), 1.03);
  assert_near(log(inverse.high), 0.41);
  g_assert_cmpint(speedup.verdict, ==, MS_VERDICT_UNCERTAIN);
  g_assert_true(isinf(ms_speedup_apart(&a, &few, noise).high)); /* too few for an interval */
}

/* How the speed of the simulated machine changes with time. */
typedef enum {
  STEADY,
  STEPS,
  RAMP,
  BURSTS,
  PERIODIC,
  ALTERNATING,
  HEAVY_TAILS,
} Disturbance;

static const char *const disturbance_names[] = {"steady",   "steps",       "ramp",       "bursts",
                                                "periodic", "alternating", "heavy-tails"};

typedef struct {
  Disturbance disturbance;
  GRand *random;
  double now_ns;
  double period;      /* of PERIODIC, in runs */
  double change_ns;   /* next change of STEPS and BURSTS */
  double slow_factor; /* current one of STEPS and BURSTS */
  guint runs;
} Machine;

typedef struct {
  MsConfiguration base;
  Machine *machine;
  double base_ns;
} Simulated;

static double
gaussian(GRand *random)
{
  return sqrt(-2 * log(1 - g_rand_double(random))) * cos(2 * G_PI * g_rand_double(random));
}

static double
slow_factor(Machine *m)
{
  gboolean steps = m->disturbance == STEPS;

  if (m->now_ns < m->change_ns)
    return m->slow_factor;
  m->slow_factor = m->slow_factor > 1 ? 1 : steps ? 1.4 : g_rand_double_range(m->random, 1.2, 2);
  m->change_ns = m->now_ns + RUN_NS * (steps                ? g_rand_double_range(m->random, 20, 150)
                                       : m->slow_factor > 1 ? g_rand_double_range(m->random, 0.5, 15)
                                                            : g_rand_double_range(m->random, 10, 80));
  return m->slow_factor;
}

static double
disturb(Machine *m)
{
  switch (m->disturbance) {
  case STEADY:
    return 1;
  case STEPS:
  case BURSTS:
    return slow_factor(m);
  case RAMP:
    return 1 + 0.5 * m->now_ns / (200 * RUN_NS);
  case PERIODIC:
    return 1 + 0.1 * sin(2 * G_PI * m->now_ns / (m->period * RUN_NS));
  case ALTERNATING:
    return m->runs % 2 ? 1 : 1.2;
  case HEAVY_TAILS:
    return 1 + fmin(0.01 * fabs(tan(G_PI * (g_rand_double(m->random) - 0.5))), 5);
  }
  g_assert_not_reached();
}

static gboolean
simulated_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Simulated *self = (Simulated *)base;

  sample->ns = self->base_ns * disturb(self->machine) * (1 + 0.005 * gaussian(self->machine->random));
  self->machine->now_ns += sample->ns;
  self->machine->runs++;
  return TRUE;
}

static gboolean
simulated_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  verification->total = 1;
  return TRUE;
}

static const MsLabKind simulated_kind = {
  .name = "simulated", .size = sizeof(Simulated), .run = simulated_run, .check = simulated_check};

static guint64
machine_clock(gpointer data)
{
  return (guint64)((Machine *)data)->now_ns;
}

static MsConfiguration *
simulated_new(Machine *machine, double ns)
{
  Simulated *self = (Simulated *)ms_lab_fixture_fake(&simulated_kind, "simulated");

  self->machine = machine;
  self->base_ns = ns;
  return &self->base;
}

/* The verdict on two configurations, the second of which takes @factor times as long. */
static MsVerdict
verdict_on_machine(Disturbance disturbance, double factor, guint32 seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(1000 * (guint)disturbance + seed);
  Machine machine = {.disturbance = disturbance, .random = random, .slow_factor = 2};
  g_autoptr(MsConfiguration) a = simulated_new(&machine, RUN_NS), b = simulated_new(&machine, RUN_NS * factor);
  MsConfiguration *configurations[] = {a, b};
  MsMeasurement *measurements[] = {ms_measurement_new(), ms_measurement_new()};
  MsMeasureOptions options;

  machine.period = exp(g_rand_double_range(random, log(1.5), log(40)));
  ms_measure_options_init(&options, FALSE);
  options.seed = seed;
  options.clock = machine_clock;
  options.clock_data = &machine;
  g_assert_true(ms_measure(configurations, measurements, 2, &options, NULL, NULL));
  g_assert_cmpfloat(machine.now_ns, <, 2.2 * options.budget_s * 1e9);
  MsTimes baseline = ms_measurement_times(measurements[0]), candidate = ms_measurement_times(measurements[1]);
  MsVerdict verdict = ms_speedup_side_by_side(&baseline, &candidate, options.noise).verdict;
  ms_measurement_free(measurements[0]);
  ms_measurement_free(measurements[1]);
  return verdict;
}

/* One run of the loop over a configuration that takes @factor times as long. */
static MsMeasurement *
measure_alone(Machine *machine, double factor, guint32 seed)
{
  g_autoptr(MsConfiguration) configuration = simulated_new(machine, RUN_NS * factor);
  MsMeasurement *measurement = ms_measurement_new();
  MsMeasureOptions options;

  ms_measure_options_init(&options, FALSE);
  options.seed = seed;
  options.clock = machine_clock;
  options.clock_data = machine;
  g_assert_true(ms_measure(&configuration, &measurement, 1, &options, NULL, NULL));
  return measurement;
}

/* The verdict of --compare on a configuration that takes @factor times as long in a later run. */
static MsVerdict
verdict_apart(Disturbance disturbance, double factor, guint32 seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(1000 * (guint)disturbance + seed);
  Machine machine = {.disturbance = disturbance, .random = random, .slow_factor = 2};

  machine.period = exp(g_rand_double_range(random, log(1.5), log(40)));
  g_autoptr(MsMeasurement) old = measure_alone(&machine, 1, seed);
  machine.now_ns += RUN_NS * g_rand_double_range(random, 50, 150);
  g_autoptr(MsMeasurement) new = measure_alone(&machine, factor, seed);
  const MsTimes before = ms_measurement_times(old), after = ms_measurement_times(new);
  return ms_speedup_apart(&before, &after, noise).verdict;
}

/* MS_LAB_TRIALS sets a larger number of trials, for estimating error rates. */
static guint
n_trials(void)
{
  const char *wanted = g_getenv("MS_LAB_TRIALS");

  return wanted ? (guint)g_ascii_strtoull(wanted, NULL, 10) : TRIALS;
}

static void
test_simulated(gconstpointer data)
{
  Disturbance disturbance = (Disturbance)GPOINTER_TO_INT(data);
  guint false_when_equal = 0, right = 0, wrong = 0, same = 0, n = n_trials();

  for (guint32 seed = 1; seed <= n; seed++) {
    MsVerdict equal = verdict_on_machine(disturbance, 1, seed);
    MsVerdict slower = verdict_on_machine(disturbance, 1.03, seed);
    false_when_equal += equal == MS_VERDICT_FASTER || equal == MS_VERDICT_SLOWER;
    same += equal == MS_VERDICT_SAME;
    right += slower == MS_VERDICT_SLOWER;
    wrong += slower == MS_VERDICT_FASTER || slower == MS_VERDICT_SAME;
  }
  g_test_message("%s: equal: %u false, %u the same; 3 %% slower: %u right, %u false; of %u",
                 disturbance_names[disturbance], false_when_equal, same, right, wrong, n);
  g_assert_cmpuint(false_when_equal, <=, n / 20);
  g_assert_cmpuint(wrong, <=, n / 20);
  g_assert_cmpuint(right, >=, n * 15 / 20);
}

/*
 * Separate runs: one that takes twice as long is reported, and on a steady machine equal ones are not. The drift of any
 * other machine is not known.
 */
static void
test_simulated_apart(gconstpointer data)
{
  Disturbance disturbance = (Disturbance)GPOINTER_TO_INT(data);
  guint false_when_equal = 0, right = 0, n = n_trials();

  for (guint32 seed = 1; seed <= n; seed++) {
    MsVerdict equal = verdict_apart(disturbance, 1, seed);
    false_when_equal += equal == MS_VERDICT_FASTER || equal == MS_VERDICT_SLOWER;
    right += verdict_apart(disturbance, 2, seed) == MS_VERDICT_SLOWER;
  }
  g_test_message("%s: equal: %u false; twice as slow: %u right; of %u", disturbance_names[disturbance],
                 false_when_equal, right, n);
  if (disturbance == STEADY)
    g_assert_cmpuint(false_when_equal, <=, n / 20);
  g_assert_cmpuint(right, >=, n * 15 / 20);
}

void
ms_test_lab_speedup(void)
{
  g_test_add_func("/lab/speedup/verdicts", test_verdicts);
  g_test_add_func("/lab/speedup/inverse", test_inverse);
  g_test_add_func("/lab/speedup/few-rounds", test_few_rounds);
  g_test_add_func("/lab/speedup/common-rounds", test_common_rounds);
  g_test_add_func("/lab/speedup/mirrored-rounds", test_mirrored_rounds);
  g_test_add_func("/lab/speedup/apart", test_apart);
  for (guint i = 0; i < G_N_ELEMENTS(disturbance_names); i++) {
    g_autofree char *path = g_strconcat("/lab/speedup/simulated/", disturbance_names[i], NULL);
    g_autofree char *apart = g_strconcat("/lab/speedup/simulated-apart/", disturbance_names[i], NULL);
    g_test_add_data_func(path, GINT_TO_POINTER(i), test_simulated);
    g_test_add_data_func(apart, GINT_TO_POINTER(i), test_simulated_apart);
  }
}
