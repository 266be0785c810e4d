/* SPDX-License-Identifier: MIT */
/*
 * One extreme: PICK is LESSER or GREATER, END the far end of the type, which every lane starts from, and EACH_EXTREME
 * is EACH_LOW or EACH_HIGH.
 */
#define WORDS 1
#define EACH_LOW(a, LOW, HIGH) LOW(0, (a)->value)
#define EACH_HIGH(a, LOW, HIGH) HIGH(0, (a)->value)

typedef struct {
  vec_t value;
} lanes_t;

typedef struct {
  ELEM value;
} acc_t;

static void
lanes_begin(lanes_t *lanes)
{
  lanes->value = (vec_t)((ELEM)END);
}

static void
lanes_fold(lanes_t *lanes, const vec_t v, const int at, const ELEM centre)
{
  lanes->value = PICK(v, lanes->value);
}

static void
acc_begin(acc_t *acc)
{
  acc->value = (ELEM)END;
}

static void
acc_merge(acc_t *a, const acc_t *b)
{
  a->value = PICK(b->value, a->value);
}

static void
acc_add(acc_t *acc, const ELEM x, const int at, const ELEM centre)
{
  acc->value = PICK(x, acc->value);
}

static void
lanes_merge(lanes_t *a, const lanes_t *b)
{
  a->value = PICK(b->value, a->value);
}

static void
lanes_take(lanes_t *lanes, const acc_t *acc)
{
  lanes->value = PICK((vec_t)(acc->value), lanes->value);
}

#define TAKE_LANE(lane, number) \
  all->value = PICK(lanes->value lane, all->value);

static void
lanes_end(const lanes_t *lanes, acc_t *all)
{
  acc_begin(all);
  EACH_LANE(TAKE_LANE)
}

static void
acc_put(const acc_t *acc, ulong *words)
{
  words[0] = TO_WORD(acc->value);
}

static void
acc_get(acc_t *acc, const ulong *words)
{
  acc->value = FROM_WORD(ELEM, words[0]);
}
