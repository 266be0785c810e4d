/* SPDX-License-Identifier: MIT */
/* Never merges pixels: for small windows, which cost no more than searching for an equal state. Twin of alike-on.cl. */
typedef struct {
  int unused;
} alike_t;

static inline void
forget_all(alike_t *alike)
{
}

static inline int
find_alike(alike_t *alike, const ulong *waiting, const int count, const ulong entry)
{
  return count;
}

static inline void
join_alike(alike_t *alike, const ulong entry, const ulong other, const int joins)
{
}

static inline void
take_colours(const alike_t *alike, uint *colours)
{
}
