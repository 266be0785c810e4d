/* SPDX-License-Identifier: MIT */
#include "core/filter/split/shares.h"

#include <math.h>

#include "core/folder.h"
#include "core/option/choice.h"

/* A share changes by at most this part of itself in one step, so that a sudden slowdown cannot make it diverge. */
#define LARGEST_CHANGE 0.5

/* Every device keeps a share, so that an increase of its speed is noticed. */
#define LEAST_SHARE 0.01

/* The assumed speed of a processor, relative to other devices, until it is measured. */
#define PROCESSOR_PART (1.0 / 64)

/* A device whose known share is less than this costs more time at the ends of steps than it gains. */
#define LEAST_WORTH (1.0 / 32)

/* Steps without a row before the first probe, and the most doublings of that wait. */
#define FIRST_PROBE 2u
#define LONGEST_WAIT 5u

/* A speed measured over this many pixels has the weight of the stored one. */
#define HALF_WEIGHT_PIXELS 262144.0

const char *const ms_split_mode_names[] = {"equal", "learned", "adaptive", NULL};

static const MsSplitPolicy policies[] = {
  [MS_SPLIT_EQUAL] = {FALSE, FALSE, FALSE, FALSE, FALSE},   [MS_SPLIT_LEARNED] = {TRUE, FALSE, FALSE, FALSE, TRUE},
  [MS_SPLIT_ADAPTIVE] = {TRUE, TRUE, TRUE, TRUE, TRUE},     [MS_SPLIT_DYNAMIC] = {FALSE, TRUE, FALSE, FALSE, FALSE},
  [MS_SPLIT_EXPERIENCE] = {TRUE, TRUE, TRUE, FALSE, FALSE}, [MS_SPLIT_BOUNDED] = {FALSE, TRUE, TRUE, TRUE, FALSE},
};

/** ms_split_mode_policy: (transfer none): the policy of @mode. */
const MsSplitPolicy *
ms_split_mode_policy(MsSplitMode mode)
{
  return &policies[mode];
}

/** ms_split_mode_parse: the mode of that name, or #MS_ERROR_USAGE. */
gboolean
ms_split_mode_parse(const char *text, MsSplitMode *mode, GError **error)
{
  static const char *const names[] = {"equal", "learned", "adaptive", "dynamic", "experience", "bounded", NULL};
  int index = ms_choice_parse(names, "--split", text, error);

  if (index >= 0)
    *mode = (MsSplitMode)index;
  return index >= 0;
}

static void
normalise(MsShares *self)
{
  double sum = 0;

  for (guint i = 0; i < self->n; i++) {
    self->share[i] = self->left_out[i] ? 0 : MAX(self->share[i], LEAST_SHARE);
    sum += self->share[i];
  }
  for (guint i = 0; i < self->n; i++)
    self->share[i] /= sum;
}

MsShares
ms_shares_equal(guint n)
{
  MsShares self = {.n = n};

  g_return_val_if_fail(n >= 1 && n <= MS_SHARES_MAX, self);
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

/** ms_shares_leave_out: sets the share of devices that are much slower than the others to 0. */
void
ms_shares_leave_out(MsShares *self, const MsKnownSpeed *speeds)
{
  for (guint i = 0; i < self->n; i++)
    self->left_out[i] = speeds[i].speed > 0 && self->share[i] < LEAST_WORTH;
  normalise(self);
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
  if (self->left_out[device])
    return;
  if (++self->idle_steps[device] < FIRST_PROBE << MIN(self->probes[device], LONGEST_WAIT))
    return;
  self->idle_steps[device] = 0;
  self->probes[device]++;
  self->share[device] = MAX(self->share[device], 1.0 / rows);
}

/* The measured devices divide the rest of the idle ones' shares; a device whose probe was slow is idle again. */
static void
correct_measured(MsShares *self, const MsSplitPolicy *policy, const MsRows *parts, const double *speed, double sum,
                 double scale)
{
  double available = 1;
  int rows = 0;

  for (guint i = 0; i < self->n; i++) {
    available -= parts[i].count < 1 ? self->share[i] : 0;
    rows += parts[i].count;
  }
  for (guint i = 0; i < self->n; i++) {
    if (parts[i].count < 1)
      continue;
    double earned = available * speed[i] / sum;
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
ms_shares_correct(MsShares *self, const MsSplitPolicy *policy, const MsRows *parts, const double *milliseconds)
{
  double speed[MS_SHARES_MAX] = {0}, sum = 0, slowest = G_MAXDOUBLE, fastest = 0;
  int rows = 0;

  for (guint i = 0; i < self->n; i++) {
    rows += parts[i].count;
    if (parts[i].count < 1)
      continue;
    if (!(milliseconds[i] > 0))
      return;
    speed[i] = parts[i].count / milliseconds[i];
    sum += speed[i];
    slowest = MIN(slowest, speed[i]);
    fastest = MAX(fastest, speed[i]);
  }
  if (rows == 0)
    return;
  correct_measured(self, policy, parts, speed, sum, policy->scaled ? MAX(slowest / fastest, 0.25) : 1);
  for (guint i = 0; i < self->n; i++)
    if (parts[i].count < 1)
      probe_idle(self, i, rows);
    else if (speed[i] / sum * rows >= 1)
      self->probes[i] = 0;
  normalise(self);
}

/** ms_shares_store_path: (transfer full): the file of learned speeds. */
char *
ms_shares_store_path(void)
{
  return g_build_filename(g_get_user_data_dir(), "meanshift-lab", "speeds.ini", NULL);
}

/** ms_shares_load_speed: the stored speed of that work on that device. */
gboolean
ms_shares_load_speed(const char *path, const char *device, const char *work, double *speed)
{
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) error = NULL;

  if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  *speed = g_key_file_get_double(file, device, work, &error);
  return !error && *speed > 0 && isfinite(*speed);
}

/**
 * ms_shares_blend_speed:
 * @known: the stored speed
 * @pixels: the number of pixels over which @measured was measured
 *
 * Returns: the speed to store, a weighted mean: a large image has a high weight, a small one, whose time is mostly
 *   launches, a low one
 */
double
ms_shares_blend_speed(double known, double measured, double pixels)
{
  double weight = pixels / (pixels + HALF_WEIGHT_PIXELS);

  return known + weight * (measured - known);
}

/* Stores a speed; the file is replaced as a whole. */
static gboolean
store_speed(const char *path, const char *device, const char *work, double speed, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new();

  g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);
  g_key_file_set_double(file, device, work, speed);
  return ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error) && g_key_file_save_to_file(file, path, error);
}

/**
 * ms_shares_learn_speed: blends the speed of a run, in pixels a millisecond, with what the file has; if it cannot be
 * written, only the learned speed is lost.
 */
void
ms_shares_learn_speed(const char *path, const char *device, const char *work, double pixels, double milliseconds)
{
  double speed = pixels / milliseconds, known;
  g_autoptr(GError) error = NULL;

  if (ms_shares_load_speed(path, device, work, &known))
    speed = ms_shares_blend_speed(known, speed, pixels);
  if (!store_speed(path, device, work, speed, &error))
    g_debug("%s", error->message);
}
