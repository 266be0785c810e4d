/* SPDX-License-Identifier: MIT */
/* Names that every part uses. The plan gives ELEM (the element type) and GROUP (work-items of a group) as constants. */
#define JOIN_NAMES_(a, b) a##b
#define JOIN_NAMES(a, b) JOIN_NAMES_(a, b)
#define VECTOR(type) JOIN_NAMES(type, WIDTH_SUFFIX)
#define CONVERT(type) JOIN_NAMES(convert_, VECTOR(type))
