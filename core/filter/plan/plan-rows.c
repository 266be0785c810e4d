/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan-private.h"

/*
 * The rows kernels: windows as explicit vectors over planes of 16 bits, which a first pass writes. Parts, in order: the
 * lanes, which samples count, the planes (by sr) and their layout, border and mean, the samples, the window (by
 * radius), in large windows the merging of equal pixels and the windows remembered, the first step, the mask and the
 * tile.
 */

#define TILE_WIDTH 64
#define TILE_HEIGHT 4
#define MEMO_TILES 8 /* tiles of a work-item where windows are remembered, which share them */
#define PREPARE_COLUMNS 1024
#define PREPARE_ROWS 16
#define COLUMN_PADDING 48 /* the pitch of a column exceeds the rows by at most twice as many */

/* Below this a squared colour distance fits 16 bits with the one that is added for the comparison. */
#define NARROW_ISR2 65535

/* Below this a saturated difference of bytes exceeds the colour radius. */
#define BYTES_ISR2 (127 * 127)

/* Whether a window needs more than one vector a row. */
static gboolean
is_large(int radius, int lanes)
{
  return 2 * radius + 1 > MIN(lanes, 31);
}

/*
 * Remembering windows of a colour saves nothing in smaller windows; the columns that it reads do not repeat the edge.
 */
static gboolean
remembers_windows(const MsPlan *plan, int lanes)
{
  return is_large(plan->radius, lanes) && plan->settings.params.rule != MS_RULE_REPLICATE;
}

/* Whether the planes hold two channels as bytes, as kernels/rows/colour-bytes.cl does, or each in 16 bits. */
static gboolean
has_bytes(const MsPlan *plan, int lanes)
{
  return lanes == 32 && plan->limits->byte_products && ms_params_numbers(&plan->settings.params).isr2 < BYTES_ISR2;
}

/*
 * A window in vectors of `lanes` columns takes two rows at a time up to half of them, one row up to all of them. The
 * sums of two rows a vector are packed and have their own type.
 */
static void
compose_rows(MsPlan *plan, int lanes)
{
  static const char *const means[] = {
    [MS_RULE_OPENCV] = "opencv", [MS_RULE_TRUNCATE] = "truncate", [MS_RULE_REPLICATE] = "replicate"};
  const gboolean large = is_large(plan->radius, lanes), memo = remembers_windows(plan, lanes);
  const gboolean doubles = plan->limits->fp64;
  const gboolean pair = !large && 2 * plan->radius + 1 <= lanes / 2;
  const gboolean narrow = ms_params_numbers(&plan->settings.params).isr2 < NARROW_ISR2;
  const char *const parts[] = {
    "prelude/names.cl",
    lanes == 32 ? "rows/lanes-32.cl" : "rows/lanes-16.cl",
    "rows/counts.cl",
    has_bytes(plan, lanes) ? "rows/colour-bytes.cl" : "rows/colour-words.cl",
    "rows/layout.cl",
    "rows/prepare.cl",
    memo ? "rows/prepare-columns.cl" : NULL,
    "rows/fold.cl",
    "rows/edge.cl",
    doubles ? NULL : "prelude/quotients.cl",
    doubles ? "rows/mean.cl" : "rows/mean-words.cl",
    "rows/samples.cl",
    pair ? NULL : "rows/window-sums.cl",
    large  ? "rows/window-any.cl"
    : pair ? "rows/window-pair.cl"
           : "rows/window-row.cl",
    "rows/merge.cl",
    memo ? "rows/memo-on.cl" : "rows/memo-off.cl",
    "rows/first-step.cl",
    "prelude/marks.cl",
    "rows/tile.cl",
    "rows/start-neighbours.cl",
    "rows/mean-shift-rows.cl",
  };

  ms_plan_add_parts(plan, parts, G_N_ELEMENTS(parts));
  ms_program_spec_define_text(plan->program, "TEST", narrow ? "in_16" : "in_32");
  ms_program_spec_define_text(plan->program, "MEAN", means[plan->settings.params.rule]);
  ms_plan_define_words(plan, "int8", "float8");
  ms_program_spec_define_text(plan->program, "SUMS_TYPE", large ? "halves_t" : "lanes_t");
  ms_program_spec_define_text(plan->program, "FOLD_SUMS", large ? "fold_halves" : "fold_lanes");
  ms_plan_define(plan, "MERGES", large);
  ms_plan_define(plan, "TILE_WIDTH", TILE_WIDTH);
  ms_plan_define(plan, "TILE_HEIGHT", TILE_HEIGHT);
  ms_plan_define(plan, "TILES", memo ? MEMO_TILES : 1);
  ms_plan_define(plan, "PREPARE_COLUMNS", PREPARE_COLUMNS);
}

/* Bytes of a pixel in the planes of the part that compose_rows() chooses. */
static gsize
pixel_bytes(const MsPlan *plan, int lanes)
{
  return (has_bytes(plan, lanes) ? 2 : 3) * sizeof(cl_ushort);
}

static void
add_prepare_planes(MsPlan *plan, int lanes)
{
  plan->margin = (2 * plan->radius + 48) / 16 * 16;
  /* An odd number of cache lines (32 elements), so that the rows of a window do not share a few sets of the cache. */
  plan->pitch = (((plan->width + 31) / 32 + 2 * plan->margin / 32) | 1) * 32;
  ms_plan_add_scratch(plan, (MsScratch){.row_bytes = (gsize)plan->pitch * pixel_bytes(plan, lanes)});
  ms_plan_add_pass(plan,
                   &(MsPass){"prepare_planes", MS_GRID_TILE, .item_width = PREPARE_COLUMNS, .pad_x = plan->margin,
                             .local = {1, 1},
                             MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_SCRATCH_0, MS_ARG_IMAGE, MS_ARG_MARGIN, MS_ARG_PITCH)});
}

/* The columns of kernels/rows/layout.cl follow the planes in the same buffer. */
static void
add_prepare_columns(MsPlan *plan, int lanes)
{
  static const MsPass columns = {"prepare_columns",
                                 MS_GRID_TILE,
                                 .item_width = PREPARE_COLUMNS,
                                 .item_height = PREPARE_ROWS,
                                 .pad_y = COLUMN_PADDING,
                                 .local = {1, 1},
                                 MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_SCRATCH_0, MS_ARG_IMAGE, MS_ARG_PITCH)};
  gsize bytes = pixel_bytes(plan, lanes) * plan->width;

  plan->scratch[0].row_bytes += bytes;
  plan->scratch[0].fixed_bytes += 2 * COLUMN_PADDING * bytes;
  ms_plan_add_pass(plan, &columns);
}

static void
add_passes(MsPlan *plan, int lanes)
{
  const gboolean memo = remembers_windows(plan, lanes);
  /* Every work-item is a separate loop over whole vectors; a group of one keeps the runtime from interleaving them. */
  const MsPass filter = {"mean_shift_rows",
                         MS_GRID_BAND,
                         .item_width = TILE_WIDTH,
                         .item_height = TILE_HEIGHT * (memo ? MEMO_TILES : 1),
                         .local = {1, 1},
                         MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_RESULT, MS_ARG_SCRATCH_0, MS_ARG_IMAGE, MS_ARG_MARGIN,
                                      MS_ARG_PITCH, MS_ARG_REGION, MS_ARG_BAND, MS_ARG_FILTER, MS_ARG_SP)};

  add_prepare_planes(plan, lanes);
  if (memo)
    add_prepare_columns(plan, lanes);
  ms_plan_add_last_args(plan, ms_plan_add_pass(plan, &filter));
}

/* Sums of absolute coordinates are taken in 32 bits. */
static gboolean
coordinates_fit(const MsPlan *plan)
{
  gint64 side = 2 * plan->radius + 1, reach = (gint64)plan->radius * (plan->settings.params.max_iterations + 1);
  gint64 extent = MAX(plan->width, plan->height);

  return side * side * (extent + reach) <= G_MAXINT32;
}

static gboolean
plan_lanes(MsPlan *plan, int lanes, GError **error)
{
  if (!ms_plan_check_default_toggles(plan, 1, 1, error))
    return FALSE;
  if (ms_device_limits_lack_vectors(plan->limits)) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The %s kernel computes in vectors, which this device computes number by number and takes minutes to "
                 "compile; choose --kernel packed.",
                 ms_filter_kernel_name(plan->settings.options.kernel));
    return FALSE;
  }
  if (!coordinates_fit(plan)) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The %s kernel sums coordinates in 32 bits, too few for %dx%d pixels with --sp %g; choose "
                 "--kernel direct.",
                 ms_filter_kernel_name(plan->settings.options.kernel), plan->width, plan->height,
                 plan->settings.params.sp);
    return FALSE;
  }
  ms_plan_set_work_group(plan, 1, 1);
  compose_rows(plan, lanes);
  add_passes(plan, lanes);
  return TRUE;
}

/** ms_plan_rows: plans the rows kernel in OpenCL C's own vectors of sixteen lanes. */
gboolean
ms_plan_rows(MsPlan *plan, GError **error)
{
  return plan_lanes(plan, 16, error);
}

/**
 * ms_plan_rows_wide: plans the rows kernel in vectors of thirty-two lanes, which only compilers built on clang support.
 */
gboolean
ms_plan_rows_wide(MsPlan *plan, GError **error)
{
  if (!plan->limits->clang_vectors) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The rows-wide kernel needs the vectors of clang, which this device's compiler does not support; "
                 "choose --kernel rows.");
    return FALSE;
  }
  return plan_lanes(plan, 32, error);
}
