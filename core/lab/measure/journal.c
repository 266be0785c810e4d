/* SPDX-License-Identifier: MIT */
/*
 * The journal is a memory file of lines, each a letter and a GVariant as text, such as "b (3, 120.0, 5391)". Lines are
 * only appended. A line that was cut when its process was killed does not parse, and is passed over as any other text
 * that is not a record.
 */
#include "core/lab/measure/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"

/* The records by their letters, with the types of their values; configurations are numbered in the order of 'c'. */
#define KEY "(s)"                           /* c: the key of the next configuration */
#define CLOCK "(x)"                         /* t: when the command began, in microseconds of the monotonic clock */
#define BEGIN "(udx)"                       /* b: configuration, seconds that its step may take or 0, when it began */
#define END "()"                            /* e: the step ended */
#define SAMPLE "(uudda(ssttb))"             /* s: configuration, round, time, wall time, events */
#define KERNELS "(ua" MS_RECORD_MESSAGE ")" /* k: configuration, what the driver tells of its kernels */
#define OUTCOME "(u" MS_RECORD_MESSAGE ")"  /* o: configuration, the rest of its measurement */
#define DEATH "(uiss)" /* d: configuration or NOBODY, outcome, why in English and in the user's language */

#define NOBODY G_MAXUINT32
#define PIECE (64 << 10)

/* A line of a sample with many events is some kilobytes long. */
#define MOST_LINE (1 << 20)

#define MEMBER(member, form) MS_FIELD(MsMeasurement, member, form, #member)
static const MsField outcome_fields[] = {
  MEMBER(outcome, OWN),
  MEMBER(message, TEXT),
  MEMBER(shown, TEXT),
  MEMBER(prepare_ns, NUMBER),
  MEMBER(first_ns, NUMBER),
  MEMBER(first_wall_ns, NUMBER),
  MEMBER(rejected, COUNT),
  MEMBER(verification.done, BOOLEAN),
  MEMBER(verification.total, COUNT),
  MEMBER(verification.mismatches, COUNT),
  MEMBER(verification.max_difference, NUMBER),
  MEMBER(verification.against, TEXT),
  MEMBER(verification.result, TEXT),
  MEMBER(verification.expected, TEXT),
  MEMBER(verification.reference_ns, NUMBER),
  MEMBER(work, OWN),
  MEMBER(joules, NUMBER),
  MEMBER(watts, NUMBER),
  MEMBER(energy_source, TEXT),
  MEMBER(conditions.source, TEXT),
  MEMBER(conditions.throttling, TEXT),
  MEMBER(conditions.start, OWN),
  MEMBER(conditions.end, OWN),
  MEMBER(conditions.load_before, NUMBER),
  MEMBER(conditions.foreign_load, NUMBER),
};
static const MsRecord outcome_record = MS_RECORD(outcome_fields);

/* The parts of a measurement that a record names. */
typedef struct {
  char *key;
  MsMeasurement *measurement;
  gboolean ended; /* finished or dead */
} Entry;

struct _MsLabJournal {
  int fd;
  gboolean watches;   /* whether samples are of no interest */
  goffset position;   /* of the first byte that was not read */
  GString *line;      /* the beginning of a line */
  GPtrArray *entries; /* Entry, by number */
  GHashTable *by_key; /* key -> number */
  guint32 running;    /* the configuration whose step runs, or NOBODY */
  double limit_s;
  gint64 began_us;
  gint64 started_us; /* 0 until ms_lab_journal_start_clock() */
  guint deaths;
  guint n_ended;
  guint n_seen; /* at the last ms_lab_journal_has_grown() */
};

static void
free_entry(gpointer data)
{
  Entry *entry = data;

  g_free(entry->key);
  ms_measurement_free(entry->measurement);
  g_free(entry);
}

static MsLabJournal *
journal_new(int fd, gboolean watches)
{
  MsLabJournal *self = g_new0(MsLabJournal, 1);

  self->fd = fd;
  self->watches = watches;
  self->line = g_string_new(NULL);
  self->entries = g_ptr_array_new_with_free_func(free_entry);
  self->by_key = g_hash_table_new(g_str_hash, g_str_equal);
  self->running = NOBODY;
  return self;
}

/** ms_lab_journal_free: (nullable): closes the file. */
void
ms_lab_journal_free(MsLabJournal *self)
{
  if (!self)
    return;
  close(self->fd);
  g_string_free(self->line, TRUE);
  g_hash_table_unref(self->by_key);
  g_ptr_array_unref(self->entries);
  g_free(self);
}

/** ms_lab_journal_get_fd: the file, which children inherit; programs that are started otherwise do not. */
int
ms_lab_journal_get_fd(const MsLabJournal *self)
{
  return self->fd;
}

static void
append(MsLabJournal *self, char letter, GVariant *values)
{
  g_autoptr(GVariant) owned = g_variant_ref_sink(values);
  g_autofree char *text = g_variant_print(owned, FALSE);
  g_autofree char *line = g_strdup_printf("%c %s\n", letter, text);
  const char *p = line;

  for (gsize left = strlen(line); left > 0;) {
    const gssize n = write(self->fd, p, left);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return; /* without memory for its journal a measurement goes on */
    p += n;
    left -= (gsize)n;
  }
}

static Entry *
nth_entry(const MsLabJournal *self, guint32 number)
{
  return number < self->entries->len ? g_ptr_array_index(self->entries, number) : NULL;
}

static void
add_entry(MsLabJournal *self, const char *key)
{
  Entry *entry = g_new0(Entry, 1);

  entry->key = g_strdup(key);
  entry->measurement = ms_measurement_new();
  g_hash_table_insert(self->by_key, entry->key, GUINT_TO_POINTER(self->entries->len));
  g_ptr_array_add(self->entries, entry);
}

static void
end_entry(MsLabJournal *self, Entry *entry)
{
  self->n_ended += !entry->ended;
  entry->ended = TRUE;
}

static MsOutcome
checked_outcome(gint32 outcome)
{
  return outcome > MS_OUTCOME_PENDING && outcome <= MS_OUTCOME_TIMEOUT ? (MsOutcome)outcome : MS_OUTCOME_RUN;
}

static gboolean
is_next_round(const MsMeasurement *m, guint32 round)
{
  return m->rounds->len == 0 || round > g_array_index(m->rounds, guint, m->rounds->len - 1);
}

static void
take_sample(MsLabJournal *self, GVariant *values)
{
  g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(MsLabEvent));
  g_autoptr(GVariantIter) iter = NULL;
  MsSample sample = {-1, events};
  MsLabEvent event = {0};
  guint32 number, round;
  double wall_ns;

  g_variant_get(values, SAMPLE, &number, &round, &sample.ns, &wall_ns, &iter);
  while (
    g_variant_iter_next(iter, "(&s&sttb)", &event.stage, &event.name, &event.ended_ns, &event.bytes, &event.headline))
    ms_sample_add_event(&sample, &event);
  Entry *entry = nth_entry(self, number);
  if (entry && isfinite(sample.ns) && is_next_round(entry->measurement, round))
    ms_measurement_keep(entry->measurement, &sample, wall_ns, round);
}

static void
take_kernels(MsLabJournal *self, GVariant *values)
{
  g_autoptr(GVariantIter) iter = NULL;
  GVariant *message;
  guint32 number;

  g_variant_get(values, KERNELS, &number, &iter);
  Entry *entry = nth_entry(self, number);
  while (g_variant_iter_next(iter, "@" MS_RECORD_MESSAGE, &message)) {
    MsKernelNote *note = ms_kernel_note_new(NULL);
    ms_record_from_message(&ms_kernel_note_record, note, message);
    g_variant_unref(message);
    if (entry)
      g_ptr_array_add(entry->measurement->kernels, note);
    else
      ms_kernel_note_free(note);
  }
}

static void
take_outcome(MsLabJournal *self, GVariant *values)
{
  g_autoptr(GVariant) message = NULL;
  guint32 number;

  g_variant_get(values, "(u@" MS_RECORD_MESSAGE ")", &number, &message);
  Entry *entry = nth_entry(self, number);
  if (!entry)
    return;
  ms_record_from_message(&outcome_record, entry->measurement, message);
  entry->measurement->outcome = checked_outcome((gint32)entry->measurement->outcome);
  end_entry(self, entry);
}

/* A configuration that had ended when its energy was measured keeps its times. */
static void
take_death(MsLabJournal *self, GVariant *values)
{
  const char *english, *shown;
  guint32 number;
  gint32 outcome;

  g_variant_get(values, "(ui&s&s)", &number, &outcome, &english, &shown);
  self->running = NOBODY;
  self->deaths++;
  Entry *entry = nth_entry(self, number);
  if (!entry || entry->ended)
    return;
  ms_measurement_fail(entry->measurement, checked_outcome(outcome), english, shown);
  end_entry(self, entry);
}

static const struct {
  char letter;
  const char *type;
} records[] = {{'c', KEY},    {'t', CLOCK},   {'b', BEGIN},   {'e', END},
               {'s', SAMPLE}, {'k', KERNELS}, {'o', OUTCOME}, {'d', DEATH}};

static void
take_record(MsLabJournal *self, char letter, GVariant *values)
{
  const char *key;

  switch (letter) {
  case 'c':
    g_variant_get(values, "(&s)", &key);
    add_entry(self, key);
    break;
  case 't':
    g_variant_get(values, CLOCK, &self->started_us);
    break;
  case 'b':
    g_variant_get(values, BEGIN, &self->running, &self->limit_s, &self->began_us);
    break;
  case 'e':
    self->running = NOBODY;
    break;
  case 's':
    take_sample(self, values);
    break;
  case 'k':
    take_kernels(self, values);
    break;
  case 'o':
    take_outcome(self, values);
    break;
  case 'd':
    take_death(self, values);
    break;
  }
}

static void
take_line(MsLabJournal *self, const char *line)
{
  if (!line[0] || line[1] != ' ' || (self->watches && line[0] == 's'))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(records); i++) {
    if (records[i].letter != line[0])
      continue;
    g_autoptr(GVariant) values = g_variant_parse(G_VARIANT_TYPE(records[i].type), line + 2, NULL, NULL, NULL);
    if (values)
      take_record(self, line[0], values);
  }
}

/* Reads what was appended since the last call. Children share the position of the file, so this process has its own. */
static void
read_on(MsLabJournal *self)
{
  g_autofree char *piece = g_malloc(PIECE);
  gssize n;

  while ((n = pread(self->fd, piece, PIECE, self->position)) > 0) {
    self->position += n;
    for (const char *p = piece, *end = piece + n; p < end;) {
      const char *next = memchr(p, '\n', (gsize)(end - p));
      g_string_append_len(self->line, p, (next ? next : end) - p);
      if (next || self->line->len > MOST_LINE) {
        if (next)
          take_line(self, self->line->str);
        g_string_truncate(self->line, 0);
      }
      p = next ? next + 1 : end;
    }
  }
}

/** ms_lab_journal_new: (transfer full): an empty journal, for the process that watches, or #MS_ERROR_MEMORY. */
MsLabJournal *
ms_lab_journal_new(GError **error)
{
  const int fd = memfd_create("meanshift-lab-journal", MFD_CLOEXEC);

  if (fd >= 0 && fcntl(fd, F_SETFL, O_APPEND) == 0)
    return journal_new(fd, TRUE);
  ms_set_error(error, MS_ERROR_MEMORY, "The memory for what was measured cannot be had: %s.", ms_errno_text(errno));
  if (fd >= 0)
    close(fd);
  return NULL;
}

/**
 * ms_lab_journal_open:
 * @fd: (transfer full): the descriptor of a journal that this process inherited
 *
 * Returns: (transfer full) (nullable): what earlier processes wrote there; %NULL if it is not a journal
 */
MsLabJournal *
ms_lab_journal_open(int fd)
{
  if (fd < 0 || fcntl(fd, F_GET_SEALS) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
    return NULL;
  MsLabJournal *self = journal_new(fd, FALSE);
  read_on(self);
  if (self->line->len > 0 && write(fd, "\n", 1) == 1) /* ends a line that was cut, perhaps of nothing but its end */
    read_on(self);
  self->running = NOBODY;
  return self;
}

static double
seconds_of_step(const MsLabJournal *self)
{
  return ((double)g_get_monotonic_time() - (double)self->began_us) * 1e-6;
}

/**
 * ms_lab_journal_seconds_left: how long the step that runs may still take; negative when the child that runs it should
 * be killed, %INFINITY where nothing runs or it has no limit.
 */
double
ms_lab_journal_seconds_left(MsLabJournal *self)
{
  read_on(self);
  if (!nth_entry(self, self->running) || !(self->limit_s > 0))
    return INFINITY;
  return self->limit_s - seconds_of_step(self);
}

static GError *
describe_death(MsLabJournal *self, const char *clause)
{
  const double left = ms_lab_journal_seconds_left(self);
  GError *error = NULL;

  if (left <= 0)
    ms_set_error(&error, MS_ERROR_TIMEOUT, "It did not end within %.3g s, and its process was ended.", self->limit_s);
  else
    ms_set_error(&error, MS_ERROR_DEVICE, "The process that measured it died after %.1f s: %s.", seconds_of_step(self),
                 clause);
  return error;
}

/**
 * ms_lab_journal_note_death:
 * @clause: how the child that measured ended, as of ms_child_describe_end()
 *
 * Marks the configuration whose step ran as failed, with @clause, or as a time-out if its time was over. To be called
 * after the child has ended.
 */
void
ms_lab_journal_note_death(MsLabJournal *self, const char *clause)
{
  g_autoptr(GError) error = describe_death(self, clause);
  g_autofree char *english = ms_error_dup_english(error);
  g_autofree char *valid = g_utf8_make_valid(english, -1), *shown = g_utf8_make_valid(error->message, -1);

  if (self->line->len > 0 && write(self->fd, "\n", 1) != 1)
    return;
  append(self, 'd', g_variant_new(DEATH, self->running, (gint32)ms_outcome_from_error(error), valid, shown));
  read_on(self);
}

/**
 * ms_lab_journal_has_grown: whether another configuration was finished, or ended its process, since the last call; a
 * child that died without is started again in vain.
 */
gboolean
ms_lab_journal_has_grown(MsLabJournal *self)
{
  read_on(self);
  const gboolean grown = self->n_ended > self->n_seen;
  self->n_seen = self->n_ended;
  return grown;
}

/** ms_lab_journal_count_deaths: how many processes have ended before their work was done. */
guint
ms_lab_journal_count_deaths(const MsLabJournal *self)
{
  return self ? self->deaths : 0;
}

/** ms_lab_journal_start_clock: when the first process called this, in microseconds of the monotonic clock. */
gint64
ms_lab_journal_start_clock(MsLabJournal *self)
{
  const gint64 now = g_get_monotonic_time();

  if (!self || self->started_us > 0)
    return self ? MIN(self->started_us, now) : now;
  self->started_us = now;
  append(self, 't', g_variant_new(CLOCK, now));
  return now;
}

/**
 * ms_lab_journal_nth:
 * @key: (out): of the configuration
 *
 * Returns: (transfer none) (nullable): what earlier processes measured, in the order in which the configurations began;
 *   %NULL after the last
 */
const MsMeasurement *
ms_lab_journal_nth(const MsLabJournal *self, guint n, const char **key)
{
  const Entry *entry = self ? nth_entry(self, n) : NULL;

  *key = entry ? entry->key : NULL;
  return entry ? entry->measurement : NULL;
}

/**
 * ms_lab_journal_restore:
 * @key: (nullable): of the configuration
 * @measurement: (inout): pending, without samples
 *
 * Moves what an earlier process has measured to @measurement: samples, and the outcome if it had one.
 *
 * Returns: whether there was anything
 */
gboolean
ms_lab_journal_restore(MsLabJournal *self, const char *key, MsMeasurement *measurement)
{
  gpointer number;

  if (!self || !key || !g_hash_table_lookup_extended(self->by_key, key, NULL, &number))
    return FALSE;
  Entry *entry = nth_entry(self, GPOINTER_TO_UINT(number));
  MsMeasurement fresh = *measurement;
  *measurement = *entry->measurement;
  *entry->measurement = fresh;
  return TRUE;
}

static guint32
number_of(MsLabJournal *self, const char *key)
{
  gpointer number;

  if (g_hash_table_lookup_extended(self->by_key, key, NULL, &number))
    return GPOINTER_TO_UINT(number);
  append(self, 'c', g_variant_new(KEY, key));
  add_entry(self, key);
  return self->entries->len - 1;
}

/**
 * ms_lab_journal_begin:
 * @key: (nullable): of the configuration; without one nothing is written
 * @seconds: the time that the step may take; then the process is ended; 0 for no limit
 *
 * To be called before a step of a configuration calls the driver, and ms_lab_journal_end() after it.
 */
void
ms_lab_journal_begin(MsLabJournal *self, const char *key, double seconds)
{
  if (self && key)
    append(self, 'b', g_variant_new(BEGIN, number_of(self, key), seconds, g_get_monotonic_time()));
}

void
ms_lab_journal_end(MsLabJournal *self)
{
  if (self)
    append(self, 'e', g_variant_new(END));
}

/** ms_lab_journal_keep: keeps a sample that ms_measurement_keep() takes. */
void
ms_lab_journal_keep(MsLabJournal *self, const char *key, const MsSample *sample, double wall_ns, guint round)
{
  GVariantBuilder events;

  if (!self || !key)
    return;
  g_variant_builder_init(&events, G_VARIANT_TYPE("a(ssttb)"));
  for (guint i = 0; i < sample->events->len; i++) {
    const MsLabEvent *event = &g_array_index(sample->events, MsLabEvent, i);
    g_variant_builder_add(&events, "(ssttb)", event->stage, event->name, event->ended_ns - event->started_ns,
                          event->bytes, event->headline);
  }
  append(self, 's', g_variant_new(SAMPLE, number_of(self, key), round, sample->ns, wall_ns, &events));
}

/** ms_lab_journal_describe: keeps what the driver tells of the kernels, of #MsKernelNote. */
void
ms_lab_journal_describe(MsLabJournal *self, const char *key, GPtrArray *kernels)
{
  GVariantBuilder notes;

  if (!self || !key || kernels->len == 0)
    return;
  g_variant_builder_init(&notes, G_VARIANT_TYPE("a" MS_RECORD_MESSAGE));
  for (guint i = 0; i < kernels->len; i++)
    g_variant_builder_add_value(&notes, ms_record_to_message(&ms_kernel_note_record, kernels->pdata[i]));
  append(self, 'k', g_variant_new(KERNELS, number_of(self, key), &notes));
}

/** ms_lab_journal_finish: keeps the outcome of a configuration, which is not measured again. */
void
ms_lab_journal_finish(MsLabJournal *self, const char *key, const MsMeasurement *measurement)
{
  if (self && key)
    append(self, 'o',
           g_variant_new("(u@" MS_RECORD_MESSAGE ")", number_of(self, key),
                         ms_record_to_message(&outcome_record, measurement)));
}
