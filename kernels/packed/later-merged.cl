/* SPDX-License-Identifier: MIT */
/*
 * The iterations after the first, for the pixels on the list. A group computes all iterations of LIST_SHARE of them.
 * Before each iteration, pixels with the same position and colour are found by a hash table and merged: one of them
 * continues, the others refer to it and take its colour at the end. Twin of later-alone.cl.
 */
#define EMPTY 0xffffffffu

static inline uint
slot_of(const uint4 entry)
{
  return ((entry.x & 0xffffffu) * 0x9e3779b1u ^ entry.y * 0x85ebca6bu) >> 16;
}

/* Whether pixel `a` continues; otherwise it now refers to the pixel that it was merged with. */
static inline bool
keeps_moving(__local uint *table, __global uint4 *entries, const uint a)
{
  const uint4 entry = entries[a];
  uint slot = slot_of(entry);

  for (uint probe = 0; probe < PROBES; probe++, slot++) {
    const uint other = atomic_cmpxchg(&table[slot % TABLE], EMPTY, a);

    if (other == EMPTY)
      return true;
    const uint4 found = entries[other];
    if (found.y == entry.y && ((found.x ^ entry.x) & 0xffffffu) == 0) {
      entries[a].w = other;
      return false;
    }
  }
  return true;
}

/* One iteration of pixel `a`; returns whether it has not converged. */
static inline bool
shift_entry(__global uint4 *entries, __global const uint4 *records, __global const reciprocal_t *reciprocals,
            const uint a, const int4 image, const int pitch, const uint shift, const int4 filter)
{
  state_t state = {entries[a].x, entries[a].y};
  const bool rest = shift_state(&state, records, reciprocals, image, pitch, shift, filter);

  entries[a].x = state.colour;
  entries[a].y = state.place;
  return !rest;
}

/* The pixel that `a` was merged with in the end. */
static inline uint
last_of(__global const uint4 *entries, const uint a)
{
  uint own = a;

  while (entries[own].w != own)
    own = entries[own].w;
  return own;
}

__kernel void
mean_shift_later(__global uint *result, __global const uint4 *records, __global const reciprocal_t *reciprocals,
                 __global uint4 *moving, __global const uint *counter, const int4 image, const int pitch,
                 const int4 region, const int4 filter, __local uint *memory MODES_PARAM)
{
  const uint group = (uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0)), own = group * LIST_SHARE;
  const uint me = (uint)get_local_id(0), size = (uint)get_local_size(0), all = counter[0];
  const uint n = own < all ? min(all - own, (uint)LIST_SHARE) : 0;
  __local uint *counts = memory + TABLE;
  __local ushort *active = (__local ushort *)(counts + 2), *kept = active + LIST_SHARE;
  __global uint4 *entries = moving + own;
  uint count = n;

  for (uint i = me; i < n; i += size) {
    entries[i].w = i;
    active[i] = (ushort)i;
  }
  for (int left = filter.z - FIRST_STEPS; left > 0 && count > 0; left--) {
    for (uint i = me; i < TABLE; i += size)
      memory[i] = EMPTY;
    if (me < 2)
      counts[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = me; i < count; i += size)
      if (keeps_moving(memory, entries, active[i]))
        kept[atomic_inc(&counts[0])] = active[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = me; i < counts[0]; i += size)
      if (shift_entry(entries, records, reciprocals, kept[i], image, pitch, (uint)shift_of(region.x), filter))
        active[atomic_inc(&counts[1])] = kept[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    count = counts[1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = me; i < n; i += size) {
    const uint start = entries[i].z;
    const int x = (int)(start & 0xffffu), y = (int)(start >> 16) + image.z;
    const size_t to = (size_t)(y - region.y) * (size_t)region.z + (size_t)(x - region.x);
    const uint last = last_of(entries, i);

    /* The colour of the last one with the alpha of this one. */
    result[to] = (entries[last].x & 0xffffffu) | (entries[i].x & 0xff000000u);
    STORE_MODE(to, entries[last].y & 0xffffu, (entries[last].y >> 16) + (uint)image.z);
  }
}
