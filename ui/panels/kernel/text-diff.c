/* SPDX-License-Identifier: MIT */
#include "ui/panels/kernel/text-diff.h"

#include <string.h>

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
