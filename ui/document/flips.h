/* SPDX-License-Identifier: MIT */
/*
 * Flips: the other values of the toggles beside the present settings: whether they can run, what they cost and whether
 * they give the same pixels, from the runs so far and from measurements in the background.
 */
#pragma once

#include "ui/document/document.h"

/**
 * MsFlip: what is known of one value of an option with the other settings as they are.
 * @refusal: (nullable): why it cannot run
 * @kernel: (nullable): the kernel that `auto` chooses then, where it is another one than now
 * @estimate_ms: of the kernels, negative while no such kernel has been measured
 * @run: (nullable): the newest run of the picture that equals it on this device, every `auto` resolved
 */
typedef struct {
  char *refusal;
  const char *kernel;
  double estimate_ms;
  MsRun *run;
} MsFlip;

void ms_flip_clear(MsFlip *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsFlip, ms_flip_clear)

/**
 * MsSameness: whether the values of a toggle give the same pixels, which is the rule.
 * @values: that can run
 * @measured: that have run
 * @different: (nullable): a run whose pixels differ from those of the present settings
 * @pixels: how many of its pixels differ, 0 where one of the pictures was dropped
 */
typedef struct {
  guint values;
  guint measured;
  MsRun *different;
  guint64 pixels;
} MsSameness;

void ms_document_init_flips(MsDocument *self);
gboolean ms_document_resolve(MsDocument *self, const MsSettings *settings, MsSettings *resolved);
double ms_document_estimate_ms(MsDocument *self, const MsSettings *settings);
const char *const *ms_flip_values(const MsOptionInfo *option);
MsFlip ms_document_look_at(MsDocument *self, const MsOptionInfo *option, const char *value);
MsRun *ms_document_get_present_run(MsDocument *self);
MsSameness ms_flips_compare(const MsFlip *flips, guint n, MsRun *present);

void ms_document_measure_flips(MsDocument *self, guint budget_ms);
void ms_document_stop_measuring(MsDocument *self);
gboolean ms_document_is_measuring(MsDocument *self, guint *done, guint *all);
void ms_document_add_flip(MsDocument *self, MsRun *run);
