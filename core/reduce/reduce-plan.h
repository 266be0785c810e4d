/* SPDX-License-Identifier: MIT */
/* MsReducePlan: a reduction decided before it runs: parts, constants, work-groups, chunks; pure, no OpenCL call. */
#pragma once

#include "core/opencl/device.h"
#include "core/opencl/program-spec.h"
#include "core/reduce/operators.h"
#include "core/reduce/reduce-options.h"

/**
 * MsReduceSpec: the operation and its element type.
 * @channel: -1 for a plain array; 0 to 3 for that byte of each pixel of an 8UC4 image (type UCHAR), read in place; n
 *   then counts pixels
 */
typedef struct {
  MsReduceOp op;
  MsElementType type;
  int channel;
} MsReduceSpec;

#define MS_REDUCE_SPEC(op_, type_) ((MsReduceSpec){.op = (op_), .type = (type_), .channel = -1})

#define MS_REDUCE_MAX_WORDS 4

/**
 * MsReducePlan:
 * @options: the request's options, `auto` and every zero resolved
 * @element_bytes: bytes from one element to the next
 * @group: work-items of a group
 * @words: 64-bit words of one group's partial
 * @chunk: elements of one launch at most; longer arrays take several
 */
typedef struct {
  MsReduceSpec spec;
  MsReduceOptions options;
  MsDeviceLimits limits;
  MsProgramSpec *program;
  gsize element_bytes;
  guint group;
  guint words;
  gboolean compensated;
  gboolean atomic_keys;
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

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReducePlan, ms_reduce_plan_free)
