/* SPDX-License-Identifier: MIT */
#include "core/batch/naming.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static const char *const fields[] = {"stem", "ext", "sp", "sr", "device", "seq", NULL};

/* Finds the field that starts at @text ("{name}") and the end of its text; NULL for an unknown field. */
static const char *
field_at(const char *text, const char **after)
{
  for (guint i = 0; fields[i]; i++) {
    gsize length = strlen(fields[i]);
    if (strncmp(text + 1, fields[i], length) == 0 && text[1 + length] == '}') {
      *after = text + length + 2;
      return fields[i];
    }
  }
  return NULL;
}

static gboolean
refuse(const char *template, const char *why, GError **error)
{
  g_autofree char *known = g_strjoinv("}, {", (char **)fields);

  ms_set_error(error, MS_ERROR_USAGE, "--name cannot be '%s': %s. The fields are {%s}.", template, _(why), known);
  return FALSE;
}

/** ms_naming_is_folder: whether a part of @name between slashes is empty, "." or "..", so that no file can have it. */
gboolean
ms_naming_is_folder(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, G_DIR_SEPARATOR_S, -1);

  for (guint i = 0; parts[i]; i++)
    if (parts[i][0] == '\0' || strcmp(parts[i], ".") == 0 || strcmp(parts[i], "..") == 0)
      return TRUE;
  return FALSE;
}

/**
 * ms_naming_check:
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for an unknown or unclosed field, an empty name, or one that leaves its folder
 */
gboolean
ms_naming_check(const char *template, GError **error)
{
  const char *p = template;

  if (*template == '\0')
    return refuse(template, N_("it is empty"), error);
  if (ms_naming_is_folder(template))
    return refuse(template, N_("a part between slashes is empty, or the name of a folder"), error);
  while (*p) {
    if (*p == '{' && !field_at(p, &p))
      return refuse(template, N_("it has a field that does not exist"), error);
    else if (*p == '}')
      return refuse(template, N_("it has a } without its {"), error);
    else if (*p != '{' && *p != '\0')
      p++;
  }
  return TRUE;
}

/** ms_naming_uses: whether @template holds {@field}. */
gboolean
ms_naming_uses(const char *template, const char *field)
{
  g_autofree char *braced = g_strdup_printf("{%s}", field);

  return strstr(template, braced) != NULL;
}

static void
append_number(GString *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append(name, g_ascii_formatd(text, sizeof text, "%.10g", value));
}

/* Keeps letters and digits of any alphabet and .+_, and replaces runs of other characters by one '-'. */
static void
append_file_safe(GString *name, const char *text)
{
  gsize start = name->len;

  for (const char *p = text; *p; p++) {
    gboolean safe = (guchar)*p >= 0x80 || g_ascii_isalnum(*p) || strchr(".+_", *p);
    if (safe)
      g_string_append_c(name, *p);
    else if (name->len > start && name->str[name->len - 1] != '-')
      g_string_append_c(name, '-');
  }
  if (name->len > start && name->str[name->len - 1] == '-')
    g_string_truncate(name, name->len - 1);
}

static void
append_field(GString *name, const char *field, const MsNameParts *parts)
{
  if (strcmp(field, "stem") == 0)
    g_string_append(name, parts->stem);
  else if (strcmp(field, "ext") == 0)
    g_string_append(name, parts->extension);
  else if (strcmp(field, "sp") == 0)
    append_number(name, parts->sp);
  else if (strcmp(field, "sr") == 0)
    append_number(name, parts->sr);
  else if (strcmp(field, "device") == 0)
    append_file_safe(name, parts->device);
  else if (parts->any_seq)
    g_string_append_c(name, MS_NAMING_ANY_NUMBER);
  else
    g_string_append_printf(name, "%0*" G_GUINT64_FORMAT, (int)parts->seq_digits, parts->seq);
}

/**
 * ms_naming_expand: (transfer full): the file name that @template, which must have passed ms_naming_check(), stands
 * for.
 */
char *
ms_naming_expand(const char *template, const MsNameParts *parts)
{
  GString *name = g_string_new(NULL);

  for (const char *p = template; *p;) {
    const char *field = *p == '{' ? field_at(p, &p) : NULL;
    if (field)
      append_field(name, field, parts);
    else
      g_string_append_c(name, *p++);
  }
  return g_string_free(name, FALSE);
}

/* Bytes of the longest part of @name between slashes. */
static gsize
longest_part(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, G_DIR_SEPARATOR_S, -1);
  gsize longest = 0;

  for (guint i = 0; parts[i]; i++)
    longest = MAX(longest, strlen(parts[i]));
  return longest;
}

/* (transfer full): at most @kept bytes of @stem, which end with a character, and a check sum of the whole stem. */
static char *
short_stem(const char *stem, gsize kept)
{
  g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, stem, -1);

  while (kept > 0 && ((guchar)stem[kept] & 0xc0) == 0x80)
    kept--;
  return g_strdup_printf("%.*s-%.8s", (int)kept, stem, sum);
}

/**
 * ms_naming_shorten:
 * @most: bytes that a part of a name between slashes may have
 *
 * Returns: (transfer full) (nullable): a shorter stem, which differs where the whole stems do, for a name that would be
 *   longer than file systems store; %NULL where the name is short enough
 */
char *
ms_naming_shorten(const char *template, const MsNameParts *parts, gsize most)
{
  MsNameParts shorter = *parts;
  g_autofree char *stem = NULL;

  for (gsize kept = strlen(parts->stem);; kept--) {
    g_autofree char *name = ms_naming_expand(template, &shorter);
    if (longest_part(name) <= most || kept == 0)
      return g_steal_pointer(&stem);
    g_free(stem);
    shorter.stem = stem = short_stem(parts->stem, kept - 1);
  }
}

/**
 * ms_naming_extension: (nullable): the extension of the last part of @path without its dot; a leading dot starts no
 * extension.
 */
const char *
ms_naming_extension(const char *path)
{
  const char *slash = strrchr(path, G_DIR_SEPARATOR);
  const char *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');

  return dot && dot != base && dot[1] != '\0' ? dot + 1 : NULL;
}

/** ms_naming_stem: (transfer full): the last part of @path without its extension. */
char *
ms_naming_stem(const char *path)
{
  g_autofree char *base = g_path_get_basename(path);
  const char *extension = ms_naming_extension(base);

  return extension ? g_strndup(base, extension - 1 - base) : g_steal_pointer(&base);
}

static char *
with_suffix(const char *path, const char *suffix)
{
  const char *extension = ms_naming_extension(path);

  if (!extension)
    return g_strconcat(path, "-", suffix, NULL);
  return g_strdup_printf("%.*s-%s.%s", (int)(extension - 1 - path), path, suffix, extension);
}

/** ms_naming_numbered: (transfer full): @path with -@number before its extension. */
char *
ms_naming_numbered(const char *path, guint number)
{
  g_autofree char *suffix = g_strdup_printf("%u", number);

  return with_suffix(path, suffix);
}

/** ms_naming_numbered_anyhow: (transfer full): what every ms_naming_numbered() of @path matches. */
char *
ms_naming_numbered_anyhow(const char *path)
{
  const char suffix[] = {MS_NAMING_ANY_NUMBER, '\0'};

  return with_suffix(path, suffix);
}

/** ms_naming_matches: whether @name is @pattern with any digits in each place of MS_NAMING_ANY_NUMBER. */
gboolean
ms_naming_matches(const char *pattern, const char *name)
{
  for (; *pattern && *pattern != MS_NAMING_ANY_NUMBER; pattern++, name++)
    if (*pattern != *name)
      return FALSE;
  if (!*pattern)
    return *name == '\0';
  while (g_ascii_isdigit(*name))
    if (ms_naming_matches(pattern + 1, ++name))
      return TRUE;
  return FALSE;
}
