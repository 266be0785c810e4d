/* SPDX-License-Identifier: MIT */
/*
 * The kinds of experiments that compute on a picture: mean-shift, regions and transfer.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/engine/engine.h"
#include "core/file.h"
#include "core/filter/mean-shift.h"
#include "core/filter/reference.h"
#include "core/lab/kinds/kind.h"
#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"
#include "core/option/option.h"
#include "core/regions/segment-table.h"

/* Kind mean-shift: the filter with any option of its table, on the device or by the serial reference. */
typedef struct {
  MsConfiguration base;
  MsPlan *plan;
  MsMeanShift *filter;
  guint8 *pixels;         /* of the device */
  MsImage *serial_result; /* of the reference */
} Filter;

#define LARGEST_SOURCE (1 << 20)

/* (transfer full): "the parts a, b and c" of a program, for the message that a part is none of them. */
static char *
list_parts(MsProgramSpec *spec)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < ms_program_spec_get_n_parts(spec); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", ms_program_spec_get_part(spec, i));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Puts the file `source` of the reader in place of the part `part` of the program, if the configuration names them. */
static gboolean
use_own_part(const MsConfiguration *base, MsProgramSpec *spec, GError **error)
{
  const char *part = ms_factors_get(base->factors, "part"), *path = ms_factors_get(base->factors, "source");
  gsize size;

  if (!part && !path)
    return TRUE;
  if (!part || !path) {
    ms_set_error_literal(error, MS_ERROR_USAGE, "A kernel of one's own needs both part and source.");
    return FALSE;
  }
  g_autofree char *text = ms_file_text_load(path, LARGEST_SOURCE, &size, error);
  if (!text)
    return FALSE;
  g_autoptr(GBytes) source = g_bytes_new_take(g_steal_pointer(&text), size);
  if (ms_program_spec_replace_part(spec, part, source))
    return TRUE;
  g_autofree char *parts = list_parts(spec);
  ms_set_error(error, MS_ERROR_UNSUPPORTED, "The program has no part '%s'; its parts are %s.", part, parts);
  return FALSE;
}

static gboolean
filter_set_up(MsConfiguration *base, GError **error)
{
  Filter *self = (Filter *)base;

  if (!ms_configuration_take_clock(base, error))
    return FALSE;
  if (base->on_host)
    return TRUE;
  const MsJob job = {.source = base->image, .settings = &base->settings};
  self->plan = ms_plan_new(&job, &(MsDeviceShare){.limits = ms_configuration_limits(base)}, error);
  return self->plan && use_own_part(base, self->plan->program, error);
}

static gboolean
filter_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Filter *self = (Filter *)base;

  if (base->on_host)
    return TRUE;
  self->filter = ms_mean_shift_new(base->context);
  self->pixels = g_malloc(ms_image_get_byte_size(base->image));
  return ms_context_build(base->context, self->plan->program, NULL, error) != NULL;
}

static gboolean
filter_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Filter *self = (Filter *)base;
  const guint64 start = ms_clock_now_ns();

  MsJob job = {.source = base->image,
               .settings = &base->settings,
               .plan = self->plan,
               .into = self->pixels,
               .log = base->log,
               .cancellable = cancellable};

  if (!base->on_host) {
    g_autoptr(MsImage) result = ms_mean_shift_run(self->filter, &job, error);
    ms_job_clear(&job);
    return result != NULL;
  }
  g_clear_object(&self->serial_result);
  self->serial_result = ms_reference_run(&job, error);
  ms_sample_add_host(sample, "reference", start);
  return self->serial_result != NULL;
}

static gboolean
filter_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Filter *self = (Filter *)base;
  const gsize bytes = ms_image_get_byte_size(base->image);

  if (base->on_host)
    return ms_configuration_check_image(base, self->serial_result, verification, cancellable, error);
  g_autoptr(MsImage) result = ms_image_new_take(ms_image_get_width(base->image), ms_image_get_height(base->image),
                                                g_memdup2(self->pixels, bytes), NULL);
  if (!ms_configuration_check_image(base, result, verification, cancellable, error))
    return FALSE;
  memset(self->pixels, 0x5a, bytes); /* a run that writes nothing then fails the next check */
  return TRUE;
}

static void
filter_release(MsConfiguration *base)
{
  Filter *self = (Filter *)base;

  g_clear_pointer(&self->filter, ms_mean_shift_free);
  g_clear_pointer(&self->pixels, g_free);
  g_clear_object(&self->serial_result);
}

static void
filter_finalize(MsConfiguration *base)
{
  g_clear_pointer(&((Filter *)base)->plan, ms_plan_free);
}

/** ms_lab_filter_add_space: kernels, toggles and shapes of the table; the plan refuses combinations that cannot run. */
void
ms_lab_filter_add_space(MsTuneSpace *space, const MsFactors *problem)
{
  static const char *const shapes[] = {"auto", "8x4",  "8x8",  "16x4", "16x8", "16x16", "32x1",  "32x2",
                                       "32x4", "32x8", "64x1", "64x2", "64x4", "128x1", "256x1", NULL};
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const char *const given[] = {ms_factors_get(problem, table[i].name), NULL};
    if (table[i].group != MS_OPTION_GROUP_TOGGLE)
      continue;
    if (given[0])
      ms_tune_space_add(space, table[i].name, given); /* a fixed toggle becomes part of the winner */
    else if (table[i].kind == MS_OPTION_SHAPE)
      ms_tune_space_add(space, table[i].name, shapes);
    else if (strcmp(table[i].name, "kernel") == 0)
      ms_tune_space_add(space, table[i].name, table[i].values + 1); /* all but auto */
    else if (table[i].kind == MS_OPTION_CHOICE)
      ms_tune_space_add(space, table[i].name, table[i].values);
  }
}

/**
 * ms_lab_filter_propose:
 *
 * Also computes the reference, which all trials share, so that no trial's time includes it.
 *
 * Returns: (transfer full) (nullable): where a search begins: the toggles that `auto` would choose, with the work-group
 *   `auto`
 */
MsFactors *
ms_lab_filter_propose(MsLabBench *bench, const MsFactors *problem, GCancellable *cancellable, GError **error)
{
  const MsLabKind *kind = ms_lab_kind_find("mean-shift");
  g_autoptr(MsConfiguration) automatic = ms_configuration_new(kind, bench, problem, "auto", error);
  const Filter *filter = (const Filter *)automatic;
  const MsOptionInfo *table = ms_options.rows;

  if (!filter || !ms_lab_bench_reference(bench, filter->base.image, &filter->base.settings.params, cancellable, error))
    return NULL;
  MsFactors *factors = ms_factors_new();
  for (guint i = 0; i < ms_options.n_rows; i++) {
    if (table[i].group != MS_OPTION_GROUP_TOGGLE)
      continue;
    g_autofree char *value =
      table[i].kind == MS_OPTION_SHAPE ? g_strdup("auto") : ms_option_get_text(&table[i], &filter->plan->settings);
    ms_factors_set(factors, table[i].name, ms_factors_get_or(problem, table[i].name, value));
  }
  return factors;
}

/* Kind regions: dividing a filtered picture into regions, their table included; filtering is not part of the time. */
typedef struct {
  MsConfiguration base;
  MsRegionOptions options;
  MsImage *filtered;
  guint16 *modes;
  MsSegmentation *result;
} Regions;

static gboolean
regions_set_up(MsConfiguration *base, GError **error)
{
  static const char *const places[] = {"device", "serial", NULL};
  const char *text = ms_configuration_get(base, "min-region");
  const int place = ms_configuration_choose(base, "labels", places, error);
  guint64 least;

  if (place < 0)
    return FALSE;
  base->on_host = place == 1;
  if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT32, &least, NULL)) {
    ms_set_error(error, MS_ERROR_USAGE, "min-region cannot be '%s'; it takes a number of pixels.", text);
    return FALSE;
  }
  ((Regions *)base)->options = (MsRegionOptions){(guint)least, MS_REGION_RANGE_DEFAULT, NULL};
  return TRUE;
}

static gboolean
regions_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Regions *self = (Regions *)base;
  g_autoptr(MsEngine) engine =
    base->context ? ms_device_engine_new(base->context, MS_FALLBACK_FAIL, NULL, NULL) : ms_reference_engine_new();
  MsJob job = {.source = base->image, .settings = &base->settings, .wants_modes = TRUE, .cancellable = cancellable};

  self->filtered = ms_engine_run(engine, &job, error);
  self->modes = g_steal_pointer(&job.modes);
  ms_job_clear(&job);
  return self->filtered != NULL;
}

static MsSegmentation *
divide(Regions *self, MsContext *context, GCancellable *cancellable, GError **error)
{
  const MsFiltered filtered = {.image = self->filtered, .modes = self->modes, .params = &self->base.settings.params};

  return ms_segmentation_new_on(context, &filtered, &self->options, cancellable, error);
}

static gboolean
regions_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Regions *self = (Regions *)base;
  guint64 start = ms_clock_now_ns();

  g_clear_pointer(&self->result, ms_segmentation_free);
  self->result = divide(self, base->on_host ? NULL : base->context, cancellable, error);
  if (!self->result)
    return FALSE;
  ms_sample_add_host(sample, "regions", start);
  if (!ms_segmentation_check(self->result, error))
    return FALSE;
  start = ms_clock_now_ns();
  const MsDeviceRun device = {base->context, NULL, cancellable};
  g_autoptr(MsSegmentTable) table =
    ms_segment_table_new_on(base->on_host ? NULL : &device, self->result, base->image, error);
  if (table)
    ms_sample_add_host(sample, "table", start);
  return table != NULL;
}

static gboolean
regions_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Regions *self = (Regions *)base;
  g_autoptr(MsSegmentation) expected = divide(self, NULL, cancellable, error);

  if (!expected)
    return FALSE;
  ms_verification_compare(verification, self->result->labels, expected->labels, (guint64)base->work.pixels,
                          sizeof *expected->labels, N_("the serial labels"));
  return TRUE;
}

static void
regions_release(MsConfiguration *base)
{
  Regions *self = (Regions *)base;

  g_clear_object(&self->filtered);
  g_clear_pointer(&self->modes, g_free);
  g_clear_pointer(&self->result, ms_segmentation_free);
}

/*
 * Kind transfer: an image to the device and back, from pageable memory handed to the driver, pinned memory, or pageable
 * memory that threads copy to and from pinned slots.
 */
typedef struct {
  MsConfiguration base;
  enum { HOST_PAGEABLE, HOST_PINNED, HOST_STAGED } memory;
  cl_mem device;
  cl_mem pinned;
  guint8 *host; /* source and destination of both transfers */
} Transfer;

static gboolean
transfer_set_up(MsConfiguration *base, GError **error)
{
  static const char *const memories[] = {"pageable", "pinned", "staged", NULL};
  const char *memory = ms_configuration_get(base, "host-memory");
  const int index = ms_choice_find(memories, memory);

  base->work = (MsWork){.bytes = 2.0 * ms_image_get_byte_size(base->image)};
  ((Transfer *)base)->memory = MAX(index, 0);
  if (index < 0)
    ms_set_error(error, MS_ERROR_USAGE, "'%s' is not a kind of host memory; it can be pageable, pinned or staged.",
                 memory);
  return index >= 0;
}

static gboolean
transfer_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Transfer *self = (Transfer *)base;
  const gsize bytes = ms_image_get_byte_size(base->image);
  cl_int status = CL_SUCCESS;

  self->device = ms_context_create_buffer(base->context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (!self->device)
    return FALSE;
  if (self->memory != HOST_PINNED) {
    self->host = g_malloc(bytes);
    return TRUE;
  }
  self->pinned = ms_context_create_buffer(base->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, error);
  if (!self->pinned)
    return FALSE;
  self->host = clEnqueueMapBuffer(base->context->queue, self->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                  NULL, NULL, &status);
  return ms_cl_check(status, error, "mapping %zu bytes of pinned memory", bytes);
}

static gboolean
transfer_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Transfer *self = (Transfer *)base;
  const MsBufferRange all = {self->device, 0, ms_image_get_byte_size(base->image)};

  base->context->transfer_form = self->memory == HOST_STAGED ? MS_TRANSFER_STAGED : MS_TRANSFER_PLAIN;
  memcpy(self->host, ms_image_get_pixels(base->image), all.bytes);
  gboolean good = ms_context_upload(base->context, &all, self->host, base->log, error);
  if (good) {
    memset(self->host, 0x5a, all.bytes); /* the download must overwrite all of it */
    good =
      ms_context_download(base->context, &all, self->host, base->log, error) && ms_timing_log_resolve(base->log, error);
  }
  base->context->transfer_form = MS_TRANSFER_AUTO;
  return good;
}

static gboolean
transfer_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  ms_verification_compare(verification, ((Transfer *)base)->host, ms_image_get_pixels(base->image),
                          ms_image_get_byte_size(base->image), 1, N_("the bytes that were sent"));
  return TRUE;
}

static void
transfer_release(MsConfiguration *base)
{
  Transfer *self = (Transfer *)base;

  if (self->pinned && self->host) {
    clEnqueueUnmapMemObject(base->context->queue, self->pinned, self->host, 0, NULL, NULL);
    ms_context_finish(base->context, NULL);
  } else {
    g_free(self->host);
  }
  self->host = NULL;
  g_clear_pointer(&self->pinned, clReleaseMemObject);
  g_clear_pointer(&self->device, clReleaseMemObject);
}

#define SIZE_KEY                                                                                                       \
  {                                                                                                                    \
    "size", MS_LAB_DEFAULT_SIZE                                                                                        \
  }

const MsLabKind ms_lab_picture_kinds[] = {
  {
    .name = "mean-shift",
    .size = sizeof(Filter),
    .keys = (const MsLabKey[]){SIZE_KEY, {"device", "selected"}, {"clock", "events"}, {"part"}, {"source"}, {NULL}},
    .find_option = ms_option_find,
    .group = MS_LAB_FILTER_GROUP,
    .pictures = TRUE,
    .set_up = filter_set_up,
    .prepare = filter_prepare,
    .run = filter_run,
    .check = filter_check,
    .release = filter_release,
    .finalize = filter_finalize,
  },
  {
    .name = "regions",
    .size = sizeof(Regions),
    .keys = (const MsLabKey[]){SIZE_KEY, {"min-region", "1"}, {"labels", "device"}, {NULL}},
    .find_option = ms_option_find,
    .group = "regions of " MS_LAB_FILTER_GROUP " min-region:{min-region}",
    .pictures = TRUE,
    .set_up = regions_set_up,
    .prepare = regions_prepare,
    .run = regions_run,
    .check = regions_check,
    .release = regions_release,
  },
  {
    .name = "transfer",
    .size = sizeof(Transfer),
    .keys = (const MsLabKey[]){SIZE_KEY, {"host-memory", "pageable"}, {NULL}},
    .group = "transfer size:{size}",
    .pictures = TRUE,
    .headline = 1u << MS_STAGE_UPLOAD | 1u << MS_STAGE_DOWNLOAD,
    .set_up = transfer_set_up,
    .prepare = transfer_prepare,
    .run = transfer_run,
    .check = transfer_check,
    .release = transfer_release,
  },
  {NULL},
};
