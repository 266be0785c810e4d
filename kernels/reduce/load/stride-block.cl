/* SPDX-License-Identifier: MIT */
/* Each work-item owns a contiguous block of loads: what the prefetchers and caches of a processor like. */
static int3
item_range(const uint item, const int first, const int end, const int times)
{
  const int block = first + ((int)get_group_id(0) * GROUP + (int)item) * times;

  return (int3)(block, 1, min(block + times, end));
}
