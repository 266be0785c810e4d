/* SPDX-License-Identifier: MIT */
/* The window's program, which app/main.c starts. */
#include "app/process/language.h"
#include "core/process/child.h"
#include "core/service/protocol.h"
#include "core/service/service.h"
#include "ui/window/application.h"

int
main(int argc, char **argv)
{
  ms_language_init();
  /* Where no other program is named, the window starts itself for its device. */
  if (g_strcmp0(ms_child_get_role(), MS_SERVICE_ROLE) == 0)
    return ms_service_run();
  ms_language_choose_fonts();
  return ms_application_run(argc, argv);
}
