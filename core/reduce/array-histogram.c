/* SPDX-License-Identifier: MIT */
#include "core/reduce/array-histogram.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/opencl/transfers.h"

#define MAX_BINS (1u << 22)
#define MAX_CHUNK (G_GUINT64_CONSTANT(1) << 28)
#define GROUPS_PER_UNIT 8
#define BLOCK 1024
/* Counters after the bins, for elements outside the range. */
enum { BELOW, ABOVE, NOT_A_NUMBER, OUTSIDE };

/** Edges: the range in the arithmetic of the element's type. */
typedef struct {
  gsize size;
  union {
    gint64 whole[3];
    float narrow[3];
    double wide[3];
  } u;
} Edges;

static Edges
edges_of(const MsArrayHistogramSpec *spec)
{
  Edges edges = {sizeof(float), {{0}}};

  if (spec->type == MS_ELEMENT_FLOAT) {
    edges.u.narrow[0] = (float)spec->low;
    edges.u.narrow[1] = (float)spec->high;
    edges.u.narrow[2] = (float)spec->bins / (edges.u.narrow[1] - edges.u.narrow[0]);
    return edges;
  }
  edges.size = sizeof(double);
  if (spec->type == MS_ELEMENT_DOUBLE) {
    edges.u.wide[0] = spec->low;
    edges.u.wide[1] = spec->high;
    edges.u.wide[2] = spec->bins / (spec->high - spec->low);
  } else {
    edges.u.whole[0] = (gint64)spec->low;
    edges.u.whole[1] = (gint64)spec->high;
  }
  return edges;
}

/*
 * Bins per unit of the element's type: infinite where the edges are equal, and zero where they are too far apart.
 */
static double
scale_of(const MsArrayHistogramSpec *spec)
{
  const Edges edges = edges_of(spec);
  double scale = spec->type == MS_ELEMENT_FLOAT ? edges.u.narrow[2] : edges.u.wide[2];

  return scale > 0 ? scale : INFINITY;
}

static gboolean
check_histogram_spec(const MsArrayHistogramSpec *spec, guint64 n, GError **error)
{
  gboolean whole = !ms_element_type_is_real(spec->type);
  const char *fault = NULL;

  if (n == 0)
    fault = N_("The array is empty; a histogram needs at least one element.");
  else if (spec->bins == 0 || spec->bins > MAX_BINS)
    fault = N_("A histogram has from 1 to 4194304 bins.");
  else if (!isfinite(spec->low) || !isfinite(spec->high) || !(spec->low < spec->high))
    fault = N_("The range of a histogram needs a lower edge below its upper edge.");
  else if (whole && (spec->low != floor(spec->low) || spec->high != floor(spec->high)))
    fault = N_("The range of a histogram of whole numbers needs whole edges.");
  else if (whole && (fabs(spec->low) > 4294967296.0 || fabs(spec->high) > 4294967296.0))
    fault = N_("The range of a histogram of whole numbers lies within 32 bits and a sign.");
  else if (!whole && !isfinite(scale_of(spec)))
    fault = N_("The range of a histogram must have a width that its elements' type can represent.");
  if (fault)
    ms_set_error_literal(error, MS_ERROR_USAGE, fault);
  return fault == NULL;
}

/**
 * ms_array_histogram_check: whether a device with these limits can count @n elements; fails as ms_array_histogram()
 * does.
 */
gboolean
ms_array_histogram_check(const MsArrayHistogramSpec *spec, guint64 n, const MsDeviceLimits *limits, GError **error)
{
  if (!check_histogram_spec(spec, n, error))
    return FALSE;
  if (spec->type != MS_ELEMENT_DOUBLE || limits->fp64)
    return TRUE;
  ms_set_error(error, MS_ERROR_UNSUPPORTED,
               "The device has no double precision (cl_khr_fp64). Choose another type, or another device.");
  return FALSE;
}

static const void *
edge(const Edges *edges, guint index)
{
  return (const guint8 *)&edges->u + index * edges->size;
}

static guint
bin_of_whole(gint64 x, const Edges *edges, guint bins)
{
  const gint64 low = edges->u.whole[0], high = edges->u.whole[1];

  if (x < low)
    return bins + BELOW;
  if (x > high)
    return bins + ABOVE;
  return (guint)MIN((guint64)(x - low) * bins / (guint64)(high - low), bins - 1);
}

#define BIN_OF_REAL(edge_values)                                                                                       \
  if (x < (edge_values)[0])                                                                                            \
    return bins + BELOW;                                                                                               \
  if (x > (edge_values)[1])                                                                                            \
    return bins + ABOVE;                                                                                               \
  if (isnan(x))                                                                                                        \
    return bins + NOT_A_NUMBER;                                                                                        \
  return MIN((guint)((x - (edge_values)[0]) * (edge_values)[2]), bins - 1);

static guint
bin_of_float(float x, const Edges *edges, guint bins)
{
  BIN_OF_REAL(edges->u.narrow)
}

static guint
bin_of_double(double x, const Edges *edges, guint bins)
{
  BIN_OF_REAL(edges->u.wide)
}

static MsArrayHistogram *
histogram_new(guint bins)
{
  MsArrayHistogram *self = g_new0(MsArrayHistogram, 1);

  self->bins = bins;
  self->counts = g_new0(guint64, bins + OUTSIDE);
  return self;
}

static void
take_outside(MsArrayHistogram *self)
{
  self->below = self->counts[self->bins + BELOW];
  self->above = self->counts[self->bins + ABOVE];
  self->nan = self->counts[self->bins + NOT_A_NUMBER];
}

void
ms_array_histogram_free(MsArrayHistogram *self)
{
  g_free(self->counts);
  g_free(self);
}

/* Adds the bins of at most a block of elements. */
static void
count_serially(const MsArrayHistogramSpec *spec, const Edges *edges, const void *from, guint n, guint64 *counts)
{
  const gsize size = ms_element_type_size(spec->type);
  gint64 integers[BLOCK];
  double reals[BLOCK];

  if (!ms_element_type_is_real(spec->type)) {
    ms_elements_to_integers(spec->type, from, size, n, integers);
    for (guint i = 0; i < n; i++)
      counts[bin_of_whole(integers[i], edges, spec->bins)]++;
    return;
  }
  ms_elements_to_doubles(spec->type, from, size, n, reals);
  for (guint i = 0; i < n; i++)
    counts[spec->type == MS_ELEMENT_FLOAT ? bin_of_float((float)reals[i], edges, spec->bins)
                                          : bin_of_double(reals[i], edges, spec->bins)]++;
}

/** ms_array_histogram_serial: (transfer full): the same counts on the host. */
MsArrayHistogram *
ms_array_histogram_serial(const MsArrayHistogramSpec *spec, const void *data, guint64 n, GError **error)
{
  const gsize size = ms_element_type_size(spec->type);
  MsArrayHistogram *self;
  Edges edges;

  if (!check_histogram_spec(spec, n, error))
    return NULL;
  edges = edges_of(spec);
  self = histogram_new(spec->bins);
  for (guint64 done = 0; done < n; done += BLOCK)
    count_serially(spec, &edges, (const guint8 *)data + done * size, (guint)MIN(n - done, BLOCK), self->counts);
  take_outside(self);
  return self;
}

static guint
group_size(const MsDeviceLimits *limits)
{
  return limits->type == MS_DEVICE_TYPE_CPU ? 1 : (guint)MIN(limits->max_work_group, 256);
}

/* Half of local memory, so that more than one group can run on a compute unit. */
static gboolean
fits_local(const MsDeviceLimits *limits, guint bins)
{
  return (bins + OUTSIDE) * sizeof(cl_uint) <= limits->local_memory / 2;
}

static cl_kernel
build(MsContext *context, const MsArrayHistogramSpec *spec, MsTimingLog *log, GError **error)
{
  g_autoptr(MsProgramSpec) program = ms_program_spec_new();
  const MsDeviceLimits *limits = &context->device->limits;
  const gboolean real = ms_element_type_is_real(spec->type);

  ms_program_spec_define_int(program, "GROUP", group_size(limits));
  ms_program_spec_define_text(program, "ELEM", ms_element_type_name(spec->type));
  ms_program_spec_define_text(program, "EDGE", real ? ms_element_type_name(spec->type) : "long");
  ms_program_spec_define_text(program, "BIN_AT", real ? "BIN_AT_REAL" : "BIN_AT_INTEGER");
  ms_program_spec_define_int(program, "IN_LOCAL", fits_local(limits, spec->bins));
  ms_program_spec_define_int(program, "BELOW", BELOW);
  ms_program_spec_define_int(program, "ABOVE", ABOVE);
  ms_program_spec_define_int(program, "NOT_A_NUMBER", NOT_A_NUMBER);
  ms_program_spec_define_int(program, "OUTSIDE", OUTSIDE);
  if (spec->type == MS_ELEMENT_DOUBLE)
    ms_program_spec_add_part(program, "reduce/fp64.cl");
  ms_program_spec_add_part(program, "histogram/array.cl");
  return ms_kernel_new(context, program, "histogram_array", log, error);
}

/** Counter: the kernel and buffers that all chunks of an array share. */
typedef struct {
  const MsDeviceRun *run;
  const MsArrayHistogramSpec *spec;
  cl_kernel kernel;
} Counter;

static gboolean
launch_histogram(const Counter *self, cl_mem source, cl_int n, cl_mem counts, GError **error)
{
  const MsArrayHistogramSpec *spec = self->spec;
  const MsDeviceLimits *limits = &self->run->context->device->limits;
  const Edges edges = edges_of(spec);
  const guint group = group_size(limits), groups = MAX(limits->compute_units, 1) * GROUPS_PER_UNIT;
  const gsize local = fits_local(limits, spec->bins) ? (spec->bins + OUTSIDE) * sizeof(cl_uint) : sizeof(cl_uint);
  const cl_uint bins = spec->bins;
  const MsKernelArg args[] = {MS_ARG_OF(source),
                              MS_ARG_OF(n),
                              {edges.size, edge(&edges, 0)},
                              {edges.size, edge(&edges, 1)},
                              {edges.size, edge(&edges, 2)},
                              MS_ARG_OF(bins),
                              MS_ARG_OF(counts),
                              MS_ARG_LOCAL_BYTES(local)};
  const MsLaunch launch = {self->kernel, "histogram_array", ms_nd_range_of_groups(groups, group),
                           (guint64)n * ms_element_type_size(spec->type)};

  return ms_kernel_set_args(self->kernel, "histogram_array", args, G_N_ELEMENTS(args), error) &&
         ms_context_launch(self->run->context, &launch, self->run->log, error);
}

static gboolean
count_chunk(const Counter *self, const void *data, guint64 n, MsArrayHistogram *histogram, GError **error)
{
  const MsDeviceRun *run = self->run;
  const guint slots = self->spec->bins + OUTSIDE;
  gsize bytes = slots * sizeof(cl_uint), size = ms_element_type_size(self->spec->type);
  g_autofree cl_uint *found = g_malloc(bytes);
  g_auto(cl_mem) counts = ms_device_zeros_new(run->context, bytes, error);
  g_auto(cl_mem) source = counts ? ms_device_array_new(run->context, data, n * size, run->log, error) : NULL;

  if (!source || !launch_histogram(self, source, (cl_int)n, counts, error) ||
      !ms_context_download(run->context, &(MsBufferRange){counts, 0, bytes}, found, run->log, error))
    return FALSE;
  for (guint i = 0; i < slots; i++)
    histogram->counts[i] += found[i];
  return TRUE;
}

/**
 * ms_array_histogram:
 * @data: @n elements of the spec's type
 *
 * Returns: (transfer full): the counts, or %NULL with @error set; #MS_ERROR_USAGE for an invalid spec or an empty array
 */
MsArrayHistogram *
ms_array_histogram(const MsDeviceRun *run, const MsArrayHistogramSpec *spec, const void *data, guint64 n,
                   GError **error)
{
  const MsDeviceLimits *limits = &run->context->device->limits;
  const gsize size = ms_element_type_size(spec->type);
  const guint64 chunk = MIN(MAX_CHUNK, MAX(limits->max_allocation / 4 / size / 128 * 128, 128));
  g_autoptr(MsArrayHistogram) self = NULL;
  g_auto(cl_kernel) kernel = NULL;

  if (!ms_array_histogram_check(spec, n, limits, error))
    return NULL;
  kernel = build(run->context, spec, run->log, error);
  if (!kernel)
    return NULL;
  self = histogram_new(spec->bins);
  const Counter counter = {run, spec, kernel};
  for (guint64 done = 0; done < n; done += chunk)
    if (g_cancellable_set_error_if_cancelled(run->cancellable, error) ||
        !count_chunk(&counter, (const guint8 *)data + done * size, MIN(n - done, chunk), self, error))
      return NULL;
  take_outside(self);
  return g_steal_pointer(&self);
}
