/* SPDX-License-Identifier: MIT */
#include "core/filter/split/split.h"

#include "core/filter/split/speeds.h"
#include "core/image/common/pixel-memory.h"

/* Enough steps to correct the shares within one image, few enough that halos and launches take little time. */
#define DEFAULT_STEPS 8

/* What a device did in the last run; timed_rows: those of busy_ms; kernel_ms: of all rows. */
typedef struct {
  guint64 rows;
  guint64 timed_rows;
  double busy_ms;
  double kernel_ms;
} Total;

struct _MsSplit {
  GPtrArray *filters; /* MsMeanShift, one a device */
  GPtrArray *names;   /* of the devices */
  MsSplitMode mode;
  MsShares shares;
  MsSplitPartner partner;  /* the last filter's, where there is one */
  MsLearnedSpeeds *speeds; /* NULL without a store */
  MsPixelMemory *results;  /* faulting in new memory takes longer than the transfers to several devices */
  gboolean compares;
  gboolean measured; /* the shares come from measured speeds of all devices */
  guint steps;
  guint images; /* run so far */
  Total totals[MS_SHARES_MAX];
};

void
ms_split_free(MsSplit *self)
{
  g_ptr_array_unref(self->filters);
  g_ptr_array_unref(self->names);
  g_clear_pointer(&self->speeds, ms_learned_speeds_free);
  ms_pixel_memory_free(self->results);
  g_free(self);
}

/* @name: (transfer full): of the device, by which its speed is kept */
static void
add_filter(MsSplit *self, MsContext *context, char *name)
{
  g_ptr_array_add(self->filters, ms_mean_shift_new(context));
  g_ptr_array_add(self->names, name);
  self->shares = ms_shares_equal(self->filters->len);
}

/* Whether a device overlaps transfers with kernels, and other devices do not slow its kernels. */
static gboolean
is_separate_gpu(MsSplit *self, guint index)
{
  return ms_device_has_own_memory(ms_split_get_context(self, index)->device);
}

/**
 * ms_split_new:
 * @contexts: (element-type MsContext): 1 to %MS_SHARES_MAX devices, no two with the same context
 *
 * Returns: (transfer full): a filter over all of them
 */
MsSplit *
ms_split_new(GPtrArray *contexts, MsSplitMode mode)
{
  g_return_val_if_fail(contexts->len >= 1 && contexts->len <= MS_SHARES_MAX, NULL);

  MsSplit *self = g_new0(MsSplit, 1);
  g_autofree char *store = ms_learned_speeds_path();
  guint n = 0;

  self->filters = g_ptr_array_new_with_free_func((GDestroyNotify)ms_mean_shift_free);
  self->names = g_ptr_array_new_with_free_func(g_free);
  self->mode = mode;
  self->steps = DEFAULT_STEPS;
  self->results = ms_pixel_memory_new();
  self->speeds = ms_learned_speeds_new(store);
  for (guint i = 0; i < contexts->len; i++) {
    MsContext *context = g_ptr_array_index(contexts, i);
    add_filter(self, context, ms_learned_speeds_device(context->device));
    n += is_separate_gpu(self, i);
  }
  /* The copies of all devices share the processors of the host. */
  for (guint i = 0; i < contexts->len; i++)
    ms_split_get_context(self, i)->processors = ms_split_choose_processors(g_get_num_processors(), n);
  return self;
}

/** ms_split_set_store: the file of learned speeds; %NULL neither reads nor keeps any. */
void
ms_split_set_store(MsSplit *self, const char *path)
{
  g_clear_pointer(&self->speeds, ms_learned_speeds_free);
  self->speeds = path ? ms_learned_speeds_new(path) : NULL;
}

/**
 * ms_split_set_compares: whether the adaptive mode times all devices together and the fastest one alone, and uses the
 * faster way; needs a store.
 */
void
ms_split_set_compares(MsSplit *self, gboolean compares)
{
  self->compares = compares;
}

/** ms_split_set_steps: the most steps into which an image is cut. */
void
ms_split_set_steps(MsSplit *self, guint steps)
{
  self->steps = MAX(steps, 1);
}

/**
 * ms_split_set_memory_budget: bytes of the machine's memory that the buffers of all devices may take together; devices
 * without memory of their own get equal parts. Between images no memory of results is kept then.
 */
void
ms_split_set_memory_budget(MsSplit *self, guint64 bytes)
{
  guint sharing = 0;

  ms_pixel_memory_set_keeps(self->results, FALSE);
  for (guint i = 0; i < self->filters->len; i++)
    sharing += !is_separate_gpu(self, i);
  for (guint i = 0; i < self->filters->len; i++)
    if (!is_separate_gpu(self, i))
      ms_mean_shift_set_memory_budget(g_ptr_array_index(self->filters, i), MAX(bytes / MAX(sharing, 1), 1));
}

static gboolean
has_partner(const MsSplit *self)
{
  return self->partner.ratio > 0;
}

/**
 * ms_split_add_partner:
 * @ratio: how many times as fast as the partner the first device is
 *
 * Adds a simulated device, once. The devices then run one after the other, and ms_split_get_simulated_ms() says how
 * long they would have taken side by side.
 */
void
ms_split_add_partner(MsSplit *self, double ratio)
{
  g_return_if_fail(!has_partner(self) && ratio > 0 && self->filters->len < MS_SHARES_MAX);

  add_filter(self, ms_split_get_context(self, 0), g_strdup_printf("simulated partner %g", ratio));
  for (guint i = 0; i < self->filters->len; i++)
    ms_mean_shift_set_shares_device(g_ptr_array_index(self->filters, i), TRUE);
  self->partner.ratio = ratio;
}

/** ms_split_get_simulated_ms: the time of the last run, with the partner's as simulated; 0 without a partner. */
double
ms_split_get_simulated_ms(MsSplit *self)
{
  return self->partner.total_ms;
}

guint
ms_split_get_n_devices(MsSplit *self)
{
  return self->filters->len;
}

MsContext *
ms_split_get_context(MsSplit *self, guint index)
{
  return ms_mean_shift_get_context(g_ptr_array_index(self->filters, index));
}

/** ms_split_get_shares: the shares after the last run. */
MsShares
ms_split_get_shares(MsSplit *self)
{
  return self->shares;
}

/** ms_split_get_rows: how many rows of the last run a device computed. */
guint64
ms_split_get_rows(MsSplit *self, guint index)
{
  return self->totals[index].rows;
}

/*
 * The rows of an image that one of several devices computes in one step: filled before its thread starts, read after it
 * has ended. The job is that of the whole image; milliseconds, good and error are set by the run.
 */
typedef struct {
  MsMeanShift *filter;
  MsJob job;
  MsRows rows;
  double milliseconds;
  gboolean good;
  GError *error;
} Part;

static gpointer
run_part(gpointer data)
{
  Part *self = data;
  MsJob *job = &self->job;
  const int width = ms_image_get_width(job->source);
  const gsize first = (gsize)self->rows.first * (gsize)width;
  const MsRegion region = {0, self->rows.first, width, self->rows.count};

  job->region = &region;
  job->into += first * 4;
  job->modes_into = job->modes_into ? job->modes_into + first * 2 : NULL;
  g_autoptr(MsPlan) plan = ms_mean_shift_plan(self->filter, job, &self->error);
  job->plan = plan;
  gint64 start = g_get_monotonic_time();
  g_autoptr(MsImage) rows = plan ? ms_mean_shift_run(self->filter, job, &self->error) : NULL;
  self->good = rows != NULL;
  self->milliseconds = (double)(g_get_monotonic_time() - start) / 1000.0;
  return NULL;
}

/* Runs the parts side by side, the last one on the calling thread. */
static void
run_parts(Part *parts, guint n)
{
  GThread *threads[MS_SHARES_MAX] = {NULL};

  for (guint i = 0; i < n; i++)
    if (parts[i].rows.count > 0 && i + 1 < n)
      threads[i] = g_thread_try_new("device", run_part, &parts[i], NULL);
  for (guint i = 0; i < n; i++)
    if (parts[i].rows.count > 0 && !threads[i])
      run_part(&parts[i]);
  for (guint i = 0; i < n; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}

/* Clears the errors of all parts; FALSE with the first one if there is any. */
static gboolean
take_error(Part *parts, guint n, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < n; i++) {
    if (parts[i].rows.count == 0 || parts[i].good)
      continue;
    if (good)
      g_propagate_error(error, g_steal_pointer(&parts[i].error));
    g_clear_error(&parts[i].error);
    good = FALSE;
  }
  return good;
}

/**
 * ms_split_speed_ms:
 *
 * Returns: the @milliseconds of a run as a measure of the device's speed; 0 where the device built a program, since the
 *   time of compilation, also at the first launch, does not depend on the pixels
 */
double
ms_split_speed_ms(MsTimingLog *log, double milliseconds)
{
  for (guint i = 0; i < ms_timing_log_get_length(log); i++)
    if (ms_timing_log_get(log, i)->stage == MS_STAGE_BUILD)
      return 0;
  return milliseconds;
}

/* A partner's speed changes from step to step as that of a processor with other work does; the mean is about 1. */
static const double variation[] = {1.0, 0.8, 1.25, 1.1, 0.85, 1.2, 0.9, 1.0};

/** ms_split_partner_begin: at the start of an image. */
void
ms_split_partner_begin(MsSplitPartner *self)
{
  self->step = 0;
  self->total_ms = 0;
}

/**
 * ms_split_partner_take:
 * @rows: the partner's rows of this step
 * @first_rows: those of the first device
 * @first_ms: its time for them; where that is 0 for unknown, its last known speed is used
 *
 * Returns: the milliseconds that the partner takes; 0 while no speed is known
 */
double
ms_split_partner_take(MsSplitPartner *self, int rows, int first_rows, double first_ms)
{
  if (first_rows > 0 && first_ms > 0)
    self->row_ms = first_ms / first_rows;
  return rows * self->row_ms * self->ratio * variation[self->step++ % G_N_ELEMENTS(variation)];
}

/** ms_split_partner_end_step: counts a step of @n devices, which ends with the slowest of them. */
void
ms_split_partner_end_step(MsSplitPartner *self, const double *milliseconds, guint n)
{
  double longest = 0;

  for (guint i = 0; i < n; i++)
    longest = MAX(longest, milliseconds[i]);
  self->total_ms += longest;
}

/* Counts the rows and times of each device, where these measure its speed, and corrects the shares. */
static void
account(MsSplit *self, const Part *parts)
{
  const MsSplitPolicy *policy = ms_split_mode_policy(self->mode);
  const guint n = self->filters->len;
  double milliseconds[MS_SHARES_MAX] = {0};
  MsRows rows[MS_SHARES_MAX];

  for (guint i = 0; i < n; i++) {
    rows[i] = parts[i].rows;
    milliseconds[i] = rows[i].count > 0 ? ms_split_speed_ms(parts[i].job.log, parts[i].milliseconds) : 0;
  }
  if (has_partner(self)) {
    milliseconds[n - 1] = ms_split_partner_take(&self->partner, rows[n - 1].count, rows[0].count, milliseconds[0]);
    ms_split_partner_end_step(&self->partner, milliseconds, n);
  }
  for (guint i = 0; i < n; i++) {
    self->totals[i].rows += (guint64)rows[i].count;
    self->totals[i].timed_rows += milliseconds[i] > 0 ? (guint64)rows[i].count : 0;
    self->totals[i].busy_ms += milliseconds[i];
    self->totals[i].kernel_ms += ms_timing_log_total_ms(parts[i].job.log, MS_STAGE_KERNEL);
  }
  if (policy->corrected)
    ms_shares_correct(&self->shares, policy, rows, milliseconds);
}

/* @job: with memory for all that is computed; @settings: one for each device */
static gboolean
run_step(MsSplit *self, MsJob *job, const MsSettings *settings, MsRows step, GError **error)
{
  g_autoptr(GPtrArray) logs = g_ptr_array_new_with_free_func((GDestroyNotify)ms_timing_log_unref);
  guint n = self->filters->len;
  MsRows rows[MS_SHARES_MAX];
  Part parts[MS_SHARES_MAX];

  ms_shares_cut(&self->shares, step, rows);
  for (guint i = 0; i < n; i++) {
    parts[i] = (Part){.filter = g_ptr_array_index(self->filters, i),
                      .rows = rows[i],
                      .job = {.source = job->source,
                              .settings = &settings[i],
                              .wants_modes = job->wants_modes,
                              .interactive = job->interactive,
                              .into = job->into,
                              .modes_into = job->modes_into,
                              .log = ms_timing_log_new(),
                              .cancellable = job->cancellable}};
    g_ptr_array_add(logs, parts[i].job.log);
  }
  run_parts(parts, has_partner(self) ? n - 1 : n);
  if (has_partner(self) && rows[n - 1].count > 0)
    run_part(&parts[n - 1]);
  const gboolean good = take_error(parts, n, error);
  if (good)
    account(self, parts);
  for (guint i = 0; good && job->log && i < n; i++)
    ms_timing_log_append(job->log, parts[i].job.log);
  /* The settings that `auto` resolves to on the first device; other devices may use other kernels. */
  if (rows[0].count > 0)
    job->used = parts[0].job.used;
  for (guint i = 0; i < n; i++)
    ms_job_clear(&parts[i].job);
  return good;
}

static guint
steps_of(MsSplit *self, MsImage *source)
{
  guint active = ms_shares_count_active(&self->shares);
  gboolean all_overlap = !has_partner(self);

  if (active == 1 && self->shares.n > 1)
    return 1;
  for (guint i = 0; all_overlap && i < self->filters->len; i++)
    all_overlap = self->shares.left_out[i] || is_separate_gpu(self, i);
  if (!all_overlap || self->steps < 2)
    return self->steps;
  const gboolean corrected = ms_split_mode_policy(self->mode)->corrected && !self->measured;
  return ms_split_choose_steps(ms_image_get_byte_size(source), corrected, active, self->steps);
}

static gboolean
run_steps(MsSplit *self, MsJob *job, const MsSettings *settings, GError **error)
{
  MsRows whole = {0, ms_image_get_height(job->source)}, step = {0, 0};
  guint steps = steps_of(self, job->source);
  int rows_per_step = MAX(1, (int)((whole.count + steps - 1) / steps));

  for (int done = 0; done < whole.count; done += step.count) {
    step = ms_bands_next(whole, done, rows_per_step);
    if (!run_step(self, job, settings, step, error))
      return FALSE;
    if (job->progress)
      job->progress(done + step.count, whole.count, job->progress_data);
  }
  return TRUE;
}

static gboolean
leaves_out(const MsSplit *self)
{
  return ms_split_mode_policy(self->mode)->leaves_out && !has_partner(self);
}

static void
start_shares(MsSplit *self, const MsSplitRates *rates)
{
  MsKnownSpeed speeds[MS_SHARES_MAX] = {{0}};

  self->shares = ms_shares_equal(self->filters->len);
  self->measured = ms_split_mode_policy(self->mode)->learned && self->speeds;
  if (!self->measured)
    return;
  for (guint i = 0; i < self->filters->len; i++) {
    speeds[i].is_processor = ms_split_get_context(self, i)->device->limits.type == MS_DEVICE_TYPE_CPU;
    speeds[i].speed = ms_learned_speeds_get(self->speeds, g_ptr_array_index(self->names, i), rates->work);
    self->measured = self->measured && speeds[i].speed > 0;
  }
  self->shares = ms_shares_from_speeds(speeds, self->filters->len);
  if (leaves_out(self) && self->images % MS_SPLIT_IMAGES_UNTIL_TRIAL != 0)
    ms_shares_leave_out(&self->shares, speeds);
  if (leaves_out(self) && self->compares)
    ms_split_rates_choose(rates, &self->shares);
}

/** ms_split_save_speeds: saves what was learned since the last save; the last reference does so as well. */
void
ms_split_save_speeds(MsSplit *self)
{
  if (self->speeds)
    ms_learned_speeds_save(self->speeds);
}

/* Saves after 1, 2, 4, 8 … images, since writing the file may take as long as filtering a small image. */
static void
keep_speeds(MsSplit *self, const MsSplitRates *rates, int width, gint64 start_us)
{
  const guint n = self->filters->len;

  if (!self->speeds)
    return;
  /* A device is faster alone than beside others, so that only speeds measured side by side give shares. */
  for (guint i = 0; i < n && (n == 1 || ms_shares_count_active(&self->shares) > 1); i++)
    if (self->totals[i].busy_ms > 0)
      ms_learned_speeds_add(self->speeds, g_ptr_array_index(self->names, i), rates->work,
                            (double)self->totals[i].timed_rows * width, self->totals[i].busy_ms);
  if (leaves_out(self) && self->compares) {
    ms_split_rates_keep(rates, &self->shares, (double)(g_get_monotonic_time() - start_us) / 1000);
    for (guint i = 0; i < n; i++)
      if (is_separate_gpu(self, i) && self->totals[i].kernel_ms > 0)
        ms_split_rates_keep_kernels(rates, i, (double)self->totals[i].rows * width, self->totals[i].kernel_ms);
  }
  if ((self->images & (self->images - 1)) == 0)
    ms_learned_speeds_save(self->speeds);
}

/**
 * ms_split_run_each:
 * @job: of a whole image; its log gets the rows of all devices, step by step
 * @settings: one for each device, which replace those of the job; they may differ in their toggles, since those never
 *   change the picture, not in their parameters
 *
 * Computes the whole image on all devices. Each gets its rows with the halo they need, so the picture equals that of
 * one device whatever the shares.
 *
 * Returns: (transfer full): the result, or %NULL with the first device's error
 */
MsImage *
ms_split_run_each(MsSplit *self, MsJob *job, const MsSettings *settings, GError **error)
{
  MsImage *source = job->source;
  int width = ms_image_get_width(source), height = ms_image_get_height(source);
  g_autofree guint8 *pixels =
    ms_image_check_memory(ms_pixel_memory_take(self->results, (guint64)width, (guint64)height), width, height, error);
  g_autofree char *work = ms_learned_speeds_work(settings);
  const MsSplitRates rates = {self->speeds, self->names, work, (guint64)width * (guint64)height, ++self->images};

  if (!pixels || !ms_job_begin(job, error))
    return NULL;
  MsJob whole = *job;
  whole.into = pixels;
  whole.modes_into = ms_job_get_modes(job);
  memset(self->totals, 0, sizeof self->totals);
  ms_split_partner_begin(&self->partner);
  start_shares(self, &rates);
  gint64 start_us = g_get_monotonic_time();
  if (!run_steps(self, &whole, settings, error))
    return NULL;
  job->used = whole.used;
  keep_speeds(self, &rates, width, start_us);
  return ms_pixel_memory_image(self->results, width, height, g_steal_pointer(&pixels), ms_image_get_metadata(source));
}

/** ms_split_run: as ms_split_run_each(), with the same settings for every device. */
MsImage *
ms_split_run(MsSplit *self, MsJob *job, GError **error)
{
  MsSettings same[MS_SHARES_MAX];

  for (guint i = 0; i < G_N_ELEMENTS(same); i++)
    same[i] = *job->settings;
  return ms_split_run_each(self, job, same, error);
}
