/* SPDX-License-Identifier: MIT */
/* The rows of the table of kinds, one for each file run-KIND.c of this folder. */
#pragma once

#include "core/lab/kinds/kind.h"

extern const MsLabKind ms_lab_kind_mean_shift;
extern const MsLabKind ms_lab_kind_peer;
extern const MsLabKind ms_lab_kind_transfer;
extern const MsLabKind ms_lab_kind_split;
extern const MsLabKind ms_lab_kind_regions;
extern const MsLabKind ms_lab_kind_reduce;
extern const MsLabKind ms_lab_kind_reduce_peer;
extern const MsLabKind ms_lab_kind_sort;
extern const MsLabKind ms_lab_kind_swap_example;
extern const MsLabKind ms_lab_kind_bandwidth;
