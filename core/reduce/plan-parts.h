/* SPDX-License-Identifier: MIT */
/*
 * Which kernel parts and constants a reduction plan is made of: plan-parts.c adds elements, terms and folds,
 * plan-parts-tree.c the loads of a work-item, the tree and the finish.
 */
#pragma once

#include "core/reduce/reduce-plan.h"

void ms_reduce_plan_compose(MsReducePlan *plan);

void ms_reduce_add_part(MsReducePlan *plan, const char *part);
void ms_reduce_define(MsReducePlan *plan, const char *name, const char *text);
void ms_reduce_add_tree(MsReducePlan *plan);
void ms_reduce_add_finish(MsReducePlan *plan);
