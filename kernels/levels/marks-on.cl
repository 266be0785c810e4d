/* SPDX-License-Identifier: MIT */
/*
 * Only pixels with a 1 in the mask are filtered; the others keep their colour in the result. The mask has a byte for
 * each pixel of the rows that the source holds, from image.z on, and 64 more, so that whole vectors can be read at its
 * end. Twin of marks-off.cl.
 */
#define MARKS_PARAM , __global const uchar *mask
#define MARKS_OF(image) {mask, (image).x, (image).z}
#define HAS_MARKS 1

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
  return *mark_of(marks, x, y) != 0;
}

static inline int8
marked_eight(const marks_t marks, const int x, const int y)
{
  return -convert_int8(vload8(0, mark_of(marks, x, y)));
}

static inline int
count_marked(const marks_t marks, const int x, const int y, const int n)
{
  __global const uchar *row = mark_of(marks, x, y);
  int count = 0;

  for (int i = 0; i < n; i += 8)
    count += (int)(as_ulong(vload8(0, row + i)) * 0x0101010101010101ul >> 56);
  return count;
}
