/* SPDX-License-Identifier: MIT */
#include "core/reduce/image-comparison.h"

#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/opencl/transfers.h"

/* Must equal the constant of images/differences.cl. */
#define WORDS 10
#define CHANGED 8
#define GREATEST 9
#define GROUPS_PER_UNIT 8
/* A lane's 32-bit sum of squares holds 2^16 of them; half of that is used. */
#define MAX_LOADS (1 << 15)

typedef struct {
  guint group;
  guint groups;
  cl_int times;
} Grid;

static Grid
grid_for(const MsDeviceLimits *limits, guint64 n)
{
  gboolean cpu = limits->type == MS_DEVICE_TYPE_CPU;
  guint group = cpu ? 1 : (guint)MIN(limits->max_work_group, 256);
  guint64 loads = n / 4 + 1, groups = (guint64)MAX(limits->compute_units, 1) * GROUPS_PER_UNIT;

  groups = MAX(groups, loads / ((guint64)group * MAX_LOADS) + 1);
  groups = MIN(groups, loads / group + 1);
  return (Grid){group, (guint)groups, (cl_int)((loads + groups * group - 1) / (groups * group))};
}

static cl_kernel
build_comparison(MsContext *context, guint group, MsTimingLog *log, GError **error)
{
  static const char *const parts[] = {
    "reduce/load/stride.cl", "images/differences.cl", "reduce/fold/partial-acc.cl", "reduce/tree/item.cl",
    "reduce/tree/level.cl",  "reduce/tree/ways.cl",   "reduce/finish/partials.cl",  "images/compare.cl"};
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_add_parts(spec, parts, G_N_ELEMENTS(parts));
  ms_program_spec_define_int(spec, "GROUP", group);
  ms_program_spec_define_text(spec, "ITEM_RANGE", group == 1 ? "block_stride" : "global_stride");
  ms_program_spec_define_text(spec, "TREE_ITEM", "LOCAL_ITEM");
  ms_program_spec_define_text(spec, "LEVEL_FENCE", "GROUP_FENCE");
  ms_program_spec_define_int(spec, "SAVES_CONFLICTS", 1);
  ms_program_spec_define_int(spec, "WAYS", 2);
  return ms_kernel_new(context, spec, "compare_images", log, error);
}

static void
fold_partials(const guint64 *words, guint groups, MsImageComparison *comparison)
{
  for (guint g = 0; g < groups; g++, words += WORDS) {
    for (int c = 0; c < 4; c++) {
      comparison->absolute[c] += words[c];
      comparison->squared[c] += words[4 + c];
    }
    comparison->changed += words[CHANGED];
    comparison->max_difference = MAX(comparison->max_difference, (guint)words[GREATEST]);
  }
}

/** Stripe: the same @n pixels of two images. */
typedef struct {
  const guint8 *a;
  const guint8 *b;
  cl_int n;
} Stripe;

static gboolean
compare_stripe(const MsDeviceRun *run, const Stripe *stripe, MsImageComparison *comparison, GError **error)
{
  MsContext *context = run->context;
  const cl_int n = stripe->n;
  const Grid grid = grid_for(&context->device->limits, (guint64)n);
  const gsize bytes = grid.groups * WORDS * sizeof(guint64);
  g_autofree guint64 *words = g_malloc(bytes);
  g_auto(cl_kernel) kernel = build_comparison(context, grid.group, run->log, error);
  g_auto(cl_mem) left = kernel ? ms_device_array_new(context, stripe->a, 4 * (gsize)n, run->log, error) : NULL;
  g_auto(cl_mem) right = left ? ms_device_array_new(context, stripe->b, 4 * (gsize)n, run->log, error) : NULL;
  g_auto(cl_mem) out = right ? ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error) : NULL;
  cl_mem no_table = NULL; /* no swap table */
  const MsKernelArg args[] = {MS_ARG_OF(left),
                              MS_ARG_OF(right),
                              MS_ARG_OF(n),
                              MS_ARG_OF(grid.times),
                              MS_ARG_OF(out),
                              MS_ARG_OF(no_table),
                              MS_ARG_LOCAL_BYTES(grid.group * WORDS * sizeof(guint64)),
                              MS_ARG_LOCAL_BYTES(sizeof(cl_uint))};
  const MsLaunch launch = {kernel, "compare_images", ms_nd_range_of_groups(grid.groups, grid.group), 8 * (guint64)n};

  if (!out || !ms_kernel_set_args(kernel, "compare_images", args, G_N_ELEMENTS(args), error) ||
      !ms_context_launch(context, &launch, run->log, error) ||
      !ms_context_download(context, &(MsBufferRange){out, 0, bytes}, words, run->log, error))
    return FALSE;
  fold_partials(words, grid.groups, comparison);
  return TRUE;
}

static void
complete_comparison(MsImageComparison *comparison)
{
  double samples = 3.0 * (double)MAX(comparison->pixels, 1);
  guint64 absolute = comparison->absolute[0] + comparison->absolute[1] + comparison->absolute[2];
  guint64 squared = comparison->squared[0] + comparison->squared[1] + comparison->squared[2];

  comparison->mean_absolute = (double)absolute / samples;
  comparison->psnr = squared == 0 ? INFINITY : 10.0 * log10(255.0 * 255.0 * samples / (double)squared);
}

static gboolean
same_size(MsImage *a, MsImage *b, GError **error)
{
  if (ms_image_get_width(a) == ms_image_get_width(b) && ms_image_get_height(a) == ms_image_get_height(b))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "Images of %d x %d and %d x %d pixels cannot be compared; they need the same size.",
               ms_image_get_width(a), ms_image_get_height(a), ms_image_get_width(b), ms_image_get_height(b));
  return FALSE;
}

static gboolean
compare_stripes(const MsDeviceRun *run, MsImage *a, MsImage *b, MsImageComparison *comparison, GError **error)
{
  const guint64 n = ms_image_get_byte_size(a) / 4, most = run->context->device->limits.max_allocation;
  const guint64 step = CLAMP(most / 4 / 4 / 32 * 32, 32, G_GUINT64_CONSTANT(1) << 28);

  comparison->pixels = n;
  for (guint64 done = 0; done < n; done += step) {
    const Stripe stripe = {ms_image_get_pixels(a) + 4 * done, ms_image_get_pixels(b) + 4 * done,
                           (cl_int)MIN(n - done, step)};
    if (g_cancellable_set_error_if_cancelled(run->cancellable, error) ||
        !compare_stripe(run, &stripe, comparison, error))
      return FALSE;
  }
  return TRUE;
}

/* The pixels that have the same value without data in both images, which the difference does not depend on. */
static guint64
count_no_data(MsImage *a, MsImage *b)
{
  const guint8 *p = ms_image_get_pixels(a), *q = ms_image_get_pixels(b), *end = p + ms_image_get_byte_size(a);
  guint64 count = 0;
  guint8 value;

  if (!ms_image_get_no_data(a, &value))
    return 0;
  for (; p < end; p += 4, q += 4)
    count += ms_pixel_lacks_data(p, value) && memcmp(p, q, 4) == 0;
  return count;
}

/**
 * ms_image_comparison:
 *
 * Compares the pixels that have data in one of two images, on the device, or by serial code where @run has no context.
 *
 * Returns: %FALSE with #MS_ERROR, _USAGE when their sizes differ
 */
gboolean
ms_image_comparison(const MsDeviceRun *run, MsImage *a, MsImage *b, MsImageComparison *comparison, GError **error)
{
  g_autoptr(MsTimingLog) own = ms_timing_log_new();
  const MsDeviceRun pass = {run->context, own, run->cancellable};

  memset(comparison, 0, sizeof *comparison);
  if (!same_size(a, b, error))
    return FALSE;
  if (!run->context)
    ms_image_comparison_serial(ms_image_get_pixels(a), ms_image_get_pixels(b), ms_image_get_byte_size(a) / 4,
                               comparison);
  else if (!compare_stripes(&pass, a, b, comparison, error) || !ms_time_pass(run, own, &comparison->timed, error))
    return FALSE;
  comparison->pixels -= count_no_data(a, b);
  complete_comparison(comparison);
  return TRUE;
}

/** ms_image_comparison_serial: the comparison of all pixels on the host. */
void
ms_image_comparison_serial(const guint8 *a, const guint8 *b, guint64 n_pixels, MsImageComparison *comparison)
{
  memset(comparison, 0, sizeof *comparison);
  comparison->pixels = n_pixels;
  for (guint64 i = 0; i < n_pixels; i++) {
    gboolean changed = FALSE;
    for (int c = 0; c < 4; c++) {
      guint apart = (guint)ABS((int)a[4 * i + c] - (int)b[4 * i + c]);
      comparison->absolute[c] += apart;
      comparison->squared[c] += apart * apart;
      comparison->max_difference = MAX(comparison->max_difference, apart);
      changed |= apart > 0;
    }
    comparison->changed += changed;
  }
  complete_comparison(comparison);
}

/** ms_image_comparison_add: merges @other into @self, as if their pixels had been compared together. */
void
ms_image_comparison_add(MsImageComparison *self, const MsImageComparison *other)
{
  for (int c = 0; c < 4; c++) {
    self->absolute[c] += other->absolute[c];
    self->squared[c] += other->squared[c];
  }
  self->pixels += other->pixels;
  self->changed += other->changed;
  self->max_difference = MAX(self->max_difference, other->max_difference);
  self->timed = ms_timed_pass_join(self->timed, other->timed);
  complete_comparison(self);
}

/** ms_image_comparison_to_text: (transfer full): one value a line, with the time of the pass. */
char *
ms_image_comparison_to_text(const MsImageComparison *self)
{
  char mean[G_ASCII_DTOSTR_BUF_SIZE], psnr[G_ASCII_DTOSTR_BUF_SIZE];
  GString *text = g_string_new(NULL);

  g_string_append_printf(text, "changed pixels:       %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "\n", self->changed,
                         self->pixels);
  g_string_append_printf(text, "largest difference:   %u\nmean abs. difference: %s\nPSNR:                 %s dB\n",
                         self->max_difference, g_ascii_formatd(mean, sizeof mean, "%.6f", self->mean_absolute),
                         g_ascii_formatd(psnr, sizeof psnr, "%.3f", self->psnr));
  ms_timed_pass_append_text(&self->timed, text);
  return g_string_free(text, FALSE);
}

/** ms_image_comparison_add_json: adds an object; the PSNR of equal images, which is infinite, is null. */
void
ms_image_comparison_add_json(const MsImageComparison *self, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  ms_json_add_integer(builder, "pixels", (gint64)self->pixels);
  ms_json_add_integer(builder, "changed_pixels", (gint64)self->changed);
  ms_json_add_integer(builder, "max_difference", self->max_difference);
  ms_json_add_number(builder, "mean_absolute_difference", self->mean_absolute);
  ms_json_add_number(builder, "psnr_db", self->psnr);
  ms_timed_pass_add_json(&self->timed, builder);
  json_builder_end_object(builder);
}
