/* SPDX-License-Identifier: MIT */
/* Every pixel of the band is filtered. Twin of marks-on.cl. */
#define MARKS_PARAM
#define MARKS_OF(image) {0}
#define HAS_MARKS 0

typedef struct {
  int unused;
} marks_t;

static inline bool
is_marked(const marks_t marks, const int x, const int y)
{
  return true;
}

/* Eight pixels from (x, y) on: -1 for those that are filtered, 0 for the others. */
static inline int8
marked_eight(const marks_t marks, const int x, const int y)
{
  return -1;
}

/* How many of the `n` pixels from (x, y) on are filtered; `n` is a multiple of 8. */
static inline int
count_marked(const marks_t marks, const int x, const int y, const int n)
{
  return n;
}
