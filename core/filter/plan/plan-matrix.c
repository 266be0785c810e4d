/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan-private.h"

/*
 * The matrix kernel computes squared distances and sums as products of small matrices on a GPU's matrix units. Its
 * parts, in order: the layout of the records, warp and matrix operations, the mean, the pass that writes the records,
 * the sums of several windows, the pixels of a group, and the iteration.
 */

#define COLUMNS_PER_STRIP 64
#define PIXELS_PER_RECORD 4
#define BYTES_PER_PIXEL 16

/* The kernel's hash table and cells. */
#define BINS 1024

/* Pixels that a warp filters together. */
#define CHUNK 32

/* What a group filters: a square of BLOCK pixels a side, by WARPS warps of 32. */
#define BLOCK 32
#define WARPS 4
#define GROUP_HEIGHT (WARPS * 32 / BLOCK)

/* The kernel indexes words of the records in 32 bits. */
#define MAX_RECORD_BYTES (G_GUINT64_CONSTANT(16) << 30)

/* The bits of an integer up to 2048 in half precision. */
static guint
half_bits(guint value)
{
  guint exponent = g_bit_storage(value) - 1;

  return (exponent + 15) << 10 | (value << (10 - exponent) & 1023);
}

/* Rows of a strip besides those held: the margins, and three that a window's last step of four rows may read. */
static int
padding_rows(int radius)
{
  return 2 * radius + 4;
}

static void
compose_matrix(MsPlan *plan)
{
  const char *const parts[] = {
    "matrix/layout.cl",  "matrix/warp-nvidia.cl", "prelude/mean-reciprocal.cl",  "matrix/features.cl",
    "matrix/windows.cl", "matrix/group.cl",       "matrix/mean-shift-matrix.cl",
  };
  guint beyond = half_bits(8 * plan->radius + 4) | 0x8000;
  g_autofree char *bias = g_strdup_printf("0x%04x%04xu", beyond, beyond);

  ms_plan_add_parts(plan, parts, G_N_ELEMENTS(parts));
  ms_plan_define(plan, "SP", plan->radius);
  ms_plan_define(plan, "STRIP_QUADS", COLUMNS_PER_STRIP / PIXELS_PER_RECORD);
  ms_plan_define(plan, "PADDING_ROWS", padding_rows(plan->radius));
  ms_plan_define(plan, "BLOCK", BLOCK);
  ms_plan_define(plan, "WARPS", WARPS);
  ms_program_spec_define_text(plan->program, "REACH_BIAS", bias);
}

/* The arrays of kernels/matrix/mean-shift-matrix.cl. */
#define LOCAL_BYTES                                                                                                    \
  (WARPS * CHUNK * (sizeof(cl_uint4) + 4 * sizeof(cl_uint)) +                                                          \
   BLOCK * BLOCK * (2 * sizeof(cl_uint) + 3 * sizeof(cl_ushort)) + (BINS + 32 * WARPS + 4) * sizeof(cl_uint))

/* Columns right of the image: the margin, and those that the last step of a window may read. */
static int
pad_columns(int radius)
{
  return radius + 6;
}

static gsize
row_bytes(const MsPlan *plan)
{
  gsize columns = plan->width + 2 * (gsize)pad_columns(plan->radius);

  return (columns + COLUMNS_PER_STRIP - 1) / COLUMNS_PER_STRIP * COLUMNS_PER_STRIP * BYTES_PER_PIXEL;
}

static void
add_passes(MsPlan *plan)
{
  static const MsPass filter = {"mean_shift_matrix",
                                MS_GRID_BAND,
                                .item_height = BLOCK / GROUP_HEIGHT,
                                .local = {BLOCK, GROUP_HEIGHT},
                                .local_bytes = LOCAL_BYTES,
                                MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_RESULT, MS_ARG_SCRATCH_0, MS_ARG_SCRATCH_1,
                                             MS_ARG_IMAGE, MS_ARG_REGION, MS_ARG_BAND, MS_ARG_FILTER, MS_ARG_LOCAL)};
  gsize side = 2 * plan->radius + 1;

  ms_plan_add_scratch(plan, (MsScratch){.row_bytes = row_bytes(plan),
                                        .fixed_bytes = (gsize)padding_rows(plan->radius) * row_bytes(plan)});
  ms_plan_add_scratch(plan, (MsScratch){.fixed_bytes = (side * side + 1) * sizeof(cl_double)});
  ms_plan_add_pass(plan, &(MsPass){"prepare_records", MS_GRID_TILE, .pad_x = pad_columns(plan->radius),
                                   .pad_y = plan->radius + 2, .local = {COLUMNS_PER_STRIP, 1},
                                   MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_SCRATCH_0, MS_ARG_SCRATCH_1, MS_ARG_IMAGE)});
  ms_plan_add_pass(plan, &filter);
}

static gboolean
check_matrix_plan(const MsPlan *plan, GError **error)
{
  const MsPlanNeeds needs = MS_NEEDS_CLIPPED_WINDOWS | MS_NEEDS_WHOLE_RADIUS | MS_NEEDS_NO_MODES | MS_NEEDS_SHORT_SIDES;

  if (!ms_plan_check_default_toggles(plan, BLOCK, GROUP_HEIGHT, error))
    return FALSE;
  if (plan->limits->nvidia_capability < MS_KERNEL_MATRIX_CAPABILITY) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The matrix kernel uses the matrix units of NVIDIA devices from compute capability 8.0 on, and this "
                 "device has none. Choose --kernel %s.",
                 plan->limits->type == MS_DEVICE_TYPE_CPU ? "rows" : "packed");
    return FALSE;
  }
  if (ms_plan_is_masked(plan)) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The matrix kernel filters neighbours together and takes no mask, which --levels needs; choose "
                 "--kernel packed or --kernel direct.");
    return FALSE;
  }
  if (!ms_plan_check_needs(plan, needs, error))
    return FALSE;
  if (row_bytes(plan) * (guint64)(plan->height + padding_rows(plan->radius)) > MAX_RECORD_BYTES) {
    ms_set_error(
      error, MS_ERROR_UNSUPPORTED,
      "The matrix kernel takes 16 bytes a pixel and counts them in 16 GiB; %dx%d pixels are too many. Choose "
      "--kernel direct.",
      plan->width, plan->height);
    return FALSE;
  }
  return ms_plan_check_work_group(plan, COLUMNS_PER_STRIP, 1, LOCAL_BYTES, error) &&
         ms_plan_check_work_group(plan, BLOCK, GROUP_HEIGHT, LOCAL_BYTES, error);
}

/** ms_plan_matrix: plans the matrix kernel, for devices with matrix units. */
gboolean
ms_plan_matrix(MsPlan *plan, GError **error)
{
  if (!check_matrix_plan(plan, error))
    return FALSE;
  ms_plan_set_work_group(plan, BLOCK, GROUP_HEIGHT);
  compose_matrix(plan);
  add_passes(plan);
  return TRUE;
}
