/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan-private.h"

/*
 * The packed kernel processes four samples at a time as bytes of a word with a GPU's byte instructions. Its parts, in
 * order: the layout of the records, those instructions (by device), the mean, the pass that writes the records, the
 * sums of a window and of a block of four, the mask, the list of pixels that have not converged, the first iteration,
 * which fills the list (with a mask, with all of the mask), and the later iterations (by radius).
 */

#define BYTES_PER_RECORD 16
#define PREPARE_WIDTH 64

#define FIRST_WIDTH 16
#define FIRST_HEIGHT 8
#define BLOCK 2 /* pixels of a work-item, in both directions */

/* Work-items of a group that processes the list, and pixels of each work-item, without and with merging. */
#define LATER_WIDTH 256
#define ALONE_SHARE 8
#define MERGED_SHARE 4

/* Slots of the hash table of positions and colours, and those in which one is looked for. */
#define TABLE_SLOTS 1024
#define MERGE_PROBES 4

/* From this radius on, merging pixels that have reached the same position and colour saves more time than it takes. */
#define MIN_MERGED_RADIUS 6

/*
 * From this radius on, records that do not overlap are faster: their smaller share of the caches outweighs a few more
 * tests.
 */
#define MIN_COARSE_RADIUS 14

/* Quads of a window that are unrolled, for four windows at a time and for one. */
#define FIRST_QUADS 6
#define LATER_QUADS 33

/* The largest squared colour radius that excludes every colour of the margin. */
#define MAX_ISR2 (255 * 255 - 1)

/* Columns from one record to the next. */
static int
grain(int radius)
{
  return radius % 2 && radius < MIN_COARSE_RADIUS ? 2 : 4;
}

static int
quads(int radius)
{
  return (2 * radius + 1 + grain(radius) + 2) / 4;
}

/*
 * Records of a row, 8 n + 5: work-items read below each other, and with rows of whole lines of a cache of 128 bytes,
 * which a GPU reads word by word at the same time, all would wait for the same words.
 */
static int
pitch(const MsPlan *plan)
{
  int spacing = grain(plan->radius);
  int least = (plan->width + spacing) / spacing + 4 / spacing * (quads(plan->radius) - 1) + 1;

  return least + ((5 - least) & 7);
}

static gboolean
has_byte_products(const MsPlan *plan)
{
  return plan->limits->nvidia_capability >= MS_KERNEL_BYTES_CAPABILITY;
}

static gboolean
merges(const MsPlan *plan)
{
  return plan->radius >= MIN_MERGED_RADIUS;
}

/* The largest work-group of the device, since any size can process the list. */
static gsize
later_width(const MsPlan *plan)
{
  const MsDeviceLimits *l = plan->limits;

  return MIN(LATER_WIDTH, MIN(l->max_work_group, l->max_work_item[0]));
}

/* Where loops end, none may take the pixels of others. */
static gsize
later_share(const MsPlan *plan)
{
  if (merges(plan))
    return MERGED_SHARE;
  return plan->limits->loop_iterations > 0 ? 1 : ALONE_SHARE;
}

static gsize
later_local_bytes(const MsPlan *plan)
{
  gsize lists = 2 * later_width(plan) * later_share(plan) * sizeof(cl_ushort);

  return merges(plan) ? (TABLE_SLOTS + 2) * sizeof(cl_uint) + lists : sizeof(cl_uint);
}

/* Without instructions for bytes the later iterations are slower when they are unrolled, and take longer to compile. */
static int
rows_unrolled(const MsPlan *plan, int quads_unrolled)
{
  if (!has_byte_products(plan))
    return 1;
  return CLAMP(quads_unrolled / quads(plan->radius), 1, 2 * plan->radius + 1);
}

/* Defines the radius with its fraction; nine digits identify a number of single precision. */
static void
define_reach(MsPlan *plan)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  const double sp = ms_params_numbers(&plan->settings.params).sp;
  g_autofree char *text = g_strconcat(g_ascii_formatd(digits, sizeof digits, "%#.9g", sp), "f", NULL);

  ms_program_spec_define_text(plan->program, "REACH", text);
}

static void
compose_packed(MsPlan *plan)
{
  const gboolean doubles = plan->limits->fp64;
  const char *const parts[] = {
    "prelude/names.cl",
    "packed/layout.cl",
    has_byte_products(plan) ? "packed/bytes-nvidia.cl" : "packed/bytes-portable.cl",
    doubles ? NULL : "prelude/quotients.cl",
    doubles ? "prelude/mean-reciprocal.cl" : "packed/mean-words.cl",
    "packed/prepare.cl",
    has_byte_products(plan) ? "packed/samples-bytes.cl" : "packed/samples-floats.cl",
    "packed/window.cl",
    has_byte_products(plan) ? "packed/block-row-nvidia.cl" : "packed/block-row-portable.cl",
    "packed/block.cl",
    "prelude/marks.cl",
    "packed/list.cl",
    ms_plan_is_masked(plan) ? "packed/first-marked.cl"
    : doubles               ? "packed/first-shift.cl"
                            : "packed/first-separate.cl",
    merges(plan) ? "packed/later-merged.cl" : "packed/later-alone.cl",
  };

  ms_plan_add_parts(plan, parts, G_N_ELEMENTS(parts));
  ms_plan_define(plan, "SP", plan->radius);
  if (!has_byte_products(plan))
    ms_plan_define(plan, "HAS_DOUBLES", doubles);
  ms_plan_define_words(plan, "int", "float");
  define_reach(plan);
  ms_plan_define(plan, "GRAIN", grain(plan->radius));
  ms_plan_define(plan, "QUADS", quads(plan->radius));
  ms_plan_define(plan, "FIRST_ROWS", rows_unrolled(plan, FIRST_QUADS));
  ms_plan_define(plan, "LATER_ROWS", rows_unrolled(plan, LATER_QUADS));
  ms_plan_define(plan, "LIST_SHARE", (gint64)(later_width(plan) * later_share(plan)));
  ms_plan_define(plan, "TABLE", TABLE_SLOTS);
  ms_plan_define(plan, "PROBES", MERGE_PROBES);
  ms_plan_define(plan, "FIRST_STEPS", ms_plan_is_masked(plan) ? 0 : 1);
}

/* Records, reciprocals, the list of pixels that have not converged, and its length. */
static void
add_scratch(MsPlan *plan)
{
  gsize side = 2 * plan->radius + 1, row_bytes = (gsize)plan->pitch * BYTES_PER_RECORD;

  ms_plan_add_scratch(plan, (MsScratch){.row_bytes = row_bytes, .fixed_bytes = side * row_bytes});
  ms_plan_add_scratch(plan, (MsScratch){.fixed_bytes = (side * side + 1) * sizeof(cl_double)});
  ms_plan_add_scratch(plan, (MsScratch){.row_bytes = (gsize)plan->region.width * sizeof(cl_uint4)});
  ms_plan_add_scratch(plan, (MsScratch){.fixed_bytes = sizeof(cl_uint), .cleared = TRUE});
}

static void
add_prepare(MsPlan *plan)
{
  ms_plan_add_pass(plan, &(MsPass){"prepare_packed", MS_GRID_TILE, .item_width = grain(plan->radius),
                                   .pad_x = plan->radius + 4, .pad_y = plan->radius + 1, .local = {PREPARE_WIDTH, 1},
                                   MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_SCRATCH_0, MS_ARG_SCRATCH_1, MS_ARG_IMAGE,
                                                MS_ARG_PITCH, MS_ARG_REGION)});
}

static void
add_first(MsPlan *plan)
{
  static const MsPass first = {"mean_shift_first",
                               MS_GRID_BAND,
                               .item_width = BLOCK,
                               .item_height = BLOCK,
                               .local = {FIRST_WIDTH, FIRST_HEIGHT},
                               .local_bytes = 2 * sizeof(cl_uint),
                               MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_RESULT, MS_ARG_SCRATCH_0, MS_ARG_SCRATCH_1,
                                            MS_ARG_SCRATCH_2, MS_ARG_SCRATCH_3, MS_ARG_IMAGE, MS_ARG_PITCH,
                                            MS_ARG_REGION, MS_ARG_BAND, MS_ARG_FILTER, MS_ARG_LOCAL)};

  ms_plan_add_last_args(plan, ms_plan_add_pass(plan, &first));
}

/* The number of groups when no pixel has converged. */
static void
add_later(MsPlan *plan)
{
  MsPass *pass = ms_plan_add_pass(
    plan, &(MsPass){"mean_shift_later", MS_GRID_BAND, .item_height = (int)later_share(plan),
                    .local = {later_width(plan), 1}, .local_bytes = later_local_bytes(plan),
                    MS_PASS_ARGS(MS_ARG_RESULT, MS_ARG_SCRATCH_0, MS_ARG_SCRATCH_1, MS_ARG_SCRATCH_2, MS_ARG_SCRATCH_3,
                                 MS_ARG_IMAGE, MS_ARG_PITCH, MS_ARG_REGION, MS_ARG_FILTER, MS_ARG_LOCAL)});

  if (plan->has_modes)
    pass->args[pass->n_args++] = MS_ARG_MODES;
}

/* Each pixel is looked up in the table, which is cleared before, and its window is summed. */
static gboolean
check_loops(const MsPlan *plan, GError **error)
{
  const guint64 side = 2 * (guint64)plan->radius + 1, share = later_share(plan);
  const guint64 of_window = (side + 1) * (1 + (guint64)quads(plan->radius));
  const guint64 of_table = merges(plan) ? TABLE_SLOTS / later_width(plan) + share * (2 + MERGE_PROBES) : 0;

  return ms_plan_check_loops(plan, (guint64)plan->settings.params.max_iterations, share * of_window + of_table, error);
}

static gboolean
check_packed_plan(const MsPlan *plan, GError **error)
{
  const MsPlanNeeds needs = MS_NEEDS_CLIPPED_WINDOWS | MS_NEEDS_SHORT_SIDES;
  const MsParams *p = &plan->settings.params;

  if (!ms_plan_check_default_toggles(plan, FIRST_WIDTH, FIRST_HEIGHT, error) ||
      !ms_plan_check_needs(plan, needs, error))
    return FALSE;
  if (ms_params_numbers(p).isr2 > MAX_ISR2) {
    ms_set_error(
      error, MS_ERROR_UNSUPPORTED,
      "The packed kernel distinguishes the margin from the image by a distance of 255, which --sr %g reaches; choose "
      "--kernel direct.",
      p->sr);
    return FALSE;
  }
  return ms_plan_check_work_group(plan, PREPARE_WIDTH, 1, 0, error) &&
         ms_plan_check_work_group(plan, FIRST_WIDTH, FIRST_HEIGHT, 2 * sizeof(cl_uint), error) &&
         ms_plan_check_work_group(plan, later_width(plan), 1, later_local_bytes(plan), error) &&
         check_loops(plan, error);
}

/**
 * ms_plan_packed: plans the packed kernel: with the device's byte instructions where it has them, in plain C elsewhere.
 */
gboolean
ms_plan_packed(MsPlan *plan, GError **error)
{
  if (!check_packed_plan(plan, error))
    return FALSE;
  ms_plan_set_work_group(plan, FIRST_WIDTH, FIRST_HEIGHT);
  plan->pitch = pitch(plan);
  compose_packed(plan);
  add_scratch(plan);
  add_prepare(plan);
  add_first(plan);
  if (plan->settings.params.max_iterations > 1 || ms_plan_is_masked(plan))
    add_later(plan);
  return TRUE;
}
