/* SPDX-License-Identifier: MIT */
/* LocalStride: each group owns a block of times x GROUP loads and its work-items step through it side by side. */
static int3
item_range(const uint item, const int first, const int end, const int times)
{
  const int block = first + (int)get_group_id(0) * GROUP * times;

  return (int3)(block + (int)item, GROUP, min(block + GROUP * times, end));
}
