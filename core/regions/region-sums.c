/* SPDX-License-Identifier: MIT */
#include "core/regions/region-sums.h"

#include "core/opencl/context.h"
#include "core/reduce/launch.h"

/* Pixels of a work-item, and work-items of a group. */
#define SPAN 64
#define GROUP 64

/* The pixels @from to @to - 1 of row @y; @p is the first of them. */
static void
add_run(MsRegionSums *self, int from, int to, int y, const guint8 *p)
{
  const guint32 n = (guint32)(to - from);

  if (self->pixels == 0) {
    self->left = from;
    self->top = y;
  }
  self->pixels += n;
  self->left = MIN(self->left, from);
  self->right = MAX(self->right, to - 1);
  self->bottom = y;
  self->x += (guint64)(from + (gint64)to - 1) * n / 2;
  self->y += (guint64)y * n;
  for (guint32 i = 0; i < n; i++, p += 4)
    for (int k = 0; k < 3; k++) {
      self->sums[k] += p[k];
      self->squares[k] += (guint32)p[k] * p[k];
    }
}

/** ms_region_sums_find: adds the pixels of label i to @sums[i - 1]; the caller has set them to 0. */
void
ms_region_sums_find(const MsRuns *runs, MsImage *original, MsRegionSums *sums)
{
  const guint8 *pixels = ms_image_get_pixels(original);

  for (int y = 0; y < runs->height; y++)
    for (gsize i = runs->starts[y]; i < runs->starts[y + 1]; i++) {
      const MsRun *run = &runs->runs[i];
      const guint8 *p = pixels + 4 * ((gsize)y * runs->width + run->x);
      add_run(&sums[run->label - 1], run->x, ms_runs_end(runs, y, i), y, p);
    }
}

/* The numbers of a region as the kernel writes them; see kernels/regions/moments.cl. */
typedef struct {
  guint32 x[2];
  guint32 y[2];
  guint32 sums[3][2];
  guint32 squares[3][2];
  guint32 pixels;
  guint32 from_right;
  guint32 from_bottom;
  guint32 right;
  guint32 bottom;
} Entry;

#define ENTRY_WORDS (sizeof(Entry) / sizeof(guint32))

static guint64
wide(const guint32 halves[2])
{
  return (guint64)halves[1] << 32 | halves[0];
}

static MsRegionSums
read_entry(const Entry *entry, const MsSegmentation *segmentation)
{
  MsRegionSums sums = {.x = wide(entry->x),
                       .y = wide(entry->y),
                       .pixels = entry->pixels,
                       .left = segmentation->width - 1 - (int)entry->from_right,
                       .top = segmentation->height - 1 - (int)entry->from_bottom,
                       .right = (int)entry->right,
                       .bottom = (int)entry->bottom};

  for (int k = 0; k < 3; k++) {
    sums.sums[k] = wide(entry->sums[k]);
    sums.squares[k] = wide(entry->squares[k]);
  }
  return sums;
}

static cl_kernel
build(const MsDeviceRun *run, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_define_text(spec, "ELEM", "uint");
  ms_program_spec_define_int(spec, "WIDTH", 4);
  ms_program_spec_define_int(spec, "SLOT", 1);
  ms_program_spec_define_int(spec, "SPAN", SPAN);
  ms_program_spec_define_int(spec, "ENTRY", ENTRY_WORDS);
  ms_program_spec_add_part(spec, "reduce/load/lanes.cl");
  ms_program_spec_add_part(spec, "reduce/term/adders.cl");
  ms_program_spec_add_part(spec, "reduce/term/terms.cl");
  ms_program_spec_add_part(spec, "regions/wide.cl");
  ms_program_spec_add_part(spec, "regions/moments.cl");
  return ms_kernel_new(run->context, spec, "sum_regions", run->log, error);
}

static gsize
pixel_count(const MsSegmentation *self)
{
  return (gsize)self->width * (gsize)self->height;
}

static gboolean
launch(const MsDeviceRun *run, cl_kernel kernel, const MsSegmentation *segmentation, const cl_mem buffers[3],
       GError **error)
{
  const cl_int2 image = {{segmentation->width, segmentation->height}};
  const MsKernelArg args[] = {MS_ARG_OF(buffers[0]), MS_ARG_OF(buffers[1]), MS_ARG_OF(buffers[2]), MS_ARG_OF(image)};
  const gsize spans = (pixel_count(segmentation) + SPAN - 1) / SPAN;
  const MsLaunch about = {kernel, "sum_regions", ms_nd_range_of_groups((spans + GROUP - 1) / GROUP, GROUP),
                          pixel_count(segmentation) * 8};

  return ms_kernel_set_args(kernel, about.name, args, G_N_ELEMENTS(args), error) &&
         ms_context_launch(run->context, &about, run->log, error);
}

static gboolean
compute(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original, Entry *entries, GError **error)
{
  const gsize bytes = pixel_count(segmentation) * 4, sum_bytes = segmentation->n * sizeof *entries;
  g_auto(cl_kernel) kernel = build(run, error);
  g_auto(cl_mem) labels =
    kernel ? ms_device_array_new(run->context, segmentation->labels, bytes, run->log, error) : NULL;
  g_auto(cl_mem) pixels =
    labels ? ms_device_array_new(run->context, ms_image_get_pixels(original), bytes, run->log, error) : NULL;
  g_auto(cl_mem) sums = pixels ? ms_device_zeros_new(run->context, sum_bytes, error) : NULL;

  if (!sums || g_cancellable_set_error_if_cancelled(run->cancellable, error))
    return FALSE;
  ms_context_lock_kernels(run->context);
  gboolean good = launch(run, kernel, segmentation, (cl_mem[]){labels, pixels, sums}, error) &&
                  ms_context_download(run->context, &(MsBufferRange){sums, 0, sum_bytes}, entries, run->log, error);
  ms_context_unlock_kernels(run->context);
  return good;
}

/** ms_region_sums_bytes: the host's memory for the sums of @n regions, also where a device adds up. */
guint64
ms_region_sums_bytes(guint32 n)
{
  return n * (guint64)(sizeof(MsRegionSums) + sizeof(Entry));
}

/** ms_region_sums_fit: whether the device has the memory for the sums of so many pixels and regions. */
gboolean
ms_region_sums_fit(MsContext *context, const MsSegmentation *segmentation)
{
  const MsDeviceLimits *limits = ms_context_get_limits(context);
  const guint64 pixel_bytes = (guint64)pixel_count(segmentation) * 4, sum_bytes = segmentation->n * sizeof(Entry);

  return MAX(pixel_bytes, sum_bytes) <= limits->max_allocation &&
         2 * pixel_bytes + sum_bytes <= limits->global_memory / 2;
}

/**
 * ms_region_sums_find_on:
 * @sums: (out caller-allocates): of label 1 to the number of regions; the same numbers as ms_region_sums_find()
 *
 * Adds up the pixels of each region of the whole picture on the device.
 *
 * Returns: %FALSE with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
gboolean
ms_region_sums_find_on(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original,
                       MsRegionSums *sums, GError **error)
{
  g_autofree Entry *entries = g_new(Entry, segmentation->n);
  const gboolean good = compute(run, segmentation, original, entries, error);

  for (guint32 i = 0; good && i < segmentation->n; i++)
    sums[i] = read_entry(&entries[i], segmentation);
  return good;
}
