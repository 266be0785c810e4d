/* SPDX-License-Identifier: MIT */
#include "core/filter/shares.h"

#include <math.h>

#include "core/option/option.h"

/* A share changes by at most this part of itself in one step, so that a sudden slowdown cannot make it diverge. */
#define LARGEST_CHANGE 0.5

/* Every device keeps a share, so that an increase of its speed is noticed. */
#define LEAST_SHARE 0.01

/* The assumed speed of a processor, relative to other devices, until it is measured. */
#define PROCESSOR_PART (1.0 / 64)

/* Steps without a row before the first probe, and the most doublings of that wait. */
#define FIRST_PROBE 2u
#define LONGEST_WAIT 5u

/* Fewer processors copy more slowly than a device transfers. */
#define LEAST_PROCESSORS 8u

static const MsSharesPolicy policies[] = {
  {"equal", FALSE, FALSE, FALSE, FALSE},   /* equal shares */
  {"learned", TRUE, FALSE, FALSE, FALSE},  /* in proportion to the speeds of earlier runs */
  {"adaptive", TRUE, TRUE, TRUE, TRUE},    /* both algorithms of [LB] together */
  {"dynamic", FALSE, TRUE, FALSE, FALSE},  /* equal, then by the last step: the balancer that [LB] compares with */
  {"experience", TRUE, TRUE, TRUE, FALSE}, /* the experience-guided algorithm of [LB] alone */
  {"bounded", FALSE, TRUE, TRUE, TRUE},    /* its multi-device adaptive algorithm alone */
};

/** ms_shares_policy_find: (transfer none): the policy of that name, or %NULL with #MS_ERROR_USAGE. */
const MsSharesPolicy *
ms_shares_policy_find(const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS(policies) + 1] = {NULL};

  for (guint i = 0; i < G_N_ELEMENTS(policies); i++)
    names[i] = policies[i].name;
  const int index = ms_choice_parse(names, "split", name, error);
  return index >= 0 ? &policies[index] : NULL;
}

/**
 * ms_shares_choose_processors:
 *
 * A device runs up to three transfers at the same time, and each transfer uses half as many threads as the device has
 * processors. More threads than processors would slow the copies down.
 *
 * Returns: how many of the host's @processors each of @n_devices may use for transfers
 */
guint
ms_shares_choose_processors(guint processors, guint n_devices)
{
  if (n_devices < 2)
    return processors;
  return MAX(MIN(processors, LEAST_PROCESSORS), 2 * processors / (3 * n_devices));
}

static void
normalise(MsShares *self)
{
  double sum = 0;

  for (guint i = 0; i < self->n; i++) {
    self->share[i] = MAX(self->share[i], LEAST_SHARE);
    sum += self->share[i];
  }
  for (guint i = 0; i < self->n; i++)
    self->share[i] /= sum;
}

MsShares
ms_shares_equal(guint n)
{
  MsShares self = {.n = n};

  g_return_val_if_fail(n >= 1 && n <= MS_DEVICES_MAX, self);
  for (guint i = 0; i < n; i++)
    self.share[i] = 1.0 / n;
  return self;
}

/* The mean of the known speeds of processors, or of the other devices; 0 where none is known. */
static double
mean_speed(const MsKnownSpeed *speeds, guint n, gboolean is_processor)
{
  double sum = 0;
  guint known = 0;

  for (guint i = 0; i < n; i++)
    if (speeds[i].is_processor == is_processor && speeds[i].speed > 0) {
      sum += speeds[i].speed;
      known++;
    }
  return known > 0 ? sum / known : 0;
}

/* The estimated speed of an unmeasured device: the mean of its kind, or else in proportion to the other kind. */
static double
guess_speed(const MsKnownSpeed *speeds, guint n, gboolean is_processor)
{
  double same = mean_speed(speeds, n, is_processor);
  double other = mean_speed(speeds, n, !is_processor);

  if (same > 0)
    return same;
  return (other > 0 ? other : 1) * (is_processor ? PROCESSOR_PART : other > 0 ? 1 / PROCESSOR_PART : 1);
}

/**
 * ms_shares_from_speeds:
 * @speeds: (array length=n): of each device
 *
 * Returns: shares in proportion; unknown speeds are estimated
 */
MsShares
ms_shares_from_speeds(const MsKnownSpeed *speeds, guint n)
{
  MsShares self = ms_shares_equal(n);

  for (guint i = 0; i < n; i++)
    self.share[i] = speeds[i].speed > 0 ? speeds[i].speed : guess_speed(speeds, n, speeds[i].is_processor);
  normalise(&self);
  return self;
}

/**
 * ms_shares_cut:
 * @step: rows to divide
 * @parts: (out) (array): for each device its rows, in order and without gaps; some may be empty
 */
void
ms_shares_cut(const MsShares *self, MsRows step, MsRows *parts)
{
  double until = 0;
  int done = 0;

  for (guint i = 0; i < self->n; i++) {
    until += self->share[i];
    int end = i + 1 == self->n ? step.count : CLAMP((int)lrint(until * step.count), done, step.count);
    parts[i] = (MsRows){step.first + done, end - done};
    done = end;
  }
}

/* A device without rows has no measured time, so it gets one row after some steps, with twice the wait each time. */
static void
probe_idle(MsShares *self, guint device, int rows)
{
  if (++self->idle_steps[device] < FIRST_PROBE << MIN(self->probes[device], LONGEST_WAIT))
    return;
  self->idle_steps[device] = 0;
  self->probes[device]++;
  self->share[device] = MAX(self->share[device], 1.0 / rows);
}

/* Rows a millisecond of the devices that had rows in a step. */
typedef struct {
  double of[MS_DEVICES_MAX];
  double sum;
  double slowest;
  double fastest;
} StepSpeeds;

/* Returns %FALSE where a device has no time for its rows. */
static gboolean
measure_step(guint n, const MsRows *parts, const double *milliseconds, StepSpeeds *speeds)
{
  *speeds = (StepSpeeds){.slowest = G_MAXDOUBLE};
  for (guint i = 0; i < n; i++) {
    if (parts[i].count < 1)
      continue;
    if (!(milliseconds[i] > 0))
      return FALSE;
    const double speed = speeds->of[i] = parts[i].count / milliseconds[i];
    speeds->sum += speed;
    speeds->slowest = MIN(speeds->slowest, speed);
    speeds->fastest = MAX(speeds->fastest, speed);
  }
  return speeds->sum > 0;
}

static int
count_rows(guint n, const MsRows *parts)
{
  int rows = 0;

  for (guint i = 0; i < n; i++)
    rows += parts[i].count;
  return rows;
}

/* The measured devices divide the rest of the idle ones' shares; a device whose probe was slow is idle again. */
static void
correct_measured(MsShares *self, const MsSharesPolicy *policy, const MsRows *parts, const StepSpeeds *speeds)
{
  const double scale = policy->scaled ? MAX(speeds->slowest / speeds->fastest, 0.25) : 1;
  const int rows = count_rows(self->n, parts);
  double available = 1;

  for (guint i = 0; i < self->n; i++)
    available -= parts[i].count < 1 ? self->share[i] : 0;
  for (guint i = 0; i < self->n; i++) {
    if (parts[i].count < 1)
      continue;
    double earned = available * speeds->of[i] / speeds->sum;
    double bound = policy->bounded ? self->share[i] * LARGEST_CHANGE : 1;
    if (self->probes[i] > 0 && parts[i].count == 1 && earned * rows < 0.5)
      self->share[i] = earned;
    else
      self->share[i] += CLAMP((earned - self->share[i]) * scale, -bound, bound);
  }
}

/**
 * ms_shares_correct:
 * @policy: the corrections to apply
 * @parts: the rows that each device had in the last step
 * @milliseconds: the time of each
 *
 * Moves the shares towards the measured speeds. As in [LB] a correction can be scaled by the devices' relative
 * performance, the slowest over the fastest, so that very unequal devices over-correct less (but never below a
 * quarter), and bounded, so that one disturbed step cannot make the shares diverge. A device whose share rounds to no
 * rows gets one row from time to time, so that its share recovers when it becomes faster.
 */
void
ms_shares_correct(MsShares *self, const MsSharesPolicy *policy, const MsRows *parts, const double *milliseconds)
{
  const int rows = count_rows(self->n, parts);
  StepSpeeds speeds;

  if (!measure_step(self->n, parts, milliseconds, &speeds))
    return;
  correct_measured(self, policy, parts, &speeds);
  for (guint i = 0; i < self->n; i++)
    if (parts[i].count < 1)
      probe_idle(self, i, rows);
    else if (speeds.of[i] / speeds.sum * rows >= 1)
      self->probes[i] = 0;
  normalise(self);
}

/* A partner's speed changes from step to step as that of a processor with other work does; the mean is about 1. */
static const double variation[] = {1.0, 0.8, 1.25, 1.1, 0.85, 1.2, 0.9, 1.0};

/** ms_partner_begin: at the start of an image. */
void
ms_partner_begin(MsPartner *self)
{
  self->step = 0;
  self->total_ms = 0;
}

/**
 * ms_partner_take:
 * @rows: the partner's rows of this step
 * @first_rows: those of the first device
 * @first_ms: its time for them; where that is 0 for unknown, its last known speed is used
 *
 * Returns: the milliseconds that the partner takes; 0 while no speed is known
 */
double
ms_partner_take(MsPartner *self, int rows, int first_rows, double first_ms)
{
  if (first_rows > 0 && first_ms > 0)
    self->row_ms = first_ms / first_rows;
  return rows * self->row_ms * self->ratio * variation[self->step++ % G_N_ELEMENTS(variation)];
}

/** ms_partner_end_step: counts a step of @n devices, which ends with the slowest of them. */
void
ms_partner_end_step(MsPartner *self, const double *milliseconds, guint n)
{
  double longest = 0;

  for (guint i = 0; i < n; i++)
    longest = MAX(longest, milliseconds[i]);
  self->total_ms += longest;
}
