/* SPDX-License-Identifier: MIT */
/*
 * The kind of experiments that measures the device's memories: it reads a working set over and over, in global,
 * constant, local or private memory.
 */
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "core/lab/kinds/kind.h"
#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"

/* Kind memory: a working set of some bytes is read over and over, as lmbench does, in one of the memories of OpenCL. */

/* Bytes that a group reads in a launch, so that the launch itself takes a small part of the time. */
#define GROUP_BYTES_GPU ((guint64)4 << 20)
#define GROUP_BYTES_CPU ((guint64)16 << 20)
#define GROUPS_PER_UNIT_GPU 8
#define GROUPS_PER_UNIT_CPU 4
/* Private memory of a work-item: processors have it on a stack; drivers of others reserve it for all resident items. */
#define MOST_PRIVATE_GPU ((guint64)4 << 10)
#define MOST_PRIVATE_CPU ((guint64)64 << 10)

typedef enum {
  MEMORY_GLOBAL,
  MEMORY_CONSTANT,
  MEMORY_LOCAL,
  MEMORY_PRIVATE,
} MemorySpace;

/**
 * Memory:
 * @width: numbers of 32 bits in a load; @group: work-items in each of @groups
 * @block: loads in a block, which a group reads in one step: one for each work-item, or one for all
 * @blocks: in the working set; @stride: blocks from the first one of a group to that of the next
 * @steps: blocks that each group reads
 */
typedef struct {
  MsConfiguration base;
  MemorySpace space;
  guint width;
  guint group;
  guint groups;
  guint block;
  cl_int blocks;
  cl_int stride;
  cl_int steps;
  cl_kernel kernel;
  cl_mem sums;
} Memory;

static gsize
load_bytes(const Memory *self)
{
  return self->width * sizeof(guint32);
}

/* The largest working set that the memory holds, for each group or, in global and constant memory, for all. */
static guint64
most_bytes(const Memory *self, const MsDeviceLimits *limits)
{
  switch (self->space) {
  case MEMORY_GLOBAL:
    return limits->max_allocation;
  case MEMORY_CONSTANT:
    return MIN(limits->constant_memory, limits->max_allocation);
  case MEMORY_LOCAL:
    return limits->local_memory;
  case MEMORY_PRIVATE:
    return (limits->type == MS_DEVICE_TYPE_CPU ? MOST_PRIVATE_CPU : MOST_PRIVATE_GPU) * self->group;
  }
  g_assert_not_reached();
}

/* The launch: graphics processors read in groups of 256, a processor in the widest vectors, without other items. */
static void
shape_launch(Memory *self, const MsDeviceLimits *limits)
{
  const gboolean cpu = limits->type == MS_DEVICE_TYPE_CPU;

  self->width = cpu ? 16 : 4;
  self->group = cpu ? 1 : (guint)MIN(256, MIN(limits->max_work_group, limits->max_work_item[0]));
  self->groups = MAX(limits->compute_units, 1) * (cpu ? GROUPS_PER_UNIT_CPU : GROUPS_PER_UNIT_GPU);
  self->block = self->space == MEMORY_CONSTANT ? 1 : self->group;
}

static gboolean
memory_set_up(MsConfiguration *base, GError **error)
{
  static const char *const spaces[] = {"global", "constant", "local", "private", NULL};
  Memory *self = (Memory *)base;
  const MsDeviceLimits *limits = ms_configuration_limits(base);
  const int space = ms_configuration_choose(base, "memory", spaces, error);
  gint64 width, height;

  if (space < 0 || !ms_factors_parse_size(ms_configuration_get(base, "bytes"), &width, &height, error))
    return FALSE;
  self->space = (MemorySpace)space;
  shape_launch(self, limits);
  const guint64 bytes = (guint64)(width * height), block = self->block * load_bytes(self);
  const guint64 most = most_bytes(self, limits), blocks = bytes / block;
  if (bytes > most || blocks > G_MAXINT32 / 4) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "The device's %s memory holds %" PRIu64 " bytes at most.", spaces[space],
                 most);
    return FALSE;
  }
  if (blocks == 0) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "A work-group reads %" PRIu64 " bytes in one step.", block);
    return FALSE;
  }
  const guint64 least = limits->type == MS_DEVICE_TYPE_CPU ? GROUP_BYTES_CPU : GROUP_BYTES_GPU;
  const guint64 step = self->group * load_bytes(self);
  self->blocks = (cl_int)blocks;
  self->stride = (cl_int)MAX(blocks / self->groups, 1);
  self->steps = (cl_int)MAX(least / step, (blocks + self->groups - 1) / self->groups);
  base->type = MS_ELEMENT_UINT;
  base->n = blocks * self->block * self->width;
  base->uploads = TRUE;
  base->work.bytes = (double)self->groups * (double)self->steps * (double)step;
  return TRUE;
}

static MsProgramSpec *
compose_walk(const Memory *self)
{
  static const char *const spaces[] = {"GLOBAL", "CONSTANT", "LOCAL", "PRIVATE"};
  MsProgramSpec *spec = ms_program_spec_new();

  ms_program_spec_define_text(spec, "ELEM", "uint");
  ms_program_spec_define_text(spec, "SPACE", spaces[self->space]);
  ms_program_spec_define_int(spec, "WIDTH", self->width);
  ms_program_spec_define_int(spec, "GROUP", self->group);
  if (self->space == MEMORY_PRIVATE)
    ms_program_spec_define_int(spec, "BLOCKS", self->blocks);
  ms_program_spec_add_part(spec, "prelude/names.cl");
  ms_program_spec_add_part(spec, "reduce/load/lanes.cl");
  ms_program_spec_add_part(spec, "memory/walk.cl");
  return spec;
}

static gboolean
memory_prepare(MsConfiguration *base, GCancellable *cancellable, GError **error)
{
  Memory *self = (Memory *)base;
  g_autoptr(MsProgramSpec) spec = compose_walk(self);
  const gsize room = self->space == MEMORY_LOCAL ? base->n * sizeof(guint32) : load_bytes(self);

  self->kernel = ms_kernel_new(base->context, spec, "memory_walk", NULL, error);
  self->sums =
    self->kernel ? ms_device_zeros_new(base->context, self->groups * self->group * load_bytes(self), error) : NULL;
  const MsKernelArg args[] = {MS_ARG_OF(base->buffer), MS_ARG_OF(self->blocks),  MS_ARG_OF(self->stride),
                              MS_ARG_OF(self->steps),  MS_ARG_LOCAL_BYTES(room), MS_ARG_OF(self->sums)};
  return self->sums && ms_kernel_set_args(self->kernel, "memory_walk", args, G_N_ELEMENTS(args), error);
}

static gboolean
memory_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Memory *self = (Memory *)base;
  const MsLaunch launch = {self->kernel, "memory_walk", ms_nd_range_of_groups(self->groups, self->group),
                           (guint64)base->work.bytes};

  return ms_context_launch(base->context, &launch, base->log, error) && ms_context_finish(base->context, error);
}

/* Sums of the numbers before each block, modulo 2^32, and after the last block that of all. */
static guint32 *
sum_before_blocks(const Memory *self)
{
  const guint32 *data = self->base.data;
  const guint each = self->block * self->width;
  guint32 *before = g_new(guint32, (gsize)self->blocks + 1);

  before[0] = 0;
  for (gsize k = 0; k < (gsize)self->blocks; k++) {
    before[k + 1] = before[k];
    for (guint i = 0; i < each; i++)
      before[k + 1] += data[k * each + i];
  }
  return before;
}

static gboolean
memory_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  Memory *self = (Memory *)base;
  const gsize each = self->group * self->width;
  const MsBufferRange all = {self->sums, 0, self->groups * each * sizeof(guint32)};
  g_autofree guint32 *sums = g_malloc(all.bytes), *before = sum_before_blocks(self);
  g_autofree guint32 *found = g_new0(guint32, self->groups), *expected = g_new0(guint32, self->groups);

  if (!ms_context_download(base->context, &all, sums, NULL, error))
    return FALSE;
  for (guint g = 0; g < self->groups; g++) {
    const guint64 first = (guint64)g * (guint64)self->stride % (guint64)self->blocks;
    const guint64 end = first + (guint64)self->steps, blocks = (guint64)self->blocks;
    const guint32 sum = (guint32)(end / blocks) * before[blocks] + before[end % blocks] - before[first];
    for (gsize i = 0; i < each; i++)
      found[g] += sums[g * each + i];
    expected[g] = sum * (self->group / self->block);
  }
  ms_verification_compare(verification, found, expected, self->groups, sizeof *found, N_("sums of the host"));
  return TRUE;
}

static void
memory_release(MsConfiguration *base)
{
  Memory *self = (Memory *)base;

  g_clear_pointer(&self->sums, clReleaseMemObject);
  g_clear_pointer(&self->kernel, clReleaseKernel);
}

const MsLabKind ms_lab_memory_kinds[] = {
  {
    .name = "memory",
    .size = sizeof(Memory),
    .keys = (const MsLabKey[]){{"memory", "global"}, {"bytes", "2^14"}, {NULL}},
    .group = "memory bytes:{bytes}",
    .set_up = memory_set_up,
    .prepare = memory_prepare,
    .run = memory_run,
    .check = memory_check,
    .release = memory_release,
  },
  {0},
};
