/* SPDX-License-Identifier: MIT */
/*
 * One work-item folds its loads of whole vectors, four in flight at a time, and its share of the few elements before
 * the first and after the last whole vector. The array is the elements `from` to `to`; `from` is less than WIDTH.
 */
static void
fold_ends(SOURCE source, const int from, const int to, const ELEM centre, partial_t *mine)
{
  const int item = (int)get_global_id(0), items = (int)get_global_size(0);
  const int head_end = min(from > 0 ? WIDTH : 0, to);
  const int tail = max(to / WIDTH * WIDTH, head_end);

  for (int e = from + item; e < head_end; e += items)
    partial_add(mine, LOAD_ONE(source, e), e, centre);
  for (int e = tail + item; e < to; e += items)
    partial_add(mine, LOAD_ONE(source, e), e, centre);
}

static void
item_fold(SOURCE source, const uint item, const int from, const int to, const int times, const ELEM centre,
          partial_t *mine)
{
  const int3 range = ITEM_RANGE(item, from > 0, to / WIDTH, times);
  const int step = range.y;
  lanes_t lanes;
  int i = range.x;

  lanes_begin(&lanes);
  for (; i + 3 * step < range.z; i += 4 * step) {
    const vec_t a = LOAD(source, i);
    const vec_t b = LOAD(source, i + step);
    const vec_t c = LOAD(source, i + 2 * step);
    const vec_t d = LOAD(source, i + 3 * step);
    lanes_fold(&lanes, a, i, centre);
    lanes_fold(&lanes, b, i + step, centre);
    lanes_fold(&lanes, c, i + 2 * step, centre);
    lanes_fold(&lanes, d, i + 3 * step, centre);
  }
  for (; i < range.z; i += step)
    lanes_fold(&lanes, LOAD(source, i), i, centre);
  partial_of_lanes(&lanes, mine);
  fold_ends(source, from, to, centre, mine);
}
