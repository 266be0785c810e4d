/* SPDX-License-Identifier: MIT */
/*
 * Sums a large window leaf by leaf. Each lane compares the colour bounds of one leaf: a leaf farther than the colour
 * radius is skipped, a leaf wholly inside the window and within the colour radius adds its sums, and the pixels of the
 * others are tested one by one. Positions are summed modulo 2^16; their distances from the window's corner fit 16 bits.
 */
#define UNIT 16            /* divides the start of every leaf, so that 32 bits hold starts beyond 2^32 */
#define MAX_LEAVES 704      /* 18 rows of blocks, 18 blocks and the lanes that a vector may reach beyond them */
#define GROUP_BLOCK_ROWS 8  /* sums of 8 leaves, and their distances, fit 16 bits */
#define GROUP_LEAVES 224    /* as many pixels a lane fit 16 bits */

/* Sums over leaves or pixels, one for each lane. */
typedef struct {
  lanes_t n;
  lanes_t x;
  lanes_t y;
  lanes_t s0;
  lanes_t s1;
  lanes_t s2;
} leaf_sums_t;

/* A window: its ends, counted from the first row held, and the corner from which its positions are counted. */
typedef struct {
  int left;
  int right;
  int top;
  int bottom;
  ushort corner_x;
  ushort corner_y;
} bounds_t;

/* Where the samples of the leaves begin whose pixels are to be tested, in steps of UNIT. */
typedef struct {
  int n;
  uint leaves[MAX_LEAVES];
} tests_t;

/* Adds `sums` to the totals of window `j`; each n stands for 2^`shift` pixels. */
static inline void
close_sums(windows_t *windows, const int j, const leaf_sums_t *sums, const bounds_t *bounds, const ushort shift)
{
  const lanes_t n = sums->n << (lanes_t)shift;

  windows->n[j] += add_pairs(n);
  windows->sx[j] += add_pairs(sums->x - n * (lanes_t)bounds->corner_x);
  windows->sy[j] += add_pairs(sums->y - n * (lanes_t)bounds->corner_y);
  windows->s0[j] += add_pairs(sums->s0);
  windows->s1[j] += add_pairs(sums->s1);
  windows->s2[j] += add_pairs(sums->s2);
}

/* The distance of a colour from the nearest value between `low` and `high`. */
static inline lanes_t
nearest(const lanes_t low, const lanes_t high, const lanes_t c)
{
  return subtract_to_zero(low, c) + subtract_to_zero(c, high);
}

/* The distance of a colour from the farthest value between `low` and `high`. */
static inline lanes_t
farthest(const lanes_t low, const lanes_t high, const lanes_t c)
{
  const lanes_t a = subtract_to_zero(high, c), b = subtract_to_zero(c, low);

  return a > b ? a : b;
}

/*
 * Adds the leaves of one vector that lie within the colour radius, and lists those to test. `full`: the lanes whose
 * leaves lie inside the window.
 */
static inline void
sort_leaves(leaf_sums_t *sums, tests_t *tests, const picture_t *picture, __global const ushort *p, const uint first,
            const int count, const mask_t full, const colour_t *c)
{
  const int pitch = picture->pitch;
  const lanes_t l0 = load_lanes(p), l1 = load_lanes(p + pitch), l2 = load_lanes(p + 2 * pitch);
  const lanes_t h0 = load_lanes(p + 3 * pitch), h1 = load_lanes(p + 4 * pitch), h2 = load_lanes(p + 5 * pitch);
  const lanes_t a0 = nearest(l0, h0, c->c0), a1 = nearest(l1, h1, c->c1), a2 = nearest(l2, h2, c->c2);
  const lanes_t b0 = farthest(l0, h0, c->c0), b1 = farthest(l1, h1, c->c1), b2 = farthest(l2, h2, c->c2);
  const mask_t taken = full & within(b0 * b0, b1 * b1, b2 * b2, picture->limit);
  const mask_t tested = within(a0 * a0, a1 * a1, a2 * a2, picture->limit) & ~taken;
  short list[LANES] __attribute__((aligned(64)));

  p += 6 * pitch;
  sums->n = count_lanes(sums->n, taken);
  sums->s0 = taken ? sums->s0 + load_lanes(p) : sums->s0;
  sums->s1 = taken ? sums->s1 + load_lanes(p + pitch) : sums->s1;
  sums->s2 = taken ? sums->s2 + load_lanes(p + 2 * pitch) : sums->s2;
  sums->x = taken ? sums->x + load_lanes(p + 3 * pitch) : sums->x;
  sums->y = taken ? sums->y + load_lanes(p + 4 * pitch) : sums->y;
  *(mask_t *)list = tested;
  int n = tests->n;
  for (int i = 0; i < count; i++) {
    tests->leaves[n] = first + (uint)(i * (LEAF_PLANES * LEAF / UNIT));
    n -= list[i];
  }
  tests->n = n;
}

/* Adds the pixels of a leaf that are near in colour and inside the window, LANES at a time. */
static inline void
test_leaf(leaf_sums_t *sums, const picture_t *picture, __global const ushort *p, const bounds_t *bounds,
          const colour_t *c)
{
  for (int i = 0; i < LEAF; i += LANES) {
    const lanes_t t0 = load_lanes(p + i), t1 = load_lanes(p + LEAF + i), t2 = load_lanes(p + 2 * LEAF + i);
    const lanes_t x = load_lanes(p + 3 * LEAF + i), y = load_lanes(p + 4 * LEAF + i);
    const lanes_t d0 = t0 - c->c0, d1 = t1 - c->c1, d2 = t2 - c->c2;
    const mask_t inside = (x - (lanes_t)(ushort)bounds->left <= (lanes_t)(ushort)(bounds->right - bounds->left)) &
                          (y - (lanes_t)(ushort)bounds->top <= (lanes_t)(ushort)(bounds->bottom - bounds->top));
    const mask_t m = inside & within(d0 * d0, d1 * d1, d2 * d2, picture->limit);

    sums->n = count_lanes(sums->n, m);
    sums->x = m ? sums->x + x : sums->x;
    sums->y = m ? sums->y + y : sums->y;
    sums->s0 = m ? sums->s0 + t0 : sums->s0;
    sums->s1 = m ? sums->s1 + t1 : sums->s1;
    sums->s2 = m ? sums->s2 + t2 : sums->s2;
  }
}

static inline uint
block_row_size(const picture_t *picture)
{
  return (uint)(picture->pitch * (SUMMARIES + LEAF_PLANES * LEAF));
}

/* Where the samples of a leaf begin, in steps of UNIT; leaf_pitch() is a multiple of it. */
static inline uint
first_sample(const picture_t *picture, const int row, const int leaf)
{
  const uint pitch = (uint)picture->pitch / UNIT;

  return (uint)row * (block_row_size(picture) / UNIT) + pitch * SUMMARIES + (uint)(leaf * (LEAF_PLANES * LEAF / UNIT));
}

/* Sorts the leaves of `count` lanes from leaf `first` on, in all rows of blocks. */
static inline void
sort_columns(windows_t *windows, const int j, tests_t *tests, const picture_t *picture, const bounds_t *bounds,
             const int first, const int count, const mask_t full_columns, const colour_t *c)
{
  const int last_row = bounds->bottom / BLOCK;

  for (int group = bounds->top / BLOCK; group <= last_row; group += GROUP_BLOCK_ROWS) {
    const int end = min(group + GROUP_BLOCK_ROWS - 1, last_row);
    leaf_sums_t sums = {0, 0, 0, 0, 0, 0};

    for (int row = group; row <= end; row++) {
      const bool full_row = row * BLOCK >= bounds->top && row * BLOCK + BLOCK - 1 <= bounds->bottom;
      __global const ushort *p = picture->planes + (size_t)row * (size_t)block_row_size(picture) + first;

      sort_leaves(&sums, tests, picture, p, first_sample(picture, row, first), count,
                  full_row ? full_columns : (mask_t)0, c);
    }
    close_sums(windows, j, &sums, bounds, 5);
  }
}

static inline void
test_leaves(windows_t *windows, const int j, const tests_t *tests, const picture_t *picture, const bounds_t *bounds,
            const colour_t *c)
{
  for (int group = 0; group < tests->n; group += GROUP_LEAVES / (LEAF / LANES)) {
    const int end = min(group + GROUP_LEAVES / (LEAF / LANES), tests->n);
    leaf_sums_t sums = {0, 0, 0, 0, 0, 0};

    for (int i = group; i < end; i++)
      test_leaf(&sums, picture, picture->planes + (size_t)tests->leaves[i] * UNIT, bounds, c);
    close_sums(windows, j, &sums, bounds, 0);
  }
}

static inline void
add_window(windows_t *windows, const int j, const picture_t *picture, const int column, const int top,
           const int rows, const int left, const int right, const colour_t *c)
{
  const int first_row = top - picture->first_held;
  const bounds_t bounds = {column + left, column + right, first_row, first_row + rows - 1,
                           (ushort)column, (ushort)first_row};
  const int first = bounds.left / BLOCK * 2, end = bounds.right / BLOCK * 2 + 2;
  const int first_full = (bounds.left + BLOCK - 1) / BLOCK * 2, end_full = (bounds.right + 1) / BLOCK * 2;
  tests_t tests;

  tests.n = 0;
  windows->n[j] = windows->sx[j] = windows->sy[j] = 0;
  windows->s0[j] = windows->s1[j] = windows->s2[j] = 0;
  for (int leaf = first; leaf < end; leaf += LANES)
    sort_columns(windows, j, &tests, picture, &bounds, leaf, min(LANES, end - leaf),
                 lanes_between(first_full - leaf, end_full - 1 - leaf), c);
  test_leaves(windows, j, &tests, picture, &bounds, c);
}
