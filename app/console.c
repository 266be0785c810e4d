/* SPDX-License-Identifier: MIT */
#include "app/console.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The line is drawn at most this often, in microseconds. */
#define REDRAW_INTERVAL 100000

#define CLEAR_LINE "\r\033[K"

struct _MsConsole {
  GMutex lock;
  FILE *tables;
  gboolean quiet;
  gboolean bar;   /* a line that is drawn over and over */
  gboolean lines; /* a line for each finished image */
  gboolean drawn;
  gint64 last_drawn;
};

static gboolean
is_std(const char *path)
{
  return path && strcmp(path, MS_INPUT_STDIN) == 0;
}

/** ms_console_new: (transfer full): tables go to standard output unless an image or a report goes there. */
MsConsole *
ms_console_new(const MsCommandLine *line)
{
  MsConsole *self = g_new0(MsConsole, 1);
  gboolean taken = is_std(line->output) || is_std(line->json) || is_std(line->csv);
  gboolean terminal = isatty(STDERR_FILENO);

  g_mutex_init(&self->lock);
  self->tables = taken ? stderr : stdout;
  self->quiet = line->quiet;
  if (line->progress == MS_PROGRESS_ALWAYS || (line->progress == MS_PROGRESS_AUTO && terminal && !line->quiet)) {
    self->bar = terminal;
    self->lines = !terminal;
  }
  return self;
}

/* With the lock held. */
static void
clear_bar(MsConsole *self)
{
  if (self->drawn)
    fputs(CLEAR_LINE, stderr);
  self->drawn = FALSE;
}

void
ms_console_free(MsConsole *self)
{
  if (!self)
    return;
  clear_bar(self);
  g_mutex_clear(&self->lock);
  g_free(self);
}

/* Bytes below a space, DEL, and the controls above it, which UTF-8 writes as c2 80 to c2 9f. */
static gboolean
is_control(const guchar *p, const char *allowed)
{
  if (*p < 0x20)
    return strchr(allowed, *p) == NULL;
  return *p == 0x7f || (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0);
}

/* A file may have any name, also one that a terminal would obey; control characters are shown as \ooo instead. */
static char *
printable(const char *text, const char *allowed)
{
  GString *shown = g_string_new(NULL);

  for (const guchar *p = (const guchar *)text; *p; p++) {
    if (!is_control(p, allowed)) {
      g_string_append_c(shown, (char)*p);
      continue;
    }
    g_string_append_printf(shown, "\\%03o", *p);
    if (*p == 0xc2)
      g_string_append_printf(shown, "\\%03o", *++p);
  }
  return g_string_free(shown, FALSE);
}

/* Sentences may carry whole build logs, so lines and tabs are left to them. */
static void
say(MsConsole *self, const char *sentence)
{
  g_autofree char *shown = printable(sentence, "\n\t");

  g_mutex_lock(&self->lock);
  clear_bar(self);
  fprintf(stderr, "meanshift-lab: %s\n", shown);
  g_mutex_unlock(&self->lock);
}

void
ms_console_error(MsConsole *self, const char *sentence)
{
  say(self, sentence);
}

/** ms_console_note: what a person should know but need not act on; left out by --quiet. */
void
ms_console_note(MsConsole *self, const char *sentence)
{
  if (!self->quiet)
    say(self, sentence);
}

/** ms_console_print_note: ms_console_note() as an #MsEngineNote. */
void
ms_console_print_note(const char *sentence, gpointer self)
{
  ms_console_note(self, sentence);
}

/** ms_console_print: a result as text. */
void
ms_console_print(MsConsole *self, const char *text)
{
  g_mutex_lock(&self->lock);
  clear_bar(self);
  fputs(text, self->tables);
  g_mutex_unlock(&self->lock);
}

/** ms_console_progress: draws the line where there is one: @done of @total images, and @part (0 to 1) of @name. */
void
ms_console_progress(MsConsole *self, guint done, guint total, const char *name, double part)
{
  gint64 now = g_get_monotonic_time();

  if (!self->bar)
    return;
  g_autofree char *shown = printable(name, "");
  g_mutex_lock(&self->lock);
  if (!self->drawn || now - self->last_drawn >= REDRAW_INTERVAL) {
    fprintf(stderr, CLEAR_LINE "[%u/%u] %3d %% %s", done, total, (int)(part * 100.0), shown);
    fflush(stderr);
    self->drawn = TRUE;
    self->last_drawn = now;
  }
  g_mutex_unlock(&self->lock);
}

/** ms_console_progress_done: an image has ended; a line of its own where there is no terminal. */
void
ms_console_progress_done(MsConsole *self, guint done, guint total, const char *name, const char *status)
{
  if (self->bar)
    ms_console_progress(self, done, total, name, 1.0);
  if (!self->lines)
    return;
  g_autofree char *shown = printable(name, "");
  g_mutex_lock(&self->lock);
  fprintf(stderr, "[%u/%u] %s: %s\n", done, total, shown, status);
  g_mutex_unlock(&self->lock);
}

/** ms_console_flush: %FALSE when not all that was printed could be written. */
gboolean
ms_console_flush(MsConsole *self)
{
  return fflush(self->tables) == 0 && !ferror(self->tables);
}
