/* SPDX-License-Identifier: MIT */
/*
 * Between two levels: the work-group's barrier, or, once only one sub-group is active, the sub-group's barrier. OpenCL
 * does not specify which work-items form a sub-group, so the tree numbers them sub-group by sub-group. Where the
 * sub-groups of a group are not equally large, or their size is not a power of two, every level takes the work-group's
 * barrier.
 */
#define SUB_GROUP_ITEM tree_item()

/* The number of consecutive tree items in one sub-group; 1 where that is unknown. */
static uint
sub_group_width(void)
{
  const uint width = get_max_sub_group_size(), n = get_num_sub_groups();

  if (n == 1)
    return GROUP;
  return n * width == GROUP && (width & (width - 1)) == 0 ? width : 1;
}

static uint
tree_item(void)
{
  const uint width = sub_group_width();

  return width == 1 ? (uint)get_local_id(0) : get_sub_group_id() * width + get_sub_group_local_id();
}

#define SUB_GROUP_FENCE(active)           \
  if ((active) > sub_group_width())       \
    barrier(CLK_LOCAL_MEM_FENCE);         \
  else                                    \
    sub_group_barrier(CLK_LOCAL_MEM_FENCE)
