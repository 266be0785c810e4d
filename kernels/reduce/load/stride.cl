/* SPDX-License-Identifier: MIT */
/*
 * Which loads a work-item takes, as (first, step, end), of the loads from `first` to `end`; each takes at most `times`.
 * The plan names one of these functions as ITEM_RANGE.
 */

/* Neighbouring work-items read neighbouring loads, then all of them step over the whole grid. */
static int3
global_stride(const uint item, const int first, const int end, const int times)
{
  return (int3)(first + (int)get_group_id(0) * GROUP + (int)item, (int)get_global_size(0), end);
}

/* Each group owns a block of times x GROUP loads and its work-items step through it side by side. */
static int3
local_stride(const uint item, const int first, const int end, const int times)
{
  const int block = first + (int)get_group_id(0) * GROUP * times;

  return (int3)(block + (int)item, GROUP, min(block + GROUP * times, end));
}

/* Each work-item owns a contiguous block of loads, which suits the prefetchers and caches of a processor. */
static int3
block_stride(const uint item, const int first, const int end, const int times)
{
  const int block = first + ((int)get_group_id(0) * GROUP + (int)item) * times;

  return (int3)(block, 1, min(block + times, end));
}
