/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort with one pair of keys for each work-item and blocks of keys in local memory. Twin of vectors.cl. The
 * array is padded to a power of two with the greatest key. Stage k merges bitonic runs of k keys, by steps of distance
 * k/2, k/4, …, 1; a run ascends where bit k of the index is clear. Clang
 * inlines what a loop with a barrier calls, for the reason that reduce/tree/level.cl gives.
 */
static __attribute__((always_inline)) void
order(uint *low, uint *high, const bool ascending)
{
  const uint a = *low, b = *high;

  *low = ascending ? min(a, b) : max(a, b);
  *high = ascending ? max(a, b) : min(a, b);
}

static __attribute__((always_inline)) void
order_local(__local uint *keys, const uint i, const uint j, const bool ascending)
{
  uint a = keys[i], b = keys[i + j];

  order(&a, &b, ascending);
  keys[i] = a;
  keys[i + j] = b;
}

static void
local_steps(__local uint *own, const uint first, const uint k, const uint from)
{
  const uint item = get_local_id(0);

  for (uint j = from; j > 0; j /= 2) {
    const uint i = 2 * j * (item / j) + item % j;
    barrier(CLK_LOCAL_MEM_FENCE);
    order_local(own, i, j, ((first + i) & k) == 0);
  }
}

/* All stages up to the block of 2 x GROUP keys, in local memory. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sort_block(__global uint *keys, const uint unused_k, const uint unused_j, __local uint *own)
{
  const uint item = get_local_id(0), first = (uint)get_group_id(0) * 2 * GROUP;

  own[item] = keys[first + item];
  own[item + GROUP] = keys[first + item + GROUP];
  for (uint k = 2; k <= 2 * GROUP; k *= 2)
    local_steps(own, first, k, k / 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first + item] = own[item];
  keys[first + item + GROUP] = own[item + GROUP];
}

/* The steps of stage k from distance GROUP down, in local memory. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sort_merge(__global uint *keys, const uint k, const uint unused_j, __local uint *own)
{
  const uint item = get_local_id(0), first = (uint)get_group_id(0) * 2 * GROUP;

  own[item] = keys[first + item];
  own[item + GROUP] = keys[first + item + GROUP];
  local_steps(own, first, k, GROUP);
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first + item] = own[item];
  keys[first + item + GROUP] = own[item + GROUP];
}

/* One step of stage k at distance j. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sort_step(__global uint *keys, const uint k, const uint j, __local uint *own)
{
  const uint pair = get_global_id(0), i = 2 * j * (pair / j) + pair % j;
  uint a = keys[i], b = keys[i + j];

  order(&a, &b, (i & k) == 0);
  keys[i] = a;
  keys[i + j] = b;
}

/* Three steps at distances 4j, 2j and j at once: eight keys of one work-item stay in registers between them. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sort_three_steps(__global uint *keys, const uint k, const uint j, __local uint *own)
{
  const uint item = get_global_id(0), first = 8 * j * (item / j) + item % j;
  const bool ascending = (first & k) == 0;
  uint a[8];

  for (uint i = 0; i < 8; i++)
    a[i] = keys[first + i * j];
  for (uint i = 0; i < 4; i++)
    order(a + i, a + i + 4, ascending);
  for (uint i = 0; i < 4; i++)
    order(a + i + (i & 2), a + i + (i & 2) + 2, ascending);
  for (uint i = 0; i < 8; i += 2)
    order(a + i, a + i + 1, ascending);
  for (uint i = 0; i < 8; i++)
    keys[first + i * j] = a[i];
}
