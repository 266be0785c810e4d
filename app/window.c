/* SPDX-License-Identifier: MIT */
#include "app/window.h"

#include <errno.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/process/child.h"

#define WINDOW_PROGRAM "meanshift-lab-window"

/* Finds the window's program: next to this one in the build folder, in libexec when installed. */
static char *
find_program(void)
{
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
  g_autofree char *beside = folder ? g_build_filename(folder, WINDOW_PROGRAM, NULL) : NULL;

  if (beside && g_file_test(beside, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer(&beside);
  return g_build_filename(MS_LIBEXEC_FOLDER, WINDOW_PROGRAM, NULL);
}

/* Adds "--" before the file names, so that none is read as an option. */
static char **
window_arguments(const char *const *images)
{
  GPtrArray *arguments = g_ptr_array_new();

  g_ptr_array_add(arguments, g_strdup("meanshift-lab"));
  for (gsize i = 0; images[i]; i++)
    g_ptr_array_add(arguments, images[i][0] == '-' ? g_strconcat("./", images[i], NULL) : g_strdup(images[i]));
  g_ptr_array_add(arguments, NULL);
  return (char **)g_ptr_array_free(arguments, FALSE);
}

/** ms_window_run: replaces this process by the window's program; returns only with @error set. */
void
ms_window_run(const char *const *images, GError **error)
{
  g_autofree char *program = find_program();
  g_auto(GStrv) arguments = window_arguments(images);
  g_autofree char *own = ms_child_find_program();

  g_setenv(MS_CHILD_PROGRAM_VARIABLE, own, FALSE); /* the window starts this one for its work */
  execv(program, arguments);
  ms_set_error(error, MS_ERROR_IO,
               "The window's program '%s' cannot be started: %s; install it again, or use --headless.", program,
               ms_errno_text(errno));
}
