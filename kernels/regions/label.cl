/* SPDX-License-Identifier: MIT */
/*
 * Numbers the connected sets of similar pixels from 1 on, in the order of their first pixels, as
 * core/regions/segmentation.c does. parents[i] is a pixel of the same set, at or before i, and at the end the first
 * one. image: (width, height, spatial radius, squared colour distance). A work-item takes ROW_SPAN pixels of a row, or
 * SPAN of all.
 *
 * Reads of parents race with the atomic minimum of other work-items. They may see an outdated parent, which is also a
 * pixel of the set.
 */

static inline bool
are_close(__global const uchar4 *colours, __global const ushort2 *modes, const int a, const int b, const int4 image)
{
  const int4 d = convert_int4(colours[a]) - convert_int4(colours[b]);
  const int2 m = convert_int2(modes[a]) - convert_int2(modes[b]);

  return abs(m.x) <= (uint)image.z && abs(m.y) <= (uint)image.z && d.x * d.x + d.y * d.y + d.z * d.z <= image.w;
}

static inline int
find_first(volatile __global const int *parents, int at)
{
  for (int parent = parents[at]; parent != at; parent = parents[at])
    at = parent;
  return at;
}

/*
 * Like find_first(), but also halves the path to the result. It may overwrite a parent that another work-item sets at
 * the same time; that work-item then joins the two parents itself.
 */
static inline int
find_first_halving(volatile __global int *parents, int at)
{
  for (int parent = parents[at]; parent != at; parent = parents[at]) {
    const int above = parents[parent];

    if (above != parent)
      parents[at] = above;
    at = above;
  }
  return at;
}

static inline void
join(volatile __global int *parents, const int a, const int b)
{
  int late = a, early = b;

  for (bool joined = false; !joined;) {
    const int p = find_first_halving(parents, late), q = find_first_halving(parents, early);
    const int before = p == q ? p : atomic_min(&parents[max(p, q)], min(p, q));

    /* Where another work-item has set a parent of the later set meanwhile, that parent must be joined as well. */
    joined = before == max(p, q);
    late = before;
    early = min(p, q);
  }
}

/* Links the pixels of a run within the span to its first one. */
__kernel void
start_labels(__global const uchar4 *colours, __global const ushort2 *modes, __global int *parents, const int4 image)
{
  const int x0 = (int)get_global_id(0) * ROW_SPAN, y = (int)get_global_id(1), end = min(x0 + ROW_SPAN, image.x);
  int first = y * image.x + x0;

  if (x0 >= image.x || y >= image.y)
    return;
  for (int x = x0; x < end; x++) {
    const int at = y * image.x + x;

    if (x > x0 && !are_close(colours, modes, at, at - 1, image))
      first = at;
    parents[at] = first;
  }
}

/* Joins every pixel with those of its eight neighbours that come before it, and a span with the one on its left. */
__kernel void
join_labels(__global const uchar4 *colours, __global const ushort2 *modes, volatile __global int *parents,
            const int4 image)
{
  const int x0 = (int)get_global_id(0) * ROW_SPAN, y = (int)get_global_id(1), end = min(x0 + ROW_SPAN, image.x);

  if (x0 >= image.x || y >= image.y)
    return;
  if (x0 > 0 && are_close(colours, modes, y * image.x + x0, y * image.x + x0 - 1, image))
    join(parents, y * image.x + x0, y * image.x + x0 - 1);
  for (int x = x0; x < end && y > 0; x++) {
    const int at = y * image.x + x;

    for (int i = max(x - 1, 0); i <= min(x + 1, image.x - 1); i++)
      if (are_close(colours, modes, at, at - image.x + i - x, image))
        join(parents, at, at - image.x + i - x);
  }
}

/* Every pixel's parent becomes the first of its set; counts[k] is how many sets begin among the pixels k * SPAN on. */
__kernel void
count_labels(volatile __global int *parents, __global uint *counts, const int4 image)
{
  const int n = image.x * image.y, start = (int)get_global_id(0) * SPAN, end = min(start + SPAN, n);
  uint count = 0;

  if (start >= n)
    return;
  for (int i = start; i < end; i++) {
    parents[i] = find_first(parents, i);
    count += parents[i] == i ? 1u : 0u;
  }
  counts[get_global_id(0)] = count;
}

/* Numbers the first pixels; before[k] is how many sets begin before the pixels k * SPAN on. */
__kernel void
number_labels(__global const int *parents, __global const uint *before, __global uint *labels, const int4 image)
{
  const int n = image.x * image.y, start = (int)get_global_id(0) * SPAN, end = min(start + SPAN, n);

  if (start >= n)
    return;

  uint number = before[get_global_id(0)];
  for (int i = start; i < end; i++)
    if (parents[i] == i)
      labels[i] = ++number;
}

__kernel void
spread_labels(__global const int *parents, __global uint *labels, const int4 image)
{
  const int n = image.x * image.y, start = (int)get_global_id(0) * SPAN, end = min(start + SPAN, n);

  for (int i = start; i < end; i++)
    if (parents[i] != i)
      labels[i] = labels[parents[i]];
}
