/* SPDX-License-Identifier: MIT */
/*
 * The bitonic sort of the branch study [BD]: one key for each work-item, of which those with (i ^ j) > i compare and
 * exchange while the others idle. The plan names one of the first three macros as WORK_AT: the work that an item does
 * at distance j.
 */
#define OWN_WORK_AT(map, j) ((uint)get_local_id(0))
/* Plain swapping reads the work from the table at every step: from row log2(j), or from the last row. */
#define SWAPPED_WORK_AT(map, j) ((uint)(map)[min(31u - clz(j), SWAP_ROWS - 1u) * GROUP + get_local_id(0)])
/* Refined swapping reads the table only below the range: beyond it all items of a block take the same branch. */
#define REFINED_WORK_AT(map, j) \
  ((j) < SWAP_RANGE ? (uint)(map)[(31u - clz(j)) * GROUP + get_local_id(0)] : (uint)get_local_id(0))

static void
exchange_local(__local uint *own, const uint i, const uint j, const bool ascending)
{
  const uint partner = i ^ j;

  if (partner > i) {
    const uint a = own[i], b = own[partner];
    if ((a > b) == ascending) {
      own[i] = b;
      own[partner] = a;
    }
  }
}

static void
study_steps(__local uint *own, const uint first, const uint k, const uint from, __global const ushort *map)
{
  for (uint j = from; j > 0; j /= 2) {
    const uint i = WORK_AT(map, j);
    barrier(CLK_LOCAL_MEM_FENCE);
    exchange_local(own, i, j, ((first + i) & k) == 0);
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
study_block(__global uint *keys, const uint unused_k, const uint unused_j, __local uint *own,
            __global const ushort *restrict map)
{
  const uint item = get_local_id(0), first = (uint)get_group_id(0) * GROUP;

  own[item] = keys[first + item];
  for (uint k = 2; k <= GROUP; k *= 2)
    study_steps(own, first, k, k / 2, map);
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first + item] = own[item];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
study_merge(__global uint *keys, const uint k, const uint unused_j, __local uint *own,
            __global const ushort *restrict map)
{
  const uint item = get_local_id(0), first = (uint)get_group_id(0) * GROUP;

  own[item] = keys[first + item];
  study_steps(own, first, k, GROUP / 2, map);
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[first + item] = own[item];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
study_step(__global uint *keys, const uint k, const uint j, __local uint *own,
           __global const ushort *restrict map)
{
  const uint i = (uint)get_group_id(0) * GROUP + WORK_AT(map, j), partner = i ^ j;

  if (partner > i) {
    const uint a = keys[i], b = keys[partner];
    if ((a > b) == ((i & k) == 0)) {
      keys[i] = b;
      keys[partner] = a;
    }
  }
}
