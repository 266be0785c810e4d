/* SPDX-License-Identifier: MIT */
/* The window's program, which app/main.c starts. */
#include "app/process/language.h"
#include "ui/window/application.h"

int
main(int argc, char **argv)
{
  ms_language_init();
  ms_language_choose_fonts();
  return ms_application_run(argc, argv);
}
