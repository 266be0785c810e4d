/* SPDX-License-Identifier: MIT */
/*
 * Kind split: one picture on several devices. A balancer of [LB] hands the rows of each step out beforehand; "tiles" is
 * what the program does, one list of which each device takes the next; "alone" is the first device. The time is the
 * wall time of the whole picture. With a simulated partner one device is enough, and the time is that of the slower of
 * the two at each step.
 */
#include "core/filter/mean-shift.h"
#include "core/filter/shares.h"
#include "core/lab/kinds/kind.h"

/* Enough steps to correct the shares within one picture, few enough that halos and launches take little time. */
#define STEPS 8

/*
 * @policy: (nullable): %NULL for the first device alone, and for one list of tiles
 * @partner: simulated where its ratio is not 0; the last device then
 * @speeds: of the devices in the run before, rows a millisecond; 0 where they are unknown
 */
typedef struct {
  MsConfiguration base;
  const MsSharesPolicy *policy;
  gboolean alone;
  MsPartner partner;
  MsMeanShift *filter;
  guint n;
  double speeds[MS_DEVICES_MAX];
  MsImage *result;
} Split;

/* What one run does: the shares of its steps, and what they came to. */
typedef struct {
  Split *self;
  MsShares shares;
  guint8 *pixels;
  double rows[MS_DEVICES_MAX];
  double busy_ms[MS_DEVICES_MAX];
} Run;

static gboolean
is_simulated(const Split *self)
{
  return self->partner.ratio > 0;
}

/* "real", or how many times slower than the device a simulated partner is. */
static gboolean
parse_partner(Split *self, GError **error)
{
  const char *text = ms_configuration_get(&self->base, "partner");
  char *end;

  if (strcmp(text, "real") == 0)
    return TRUE;
  self->partner.ratio = g_ascii_strtod(text, &end);
  if (self->partner.ratio >= 0.01 && self->partner.ratio <= 100 && !*end)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "'%s' is not a partner; it can be real or a ratio from 0.01 to 100.", text);
  return FALSE;
}

static gboolean
split_set_up(MsConfiguration *base, GError **error)
{
  Split *self = (Split *)base;
  const char *split = ms_configuration_get(base, "split");
  GPtrArray *contexts = base->bench->contexts;
  const gboolean tiles = strcmp(split, "tiles") == 0;

  if (!parse_partner(self, error))
    return FALSE;
  self->alone = strcmp(split, "alone") == 0;
  if (!self->alone && !tiles && !(self->policy = ms_shares_policy_find(split, error)))
    return FALSE;
  if (tiles && is_simulated(self)) {
    ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, "A simulated partner takes no tiles from a list.");
    return FALSE;
  }
  if (self->alone || is_simulated(self) || (contexts && contexts->len > 1))
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED, "Sharing an image takes at least two devices; name them with --devices.");
  return FALSE;
}

static gboolean
split_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Split *self = (Split *)base;
  const gboolean one = self->alone || is_simulated(self);

  self->filter = one ? ms_mean_shift_new(base->context) : ms_mean_shift_new_several(base->bench->contexts);
  self->n = is_simulated(self) && !self->alone ? 2 : ms_mean_shift_get_n_devices(self->filter);
  return TRUE;
}

/* Computes rows on the first device. Returns the milliseconds, 0 where a program was built, or -1 with @error set. */
static double
run_rows(Run *run, MsRows rows, GCancellable *cancellable, GError **error)
{
  const MsConfiguration *base = &run->self->base;
  const int width = ms_image_get_width(base->image);
  const MsRegion region = {0, rows.first, width, rows.count};
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob job = {.source = base->image,
               .settings = &base->settings,
               .region = &region,
               .into = run->pixels + (gsize)rows.first * (gsize)width * 4,
               .log = log,
               .cancellable = cancellable};
  const gint64 start = g_get_monotonic_time();

  if (rows.count == 0)
    return 0;
  g_autoptr(MsImage) part = ms_mean_shift_run(run->self->filter, &job, error);
  ms_job_clear(&job);
  if (!part)
    return -1;
  return ms_timing_log_has_built(log) ? 0 : (double)(g_get_monotonic_time() - start) / 1000;
}

/* The first device and its partner, one after the other. */
static gboolean
run_simulated_step(Run *run, const MsRows *rows, double *milliseconds, GCancellable *cancellable, GError **error)
{
  MsPartner *partner = &run->self->partner;

  milliseconds[0] = run_rows(run, rows[0], cancellable, error);
  if (milliseconds[0] < 0 || run_rows(run, rows[1], cancellable, error) < 0)
    return FALSE;
  milliseconds[1] = ms_partner_take(partner, rows[1].count, rows[0].count, milliseconds[0]);
  ms_partner_end_step(partner, milliseconds, 2);
  return TRUE;
}

static gboolean
run_step(Run *run, MsRows step, const MsRows *rows, double *milliseconds, GCancellable *cancellable, GError **error)
{
  Split *self = run->self;
  const MsConfiguration *base = &self->base;
  const int width = ms_image_get_width(base->image);
  const MsRegion region = {0, step.first, width, step.count};
  MsJob job = {.source = base->image,
               .settings = &base->settings,
               .region = &region,
               .shares = rows,
               .into = run->pixels + (gsize)step.first * (gsize)width * 4,
               .cancellable = cancellable};

  if (is_simulated(self))
    return run_simulated_step(run, rows, milliseconds, cancellable, error);
  g_autoptr(MsImage) part = ms_mean_shift_run(self->filter, &job, error);
  ms_job_clear(&job);
  for (guint i = 0; part && i < self->n; i++) {
    const double speed = ms_mean_shift_get_speed(self->filter, i);
    milliseconds[i] = speed > 0 && rows[i].count > 0 ? (double)rows[i].count * width / speed : 0;
  }
  return part != NULL;
}

static gboolean
run_steps(Run *run, GCancellable *cancellable, GError **error)
{
  const Split *self = run->self;
  const MsRows whole = {0, ms_image_get_height(self->base.image)};
  MsRows step;

  for (int done = 0; done < whole.count; done += step.count) {
    MsRows rows[MS_DEVICES_MAX];
    double milliseconds[MS_DEVICES_MAX] = {0};
    step = ms_bands_next(whole, done, MAX(1, (whole.count + STEPS - 1) / STEPS));
    ms_shares_cut(&run->shares, step, rows);
    if (!run_step(run, step, rows, milliseconds, cancellable, error))
      return FALSE;
    for (guint i = 0; i < self->n; i++)
      if (milliseconds[i] > 0) {
        run->rows[i] += rows[i].count;
        run->busy_ms[i] += milliseconds[i];
      }
    if (self->policy->corrected)
      ms_shares_correct(&run->shares, self->policy, rows, milliseconds);
  }
  return TRUE;
}

static MsShares
first_shares(const Split *self)
{
  MsKnownSpeed speeds[MS_DEVICES_MAX] = {{0}};

  if (!self->policy->learned)
    return ms_shares_equal(self->n);
  for (guint i = 0; i < self->n; i++) {
    const guint device = is_simulated(self) ? 0 : i;
    speeds[i].speed = self->speeds[i];
    speeds[i].is_processor = ms_mean_shift_get_device(self->filter, device)->device->limits.type == MS_DEVICE_TYPE_CPU;
  }
  return ms_shares_from_speeds(speeds, self->n);
}

/* (transfer full): the picture, in steps that the balancer divides */
static MsImage *
run_balanced(Split *self, GCancellable *cancellable, GError **error)
{
  MsImage *source = self->base.image;
  const int width = ms_image_get_width(source), height = ms_image_get_height(source);
  Run run = {.self = self, .shares = first_shares(self), .pixels = g_malloc(ms_image_get_byte_size(source))};

  ms_partner_begin(&self->partner);
  if (!run_steps(&run, cancellable, error)) {
    g_free(run.pixels);
    return NULL;
  }
  for (guint i = 0; i < self->n; i++)
    self->speeds[i] = run.busy_ms[i] > 0 ? run.rows[i] / run.busy_ms[i] : 0;
  return ms_image_new_take(width, height, run.pixels, NULL);
}

static gboolean
split_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Split *self = (Split *)base;
  const guint64 start = ms_clock_now_ns();
  MsJob job = {.source = base->image, .settings = &base->settings, .cancellable = cancellable};

  g_clear_object(&self->result);
  self->result = self->policy ? run_balanced(self, cancellable, error) : ms_mean_shift_run(self->filter, &job, error);
  ms_job_clear(&job);
  ms_sample_add_host(sample, "split", start);
  if (is_simulated(self) && self->policy)
    sample->ns = self->partner.total_ms * 1e6;
  return self->result != NULL;
}

static gboolean
split_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  return ms_configuration_check_image(base, ((Split *)base)->result, verification, cancellable, error);
}

static void
split_release(MsConfiguration *base)
{
  Split *self = (Split *)base;

  g_clear_pointer(&self->filter, ms_mean_shift_free);
  g_clear_object(&self->result);
}

const MsLabKind ms_lab_split_kinds[] = {
  {
    .name = "split",
    .size = sizeof(Split),
    .keys = (const MsLabKey[]){{"size", MS_LAB_DEFAULT_SIZE}, {"split", "equal"}, {"partner", "real"}, {NULL}},
    .find_option = ms_option_find,
    .group = "split size:{size} sp:{sp} sr:{sr} partner:{partner}",
    .pictures = TRUE,
    .set_up = split_set_up,
    .prepare = split_prepare,
    .run = split_run,
    .check = split_check,
    .release = split_release,
  },
  {NULL},
};
