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

/*
 * Links of LANES pixels at a time, all of whose neighbours exist: on a processor sixteen, in vectors, on other devices
 * one.
 */

/* Vectors at any address; PoCL 3.1 loads and stores some in many parts by vload16() and vstore16(). */
typedef struct __attribute__((packed)) {
  uint16 lanes;
} words_t;
typedef struct __attribute__((packed)) {
  uchar16 lanes;
} bytes_t;

#define WORDS_AT(at) (((__global const words_t *)(at))->lanes)
#define BYTES_AT(at) (((__global const bytes_t *)(at))->lanes)

typedef struct {
  int16 channels[3];
  int16 mode[2];
} lanes_t;

static inline lanes_t
load_lanes(__global const uint *colours, __global const uint *modes, const uint at)
{
  const int16 colour = as_int16(WORDS_AT(colours + at)), mode = as_int16(WORDS_AT(modes + at));

  return (lanes_t){{colour & 255, colour >> 8 & 255, colour >> 16 & 255}, {mode & 0xffff, mode >> 16 & 0xffff}};
}

/* -1 where the two are close. */
static inline int16
lanes_close(const lanes_t a, const lanes_t b, const int4 image)
{
  const int16 d0 = a.channels[0] - b.channels[0], d1 = a.channels[1] - b.channels[1],
              d2 = a.channels[2] - b.channels[2], m0 = a.mode[0] - b.mode[0], m1 = a.mode[1] - b.mode[1];

  return (d0 * d0 + d1 * d1 + d2 * d2 <= image.w) & (max(m0, -m0) <= image.z) & (max(m1, -m1) <= image.z);
}

static inline void
link_lanes(__global const uint *colours, __global const uint *modes, __global uchar *links, const uint at,
           const int4 image)
{
  if (LANES == 1) {
    links[at] = links_of(colours, modes, at, 1, image);
    return;
  }

  const uint above = at - (uint)image.x;
  const lanes_t own = load_lanes(colours, modes, at);
  const int16 found = (lanes_close(own, load_lanes(colours, modes, at - 1), image) & LEFT) |
                      (lanes_close(own, load_lanes(colours, modes, above - 1), image) & ABOVE_LEFT) |
                      (lanes_close(own, load_lanes(colours, modes, above), image) & ABOVE) |
                      (lanes_close(own, load_lanes(colours, modes, above + 1), image) & ABOVE_RIGHT);

  ((__global bytes_t *)(links + at))->lanes = convert_uchar16(found);
}

/* touching_of() of LANES pixels, all of whose neighbours exist; false where there is no pair. Not called for one. */
static inline bool
touching_lanes(__global const uint *labels, const int width, uchar *found)
{
  if (LANES == 1)
    return false;

  const uint16 own = WORDS_AT(labels), left = WORDS_AT(labels - 1), up = WORDS_AT(labels - width),
               up_left = WORDS_AT(labels - width - 1), up_right = WORDS_AT(labels - width + 1);
  const int16 by_left = own != left, by_up = own != up, by_corner = own != up_right, up_step = up != up_left;

  if (!any(by_left | by_up | by_corner | up_step))
    return false;

  const uint16 right = WORDS_AT(labels + 1);
  const int16 links = (by_left & (by_up | (left != up_left)) & LEFT) | (by_up & (by_left | up_step) & ABOVE) |
                      (by_left & by_up & up_step & (own != up_left) & (left != up_left) & ABOVE_LEFT) |
                      (by_up & by_corner & (own != right) & (up_right != right) & (up_right != up) & ABOVE_RIGHT);

  ((bytes_t *)found)->lanes = convert_uchar16(links);
  return any(links != 0);
}
