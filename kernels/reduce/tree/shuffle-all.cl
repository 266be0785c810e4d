/* SPDX-License-Identifier: MIT */
/*
 * A sub-group's tree by shuffles, word by word, for sub-groups of any size. Every work-item takes part in every
 * shuffle; those without a partner take the last work-item's words and do not use them.
 */
static void
sub_group_fold(acc_t *mine)
{
  const uint size = get_sub_group_size(), item = get_sub_group_local_id();

#pragma unroll
  for (uint s = GROUP / 2; s > 0; s /= 2) {
    ulong words[WORDS];
    acc_t other;
    acc_put(mine, words);
    for (int k = 0; k < WORDS; k++)
      words[k] = sub_group_shuffle(words[k], min(item + s, size - 1));
    acc_get(&other, words);
    if (item + s < size)
      acc_merge(mine, &other);
  }
}
