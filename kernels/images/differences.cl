/* SPDX-License-Identifier: MIT */
/*
 * Differences of two images: the sums of absolute and of squared differences of each channel, the number of changed
 * pixels, and the largest difference. Each load has four pixels; the host limits the loads of a work-item so that its
 * 32-bit sums do not overflow.
 */
#define WORDS 10
#define CHANGED 8
#define GREATEST 9

typedef struct {
  ulong t[WORDS];
} acc_t;

typedef struct {
  uint16 absolute;
  uint16 squared;
  int4 unchanged;
  uchar16 greatest;
} lanes_t;

static void
acc_merge(acc_t *a, const acc_t *b)
{
  for (int k = 0; k < GREATEST; k++)
    a->t[k] += b->t[k];
  a->t[GREATEST] = max(a->t[GREATEST], b->t[GREATEST]);
}

static void
acc_put(const acc_t *acc, ulong *words)
{
  for (int k = 0; k < WORDS; k++)
    words[k] = acc->t[k];
}

static void
lanes_fold(lanes_t *lanes, const uchar16 a, const uchar16 b)
{
  const uchar16 apart = abs_diff(a, b);
  const uint16 wide = convert_uint16(apart);

  lanes->absolute += wide;
  lanes->squared += wide * wide;
  lanes->unchanged += as_int4(a) == as_int4(b);
  lanes->greatest = max(lanes->greatest, apart);
}

static ulong4
channels(const uint16 v)
{
  return convert_ulong4(v.s0123) + convert_ulong4(v.s4567) + convert_ulong4(v.s89ab) + convert_ulong4(v.scdef);
}

static ulong
greatest_of(const uchar16 v)
{
  const uchar8 a = max(v.lo, v.hi);
  const uchar4 b = max(a.lo, a.hi);
  const uchar2 c = max(b.lo, b.hi);

  return max(c.x, c.y);
}

static void
lanes_end(const lanes_t *lanes, const int fours, acc_t *acc)
{
  const ulong4 absolute = channels(lanes->absolute), squared = channels(lanes->squared);
  const int4 same = -lanes->unchanged;

  acc->t[0] = absolute.x, acc->t[1] = absolute.y, acc->t[2] = absolute.z, acc->t[3] = absolute.w;
  acc->t[4] = squared.x, acc->t[5] = squared.y, acc->t[6] = squared.z, acc->t[7] = squared.w;
  acc->t[CHANGED] = (ulong)(4 * fours - same.x - same.y - same.z - same.w);
  acc->t[GREATEST] = greatest_of(lanes->greatest);
}
