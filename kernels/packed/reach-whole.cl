/* SPDX-License-Identifier: MIT */
/* Windows of a whole radius reach SP pixels to all sides. Twin of reach-half.cl. */
static inline bool
starts_late(const int at)
{
  return false;
}

static inline bool
ends_early(const int at)
{
  return false;
}
