/* SPDX-License-Identifier: MIT */
/*
 * Remembers the last window of each colour. The same samples are near that colour, so the sums of another window with
 * it differ by the rows and columns in one of the two alone. Twin of memo-off.cl.
 */
#define MEMO_LOG2 11
#define MEMO_ENTRIES (1 << MEMO_LOG2)
#define NO_COLOUR 0xffffffffu

/* The sums of a window, lane by lane; positions count from the picture's corner, modulo 2^32. */
typedef struct {
  halves_t n;
  halves_t sx;
  halves_t sy;
  halves_t s0;
  halves_t s1;
  halves_t s2;
} memo_sums_t;

#define N_SUMS 6

/*
 * ends: the first column and row of the window, and those that follow its last (x0, y0, x1, y1). pending: 1 and the
 * index of the window among the eight that are being summed, or 0 where `sums` (in the order of memo_sums_t) hold it.
 */
typedef struct {
  int4 ends;
  int sums[N_SUMS];
  uint colour;
  int pending;
} memo_entry_t;

/* starts: sums to add to those of the eight windows, sum by sum; slots: where each window is remembered. */
typedef struct {
  memo_entry_t windows[MEMO_ENTRIES];
  int starts[N_SUMS][8];
  int slots[8];
} memo_t;

/* Rows or columns of the picture; `samples` is where position 0 of line 0 is or would be stored. */
typedef struct {
  __global const ushort *samples;
  int pitch;
} lines_t;

/* Sums over lines, one for each position along them; `across` counts lines from `origin`. */
typedef struct {
  lanes_t n;
  lanes_t across;
  lanes_t s0;
  lanes_t s1;
  lanes_t s2;
} strip_t;

static inline void
forget_windows(memo_t *memo)
{
  for (int i = 0; i < MEMO_ENTRIES; i++)
    memo->windows[i].colour = NO_COLOUR;
}

static inline void
add_line(strip_t *strip, __global const ushort *p, const int pitch, const colour_t *c, const limit_t limit,
         const mask_t in, const lanes_t position, const bool minus)
{
  colour_t t;

  load_samples(&t, p, pitch);
  const mask_t m = in & is_like(&t, c, limit);
  const values_t v = values_of(&t);

  strip->n = m ? (minus ? strip->n - (lanes_t)1 : strip->n + (lanes_t)1) : strip->n;
  strip->across = m ? (minus ? strip->across - position : strip->across + position) : strip->across;
  strip->s0 = m ? (minus ? strip->s0 - v.c0 : strip->s0 + v.c0) : strip->s0;
  strip->s1 = m ? (minus ? strip->s1 - v.c1 : strip->s1 + v.c1) : strip->s1;
  strip->s2 = m ? (minus ? strip->s2 - v.c2 : strip->s2 + v.c2) : strip->s2;
}

/* Adds the lines `from` to `to` - 1, or takes away the lines `to` to `from` - 1 where `to` is less. */
static inline void
add_lines(strip_t *strip, const lines_t *lines, const int start, const int from, const int to, const int origin,
          const colour_t *c, const limit_t limit, const mask_t in)
{
  const size_t step = (size_t)(PLANES * lines->pitch);
  __global const ushort *p = lines->samples + (size_t)min(from, to) * step + start;
  lanes_t position = (lanes_t)(ushort)(min(from, to) - origin);

  for (int i = from; i < to; i++, p += step, position += (lanes_t)1)
    add_line(strip, p, lines->pitch, c, limit, in, position, false);
  for (int i = to; i < from; i++, p += step, position += (lanes_t)1)
    add_line(strip, p, lines->pitch, c, limit, in, position, true);
}

/* Sums of neighbouring lanes with a sign, in 32 bits. */
static inline halves_t
add_signed_pairs(const lanes_t v)
{
  return add_pairs(v ^ (lanes_t)0x8000) - (halves_t)0x10000u;
}

/*
 * Changes sums over the lines before.x to before.y - 1 into those over after.x to after.y - 1, at the positions `first`
 * to `end` - 1 along them.
 */
static inline void
move_lines(memo_sums_t *sums, halves_t *along, halves_t *across, const lines_t *lines, const int2 before,
           const int2 after, const int first, const int end, const colour_t *c, const limit_t limit)
{
  halves_t n = 0;

  if (before.x == after.x && before.y == after.y)
    return;
  for (int start = first; start < end; start += LANES) {
    const mask_t in = lanes_between(0, end - 1 - start);
    strip_t strip = {0, 0, 0, 0, 0};

    add_lines(&strip, lines, start, after.x, before.x, after.x, c, limit, in);
    add_lines(&strip, lines, start, before.y, after.y, after.x, c, limit, in);
    n += add_signed_pairs(strip.n);
    *along += add_signed_pairs(strip.n * (LANE_INDEX + (lanes_t)(ushort)(start - first)));
    *across += add_signed_pairs(strip.across);
    sums->s0 += add_signed_pairs(sum_of_values(strip.s0, strip.n));
    sums->s1 += add_signed_pairs(sum_of_values(strip.s1, strip.n));
    sums->s2 += add_signed_pairs(strip.s2);
  }
  sums->n += n;
  *along += n * (halves_t)(uint)first;
  *across += n * (halves_t)(uint)after.x;
}

/* Whether fewer lines differ than the window has. Sums over so few lines fit 16 bits with a sign. */
static inline bool
is_near(const int4 a, const int4 b)
{
  const int4 moved = max(a - b, b - a);

  return 2 * (moved.x + moved.y + moved.z + moved.w) < b.w - b.y;
}

static inline void
move_window(memo_sums_t *sums, const picture_t *picture, const int4 before, const int4 after, const colour_t *c)
{
  const lines_t rows = {picture->planes - (ptrdiff_t)picture->first_held * (PLANES * picture->pitch), picture->pitch};
  const lines_t columns = {picture->columns - picture->first_held, picture->column_pitch};

  move_lines(sums, &sums->sx, &sums->sy, &rows, before.yw, after.yw, before.x, before.z, c, picture->limit);
  move_lines(sums, &sums->sy, &sums->sx, &columns, before.xz, after.xz, after.y, after.w, c, picture->limit);
}

/* Starts window `j` with the sums of a remembered one, which may be another of the eight. */
static inline void
start_window(memo_sums_t *sums, memo_t *memo, const windows_t *windows, const int j, const memo_entry_t *from)
{
  const int other = max(from->pending - 1, 0);

  *sums = (memo_sums_t){0, 0, 0, 0, 0, 0};
  if (from->pending)
    *sums = (memo_sums_t){windows->n[other],  windows->sx[other], windows->sy[other],
                           windows->s0[other], windows->s1[other], windows->s2[other]};
  for (int k = 0; k < N_SUMS; k++)
    memo->starts[k][j] = from->pending ? memo->starts[k][other] : from->sums[k];
}

static inline void
add_window_by_memo(memo_t *memo, windows_t *windows, const int j, const picture_t *picture, const int column,
                 const int top, const int rows, const int left, const int right, const uint colour)
{
  const colour_t c = colour_of(colour);
  const uint slot = colour * 0x9e3779b1u >> (32 - MEMO_LOG2);
  const int4 ends = (int4)(column + left, top, column + right + 1, top + rows);
  memo_entry_t *window = &memo->windows[slot];

  if (window->colour == colour && is_near(window->ends, ends)) {
    memo_sums_t sums;

    start_window(&sums, memo, windows, j, window);
    move_window(&sums, picture, window->ends, ends, &c);
    windows->n[j] = sums.n;
    windows->sx[j] = sums.sx;
    windows->sy[j] = sums.sy;
    windows->s0[j] = sums.s0;
    windows->s1[j] = sums.s1;
    windows->s2[j] = sums.s2;
  } else {
    add_window(windows, j, picture, column, top, rows, left, right, &c);
    windows->sx[j] += windows->n[j] * (halves_t)(uint)column;
    windows->sy[j] += windows->n[j] * (halves_t)(uint)top;
    for (int k = 0; k < N_SUMS; k++)
      memo->starts[k][j] = 0;
  }
  window->colour = colour;
  window->ends = ends;
  window->pending = j + 1;
  memo->slots[j] = (int)slot;
}

/* Completes the sums of eight windows, which begin at (column, top), and remembers them. */
static inline void
complete_windows(memo_t *memo, totals_t *t, const int8 column, const int8 top)
{
  int sums[N_SUMS][8] __attribute__((aligned(64)));

  t->n += vload8(0, memo->starts[0]);
  t->sx += vload8(0, memo->starts[1]);
  t->sy += vload8(0, memo->starts[2]);
  t->s0 += vload8(0, memo->starts[3]);
  t->s1 += vload8(0, memo->starts[4]);
  t->s2 += vload8(0, memo->starts[5]);
  vstore8(t->n, 0, sums[0]);
  vstore8(t->sx, 0, sums[1]);
  vstore8(t->sy, 0, sums[2]);
  vstore8(t->s0, 0, sums[3]);
  vstore8(t->s1, 0, sums[4]);
  vstore8(t->s2, 0, sums[5]);
  for (int j = 0; j < 8; j++) {
    memo_entry_t *window = &memo->windows[memo->slots[j]];

    for (int k = 0; k < N_SUMS; k++)
      window->sums[k] = sums[k][j];
    window->pending = 0;
  }
  t->sx -= t->n * column;
  t->sy -= t->n * top;
}
