/* SPDX-License-Identifier: MIT */
/*
 * The change of the program or the launch by each value of each option. Results are equal for all values, so no other
 * test notices a value without effect.
 */
#include <string.h>

#include "core/reduce/bank-model.h"
#include "core/reduce/reduce-plan.h"
#include "core/reduce/sort.h"
#include "core/reduce/swap.h"
#include "tests/reduce/reduce-cases.h"
#include "tests/support/cases.h"

#define SUM                                                                                                            \
  {                                                                                                                    \
    MS_REDUCE_SUM, MS_ELEMENT_UINT                                                                                     \
  }
#define FLOATS                                                                                                         \
  {                                                                                                                    \
    MS_REDUCE_SUM, MS_ELEMENT_FLOAT                                                                                    \
  }
#define BYTES                                                                                                          \
  {                                                                                                                    \
    MS_REDUCE_MINMAX, MS_ELEMENT_UCHAR                                                                                 \
  }
#define SIGNED_BYTES                                                                                                   \
  {                                                                                                                    \
    MS_REDUCE_MINMAX, MS_ELEMENT_CHAR                                                                                  \
  }
#define REALS                                                                                                          \
  {                                                                                                                    \
    MS_REDUCE_MINMAX, MS_ELEMENT_FLOAT                                                                                 \
  }
#define COUNT                                                                                                          \
  {                                                                                                                    \
    MS_REDUCE_COUNT_NONZERO, MS_ELEMENT_UCHAR                                                                          \
  }
#define POSITIONS                                                                                                      \
  {                                                                                                                    \
    MS_REDUCE_MINMAX_POSITIONS, MS_ELEMENT_INT                                                                         \
  }

/** Choice: @variant has the part or constant @has, and not @lacks; @neighbour is the other way round. */
typedef struct {
  const char *variant;
  const char *neighbour;
  MsReduceSpec spec;
  const char *has;
  const char *lacks;
} Choice;

static const Choice choices[] = {
  {"pcl,storage=image,vector=4", "pcl,vector=4", SUM, "load/image", "load/buffer"},
  {"divergence-free,storage=image,vector=4", "divergence-free,vector=4", SUM, "-cl-std=CL3.0 ", "-cl-std=CL1.2 "},
  {"minmax-image", "minmax-sequential,vector=4", SIGNED_BYTES, "-DELEM=int ", "-DELEM=char "},
  {"minmax-image", "minmax-sequential,vector=4", BYTES, "-DELEM=uint ", "-DELEM=uchar "},
  {"pcl,vector=8", "pcl", SUM, "-DWIDTH=8 ", "-DWIDTH=1 "},
  {"pcl,vector=4", "pcl,vector=16", SUM, "-DWIDTH=4 ", "-DWIDTH=16 "},
  {"local-stride", "global-stride", SUM, "ITEM_RANGE=local_stride ", "ITEM_RANGE=global_stride "},
  {"local-stride,stride=block", "local-stride", SUM, "ITEM_RANGE=block_stride ", "ITEM_RANGE=local_stride "},
  {"divergence-free", "naive", SUM, "tree/ways", "tree/naive"},
  {"completely-unroll", "divergence-free", SUM, "tree/completely-unroll", "tree/ways"},
  {"minmax-four-way", "minmax-bank", BYTES, "-DWAYS=4 ", "-DWAYS=2 "},
  {"minmax-bank", "minmax-vector", BYTES, "-DSAVES_CONFLICTS=1 ", "-DSAVES_CONFLICTS=0 "},
  {"minmax-bank", "minmax-bank,vector-partials=off", BYTES, "fold/partial-vector", "fold/partial-scalar"},
  {"pcl,vector=4,vector-partials=on", "pcl,vector=4", COUNT, "-DLANE=long ", "-DLANE=int "},
  {"pcl,accumulator=32-bit", "pcl", SUM, "-DTOTAL=uint ", "-DTOTAL=ulong "},
  {"pcl-host,vector=4,vector-partials=on",
   "pcl-host,vector=4",
   {MS_REDUCE_SUM, MS_ELEMENT_UCHAR},
   "-DLANE=ulong ",
   "-DLANE=uint "},
  {"pcl,vector=4,vector-partials=on", "pcl,vector=4,vector-partials=on -subgroups", SUM, "tree/fence-sub-group",
   "-DLEVEL_FENCE=GROUP_FENCE "},
  {"pcl-host", "pcl-host -shuffles", POSITIONS, "SUB_GROUP_LEVEL=shuffle_level ", "SUB_GROUP_LEVEL=SHARED_LEVEL "},
  {"pcl", "pcl,vector=4,vector-partials=on", SUM, "SUB_GROUP_LEVEL=reduce_level ", "SUB_GROUP_LEVEL=SHARED_LEVEL "},
  {"pcl-host", "pcl-host -subgroups", POSITIONS, "SUB_GROUP_LEVEL=shuffle_level ", "SUB_GROUP_LEVEL=SHARED_LEVEL "},
  {"pcl", "divergence-free", SUM, "-cl-std=CL3.0 ", "-cl-std=CL1.2 "},
  {"pcl-host", "pcl-host -subgroups", BYTES, "-DWIDE=uint ", "-DLEVEL_FENCE=GROUP_FENCE "},
  {"minmax-36", "minmax-36,builtin=off", BYTES, "-DLESSER=min ", "-DLESSER=LESSER_BY_COMPARING "},
  {"minmax-36", "minmax-36,builtin=off", BYTES, "-DGREATER=max ", "-DGREATER=GREATER_BY_COMPARING "},
  {"minmax-36", "minmax-36,builtin=off", REALS, "-DLESSER=fmin ", "-DLESSER=LESSER_BY_COMPARING "},
  {"pcl-host", "pcl", SUM, "finish/partials", "finish/atomic"},
  {"pcl-recursive", "pcl-host", SUM, "finish/recursive", NULL},
  {"pcl", "pcl-host", SUM, "-DADD_WORD=ADD_WHOLE ", "finish/partials"},
  {"pcl-host,between=last-group", "pcl-host", SUM, "finish/last-group", "finish/partials"},
  {"pcl,group-size=64", "pcl", SUM, "-DGROUP=64 ", "-DGROUP=256 "},
  {"swap-plain", "swap-plain,swap=off", SUM, "WORK_OF_ITEM=SWAPPED_WORK ", "WORK_OF_ITEM=OWN_WORK "},
  {"swap-refined", "swap-plain", SUM, "-DREFINED=1 ", "-DREFINED=0 "},
  {"pcl-host -fp64", "pcl-host", FLOATS, "-DSLOT=2 ", "-DSLOT=1 "},
  {"last-group", "last-group -packed", COUNT, "fold/count-bytes", "fold/add"},
  {"last-group", "last-group,vector-partials=on", COUNT, "fold/count-bytes", "fold/add"},
};

static MsDeviceLimits
device_with_sub_groups(void)
{
  MsDeviceLimits limits = ms_reduce_cases_device();

  limits.local_memory = 49152;
  limits.max_work_group = limits.max_work_item[0] = 512;
  limits.subgroups = limits.subgroup_shuffle = TRUE;
  limits.opencl_version = 300;
  return limits;
}

static MsReducePlan *
plan_on(const MsDeviceLimits *limits, const char *variant, const MsReduceSpec *spec, guint64 n)
{
  return ms_reduce_cases_plan(variant, spec, limits, n);
}

static MsReducePlan *
plan_of(const char *variant, const MsReduceSpec *spec, guint64 n)
{
  MsDeviceLimits limits = device_with_sub_groups();

  return plan_on(&limits, variant, spec, n);
}

/* The compiler's options and the names of the parts, each followed by a blank. */
static char *
text_of_plan(const MsReducePlan *plan)
{
  GString *text = g_string_new(ms_program_spec_get_options(plan->program));

  for (guint i = 0; i < ms_program_spec_get_n_parts(plan->program); i++)
    g_string_append_printf(text, " %s", ms_program_spec_get_part(plan->program, i));
  g_string_append_c(text, ' ');
  return g_string_free(text, FALSE);
}

static char *
text_of(const char *variant, const MsReduceSpec *spec)
{
  g_autoptr(MsReducePlan) plan = plan_of(variant, spec, 100000);

  return text_of_plan(plan);
}

static void
assert_holds(const char *variant, const char *text, const char *what, gboolean holds)
{
  if (what && (strstr(text, what) != NULL) != holds)
    g_error("%s: %s %s\n%s", variant, holds ? "lacks" : "has", what, text);
}

static void
test_programs(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(choices); i++) {
    const Choice *choice = &choices[i];
    g_autofree char *text = text_of(choice->variant, &choice->spec);
    g_autofree char *other = text_of(choice->neighbour, &choice->spec);
    assert_holds(choice->variant, text, choice->has, TRUE);
    assert_holds(choice->variant, text, choice->lacks, FALSE);
    assert_holds(choice->neighbour, other, choice->has, FALSE);
    assert_holds(choice->neighbour, other, choice->lacks, TRUE);
  }
}

/* Each form and swap of the sort has another program. */
static void
test_sorts(void)
{
  static const struct {
    MsSortOptions options;
    const char *has;
  } sorts[] = {
    {{MS_SORT_STUDY, MS_SWAP_OFF, 64, 256}, "-DWORK_AT=OWN_WORK_AT"},
    {{MS_SORT_STUDY, MS_SWAP_PLAIN, 64, 256}, "-DWORK_AT=SWAPPED_WORK_AT"},
    {{MS_SORT_STUDY, MS_SWAP_REFINED, 64, 256}, "-DWORK_AT=REFINED_WORK_AT"},
    {{MS_SORT_STUDY, MS_SWAP_PLAIN, 128, 256}, "-DSWAP_RANGE=128 "},
    {{MS_SORT_STUDY, MS_SWAP_PLAIN, 128, 256}, "-DSWAP_ROWS=7"},
    {{MS_SORT_STUDY, MS_SWAP_OFF, 64, 128}, "-DGROUP=128 -DBLOCK=128 "},
    {{MS_SORT_FAST, MS_SWAP_OFF, 64, 128}, "-DGROUP=128 -DBLOCK=256 "},
  };
  const MsDeviceLimits limits = ms_reduce_cases_device();

  for (guint i = 0; i < G_N_ELEMENTS(sorts); i++) {
    g_autoptr(MsProgramSpec) spec = ms_sort_compose(&sorts[i].options, MS_ELEMENT_UINT, &limits, 10000);
    g_assert_nonnull(strstr(ms_program_spec_get_options(spec), sorts[i].has));
  }
}

/* Processors sort in vectors unless the options name a work-group, or they have no vectors, as Mesa's llvmpipe. */
static void
test_sorts_in_vectors(void)
{
  MsDeviceLimits limits = ms_reduce_cases_device();
  const MsSortOptions usual = ms_sort_options_default(), grouped = {MS_SORT_FAST, MS_SWAP_OFF, 64, 128};
  g_autoptr(MsProgramSpec) gpu = ms_sort_compose(&usual, MS_ELEMENT_UINT, &limits, 10000);

  limits.type = MS_DEVICE_TYPE_CPU;
  g_autoptr(MsProgramSpec) cpu = ms_sort_compose(&usual, MS_ELEMENT_UINT, &limits, 10000);
  g_autoptr(MsProgramSpec) named = ms_sort_compose(&grouped, MS_ELEMENT_UINT, &limits, 10000);
  g_assert_cmpstr(ms_program_spec_get_part(gpu, 1), ==, "sort/sort.cl");
  g_assert_cmpstr(ms_program_spec_get_part(cpu, 1), ==, "sort/vectors.cl");
  g_assert_cmpstr(ms_program_spec_get_part(named, 1), ==, "sort/sort.cl");
  limits.fp64 = FALSE;
  limits.vector_bytes = 4;
  g_autoptr(MsProgramSpec) mesa = ms_sort_compose(&usual, MS_ELEMENT_UINT, &limits, 10000);
  g_assert_cmpstr(ms_program_spec_get_part(mesa, 1), ==, "sort/sort.cl");
}

static void
test_swap_example(void)
{
  g_autoptr(MsProgramSpec) plain = ms_swap_example_compose(0), swapped = ms_swap_example_compose(64);

  g_assert_nonnull(strstr(ms_program_spec_get_options(plain), "WORK_OF_ITEM=OWN_WORK"));
  g_assert_nonnull(strstr(ms_program_spec_get_options(swapped), "WORK_OF_ITEM=SWAPPED_WORK"));
}

/* How many groups are launched, and how many loads each work-item makes: 2^20 elements on 18 compute units. */
static void
test_launches(void)
{
  static const struct {
    const char *variant;
    guint groups;
    guint times;
  } launches[] = {
    {"naive", 4096, 1},
    {"naive,vector=4", 1024, 1},
    {"global-stride", 128, 32},
    {"pcl", 64, 64},
    {"pcl,times=1024", 4, 1024},
    {"naive,group-size=64", 16384, 1},
    {"minmax-18", 18, 29},
    {"minmax-units,groups-count=1", 18, 29},
    {"minmax-units", 36, 15},
    {"minmax-36", 36, 15},
    {"minmax-36,groups-count=3", 3, 171},
  };
  const MsReduceSpec spec = SUM;

  for (guint i = 0; i < G_N_ELEMENTS(launches); i++) {
    g_autoptr(MsReducePlan) plan = plan_of(launches[i].variant, &spec, 1 << 20);
    MsReduceLaunch launch = ms_reduce_plan_launch(plan, 1 << 20);
    g_assert_cmpuint(launch.groups, ==, launches[i].groups);
    g_assert_cmpuint(launch.times, ==, launches[i].times);
  }
}

/* Local memory: vectors take their lanes' share; what stays in registers takes none. */
static void
test_local_memory(void)
{
  static const struct {
    const char *variant;
    MsReduceSpec spec;
    gsize bytes;
  } cases[] = {
    {"minmax-vector,vector=4,vector-partials=off", BYTES, 256 * 2},
    {"minmax-vector,vector=4", BYTES, 256 * 2 * 4},
    {"minmax-vector,vector=16", BYTES, 256 * 2 * 16},
    {"minmax-vector,vector=4", {MS_REDUCE_MINMAX, MS_ELEMENT_INT}, 256 * 2 * 4 * 4},
    {"minmax-bank,vector=4", {MS_REDUCE_MINMAX, MS_ELEMENT_INT}, 128 * 2 * 4 * 4},
    {"minmax-four-way,vector=4", {MS_REDUCE_MINMAX, MS_ELEMENT_INT}, 192 * 2 * 4 * 4},
    {"minmax-image", BYTES, 256 * 2 * 4 * 4},
    {"naive", SUM, 256 * 8},
    {"pcl,bank-conflict-saving=on", SUM, 128 * 8},
    {"pcl,bank-conflict-saving=on,group-size=1", SUM, 8},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(MsReducePlan) plan = plan_of(cases[i].variant, &cases[i].spec, 100000);
    g_assert_cmpuint(plan->scratch_bytes, ==, cases[i].bytes);
  }
}

static MsBankCounts
bank_counts(const char *variant, MsElementType type)
{
  const MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_MINMAX, type);
  g_autoptr(MsReducePlan) plan = plan_of(variant, &spec, 100000);

  return ms_bank_model_count(plan);
}

/*
 * Counted by hand for partials of two words: all 256 write (32 cycles), then levels of 128, 64, ... read and write (32,
 * 16, 8 and five times 4). With the saving, the levels alone are left: they write and read as often. Partials of four
 * words and more conflict, as in table 1 of [MM].
 */
static void
test_bank_conflicts(void)
{
  static const MsElementType types[] = {MS_ELEMENT_UCHAR, MS_ELEMENT_USHORT, MS_ELEMENT_INT};
  static const char *const vectors[] = {"minmax-vector,vector=4", "minmax-vector,vector=8", "minmax-vector,vector=16"};
  double least[3] = {-1, -1, -1};

  g_assert_cmpuint(bank_counts("minmax-sequential", MS_ELEMENT_INT).cycles, ==, 108);
  g_assert_cmpuint(bank_counts("minmax-sequential", MS_ELEMENT_INT).conflicts, ==, 0);
  g_assert_cmpuint(bank_counts("minmax-bank,vector=4", MS_ELEMENT_UCHAR).cycles, ==, 76);
  g_assert_cmpuint(bank_counts("minmax-vector,vector=4", MS_ELEMENT_UCHAR).conflicts, ==, 0);
  for (guint t = 0; t < G_N_ELEMENTS(types); t++)
    for (guint v = 0; v < G_N_ELEMENTS(vectors); v++) {
      MsBankCounts counts = bank_counts(vectors[v], types[t]);
      double share = (double)counts.conflicts / (double)counts.cycles;
      g_assert_cmpfloat(share, >, least[v]);
      g_assert_cmpfloat(share, >, v > 0 ? least[v - 1] : -1);
      least[v] = share;
    }
}

/* Refined swapping keeps every partial in its own slot, where plain swapping crowds the banks [BD]. */
static void
test_bank_conflicts_of_swapping(void)
{
  g_assert_cmpuint(bank_counts("swap-plain", MS_ELEMENT_INT).conflicts, >, 1000);
  g_assert_cmpuint(bank_counts("swap-refined", MS_ELEMENT_INT).conflicts, ==, 0);
}

static guint
one_in_sixteen(guint id)
{
  return id % 16 == 0;
}

/* [BD]: each doubling of the range halves the warps that diverge in a level of the tree, and adds bank conflicts. */
static void
test_swap_ranges(void)
{
  static const struct {
    const char *variant;
    guint divergent;
  } forms[] = {
    {"swap-plain,group-size=512,swap=off", 16},      {"swap-plain,group-size=512,swap-range=64", 8},
    {"swap-plain,group-size=512,swap-range=128", 4}, {"swap-plain,group-size=512,swap-range=256", 2},
    {"swap-plain,group-size=512,swap-range=512", 0},
  };
  const MsReduceSpec spec = SUM;
  guint16 map[2 * 512];
  guint64 conflicts = 0;

  for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
    g_autoptr(MsReducePlan) plan = plan_of(forms[i].variant, &spec, 100000);
    ms_reduce_plan_fill_map(plan, map);
    g_assert_cmpuint(ms_reduce_cases_divergent_warps(map, 512, 32, one_in_sixteen), ==, forms[i].divergent);
    guint64 more = ms_bank_model_count(plan).conflicts;
    g_assert_true(i == 0 || more > conflicts);
    conflicts = more;
  }
}

/* Without sub-groups the unrolled tree keeps the work-group's barrier; a warp of NVIDIA's has a barrier too. */
static void
test_devices(void)
{
  const MsReduceSpec spec = SUM;
  MsReduceOptions options = ms_reduce_cases_variant("pcl");
  MsDeviceLimits limits = ms_reduce_cases_device();
  g_autoptr(MsReducePlan) plain = ms_reduce_plan_new(&spec, &options, &limits, 1000, NULL);

  g_assert_cmpint(plain->sub_groups, ==, MS_SUB_GROUPS_OFF);
  limits.nvidia_capability = 70;
  limits.preferred_multiple = 32;
  g_autoptr(MsReducePlan) nvidia = ms_reduce_plan_new(&spec, &options, &limits, 1000, NULL);
  g_assert_cmpint(nvidia->sub_groups, ==, MS_SUB_GROUPS_BARRIER);
  limits = device_with_sub_groups();
  limits.opencl_version = 210;
  g_autoptr(MsReducePlan) extension = ms_reduce_plan_new(&spec, &options, &limits, 1000, NULL);
  g_assert_cmpint(extension->sub_groups, ==, MS_SUB_GROUPS_REDUCE);
  g_assert_true(g_str_has_prefix(ms_program_spec_get_options(extension->program), "-cl-std=CL2.0 "));
}

/* Processors fold each sub-group before the group, which needs a slot of local memory for each sub-group. */
static void
test_processors(void)
{
  static const struct {
    const char *variant;
    MsReduceSpec spec;
    const char *has;
    const char *lacks;
    gsize slots;
  } cases[] = {
    {"pcl,bank-conflict-saving=on", SUM, " reduce/tree/sub-groups-first", "tree/level", 256},
    {"pcl-host,bank-conflict-saving=on", POSITIONS, " reduce/tree/shuffle-all", "tree/completely-unroll", 256},
    {"pcl-host,bank-conflict-saving=on -shuffles", POSITIONS, " reduce/tree/fence-sub-group", "sub-groups-first", 128},
  };
  MsDeviceLimits limits = device_with_sub_groups();

  limits.type = MS_DEVICE_TYPE_CPU;
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(MsReducePlan) plan = plan_on(&limits, cases[i].variant, &cases[i].spec, 100000);
    g_autofree char *text = text_of_plan(plan);
    assert_holds(cases[i].variant, text, cases[i].has, TRUE);
    assert_holds(cases[i].variant, text, cases[i].lacks, FALSE);
    g_assert_cmpuint(plan->scratch_bytes, ==, cases[i].slots * plan->partial_bytes);
  }
}

void
ms_test_reduce_parts(void)
{
  g_test_add_func("/reduce-parts/programs", test_programs);
  g_test_add_func("/reduce-parts/sorts", test_sorts);
  g_test_add_func("/reduce-parts/sorts-in-vectors", test_sorts_in_vectors);
  g_test_add_func("/reduce-parts/swap-example", test_swap_example);
  g_test_add_func("/reduce-parts/launches", test_launches);
  g_test_add_func("/reduce-parts/local-memory", test_local_memory);
  g_test_add_func("/reduce-parts/bank-conflicts", test_bank_conflicts);
  g_test_add_func("/reduce-parts/bank-conflicts-of-swapping", test_bank_conflicts_of_swapping);
  g_test_add_func("/reduce-parts/swap-ranges", test_swap_ranges);
  g_test_add_func("/reduce-parts/devices", test_devices);
  g_test_add_func("/reduce-parts/processors", test_processors);
}
