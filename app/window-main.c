/* SPDX-License-Identifier: MIT */
/* The window's program, which app/main.c starts. */
#include "ui/window/application.h"

int
main(int argc, char **argv)
{
  return ms_application_run(argc, argv);
}
