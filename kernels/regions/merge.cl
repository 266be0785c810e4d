/* SPDX-License-Identifier: MIT */
/*
 * Merges small regions by the rule of core/regions/segmentation.h, with the result of the serial order.
 *
 * The rule takes regions in the order of (pixels, label), and a region that is joined has more pixels than the one that
 * joins it, so all regions of one size act before any that has grown, in the order of their labels. A work-group takes
 * the next members at once, up to GROUP of them. Each member decides from the decisions of the previous round of the
 * members before it: which neighbours have joined another region, and which pixels regions have gained. Rounds are
 * repeated until no decision changes. The decision of the first member is final in the first round, and that of every
 * other one at the latest in the round after all before it are final, so the rounds end with the serial result.
 *
 * roots[label]: the label itself, or a region that it was merged into. See regions.cl for the other arrays.
 */

/* Entries of the list of waiting regions that a work-item takes at once. */
#define ENTRIES 4

/* Members of a chunk; each adds up those before it in its chunk that join the same region. */
#define CHUNK 32

/* A distance << LABEL_BITS | label, so that of two the smaller one is nearer or has the smaller label. */
#define LABEL_BITS 30
#define NO_NEIGHBOUR ULONG_MAX

#define NONE_CHANGED UINT_MAX

/*
 * The regions of the current size, as members 0, 1, ... in the order of labels, each with @lanes work-items.
 * targets: the region that each joins in this round; 0 for none
 * sums: of each one's colours
 * joined: of the members of the chunk up to this one that join the same region, the sum of colours and the number
 * before: the member before it in its chunk that joins the same region, counted from 1; 0 where there is none
 * heads, next: by the target's label, chains of the last members of each chunk that join it, counted from 1
 * nearest: of each work-item
 * changed: the first member whose decision changed in a round, by whether the round is odd; NONE_CHANGED if none did
 */
typedef struct {
  uint n;
  uint lanes;
  uint targets[GROUP];
  ushort4 sums[GROUP];
  uint4 joined[GROUP];
  ushort before[GROUP];
  ushort next[GROUP];
  uint heads[GROUP];
  ulong nearest[GROUP];
  uint changed[2];
} Batch;

/* Sums of the values of the work-items before this one; @total gets that of all. */
static inline uint
sum_before(__local uint *sums, const uint value, uint *total)
{
  const uint self = (uint)get_local_id(0);
  uint sum = value;

  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  sums[self] = value;
  for (uint step = 1; step < GROUP; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint add = self >= step ? sums[self - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += add;
    sums[self] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *total = sums[GROUP - 1];
  return sum - value;
}

/*
 * Keeps in @waiting the roots that are too small, and lists those of @size pixels in @turn; both stay in order. Regions
 * without a neighbour have fewer pixels than @size once their size has been processed, and are dropped. Returns the
 * length of @turn.
 */
static inline uint
choose_turn(__global const uint *roots, __global const uint *sizes, __global uint *waiting, __global uint *turn,
            __global uint *state, __local uint *sums, const int4 merging)
{
  const uint n = state[0], size = (uint)merging.z;
  uint kept = 0, taken = 0;

  for (uint start = 0; start < n; start += GROUP * ENTRIES) {
    const uint from = start + (uint)get_local_id(0) * ENTRIES, end = min(from + ENTRIES, n);
    uint labels[ENTRIES], counts[2] = {0, 0}, totals;

    for (uint i = from; i < end; i++) {
      const uint label = waiting[i], pixels = sizes[label];
      const bool stays = roots[label] == label && pixels >= size && pixels < (uint)merging.y;

      labels[i - from] = stays ? label : 0;
      counts[0] += stays ? 1u : 0u;
      counts[1] += stays && pixels == size ? 1u : 0u;
    }

    const uint before = sum_before(sums, counts[1] << 16 | counts[0], &totals);
    uint keep = kept + (before & 0xffff), take = taken + (before >> 16);
    for (uint i = from; i < end; i++) {
      const uint label = labels[i - from];

      if (label == 0)
        continue;
      waiting[keep++] = label;
      if (sizes[label] == size)
        turn[take++] = label;
    }
    kept += totals & 0xffff;
    taken += totals >> 16;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    state[0] = kept;
  return taken;
}

static inline uint
find_root(__global uint *roots, uint label)
{
  for (uint root = roots[label]; root != label; root = roots[label]) {
    const uint above = roots[root];

    roots[label] = above;
    label = above;
  }
  return label;
}

/* The member that is this region, counted from 1; 0 where none is. @turn: the labels of @n members, ascending */
static inline uint
find_member(__global const uint *turn, const uint n, const uint label)
{
  uint low = 0;

  for (uint step = TOP_STEP; step > 0; step /= 2)
    if (low + step < n && turn[low + step] <= label)
      low += step;
  return turn[low] == label ? low + 1 : 0;
}

/* The regions of the eight pixels around one; @own for those outside of the image. */
static inline void
find_around(__global const uint *labels, __global uint *roots, const uint own, const int at, const int4 image,
            uint around[8])
{
  const int x = at % image.x, y = at / image.x;

  for (int k = 0; k < 8; k++) {
    const int place = k < 4 ? k : k + 1, i = x + place % 3 - 1, j = y + place / 3 - 1;

    around[k] = i >= 0 && i < image.x && j >= 0 && j < image.y ? labels[j * image.x + i] : own;
  }
  /* One step for all eight at once, since most labels are roots or point to one. */
  for (int k = 0; k < 8; k++)
    around[k] = roots[around[k]];
  for (int k = 0; k < 8; k++)
    around[k] = find_root(roots, around[k]);
}

/*
 * Lists the neighbours that this work-item finds, some of them twice: its label, its member of the batch, and its means
 * in two words. Returns how many.
 */
static inline uint
list_neighbours(__global const uint *labels, __global const uint *next, __global uint *roots,
                __global const ushort4 *means, __global const uint *turn, __global uint4 *neighbours,
                __local const Batch *batch, const uint own, uint pixel, const int4 image, const uint size)
{
  const uint lane = (uint)get_local_id(0) % batch->lanes;
  uint n = 0, recent[4] = {own, own, own, own};

  for (uint turns = lane; pixel > 0; pixel = next[pixel - 1], turns++) {
    uint around[8];

    if (turns % batch->lanes != 0)
      continue;
    find_around(labels, roots, own, (int)pixel - 1, image, around);
    for (int k = 0; k < 8; k++) {
      const uint label = around[k];

      if (label == own || label == recent[0] || label == recent[1] || label == recent[2] || label == recent[3])
        continue;
      recent[3] = recent[2];
      recent[2] = recent[1];
      recent[1] = recent[0];
      recent[0] = label;

      const ushort4 mean = means[label];
      neighbours[n++ * GROUP] = (uint4)(label, mean.w == size ? find_member(turn, batch->n, label) : 0,
                                        (uint)mean.x | (uint)mean.y << 16, mean.z);
    }
  }
  return n;
}

static inline uint
bucket_of(const uint label)
{
  return label * 2654435769u % GROUP;
}

/* The sum of the colours of the members before @self that join the region @label, and in w how many they are. */
static inline uint4
joined_before(__local const Batch *batch, const uint label, const uint self)
{
  uint4 sum = (uint4)(0);

  for (uint last = batch->heads[bucket_of(label)]; last > 0; last = batch->next[last - 1]) {
    uint member = batch->targets[last - 1] == label ? last : 0;

    while (member > self && (member - 1) / CHUNK == self / CHUNK)
      member = batch->before[member - 1];
    if (member > 0 && member <= self)
      sum += batch->joined[member - 1];
  }
  return sum;
}

static inline ulong
distance_of(const ushort4 a, const ushort4 b)
{
  const uint x = abs_diff(a.x, b.x), y = abs_diff(a.y, b.y), z = abs_diff(a.z, b.z);

  return (ulong)(x * x) + (ulong)(y * y) + (ulong)(z * z);
}

/* The nearest of a work-item's neighbours, given the decisions of the last round of the members before its own. */
static inline ulong
find_nearest(__global const uint *sizes, __global const uint *sums, __global const ushort4 *means,
             __global const uint4 *neighbours, __local const Batch *batch, const uint n, const ushort4 own,
             const uint label, const uint size)
{
  const uint self = (uint)get_local_id(0) / batch->lanes;
  ulong nearest = NO_NEIGHBOUR;

  /* A region that others have joined has grown and is processed with its new size. */
  if (joined_before(batch, label, self).w > 0)
    return NO_NEIGHBOUR;
  for (uint i = 0; i < n; i++) {
    const uint4 neighbour = neighbours[i * GROUP];
    const uint target = neighbour.y > 0 && neighbour.y - 1 < self ? batch->targets[neighbour.y - 1] : 0;
    const uint other = target > 0 ? target : neighbour.x;
    const uint4 joined = joined_before(batch, other, self);
    ushort4 mean = (ushort4)((ushort)neighbour.z, (ushort)(neighbour.z >> 16), (ushort)neighbour.w, 0);

    if (joined.w > 0)
      mean = means_with(sizes, sums, other, joined.w * size, joined.xyz);
    else if (target > 0)
      mean = means[other];
    nearest = min(nearest, distance_of(own, mean) << LABEL_BITS | other);
  }
  return nearest;
}

/* The least value of the work-items of each member; undefined for those beyond the last member. */
static inline ulong
least_of_lanes(__local Batch *batch, ulong nearest)
{
  const uint self = (uint)get_local_id(0);

  for (uint step = batch->lanes / 2; step > 0; step /= 2) {
    batch->nearest[self] = nearest;
    barrier(CLK_LOCAL_MEM_FENCE);
    nearest = min(nearest, batch->nearest[min(self ^ step, (uint)GROUP - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return nearest;
}

/* Adds up the members of the chunk that join the same region up to this one; the last of them is added to the chain. */
static inline void
enter_member(__local Batch *batch, const uint self, const uint target)
{
  const uint start = self / CHUNK * CHUNK, end = min(start + CHUNK, batch->n);
  uint4 sum = (uint4)(0);
  uint before = 0;
  bool is_last = true;

  for (uint i = start; i < end; i++)
    if (batch->targets[i] == target) {
      const ushort4 own = batch->sums[i];

      sum += i <= self ? (uint4)(own.x, own.y, own.z, 1) : (uint4)(0);
      before = i < self ? i + 1 : before;
      is_last = is_last && i <= self;
    }
  batch->joined[self] = sum;
  batch->before[self] = (ushort)before;
  if (is_last)
    batch->next[self] = (ushort)atomic_xchg(&batch->heads[bucket_of(target)], self + 1);
}

/*
 * Rounds of decisions until none changes; the region that this work-item's member joins, or 0. A decision is final once
 * no decision before it changed in a round, so only members after the first change decide again.
 */
static inline uint
decide_all(__global const uint *sizes, __global const uint *sums, __global const ushort4 *means,
           __global const uint4 *neighbours, __local Batch *batch, const uint n, const ushort4 own, const uint label,
           const uint size)
{
  const uint self = (uint)get_local_id(0), member = self / batch->lanes;
  const bool is_first = self % batch->lanes == 0 && member < batch->n;
  uint target = 0, changed = 0;

  for (uint round = 0; changed != NONE_CHANGED; round++) {
    const bool is_final = round > 0 && member <= changed;
    const ulong nearest =
      least_of_lanes(batch, n > 0 && !is_final
                              ? find_nearest(sizes, sums, means, neighbours, batch, n, own, label, size)
                              : NO_NEIGHBOUR);
    const bool has_nearest = member < batch->n && nearest != NO_NEIGHBOUR;
    const uint decision = is_final ? target : has_nearest ? (uint)nearest & ((1u << LABEL_BITS) - 1) : 0;

    barrier(CLK_LOCAL_MEM_FENCE);
    if (decision != target)
      atomic_min(&batch->changed[round % 2], member);
    target = decision;
    if (is_first)
      batch->targets[member] = target;
    batch->heads[self] = 0;
    if (self == 0)
      batch->changed[(round + 1) % 2] = NONE_CHANGED;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first && target > 0)
      enter_member(batch, member, target);
    barrier(CLK_LOCAL_MEM_FENCE);
    changed = batch->changed[round % 2];
  }
  return is_first ? target : 0;
}

/* Adds the pixels of @label to @target; several regions may join one at the same time. */
static inline void
join_region(__global uint *roots, __global uint *sizes, __global uint *sums, __global const ushort4 *means,
            __global uint *next, __global const uint *heads, volatile __global uint *tails, const uint label,
            const uint target, const ushort4 sum, const int4 merging)
{
  roots[label] = target;
  add_to_region(sizes, sums, target, (uint)merging.z, (uint3)(sum.x, sum.y, sum.z));
  if (means[target].w < (uint)merging.y)
    next[atomic_xchg(&tails[target], tails[label]) - 1] = heads[label];
}

/* Begins a batch of @n members; the fewer members, the more work-items for each. */
static inline void
begin_batch(__local Batch *batch, const uint n)
{
  const uint self = (uint)get_local_id(0);
  uint lanes = 1;

  while (2 * lanes * n <= GROUP && lanes < 32)
    lanes *= 2;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  batch->targets[self] = batch->heads[self] = 0;
  if (self == 0) {
    batch->n = n;
    batch->lanes = lanes;
    batch->changed[0] = NONE_CHANGED;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Merges the regions of merging.z pixels; run as one group for each size from 1 on. */
__attribute__((reqd_work_group_size(GROUP, 1, 1))) __kernel void
merge_size(__global const uint *labels, __global uint *next, __global uint *heads, __global uint *tails,
           __global uint *sizes, __global uint *sums, __global ushort4 *means, __global uint *roots,
           __global uint *waiting, __global uint *turn, __global uint4 *neighbours, __global uint *state,
           const int4 image, const int4 merging)
{
  __local Batch batch;
  const uint self = (uint)get_local_id(0), size = (uint)merging.z;
  const uint n_turn = choose_turn(roots, sizes, waiting, turn, state, batch.targets, merging);

  for (uint start = 0; start < n_turn; start += GROUP) {
    begin_batch(&batch, min(n_turn - start, (uint)GROUP));

    const uint member = self / batch.lanes, label = member < batch.n ? turn[start + member] : 0;
    /* Regions that others of this size have joined have grown. */
    const bool acts = label > 0 && sizes[label] == size;
    const ushort4 sum = acts ? convert_ushort4((uint4)(sums[label * 6], sums[label * 6 + 2], sums[label * 6 + 4], 0))
                             : (ushort4)(0);
    const uint n = acts ? list_neighbours(labels, next, roots, means, turn + start, neighbours + self, &batch, label,
                                          heads[label], image, size)
                        : 0;

    if (self % batch.lanes == 0 && label > 0)
      batch.sums[member] = sum;

    const uint target = decide_all(sizes, sums, means, neighbours + self, &batch, n,
                                   acts ? means[label] : (ushort4)(0), label, size);

    barrier(CLK_GLOBAL_MEM_FENCE);
    if (target > 0)
      join_region(roots, sizes, sums, means, next, heads, tails, label, target, sum, merging);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (target > 0)
      means[target] = means_with(sizes, sums, target, 0, (uint3)(0));
  }
}

/* Numbers the remaining regions in the order of their first pixels, which is the order of their labels. */
__attribute__((reqd_work_group_size(GROUP, 1, 1))) __kernel void
number_regions(__global uint *roots, volatile __global uint *firsts, __global uint *numbers, __global uint *state,
               const int4 image, const int4 merging)
{
  __local uint sums[GROUP];
  const uint n = (uint)merging.x;
  uint count = 0, total;

  for (uint label = (uint)get_local_id(0) + 1; label <= n; label += GROUP)
    atomic_min(&firsts[find_root(roots, label)], label);
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint start = 1; start <= n; start += GROUP) {
    const uint label = start + (uint)get_local_id(0);
    const bool is_first = label <= n && firsts[find_root(roots, label)] == label;
    const uint before = sum_before(sums, is_first ? 1 : 0, &total);

    if (is_first)
      numbers[label] = count + before + 1;
    count += total;
  }
  if (get_local_id(0) == 0)
    state[1] = count;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint label = (uint)get_local_id(0) + 1; label <= n; label += GROUP) {
    const uint first = firsts[find_root(roots, label)];

    if (first != label)
      numbers[label] = numbers[first];
  }
}

__kernel void
renumber_labels(__global uint *labels, __global const uint *numbers, const int4 image, const int4 merging)
{
  const int n = image.x * image.y, start = (int)get_global_id(0) * SPAN, end = min(start + SPAN, n);

  for (int i = start; i < end; i++)
    labels[i] = numbers[labels[i]];
}
