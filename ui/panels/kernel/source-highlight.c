/* SPDX-License-Identifier: MIT */
#include "ui/panels/kernel/source-highlight.h"

#include <string.h>

#define TAG_COMMENT "comment"
#define TAG_DIRECTIVE "directive"
#define TAG_KEYWORD "keyword"
#define TAG_TYPE "type"
#define TAG_ADDED "added"
#define TAG_REMOVED "removed"

typedef struct {
  const char *name;
  const char *property;
  const char *light;
  const char *dark;
} Look;

static const Look looks[] = {
  {TAG_COMMENT, "foreground", "#5e5c64", "#9a9996"},
  {TAG_DIRECTIVE, "foreground", "#813d9c", "#dc8add"},
  {TAG_KEYWORD, "foreground", "#1a5fb4", "#78aeed"},
  {TAG_TYPE, "foreground", "#1f7a3c", "#57e389"},
  {TAG_ADDED, "paragraph-background", "#d5f0dc", "#1f4a2c"},
  {TAG_REMOVED, "paragraph-background", "#f9dcd9", "#5a2520"},
};

static const char *const keywords[] = {
  "kernel",   "__kernel", "global",  "__global", "local", "__local", "constant",  "__constant", "private",  "const",
  "restrict", "if",       "else",    "for",      "while", "do",      "return",    "break",      "continue", "inline",
  "static",   "struct",   "typedef", "switch",   "case",  "default", "read_only", "write_only", "barrier",  NULL};

static const char *const types[] = {"void", "bool",   "char",      "uchar",     "short", "ushort",
                                    "int",  "uint",   "long",      "ulong",     "float", "double",
                                    "half", "size_t", "image2d_t", "sampler_t", NULL};

const char *
ms_source_diff_tag(gboolean added)
{
  return added ? TAG_ADDED : TAG_REMOVED;
}

static void
add_tag(GtkTextTagTable *table, const char *name)
{
  g_autoptr(GtkTextTag) tag = gtk_text_tag_new(name);

  if (strcmp(name, TAG_KEYWORD) == 0)
    g_object_set(tag, "weight", PANGO_WEIGHT_BOLD, NULL);
  if (strcmp(name, TAG_COMMENT) == 0)
    g_object_set(tag, "style", PANGO_STYLE_ITALIC, NULL);
  if (strcmp(name, TAG_REMOVED) == 0)
    g_object_set(tag, "strikethrough", TRUE, NULL);
  gtk_text_tag_table_add(table, tag);
}

/** ms_source_highlight_set_theme: creates or updates the tags of @buffer with colours for @theme. */
void
ms_source_highlight_set_theme(GtkTextBuffer *buffer, MsChartTheme theme)
{
  GtkTextTagTable *table = gtk_text_buffer_get_tag_table(buffer);

  for (guint i = 0; i < G_N_ELEMENTS(looks); i++) {
    if (!gtk_text_tag_table_lookup(table, looks[i].name))
      add_tag(table, looks[i].name);
    g_object_set(gtk_text_tag_table_lookup(table, looks[i].name), looks[i].property,
                 theme == MS_CHART_DARK ? looks[i].dark : looks[i].light, NULL);
  }
}

static void
tag_range(GtkTextBuffer *buffer, const char *tag, int line, gsize from, gsize to)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line_index(buffer, &start, line, (int)from);
  gtk_text_buffer_get_iter_at_line_index(buffer, &end, line, (int)to);
  gtk_text_buffer_apply_tag_by_name(buffer, tag, &start, &end);
}

static gboolean
is_word(char c)
{
  return g_ascii_isalnum(c) || c == '_';
}

/* Vector types are a scalar type and a width: uchar4, float16. */
static gboolean
is_type(const char *word)
{
  g_autofree char *base = g_strdup(word);
  gsize length = strlen(base);

  while (length > 0 && g_ascii_isdigit(base[length - 1]))
    base[--length] = '\0';
  return g_strv_contains(types, base);
}

static void
tag_word(GtkTextBuffer *buffer, const char *text, int line, gsize from, gsize to)
{
  g_autofree char *word = g_strndup(text + from, to - from);

  if (g_strv_contains(keywords, word))
    tag_range(buffer, TAG_KEYWORD, line, from, to);
  else if (is_type(word))
    tag_range(buffer, TAG_TYPE, line, from, to);
}

/* Tags the token at @at and returns the position after it. */
static gsize
tag_next(GtkTextBuffer *buffer, const char *text, int line, gsize at, gboolean *in_comment)
{
  gsize length = strlen(text), end = at + 1;

  if (*in_comment || strncmp(text + at, "/*", 2) == 0) {
    const char *close = strstr(text + at + (*in_comment ? 0 : 2), "*/");
    end = close ? (gsize)(close - text) + 2 : length;
    *in_comment = close == NULL;
    tag_range(buffer, TAG_COMMENT, line, at, end);
  } else if (strncmp(text + at, "//", 2) == 0) {
    end = length;
    tag_range(buffer, TAG_COMMENT, line, at, end);
  } else if (is_word(text[at])) {
    while (is_word(text[end]))
      end++;
    tag_word(buffer, text, line, at, end);
  }
  return end;
}

/**
 * ms_source_highlight_line:
 * @line: line number in @buffer
 * @skip: bytes at its start that are not source code
 * @in_comment: (inout): whether a comment is open
 */
void
ms_source_highlight_line(GtkTextBuffer *buffer, int line, int skip, gboolean *in_comment)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line(buffer, &start, line);
  end = start;
  if (!gtk_text_iter_ends_line(&end))
    gtk_text_iter_forward_to_line_end(&end);
  g_autofree char *text = gtk_text_buffer_get_text(buffer, &start, &end, TRUE);
  gsize length = strlen(text), at = MIN((gsize)skip, length);
  if (!*in_comment && text[at] == '#') {
    tag_range(buffer, TAG_DIRECTIVE, line, at, length);
    return;
  }
  while (at < length)
    at = tag_next(buffer, text, line, at, in_comment);
}
