/* SPDX-License-Identifier: MIT */
/*
 * The group stages its own TILE_WIDTH x TILE_HEIGHT pixels; the window's other pixels are read from the source. A step
 * is read from the tile when all of its pixels lie there. The tile is an argument, because some runtimes share one
 * __local array of a kernel among all threads when the compiler finds an access at a constant index.
 */
#define WINDOW_PARAM SOURCE_PARAM, const int4 image, __local const uchar4 *tile, const int2 origin
#define WINDOW_ARG source, image, tile, origin
#define WINDOW_KERNEL_PARAM , __local uchar4 *tile
#define WINDOW_DECLARE                                                                                                 \
  const int2 origin = (int2)(band.x + (int)get_group_id(0) * TILE_WIDTH, band.y + (int)get_group_id(1) * TILE_HEIGHT);
#define WINDOW_STAGE                                                                                                   \
  tile[get_local_id(1) * TILE_WIDTH + get_local_id(0)] =                                                               \
    source_pixel(source, image, min(origin.x + (int)get_local_id(0), image.x - 1),                                     \
                 min(origin.y + (int)get_local_id(1), image.z + image.w - 1));                                         \
  barrier(CLK_LOCAL_MEM_FENCE);

static inline int
in_tile(const int2 origin, const int x, const int y, const int count)
{
  return x >= origin.x && x + count <= origin.x + TILE_WIDTH && y >= origin.y && y < origin.y + TILE_HEIGHT;
}

static inline __local const uchar4 *
tile_at(__local const uchar4 *tile, const int2 origin, const int x, const int y)
{
  return tile + (y - origin.y) * TILE_WIDTH + (x - origin.x);
}

static inline void
add_window_pixel(WINDOW_PARAM, const int x, const int y, const int dx, const int dy, const int4 c, const int isr2,
                 sums_t *sums)
{
  if (in_tile(origin, x, y, 1))
    add_pixel(sums, *tile_at(tile, origin, x, y), c, isr2, dx, dy);
  else
    add_pixel(sums, source_pixel(source, image, x, y), c, isr2, dx, dy);
}

static inline void
add_window_step(WINDOW_PARAM, const int x, const int y, const int x0, const int dy, const int4 c, const int isr2,
                sums_t *sums)
{
  if (in_tile(origin, x, y, UNROLL))
    add_step_tile(tile_at(tile, origin, x, y), x - x0, dy, c, isr2, sums);
  else
    add_step_source(source, image, x, y, x0, dy, c, isr2, sums);
}
