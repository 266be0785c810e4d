/* SPDX-License-Identifier: MIT */
/*
 * Which pixels are filtered, and where they converge. Where HAS_MARKS is 1, only pixels with a 1 in the mask are
 * filtered; the others keep their colour in the result. The mask has a byte for each pixel of the rows that the source
 * holds, from image.z on, and 64 more, so that whole vectors can be read at its end. Where HAS_MODES is 1, the mode of
 * each pixel, the position at which it converges, is stored beside its colour: column and row in 16 bits each.
 */
#define MARKS_PARAM JOIN_NAMES(MARKS_PARAM_, HAS_MARKS)
#define MARKS_PARAM_0
#define MARKS_PARAM_1 , __global const uchar *mask
#define MARKS_OF JOIN_NAMES(MARKS_OF_, HAS_MARKS)
#define MARKS_OF_0(image) {0, 0, 0}
#define MARKS_OF_1(image) {mask, (image).x, (image).z}

#define MODES_PARAM JOIN_NAMES(MODES_PARAM_, HAS_MODES)
#define MODES_PARAM_0
#define MODES_PARAM_1 , __global ushort2 *modes
#define STORE_MODE JOIN_NAMES(STORE_MODE_, HAS_MODES)
#define STORE_MODE_0(index, x, y)
#define STORE_MODE_1(index, x, y) modes[index] = (ushort2)((ushort)(x), (ushort)(y))

typedef struct {
  __global const uchar *mask;
  int width;
  int first;
} marks_t;

static inline __global const uchar *
mark_of(const marks_t marks, const int x, const int y)
{
  return marks.mask + ((size_t)(y - marks.first) * (size_t)marks.width + (size_t)x);
}

static inline bool
is_marked(const marks_t marks, const int x, const int y)
{
  if (!HAS_MARKS)
    return true;
  return *mark_of(marks, x, y) != 0;
}

/* Eight pixels from (x, y) on: -1 for those that are filtered, 0 for the others. */
static inline int8
marked_eight(const marks_t marks, const int x, const int y)
{
  if (!HAS_MARKS)
    return -1;
  return -convert_int8(vload8(0, mark_of(marks, x, y)));
}

/* How many of the `n` pixels from (x, y) on are filtered; `n` is a multiple of 8. */
static inline int
count_marked(const marks_t marks, const int x, const int y, const int n)
{
  __global const uchar *row = mark_of(marks, x, y);
  int count = 0;

  if (!HAS_MARKS)
    return n;
  for (int i = 0; i < n; i += 8)
    count += (int)(as_ulong(vload8(0, row + i)) * 0x0101010101010101ul >> 56);
  return count;
}
