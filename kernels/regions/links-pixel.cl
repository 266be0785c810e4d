/* SPDX-License-Identifier: MIT */
/*
 * Which neighbours a pixel is close to, in bits of a byte; see core/regions/regions.h. None of them is bit 0, because
 * Oclgrind 21.10 computes 255 instead of 1 for (a == b) & 1 with vectors.
 */
#define LEFT 2
#define ABOVE_LEFT 4
#define ABOVE 8
#define ABOVE_RIGHT 16

/* Which of a mode's numbers is the column does not matter. */
static inline bool
are_close(__global const uint *colours, __global const uint *modes, const uint a, const uint b, const int4 image)
{
  const int4 d = convert_int4(as_uchar4(colours[a])) - convert_int4(as_uchar4(colours[b]));
  const int2 m = convert_int2(as_ushort2(modes[a])) - convert_int2(as_ushort2(modes[b]));

  return abs(m.x) <= (uint)image.z && abs(m.y) <= (uint)image.z && d.x * d.x + d.y * d.y + d.z * d.z <= image.w;
}

static inline uchar
links_of(__global const uint *colours, __global const uint *modes, const uint at, const int x, const int4 image)
{
  const uint width = (uint)image.x;
  uchar links = 0;

  if (x > 0 && are_close(colours, modes, at, at - 1, image))
    links |= LEFT;
  if (at < width)
    return links;
  if (x > 0 && are_close(colours, modes, at, at - width - 1, image))
    links |= ABOVE_LEFT;
  if (are_close(colours, modes, at, at - width, image))
    links |= ABOVE;
  if (x + 1 < image.x && are_close(colours, modes, at, at - width + 1, image))
    links |= ABOVE_RIGHT;
  return links;
}
