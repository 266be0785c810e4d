/* SPDX-License-Identifier: MIT */
#include "core/engine/self-tune.h"

#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/filter/mean-shift.h"
#include "core/filter/reference.h"
#include "core/folder.h"

/* The time for which a candidate may run at a radius, and that after which no further toggle is compiled. */
#define BUDGET_MS 50.0
#define MOST_SECONDS 6.0

/* The square that is filtered: as large as the first candidate filters in this time. */
#define LEAST_SIDE 64
#define MOST_SIDE 1024
#define LEAST_RUN_MS 4.0

/* Pixels a side that are compared with the serial reference. */
#define COMPARED_SIDE 32

/* The least of so many runs counts. */
#define RUNS 3

/* Toggles of the direct kernel make it at most so many times as fast, so that a slower one need not try them. */
#define MOST_GAIN_OF_TOGGLES 4.0

static gboolean
is_any(const MsDeviceLimits *limits)
{
  return TRUE;
}

/*
 * What `auto` can take, in the order in which it is tried; the first that suits says how large the square is. The rows
 * kernels take minutes to compile where vectors are computed number by number.
 */
static const struct {
  const char *settings;
  gboolean (*suits)(const MsDeviceLimits *limits);
  gboolean is_toggle;
} candidates[] = {
  {"kernel:rows", ms_device_limits_have_vectors, FALSE},
  {"kernel:rows-wide", ms_device_limits_have_vectors, FALSE},
  {"kernel:packed", is_any, FALSE},
  {"kernel:direct", is_any, FALSE},
  {"kernel:direct access:vload", is_any, TRUE},
  {"kernel:direct access:vload unroll:4", is_any, TRUE},
  {"kernel:direct work-group:16x16", is_any, TRUE},
  {"kernel:direct work-group:8x8", is_any, TRUE},
  {"kernel:direct memory:image", is_any, TRUE},
};

static void
clear_candidate(gpointer data)
{
  g_free(((MsCandidate *)data)->failure);
}

/** ms_measured_kernels_clear: frees what is known. */
void
ms_measured_kernels_clear(MsMeasuredKernels *self)
{
  g_clear_pointer(&self->candidates, g_array_unref);
  self->is_complete = FALSE;
}

static void
init_measured(MsMeasuredKernels *self)
{
  if (self->candidates)
    return;
  self->candidates = g_array_new(FALSE, TRUE, sizeof(MsCandidate));
  g_array_set_clear_func(self->candidates, clear_candidate);
}

static MsCandidate *
candidate_at(const MsMeasuredKernels *self, guint index)
{
  return &g_array_index(self->candidates, MsCandidate, index);
}

/** ms_device_is_known: whether the rules of the plan were made by measuring devices of its kind. */
gboolean
ms_device_is_known(MsDevice *device)
{
  const gboolean is_intel_processor =
    device->limits.type == MS_DEVICE_TYPE_CPU && g_str_has_prefix(device->platform, "Intel");

  return device->limits.nvidia_capability >= MS_KERNEL_BYTES_CAPABILITY || ms_device_is_pocl(device) ||
         is_intel_processor;
}

/* (transfer none) (nullable): the fastest at that radius that gave the right pixels. */
static const MsCandidate *
find_best(const MsMeasuredKernels *self, guint radius)
{
  const MsCandidate *best = NULL;

  for (guint i = 0; self->candidates && i < self->candidates->len; i++) {
    const MsCandidate *c = candidate_at(self, i);
    if (!c->failure && !isnan(c->ms[radius]) && (!best || c->ms[radius] < best->ms[radius]))
      best = c;
  }
  return best;
}

/** ms_measured_kernels_describe: (transfer full) (nullable): the winners, as in "packed (sp 5), direct (sp 16)". */
char *
ms_measured_kernels_describe(const MsMeasuredKernels *self)
{
  const MsCandidate *best[MS_N_MEASURED_RADII];

  for (guint i = 0; i < MS_N_MEASURED_RADII; i++)
    best[i] = find_best(self, i);
  if (!best[0])
    return NULL;
  if (!best[1] || best[1] == best[0])
    return g_strdup(best[0]->settings);
  return g_strdup_printf("%s (sp %g), %s (sp %g)", best[0]->settings, ms_measured_radii[0], best[1]->settings,
                         ms_measured_radii[1]);
}

/* The file of a device and driver. */

#define ENDING ".kernels.json"

static MsWinnerKey
key_of(MsDevice *device)
{
  return (MsWinnerKey){device->name, device->driver, "kernels"};
}

static const char *
known_settings(const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++)
    if (g_strcmp0(text, candidates[i].settings) == 0)
      return candidates[i].settings;
  return NULL;
}

static void
read_candidate(MsMeasuredKernels *self, JsonObject *object)
{
  JsonArray *ms = ms_json_get_array(object, "ms");
  MsCandidate c = {.settings = known_settings(ms_json_get_text(object, "settings"))};

  if (!c.settings || !ms || json_array_get_length(ms) != MS_N_MEASURED_RADII)
    return;
  c.failure = g_strdup(ms_json_get_text(object, "failure"));
  for (guint i = 0; i < MS_N_MEASURED_RADII; i++) {
    JsonNode *node = json_array_get_element(ms, i);
    c.ms[i] = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_double(node) : NAN;
  }
  g_array_append_val(self->candidates, c);
}

/**
 * ms_measured_kernels_load: what the device measured with this driver and version of the program; %FALSE where there is
 * nothing, or its file is damaged. A candidate whose turn began and did not end has ended the process.
 */
gboolean
ms_measured_kernels_load(MsMeasuredKernels *self, MsDevice *device)
{
  const MsWinnerKey key = key_of(device);
  g_autofree char *path = ms_winner_store_path(NULL, &key, ENDING);
  g_autoptr(JsonNode) root = ms_winner_store_read(path, &key, MS_VERSION);
  JsonObject *object = root ? json_node_get_object(root) : NULL;
  JsonArray *array = object ? ms_json_get_array(object, "candidates") : NULL;

  if (!array)
    return FALSE;
  init_measured(self);
  g_array_set_size(self->candidates, 0);
  self->is_complete = ms_json_get_boolean(object, "complete", FALSE);
  for (guint i = 0; i < json_array_get_length(array); i++)
    if (ms_json_get_element(array, i))
      read_candidate(self, ms_json_get_element(array, i));
  return TRUE;
}

/** ms_measured_kernels_add: an element for each candidate: settings, ms at each of ms_measured_radii, failure. */
void
ms_measured_kernels_add(const MsMeasuredKernels *self, JsonBuilder *b)
{
  for (guint i = 0; self->candidates && i < self->candidates->len; i++) {
    const MsCandidate *c = candidate_at(self, i);
    json_builder_begin_object(b);
    ms_json_add_text(b, "settings", c->settings);
    ms_json_begin_array(b, "ms");
    for (guint r = 0; r < MS_N_MEASURED_RADII; r++)
      ms_json_add_number_element(b, c->ms[r]);
    json_builder_end_array(b);
    ms_json_add_text(b, "failure", c->failure);
    json_builder_end_object(b);
  }
}

/* What cannot be kept is measured again another time. */
static void
save(const MsMeasuredKernels *self, MsDevice *device)
{
  const MsWinnerKey key = key_of(device);
  g_autofree char *path = ms_winner_store_path(NULL, &key, ENDING);
  g_autoptr(JsonBuilder) b = ms_winner_store_begin(&key, MS_VERSION);

  ms_json_add_boolean(b, "complete", self->is_complete);
  ms_json_begin_array(b, "candidates");
  ms_measured_kernels_add(self, b);
  json_builder_end_array(b);
  ms_winner_store_write(path, b, NULL);
}

/* Measuring. */

/*
 * @square: (owned): the part of the picture at each radius
 * @expected: (owned): the serial reference's pixels of its corner
 */
typedef struct {
  MsMeanShift *filter;
  GCancellable *cancellable;
  MsImage *square[MS_N_MEASURED_RADII];
  MsImage *expected[MS_N_MEASURED_RADII];
} Measuring;

static void
clear_measuring(Measuring *self)
{
  g_clear_pointer(&self->filter, ms_mean_shift_free);
  for (guint i = 0; i < MS_N_MEASURED_RADII; i++) {
    g_clear_object(&self->square[i]);
    g_clear_object(&self->expected[i]);
  }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Measuring, clear_measuring)

/* (transfer full): the middle of @picture, which is repeated where it is smaller. */
static MsImage *
cut_square(MsImage *picture, int side)
{
  const int width = ms_image_get_width(picture), height = ms_image_get_height(picture);
  const int left = MAX((width - side) / 2, 0), top = MAX((height - side) / 2, 0);
  const guint32 *from = (const guint32 *)ms_image_get_pixels(picture);
  guint32 *pixels = g_new(guint32, (gsize)side * side);

  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      pixels[(gsize)y * side + x] = from[(gsize)((top + y) % height) * width + (left + x) % width];
  return ms_image_new_take(side, side, (guint8 *)pixels, NULL);
}

/* (transfer full): the square filtered at a radius, and the time of the kernels, by the clock where events say none. */
static MsImage *
filter_square(Measuring *self, const MsCandidate *candidate, guint radius, double *ms, GError **error)
{
  g_autoptr(MsFactors) factors = ms_factors_parse(candidate->settings, NULL);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsSettings settings;

  if (!ms_settings_from_factors(factors, &settings, error))
    return NULL;
  settings.params.sp = ms_measured_radii[radius];
  MsJob job = {.source = self->square[radius], .settings = &settings, .log = log, .cancellable = self->cancellable};
  MsImage *result = ms_mean_shift_run(self->filter, &job, error);
  ms_job_clear(&job);
  *ms = ms_timing_log_total_ms(log, MS_STAGE_KERNEL);
  if (isnan(*ms))
    *ms = ms_timing_log_get_filter_ms(log);
  return result;
}

/* With the border, where windows are clipped. */
static const MsRegion compared = {0, 0, COMPARED_SIDE, COMPARED_SIDE};

static gboolean
compute_expected(Measuring *self, guint radius, GError **error)
{
  MsSettings settings = ms_settings_default();
  MsJob job = {.source = self->square[radius], .settings = &settings, .region = &compared};

  settings.params.sp = ms_measured_radii[radius];
  g_clear_object(&self->expected[radius]);
  self->expected[radius] = ms_reference_run(&job, error);
  ms_job_clear(&job);
  return self->expected[radius] != NULL;
}

static gboolean
is_right(const Measuring *self, guint radius, MsImage *result)
{
  const gsize pitch = (gsize)ms_image_get_width(result) * 4, row = COMPARED_SIDE * 4;
  const guint8 *found = ms_image_get_pixels(result), *expected = ms_image_get_pixels(self->expected[radius]);

  for (gsize y = 0; y < COMPARED_SIDE; y++)
    if (memcmp(found + y * pitch, expected + y * row, row) != 0)
      return FALSE;
  return TRUE;
}

/* Makes the square as large as the candidate filters in LEAST_RUN_MS; the first run compiles. */
static gboolean
choose_square(Measuring *self, const MsCandidate *candidate, MsImage *picture, guint radius, GError **error)
{
  double ms = 0;

  for (int side = LEAST_SIDE; side <= MOST_SIDE && ms < LEAST_RUN_MS; side *= 2) {
    g_clear_object(&self->square[radius]);
    self->square[radius] = cut_square(picture, side);
    for (int i = 0; i < 2; i++) {
      g_autoptr(MsImage) result = filter_square(self, candidate, radius, &ms, error);
      if (!result)
        return FALSE;
    }
  }
  return compute_expected(self, radius, error);
}

static gboolean
measure_radius(Measuring *self, MsCandidate *candidate, MsImage *picture, guint radius, GError **error)
{
  double ms, spent_ms = 0;

  if (!self->expected[radius] && !choose_square(self, candidate, picture, radius, error)) {
    g_clear_object(&self->square[radius]);
    return FALSE;
  }
  /* The first run compiles, and does not count. */
  for (int i = 0; i <= RUNS && spent_ms < BUDGET_MS; i++) {
    g_autoptr(MsImage) result = filter_square(self, candidate, radius, &ms, error);
    if (!result)
      return FALSE;
    if (i == 0 && !is_right(self, radius, result)) {
      ms_set_error(error, MS_ERROR_DEVICE, "its pixels at sp %g are not those of the serial reference",
                   ms_measured_radii[radius]);
      return FALSE;
    }
    if (i > 0) {
      candidate->ms[radius] = isnan(candidate->ms[radius]) ? ms : MIN(candidate->ms[radius], ms);
      spent_ms += ms;
    }
  }
  return TRUE;
}

/* %FALSE only when cancelled; any other failure is the candidate's. */
static gboolean
measure_candidate(Measuring *self, MsCandidate *candidate, MsImage *picture, GError **error)
{
  g_autoptr(GError) failure = NULL;

  for (guint i = 0; i < MS_N_MEASURED_RADII && !failure; i++)
    measure_radius(self, candidate, picture, i, &failure);
  if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  }
  g_free(candidate->failure);
  candidate->failure = failure ? g_strdup(failure->message) : NULL;
  return TRUE;
}

static const MsCandidate *
find_candidate(const MsMeasuredKernels *self, const char *settings)
{
  for (guint i = 0; i < self->candidates->len; i++)
    if (g_str_equal(candidate_at(self, i)->settings, settings))
      return candidate_at(self, i);
  return NULL;
}

/* Whether another kernel is so much faster than the direct one at every radius that no toggle helps that. */
static gboolean
toggles_cannot_win(const MsMeasuredKernels *self)
{
  const MsCandidate *direct = find_candidate(self, "kernel:direct");

  for (guint i = 0; direct && !direct->failure && i < MS_N_MEASURED_RADII; i++)
    if (direct->ms[i] <= MOST_GAIN_OF_TOGGLES * find_best(self, i)->ms[i])
      return FALSE;
  return direct && !direct->failure;
}

/* Whether candidate @i does not suit the device, was tried before, or is a toggle that cannot win or comes too late. */
static gboolean
is_left_out(const MsMeasuredKernels *self, gsize i, const MsDeviceLimits *limits, gint64 began_us)
{
  if (find_candidate(self, candidates[i].settings) || !candidates[i].suits(limits))
    return TRUE;
  return candidates[i].is_toggle &&
         (toggles_cannot_win(self) || (double)(g_get_monotonic_time() - began_us) > MOST_SECONDS * 1e6);
}

/**
 * ms_self_tune_measure:
 * @self: (inout): zeros, or what ms_measured_kernels_load() gave, whose candidates are not tried again
 * @picture: of which the middle is filtered
 * @keep: whether what is known is kept before and after each candidate, so that one that ends the process is known
 *
 * Measures the candidates of `auto`; compares each with the serial reference.
 *
 * Returns: %FALSE with G_IO_ERROR_CANCELLED
 */
gboolean
ms_self_tune_measure(MsMeasuredKernels *self, MsContext *context, MsImage *picture, gboolean keep,
                     GCancellable *cancellable, GError **error)
{
  g_auto(Measuring) measuring = {.filter = ms_mean_shift_new(context), .cancellable = cancellable};
  const gint64 began_us = g_get_monotonic_time();

  init_measured(self);
  for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++) {
    if (is_left_out(self, i, &context->device->limits, began_us))
      continue;
    const MsCandidate candidate = {candidates[i].settings, {NAN, NAN}, g_strdup("it ended the process")};
    g_array_append_val(self->candidates, candidate);
    if (keep)
      save(self, context->device);
    if (!measure_candidate(&measuring, candidate_at(self, self->candidates->len - 1), picture, error)) {
      g_array_set_size(self->candidates, self->candidates->len - 1);
      if (keep)
        save(self, context->device);
      return FALSE;
    }
  }
  self->is_complete = TRUE;
  if (keep)
    save(self, context->device);
  return TRUE;
}

/* Keeps the winners where ms_tuned_settings() looks for them. */
static void
save_winners(const MsMeasuredKernels *self, MsDevice *device)
{
  for (guint i = 0; i < MS_N_MEASURED_RADII; i++) {
    const MsCandidate *best = find_best(self, i);
    g_autofree char *problem = ms_problem_class_measured(i);
    g_autoptr(MsFactors) winner = best ? ms_factors_parse(best->settings, NULL) : NULL;
    ms_winner_store_save(NULL, &(MsWinnerKey){device->name, device->driver, problem}, MS_VERSION, winner, NULL);
  }
}

/* (transfer full): an open file that one process has at a time, or -1 where another has it. */
static int
lock(MsDevice *device)
{
  const MsWinnerKey key = key_of(device);
  g_autofree char *path = ms_winner_store_path(NULL, &key, ".lock");
  const int fd = ms_folder_make_parent(path, MS_FOLDER_PRIVATE, NULL)
                   ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                   : -1;

  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close(fd);
  return -1;
}

/**
 * ms_self_tune:
 * @picture: the first one
 *
 * Measures the kernels of a device that the rules of the plan do not know, once for its driver and the program's
 * version, and keeps the fastest; where another process does so at this moment, or the result cannot be kept, nothing
 * is done.
 *
 * Returns: (transfer full) (nullable): a sentence that tells the winner, or %NULL with @error unset where there is
 *   nothing to tell, and set when cancelled
 */
char *
ms_self_tune(MsContext *context, MsImage *picture, GCancellable *cancellable, GError **error)
{
  MsDevice *device = context->device;
  g_auto(MsMeasuredKernels) measured = {0};

  if (ms_device_is_known(device) || (ms_measured_kernels_load(&measured, device) && measured.is_complete))
    return NULL;
  const int fd = lock(device);
  if (fd < 0)
    return NULL;
  /* Another process may have ended it before the lock was taken. */
  if (ms_measured_kernels_load(&measured, device) && measured.is_complete) {
    close(fd);
    return NULL;
  }
  const gboolean done = ms_self_tune_measure(&measured, context, picture, TRUE, cancellable, error);
  if (done)
    save_winners(&measured, device);
  close(fd);
  g_autofree char *winners = done ? ms_measured_kernels_describe(&measured) : NULL;
  return winners ? g_strdup_printf(_("The kernels were measured on %s, which is new here: %s is the fastest."),
                                   device->title, winners)
                 : NULL;
}
