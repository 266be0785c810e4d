/* SPDX-License-Identifier: MIT */
/* MsReducePlan: a reduction decided before it runs: parts, constants, work-groups, chunks; pure, no OpenCL call. */
#pragma once

#include "core/opencl/device.h"
#include "core/opencl/program.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce-options.h"

#define MS_REDUCE_MAX_WORDS 4

/** MsSubGroups: how the last levels of the unrolled tree fold what one sub-group holds; off: as the levels above. */
typedef enum {
  MS_SUB_GROUPS_OFF,
  MS_SUB_GROUPS_BARRIER,
  MS_SUB_GROUPS_SHUFFLE,
  MS_SUB_GROUPS_REDUCE,
} MsSubGroups;

/**
 * MsReducePlan:
 * @op: the row of the operator
 * @options: the request's options, `auto` and every zero resolved
 * @element_bytes: bytes from one element to the next
 * @value_type: the type that kernels compute with: the element's, which images widen to 32 bits
 * @selects: whether the partial holds extremes, not sums
 * @real: whether the partial's sums are floating-point numbers; @compensated: in pairs of floats that keep the error
 * @packed: whether bytes are counted or compared four at a time in one word, and the squares of one load are added up
 *   first
 * @wraps: whether the partial's sums are integers of 32 bits, which may overflow
 * @wide_squares: whether squares are summed in two halves of 32 bits
 * @atomic_keys: whether an atomic finish leaves ordered keys in place of extremes
 * @group: work-items of a group
 * @warp_barrier: whether a warp's barrier replaces the work-group's: its width must be known
 * @sub_groups: by the barrier, shuffles or reductions of a sub-group, as the device and the partial allow
 * @sub_groups_first: whether sub-groups fold before anything reaches local memory: on processors
 * @pair_extremes: whether the device compares two numbers of 16 bits in one instruction
 * @terms: numbers that an element adds to the partial: itself, its square in one word or in two
 * @slots: words of each term: two where a compensated sum keeps its error
 * @words: 64-bit words of one group's partial
 * @partial_bytes: local memory of the partial of one work-item; @scratch_bytes: of the partials of a group
 * @chunk: elements of one launch at most; longer arrays take several
 */
typedef struct {
  MsReduceSpec spec;
  const MsReduceOperator *op;
  MsReduceOptions options;
  MsDeviceLimits limits;
  MsProgramSpec *program;
  gsize element_bytes;
  MsElementType value_type;
  gboolean selects;
  gboolean real;
  gboolean compensated;
  gboolean packed;
  gboolean wraps;
  gboolean wide_squares;
  gboolean atomic_keys;
  guint group;
  gboolean warp_barrier;
  MsSubGroups sub_groups;
  gboolean sub_groups_first;
  gboolean pair_extremes;
  guint terms;
  guint slots;
  guint words;
  gsize partial_bytes;
  gsize scratch_bytes;
  guint64 chunk;
  gsize image_width;
} MsReducePlan;

/**
 * MsReduceLaunch: the launch that folds @n elements, n at most the plan's chunk.
 * @groups: work-groups
 * @times: loads of each work-item
 */
typedef struct {
  guint groups;
  guint times;
} MsReduceLaunch;

MsReducePlan *ms_reduce_plan_new(const MsReduceSpec *spec, const MsReduceOptions *options, const MsDeviceLimits *limits,
                                 guint64 n, GError **error);
void ms_reduce_plan_free(MsReducePlan *self);
MsReducePlan *ms_reduce_plan_copy(const MsReducePlan *self);
char *ms_reduce_plan_refusal(const MsReduceSpec *spec, const MsReduceOptions *options, const MsDeviceLimits *limits,
                             guint64 n);
MsReduceLaunch ms_reduce_plan_launch(const MsReducePlan *self, guint64 n);
void ms_reduce_plan_fill_map(const MsReducePlan *self, guint16 *map);
gboolean ms_reduce_can_wrap(const MsReduceSpec *spec);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReducePlan, ms_reduce_plan_free)

/* Which kernel parts and constants a reduction plan is made of. */
void ms_reduce_plan_compose(MsReducePlan *plan);

/* Folds the partials that kernels return, as 64-bit words, into a result. */
void ms_reduce_result_fold(const MsReducePlan *plan, const guint64 *words, guint64 first_element,
                           MsReduceResult *result);
void ms_reduce_result_wrap(const MsReducePlan *plan, MsReduceResult *result);
void ms_reduce_atomic_start(const MsReducePlan *plan, guint64 *words);
