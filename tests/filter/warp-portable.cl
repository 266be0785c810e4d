/* SPDX-License-Identifier: MIT */
/*
 * Stands in for kernels/matrix/warp-nvidia.cl where a device has no matrix units: warp operations and matrix products
 * in plain OpenCL C. A work-group is one warp, synchronised by barriers, and filters 8 x 8 pixels. Lanes exchange
 * values through `scratch`; all of them must call each function together.
 */
#undef BLOCK
#undef WARPS
#define BLOCK 8
#define WARPS 1
#define SCRATCH_WORDS 832

static inline uint
lane_id(void)
{
  return (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));
}

/* The number of this warp: the group has one. */
static inline uint
warp_number(const uint number)
{
  return number;
}

/* Makes all lanes' writes to local memory visible to all lanes. */
static inline void
warp_fence(void)
{
  barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void
publish(__local uint *scratch, const uint first, const uint second)
{
  warp_fence();
  scratch[lane_id()] = first;
  scratch[32 + lane_id()] = second;
  warp_fence();
}

static inline uint2
warp_from_lane(__local uint *scratch, const uint2 value, const uint lane)
{
  publish(scratch, value.x, value.y);
  return (uint2)(scratch[lane], scratch[32 + lane]);
}

/* The least x and y of all lanes, and the largest. */
static inline uint4
warp_bounds(__local uint *scratch, const uint x, const uint y)
{
  uint4 result = (uint4)(x, y, x, y);

  publish(scratch, x, y);
#pragma unroll 1
  for (uint i = 0; i < 32; i++) {
    result.xy = min(result.xy, (uint2)(scratch[i], scratch[32 + i]));
    result.zw = max(result.zw, (uint2)(scratch[i], scratch[32 + i]));
  }
  return result;
}

/*
 * Bytes of `low` (0 to 3) and `high` (4 to 7) selected by the four nibbles of `pick`; bit 3 of a nibble replicates the
 * byte's sign.
 */
static inline uint
permute(const uint low, const uint high, const uint pick)
{
  uint result = 0;

#pragma unroll 1
  for (uint i = 0; i < 4; i++) {
    const uint nibble = pick >> (4 * i) & 15u;
    const uint byte = (nibble & 4u ? high : low) >> (8 * (nibble & 3u)) & 255u;
    const uint spread = byte & 128u ? 255u : 0u;

    result |= (nibble & 8u ? spread : byte) << (8 * i);
  }
  return result;
}

static inline float
half_value(const uint bits)
{
  const uint magnitude = bits & 0x7fffu;
  const float value = magnitude < 1024u ? (float)magnitude / 16777216.0f : as_float((magnitude << 13) + (112u << 23));

  return bits & 0x8000u ? -value : value;
}

/* Only for values that a half holds exactly. */
static inline uint
half_bits(const float value)
{
  const uint bits = as_uint(value), sign = bits >> 16 & 0x8000u;
  const float magnitude = fabs(value);

  if (magnitude < 1.0f / 16384.0f)
    return sign | (uint)(magnitude * 16777216.0f);
  return sign | ((bits & 0x7fffffffu) - (112u << 23)) >> 13;
}

/* Pairs of halves, each in a word. */
static inline uint
half2_fma(const uint a, const uint b, const uint c)
{
  const float low = half_value(a & 0xffffu) * half_value(b & 0xffffu) + half_value(c & 0xffffu);
  const float high = half_value(a >> 16) * half_value(b >> 16) + half_value(c >> 16);

  return half_bits(low) | half_bits(high) << 16;
}

static inline uint
half2_add(const uint a, const uint b)
{
  return half2_fma(a, 0x3c003c00u, b);
}

/* max(0, |a - b| * scale + bias) in both halves */
static inline uint
half2_beyond(const uint a, const uint b, const uint scale, const uint bias)
{
  const uint apart = half2_fma(b, 0xbc00bc00u, a) & 0x7fff7fffu;
  const uint result = half2_fma(apart, scale, bias);

  return (result & 0x8000u ? 0u : result & 0xffffu) | (result & 0x80000000u ? 0u : result & 0xffff0000u);
}

/* A shift by 32 or more gives 0. */
static inline uint
shift_left(const uint value, const uint by)
{
  return by < 32 ? value << by : 0u;
}

/* The pair of halves that each lane holds, as numbers 2 * lane and 2 * lane + 1. */
static inline void
put_pair(__local float *numbers, const uint pair)
{
  numbers[2 * lane_id()] = half_value(pair & 0xffffu);
  numbers[2 * lane_id() + 1] = half_value(pair >> 16);
}

/* A row of 8 centres' factors times a row of 8 samples' numbers. */
static inline float
dot_8(__local const float *a, __local const float *b)
{
  float sum = 0.0f;

#pragma unroll 1
  for (uint k = 0; k < 8; k++)
    sum += a[k] * b[k];
  return sum;
}

/*
 * Byte `byte` of mask word `word` is -1 where a distance is within the limit: rows above or below (`word` / 2), the
 * first or second eight centres (`word` % 2), even and odd columns in turn.
 */
static inline uint
mask_word(__local const float *numbers, const uint word, const uint even, const uint odd)
{
  __local const float *factors = numbers + word % 2 * 64 + lane_id() / 4 * 8, *samples = numbers + 256 + word / 2 * 128;
  __local const float *band = numbers + 512 + word / 2 * 64;
  uint mask = 0;

#pragma unroll 1
  for (uint byte = 0; byte < 4; byte++) {
    const uint column = 8 * (2 * (lane_id() & 3u) + byte / 2), start = (byte % 2 ? odd : even) >> (16 * (byte / 2));
    const float distance = dot_8(factors, samples + byte % 2 * 64 + column) + dot_8(factors + 128, band + column) +
                           half_value(start & 0xffffu);

    mask |= (distance < 0.0f ? 255u : 0u) << (8 * byte);
  }
  return mask;
}

static inline int
sum_plane(__local const uint *masks, __local const uint *planes, const uint row, const uint plane)
{
  int sum = 0;

#pragma unroll 1
  for (uint k = 0; k < 16; k++) {
    const uint shift = 8 * (k & 3u), word = k / 4;

    sum += (int)(char)(masks[4 * row + word] >> shift & 255u) * (int)(planes[4 * plane + word] >> shift & 255u);
    sum +=
        (int)(char)(masks[64 + 4 * row + word] >> shift & 255u) * (int)(planes[32 + 4 * plane + word] >> shift & 255u);
  }
  return sum;
}

/* Sixteen centres against 4 rows of 8 samples, even columns before odd ones; `edge` says that `band` is used. */
static inline int4
matrix_step(__local uint *scratch, const uint4 factors, const uint2 even, const uint2 odd, const uint2 above,
            const uint2 below, const uint2 band, const bool edge, const uint2 planes, const int4 sums)
{
  __local float *numbers = (__local float *)scratch;
  __local uint *bytes = scratch + 640, *masks = scratch + 704;
  const uint lane = lane_id(), row = lane / 4, plane = 2 * (lane & 3u);

  warp_fence();
  put_pair(numbers, factors.x);
  put_pair(numbers + 64, factors.y);
  put_pair(numbers + 128, factors.z);
  put_pair(numbers + 192, factors.w);
  put_pair(numbers + 256, above.x);
  put_pair(numbers + 320, above.y);
  put_pair(numbers + 384, below.x);
  put_pair(numbers + 448, below.y);
  put_pair(numbers + 512, edge ? band.x : 0u);
  put_pair(numbers + 576, edge ? band.y : 0u);
  bytes[lane] = planes.x;
  bytes[32 + lane] = planes.y;
  warp_fence();
#pragma unroll 1
  for (uint word = 0; word < 4; word++)
    masks[32 * word + lane] = mask_word(numbers, word, word % 2 ? even.y : even.x, word % 2 ? odd.y : odd.x);
  warp_fence();
  return sums + (int4)(sum_plane(masks, bytes, row, plane), sum_plane(masks, bytes, row, plane + 1),
                       sum_plane(masks, bytes, row + 8, plane), sum_plane(masks, bytes, row + 8, plane + 1));
}

/* The squared length of a colour; the fourth byte is ignored. */
static inline uint
colour_square(const uint c)
{
  const uint r = c & 255u, g = c >> 8 & 255u, b = c >> 16 & 255u;

  return r * r + g * g + b * b;
}

static inline uint
colour_distance(const uint a, const uint b)
{
  const int red = (int)(a & 255u) - (int)(b & 255u), green = (int)(a >> 8 & 255u) - (int)(b >> 8 & 255u);
  const int blue = (int)(a >> 16 & 255u) - (int)(b >> 16 & 255u);

  return (uint)(red * red + green * green + blue * blue);
}
