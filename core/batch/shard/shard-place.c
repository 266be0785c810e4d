/* SPDX-License-Identifier: MIT */
#include "core/batch/shard/shard-place.h"

#include <inttypes.h>
#include <string.h>

/**
 * Engine: one scheduler.
 * @index: variable with the number of this process
 * @count: (nullable): variable with the number of processes; %NULL where the scheduler does not set one
 * @first: the number of the first process; @first_variable and @step: (nullable): variables that change it and the step
 */
typedef struct {
  const char *name;
  const char *index;
  const char *count;
  guint64 first;
  const char *first_variable;
  const char *step;
} Engine;

/* The array comes first: its tasks may have ranks, which multiply the number of shards. */
static const Engine engines[] = {
  {"a Slurm array", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", 0, "SLURM_ARRAY_TASK_MIN",
   "SLURM_ARRAY_TASK_STEP"},
  {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", 0, NULL, NULL},
  {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0, NULL, NULL},
  {"PMI", "PMI_RANK", "PMI_SIZE", 0, NULL, NULL},
  {"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", 0, NULL, NULL},
  {"Kubernetes", "JOB_COMPLETION_INDEX", NULL, 0, NULL, NULL},
  {"GNU parallel", "PARALLEL_SEQ", NULL, 1, NULL, NULL},
};

#define ARRAY 0
#define FIRST_RANK 1
#define LAST_RANK 3

/* The place in one scheduler: @index from 0; @count is 0 where the scheduler does not state it. */
typedef struct {
  const Engine *engine;
  guint64 index;
  guint64 count;
} Place;

static gboolean
read_number(const char *const *environment, const char *name, guint64 *value)
{
  const char *text = name ? g_environ_getenv((char **)environment, name) : NULL;

  return text && g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32, value, NULL);
}

/*
 * %FALSE where @engine did not start the process: a rank counts only with the number of ranks, which a batch script
 * lacks.
 */
static gboolean
read_place(const Engine *engine, const char *const *environment, Place *place)
{
  guint64 first = engine->first, step = 1;

  *place = (Place){.engine = engine};
  if (!read_number(environment, engine->index, &place->index))
    return FALSE;
  if (engine->count && !read_number(environment, engine->count, &place->count))
    return FALSE;
  read_number(environment, engine->first_variable, &first);
  read_number(environment, engine->step, &step);
  if (place->index < first || step == 0 || (place->index - first) % step != 0)
    return FALSE;
  place->index = (place->index - first) / step;
  return TRUE;
}

static gboolean
is_same_place(const Place *a, const Place *b)
{
  return a->index == b->index && a->count == b->count;
}

static gboolean
is_rank(const Place *place)
{
  return place->engine >= &engines[FIRST_RANK] && place->engine <= &engines[LAST_RANK];
}

static void
refuse_two(const Place *a, const Place *b, GError **error)
{
  ms_set_error(error, MS_ERROR_USAGE,
               "--shard auto finds two places for this process, of %s (%s) and of %s (%s); give one as I/N.",
               a->engine->name, a->engine->index, b->engine->name, b->engine->index);
}

/* Ranks of one array task share it; several launchers may state the same rank. */
static gboolean
combine(Place *into, const Place *next, GError **error)
{
  gboolean ranks_of_task = into->engine == &engines[ARRAY] && is_rank(next);

  if (!into->engine || (ranks_of_task && into->count == 0)) {
    *into = *next;
  } else if (ranks_of_task) {
    *into = (Place){next->engine, into->index * next->count + next->index, into->count * next->count};
  } else if (!is_same_place(into, next)) {
    refuse_two(into, next, error);
    return FALSE;
  }
  return TRUE;
}

/* Several launchers set the variables of one rank, so ranks are compared before they are combined with the array. */
static gboolean
find_place(const char *const *environment, Place *found, GError **error)
{
  Place array = {NULL}, other = {NULL}, place;

  for (gsize i = 0; i < G_N_ELEMENTS(engines); i++)
    if (read_place(&engines[i], environment, &place) && !combine(i == ARRAY ? &array : &other, &place, error))
      return FALSE;
  *found = array.engine ? array : other;
  return !array.engine || !other.engine || combine(found, &other, error);
}

static char *
list_variables(void)
{
  GString *text = g_string_new(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(engines); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", engines[i].index);
  return g_string_free(text, FALSE);
}

static void
refuse_none(GError **error)
{
  g_autofree char *variables = list_variables();

  ms_set_error(error, MS_ERROR_USAGE,
               "--shard auto finds no job scheduler: none of %s is set with its count; give the place as I/N.",
               variables);
}

/*
 * A single task that is run again, as in sbatch --array=3,7, would have another index and filter another part of the
 * images.
 */
static gboolean
check_count(const Place *place, guint64 count, GError **error)
{
  if (count == 0)
    ms_set_error(error, MS_ERROR_USAGE,
                 "%s does not say how many processes there are; give their number, as in --shard auto/8.",
                 place->engine->name);
  else if (count > G_MAXUINT32 || place->index >= count)
    ms_set_error(error, MS_ERROR_USAGE,
                 "%s says that this is process %" PRIu64 " of %" PRIu64
                 "; number the processes without gaps, or give their number, as in --shard auto/8.",
                 place->engine->name, place->index + 1, count);
  else
    return TRUE;
  return FALSE;
}

/**
 * ms_shard_place_find:
 * @environment: (array zero-terminated=1): NAME=VALUE
 * @count: number of shards, 0 to take it from the environment
 *
 * Reads the place of this process among those that a scheduler started: Slurm (arrays, ranks of srun, and both), Open
 * MPI, PMI, AWS Batch, Kubernetes and GNU parallel.
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when there is none, there are two, or the number of processes is missing
 */
gboolean
ms_shard_place_find(const char *const *environment, guint count, MsShard *shard, GError **error)
{
  Place place = {NULL};

  if (!find_place(environment, &place, error))
    return FALSE;
  if (!place.engine) {
    refuse_none(error);
    return FALSE;
  }
  guint64 n = count > 0 ? count : place.count;
  if (!check_count(&place, n, error))
    return FALSE;
  *shard = (MsShard){(guint)place.index + 1, (guint)n};
  return TRUE;
}
