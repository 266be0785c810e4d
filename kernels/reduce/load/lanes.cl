/* SPDX-License-Identifier: MIT */
/*
 * The lanes of a load, and names that every part uses. WIDTH is the number of elements in a load: 1, 4, 8 or 16. A
 * comparison yields 1 for scalars and -1 in each lane of a vector where it holds; ONES makes both 1.
 */
#define FOR_WIDTH_(name, width) name##_##width
#define FOR_WIDTH(name, width) FOR_WIDTH_(name, width)

#define VECTOR(type) FOR_WIDTH(VECTOR, WIDTH)(type)
#define VECTOR_1(type) type
#define VECTOR_4(type) JOIN_NAMES(type, 4)
#define VECTOR_8(type) JOIN_NAMES(type, 8)
#define VECTOR_16(type) JOIN_NAMES(type, 16)
#define CONVERT(type) JOIN_NAMES(convert_, VECTOR(type))

#define ONES(mask) FOR_WIDTH(ONES, WIDTH)(mask)
#define ONES_1(mask) (mask)
#define ONES_4(mask) (-(mask))
#define ONES_8(mask) (-(mask))
#define ONES_16(mask) (-(mask))

#define FIRST_LANE(v) FOR_WIDTH(FIRST_LANE, WIDTH)(v)
#define FIRST_LANE_1(v) (v)
#define FIRST_LANE_4(v) (v).s0
#define FIRST_LANE_8(v) (v).s0
#define FIRST_LANE_16(v) (v).s0

#define EACH_LANE(DO) FOR_WIDTH(EACH_LANE, WIDTH)(DO)
#define EACH_LANE_1(DO) DO(, 0)
#define EACH_LANE_4(DO) DO(.s0, 0) DO(.s1, 1) DO(.s2, 2) DO(.s3, 3)
#define EACH_LANE_8(DO) EACH_LANE_4(DO) DO(.s4, 4) DO(.s5, 5) DO(.s6, 6) DO(.s7, 7)
#define EACH_LANE_16(DO) \
  EACH_LANE_8(DO) \
  DO(.s8, 8) DO(.s9, 9) DO(.sa, 10) DO(.sb, 11) DO(.sc, 12) DO(.sd, 13) DO(.se, 14) DO(.sf, 15)

/* LESSER and GREATER without the built-in functions; a NaN in x compares false and is ignored. */
#define LESSER_BY_COMPARING(x, y) ((x) < (y) ? (x) : (y))
#define GREATER_BY_COMPARING(x, y) ((x) > (y) ? (x) : (y))

typedef VECTOR(ELEM) vec_t;
