/* SPDX-License-Identifier: MIT */
/*
 * A level of the tree within one sub-group: each work-item takes the partial of its partner, word by word, from the
 * partner's registers. The results of work-items from `s` on are not used.
 */
static bool
shuffle_level(acc_t *mine, const uint s)
{
  const uint last = get_sub_group_size() - 1, partner = min(get_sub_group_local_id() + s, last);
  ulong words[WORDS];
  acc_t other;

  if (2 * s > sub_group_width())
    return false;
  acc_put(mine, words);
  for (int k = 0; k < WORDS; k++)
    words[k] = sub_group_shuffle(words[k], partner);
  acc_get(&other, words);
  acc_merge(mine, &other);
  return true;
}
