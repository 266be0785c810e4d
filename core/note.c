/* SPDX-License-Identifier: MIT */
#include "core/note.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"

/* {name} is the file, {detail} what else the code needs, which is a text of the program where it is @looked_up. */
static const struct {
  const char *text;
  gboolean looked_up;
} rows[] = {
  [MS_NOTE_BITS] = {N_("its {detail} bits a sample were reduced to 8")},
  [MS_NOTE_IMAGES] = {N_("only the first of its {detail} images was read")},
  [MS_NOTE_MORE_IMAGES] = {N_("only the first of its images was read")},
  [MS_NOTE_UNREAD_EXIF] = {N_("its EXIF data were not read")},
  [MS_NOTE_DAMAGED_REST] = {N_("a damaged part that no pixel depends on was left out")},
  [MS_NOTE_UNREAD_ALPHA] = {N_("its transparency was not read")},
  [MS_NOTE_UNREAD_CHANNELS] = {N_("its channels beside colours and transparency were not read")},
  [MS_NOTE_UNREAD_PLACE] = {N_("its place on the map was not kept, since it was turned upright")},
  [MS_NOTE_UNREAD_NO_DATA] = {N_("its value of pixels without data was not kept, since samples were converted")},
  [MS_NOTE_PLAIN_CMYK] = {N_("its CMYK colours have no usable profile and were converted by a formula")},
  [MS_NOTE_ALPHA_FLATTENED] = {N_("the format has no transparency, so the image was composed on white")},
  [MS_NOTE_ICC_DROPPED] = {N_("the colour profile could not be kept")},
  [MS_NOTE_EXIF_DROPPED] = {N_("the EXIF data could not be kept")},
  [MS_NOTE_GEO_DROPPED] = {N_("the place on the map could not be kept, which TIFF files hold")},
  [MS_NOTE_NO_DATA_DROPPED] = {N_("the value of pixels without data could not be kept, which TIFF files hold")},
  [MS_NOTE_DAMAGED] = {N_("'{name}' is damaged ({detail}); what could be read was kept."), TRUE},
  [MS_NOTE_SHORTENED] = {N_("The name was too long for the result, which is '{name}'.")},
  [MS_NOTE_SCRATCH] = {N_("{detail} Its pixels are stored in a temporary file in '{name}'.")},
  [MS_NOTE_PROFILE] = {N_(
    "The colour profile of '{name}' cannot be used, or does not lead back to its colours; --space "
    "took its colours for sRGB.")},
  [MS_NOTE_RETRIED] = {N_("'{name}' was filtered at the second attempt; the first worker process did not survive: "
                          "{detail}.")},
};

/* Each note is a line of these parts, so that all of them are one text in a message to another process. */
typedef enum {
  PART_CODE,
  PART_NAME,
  PART_ENGLISH, /* the detail */
  PART_SHOWN,   /* the same in the user's language */
  N_PARTS,
} Part;

#define BETWEEN_PARTS "\x1f"
#define BETWEEN_NOTES "\x1e"

static void
append_part(GString *notes, const char *text)
{
  const gsize start = notes->len;

  g_string_append(notes, text ? text : "");
  g_strdelimit(notes->str + start, BETWEEN_PARTS BETWEEN_NOTES, ' ');
}

static void
add(char **notes, MsNote code, const char *name, const char *english, const char *shown)
{
  g_autoptr(GString) all = g_string_new(*notes);

  g_string_append_printf(all, "%s%u", all->len > 0 ? BETWEEN_NOTES : "", (guint)code);
  for (Part part = PART_NAME; part < N_PARTS; part++) {
    g_string_append(all, BETWEEN_PARTS);
    append_part(all, part == PART_NAME ? name : part == PART_ENGLISH ? english : shown);
  }
  g_free(*notes);
  *notes = g_strdup(all->str);
}

/**
 * ms_note_add:
 * @notes: (inout) (nullable): what was noted before; %NULL for nothing
 * @name: (nullable): of a file, as messages show it
 * @detail: (nullable): what the sentence of @code needs besides, in English
 */
void
ms_note_add(char **notes, MsNote code, const char *name, const char *detail)
{
  add(notes, code, name, detail, rows[code].looked_up ? _(detail) : detail);
}

/** ms_note_add_error: ms_note_add() with the sentence of @error as the detail. */
void
ms_note_add_error(char **notes, MsNote code, const char *name, const GError *error)
{
  g_autofree char *english = ms_error_dup_english(error);

  add(notes, code, name, english, error->message);
}

static void
append_filled(GString *text, const char *pattern, const char *name, const char *detail)
{
  for (const char *p = pattern; *p;) {
    if (g_str_has_prefix(p, "{name}")) {
      g_string_append(text, name);
      p += strlen("{name}");
    } else if (g_str_has_prefix(p, "{detail}")) {
      g_string_append(text, detail);
      p += strlen("{detail}");
    } else {
      g_string_append_c(text, *p++);
    }
  }
}

/* (transfer full) (nullable): the parts of a note, of which another process may have sent anything. */
static GStrv
split_note(const char *note, MsNote *code)
{
  g_auto(GStrv) parts = g_strsplit(note, BETWEEN_PARTS, N_PARTS);
  guint64 number;

  if (g_strv_length(parts) < N_PARTS ||
      !g_ascii_string_to_unsigned(parts[PART_CODE], 10, 0, G_N_ELEMENTS(rows) - 1, &number, NULL))
    return NULL;
  *code = (MsNote)number;
  return g_steal_pointer(&parts);
}

/* Ends the sentence of clauses on the file @about, if there is one. */
static void
end_clauses(GString *text, GString *clauses, const char *about, MsLanguage language)
{
  if (clauses->len == 0)
    return;
  g_string_append(text, text->len > 0 ? " " : "");
  /* Translators: the name of a file, and clauses on what was lost when it was read or written. */
  g_string_append_printf(text, ms_text(language, "'%s': %s."), about, clauses->str);
  g_string_truncate(clauses, 0);
}

/** ms_note_describe: (transfer full) (nullable): @notes (nullable) as sentences, %NULL for none. */
char *
ms_note_describe(const char *notes, MsLanguage language)
{
  g_auto(GStrv) all = g_strsplit(notes ? notes : "", BETWEEN_NOTES, -1);
  g_autoptr(GString) text = g_string_new(NULL), clauses = g_string_new(NULL);
  g_autofree char *about = g_strdup("");

  for (guint i = 0; all[i]; i++) {
    MsNote code = MS_NOTE_BITS;
    g_auto(GStrv) parts = split_note(all[i], &code);
    if (!parts)
      continue;
    const gboolean is_clause = code <= MS_NOTE_LAST_CLAUSE;
    GString *to = is_clause ? clauses : text;
    if (!is_clause || strcmp(about, parts[PART_NAME]) != 0)
      end_clauses(text, clauses, about, language);
    g_free(about);
    about = g_strdup(parts[PART_NAME]);
    /* Translators: between two clauses of one sentence. */
    g_string_append(to, to->len == 0 ? "" : is_clause ? ms_text(language, "; ") : " ");
    append_filled(to, ms_text(language, rows[code].text), about,
                  parts[language == MS_LANGUAGE_USER ? PART_SHOWN : PART_ENGLISH]);
  }
  end_clauses(text, clauses, about, language);
  return text->len > 0 ? g_strdup(text->str) : NULL;
}

/** ms_note_is_only: whether there is one note in @notes (nullable), and it is of that code. */
gboolean
ms_note_is_only(const char *notes, MsNote code)
{
  MsNote found = MS_NOTE_BITS;
  g_auto(GStrv) parts = notes && !strstr(notes, BETWEEN_NOTES) ? split_note(notes, &found) : NULL;

  return parts && found == code;
}
