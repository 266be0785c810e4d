/* SPDX-License-Identifier: MIT */
#include "core/reduce/swap/swap.h"

#include "core/error.h"

/**
 * ms_swap_range_is_valid: whether work-items may be swapped within blocks of @range, a power of two from 64 to the
 * group.
 */
gboolean
ms_swap_range_is_valid(guint range, guint work_group, GError **error)
{
  if (range >= 64 && range <= work_group && (range & (range - 1)) == 0 && work_group % range == 0)
    return TRUE;
  ms_set_error(
    error, MS_ERROR_UNSUPPORTED,
    "The swap range %u is not valid for work-groups of %u; it must be a power of two from 64 up to the work-group.",
    range, work_group);
  return FALSE;
}

/**
 * ms_swap_table_by_outcome:
 * @map: (out): @work_group entries: the work that each item does
 * @outcome: outcomes are small numbers from 0 on
 *
 * Orders the work of each block of @range items by its branch [BD 1].
 */
void
ms_swap_table_by_outcome(guint16 *map, guint range, guint work_group, MsSwapOutcome outcome)
{
  for (guint block = 0; block < work_group; block += range) {
    guint placed = 0;
    for (guint wanted = 0; placed < range; wanted++)
      for (guint id = block; id < block + range; id++)
        if (outcome(id) == wanted)
          map[block + placed++] = (guint16)id;
  }
}

static guint
reverse_bits(guint value, guint n_bits)
{
  guint reversed = 0;

  for (guint i = 0; i < n_bits; i++)
    reversed |= ((value >> i) & 1) << (n_bits - 1 - i);
  return reversed;
}

/**
 * ms_swap_table_tree:
 *
 * For the interleaved tree [BD 2]. At distance s the works that are multiples of 2s remain active; with the bits of the
 * index reversed within the block, these are the first work-items of the block at every level.
 */
void
ms_swap_table_tree(guint16 *map, guint range, guint work_group)
{
  guint n_bits = g_bit_storage(range) - 1;

  for (guint i = 0; i < work_group; i++)
    map[i] = (guint16)(i - i % range + reverse_bits(i % range, n_bits));
}

/**
 * ms_swap_table_bitonic:
 * @distance: the j of the step, a power of two
 *
 * For a step of the bitonic sort [BD 3], whose branch is bit j of the work: that bit is exchanged with the highest bit
 * of the block, so that each half of the block takes one branch. From @distance = @range on, a block takes one branch
 * anyway.
 */
void
ms_swap_table_bitonic(guint16 *map, guint range, guint work_group, guint distance)
{
  guint high = range / 2;

  for (guint i = 0; i < work_group; i++) {
    gboolean low_bit = (i & distance) != 0, high_bit = (i & high) != 0;
    map[i] = (guint16)(distance < range && low_bit != high_bit ? i ^ distance ^ high : i);
  }
}

/** ms_swap_table_invert: the inverse permutation: inverse[map[i]] = i. */
void
ms_swap_table_invert(const guint16 *map, guint16 *inverse, guint work_group)
{
  for (guint i = 0; i < work_group; i++)
    inverse[map[i]] = (guint16)i;
}

/** ms_swap_divergent_warps: warps of a group whose items take more than one branch. */
guint
ms_swap_divergent_warps(const guint16 *map, guint work_group, guint warp, MsSwapOutcome outcome)
{
  guint divergent = 0;

  for (guint first = 0; first < work_group; first += warp) {
    gboolean differs = FALSE;
    for (guint i = first; i < MIN(first + warp, work_group); i++)
      differs |= outcome(map[i]) != outcome(map[first]);
    divergent += differs;
  }
  return divergent;
}
