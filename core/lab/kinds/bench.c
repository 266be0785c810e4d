/* SPDX-License-Identifier: MIT */
/*
 * What the configurations of one experiment share: generated pictures and arrays, the same on every machine, and the
 * results of the serial reference, each made once.
 */
#include "core/lab/kinds/bench.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/filter/reference.h"
#include "core/filter/tiles.h"
#include "core/opencl/transfers.h"

#define LARGEST_SIDE 32768
#define BAND_ROWS 16
#define ARRAY_SEED G_GUINT64_CONSTANT(20111)
#define LARGEST_REAL 1000.0
#define OCTAVES 4

/* Generated elements; @buffer is %NULL until a subject asks for them on the device. */
typedef struct {
  MsElementType type;
  guint64 n;
  void *data;
  cl_mem buffer;
} MsLabArray;

/* The reference of @image, computed by several threads in bands of rows, which need the members from @out on. */
typedef struct {
  MsImage *image;
  MsParams params;
  MsImage *result;
  guint8 *out;
  GMutex mutex;
  guint64 samples;
  GError *error;
  GCancellable *cancellable;
} Reference;

static void
free_reference(gpointer data)
{
  Reference *reference = data;

  g_object_unref(reference->image);
  g_clear_object(&reference->result);
  g_clear_error(&reference->error);
  g_mutex_clear(&reference->mutex);
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

  self->context = context ? ms_context_ref(context) : NULL;
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
  g_clear_pointer(&self->context, ms_context_unref);
  g_clear_pointer(&self->contexts, g_ptr_array_unref);
  g_clear_object(&self->image);
  g_hash_table_unref(self->scenes);
  g_ptr_array_unref(self->references);
  g_ptr_array_unref(self->arrays);
  g_free(self);
}

/* A hash of a lattice point; integers only, so that every compiler generates the same picture. */
static guint32
mix(guint32 x, guint32 y, guint32 layer)
{
  guint32 h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ layer * 0xc2b2ae3du;

  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  return h ^ h >> 15;
}

/* Value noise of one lattice spacing (a power of two), 0..255, bilinear. */
static int
lattice_noise(int x, int y, int shift, guint32 layer)
{
  int gx = x >> shift, gy = y >> shift;
  int fx = x & ((1 << shift) - 1), fy = y & ((1 << shift) - 1);
  int a = mix(gx, gy, layer) & 255, b = mix(gx + 1, gy, layer) & 255;
  int c = mix(gx, gy + 1, layer) & 255, d = mix(gx + 1, gy + 1, layer) & 255;
  int top = (a << shift) + (b - a) * fx, bottom = (c << shift) + (d - c) * fx;

  return (int)((((gint64)top << shift) + (gint64)(bottom - top) * fy) >> (2 * shift));
}

/* Large smooth shapes with a fine texture. */
static int
soft_noise(int x, int y, guint32 layer)
{
  static const int shifts[OCTAVES] = {7, 5, 3, 1};
  static const int weights[OCTAVES] = {150, 60, 30, 16};
  int sum = 0;

  for (int i = 0; i < OCTAVES; i++)
    sum += lattice_noise(x, y, shifts[i], layer * OCTAVES + i) * weights[i];
  return sum >> 8;
}

/* Flat regions with hard borders: the cell of a jittered grid that the pixel falls in. */
static guint32
region_of(int x, int y)
{
  int jitter = (lattice_noise(x, y, 5, 91) - 128) / 3;

  return mix((x + jitter) / 96, (y - jitter) / 80, 7);
}

static void
paint_pixel(guint8 *pixel, int x, int y)
{
  guint32 region = region_of(x, y);
  int grain = (int)(mix(x, y, 1) & 7) - 3;

  for (int k = 0; k < 3; k++) {
    int flat = (int)(region >> (8 * k) & 255);
    int value = (2 * flat + 2 * soft_noise(x, y, k)) / 4 + grain;
    pixel[k] = (guint8)CLAMP(value, 0, 255);
  }
  pixel[3] = 255;
}

/*
 * A generated picture like a photograph (gradients, texture, edges, noise), opaque; a smaller one is the top left of a
 * larger one.
 */
static MsImage *
make_scene(int width, int height)
{
  guint8 *pixels = g_malloc((gsize)width * height * 4);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      paint_pixel(pixels + ((gsize)y * width + x) * 4, x, y);
  return ms_image_new_take(width, height, pixels, NULL);
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
  scene = make_scene((int)width, (int)height);
  g_hash_table_insert(self->scenes, g_strdup(size), scene);
  return scene;
}

/* Takes the next band of the list that is sampled: each whose number is a multiple of @step. */
static gboolean
take_sampled(MsTiles *tiles, guint step, MsRows *band)
{
  while (ms_tiles_take(tiles, 0, BAND_ROWS, band))
    if ((guint)(band->first / BAND_ROWS) % step == 0)
      return TRUE;
  return FALSE;
}

static void
compute_band(gpointer data, gpointer user_data)
{
  Reference *job = user_data;
  int width = ms_image_get_width(job->image), height = ms_image_get_height(job->image);
  int top = GPOINTER_TO_INT(data) - 1;
  MsRegion region = {0, top, width, MIN(BAND_ROWS, height - top)};
  guint64 samples = 0;
  g_autoptr(GError) error = NULL;
  const MsSettings settings = {.params = job->params};
  MsJob rows = {.source = job->image,
                .settings = &settings,
                .region = &region,
                .samples = &samples,
                .cancellable = job->cancellable};
  g_autoptr(MsImage) band = ms_reference_run(&rows, &error);

  if (band)
    memcpy(job->out + (gsize)top * width * 4, ms_image_get_pixels(band), ms_image_get_byte_size(band));
  g_mutex_lock(&job->mutex);
  job->samples += samples;
  if (!band && !job->error)
    job->error = g_steal_pointer(&error);
  g_mutex_unlock(&job->mutex);
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
  const gsize stride = (gsize)width * 4;
  g_auto(MsTiles) tiles = {0};
  MsRows band;
  ms_tiles_init(&tiles, (MsRows){0, height}, 1);
  while (take_sampled(&tiles, self->reference_step, &band)) {
    memcpy(pixels + rows * stride, ms_image_get_pixels(image) + band.first * stride, band.count * stride);
    rows += band.count;
  }
  return ms_image_new_take(width, rows, pixels, NULL);
}

/* Computes as many bands as the time allows; that of the first is the estimate for the others. */
static gboolean
compute_reference(MsLabBench *self, Reference *job, GError **error)
{
  int width = ms_image_get_width(job->image), height = ms_image_get_height(job->image);
  guint bands = (guint)(height + BAND_ROWS - 1) / BAND_ROWS;
  GThreadPool *pool = g_thread_pool_new(compute_band, job, (int)g_get_num_processors(), FALSE, error);
  g_auto(MsTiles) tiles = {0};
  MsRows band;

  if (!pool)
    return FALSE;
  job->out = g_malloc0(ms_image_get_byte_size(job->image));
  g_autoptr(MsImage) whole = ms_image_new_take(width, height, job->out, NULL);
  ms_tiles_init(&tiles, (MsRows){0, height}, 1);
  take_sampled(&tiles, 1, &band);
  gint64 start_us = g_get_monotonic_time();
  compute_band(GINT_TO_POINTER(band.first + 1), job);
  double band_s = (double)(g_get_monotonic_time() - start_us) * 1e-6;
  self->reference_step = ms_lab_bench_reference_step(bands, band_s, g_get_num_processors(), self->reference_s);
  while (take_sampled(&tiles, self->reference_step, &band))
    g_thread_pool_push(pool, GINT_TO_POINTER(band.first + 1), NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  if (job->error) {
    g_propagate_error(error, g_steal_pointer(&job->error));
    return FALSE;
  }
  job->result = ms_lab_bench_referenced_rows(self, whole);
  job->samples = job->samples * (guint64)height / (guint64)ms_image_get_height(job->result);
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
    reference = g_new0(Reference, 1);
    reference->image = g_object_ref(image);
    reference->params = *params;
    reference->cancellable = cancellable;
    g_mutex_init(&reference->mutex);
    if (!compute_reference(self, reference, error)) {
      free_reference(reference);
      return NULL;
    }
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

/* splitmix64 of the index alone, so that every machine generates the same array. */
static guint64
random_bits(guint64 index)
{
  guint64 z = (index + ARRAY_SEED) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void
fill_whole_numbers(guint64 *words, gsize bytes)
{
  for (gsize i = 0; i < bytes / 8; i++)
    words[i] = random_bits(i);
}

/* Positive, so that the terms of a sum do not cancel and its relative tolerance is meaningful. */
static void
fill_real_numbers(void *data, MsElementType type, guint64 n)
{
  for (guint64 i = 0; i < n; i++) {
    double value = (double)(random_bits(i) >> 11) * (LARGEST_REAL / 9007199254740992.0);
    if (type == MS_ELEMENT_FLOAT)
      ((float *)data)[i] = (float)value;
    else
      ((double *)data)[i] = value;
  }
}

static void *
generate(MsElementType type, guint64 n, GError **error)
{
  gsize size = ms_element_type_size(type), bytes = ((gsize)n * size + 7) / 8 * 8;
  void *data = n <= G_MAXSIZE / 2 / size ? g_try_malloc(bytes) : NULL;

  if (!data) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for %" PRIu64 " elements.", n);
    return NULL;
  }
  if (ms_element_type_is_real(type))
    fill_real_numbers(data, type, n);
  else
    fill_whole_numbers(data, bytes);
  return data;
}

static MsLabArray *
find_array(MsLabBench *self, MsElementType type, guint64 n)
{
  for (guint i = 0; i < self->arrays->len; i++) {
    MsLabArray *array = self->arrays->pdata[i];
    if (array->type == type && array->n == n)
      return array;
  }
  return NULL;
}

static gboolean
upload_array(MsLabBench *self, MsLabArray *array, GError **error)
{
  gsize bytes = (gsize)array->n * ms_element_type_size(array->type);

  array->buffer = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (array->buffer &&
      ms_context_upload(self->context, &(MsBufferRange){array->buffer, 0, bytes}, array->data, NULL, error))
    return TRUE;
  g_clear_pointer(&array->buffer, clReleaseMemObject);
  return FALSE;
}

/**
 * ms_lab_bench_array:
 * @buffer: (out) (nullable): the same elements on the device, read-only
 *
 * Returns: (transfer none): @n generated elements, shared by all subjects, kept until ms_lab_bench_forget()
 */
const void *
ms_lab_bench_array(MsLabBench *self, MsElementType type, guint64 n, cl_mem *buffer, GError **error)
{
  MsLabArray *array = find_array(self, type, n);

  if (!array) {
    void *data = generate(type, n, error);
    if (!data)
      return NULL;
    array = g_new0(MsLabArray, 1);
    *array = (MsLabArray){type, n, data, NULL};
    g_ptr_array_add(self->arrays, array);
  }
  if (buffer && !array->buffer && !upload_array(self, array, error))
    return NULL;
  if (buffer)
    *buffer = array->buffer;
  return array->data;
}

/** ms_lab_bench_forget: frees scenes, references and arrays; no subject may use them any more. */
void
ms_lab_bench_forget(MsLabBench *self)
{
  g_ptr_array_set_size(self->arrays, 0);
  g_ptr_array_set_size(self->references, 0);
  g_hash_table_remove_all(self->scenes);
}
