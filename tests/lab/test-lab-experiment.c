/* SPDX-License-Identifier: MIT */
/* Experiment files: the shipped ones, their expansion and published values, and malformed files. */
#include <string.h>

#include "core/error.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/kinds/kind.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report.h"
#include "core/reduce/swap.h"
#include "tests/support/cases.h"

static const char *const named_in_the_methods[] = {
  "ms-ndrange-size",    "ms-ndrange-shape",     "ms-memory-object",    "ms-local-memory",  "ms-unroll",
  "ms-access",          "ms-cumulative",        "ms-serial",           "ms-transfer",      "minmax-storage",
  "minmax-vector",      "minmax-bank-conflict", "minmax-fixed-groups", "minmax-builtin",   "minmax-types",
  "sum-types",          "countnonzero-types",   "sum-sizes",           "sum-stride-times", "sum-group-variants",
  "sum-between-groups", "sum-bottleneck",       "sum-first-call",      "swap-example",     "swap-reduction",
  "swap-bitonic",       "swap-energy",          "swap-meanshift",      "split-adaptive",
};

static void
test_all_are_shipped(void)
{
  g_auto(GStrv) names = ms_experiment_list_names();

  for (gsize i = 0; i < G_N_ELEMENTS(named_in_the_methods); i++)
    if (!g_strv_contains((const char *const *)names, named_in_the_methods[i]))
      g_error("%s is not shipped", named_in_the_methods[i]);
  g_assert_cmpuint(g_strv_length(names), >=, G_N_ELEMENTS(named_in_the_methods));
}

static void
check_settings(const MsExperiment *e, gboolean quick)
{
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, quick);

  g_assert_cmpuint(all->len, >, 1);
  for (guint i = 0; i < all->len; i++) {
    g_autoptr(GError) error = NULL;
    const MsFactors *settings = all->pdata[i];
    const MsLabKind *kind = ms_lab_kind_find(ms_factors_get_or(settings, "kind", e->kind));
    if (!kind)
      g_error("%s is of an unknown kind", e->name);
    ms_lab_check_keys(kind, settings, &error);
    g_assert_no_error(error);
    for (guint k = 0; k < i; k++)
      g_assert_false(ms_factors_equal(settings, all->pdata[k]));
  }
}

/* A published figure that belongs to no configuration would never be shown. */
static void
check_published(const MsExperiment *e, gboolean quick)
{
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, quick);

  for (guint p = 0; p < e->published->len; p++) {
    guint used = 0;
    for (guint i = 0; i < all->len; i++) {
      g_autoptr(GPtrArray) found = ms_experiment_find_published(e, all->pdata[i], quick);
      used += g_ptr_array_find(found, e->published->pdata[p], NULL);
    }
    if (used == 0 && !quick) {
      const MsPublished *published = e->published->pdata[p];
      g_autofree char *where = ms_factors_to_string(published->where);
      g_error("%s: the figure for %s (%s) belongs nowhere", e->name, where, published->device);
    }
  }
}

static void
check_baseline(const MsExperiment *e)
{
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, TRUE);
  guint found = 0;

  if (!e->baseline)
    return;
  for (guint i = 0; i < all->len; i++)
    found += ms_factors_contains(all->pdata[i], e->baseline);
  if (found == 0)
    g_error("%s: no configuration is its baseline", e->name);
}

static void
test_shipped_ones_are_sound(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) all = ms_experiment_list(&error);

  g_assert_no_error(error);
  for (guint i = 0; i < all->len; i++) {
    const MsExperiment *e = all->pdata[i];
    g_assert_nonnull(e->description);
    g_assert_cmpuint(strlen(e->title), >, 5);
    check_settings(e, FALSE);
    check_settings(e, TRUE);
    check_published(e, FALSE);
    check_baseline(e);
  }
}

static const char sample[] =
  "[Experiment]\nTitle=A title\nKind=mean-shift\nStudy=MS\n"
  "[Axes]\nsize=100x100;200x200\nunroll=1;2;4\n"
  "[Quick Axes]\nsize=10x10;20x20\n"
  "[Fixed]\nsp=5\nsr=6\n[Quick Fixed]\nsr=3\n"
  "[Baseline]\nunroll=1\n"
  "[Plot]\nType=lines\nX=unroll\nSeries=size\nY=speed-up\nLogX=true\n"
  "[Published GPU one]\nQuantity=time\nUnit=ms\nValues=size:200x200 unroll:4 12.5;unroll:1 sr:6 1..2\n";

static MsExperiment *
parse(const char *text)
{
  g_autoptr(GError) error = NULL;
  MsExperiment *e = ms_experiment_parse("sample", text, -1, &error);

  g_assert_no_error(error);
  return e;
}

static void
test_expand(void)
{
  g_autoptr(MsExperiment) e = parse(sample);
  g_autoptr(GPtrArray) full = ms_experiment_expand(e, FALSE);
  g_autoptr(GPtrArray) quick = ms_experiment_expand(e, TRUE);
  g_autofree char *second = ms_factors_to_string(full->pdata[1]);
  g_autofree char *fourth = ms_factors_to_string(quick->pdata[3]);
  g_autofree char *label = ms_experiment_label(e, full->pdata[1]);

  g_assert_cmpuint(full->len, ==, 6);
  g_assert_cmpstr(second, ==, "size:100x100 unroll:2 sp:5 sr:6");
  g_assert_cmpstr(fourth, ==, "size:20x20 unroll:1 sr:3 sp:5");
  g_assert_cmpstr(label, ==, "size 100x100, unroll 2");
  g_assert_cmpint(e->plot.type, ==, MS_PLOT_LINES);
  g_assert_true(e->plot.log_x);
  g_assert_false(e->plot.log_y);
}

static void
test_published(void)
{
  g_autoptr(MsExperiment) e = parse(sample);
  g_autoptr(GPtrArray) full = ms_experiment_expand(e, FALSE);
  g_autoptr(GPtrArray) quick = ms_experiment_expand(e, TRUE);
  g_autoptr(GPtrArray) of_first = ms_experiment_find_published(e, full->pdata[0], FALSE);
  g_autoptr(GPtrArray) of_last = ms_experiment_find_published(e, full->pdata[5], FALSE);
  g_autoptr(GPtrArray) of_quick = ms_experiment_find_published(e, quick->pdata[5], TRUE);
  g_autoptr(GPtrArray) taken_as_full = ms_experiment_find_published(e, quick->pdata[5], FALSE);

  g_assert_cmpuint(of_first->len, ==, 1);
  g_assert_cmpfloat(((MsPublished *)of_first->pdata[0])->low, ==, 1);
  g_assert_cmpfloat(((MsPublished *)of_first->pdata[0])->high, ==, 2);
  g_assert_cmpuint(of_last->len, ==, 1);
  g_assert_cmpstr(((MsPublished *)of_last->pdata[0])->device, ==, "GPU one");
  g_assert_cmpfloat(((MsPublished *)of_last->pdata[0])->low, ==, 12.5);
  g_assert_cmpuint(of_quick->len, ==, 1); /* the scaled-down one stands for the full one */
  g_assert_cmpuint(taken_as_full->len, ==, 0);
}

static void
test_cases(void)
{
  g_autoptr(MsExperiment) e = parse("[Experiment]\nTitle=A title\nKind=mean-shift\n"
                                    "[Cases]\nplain_one=unroll:1\nfour=unroll:4 sp:9\n"
                                    "[Axes]\nmemory=buffer;image\n[Fixed]\nsp=5\n[Plot]\nX=case\n");
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  g_autofree char *first = ms_factors_to_string(all->pdata[0]);
  g_autofree char *last = ms_factors_to_string(all->pdata[3]);
  g_autofree char *label = ms_experiment_label(e, all->pdata[0]);

  g_assert_cmpuint(all->len, ==, 4);
  g_assert_cmpstr(first, ==, "case:plain_one memory:buffer unroll:1 sp:5");
  g_assert_cmpstr(last, ==, "case:four memory:image unroll:4 sp:9");
  g_assert_cmpstr(label, ==, "plain one, memory buffer");
}

static void
test_quick_cases(void)
{
  g_autoptr(MsExperiment) e = parse("[Experiment]\nTitle=A title\nKind=mean-shift\nQuickCases=b\n"
                                    "[Cases]\na=unroll:1\nb=unroll:2\nc=unroll:4\n");
  g_autoptr(GPtrArray) full = ms_experiment_expand(e, FALSE);
  g_autoptr(GPtrArray) quick = ms_experiment_expand(e, TRUE);

  g_assert_cmpuint(full->len, ==, 3);
  g_assert_cmpuint(quick->len, ==, 1);
  g_assert_cmpstr(ms_factors_get(quick->pdata[0], "unroll"), ==, "2");
}

static void
test_wrong_files(void)
{
  static const struct {
    const char *text;
    const char *says;
  } wrong[] = {
    {"", "lacks Title"},
    {"no groups here", "cannot be read"},
    {"[Experiment]\nTitle=x\n", "lacks Title or Kind"},
    {"[Experiment]\nTitle=x\nKind=y\n[Axes]\nunroll=\n", "no values"},
    {"[Experiment]\nTitle=x\nKind=y\n[Axes]\na=1\n[Quick Axes]\nb=1\n", "not among its axes"},
    {"[Experiment]\nTitle=x\nKind=y\n[Plot]\nType=pie\n", "bars, lines or stacked"},
    {"[Experiment]\nTitle=x\nKind=y\n[Plot]\nX=unroll\n", "does not vary"},
    {"[Experiment]\nTitle=x\nKind=y\n[Surprise]\na=1\n", "unknown group"},
    {"[Experiment]\nTitle=x\nKind=y\nColumns=occupancy;speed\n", "asks for the columns 'speed'"},
    {"[Experiment]\nTitle=x\nKind=y\n[Cases]\na=unroll\n", "KEY:VALUE"},
    {"[Experiment]\nTitle=x\nKind=y\nQuickCases=b\n[Cases]\na=unroll:1\n", "not among its cases"},
    {"[Experiment]\nTitle=x\nKind=y\n[Published d]\nValues=1\n", "lacks Quantity"},
    {"[Experiment]\nTitle=x\nKind=y\n[Published d]\nQuantity=time\nUnit=ms\nValues=a:1 b:2\n", "number or a range"},
    {"[Experiment]\nTitle=x\nKind=y\n[Published d]\nQuantity=time\nUnit=ms\nValues=a:1 3..x\n", "number or a range"},
    {"[Experiment]\nTitle=x\nKind=y\n[Axes]\na=1;2;3;4;5;6;7;8;9;10\nb=1;2;3;4;5;6;7;8;9;10\n"
     "c=1;2;3;4;5;6;7;8;9;10\nd=1;2;3;4;5;6;7;8;9;10\ne=1;2\n",
     "20000 configurations, more than the 10000"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_experiment_parse("wrong", wrong[i].text, -1, &error));
    if (!strstr(error->message, wrong[i].says) || !strstr(error->message, "wrong"))
      g_error("case %" G_GSIZE_FORMAT " says: %s", i, error->message);
  }
}

/* Columns are bits, kept by the JSON of an experiment, which says nothing of them where none are asked for. */
static void
test_columns(void)
{
  static const struct {
    const char *line;
    MsColumns columns;
    const char *word;
  } cases[] = {{"", MS_COLUMNS_NONE, NULL},
               {"Columns=occupancy\n", MS_COLUMNS_OCCUPANCY, "occupancy"},
               {"Columns=instructions\n", MS_COLUMNS_INSTRUCTIONS, "instructions"},
               {"Columns=instructions; occupancy\n", MS_COLUMNS_ALL, "all"}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strdup_printf("[Experiment]\nTitle=x\nKind=y\n%s", cases[i].line);
    g_autoptr(MsExperiment) e = parse(text);
    g_autoptr(JsonNode) node = ms_record_to_node(&ms_experiment_record, e);
    g_autoptr(MsExperiment) copy = ms_json_get_experiment(json_node_get_object(node), NULL);
    g_assert_cmpint(e->columns, ==, cases[i].columns);
    g_assert_cmpint(copy->columns, ==, cases[i].columns);
    g_assert_cmpstr(json_object_get_string_member_with_default(json_node_get_object(node), "columns", NULL), ==,
                    cases[i].word);
  }
}

static void
test_own_file(void)
{
  g_autofree char *folder = g_dir_make_tmp("experiment-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "mine.experiment", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_true(g_file_set_contents(path, sample, -1, NULL));
  g_autoptr(MsExperiment) e = ms_experiment_load(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(e->name, ==, "mine");
  g_assert_null(ms_experiment_load("/nonexistent/x.experiment", &error));
  g_assert_nonnull(strstr(error->message, "/nonexistent/x.experiment"));
  g_clear_error(&error);
  g_assert_null(ms_experiment_load("/dev/zero", &error)); /* has no size and no end */
  g_assert_error(error, MS_ERROR, MS_ERROR_TOO_LARGE);
  g_assert_nonnull(strstr(error->message, "1048576 bytes"));
  g_clear_error(&error);
  g_assert_null(ms_experiment_load("no-such-name", &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_nonnull(strstr(error->message, "--experiment list"));
}

static void
test_sizes(void)
{
  gint64 w, h;

  g_assert_true(ms_factors_parse_size("2560x1280", &w, &h, NULL));
  g_assert_cmpint(w, ==, 2560);
  g_assert_cmpint(h, ==, 1280);
  g_assert_true(ms_factors_parse_size("2^24", &w, &h, NULL));
  g_assert_cmpint(w * h, ==, 1 << 24);
  g_assert_true(ms_factors_parse_size("1000", &w, &h, NULL));
  g_assert_cmpint(w, ==, 1000);
  static const char *const wrong[] = {"", "x", "3x", "x3", "-1x2", "0", "2^99", "3^2", "1e3", "12 x 3"};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
    g_assert_false(ms_factors_parse_size(wrong[i], &w, &h, NULL));
}

static void
test_unknown_key(void)
{
  g_autoptr(MsFactors) settings = ms_factors_parse("size:10x10 sp:5 colour:red", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_false(ms_lab_check_keys(ms_lab_kind_find("mean-shift"), settings, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_nonnull(strstr(error->message, "colour"));
}

/* Tables 2 and 4 of the study: accesses of the warps of a swap block before and after. */
static void
test_warp_model(void)
{
  static const guint after_64[] = {4, 2}, after_128[] = {4, 4, 2, 2};
  guint16 map[256];

  for (guint i = 0; i < 256; i++)
    map[i] = (guint16)i;
  for (guint first = 0; first < 256; first += 32) {
    MsWarpCounts before = ms_warp_model_count(map, first, ms_swap_example_outcome);
    g_assert_cmpuint(before.accesses, ==, 3);
    g_assert_cmpuint(before.branches, ==, 3);
    g_assert_cmpuint(before.uncoalesced, ==, 0);
  }
  ms_swap_table_by_outcome(map, 64, 256, ms_swap_example_outcome);
  for (guint warp = 0; warp < 8; warp++)
    g_assert_cmpuint(ms_warp_model_count(map, 32 * warp, ms_swap_example_outcome).accesses, ==, after_64[warp % 2]);
  ms_swap_table_by_outcome(map, 128, 256, ms_swap_example_outcome);
  for (guint warp = 0; warp < 8; warp++) {
    MsWarpCounts counts = ms_warp_model_count(map, 32 * warp, ms_swap_example_outcome);
    g_assert_cmpuint(counts.accesses, ==, after_128[warp % 4]);
    g_assert_cmpuint(counts.branches, ==, 1);
  }
}

/* Figures 4 and 5: what swapping stalls grows with the range and is nothing without it; every warp counts by itself. */
static void
test_accesses(void)
{
  static const guint ranges[] = {0, 64, 128}, uncoalesced[] = {0, 12, 16};
  guint16 map[MS_SWAP_EXAMPLE_GROUP];

  for (guint i = 0; i < G_N_ELEMENTS(ranges); i++) {
    guint sum = 0;
    ms_swap_example_map(map, ranges[i]);
    for (guint first = 0; first < MS_SWAP_EXAMPLE_GROUP; first += MS_WARP_SIZE)
      sum += ms_warp_model_count(map, first, ms_swap_example_outcome).uncoalesced;
    g_assert_cmpuint(sum, ==, uncoalesced[i]);
  }
}

/* What is compared with a peer or with the host's code is timed by the same clock as those, which have no events. */
static void
test_one_clock(void)
{
  g_auto(GStrv) names = ms_experiment_list_names();
  guint compared = 0;

  for (char **name = names; *name; name++) {
    g_autoptr(MsExperiment) e = ms_experiment_load(*name, NULL);
    g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
    gboolean host = FALSE;
    for (guint i = 0; i < all->len; i++)
      host |= g_str_has_suffix(ms_factors_get_or(all->pdata[i], "kind", ""), "peer") ||
              g_strcmp0(ms_factors_get(all->pdata[i], "device"), "reference") == 0;
    for (guint i = 0; host && i < all->len; i++)
      if (g_strcmp0(ms_factors_get(all->pdata[i], "clock"), "wall") != 0)
        g_error("%s compares the wall clock with another one", *name);
    compared += host;
  }
  g_assert_cmpuint(compared, >=, 7);
}

static char *
read_index(void)
{
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "experiments", "STUDIES.md", NULL);
  g_autoptr(GError) error = NULL;
  char *text = NULL;

  g_file_get_contents(path, &text, NULL, &error);
  g_assert_no_error(error);
  return text;
}

static gboolean
covers(const MsExperiment *e, const char *study, const char *item)
{
  g_auto(GStrv) items = g_strsplit(e->section ? e->section : "", "; ", -1);

  return g_strcmp0(e->study, study) == 0 && g_strv_contains((const char *const *)items, item);
}

/* Every experiment that the index names exists and names the item itself; every file of code is there. */
static void
check_index_row(const char *study, const char *item, const char *what)
{
  g_auto(GStrv) words = g_strsplit(what, "`", -1);

  for (guint i = 1; words[i] && words[i + 1]; i += 2) {
    g_autoptr(GError) error = NULL;
    g_autoptr(MsExperiment) e = ms_experiment_load(words[i], &error);
    g_assert_no_error(error);
    g_assert_true(covers(e, study, item));
  }
  if (!g_str_has_prefix(what, "code: ")) {
    g_assert_true(words[1] || g_str_has_prefix(what, "not covered: "));
    return;
  }
  g_auto(GStrv) path = g_strsplit(what + strlen("code: "), " ", 2);
  g_autofree char *full = g_build_filename(g_getenv("MS_SOURCE_ROOT"), path[0], NULL);
  g_assert_true(g_file_test(full, G_FILE_TEST_EXISTS));
}

static void
test_studies_index(void)
{
  g_autofree char *text = read_index();
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(GHashTable) listed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *study = NULL;
  guint rows = 0;

  for (char **line = lines; *line; line++) {
    g_auto(GStrv) cells = g_strsplit(*line, " | ", 2);
    if (g_str_has_prefix(*line, "## ")) {
      g_free(study);
      study = g_strndup(*line + 3, strcspn(*line + 3, ":"));
    } else if (g_str_has_prefix(*line, "| ") && cells[1] && strcmp(cells[0], "| item") != 0) {
      g_autofree char *what = g_strndup(cells[1], strlen(cells[1]) - 2);
      check_index_row(study, cells[0] + 2, what);
      g_hash_table_add(listed, g_strdup_printf("%s %s", study, cells[0] + 2));
      rows++;
    }
  }
  g_assert_cmpuint(rows, >, 60);
  g_autoptr(GPtrArray) all = ms_experiment_list(NULL);
  for (guint i = 0; i < all->len; i++) {
    const MsExperiment *e = all->pdata[i];
    if (!e->section || !e->study)
      g_error("%s names no Study and Section", e->name);
    g_auto(GStrv) items = g_strsplit(e->section, "; ", -1);
    for (char **item = items; *item; item++) {
      g_autofree char *key = g_strdup_printf("%s %s", e->study, *item);
      g_assert_true(g_hash_table_contains(listed, key));
    }
  }
}

/* Every published figure belongs to a configuration, and its metric is one that a chart draws. */
static void
test_published_are_drawn(void)
{
  g_autoptr(GPtrArray) all = ms_experiment_list(NULL);

  for (guint i = 0; i < all->len; i++) {
    MsExperiment *e = all->pdata[i];
    g_autoptr(MsReport) report = ms_report_new(e);
    g_autoptr(GPtrArray) configurations = ms_experiment_expand(e, FALSE);
    for (guint k = 0; k < configurations->len; k++)
      ms_report_add_row(report, configurations->pdata[k], "row", "group");
    g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
    g_autofree char *words = ms_chart_describe(chart);
    for (guint k = 0; k < e->published->len; k++) {
      const MsPublished *p = e->published->pdata[k];
      g_autofree char *name = g_strdup_printf("published, %s", p->device);
      if (!strstr(words, name))
        g_test_message("%s: [Published %s] is not drawn", e->name, p->device);
      g_assert_nonnull(strstr(words, name));
    }
  }
}

/* (transfer full): the row of the README's table of settings, with that of another kind if it says "those of KIND". */
static char *
find_settings_row(const char *readme, const char *kind)
{
  g_autofree char *begin = g_strdup_printf("\n| %s |", kind);
  const char *row = strstr(readme, begin);

  if (!row)
    g_error("The README of the experiments has no row of settings for %s", kind);
  g_autofree char *own = g_strndup(row, strcspn(row + 1, "\n") + 1);
  const char *other = strstr(own, "| those of ");
  g_autofree char *name = other ? g_strndup(other + 11, strcspn(other + 11, " ,")) : NULL;
  g_autofree char *others = name ? find_settings_row(readme, name) : g_strdup("");
  return g_strconcat(own, others, NULL);
}

/* (transfer full): the words of @text from @from up to @to. */
static GStrv
split_words(const char *text, const char *from, const char *to)
{
  const char *begin = strstr(text, from), *end = begin ? strstr(begin, to) : NULL;

  if (!end)
    g_error("The README of the experiments has no '%s' with '%s' behind it", from, to);
  g_autofree char *part = g_strndup(begin + strlen(from), (gsize)(end - begin) - strlen(from));
  return g_strsplit_set(part, " ,;\n", -1);
}

/* The README lists every kind of experiment, in its table every setting of each, and what charts can show. */
static void
test_readme(void)
{
  const MsLabKind *const tables[] = {ms_lab_array_kinds, ms_lab_memory_kinds, ms_lab_picture_kinds, ms_lab_peer_kinds};
  g_autofree char *path = g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "experiments", "README.md", NULL);
  g_autofree char *readme = NULL;
  g_autoptr(GError) error = NULL;

  g_file_get_contents(path, &readme, NULL, &error);
  g_assert_no_error(error);
  g_auto(GStrv) kinds = split_words(readme, "Kind=mean-shift", "Study=MS");
  g_auto(GStrv) quantities = split_words(readme, "Y=time ", "Y2=");
  g_autoptr(GPtrArray) metrics = ms_report_find_metrics(NULL, MS_METRIC_PLOTTED | MS_METRIC_USUAL | MS_METRIC_RARE);
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++)
    for (const MsLabKind *kind = tables[i]; kind->name; kind++) {
      g_autofree char *row = find_settings_row(readme, kind->name);
      if (!g_strv_contains((const char *const *)kinds, kind->name))
        g_error("The README of the experiments does not list the kind %s", kind->name);
      for (const MsLabKey *key = kind->keys; key && key->key; key++) {
        g_autofree char *quoted = g_strdup_printf("`%s`", key->key);
        if (!strstr(row, quoted))
          g_error("The README of the experiments does not list the setting %s of %s", key->key, kind->name);
      }
    }
  for (guint i = 0; i < metrics->len; i++) {
    const MsMetric *metric = metrics->pdata[i];
    if (!g_strv_contains((const char *const *)quantities, metric->name))
      g_error("The README of the experiments does not list the metric %s", metric->name);
  }
}

void
ms_test_lab_experiment(void)
{
  g_test_add_func("/lab/experiment/shipped", test_all_are_shipped);
  g_test_add_func("/lab/experiment/sound", test_shipped_ones_are_sound);
  g_test_add_func("/lab/experiment/expand", test_expand);
  g_test_add_func("/lab/experiment/published", test_published);
  g_test_add_func("/lab/experiment/cases", test_cases);
  g_test_add_func("/lab/experiment/quick-cases", test_quick_cases);
  g_test_add_func("/lab/experiment/wrong-files", test_wrong_files);
  g_test_add_func("/lab/experiment/one-clock", test_one_clock);
  g_test_add_func("/lab/experiment/own-file", test_own_file);
  g_test_add_func("/lab/experiment/columns", test_columns);
  g_test_add_func("/lab/experiment/sizes", test_sizes);
  g_test_add_func("/lab/experiment/readme", test_readme);
  g_test_add_func("/lab/experiment/unknown-key", test_unknown_key);
  g_test_add_func("/lab/experiment/warp-model", test_warp_model);
  g_test_add_func("/lab/experiment/accesses", test_accesses);
  g_test_add_func("/lab/experiment/studies-index", test_studies_index);
  g_test_add_func("/lab/experiment/published-are-drawn", test_published_are_drawn);
}
