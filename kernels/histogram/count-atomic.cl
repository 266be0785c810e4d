/* SPDX-License-Identifier: MIT */
/* Work-items of a group share the bins, so counting is atomic; neighbours use different copies, on different banks. */
#define COPY_OF(lane) ((int)get_local_id(0) % COPIES)
#define COUNT(bin) atomic_inc(bin)
