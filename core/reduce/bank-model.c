/* SPDX-License-Identifier: MIT */
#include "core/reduce/bank-model.h"

/* Local memory as [MM] describes it: banks of 32 bits, which serve 16 work-items at a time, one access a cycle. */
#define BANKS 32
#define BANK_BYTES 4
#define TOGETHER 16
#define IDLE (-1)

/**
 * Model: the accesses of one group.
 * @slots: slot of local memory that each work-item accesses, or IDLE
 * @slot_bytes: bytes of a partial; @access_bytes: bytes of one access to it
 */
typedef struct {
  const MsReducePlan *plan;
  MsBankCounts counts;
  gsize slot_bytes;
  gsize access_bytes;
  int slots[1024];
} Model;

/* The most accesses to one bank by 16 work-items that access their slots at @offset. */
static guint
count_cycles(const Model *self, guint first, gsize offset)
{
  guint hits[BANKS] = {0}, most = 0;

  for (guint i = first; i < MIN(first + TOGETHER, self->plan->group); i++) {
    if (self->slots[i] == IDLE)
      continue;
    gsize bank = ((gsize)self->slots[i] * self->slot_bytes + offset) / BANK_BYTES % BANKS;
    hits[bank]++;
    most = MAX(most, hits[bank]);
  }
  return most;
}

/* Each work-item reads or writes its slot. */
static void
count_accesses(Model *self)
{
  for (guint first = 0; first < self->plan->group; first += TOGETHER)
    for (gsize offset = 0; offset < self->slot_bytes; offset += self->access_bytes) {
      guint cycles = count_cycles(self, first, offset);
      self->counts.cycles += cycles;
      self->counts.conflicts += cycles > 0 ? cycles - 1 : 0;
    }
}

/* The work-items from @first to @end access the slots from @slot on. */
static void
count_neighbours(Model *self, guint first, guint end, guint slot)
{
  for (guint i = 0; i < self->plan->group; i++)
    self->slots[i] = i >= first && i < end ? (int)(slot + i - first) : IDLE;
  count_accesses(self);
}

/* One level of level-registers.cl or level-shared.cl. */
static void
count_level(Model *self, guint s, guint ways)
{
  gboolean saving = self->plan->options.bank_conflict_saving;
  guint offset = saving && ways * s == self->plan->group ? s : 0;

  if (saving)
    count_neighbours(self, s, ways * s, s - offset);
  for (guint k = 1; k < ways; k++)
    count_neighbours(self, 0, s, k * s - offset);
  if (!saving)
    count_neighbours(self, 0, s, 0);
}

static void
count_neighbours_tree(Model *self)
{
  guint most = self->plan->options.tree == MS_REDUCE_TREE_FOUR_WAY ? 4 : 2, active = self->plan->group;

  if (!self->plan->options.bank_conflict_saving)
    count_neighbours(self, 0, active, 0);
  while (active > 1) {
    guint ways = active > 2 ? most : 2;
    active /= ways;
    count_level(self, active, ways);
  }
}

/* The interleaved tree, plain or swapped: the slots of the active work-items, or of their partners at distance @s. */
static void
count_interleaved(Model *self, const guint16 *map, guint s, gboolean partner)
{
  gboolean refined = self->plan->options.swap == MS_SWAP_REFINED;
  const guint16 *place_of = map + self->plan->group;

  for (guint i = 0; i < self->plan->group; i++) {
    guint work = map[i] + (partner ? s : 0);
    self->slots[i] = map[i] % (2 * s) != 0 ? IDLE : refined ? place_of[work] : (int)work;
  }
  count_accesses(self);
}

static void
count_interleaved_tree(Model *self)
{
  g_autofree guint16 *map = g_new(guint16, 2 * self->plan->group);

  ms_reduce_plan_fill_map(self->plan, map);
  for (guint i = 0; i < self->plan->group; i++)
    self->slots[i] = self->plan->options.swap == MS_SWAP_REFINED ? (int)i : map[i];
  count_accesses(self);
  for (guint s = 1; s < self->plan->group; s *= 2) {
    count_interleaved(self, map, s, FALSE);
    count_interleaved(self, map, s, TRUE);
    count_interleaved(self, map, s, FALSE);
  }
}

/**
 * ms_bank_model_count:
 *
 * Counts the accesses of the tree of one group as its kernel parts make them, work-item by work-item. A vector is
 * accessed word by word, a value narrower than a bank by itself. Levels of a tree that sub-groups fold by shuffles or
 * reductions count as if they were in local memory.
 */
MsBankCounts
ms_bank_model_count(const MsReducePlan *plan)
{
  Model model = {.plan = plan, .slot_bytes = plan->partial_bytes};
  gsize value =
    ms_element_type_size(plan->value_type) * (plan->options.vector_partials ? (gsize)plan->options.vector : 1);

  model.access_bytes = plan->selects ? MIN(value, BANK_BYTES) : BANK_BYTES;
  if (plan->options.tree == MS_REDUCE_TREE_NAIVE)
    count_interleaved_tree(&model);
  else
    count_neighbours_tree(&model);
  return model.counts;
}
