/* SPDX-License-Identifier: MIT */
#include "ui/panels/kernel/source-view.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/filter/plan/plan.h"
#include "ui/document/document.h"
#include "ui/common/template.h"
#include "ui/common/drawn.h"

/* Differences */

static void
append(GArray *diff, MsDiffKind kind, const char *text)
{
  MsDiffLine line = {kind, text};

  g_array_append_val(diff, line);
}

/* lengths[i][j]: of the longest common subsequence of before[i..] and after[j..], in rows of m + 1. */
static guint *
common_lengths(const char *const *before, guint n, const char *const *after, guint m)
{
  guint *lengths = g_new0(guint, (gsize)(n + 1) * (m + 1));

  for (guint i = n; i-- > 0;)
    for (guint j = m; j-- > 0;) {
      guint *here = &lengths[(gsize)i * (m + 1) + j];
      guint down = here[m + 1], right = here[1];
      *here = strcmp(before[i], after[j]) == 0 ? here[m + 2] + 1 : MAX(down, right);
    }
  return lengths;
}

/**
 * ms_text_diff:
 * @before: (array zero-terminated=1): a few hundred lines; time and memory grow with the product of both lengths
 * @after: (array zero-terminated=1)
 *
 * Removed lines precede the added lines that replace them.
 *
 * Returns: (transfer full) (element-type MsDiffLine): every line of both, in order
 */
GArray *
ms_text_diff(const char *const *before, const char *const *after)
{
  guint n = g_strv_length((char **)before), m = g_strv_length((char **)after), i = 0, j = 0;
  g_autofree guint *lengths = common_lengths(before, n, after, m);
  GArray *diff = g_array_new(FALSE, FALSE, sizeof(MsDiffLine));

  while (i < n || j < m) {
    const guint *here = &lengths[(gsize)i * (m + 1) + j];
    if (i < n && j < m && strcmp(before[i], after[j]) == 0) {
      append(diff, MS_DIFF_SAME, after[j++]);
      i++;
    } else if (i < n && (j == m || here[m + 1] >= here[1])) {
      append(diff, MS_DIFF_REMOVED, before[i++]);
    } else {
      append(diff, MS_DIFF_ADDED, after[j++]);
    }
  }
  return diff;
}

guint
ms_text_diff_count(GArray *diff, MsDiffKind kind)
{
  guint n = 0;

  for (guint i = 0; i < diff->len; i++)
    n += g_array_index(diff, MsDiffLine, i).kind == kind;
  return n;
}

/* The view */

/* The text of a program, compared with the previous one. */
typedef struct {
  char *source;
  char *options;
} Text;

struct _MsSourceView {
  MsPanel parent_instance;
  GtkLabel *summary;
  GtkLabel *options_label;
  GtkTextView *text;
  GtkTextView *log;
  GtkToggleButton *changes;
  GtkWidget *compile;
  MsProgramSpec *spec; /* (nullable): what is shown */
  Text now;
  Text before;             /* the program before its last change */
  GCancellable *compiling; /* (nullable): while the program is compiled */
  char *compiled;          /* (nullable): what the compiler said of the program when it was asked */
  guint scroll;
  gboolean restyled;
};

G_DEFINE_FINAL_TYPE(MsSourceView, ms_source_view, MS_TYPE_PANEL)

static void
clear_text(Text *text)
{
  g_clear_pointer(&text->source, g_free);
  g_clear_pointer(&text->options, g_free);
}

static void
cancel_compiling(MsSourceView *self)
{
  if (self->compiling)
    g_cancellable_cancel(self->compiling);
  g_clear_object(&self->compiling);
}

static void
ms_source_view_dispose(GObject *object)
{
  MsSourceView *self = MS_SOURCE_VIEW(object);

  cancel_compiling(self);
  g_clear_pointer(&self->compiled, g_free);
  g_clear_handle_id(&self->scroll, g_source_remove);
  g_clear_pointer(&self->spec, ms_program_spec_unref);
  clear_text(&self->now);
  clear_text(&self->before);
  G_OBJECT_CLASS(ms_source_view_parent_class)->dispose(object);
}

/* Colours */

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

/* Each text has at least 4.5:1 on the theme's background and on those of changed lines; antialiasing takes a part. */
static const Look looks[] = {
  {TAG_COMMENT, "foreground", "#5e5c64", "#b5b4b1"},
  {TAG_DIRECTIVE, "foreground", "#813d9c", "#e29ae3"},
  {TAG_KEYWORD, "foreground", "#1a5fb4", "#8cbbf0"},
  {TAG_TYPE, "foreground", "#1c6f36", "#57e389"},
  {TAG_ADDED, "paragraph-background", "#d5f0dc", "#1f4a2c"},
  {TAG_REMOVED, "paragraph-background", "#f9dcd9", "#5a2520"},
};

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

/* Creates or updates the tags of @buffer with colours for @theme. */
static void
set_theme(GtkTextBuffer *buffer, MsChartTheme theme)
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

/* The tokens of OpenCL C that have a colour; vector types are a scalar type and a width: uchar4, float16. */
static const char token_pattern[] =
  "(?<comment>/\\*.*?\\*/|//.*)|(?<open>/\\*.*)|"
  "\\b(?<keyword>(?:__)?(?:kernel|global|local|constant)|private|const|restrict|if|else|for|while|do|return|break|"
  "continue|inline|static|struct|typedef|switch|case|default|read_only|write_only|barrier)\\b|"
  "\\b(?<type>(?:void|bool|u?char|u?short|u?int|u?long|float|double|half|size_t|image2d_t|sampler_t)[0-9]*)\\b";

/* Tags a line of @buffer but the bytes at its start that are not source code; @in_comment: (inout): one is open. */
static void
highlight_line(GtkTextBuffer *buffer, const GRegex *tokens, int line, gsize skip, gboolean *in_comment)
{
  static const char *const tags[][2] = {
    {"comment", TAG_COMMENT}, {"open", TAG_COMMENT}, {"keyword", TAG_KEYWORD}, {"type", TAG_TYPE}};
  g_autoptr(GMatchInfo) match = NULL;
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line(buffer, &start, line);
  end = start;
  if (!gtk_text_iter_ends_line(&end))
    gtk_text_iter_forward_to_line_end(&end);
  g_autofree char *text = gtk_text_buffer_get_text(buffer, &start, &end, TRUE);
  gsize length = strlen(text), at = MIN(skip, length);
  if (*in_comment) {
    const char *close = strstr(text + at, "*/");
    gsize after = close ? (gsize)(close - text) + 2 : length;
    tag_range(buffer, TAG_COMMENT, line, at, after);
    *in_comment = !close;
    at = after;
  } else if (text[at] == '#') {
    tag_range(buffer, TAG_DIRECTIVE, line, at, length);
    return;
  }
  for (g_regex_match_full(tokens, text, (gssize)length, (int)at, 0, &match, NULL); g_match_info_matches(match);
       g_match_info_next(match, NULL))
    for (guint i = 0; i < G_N_ELEMENTS(tags); i++) {
      int from = -1, to;
      if (!g_match_info_fetch_named_pos(match, tags[i][0], &from, &to) || from < 0)
        continue;
      tag_range(buffer, tags[i][1], line, (gsize)from, (gsize)to);
      *in_comment = g_str_equal(tags[i][0], "open");
    }
}

/* The program */

/* Changed lines have a sign as well as a colour. */
static const char *
line_mark(MsDiffKind kind)
{
  return kind == MS_DIFF_ADDED ? "+ " : kind == MS_DIFF_REMOVED ? "− " : "  ";
}

static void
append_line(GtkTextBuffer *buffer, const GRegex *tokens, const char *mark, const MsDiffLine *line, gboolean *in_comment)
{
  GtkTextIter end;

  gtk_text_buffer_get_end_iter(buffer, &end);
  int number = gtk_text_iter_get_line(&end);
  gtk_text_buffer_insert(buffer, &end, mark, -1);
  gtk_text_buffer_insert(buffer, &end, line->text, -1);
  gtk_text_buffer_insert(buffer, &end, "\n", -1);
  if (line->kind == MS_DIFF_SAME || line->kind == MS_DIFF_ADDED)
    highlight_line(buffer, tokens, number, strlen(mark), in_comment);
  if (line->kind == MS_DIFF_SAME)
    return;
  GtkTextIter start;
  gtk_text_buffer_get_iter_at_line(buffer, &start, number);
  gtk_text_buffer_get_end_iter(buffer, &end);
  gtk_text_buffer_apply_tag_by_name(buffer, line->kind == MS_DIFF_ADDED ? TAG_ADDED : TAG_REMOVED, &start, &end);
}

static int
first_change(GArray *diff)
{
  for (guint i = 0; i < diff->len; i++)
    if (g_array_index(diff, MsDiffLine, i).kind != MS_DIFF_SAME)
      return (int)i;
  return 0;
}

static gboolean
on_laid_out(gpointer data)
{
  MsSourceView *self = data;

  self->scroll = 0;
  gtk_text_view_scroll_to_mark(self->text, gtk_text_buffer_get_insert(gtk_text_view_get_buffer(self->text)), 0, TRUE, 0,
                               0);
  return G_SOURCE_REMOVE;
}

static void
show_lines(MsSourceView *self, GArray *diff, gboolean marked)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(self->text);
  g_autoptr(GRegex) tokens = g_regex_new(token_pattern, G_REGEX_OPTIMIZE, 0, NULL);
  gboolean in_comment = FALSE;
  GtkTextIter iter;

  set_theme(buffer, ms_drawn_theme(GTK_WIDGET(self->text)));
  gtk_text_buffer_set_text(buffer, "", -1);
  for (guint i = 0; i < diff->len; i++) {
    const MsDiffLine *line = &g_array_index(diff, MsDiffLine, i);
    append_line(buffer, tokens, marked ? line_mark(line->kind) : "", line, &in_comment);
  }
  gtk_text_buffer_get_iter_at_line(buffer, &iter, MAX(first_change(diff) - 3, 0));
  gtk_text_buffer_place_cursor(buffer, &iter);
  /* Scrolling needs line heights, which exist only after the view has been laid out. */
  if (self->scroll == 0)
    self->scroll = g_idle_add_full(GTK_TEXT_VIEW_PRIORITY_VALIDATE + 5, on_laid_out, self, NULL);
}

/* Options are compared word by word: new ones bold and underlined, removed ones struck through. */
static void
show_options(MsSourceView *self, gboolean marked)
{
  g_auto(GStrv) before = g_strsplit(marked && self->before.options ? self->before.options : self->now.options, " ", -1);
  g_auto(GStrv) after = g_strsplit(self->now.options, " ", -1);
  g_autoptr(GArray) diff = ms_text_diff((const char *const *)before, (const char *const *)after);
  g_autoptr(GString) markup = g_string_new(_("Build options: "));

  for (guint i = 0; i < diff->len; i++) {
    const MsDiffLine *word = &g_array_index(diff, MsDiffLine, i);
    g_autofree char *text = g_markup_escape_text(word->text, -1);
    const char *open = word->kind == MS_DIFF_ADDED ? "<b><u>+" : word->kind == MS_DIFF_REMOVED ? "<s>−" : "";
    const char *close = word->kind == MS_DIFF_ADDED ? "</u></b>" : word->kind == MS_DIFF_REMOVED ? "</s>" : "";
    g_string_append_printf(markup, "%s%s%s ", open, text, close);
  }
  gtk_label_set_markup(self->options_label, markup->str);
}

static void
show_summary(MsSourceView *self, GArray *diff, gboolean marked)
{
  guint lines = diff->len - ms_text_diff_count(diff, MS_DIFF_REMOVED);
  g_autofree char *text =
    marked ? g_strdup_printf(_("%u parts, %u lines; %u lines added and %u removed since the previous configuration"),
                             ms_program_spec_get_n_parts(self->spec), lines, ms_text_diff_count(diff, MS_DIFF_ADDED),
                             ms_text_diff_count(diff, MS_DIFF_REMOVED))
           : g_strdup_printf(_("%u parts, %u lines"), ms_program_spec_get_n_parts(self->spec), lines);

  gtk_label_set_text(self->summary, text);
}

static void
show_program(MsSourceView *self)
{
  if (!self->spec)
    return;
  gboolean marked = self->before.source && gtk_toggle_button_get_active(self->changes);
  g_auto(GStrv) before = g_strsplit(marked ? self->before.source : self->now.source, "\n", -1);
  g_auto(GStrv) after = g_strsplit(self->now.source, "\n", -1);
  g_autoptr(GArray) diff = ms_text_diff((const char *const *)before, (const char *const *)after);

  show_lines(self, diff, marked);
  show_options(self, marked);
  show_summary(self, diff, marked);
}

static void
show_log(MsSourceView *self, const char *log)
{
  gtk_text_buffer_set_text(gtk_text_view_get_buffer(self->log), log, -1);
}

/* Shows what the compiler says or has said of the program: when it was asked, else when the last run was compiled. */
static void
show_known_log(MsSourceView *self, MsDocument *document)
{
  MsRun *run = ms_document_get_current_run(document);
  MsProgramSpec *spec = run ? ms_run_get_spec(run) : NULL;
  g_autofree char *ran = spec ? ms_program_spec_hash(spec) : NULL;
  g_autofree char *shown = self->spec ? ms_program_spec_hash(self->spec) : NULL;
  const char *log = ran && g_strcmp0(ran, shown) == 0 ? ms_run_get_build_log(run) : NULL;

  show_log(self,
           self->compiling  ? _("Compiling…")
           : self->compiled ? self->compiled
           : !log           ? _("This program has not been built yet.")
           : *log
             ? log
             : _("The compiler printed nothing, or the program came from the cache. Compile it to see its output."));
}

static void
show_nothing(MsSourceView *self, const char *why)
{
  g_clear_pointer(&self->spec, ms_program_spec_unref);
  gtk_label_set_text(self->summary, why);
  gtk_label_set_text(self->options_label, "");
  gtk_text_buffer_set_text(gtk_text_view_get_buffer(self->text), "", -1);
  show_log(self, "");
}

/* Returns whether the program has changed. */
static gboolean
take_spec(MsSourceView *self, MsProgramSpec *spec)
{
  Text now = {ms_program_spec_compose(spec), g_strdup(ms_program_spec_get_options(spec))};
  gboolean same = g_strcmp0(now.source, self->now.source) == 0 && g_strcmp0(now.options, self->now.options) == 0;

  ms_program_spec_ref(spec);
  g_clear_pointer(&self->spec, ms_program_spec_unref);
  self->spec = spec;
  if (same) {
    clear_text(&now);
    return FALSE;
  }
  clear_text(&self->before);
  self->before = self->now;
  self->now = now;
  cancel_compiling(self);
  g_clear_pointer(&self->compiled, g_free);
  return TRUE;
}

static void
ms_source_view_refresh(MsPanel *panel)
{
  MsSourceView *self = MS_SOURCE_VIEW(panel);
  MsDocument *document = ms_panel_get_document(panel);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = document ? ms_document_plan(document, ms_document_get_settings(document), &error) : NULL;

  gtk_widget_set_sensitive(self->compile, FALSE);
  if (!plan) {
    show_nothing(self, error      ? error->message
                       : document ? _("The serial reference is plain C and has no kernel.")
                                  : _("The kernel program of an open picture's settings appears here."));
    return;
  }
  gboolean shown = self->spec && !self->restyled;
  if (take_spec(self, plan->program) || !shown)
    show_program(self); /* otherwise the scroll position is kept */
  self->restyled = FALSE;
  show_known_log(self, document);
  gtk_widget_set_sensitive(self->compile, TRUE);
}

static void
on_compiled(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsSourceView) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsAnswer) answer = ms_window_engine_ask_finish(MS_WINDOW_ENGINE(source), result, &error);
  const char *log = NULL;

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (answer)
    g_variant_get(answer->content, "(&s)", &log);
  g_clear_object(&self->compiling);
  g_free(self->compiled);
  self->compiled = g_strdup(log ? log : error->message);
  show_log(self, self->compiled);
}

static void
on_compile_clicked(MsSourceView *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));

  if (!document || !self->spec)
    return;
  cancel_compiling(self);
  self->compiling = g_cancellable_new();
  show_log(self, _("Compiling…"));
  ms_window_engine_ask_async(ms_document_get_engine(document),
                             ms_window_request_new(MS_REQUEST_COMPILE, ms_program_spec_to_variant(self->spec)),
                             self->compiling, on_compiled, g_object_ref(self));
}

static void
on_copy_clicked(MsSourceView *self)
{
  if (self->now.source)
    gtk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD), self->now.source, -1);
}

static void
ms_source_view_style_updated(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(ms_source_view_parent_class)->style_updated(widget);
  MS_SOURCE_VIEW(widget)->restyled = TRUE;
  ms_panel_invalidate(MS_PANEL(widget));
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsSourceView, name)
#define CALLBACK(name) MS_TEMPLATE_CALLBACK(name)

static void
ms_source_view_class_init(MsSourceViewClass *klass)
{
  static const char *const follows[] = {"settings-changed", "notify::current-run", NULL};
  static const MsTemplatePart parts[] = {CHILD(summary),
                                         CHILD(options_label),
                                         CHILD(text),
                                         CHILD(log),
                                         CHILD(changes),
                                         CHILD(compile),
                                         CALLBACK(show_program),
                                         CALLBACK(on_compile_clicked),
                                         CALLBACK(on_copy_clicked)};

  G_OBJECT_CLASS(klass)->dispose = ms_source_view_dispose;
  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->refresh = ms_source_view_refresh;
  GTK_WIDGET_CLASS(klass)->style_updated = ms_source_view_style_updated;
  ms_template_bind(klass, "panels/kernel/source-view.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_source_view_init(MsSourceView *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
