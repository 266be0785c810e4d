/* SPDX-License-Identifier: MIT */
/* Shards: the place that a job scheduler gives a process, and the images that belong to it. */
#include <string.h>

#include "core/batch/shard.h"
#include "tests/batch/batch-fixture.h"
#include "tests/support/cases.h"

/* An environment, what --shard auto or auto/N makes of it, or words of the error. */
typedef struct {
  const char *environment;
  guint asked;
  const char *expected;
} PlaceCase;

#define ARRAY_TASK "SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_ID="

/* As the schedulers set them: Slurm 22.05, Open MPI 4.1, MPICH's Hydra, and the documents of AWS and Kubernetes. */
static const PlaceCase places[] = {
  {ARRAY_TASK "1", 0, "1/8"},
  {ARRAY_TASK "8", 0, "8/8"},
  {ARRAY_TASK "3 SLURM_PROCID=0 SLURM_NTASKS=1", 0, "3/8"},
  {ARRAY_TASK "2 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", 0, "8/32"},
  {ARRAY_TASK "2 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 PMI_RANK=3 PMI_SIZE=4", 0, "8/32"},
  {"SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=5 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_ID=20", 0, "3/4"},
  {"SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_ID=0", 0, "1/2"},
  {"SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_ID=7", 0, "gaps"},
  {"SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=6", 0, "3/6"},
  {"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2", 0, "1/2"},
  {"PMI_RANK=4 PMI_SIZE=5", 0, "5/5"},
  {"AWS_BATCH_JOB_ARRAY_INDEX=9 AWS_BATCH_JOB_ARRAY_SIZE=10", 0, "10/10"},
  {"JOB_COMPLETION_INDEX=0", 16, "1/16"},
  {"JOB_COMPLETION_INDEX=0", 0, "auto/8"},
  {"JOB_COMPLETION_INDEX=16", 16, "process 17 of 16"},
  {"PARALLEL_SEQ=3", 3, "3/3"},
  {"PARALLEL_SEQ=0", 3, "no job scheduler"},
  {"PARALLEL_SEQ=1 JOB_COMPLETION_INDEX=3", 4, "two places"},
  {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 PMI_RANK=0 PMI_SIZE=2", 0, "two places"},
  {"SLURM_PROCID=-1 SLURM_STEP_NUM_TASKS=6", 0, "no job scheduler"},
  {"SLURM_PROCID=0 SLURM_NTASKS=6", 0, "no job scheduler"},
  {"HOME=/", 0, "no job scheduler"},
};

static void
test_places(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
    g_auto(GStrv) environment = g_strsplit(places[i].environment, " ", -1);
    g_autoptr(GError) error = NULL;
    MsShard shard = {0, 0};
    gboolean found = ms_shard_place_find((const char *const *)environment, places[i].asked, &shard, &error);
    g_autofree char *text = found ? g_strdup_printf("%u/%u", shard.index, shard.count) : g_strdup(error->message);
    g_test_message("%s: %s", places[i].environment, text);
    g_assert_true(found ? strcmp(text, places[i].expected) == 0 : strstr(text, places[i].expected) != NULL);
  }
}

static void
test_words(void)
{
  static const char *const wrong[] = {"auto/", "auto/0", "auto/x", "autox", "auto/3/4", "AUTO"};
  MsShard shard = {0, 0};

  g_setenv("PARALLEL_SEQ", "2", TRUE);
  g_assert_true(ms_shard_parse("auto/5", &shard, NULL));
  g_assert_cmpuint(shard.index, ==, 2);
  g_assert_cmpuint(shard.count, ==, 5);
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
    g_assert_false(ms_shard_parse(wrong[i], &shard, NULL));
  g_unsetenv("PARALLEL_SEQ");
}

/* By name, an image that is added later moves no other. */
static void
test_by_name(BatchFixture *f, gconstpointer data)
{
  f->request.shard = (MsShard){1, 2};
  for (int i = 0; i < 10; i++) {
    g_autofree char *name = g_strdup_printf("p%02d.png", i);
    batch_fixture_add_picture(f, name, 10 + i, 3);
  }
  g_autoptr(GPtrArray) before = batch_fixture_plan(f);
  batch_fixture_add_picture(f, "a-new-and-large-one.png", 90, 90);
  g_autoptr(GPtrArray) after = batch_fixture_plan(f);
  guint k = after->len - before->len;
  g_assert_cmpuint(k, <=, 1);
  for (guint i = 0; i < before->len; i++)
    g_assert_cmpstr(batch_fixture_item(before, i)->input, ==, batch_fixture_item(after, i + k)->input);
}

/* A name belongs to the same shard on every machine and in every version: FNV-1a and a mix, computed with Python. */
static void
test_hash(void)
{
  static const struct {
    const char *name;
    guint shard;
  } rows[] = {{"p0.png", 34}, {"deep/p1.png", 50}, {"a/IMG_0001.JPG", 33}, {"\xff.png", 77}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    for (guint k = 1; k <= 97; k++)
      g_assert_cmpint(ms_shard_takes(&(MsShard){k, 97}, rows[i].name), ==, k == rows[i].shard);
}

void
ms_test_shard(void)
{
  g_test_add_func("/shard/places", test_places);
  g_test_add_func("/shard/words", test_words);
  g_test_add_func("/shard/hash", test_hash);
  BATCH_FIXTURE_ADD("shard/by-name", test_by_name);
}
