/* SPDX-License-Identifier: MIT */
/* Looks at one pixel at a time. Twin of links-lanes.cl. */
#define LANES 1

static inline void
link_lanes(__global const uint *colours, __global const uint *modes, __global uchar *links, const uint at,
           const int4 image)
{
  links[at] = links_of(colours, modes, at, 1, image);
}

/* Is not called for one pixel; see touching.cl. */
static inline bool
touching_lanes(__global const uint *labels, const int width, uchar *found)
{
  return false;
}
