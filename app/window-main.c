/* SPDX-License-Identifier: MIT */
/* The window's own program; app/main.c hands over to it. */
#include "ui/window/application.h"

int
main(int argc, char **argv)
{
  return ms_application_run(argc, argv);
}
