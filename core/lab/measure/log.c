/* SPDX-License-Identifier: MIT */
/*
 * Each line is an object whose first member "line" says what it tells; "of" is the key of the measurement:
 *
 *   started   when the command began, "at_us" of the monotonic clock
 *   begins    a step of the measurement calls the driver, and may take "seconds"; 0 for any time
 *   ended     that step ended
 *   sample    one run of it: its round, its times and its commands
 *   row       all of it, which replaces what was known before
 *   died      the process that ran the step that had begun ended before it did, with the reason
 *   complete  all measurements whose keys begin so were made; "head" describes them
 *   anew      all measurements whose keys begin so are forgotten
 *
 * Processes append lines to one log side by side. A line that was cut when its process was killed does not parse, and
 * is passed over as any other text that is not a line of a log.
 */
#include "core/lab/measure/log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"

#define PIECE (64 << 10)

/* The row of a run with many commands and repeats has some hundred kilobytes. */
#define MOST_LINE (16 << 20)

/* The process that watches passes over them, since there are many. */
#define SAMPLE_LINE "{\"line\":\"sample\""

/* A measurement, which has @ended where it was finished or ended its process. */
typedef struct {
  char *key;
  MsMeasurement *measurement;
  gboolean ended;
} Entry;

struct _MsLabLog {
  int fd;
  gboolean watches;     /* whether samples are of no interest */
  goffset position;     /* of the first byte that was not read */
  GString *line;        /* the beginning of a line */
  GPtrArray *entries;   /* Entry, in the order in which they began */
  GHashTable *by_key;   /* key -> Entry */
  GHashTable *complete; /* scope -> JsonObject: head */
  char *running;        /* (nullable): the key of the measurement whose step runs */
  double limit_s;
  gint64 began_us;
  gint64 started_us; /* 0 until ms_lab_log_start_clock() */
  guint deaths;
  guint n_ended;
  guint n_seen; /* at the last ms_lab_log_has_grown() */
};

static void
free_entry(gpointer data)
{
  Entry *entry = data;

  g_free(entry->key);
  ms_measurement_free(entry->measurement);
  g_free(entry);
}

static MsLabLog *
log_new(int fd, gboolean watches)
{
  MsLabLog *self = g_new0(MsLabLog, 1);

  self->fd = fd;
  self->watches = watches;
  self->line = g_string_new(NULL);
  self->entries = g_ptr_array_new_with_free_func(free_entry);
  self->by_key = g_hash_table_new(g_str_hash, g_str_equal);
  self->complete = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)json_object_unref);
  return self;
}

/** ms_lab_log_free: (nullable): closes the file. */
void
ms_lab_log_free(MsLabLog *self)
{
  if (!self)
    return;
  close(self->fd);
  g_string_free(self->line, TRUE);
  g_hash_table_unref(self->by_key);
  g_hash_table_unref(self->complete);
  g_ptr_array_unref(self->entries);
  g_free(self->running);
  g_free(self);
}

/** ms_lab_log_get_fd: the file, which children inherit; programs that are started otherwise do not. */
int
ms_lab_log_get_fd(const MsLabLog *self)
{
  return self->fd;
}

/**
 * ms_lab_log_scope:
 * @name: for people who read the log
 * @...: the texts on which the measurements depend: device, driver, build, sources, …; "" for an unknown one; then
 *   %NULL
 *
 * Returns: (transfer full): what the keys of all measurements begin with that depend on the same
 */
char *
ms_lab_log_scope(const char *name, ...)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  va_list texts;

  va_start(texts, name);
  for (const char *text; (text = va_arg(texts, const char *));)
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
  va_end(texts);
  g_autofree char *scope = g_strdup_printf("%.32s %s: ", g_checksum_get_string(sum), name);
  return g_utf8_make_valid(scope, -1);
}

static gboolean
write_all(const MsLabLog *self, const char *text)
{
  for (gsize left = strlen(text); left > 0;) {
    const gssize n = write(self->fd, text, left);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    text += n;
    left -= (gsize)n;
  }
  return TRUE;
}

/* (transfer full): a line that was begun. @key: (nullable) */
static JsonBuilder *
begin_line(const char *line, const char *key)
{
  JsonBuilder *b = json_builder_new();

  json_builder_begin_object(b);
  ms_json_add_text(b, "line", line);
  if (key)
    ms_json_add_text(b, "of", key);
  return b;
}

/* @b: (transfer full): ends the line and appends it to @text. */
static void
end_line(JsonBuilder *b, GString *text)
{
  json_builder_end_object(b);
  g_autoptr(JsonNode) root = json_builder_get_root(b);
  g_autofree char *line = json_to_string(root, FALSE);

  g_string_append(text, line);
  g_string_append_c(text, '\n');
  g_object_unref(b);
}

/* @b: (transfer full): appends the line to the log; a measurement goes on where that fails. */
static gboolean
append(MsLabLog *self, JsonBuilder *b)
{
  g_autoptr(GString) text = g_string_new(NULL);

  end_line(b, text);
  return write_all(self, text->str);
}

static Entry *
find_entry(const MsLabLog *self, const char *key)
{
  return key ? g_hash_table_lookup(self->by_key, key) : NULL;
}

static Entry *
find_or_add_entry(MsLabLog *self, const char *key)
{
  Entry *entry = find_entry(self, key);

  if (entry || !key)
    return entry;
  entry = g_new0(Entry, 1);
  entry->key = g_strdup(key);
  entry->measurement = ms_measurement_new();
  g_hash_table_insert(self->by_key, entry->key, entry);
  g_ptr_array_add(self->entries, entry);
  return entry;
}

static void
end_entry(MsLabLog *self, Entry *entry)
{
  self->n_ended += !entry->ended;
  entry->ended = TRUE;
}

static gboolean
starts_with(gpointer key, gpointer head, gpointer start)
{
  return g_str_has_prefix(key, start);
}

static void
drop_entries(MsLabLog *self, const char *start)
{
  for (guint i = self->entries->len; i-- > 0;) {
    const Entry *entry = self->entries->pdata[i];
    if (!g_str_has_prefix(entry->key, start))
      continue;
    g_hash_table_remove(self->by_key, entry->key);
    g_ptr_array_remove_index(self->entries, i);
  }
  g_hash_table_foreach_remove(self->complete, starts_with, (gpointer)start);
}

static gboolean
is_next_round(const MsMeasurement *m, guint round)
{
  return m->rounds->len == 0 || round > g_array_index(m->rounds, guint, m->rounds->len - 1);
}

static double
number_or_zero(JsonObject *object, const char *name)
{
  const double number = ms_json_get_number(object, name);

  return number > 0 && number < 0x1p53 ? number : 0;
}

static void
take_sample(MsMeasurement *m, JsonObject *object)
{
  g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(MsLabEvent));
  JsonArray *commands = ms_json_get_array(object, "commands");
  MsSample sample = {ms_json_get_number(object, "ns"), events};
  const double wall_ns = ms_json_get_number(object, "wall_ns"), round = ms_json_get_number(object, "round");

  if (!(sample.ns >= 0) || !(round >= 0 && round <= G_MAXINT32) || !is_next_round(m, (guint)round))
    return;
  for (guint i = 0; commands && i < json_array_get_length(commands); i++) {
    JsonObject *one = ms_json_get_element(commands, i);
    const char *stage = one ? ms_json_get_text(one, "stage") : NULL;
    if (stage)
      ms_sample_add_event(
        &sample, &(MsLabEvent){stage, ms_json_get_text(one, "name"), 0, (guint64)number_or_zero(one, "ns"),
                               (guint64)number_or_zero(one, "bytes"), ms_json_get_boolean(one, "headline", FALSE)});
  }
  ms_measurement_keep(m, &sample, wall_ns, (guint)round);
}

static void
take_row(MsLabLog *self, Entry *entry, JsonObject *object)
{
  JsonObject *measured = ms_json_get_object(object, "measured");

  if (!measured)
    return;
  ms_measurement_free(entry->measurement);
  entry->measurement = ms_measurement_new();
  ms_record_get(&ms_measurement_record, entry->measurement, measured);
  entry->measurement->verification.done = ms_json_get_object(measured, "verification") != NULL;
  entry->measurement->shown = g_strdup(ms_json_get_text(object, "shown"));
  if (entry->measurement->outcome == MS_OUTCOME_PENDING)
    entry->measurement->outcome = MS_OUTCOME_RUN;
  end_entry(self, entry);
}

/* A measurement that had ended when its energy was measured keeps its times. */
static void
take_death(MsLabLog *self, Entry *entry, JsonObject *object)
{
  const gboolean is_late = ms_json_get_boolean(object, "is_late", FALSE);

  g_clear_pointer(&self->running, g_free);
  self->deaths++;
  if (!entry || entry->ended)
    return;
  ms_measurement_fail(entry->measurement, is_late ? MS_OUTCOME_TIMEOUT : MS_OUTCOME_RUN,
                      ms_json_get_text(object, "message"), ms_json_get_text(object, "shown"));
  end_entry(self, entry);
}

static void
take_begin(MsLabLog *self, const char *key, JsonObject *object)
{
  g_free(self->running);
  self->running = g_strdup(key);
  self->limit_s = number_or_zero(object, "seconds");
  self->began_us = ms_json_get_integer(object, "at_us");
}

static void
take_object(MsLabLog *self, const char *line, const char *key, JsonObject *object)
{
  JsonObject *head = ms_json_get_object(object, "head");

  if (g_str_equal(line, "started"))
    self->started_us = ms_json_get_integer(object, "at_us");
  else if (g_str_equal(line, "ended"))
    g_clear_pointer(&self->running, g_free);
  else if (g_str_equal(line, "died"))
    take_death(self, find_or_add_entry(self, key), object);
  else if (!key)
    return;
  else if (g_str_equal(line, "begins"))
    take_begin(self, find_or_add_entry(self, key)->key, object);
  else if (g_str_equal(line, "sample"))
    take_sample(find_or_add_entry(self, key)->measurement, object);
  else if (g_str_equal(line, "row"))
    take_row(self, find_or_add_entry(self, key), object);
  else if (g_str_equal(line, "complete") && head)
    g_hash_table_replace(self->complete, g_strdup(key), json_object_ref(head));
  else if (g_str_equal(line, "anew"))
    drop_entries(self, key);
}

static void
take_line(MsLabLog *self, const char *text)
{
  if (text[0] != '{' || (self->watches && g_str_has_prefix(text, SAMPLE_LINE)))
    return;
  g_autoptr(JsonNode) root = ms_json_parse(text, -1, NULL);
  JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  const char *line = object ? ms_json_get_text(object, "line") : NULL;
  if (line)
    take_object(self, line, ms_json_get_text(object, "of"), object);
}

/* Reads what was appended since the last call. Children share the position of the file, so this process has its own. */
static void
read_on(MsLabLog *self)
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

/* Reads all, and ends a line that was cut, perhaps of nothing but its end, so that the next one is not part of it. */
static MsLabLog *
read_all(MsLabLog *self)
{
  read_on(self);
  if (self->line->len > 0 && write(self->fd, "\n", 1) == 1)
    read_on(self);
  g_clear_pointer(&self->running, g_free);
  return self;
}

/** ms_lab_log_new: (transfer full): an empty log in memory, for the process that watches, or #MS_ERROR_MEMORY. */
MsLabLog *
ms_lab_log_new(GError **error)
{
  const int fd = memfd_create("meanshift-lab-log", MFD_CLOEXEC);

  if (fd >= 0 && fcntl(fd, F_SETFL, O_APPEND) == 0)
    return log_new(fd, TRUE);
  ms_set_error(error, MS_ERROR_MEMORY, "The memory for what was measured cannot be had: %s.", ms_errno_text(errno));
  if (fd >= 0)
    close(fd);
  return NULL;
}

/**
 * ms_lab_log_inherit:
 * @fd: (transfer full): the descriptor of a log in memory that this process inherited
 *
 * Returns: (transfer full) (nullable): what earlier processes wrote there; %NULL if it is not a log
 */
MsLabLog *
ms_lab_log_inherit(int fd)
{
  if (fd < 0 || fcntl(fd, F_GET_SEALS) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
    return NULL;
  return read_all(log_new(fd, FALSE));
}

/**
 * ms_lab_log_open:
 * @path: of a file that earlier commands appended to
 * @creates: whether it is made where there is none, and written to
 *
 * Returns: (transfer full): what they measured; %NULL with #MS_ERROR_IO
 */
MsLabLog *
ms_lab_log_open(const char *path, gboolean creates, GError **error)
{
  const int mode = creates ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY;
  const int fd = open(path, mode | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat info;

  if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
    return read_all(log_new(fd, FALSE));
  ms_set_error(error, MS_ERROR_IO, "The file '%s' of what was measured cannot be opened: %s.", path,
               fd < 0 ? ms_errno_text(errno) : "it is no file");
  if (fd >= 0)
    close(fd);
  return NULL;
}

static double
seconds_of_step(const MsLabLog *self)
{
  return ((double)g_get_monotonic_time() - (double)self->began_us) * 1e-6;
}

/**
 * ms_lab_log_seconds_left: how long the step that runs may still take; negative when the child that runs it should be
 * killed, %INFINITY where nothing runs or it has no limit.
 */
double
ms_lab_log_seconds_left(MsLabLog *self)
{
  read_on(self);
  if (!self->running || !(self->limit_s > 0))
    return INFINITY;
  return self->limit_s - seconds_of_step(self);
}

static GError *
describe_death(const MsLabLog *self, gboolean is_late, const char *clause)
{
  GError *error = NULL;

  if (is_late)
    ms_set_error(&error, MS_ERROR_TIMEOUT, "It did not end within %g s, and its process was ended.", self->limit_s);
  else
    ms_set_error(&error, MS_ERROR_DEVICE, "The process that measured it died after %.1f s: %s.", seconds_of_step(self),
                 clause);
  return error;
}

/**
 * ms_lab_log_note_death:
 * @clause: how the child that measured ended, as of ms_child_describe_end()
 *
 * Marks the measurement whose step ran as failed, with @clause, or as a time-out if its time was over. To be called
 * after the child has ended.
 */
void
ms_lab_log_note_death(MsLabLog *self, const char *clause)
{
  const gboolean is_late = ms_lab_log_seconds_left(self) <= 0;
  g_autoptr(GError) error = describe_death(self, is_late, clause);
  g_autofree char *english = ms_error_dup_english(error);
  g_autofree char *valid = g_utf8_make_valid(english, -1), *shown = g_utf8_make_valid(error->message, -1);
  JsonBuilder *b = begin_line("died", self->running);

  ms_json_add_boolean(b, "is_late", is_late);
  ms_json_add_text(b, "message", valid);
  ms_json_add_text(b, "shown", shown);
  if (self->line->len > 0 && write(self->fd, "\n", 1) != 1)
    g_object_unref(b);
  else
    append(self, b);
  read_on(self);
}

/**
 * ms_lab_log_has_grown: whether another measurement was finished, or ended its process, since the last call; a child
 * that died without is started again in vain.
 */
gboolean
ms_lab_log_has_grown(MsLabLog *self)
{
  read_on(self);
  const gboolean grown = self->n_ended > self->n_seen;
  self->n_seen = self->n_ended;
  return grown;
}

/** ms_lab_log_count_deaths: how many processes have ended before their work was done. */
guint
ms_lab_log_count_deaths(const MsLabLog *self)
{
  return self ? self->deaths : 0;
}

/** ms_lab_log_start_clock: when the first process called this, in microseconds of the monotonic clock. */
gint64
ms_lab_log_start_clock(MsLabLog *self)
{
  const gint64 now = g_get_monotonic_time();

  if (!self || self->started_us > 0)
    return self ? MIN(self->started_us, now) : now;
  self->started_us = now;
  JsonBuilder *b = begin_line("started", NULL);
  ms_json_add_integer(b, "at_us", now);
  append(self, b);
  return now;
}

/**
 * ms_lab_log_nth:
 * @key: (out): of the measurement
 *
 * Returns: (transfer none) (nullable): what earlier processes measured, in the order in which the measurements began;
 *   %NULL after the last
 */
const MsMeasurement *
ms_lab_log_nth(const MsLabLog *self, guint n, const char **key)
{
  const Entry *entry = self && n < self->entries->len ? self->entries->pdata[n] : NULL;

  *key = entry ? entry->key : NULL;
  return entry ? entry->measurement : NULL;
}

/** ms_lab_log_has: whether the measurement was finished. */
gboolean
ms_lab_log_has(const MsLabLog *self, const char *key)
{
  const Entry *entry = self ? find_entry(self, key) : NULL;

  return entry && entry->ended;
}

/**
 * ms_lab_log_restore:
 * @key: (nullable): of the measurement
 * @measurement: (inout): pending, without samples
 *
 * Moves what an earlier process has measured to @measurement: samples, and the outcome if it had one.
 *
 * Returns: whether there was anything
 */
gboolean
ms_lab_log_restore(MsLabLog *self, const char *key, MsMeasurement *measurement)
{
  Entry *entry = self ? find_entry(self, key) : NULL;

  if (!entry)
    return FALSE;
  MsMeasurement fresh = *measurement;
  *measurement = *entry->measurement;
  *entry->measurement = fresh;
  return TRUE;
}

/**
 * ms_lab_log_begin:
 * @key: (nullable): of the measurement; without one nothing is written
 * @seconds: the time that the step may take; then the process is ended; 0 for no limit
 *
 * To be called before a step of a measurement calls the driver, and ms_lab_log_end() after it.
 */
void
ms_lab_log_begin(MsLabLog *self, const char *key, double seconds)
{
  if (!self || !key)
    return;
  JsonBuilder *b = begin_line("begins", key);
  ms_json_add_number(b, "seconds", seconds);
  ms_json_add_integer(b, "at_us", g_get_monotonic_time());
  append(self, b);
}

void
ms_lab_log_end(MsLabLog *self)
{
  if (self)
    append(self, begin_line("ended", NULL));
}

/** ms_lab_log_keep: keeps a sample that ms_measurement_keep() takes. */
void
ms_lab_log_keep(MsLabLog *self, const char *key, const MsSample *sample, double wall_ns, guint round)
{
  if (!self || !key)
    return;
  JsonBuilder *b = begin_line("sample", key);
  ms_json_add_integer(b, "round", round);
  ms_json_add_number(b, "ns", sample->ns);
  ms_json_add_number(b, "wall_ns", wall_ns);
  ms_json_begin_array(b, "commands");
  for (guint i = 0; i < sample->events->len; i++) {
    const MsLabEvent *event = &g_array_index(sample->events, MsLabEvent, i);
    json_builder_begin_object(b);
    ms_json_add_text(b, "stage", event->stage);
    ms_json_add_text(b, "name", event->name);
    ms_json_add_integer(b, "ns", (gint64)(event->ended_ns - event->started_ns));
    ms_json_add_integer(b, "bytes", (gint64)event->bytes);
    ms_json_add_boolean(b, "headline", event->headline);
    json_builder_end_object(b);
  }
  json_builder_end_array(b);
  append(self, b);
}

static void
append_row(GString *text, const char *key, const MsMeasurement *measurement)
{
  JsonBuilder *b = begin_line("row", key);

  ms_json_add_text(b, "shown", measurement->shown);
  json_builder_set_member_name(b, "measured");
  ms_record_add(&ms_measurement_record, measurement, b);
  end_line(b, text);
}

/** ms_lab_log_finish: keeps a measurement with its outcome, which is not made again; @key: (nullable) */
void
ms_lab_log_finish(MsLabLog *self, const char *key, const MsMeasurement *measurement)
{
  g_autoptr(GString) text = g_string_new(NULL);

  if (!self || !key)
    return;
  append_row(text, key, measurement);
  write_all(self, text->str);
}

static gboolean
check_written(gboolean is_written, GError **error)
{
  if (!is_written)
    ms_set_error(error, MS_ERROR_IO, "What was measured could not be kept: %s.", ms_errno_text(errno));
  return is_written;
}

/**
 * ms_lab_log_write: keeps finished measurements at once, so that a killed process leaves all of them or none.
 * @keys: (element-type utf8), @measurements: (element-type MsMeasurement): as many
 */
gboolean
ms_lab_log_write(MsLabLog *self, GPtrArray *keys, GPtrArray *measurements, GError **error)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < keys->len; i++)
    append_row(text, keys->pdata[i], measurements->pdata[i]);
  return check_written(write_all(self, text->str), error);
}

/** ms_lab_log_complete: notes that all measurements of @scope were made; @head: (transfer full): describes them. */
gboolean
ms_lab_log_complete(MsLabLog *self, const char *scope, JsonNode *head, GError **error)
{
  JsonBuilder *b = begin_line("complete", scope);

  json_builder_set_member_name(b, "head");
  json_builder_add_value(b, head);
  return check_written(append(self, b), error);
}

/** ms_lab_log_find_complete: (transfer none) (nullable): what describes the measurements of @scope if all were made. */
JsonObject *
ms_lab_log_find_complete(const MsLabLog *self, const char *scope)
{
  return g_hash_table_lookup(self->complete, scope);
}

/** ms_lab_log_forget: forgets the measurements whose keys begin with @start, here and for those who read later. */
void
ms_lab_log_forget(MsLabLog *self, const char *start)
{
  drop_entries(self, start);
  append(self, begin_line("anew", start));
}
