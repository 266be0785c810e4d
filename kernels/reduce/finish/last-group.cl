/* SPDX-License-Identifier: MIT */
/*
 * Between groups: each group publishes its partial, and the last group to do so folds them all in the same launch.
 *
 * OpenCL 1.2 does not order the memory accesses of different groups: when a group has been counted, its partial may not
 * be visible yet. So this part does not depend on the order of two addresses. Each 64-bit word is passed as three
 * 32-bit pieces, written and read by atomics, and a bit of each piece (PRESENT) says that it has been written. The last
 * group reads a piece until that bit is set; the writer has already sent it, so the wait ends. Reading a piece clears
 * it, and the count returns to zero, so the next launch starts from the same state.
 *
 * flag: a word of local memory that tells the work-items of a group whether theirs is the last.
 * out: the result's words, two uints each; the count at COUNT; then three uints for each word of each group.
 */
#define COUNT 8
#define PRESENT 0x80000000u
#define PIECE_BITS 21
#define PIECE_MASK 0x1ffffful

static void
publish(volatile __global uint *pieces, const ulong word)
{
  atomic_xchg(pieces, PRESENT | (uint)(word & PIECE_MASK));
  atomic_xchg(pieces + 1, PRESENT | (uint)((word >> PIECE_BITS) & PIECE_MASK));
  atomic_xchg(pieces + 2, PRESENT | (uint)(word >> (2 * PIECE_BITS)));
}

static ulong
piece_value(volatile __global uint *piece, uint found)
{
  while (!(found & PRESENT))
    found = atomic_xchg(piece, 0u);
  return found & ~PRESENT;
}

/* All three pieces are requested before the first wait. */
static ulong
collect(volatile __global uint *pieces)
{
  const uint a = atomic_xchg(pieces, 0u), b = atomic_xchg(pieces + 1, 0u), c = atomic_xchg(pieces + 2, 0u);

  return piece_value(pieces, a) | piece_value(pieces + 1, b) << PIECE_BITS |
         piece_value(pieces + 2, c) << (2 * PIECE_BITS);
}

static bool
publish_partial(const acc_t *mine, volatile __global uint *out)
{
  volatile __global uint *pieces = out + COUNT + 1 + get_group_id(0) * WORDS * 3;
  ulong words[WORDS];

  acc_put(mine, words);
  for (int k = 0; k < WORDS; k++)
    publish(pieces + 3 * k, words[k]);
  return atomic_inc(out + COUNT) == get_num_groups(0) - 1;
}

static void
collect_partials(volatile __global uint *out, acc_t *mine)
{
  acc_begin(mine);
  for (uint g = get_local_id(0); g < get_num_groups(0); g += GROUP) {
    ulong words[WORDS];
    acc_t other;
    for (int k = 0; k < WORDS; k++)
      words[k] = collect(out + COUNT + 1 + (g * WORDS + k) * 3);
    acc_get(&other, words);
    acc_merge(mine, &other);
  }
}

static void
store_result(const acc_t *all, volatile __global uint *out)
{
  ulong words[WORDS];

  acc_put(all, words);
  for (int k = 0; k < WORDS; k++) {
    out[2 * k] = (uint)words[k];
    out[2 * k + 1] = (uint)(words[k] >> 32);
  }
  atomic_xchg(out + COUNT, 0u);
}

static void
finish(const acc_t *mine, __local partial_t *scratch, __local uint *flag, __global uint *out,
       __global const ushort *map)
{
  partial_t partial;
  acc_t all;

  if (TREE_ITEM == 0)
    *flag = publish_partial(mine, out);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!*flag)
    return;
  collect_partials(out, &all);
  partial_of_acc(&all, &partial);
  group_fold(&partial, scratch, map);
  acc_of_partial(&partial, &all);
  if (TREE_ITEM == 0)
    store_result(&all, out);
}
