/* SPDX-License-Identifier: MIT */
#include "core/reduce/presets.h"

#include <glib/gi18n-lib.h>
#define ATOMIC ",between=atomic"
#define HOST ",between=host"
#define UNROLLED ",tree=completely-unroll"
#define LEVELS ",tree=divergence-free"
#define PCL "times=64,stride=local" UNROLLED
#define VECTORS ",vector-partials=on"
#define SAVING ",bank-conflict-saving=on" VECTORS
#define FINAL(count) "vector=8" LEVELS SAVING ",builtin=on,groups=fixed,groups-count=" count HOST

static const MsReducePreset presets[] = {
  {"auto", N_("The plan's choice for the device, the type and the length"), "", NULL},
  {"naive", N_("One element for each work-item, interleaved tree, atomic finish"), "PCL", "times=1" ATOMIC},
  {"global-stride", N_("Each work-item folds 32 elements, a grid apart, before the interleaved tree"), "PCL",
   "times=32" ATOMIC},
  {"local-stride", N_("Each work-item folds 32 elements, a work-group apart, before the interleaved tree"), "PCL",
   "times=32,stride=local" ATOMIC},
  {"divergence-free", N_("One element for each work-item, tree of neighbouring work-items"), "PCL",
   "times=1" LEVELS ATOMIC},
  {"completely-unroll", N_("One element for each work-item, completely unrolled tree"), "PCL",
   "times=1" UNROLLED ATOMIC},
  {"pcl", N_("The study's choice: local stride over 64, completely unrolled, atomic finish"), "PCL", PCL ATOMIC},
  {"pcl-recursive", N_("As pcl, with recursive launches between the groups"), "PCL", PCL},
  {"pcl-host", N_("As pcl, finished on the host"), "PCL", PCL HOST},
  {"minmax-sequential", N_("Step 1: sequential addressing in a buffer"), "MM", "times=1" LEVELS HOST},
  {"minmax-image", N_("Step 1 with the array in an image"), "MM", "storage=image,vector=4,times=1" LEVELS VECTORS HOST},
  {"minmax-vector", N_("Step 2: vectors of 8"), "MM", "vector=8,times=1" LEVELS VECTORS HOST},
  {"minmax-bank", N_("Step 3: fewer bank conflicts"), "MM", "vector=8,times=1" LEVELS SAVING HOST},
  {"minmax-four-way", N_("Step 3 with the study's proposal, a tree of four branches, for fewer barriers"), "MM",
   "vector=8,times=1,tree=four-way" SAVING HOST},
  {"minmax-units", N_("Step 4: two groups for each compute unit of this device"), "MM",
   "vector=8" LEVELS SAVING ",groups=units,groups-count=2" HOST},
  {"minmax-18", N_("Final variant with 18 groups, one for each compute unit of the HD 5850"), "MM", FINAL("18")},
  {"minmax-36", N_("Final variant with 36 groups, the best of the HD 5850"), "MM", FINAL("36")},
  {"minmax-28", N_("Final variant with 28 groups of 512, as on the C2050"), "MM", FINAL("28") ",group-size=512"},
  {"swap-plain", N_("The interleaved tree with thread swapping over the whole group"), "BD",
   "times=1,swap=plain,swap-range=256" HOST},
  {"swap-refined", N_("The same, with every element loaded by its original work-item"), "BD",
   "times=1,swap=refined,swap-range=256" HOST},
  {"last-group", N_("Loads of 4 over a fixed grid; the group that finishes last folds the partials, in one launch"), "",
   "vector=4" UNROLLED ",bank-conflict-saving=on,builtin=on,groups=units,groups-count=4,between=last-group"},
};

/** ms_reduce_presets: (transfer none): the named variants; the first is auto. */
const MsReducePreset *
ms_reduce_presets(guint *n_rows)
{
  *n_rows = G_N_ELEMENTS(presets);
  return presets;
}

/** ms_reduce_preset_options: the options that the preset stands for. */
MsReduceOptions
ms_reduce_preset_options(const MsReducePreset *self)
{
  MsReduceOptions options = ms_reduce_options_auto();
  gboolean set;

  if (!self->settings)
    return options;
  options.automatic = 0;
  set = ms_option_table_set_keys(&ms_reduce_options, &options, self->name, self->settings, NULL);
  g_assert(set);
  return options;
}
