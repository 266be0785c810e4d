/* SPDX-License-Identifier: MIT */
/*
 * Partials are passed between groups as 64-bit words. VALUE says what a word holds: whole (an integer, sign-extended),
 * float or double (its bits).
 */
#define TO_WORD(x) JOIN_NAMES(word_of_, VALUE)(x)
#define word_of_whole(x) ((ulong)(long)(x))
#define word_of_float(x) ((ulong)as_uint((float)(x)))
#define word_of_double(x) as_ulong((double)(x))

#define FROM_WORD(type, w) JOIN_NAMES(VALUE, _of_word)(type, w)
#define whole_of_word(type, w) ((type)(w))
#define float_of_word(type, w) as_float((uint)(w))
#define double_of_word(type, w) as_double(w)
