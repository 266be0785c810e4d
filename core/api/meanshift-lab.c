/* SPDX-License-Identifier: MIT */
/* The public functions over core: images of the caller become those of core and back, and calls on a device queue. */
#include "meanshift-lab.h"

#include <string.h>

#include "core/engine/region-search.h"
#include "core/image/common/pixel-memory.h"
#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce.h"

/* Errors pass unchanged, and structs are those of core under public names, since the header includes none of core's. */
#define SAME_LAYOUT(shown, inner, last)                                                                                \
  G_STATIC_ASSERT(sizeof(shown) == sizeof(inner) && G_STRUCT_OFFSET(shown, last) == G_STRUCT_OFFSET(inner, last))
SAME_LAYOUT(MslabChannelStatistics, MsChannelStatistics, clipped_high);
SAME_LAYOUT(MslabRegion, MsSegment, neighbours);
G_STATIC_ASSERT((int)MSLAB_ERROR_USAGE == (int)MS_ERROR_USAGE && (int)MSLAB_ERROR_BUILD == (int)MS_ERROR_BUILD &&
                (int)MSLAB_ERROR_MISMATCH == (int)MS_ERROR_MISMATCH);
G_STATIC_ASSERT((int)MSLAB_CHANNEL_LUMA == (int)MS_CHANNEL_LUMA && (int)MSLAB_N_CHANNELS == (int)MS_N_CHANNELS);
G_STATIC_ASSERT(MS_REDUCE_NO_POSITION == G_MAXUINT64 && MS_REDUCE_MAX_NUMBERS >= 2);

GQuark
mslab_error_quark(void)
{
  return ms_error_quark();
}

const char *
mslab_version(void)
{
  return MS_VERSION;
}

/* Images */

/* The owner of an image is the image of core that has its pixels and its metadata. */
static MsMetadata *
metadata_of(const MslabImage *self)
{
  return self->owner ? ms_image_get_metadata((MsImage *)self->owner) : NULL;
}

/* Whether the pixels lie as those of core do. */
static gboolean
is_plain(const MslabImage *self)
{
  return self->channels == 4 && self->stride == (gsize)self->width * 4;
}

static gsize
byte_size(const MslabImage *self)
{
  return (gsize)(self->height - 1) * self->stride + (gsize)self->width * self->channels;
}

static gboolean
check_layout(const MslabImage *self, GError **error)
{
  if (!self->pixels || self->width < 1 || self->height < 1)
    ms_set_error(error, MS_ERROR_USAGE, "An image needs at least one pixel; this one has %dx%d.",
                 self->pixels ? self->width : 0, self->pixels ? self->height : 0);
  else if (self->channels != 3 && self->channels != 4)
    ms_set_error(error, MS_ERROR_USAGE, "An image has 3 or 4 channels, not %d.", self->channels);
  else if (self->stride < (gsize)self->width * self->channels)
    ms_set_error(error, MS_ERROR_USAGE, "Rows of %zu bytes cannot hold %d pixels of %d channels.", self->stride,
                 self->width, self->channels);
  else
    return TRUE;
  return FALSE;
}

static void
copy_row(const guint8 *from, int from_channels, guint8 *into, int into_channels, int width)
{
  if (from_channels == into_channels) {
    memcpy(into, from, (gsize)width * from_channels);
    return;
  }
  for (int x = 0; x < width; x++, from += from_channels, into += into_channels) {
    memcpy(into, from, 3);
    if (into_channels == 4)
      into[3] = G_MAXUINT8;
  }
}

/* (transfer full): an image of core that shares the pixels where they are plain, and has a copy of them otherwise. */
static MsImage *
image_of(const MslabImage *self, GError **error)
{
  if (!check_layout(self, error))
    return NULL;
  if (is_plain(self)) {
    g_autoptr(GBytes) bytes = g_bytes_new_static(self->pixels, byte_size(self));
    return ms_image_new(self->width, self->height, bytes, metadata_of(self));
  }
  guint8 *pixels = ms_image_check_memory(ms_image_try_alloc_pixels((guint64)self->width, (guint64)self->height),
                                         self->width, self->height, error);
  for (int y = 0; pixels && y < self->height; y++)
    copy_row(self->pixels + y * self->stride, self->channels, pixels + (gsize)y * self->width * 4, 4, self->width);
  return pixels ? ms_image_new_take(self->width, self->height, pixels, metadata_of(self)) : NULL;
}

static gboolean
check_result(const MslabImage *source, const MslabImage *result, GError **error)
{
  if (!result || !result->pixels)
    return TRUE;
  if (!check_layout(result, error))
    return FALSE;
  if (result->width == source->width && result->height == source->height)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "The result of %dx%d pixels does not fit into %dx%d.", source->width,
               source->height, result->width, result->height);
  return FALSE;
}

/* The pixels of @result where the device may write to them while it reads those of @source; %NULL where not. */
static guint8 *
direct_pixels(const MslabImage *source, const MslabImage *result)
{
  if (!result->pixels || !is_plain(result))
    return NULL;
  return result->pixels >= source->pixels + byte_size(source) || source->pixels >= result->pixels + byte_size(result)
           ? result->pixels
           : NULL;
}

/* Copies @image to the pixels of @result, unless it is there already, or makes a @result without pixels that image. */
static void
store(MsImage *image, MslabImage *result)
{
  const int width = ms_image_get_width(image), height = ms_image_get_height(image);
  const guint8 *pixels = ms_image_get_pixels(image);

  if (!result->pixels)
    *result = (MslabImage){(guint8 *)pixels, width, height, (gsize)width * 4, 4, (gpointer)g_object_ref(image)};
  for (int y = 0; result->pixels != pixels && y < height; y++)
    copy_row(pixels + (gsize)y * width * 4, 4, result->pixels + y * result->stride, result->channels, width);
}

gboolean
mslab_load(const char *path, GCancellable *cancellable, MslabImage *image, GError **error)
{
  g_return_val_if_fail(path && image, FALSE);

  MsImageLimits limits = ms_image_limits_default();
  limits.accepts_streams = TRUE;
  g_autoptr(MsImage) loaded = ms_image_load(path, &limits, cancellable, error);
  mslab_image_clear(image);
  if (loaded)
    store(loaded, image);
  return loaded != NULL;
}

gboolean
mslab_save(const char *path, const MslabImage *image, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail(path && image, FALSE);

  MsSaveOptions options = ms_save_options_default();
  options.overwrite = TRUE;
  g_autoptr(MsImage) saved = image_of(image, error);
  return saved && ms_image_save(saved, path, &options, NULL, cancellable, error);
}

void
mslab_image_clear(MslabImage *image)
{
  if (!image)
    return;
  if (image->owner)
    g_object_unref(image->owner);
  *image = (MslabImage){0};
}

/* Devices */

MslabDeviceInfo *
mslab_list_devices(gsize *n, GError **error)
{
  g_return_val_if_fail(n, NULL);

  g_autoptr(GPtrArray) devices = ms_device_enumerate(error);
  MslabDeviceInfo *list = devices ? g_new0(MslabDeviceInfo, devices->len) : NULL;
  *n = devices ? devices->len : 0;
  for (gsize i = 0; i < *n; i++) {
    const MsDevice *d = g_ptr_array_index(devices, i);
    list[i] = (MslabDeviceInfo){g_intern_string(d->address), g_intern_string(d->name), g_intern_string(d->platform),
                                g_intern_string(d->driver), ms_device_type_name(d->limits.type)};
  }
  return list;
}

struct _MslabDevice {
  MsEngine *engine;
  GMutex runs;  /* one call at a time uses @engine */
  GMutex guard; /* of @notes, which a running call adds to */
  GString *notes;
};

static void
keep_note(const char *sentence, gpointer data)
{
  MslabDevice *self = data;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->guard);

  g_string_append_printf(self->notes, "%s%s", self->notes->len > 0 ? "\n" : "", sentence);
}

MslabDevice *
mslab_open(const char *selector, GError **error)
{
  g_return_val_if_fail(selector, NULL);

  g_autoptr(MslabDevice) self = g_new0(MslabDevice, 1);
  g_mutex_init(&self->runs);
  g_mutex_init(&self->guard);
  self->notes = g_string_new(NULL);
  self->engine = ms_engine_open(selector, MS_FALLBACK_DEFAULT, keep_note, self, error);
  return self->engine ? g_steal_pointer(&self) : NULL;
}

void
mslab_close(MslabDevice *device)
{
  if (!device)
    return;
  g_clear_pointer(&device->engine, ms_engine_unref);
  g_string_free(device->notes, TRUE);
  g_mutex_clear(&device->runs);
  g_mutex_clear(&device->guard);
  g_free(device);
}

const char *
mslab_name(MslabDevice *device)
{
  g_return_val_if_fail(device, NULL);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&device->runs);

  return g_intern_string(ms_engine_describe(device->engine).name);
}

char *
mslab_notes(MslabDevice *device)
{
  g_return_val_if_fail(device, NULL);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&device->guard);

  return g_strdup(device->notes->str);
}

/* The filter */

static gboolean
read_settings(const char *text, MsSettings *settings, GError **error)
{
  *settings = ms_settings_default();
  return !text || ms_option_table_set_keys(&ms_options, settings, "settings", text, error);
}

int
mslab_halo(const char *settings, GError **error)
{
  MsSettings read;

  return read_settings(settings, &read, error) ? ms_params_reach(&read.params) : -1;
}

/* What core computes for @job: %FALSE where its settings are refused. */
static gboolean
begin(const MslabJob *job, MsImage *source, MsSettings *settings, MsJob *run, GError **error)
{
  static const MslabJob usual = {0};
  const MslabJob *j = job ? job : &usual;

  *run = (MsJob){.source = source,
                 .settings = settings,
                 .interactive = j->cancellable || j->progress,
                 .progress = j->progress,
                 .progress_data = j->progress_data,
                 .cancellable = j->cancellable};
  return read_settings(j->settings, settings, error) && !g_cancellable_set_error_if_cancelled(j->cancellable, error);
}

static gboolean
check_band(const MslabBand *band, int rows, GError **error)
{
  if (band->first_row >= 0 && band->first_row <= band->image_height - rows)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "The %d rows from row %d on do not lie in an image of %d rows.", rows,
               band->first_row, band->image_height);
  return FALSE;
}

/*
 * (transfer full): the image of which @band holds @rows. The rows outside it are pages that take no memory until they
 * are read, and then hold zeros.
 */
static MsImage *
surround(MsImage *rows, const MslabBand *band, GError **error)
{
  const int width = ms_image_get_width(rows), height = ms_image_get_height(rows);

  if (!check_band(band, height, error))
    return NULL;
  if (band->image_height == height)
    return g_object_ref(rows);
  g_autoptr(MsRowWindow) window = ms_row_window_new(width, band->image_height, error);
  if (!window || !ms_row_window_hold(window, band->first_row + height, error))
    return NULL;
  memcpy(ms_row_window_get_row(window, band->first_row), ms_image_get_pixels(rows), ms_image_get_byte_size(rows));
  return ms_image_new(width, band->image_height, ms_row_window_get_bytes(window), ms_image_get_metadata(rows));
}

gboolean
mslab_filter(MslabDevice *device, const MslabImage *source, const MslabJob *job, MslabImage *result, GError **error)
{
  g_return_val_if_fail(device && source && result, FALSE);

  const MslabBand *band = job ? job->band : NULL;
  MsSettings settings;
  MsJob run;
  g_autoptr(MsImage) rows = check_result(source, result, error) ? image_of(source, error) : NULL;
  g_autoptr(MsImage) whole = rows && band ? surround(rows, band, error) : rows ? g_object_ref(rows) : NULL;
  const MsRegion region = {0, band ? band->first_row : 0, source->width, source->height};
  if (!whole || !begin(job, whole, &settings, &run, error))
    return FALSE;
  run.region = band ? &region : NULL;
  run.into = direct_pixels(source, result);
  g_mutex_lock(&device->runs);
  g_autoptr(MsImage) filtered =
    ms_engine_check(device->engine, &settings, error) ? ms_engine_run(device->engine, &run, error) : NULL;
  ms_job_clear(&run);
  g_mutex_unlock(&device->runs);
  if (filtered)
    store(filtered, result);
  return filtered != NULL;
}

/* Regions */

typedef struct {
  MslabRegions shown;
  MsRegionSearch search;
} Regions;

void
mslab_regions_free(MslabRegions *regions)
{
  Regions *self = (Regions *)regions;

  if (!self)
    return;
  ms_region_search_clear(&self->search);
  g_free(self);
}

MslabRegions *
mslab_regions(MslabDevice *device, const MslabImage *source, const MslabJob *job, MslabImage *means, GError **error)
{
  g_return_val_if_fail(device && source, NULL);

  MsSettings settings;
  MsJob run;
  g_autoptr(MsImage) image = check_result(source, means, error) ? image_of(source, error) : NULL;
  if (!image || !begin(job, image, &settings, &run, error))
    return NULL;
  Regions *self = g_new0(Regions, 1);
  MsRegionSearch *found = &self->search;
  *found = (MsRegionSearch){
    .engine = device->engine, .job = &run, .options = {job ? job->min_pixels : 0, MS_REGION_RANGE_DEFAULT, NULL}};
  /* Colours and modes may stay on the device until it runs again. */
  g_mutex_lock(&device->runs);
  const gboolean good = ms_region_search_run(found, error);
  ms_job_clear(&run);
  g_mutex_unlock(&device->runs);
  if (!good) {
    mslab_regions_free(&self->shown);
    return NULL;
  }
  if (found->no_data)
    ms_left_out_drop(found->no_data, found->segmentation, found->table);
  self->shown =
    (MslabRegions){found->table->n, (const MslabRegion *)found->table->segments, found->segmentation->labels};
  if (means) {
    g_autoptr(MsImage) painted = ms_segment_table_paint(found->table, found->segmentation, image);
    store(painted, means);
  }
  return &self->shown;
}

/* Numbers */

gboolean
mslab_statistics(MslabDevice *device, const MslabImage *image, GCancellable *cancellable, MslabStatistics *statistics,
                 GError **error)
{
  g_return_val_if_fail(device && image && statistics, FALSE);

  MsHistogram histogram;
  g_autoptr(MsImage) counted = image_of(image, error);
  if (!counted)
    return FALSE;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&device->runs);
  const MsDeviceRun run = {ms_engine_get_context(device->engine), NULL, cancellable};
  if (!ms_histogram_of_image(&run, counted, &histogram, error))
    return FALSE;
  memcpy(statistics->histograms, histogram.counts, sizeof statistics->histograms);
  for (int i = 0; i < MSLAB_N_CHANNELS; i++)
    ms_channel_statistics_from_counts(histogram.counts[i], (MsChannelStatistics *)&statistics->channels[i]);
  return TRUE;
}

static gboolean
check_elements(const MslabArray *array, MsElementType type, GError **error)
{
  const gsize step = ms_element_type_size(type);

  if (array->size > 0 && array->size % step == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "%zu bytes are not an array of elements of %zu bytes.", array->size, step);
  return FALSE;
}

static void
describe(const MsReduceResult *result, MslabReduction *reduction)
{
  double numbers[MS_REDUCE_MAX_NUMBERS] = {0};
  g_autofree char *text = ms_reduce_result_to_string(result);
  const gboolean has_positions = ms_reduce_operator(result->op)->shape == MS_REDUCE_PAIR_AT;

  *reduction = (MslabReduction){.n_numbers = ms_reduce_result_numbers(result, numbers) > 1 ? 2 : 1,
                                .is_integer = ms_reduce_result_is_integer(result),
                                .has_positions = has_positions};
  memcpy(reduction->numbers, numbers, sizeof reduction->numbers);
  if (has_positions) {
    reduction->positions[0] = result->min_at;
    reduction->positions[1] = result->max_at;
  }
  g_strlcpy(reduction->text, text, sizeof reduction->text);
}

gboolean
mslab_reduce(MslabDevice *device, const char *operation, const MslabArray *array, GCancellable *cancellable,
             MslabReduction *reduction, GError **error)
{
  g_return_val_if_fail(device && operation && array && array->type && reduction, FALSE);

  MsReduceRequest request = {MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_UCHAR), ms_reduce_options_auto()};
  MsReduceResult result = {0};
  const MsReduceJob job = {&result, NULL, cancellable};
  if (!ms_reduce_op_parse(operation, &request.spec.op, error) ||
      !ms_element_type_parse(array->type, &request.spec.type, error) ||
      !check_elements(array, request.spec.type, error))
    return FALSE;
  const MsReduceInput input = {.host = array->elements, .n = array->size / ms_element_type_size(request.spec.type)};
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&device->runs);
  MsContext *context = ms_engine_get_context(device->engine);
  if (!(context ? ms_reduce_array(context, &request, &input, &job, error)
                : ms_reduce_define(&request.spec, input.host, input.n, &result, error)))
    return FALSE;
  describe(&result, reduction);
  return TRUE;
}
