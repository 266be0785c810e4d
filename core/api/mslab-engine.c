/* SPDX-License-Identifier: MIT */
#include "mslab-engine.h"

#include <glib/gi18n-lib.h>

#include <string.h>

#include "api-private.h"
#include "core/image/common/pixel-memory.h"

/**
 * MslabEngine:
 *
 * An open device. Opening one takes longer than filtering a small image, and the first image of each size and settings
 * may compile kernels; so keep an engine for further images. Threads may share an engine: their calls run one after
 * another. Distinct engines run at the same time.
 */
struct _MslabEngine {
  GObject parent_instance;
  MsEngine *engine;
  GMutex runs;  /* one call at a time uses the engine */
  GMutex guard; /* of the fields below */
  GPtrArray *notes;
  MslabProgressFunc progress;
  gpointer progress_data;
  GDestroyNotify progress_destroy;
};

G_DEFINE_FINAL_TYPE(MslabEngine, mslab_engine, G_TYPE_OBJECT)

static void
mslab_engine_finalize(GObject *object)
{
  MslabEngine *self = MSLAB_ENGINE(object);

  g_clear_pointer(&self->engine, ms_engine_unref);
  mslab_engine_set_progress(self, NULL, NULL, NULL);
  g_ptr_array_unref(self->notes);
  g_mutex_clear(&self->runs);
  g_mutex_clear(&self->guard);
  G_OBJECT_CLASS(mslab_engine_parent_class)->finalize(object);
}

static void
mslab_engine_class_init(MslabEngineClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = mslab_engine_finalize;
}

static void
mslab_engine_init(MslabEngine *self)
{
  g_mutex_init(&self->runs);
  g_mutex_init(&self->guard);
  self->notes = g_ptr_array_new_with_free_func(g_free);
}

static void
keep_note(const char *sentence, gpointer data)
{
  MslabEngine *self = data;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->guard);

  g_ptr_array_add(self->notes, g_strdup(sentence));
}

/* ms_api_engine_lock: (transfer none): the engine of core, for this thread alone until ms_api_engine_unlock(). */
MsEngine *
ms_api_engine_lock(MslabEngine *self)
{
  g_mutex_lock(&self->runs);
  return self->engine;
}

/* ms_api_engine_unlock: after ms_api_engine_lock(). */
void
ms_api_engine_unlock(MslabEngine *self)
{
  g_mutex_unlock(&self->runs);
}

/**
 * mslab_engine_open:
 * @selector: `auto`, `cpu`, `gpu`, a part of a device's name, an address such as `0:1`, or `reference` for the serial
 *   code that defines the results and needs no device
 * @error: set to %MSLAB_ERROR_NO_DEVICE where no device matches
 *
 * Opens a device. With `auto`, a processor takes over when the device fails; mslab_engine_get_notes() then says so.
 * Every device computes the same pixels.
 *
 * Returns: (transfer full): the engine, or %NULL with @error set
 */
MslabEngine *
mslab_engine_open(const char *selector, GError **error)
{
  g_autoptr(MslabEngine) self = NULL;

  g_return_val_if_fail(selector, NULL);
  self = g_object_new(MSLAB_TYPE_ENGINE, NULL);
  self->engine = ms_engine_open(selector, MS_FALLBACK_DEFAULT, keep_note, self, error);
  return self->engine ? g_steal_pointer(&self) : NULL;
}

/**
 * mslab_engine_get_name:
 * @self: an engine
 *
 * Gets the name of the device.
 *
 * Returns: (transfer none): the name
 */
const char *
mslab_engine_get_name(MslabEngine *self)
{
  g_return_val_if_fail(MSLAB_IS_ENGINE(self), NULL);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->runs);

  return g_intern_string(ms_engine_describe(self->engine).name);
}

/**
 * mslab_engine_get_notes:
 * @self: an engine
 *
 * Gets a sentence for each device that was rejected or replaced since the engine was opened.
 *
 * Returns: (transfer full) (array zero-terminated=1): the sentences
 */
char **
mslab_engine_get_notes(MslabEngine *self)
{
  g_autoptr(GStrvBuilder) notes = g_strv_builder_new();

  g_return_val_if_fail(MSLAB_IS_ENGINE(self), NULL);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->guard);
  for (guint i = 0; i < self->notes->len; i++)
    g_strv_builder_add(notes, g_ptr_array_index(self->notes, i));
  return g_strv_builder_end(notes);
}

/**
 * mslab_engine_set_progress:
 * @self: an engine
 * @progress: (nullable) (scope notified) (closure user_data) (destroy destroy): called during each run
 * @user_data: for @progress
 * @destroy: (nullable): frees @user_data
 *
 * Sets the function that is called with the progress, on the thread that computes. Do not call this during a run.
 */
void
mslab_engine_set_progress(MslabEngine *self, MslabProgressFunc progress, gpointer user_data, GDestroyNotify destroy)
{
  g_return_if_fail(MSLAB_IS_ENGINE(self));

  if (self->progress_destroy)
    self->progress_destroy(self->progress_data);
  self->progress = progress;
  self->progress_data = user_data;
  self->progress_destroy = destroy;
}

/*
 * Request: an image to filter, and of it a rectangle or, for %NULL, all. The settings are copied, since the caller may
 * change its own while a task waits.
 */
typedef struct {
  MsImage *image;
  MsSettings settings;
  const MsRegion *region;
} Request;

static MsImage *
run_request(MslabEngine *self, const Request *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->runs);
  MsJob job = {.source = request->image,
               .settings = &request->settings,
               .region = request->region,
               .interactive = cancellable || self->progress,
               .progress = self->progress,
               .progress_data = self->progress_data,
               .cancellable = cancellable};
  MsImage *result = NULL;

  if (!g_cancellable_set_error_if_cancelled(cancellable, error) &&
      ms_engine_check(self->engine, &request->settings, error))
    result = ms_engine_run(self->engine, &job, error);
  ms_job_clear(&job);
  return result;
}

/**
 * mslab_engine_filter:
 * @self: an engine
 * @image: the image to filter
 * @settings: (nullable): the settings, %NULL for the defaults
 * @cancellable: (nullable): ends the call early
 * @error: set to an #MslabError or %G_IO_ERROR_CANCELLED
 *
 * Filters an image with the mean-shift filter of Comaniciu and Meer (2002), as `cv::pyrMeanShiftFiltering` defines it,
 * with the pixels of OpenCV 4.7 and later (without levels of any version). Alpha stays as it is. The call returns when
 * the image is done.
 *
 * Returns: (transfer full): the filtered image, of the same size, or %NULL with @error set
 */
MslabImage *
mslab_engine_filter(MslabEngine *self, MslabImage *image, MslabSettings *settings, GCancellable *cancellable,
                    GError **error)
{
  g_return_val_if_fail(MSLAB_IS_ENGINE(self) && MSLAB_IS_IMAGE(image), NULL);

  const Request request = {ms_api_image_get(image), ms_api_settings_get(settings), NULL};
  g_autoptr(MsImage) result = run_request(self, &request, cancellable, error);
  return result ? ms_api_image_new(result) : NULL;
}

static gboolean
check_band(MsImage *band, int first_row, int image_height, GError **error)
{
  int rows = ms_image_get_height(band);

  if (first_row >= 0 && first_row <= image_height - rows)
    return TRUE;
  g_set_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE, _("The %d rows from row %d on do not lie in an image of %d rows."),
              rows, first_row, image_height);
  return FALSE;
}

/*
 * An image of @height rows of which @band is in memory. The rows outside it are pages that take no memory until they
 * are read, and then hold zeros.
 */
static MsImage *
surround(MsImage *band, int first_row, int height, GError **error)
{
  if (height == ms_image_get_height(band))
    return g_object_ref(band);
  g_autoptr(MsRowWindow) window = ms_row_window_new(ms_image_get_width(band), height, error);
  if (!window || !ms_row_window_hold(window, first_row + ms_image_get_height(band), error))
    return NULL;
  memcpy(ms_row_window_get_row(window, first_row), ms_image_get_pixels(band), ms_image_get_byte_size(band));
  return ms_image_new(ms_image_get_width(band), height, ms_row_window_get_bytes(window), ms_image_get_metadata(band));
}

/* NOLINTBEGIN(readability-function-size): a signature of the public interface */
/**
 * mslab_engine_filter_band:
 * @self: an engine
 * @band: rows of a larger image, all of its columns
 * @first_row: the row of the larger image at which @band begins
 * @image_height: rows of the larger image
 * @settings: (nullable): the settings, %NULL for the defaults
 * @cancellable: (nullable): ends the call early
 * @error: set to an #MslabError or %G_IO_ERROR_CANCELLED
 *
 * Filters a band of an image that is not in memory as a whole. A row of the result is that of the whole image where
 * (max-iterations + 1) * sp rows around it, rounded up, lie in the band or outside the image. Filtering the band as a
 * separate image would change a few pixels, because a mean halfway between two rows is rounded to the even one.
 *
 * Returns: (transfer full): the filtered band, or %NULL with @error set
 */
MslabImage *
mslab_engine_filter_band(MslabEngine *self, MslabImage *band, int first_row, int image_height, MslabSettings *settings,
                         GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail(MSLAB_IS_ENGINE(self) && MSLAB_IS_IMAGE(band), NULL);

  MsImage *rows = ms_api_image_get(band);
  MsRegion region = {0, first_row, ms_image_get_width(rows), ms_image_get_height(rows)};
  g_autoptr(MsImage) whole =
    check_band(rows, first_row, image_height, error) ? surround(rows, first_row, image_height, error) : NULL;
  const Request request = {whole, ms_api_settings_get(settings), &region};
  g_autoptr(MsImage) result = whole ? run_request(self, &request, cancellable, error) : NULL;
  return result ? ms_api_image_new(result) : NULL;
}
/* NOLINTEND(readability-function-size) */

static void
request_free(gpointer data)
{
  Request *self = data;

  g_object_unref(self->image);
  g_free(self);
}

static void
filter_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Request *request = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) result = run_request(source, request, cancellable, &error);

  if (result)
    g_task_return_pointer(task, ms_api_image_new(result), g_object_unref);
  else
    g_task_return_error(task, g_steal_pointer(&error));
}

/**
 * mslab_engine_filter_async:
 * @self: an engine
 * @image: the image to filter
 * @settings: (nullable): the settings, %NULL for the defaults; copied
 * @cancellable: (nullable): ends the run early
 * @callback: (scope async): called in the thread-default main context of the caller
 * @user_data: for @callback
 *
 * Filters an image on another thread; see mslab_engine_filter().
 */
void
mslab_engine_filter_async(MslabEngine *self, MslabImage *image, MslabSettings *settings, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail(MSLAB_IS_ENGINE(self) && MSLAB_IS_IMAGE(image));

  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  Request *request = g_new0(Request, 1);
  request->image = g_object_ref(ms_api_image_get(image));
  request->settings = ms_api_settings_get(settings);
  g_task_set_source_tag(task, mslab_engine_filter_async);
  g_task_set_task_data(task, request, request_free);
  g_task_run_in_thread(task, filter_in_thread);
}

/**
 * mslab_engine_filter_finish:
 * @self: an engine
 * @result: what the callback received
 * @error: set to an #MslabError or %G_IO_ERROR_CANCELLED
 *
 * Ends mslab_engine_filter_async().
 *
 * Returns: (transfer full): the filtered image, or %NULL with @error set
 */
MslabImage *
mslab_engine_filter_finish(MslabEngine *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);

  return g_task_propagate_pointer(G_TASK(result), error);
}

/**
 * mslab_engine_get_statistics:
 * @self: an engine
 * @image: an image
 * @cancellable: (nullable): ends the call early
 * @error: set to an #MslabError or %G_IO_ERROR_CANCELLED
 *
 * Computes the histograms and the statistics of the channels and of luma in one pass over the image. They are exact,
 * and leave out pixels without data: those that have the GDAL_NODATA value of the image's file.
 *
 * Returns: (transfer full): the statistics, or %NULL with @error set
 */
MslabStatistics *
mslab_engine_get_statistics(MslabEngine *self, MslabImage *image, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail(MSLAB_IS_ENGINE(self) && MSLAB_IS_IMAGE(image), NULL);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->runs);

  return ms_api_statistics_new(ms_api_image_get(image), ms_engine_get_context(self->engine), cancellable, error);
}

/**
 * mslab_engine_find_regions:
 * @self: an engine
 * @image: an image
 * @settings: (nullable): the settings of the filter, %NULL for the defaults; `rule` must be one under which pixels stay
 *   in the image
 * @min_pixels: a region with fewer pixels joins the neighbour nearest in colour; 0 or 1 for none
 * @cancellable: (nullable): ends the call early
 * @error: set to an #MslabError or %G_IO_ERROR_CANCELLED
 *
 * Filters an image and divides it into regions, the segmentation of Comaniciu and Meer (2002). Two of eight
 * neighbouring pixels are of one region where the places at which they come to rest differ by at most `sp` in column
 * and in row, and their filtered colours by at most half of `sr`; regions are what such neighbours connect. In
 * rounds, every region with fewer than @min_pixels pixels chooses, among the regions that it touches, the one whose
 * mean colour is nearest, and those that choices connect become one, until none is too small or one is left. Every
 * device finds the same regions. Progress counts the rows that are filtered; an engine that was opened with `auto`
 * repeats the filter on a processor when its device fails.
 *
 * Returns: (transfer full): the regions, or %NULL with @error set
 */
MslabRegions *
mslab_engine_find_regions(MslabEngine *self, MslabImage *image, MslabSettings *settings, guint min_pixels,
                          GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail(MSLAB_IS_ENGINE(self) && MSLAB_IS_IMAGE(image), NULL);

  MsSettings chosen = ms_api_settings_get(settings);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->runs);
  MsJob job = {.source = ms_api_image_get(image),
               .settings = &chosen,
               .progress = self->progress,
               .progress_data = self->progress_data,
               .cancellable = cancellable};
  return ms_api_regions_new(self->engine, &job, min_pixels, error);
}

/**
 * mslab_engine_reduce:
 * @self: an engine
 * @operation: an operator of the program's option `--reduce`, such as `sum`, `minMax` or `stddev`; the error that any
 *   other text ends in lists them
 * @type: `uchar`, `char`, `ushort`, `short`, `int`, `uint`, `float` or `double`
 * @elements: the array, in the byte order of the machine
 * @cancellable: (nullable): ends the call early
 * @error: set to an #MslabError or %G_IO_ERROR_CANCELLED
 *
 * Reduces an array to one result. Sums of integers are exact; minimum and maximum of floats ignore NaN.
 *
 * Returns: (transfer full): the result, or %NULL with @error set
 */
MslabReduction *
mslab_engine_reduce(MslabEngine *self, const char *operation, const char *type, GBytes *elements,
                    GCancellable *cancellable, GError **error)
{
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_UCHAR);

  g_return_val_if_fail(MSLAB_IS_ENGINE(self) && operation && type && elements, NULL);
  if (!ms_reduce_op_parse(operation, &spec.op, error) || !ms_element_type_parse(type, &spec.type, error))
    return NULL;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->runs);
  return ms_api_reduction_new(&spec, elements, ms_engine_get_context(self->engine), cancellable, error);
}
