/* SPDX-License-Identifier: MIT */
/* Joins what two macros stand for to one name: so a constant of the plan chooses among names. */
#define JOIN_NAMES_(a, b) a##b
#define JOIN_NAMES(a, b) JOIN_NAMES_(a, b)
