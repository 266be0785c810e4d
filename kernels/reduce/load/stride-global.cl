/* SPDX-License-Identifier: MIT */
/* GlobalStride: work-items next to each other read next to each other, then all of them step over the whole grid. */
static int3
item_range(const uint item, const int first, const int end, const int times)
{
  return (int3)(first + (int)get_group_id(0) * GROUP + (int)item, (int)get_global_size(0), end);
}
