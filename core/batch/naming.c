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

/** ms_naming_is_folder: whether @name is "." or "..", which no file can have. */
gboolean
ms_naming_is_folder(const char *name)
{
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
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
  if (strchr(template, G_DIR_SEPARATOR))
    return refuse(template, N_("it is the name of a file, without folders"), error);
  if (ms_naming_is_folder(template))
    return refuse(template, N_("it is the name of a folder"), error);
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
