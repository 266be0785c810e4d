/* SPDX-License-Identifier: MIT */
#include "core/option/choice.h"

#include <string.h>

/**
 * ms_choice_find:
 * @names: (array zero-terminated=1): the names
 *
 * Returns: the index of @text among them, or -1
 */
int
ms_choice_find(const char *const *names, const char *text)
{
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], text) == 0)
      return i;
  return -1;
}

/**
 * ms_choice_parse:
 * @option: the option in messages, such as "--split"
 *
 * Returns: the index of @text among @names, or -1 with #MS_ERROR_USAGE, which lists the names
 */
int
ms_choice_parse(const char *const *names, const char *option, const char *text, GError **error)
{
  int index = ms_choice_find(names, text);
  g_autofree char *list = index < 0 ? g_strjoinv(", ", (char **)names) : NULL;

  if (list)
    ms_set_error(error, MS_ERROR_USAGE, "%s cannot be “%s”; it takes one of: %s.", option, text, list);
  return index;
}
