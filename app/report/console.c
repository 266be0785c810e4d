/* SPDX-License-Identifier: MIT */
#include "app/report/console.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/image/file/file-path.h"
#include "core/service/protocol.h"
#include "core/text.h"

/* The shortest time between two drawings of the progress line, in microseconds. */
#define REDRAW_INTERVAL 100000

#define CLEAR_LINE "\r\033[K"
#define RED "\033[1;31m"
#define PLAIN "\033[0m"

struct _MsConsole {
  GMutex lock;
  FILE *tables;
  MsChannel *parent; /* (nullable): of a child */
  gboolean quiet;
  gboolean color;
  gboolean bar;   /* progress as one line that is redrawn */
  gboolean lines; /* progress as one line for each finished image */
  gboolean drawn;
  gint64 last_drawn;
  gboolean events; /* progress as lines of JSON on standard output */
  gint64 last_event[MS_CONSOLE_N_RATES];
};

/* By the convention of no-color.org, NO_COLOR turns colour off unless an option asks for it. */
static gboolean
wants_color(const MsCommandLine *line, gboolean terminal)
{
  const char *no_color = g_getenv("NO_COLOR");

  if (line->color != MS_COLOR_AUTO)
    return line->color == MS_COLOR_ALWAYS;
  return terminal && !(no_color && *no_color) && g_strcmp0(g_getenv("TERM"), "dumb") != 0;
}

/** ms_console_new: (transfer full): tables go to standard output unless an image, a report or events go there. */
MsConsole *
ms_console_new(const MsCommandLine *line)
{
  MsConsole *self = g_new0(MsConsole, 1);
  gboolean taken = ms_file_path_is_standard(line->batch.output) || ms_file_path_is_standard(line->json) ||
                   ms_file_path_is_standard(line->csv) || line->progress == MS_PROGRESS_JSON;
  gboolean terminal = isatty(STDERR_FILENO);

  g_mutex_init(&self->lock);
  self->tables = taken ? stderr : stdout;
  self->quiet = line->quiet;
  self->color = wants_color(line, terminal);
  self->events = line->progress == MS_PROGRESS_JSON;
  if (line->progress == MS_PROGRESS_ALWAYS || (line->progress == MS_PROGRESS_AUTO && terminal && !line->quiet)) {
    self->bar = terminal;
    self->lines = !terminal;
  }
  return self;
}

/** ms_console_set_parent: @parent: (transfer none): the channel to the process that started this one */
void
ms_console_set_parent(MsConsole *self, MsChannel *parent)
{
  self->parent = parent;
}

/** ms_console_note_so_far: tells the process that started this one what was done so far, in case the driver ends it. */
void
ms_console_note_so_far(MsConsole *self, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  if (self->parent)
    ms_service_answer(self->parent, 0, MS_ANSWER_SO_FAR, g_variant_new("(s)", valid), NULL);
}

/** ms_console_begin_results: to be called before results are written, so that no other process repeats the command. */
void
ms_console_begin_results(MsConsole *self)
{
  if (self->parent)
    ms_service_answer(self->parent, 0, MS_ANSWER_RESULTS, g_variant_new("()"), NULL);
}

/* Called with the lock held. */
static void
clear_bar(MsConsole *self)
{
  if (self->drawn)
    fputs(CLEAR_LINE, stderr);
  self->drawn = FALSE;
}

/** ms_console_free: clears the progress line. */
void
ms_console_free(MsConsole *self)
{
  if (!self)
    return;
  clear_bar(self);
  g_mutex_clear(&self->lock);
  g_free(self);
}

/* Continuation lines are indented, so that text from outside cannot look like another message. */
static char *
indented(const char *text)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  return g_strjoinv("\n    ", lines);
}

static void
print_message(MsConsole *self, const char *text, const char *keep, gboolean is_error)
{
  g_autofree char *shown = ms_printable(text, keep);
  g_autofree char *lines = indented(shown);

  g_mutex_lock(&self->lock);
  clear_bar(self);
  if (self->color && is_error)
    fprintf(stderr, RED "meanshift-lab:" PLAIN " %s\n", lines);
  else
    fprintf(stderr, "meanshift-lab: %s\n", lines);
  g_mutex_unlock(&self->lock);
}

/** ms_console_error: prints an error message on standard error. */
void
ms_console_error(MsConsole *self, const char *sentence)
{
  print_message(self, sentence, "", TRUE);
}

/** ms_console_error_log: prints an error message that may contain a build log, whose lines are kept. */
void
ms_console_error_log(MsConsole *self, const char *text)
{
  print_message(self, text, "\n\t", TRUE);
}

/** ms_console_note: prints a message that needs no action, unless --quiet is given. */
void
ms_console_note(MsConsole *self, const char *sentence)
{
  if (!self->quiet)
    print_message(self, sentence, "", FALSE);
}

/** ms_console_print_note: an #MsEngineNote, which may contain a build log. */
void
ms_console_print_note(const char *sentence, gpointer self)
{
  if (!((MsConsole *)self)->quiet)
    print_message(self, sentence, "\n\t", FALSE);
}

/** ms_console_print: prints a table. */
void
ms_console_print(MsConsole *self, const char *text)
{
  g_autofree char *shown = ms_printable(text, "\n\t");

  ms_console_write(self, shown, strlen(shown));
}

/** ms_console_write: prints bytes as they are where tables go, for a program to read. */
void
ms_console_write(MsConsole *self, const void *data, gsize size)
{
  g_mutex_lock(&self->lock);
  clear_bar(self);
  fwrite(data, 1, size, self->tables);
  g_mutex_unlock(&self->lock);
}

/** ms_console_progress: redraws the progress line: @done of @total images, and @part (0 to 1) of @name. */
void
ms_console_progress(MsConsole *self, guint done, guint total, const char *name, double part)
{
  gint64 now = g_get_monotonic_time();

  if (!self->bar)
    return;
  g_autofree char *shown = ms_printable(name, "");
  g_mutex_lock(&self->lock);
  if (!self->drawn || now - self->last_drawn >= REDRAW_INTERVAL) {
    fprintf(stderr, CLEAR_LINE "[%u/%u] %3d %% %s", done, total, (int)(part * 100.0), shown);
    fflush(stderr);
    self->drawn = TRUE;
    self->last_drawn = now;
  }
  g_mutex_unlock(&self->lock);
}

/** ms_console_progress_done: shows that an image has finished, as a line if standard error is no terminal. */
void
ms_console_progress_done(MsConsole *self, guint done, guint total, const char *name, const char *status)
{
  if (self->bar)
    ms_console_progress(self, done, total, name, 1.0);
  if (!self->lines)
    return;
  g_autofree char *shown = ms_printable(name, "");
  g_mutex_lock(&self->lock);
  fprintf(stderr, "[%u/%u] %s: %s\n", done, total, shown, status);
  g_mutex_unlock(&self->lock);
}

/** ms_console_has_events: whether --progress json is given. */
gboolean
ms_console_has_events(const MsConsole *self)
{
  return self->events;
}

/** ms_console_event_is_due: whether the shortest time between two events of that rate is over; begins the next one. */
gboolean
ms_console_event_is_due(MsConsole *self, MsConsoleRate rate)
{
  static const gint64 shortest[] = {100000, 300000};
  const gint64 now = g_get_monotonic_time();

  if (!self->events)
    return FALSE;
  g_mutex_lock(&self->lock);
  gboolean due = now - self->last_event[rate] >= shortest[rate];
  if (due)
    self->last_event[rate] = now;
  g_mutex_unlock(&self->lock);
  return due;
}

/** ms_console_write_event: writes a line for another program, at once. */
void
ms_console_write_event(MsConsole *self, const char *line)
{
  g_mutex_lock(&self->lock);
  fputs(line, stdout);
  fflush(stdout);
  g_mutex_unlock(&self->lock);
}
