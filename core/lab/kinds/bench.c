/* SPDX-License-Identifier: MIT */
#include "core/lab/kinds/bench-private.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/filter/reference.h"
#include "core/lab/kinds/scene.h"

#define LARGEST_SIDE 32768
#define BAND_ROWS 16

/* One reference result; the image and the parameters it belongs to. */
typedef struct {
  MsImage *image;
  MsParams params;
  MsImage *result;
  guint64 samples;
} Reference;

static void
free_reference(gpointer data)
{
  Reference *reference = data;

  g_object_unref(reference->image);
  g_object_unref(reference->result);
  g_free(reference);
}

static void
free_array(gpointer data)
{
  MsLabArray *array = data;

  g_clear_pointer(&array->buffer, clReleaseMemObject);
  g_free(array->data);
  g_free(array);
}

/**
 * ms_lab_bench_new:
 * @context: (nullable) (transfer none): the device, which references do not need
 * @contexts: (nullable) (transfer none): the devices that share an image
 * @image: (nullable) (transfer none): filtered instead of generated scenes
 */
MsLabBench *
ms_lab_bench_new(MsContext *context, GPtrArray *contexts, MsImage *image)
{
  MsLabBench *self = g_new0(MsLabBench, 1);

  g_set_object(&self->context, context);
  self->contexts = contexts ? g_ptr_array_ref(contexts) : NULL;
  self->image = image ? g_object_ref(image) : NULL;
  self->scenes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
  self->references = g_ptr_array_new_with_free_func(free_reference);
  self->arrays = g_ptr_array_new_with_free_func(free_array);
  self->reference_step = 1;
  return self;
}

void
ms_lab_bench_free(MsLabBench *self)
{
  if (!self)
    return;
  g_clear_object(&self->context);
  g_clear_pointer(&self->contexts, g_ptr_array_unref);
  g_clear_object(&self->image);
  g_hash_table_unref(self->scenes);
  g_ptr_array_unref(self->references);
  g_ptr_array_unref(self->arrays);
  if (self->scratch_file)
    g_unlink(self->scratch_file);
  g_free(self->scratch_file);
  g_free(self);
}

MsContext *
ms_lab_bench_context(MsLabBench *self)
{
  return self->context;
}

/** ms_lab_bench_contexts: (nullable) (transfer none): the devices that share an image. */
GPtrArray *
ms_lab_bench_contexts(MsLabBench *self)
{
  return self->contexts;
}

/**
 * ms_lab_bench_image:
 * @size: "WIDTHxHEIGHT"; ignored when the caller gave an image
 *
 * Returns: (transfer none): the picture to filter, kept until ms_lab_bench_forget()
 */
MsImage *
ms_lab_bench_image(MsLabBench *self, const char *size, GError **error)
{
  gint64 width, height;
  MsImage *scene;

  if (self->image)
    return self->image;
  scene = g_hash_table_lookup(self->scenes, size);
  if (scene)
    return scene;
  if (!ms_factors_parse_size(size, &width, &height, error))
    return NULL;
  if (width > LARGEST_SIDE || height > LARGEST_SIDE) {
    ms_set_error(error, MS_ERROR_TOO_LARGE, "A scene of %s is too large; a side has %d pixels at most.", size,
                 LARGEST_SIDE);
    return NULL;
  }
  scene = ms_scene_new((int)width, (int)height);
  g_hash_table_insert(self->scenes, g_strdup(size), scene);
  return scene;
}

/* The rows of one reference, computed by several threads in bands. */
typedef struct {
  MsImage *image;
  const MsParams *params;
  guint8 *out;
  GMutex mutex;
  guint64 samples;
  GError *error;
  GCancellable *cancellable;
} ReferenceJob;

static void
compute_band(gpointer data, gpointer user_data)
{
  ReferenceJob *job = user_data;
  int width = ms_image_get_width(job->image), height = ms_image_get_height(job->image);
  int top = (GPOINTER_TO_INT(data) - 1) * BAND_ROWS;
  MsRegion region = {0, top, width, MIN(BAND_ROWS, height - top)};
  guint64 samples = 0;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) band = ms_reference_run(
    job->image, job->params, &(MsReferenceRun){.region = &region, .samples = &samples, .cancellable = job->cancellable},
    &error);

  if (band)
    memcpy(job->out + (gsize)top * width * 4, ms_image_get_pixels(band), ms_image_get_byte_size(band));
  g_mutex_lock(&job->mutex);
  job->samples += samples;
  if (!band && !job->error)
    job->error = g_steal_pointer(&error);
  g_mutex_unlock(&job->mutex);
}

/** ms_lab_bench_limit_reference: references have only as many rows, spread evenly, as take @seconds; 0 for all. */
void
ms_lab_bench_limit_reference(MsLabBench *self, double seconds)
{
  self->reference_s = seconds;
}

/**
 * ms_lab_bench_reference_step:
 * @bands: bands of the whole image
 * @band_s: seconds that one of them takes
 * @threads: bands computed at the same time
 * @limit_s: seconds that the reference may take, 0 for any time
 *
 * Returns: the step from one computed band to the next that keeps within @limit_s; at least two are computed
 */
guint
ms_lab_bench_reference_step(guint bands, double band_s, guint threads, double limit_s)
{
  double in_time = floor(limit_s * threads / MAX(band_s, 1e-9));
  guint n = (guint)CLAMP(in_time, 2, MAX(bands, 2));

  return limit_s > 0 ? (bands + n - 1) / n : 1;
}

/** ms_lab_bench_referenced_rows: (transfer full): the rows of @image that a reference of its size has. */
MsImage *
ms_lab_bench_referenced_rows(MsLabBench *self, MsImage *image)
{
  int width = ms_image_get_width(image), height = ms_image_get_height(image), rows = 0;

  if (self->reference_step == 1)
    return g_object_ref(image);
  guint8 *pixels = g_malloc(ms_image_get_byte_size(image));
  for (int top = 0; top < height; top += BAND_ROWS * (int)self->reference_step) {
    int n = MIN(BAND_ROWS, height - top);
    memcpy(pixels + (gsize)rows * width * 4, ms_image_get_pixels(image) + (gsize)top * width * 4, (gsize)n * width * 4);
    rows += n;
  }
  return ms_image_new_take(width, rows, pixels, NULL);
}

/* Times the first band as an estimate for the others. */
static void
choose_step(MsLabBench *self, ReferenceJob *job, guint bands)
{
  gint64 start_us = g_get_monotonic_time();

  compute_band(GINT_TO_POINTER(1), job);
  double band_s = (double)(g_get_monotonic_time() - start_us) * 1e-6;
  self->reference_step = ms_lab_bench_reference_step(bands, band_s, g_get_num_processors(), self->reference_s);
}

static gboolean
compute_bands(MsLabBench *self, ReferenceJob *job, GError **error)
{
  guint bands = (guint)(ms_image_get_height(job->image) + BAND_ROWS - 1) / BAND_ROWS;
  GThreadPool *pool = g_thread_pool_new(compute_band, job, (int)g_get_num_processors(), FALSE, error);

  if (!pool)
    return FALSE;
  choose_step(self, job, bands);
  for (guint band = self->reference_step; band < bands; band += self->reference_step)
    g_thread_pool_push(pool, GUINT_TO_POINTER(band + 1), NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  if (!job->error)
    return TRUE;
  g_propagate_error(error, job->error);
  return FALSE;
}

static gboolean
compute_reference(MsLabBench *self, Reference *reference, GCancellable *cancellable, GError **error)
{
  int width = ms_image_get_width(reference->image), height = ms_image_get_height(reference->image);
  ReferenceJob job = {.image = reference->image, .params = &reference->params, .cancellable = cancellable};

  g_mutex_init(&job.mutex);
  job.out = g_malloc0(ms_image_get_byte_size(reference->image));
  gboolean good = compute_bands(self, &job, error);
  g_mutex_clear(&job.mutex);
  g_autoptr(MsImage) whole = ms_image_new_take(width, height, job.out, NULL);
  if (!good)
    return FALSE;
  reference->result = ms_lab_bench_referenced_rows(self, whole);
  reference->samples = job.samples * (guint64)height / (guint64)ms_image_get_height(reference->result);
  return TRUE;
}

static Reference *
find_reference(MsLabBench *self, MsImage *image, const MsParams *params)
{
  for (guint i = 0; i < self->references->len; i++) {
    Reference *reference = self->references->pdata[i];
    if (reference->image == image && ms_params_equal(&reference->params, params))
      return reference;
  }
  return NULL;
}

/**
 * ms_lab_bench_reference:
 *
 * Returns: (transfer none): the result of the serial reference for @image, computed once: the rows that
 *   ms_lab_bench_referenced_rows() copies
 */
MsImage *
ms_lab_bench_reference(MsLabBench *self, MsImage *image, const MsParams *params, GCancellable *cancellable,
                       GError **error)
{
  Reference *reference = find_reference(self, image, params);

  if (!reference) {
    Reference fresh = {image, *params, NULL, 0};
    if (!compute_reference(self, &fresh, cancellable, error))
      return NULL;
    g_object_ref(image);
    reference = g_memdup2(&fresh, sizeof fresh);
    g_ptr_array_add(self->references, reference);
  }
  return reference->result;
}

/**
 * ms_lab_bench_window_samples: the pixels of all windows of the filter; 0 if ms_lab_bench_reference() has not computed
 * that reference.
 */
double
ms_lab_bench_window_samples(MsLabBench *self, MsImage *image, const MsParams *params)
{
  const Reference *reference = find_reference(self, image, params);

  return reference ? (double)reference->samples : 0;
}

/**
 * ms_lab_bench_scratch_file: (transfer none) (nullable): a temporary file for the experiment, initially absent, removed
 * by ms_lab_bench_free().
 */
const char *
ms_lab_bench_scratch_file(MsLabBench *self)
{
  if (!self->scratch_file) {
    int fd = g_file_open_tmp("meanshift-lab-XXXXXX", &self->scratch_file, NULL);
    if (fd < 0)
      return NULL;
    close(fd);
    g_unlink(self->scratch_file);
  }
  return self->scratch_file;
}

/** ms_lab_bench_forget: frees scenes, references and arrays; no subject may use them any more. */
void
ms_lab_bench_forget(MsLabBench *self)
{
  g_ptr_array_set_size(self->arrays, 0);
  g_ptr_array_set_size(self->references, 0);
  g_hash_table_remove_all(self->scenes);
}

/**
 * ms_lab_take_log:
 * @log: resolved
 * @headline_stages: bits 1 << MsStage of the stages that count as the time of the run
 *
 * Copies the timings of a run into its sample. Build times are skipped, since they are part of @prepare.
 */
void
ms_lab_take_log(MsTimingLog *log, MsSample *sample, guint headline_stages)
{
  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *row = ms_timing_log_get(log, i);
    if (row->stage != MS_STAGE_BUILD)
      ms_sample_add_event(sample, &(MsLabEvent){ms_stage_name(row->stage), row->kernel, row->started_ns, row->ended_ns,
                                                row->bytes, (headline_stages >> row->stage & 1) != 0});
  }
}
