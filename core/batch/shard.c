/* SPDX-License-Identifier: MIT */
#include "core/batch/shard.h"

#include <inttypes.h>
#include <string.h>

#include "core/error.h"

/* The shard that a job scheduler gives this process */

/**
 * Scheduler: one scheduler.
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
} Scheduler;

/* The array comes first: its tasks may have ranks, which multiply the number of shards. */
static const Scheduler schedulers[] = {
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
  const Scheduler *scheduler;
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
 * %FALSE where @scheduler did not start the process: a rank counts only with the number of ranks, which a batch script
 * lacks.
 */
static gboolean
read_place(const Scheduler *scheduler, const char *const *environment, Place *place)
{
  guint64 first = scheduler->first, step = 1;

  *place = (Place){.scheduler = scheduler};
  if (!read_number(environment, scheduler->index, &place->index))
    return FALSE;
  if (scheduler->count && !read_number(environment, scheduler->count, &place->count))
    return FALSE;
  read_number(environment, scheduler->first_variable, &first);
  read_number(environment, scheduler->step, &step);
  if (place->index < first || step == 0 || (place->index - first) % step != 0)
    return FALSE;
  place->index = (place->index - first) / step;
  return TRUE;
}

static gboolean
is_rank(const Place *place)
{
  return place->scheduler >= &schedulers[FIRST_RANK] && place->scheduler <= &schedulers[LAST_RANK];
}

static void
refuse_two(const Place *a, const Place *b, GError **error)
{
  ms_set_error(error, MS_ERROR_USAGE,
               "--shard auto finds two places for this process, of %s (%s) and of %s (%s); give one as I/N.",
               a->scheduler->name, a->scheduler->index, b->scheduler->name, b->scheduler->index);
}

/* Ranks of one array task share it; several launchers may state the same rank. */
static gboolean
combine(Place *into, const Place *next, GError **error)
{
  gboolean ranks_of_task = into->scheduler == &schedulers[ARRAY] && is_rank(next);

  if (!into->scheduler || (ranks_of_task && into->count == 0)) {
    *into = *next;
  } else if (ranks_of_task) {
    *into = (Place){next->scheduler, into->index * next->count + next->index, into->count * next->count};
  } else if (into->index != next->index || into->count != next->count) {
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

  for (gsize i = 0; i < G_N_ELEMENTS(schedulers); i++)
    if (read_place(&schedulers[i], environment, &place) && !combine(i == ARRAY ? &array : &other, &place, error))
      return FALSE;
  *found = array.scheduler ? array : other;
  return !array.scheduler || !other.scheduler || combine(found, &other, error);
}

static char *
list_variables(void)
{
  GString *text = g_string_new(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(schedulers); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", schedulers[i].index);
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
                 place->scheduler->name);
  else if (count > G_MAXUINT32 || place->index >= count)
    ms_set_error(error, MS_ERROR_USAGE,
                 "%s says that this is process %" PRIu64 " of %" PRIu64
                 "; number the processes without gaps, or give their number, as in --shard auto/8.",
                 place->scheduler->name, place->index + 1, count);
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
  if (!place.scheduler) {
    refuse_none(error);
    return FALSE;
  }
  guint64 n = count > 0 ? count : place.count;
  if (!check_count(&place, n, error))
    return FALSE;
  *shard = (MsShard){(guint)place.index + 1, (guint)n};
  return TRUE;
}

/* Shards by the names of images */

#define AUTO "auto"

#define FNV_OFFSET G_GUINT64_CONSTANT(14695981039346656037)
#define FNV_PRIME G_GUINT64_CONSTANT(1099511628211)

static gboolean
parse_count(const char **text, guint *value)
{
  char *end = NULL;
  guint64 number = g_ascii_isdigit(**text) ? g_ascii_strtoull(*text, &end, 10) : 0;

  if (number < 1 || number > G_MAXUINT32)
    return FALSE;
  *value = (guint)number;
  *text = end;
  return TRUE;
}

/* "auto" or "auto/N"; *@count is 0 for the former. */
static gboolean
parse_auto(const char *text, guint *count)
{
  const char *rest = text + strlen(AUTO);

  *count = 0;
  if (!g_str_has_prefix(text, AUTO))
    return FALSE;
  return *rest == '\0' || (*rest++ == '/' && parse_count(&rest, count) && *rest == '\0');
}

/**
 * ms_shard_parse:
 * @text: "I/N" with 1 <= I <= N, or "auto" or "auto/N" for the place that a job scheduler gave this process
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for other texts, and where there is no scheduler; see ms_shard_place_find()
 */
gboolean
ms_shard_parse(const char *text, MsShard *shard, GError **error)
{
  const char *rest = text;
  MsShard read = {0, 0};

  if (parse_auto(text, &read.count)) {
    g_auto(GStrv) environment = g_get_environ();
    return ms_shard_place_find((const char *const *)environment, read.count, shard, error);
  }
  if (parse_count(&rest, &read.index) && *rest++ == '/' && parse_count(&rest, &read.count) && *rest == '\0' &&
      read.index <= read.count) {
    *shard = read;
    return TRUE;
  }
  ms_set_error(error, MS_ERROR_USAGE,
               "--shard cannot be '%s'; it takes PART/PARTS, as in 2/8 for the second of eight, or auto.", text);
  return FALSE;
}

/* FNV-1a with a final mix, so that names that differ in one digit are spread evenly modulo small counts. */
static guint64
hash_name(const char *name)
{
  guint64 hash = FNV_OFFSET;

  for (const char *p = name; *p; p++)
    hash = (hash ^ (guint8)*p) * FNV_PRIME;
  hash ^= hash >> 33;
  hash *= G_GUINT64_CONSTANT(0xff51afd7ed558ccd);
  return hash ^ (hash >> 33);
}

/**
 * ms_shard_takes:
 * @relative: the image's path below the folder argument, or its name alone
 *
 * Depends on the name alone and not on its position in the list, so that machines that mount the folder under other
 * paths, or list it while images are added, still assign each image to exactly one shard.
 */
gboolean
ms_shard_takes(const MsShard *self, const char *relative)
{
  return hash_name(relative) % self->count == self->index - 1;
}
