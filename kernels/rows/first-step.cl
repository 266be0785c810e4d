/* SPDX-License-Identifier: MIT */
/*
 * The first iteration of LANES neighbours, one lane for each pixel: one load has the same sample of all windows, and no
 * sum across lanes is needed.
 */
#define GROUP_COLUMNS 31  /* 30 * 31 / 2 fits 10 bits, 31 fits 6 */
#define GROUP_SAMPLES 257 /* the sum of so many channel values fits 16 bits, and that of so many positions up to 128 */

typedef struct {
  lanes_t n;
  lanes_t sx;
  lanes_t sy;
  sums_t sums;
} group_t;

/* A row of the windows: its samples from the left edge of lane 0's window on, and the column of that lane. */
typedef struct {
  __global const ushort *samples;
  int x;
  bool leave;
} row_t;

/* The lanes whose windows include the first and the last column of the widest window, where the radius has a half. */
typedef struct {
  mask_t first;
  mask_t last;
} ends_t;

static inline void
find_ends(const int x, const reach_t reach, const int width, ends_t *ends)
{
  *ends = (ends_t){0, 0};
  for (int j = 0; j < HALF_RADIUS * LANES / 8; j++) {
    const int8 at = x + 8 * j + (int8)(0, 1, 2, 3, 4, 5, 6, 7);

    ((short8 *)&ends->first)[j] = convert_short8(first_columns(at, reach) == 0);
    ((short8 *)&ends->last)[j] = convert_short8(last_columns(at, reach, width) == 2 * reach.radius);
  }
}

/* Column `i` of the windows, for the lanes that are `taken`. */
static inline void
add_column(sums_t *sums, const picture_t *picture, const row_t *row, const int i, const mask_t taken,
           const lanes_t weight, const colour_t *c)
{
  colour_t t;

  load_samples(&t, row->samples + i, picture->pitch);
  add_samples(sums, &t, c, picture->limit, weight, taken);
}

/* Columns `first` to `end` - 1 of the windows; `clips`: some lanes may be outside. */
static inline void
add_span(sums_t *sums, const picture_t *picture, const row_t *row, const int first, const int end, const bool clips,
         lanes_t *weight, const colour_t *c)
{
  for (int i = first; i < end; i++) {
    const int left = row->x + i - picture->reach.radius;
    const mask_t inside = clips ? lanes_between(-left, picture->width - 1 - left) : ALL_LANES;

    add_column(sums, picture, row, i, inside, *weight, c);
    *weight += (lanes_t)POSITION;
  }
}

/* The same, without the columns that are outside the picture for all lanes, and with a test only where some are. */
static inline void
add_columns(sums_t *sums, const picture_t *picture, const row_t *row, const int first, const int end, lanes_t weight,
            const colour_t *c)
{
  const int edge = picture->reach.radius - row->x, other_edge = edge + picture->width;
  const int begin = row->leave ? clamp(edge - LANES + 1, first, end) : first;
  const int stop = row->leave ? clamp(other_edge, begin, end) : end;
  const int whole = row->leave ? clamp(edge, begin, stop) : begin;
  const int whole_end = row->leave ? clamp(other_edge - LANES + 1, whole, stop) : stop;

  weight += (lanes_t)(ushort)((begin - first) * POSITION);
  if (row->leave)
    add_span(sums, picture, row, begin, whole, true, &weight, c);
  add_span(sums, picture, row, whole, whole_end, false, &weight, c);
  if (row->leave)
    add_span(sums, picture, row, whole_end, stop, true, &weight, c);
}

/* The weight of column `i` of a group of columns. */
static inline lanes_t
weight_of(const int i)
{
  return (lanes_t)(ushort)(i * POSITION + 1);
}

/*
 * One row of the windows; `down` counts rows from the windows' top. The outer columns of a radius with a half are added
 * one by one: compilers unroll the loop of a single call to add_columns(), which halves the time.
 */
static inline void
add_window_row(group_t *group, const picture_t *picture, const row_t *row, const ends_t *ends, const int down,
               const colour_t *c)
{
  const int side = 2 * picture->reach.radius + 1;

  for (int first = 0; first < side; first += GROUP_COLUMNS) {
    const int end = min(first + GROUP_COLUMNS, side);
    const int inner = max(first, HALF_RADIUS), inner_end = min(end, side - HALF_RADIUS);

    group->sums.packed = 0;
    add_columns(&group->sums, picture, row, inner, inner_end, weight_of(inner - first), c);
    if (HALF_RADIUS && first < inner)
      add_column(&group->sums, picture, row, first, ends->first, weight_of(0), c);
    if (HALF_RADIUS && inner_end < end)
      add_column(&group->sums, picture, row, inner_end, ends->last, weight_of(inner_end - first), c);
    const lanes_t n = group->sums.packed & COUNT_BITS;
    group->n += n;
    group->sx += (group->sums.packed >> POSITION_SHIFT) + n * (lanes_t)(ushort)first;
    group->sy += n * (lanes_t)(ushort)down;
  }
}

/* Lane by lane, in 32 bits, as totals_t. */
typedef struct {
  wide_t n;
  wide_t sx;
  wide_t sy;
  wide_t s0;
  wide_t s1;
  wide_t s2;
} wide_totals_t;

/* Adds the windows of LANES neighbours, whose rows are top to bottom, to `t`. */
static inline void
add_neighbours(wide_totals_t *t, const picture_t *picture, const int x, const int top, const int bottom,
               const bool leave, const colour_t *c)
{
  const int radius = picture->reach.radius, group_rows = GROUP_SAMPLES / (2 * radius + 1);
  ends_t ends;

  find_ends(x, picture->reach, picture->width, &ends);
  for (int first = top; first <= bottom; first += group_rows) {
    const int end = min(first + group_rows - 1, bottom);
    group_t group = {0, 0, 0, {0, 0, 0, 0}};

    for (int y = first; y <= end; y++) {
      const row_t row = {row_of(picture, y) + x - radius, x, leave};

      add_window_row(&group, picture, &row, &ends, y - top, c);
    }
    t->n += widen(group.n);
    t->sx += widen(group.sx);
    t->sy += widen(group.sy);
    t->s0 += widen(sum_of_values(group.sums.s0, group.n));
    t->s1 += widen(sum_of_values(group.sums.s1, group.n));
    t->s2 += widen(group.sums.s2);
  }
}
