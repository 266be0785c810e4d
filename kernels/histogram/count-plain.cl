/* SPDX-License-Identifier: MIT */
/*
 * One work-item a group: plain counting. The pixels of a load use different copies, so that no count waits for the
 * last.
 */
#define COPY_OF(lane) (lane)
#define COUNT(bin) ((*(bin))++)
