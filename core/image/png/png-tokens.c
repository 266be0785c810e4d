/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-tokens.h"

#include <string.h>

/* Bytes that are compared at once. */
#define WORD 8

static inline guint64
load(const guint8 *bytes)
{
  guint64 word;

  memcpy(&word, bytes, sizeof word);
  return GUINT64_FROM_LE(word);
}

/* The highest bit of each byte of @word that is zero. */
static inline guint64
zero_bytes(guint64 word)
{
  const guint64 low = G_GUINT64_CONSTANT(0x7f7f7f7f7f7f7f7f);

  return ~(((word & low) + low) | word | low);
}

/* How many bytes come before the first that is not zero. */
static inline guint
leading_zeros(guint64 word)
{
  return word == 0 ? WORD : (guint)__builtin_ctzll(word) / 8;
}

/* How many bytes come before the first four that are zero; WORD where no four follow each other. */
static inline guint
before_four_zeros(guint64 word)
{
  guint64 zeros = zero_bytes(word), pairs = zeros & zeros >> 8;

  return leading_zeros(pairs & pairs >> 16);
}

/* The length of the run that begins at @at with a byte that equals the one before it. */
static inline gsize
measure_run(const guint8 *data, gsize at, gsize n)
{
  gsize end = MIN(n, at + MS_PNG_LONGEST_RUN), i = at;

  while (i + 8 <= end && load(data + i) == load(data + i - 1))
    i += 8;
  while (i < end && data[i] == data[i - 1])
    i++;
  return i - at;
}

static inline void
add_token(MsPngTokens *self, guint token)
{
  self->counts[0][token]++;
  self->tokens[self->n++] = (guint16)token;
}

static inline void
add_literals(MsPngTokens *self, const guint8 *data, guint n)
{
  for (guint i = 0; i < n; i++) {
    self->counts[i % MS_PNG_N_COUNTS][data[i]]++;
    self->tokens[self->n + i] = data[i];
  }
  self->n += n;
}

/* Adds the run that begins at @at, and returns the byte behind it. */
static inline gsize
add_run(MsPngTokens *self, const guint8 *data, gsize at, gsize n)
{
  gsize length = measure_run(data, at, n);

  add_token(self, MS_PNG_TOKEN_RUN + (guint)length - MS_PNG_SHORTEST_RUN);
  return at + length;
}

/**
 * ms_png_tokens_find:
 * @n: 1 to %MS_PNG_BLOCK_SIZE
 * @least: of fewer than eight bytes, runs of four and more are taken for both
 *
 * Bytes are compared eight at a time with those before them. All runs of eight bytes or more are found; shorter ones
 * where @least asks for them, or where they reach into the next eight bytes.
 */
void
ms_png_tokens_find(MsPngTokens *self, const guint8 *data, gsize n, const MsPngLeastRuns *least)
{
  gboolean takes_short = least->of_zeros < WORD;
  /* How many of the bytes before @i equal the one before them. */
  guint equal = 0;
  gsize i = 1;

  memset(self->counts, 0, sizeof self->counts);
  self->n = 0;
  add_token(self, data[0]);
  while (i + WORD <= n) {
    guint64 other = load(data + i) ^ load(data + i - 1);
    guint before;
    if (equal + leading_zeros(other) >= (data[i - 1] == 0 ? least->of_zeros : least->of_others)) {
      /* The literals that belong to the run are taken back. */
      i -= equal;
      self->n -= equal;
      self->counts[0][data[i]] -= equal;
      i = add_run(self, data, i, n);
      equal = 0;
    } else if (takes_short && (before = before_four_zeros(other)) < WORD) {
      add_literals(self, data + i, before);
      i = add_run(self, data, i + before, n);
      equal = 0;
    } else {
      add_literals(self, data + i, WORD);
      i += WORD;
      equal = other == 0 ? equal + WORD : (guint)__builtin_clzll(other) / 8;
    }
  }
  add_literals(self, data + i, (guint)(n - i));
  add_token(self, MS_PNG_TOKEN_END);
  for (gsize j = 0; j < MS_PNG_EMPTY_TOKENS; j++)
    self->tokens[self->n + j] = MS_PNG_TOKEN_EMPTY;
}
