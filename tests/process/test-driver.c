/* SPDX-License-Identifier: MIT */
/* What follows the deaths of processes that load a driver: a table of what happens and of what is decided. */
#include "core/process/driver.h"

/* A command opens its device unseen, a batch reports it; the window has no limit of deaths after the opening. */
static const MsDriverRules command = {.usual_cache = 2};
static const MsDriverRules batch = {.most_fruitless = 5, .usual_cache = 2};
static const MsDriverRules fallback = {.most_fruitless = 5, .usual_cache = 2, .has_processor = TRUE};
static const MsDriverRules window = {.usual_cache = 1};

/*
 * @events: o the device is open, O a processor is, r a result, f finished, c it crashed, e it was ended
 * @actions: after each event: . nothing, a another process, s another process with an empty cache, p the processor,
 *   P the processor with an empty cache, x the end
 */
static const struct {
  const char *name;
  const MsDriverRules *rules;
  const char *events;
  const char *actions;
} rows[] = {
  {"three starts in vain", &command, "ccc", "asx"},
  {"hanging is not the fault of the cache", &command, "eee", "aax"},
  {"one crash says nothing of the cache", &command, "cf", "a."},
  {"a command that measures goes on", &command, "crcrcrcrcrf", "a.a.a.a.a.."},
  {"an opening forgives those in vain", &batch, "ccocc", "as.ss"},
  {"work is repeated with an empty cache", &batch, "oc", ".s"},
  {"work that hangs is repeated with the usual cache", &batch, "oe", ".a"},
  {"five deaths without a result", &batch, "ocococococ", ".s.s.s.s.x"},
  {"a result forgives deaths", &batch, "ococococroc", ".s.s.s.s..s"},
  {"the processor after three openings", &fallback, "eeeoe", "aap.a"},
  {"the processor after five deaths", &fallback, "ocococococ", ".s.s.s.s.P"},
  {"nothing in place of a processor", &fallback, "Oceee", ".sssx"},
  {"nothing after the processor", &fallback, "eeeeee", "aapaax"},
  {"the window doubts the cache at once", &window, "cc", "ss"},
  {"the window opens a device again and again", &window, "ocococococococ", ".s.s.s.s.s.s.s"},
};

static MsDriverEvent
event_of(char letter)
{
  switch (letter) {
  case 'o':
    return MS_DRIVER_OPENED;
  case 'O':
    return MS_DRIVER_OPENED_PROCESSOR;
  case 'r':
    return MS_DRIVER_RESULT;
  case 'f':
    return MS_DRIVER_FINISHED;
  case 'c':
    return MS_DRIVER_CRASHED;
  default:
    return MS_DRIVER_ENDED;
  }
}

static char
letter_of(MsDriverAction action, const MsDriverState *state)
{
  switch (action) {
  case MS_DRIVER_AGAIN:
    return state->doubts_cache ? 's' : 'a';
  case MS_DRIVER_TAKE_PROCESSOR:
    return state->doubts_cache ? 'P' : 'p';
  case MS_DRIVER_GIVE_UP:
    return 'x';
  case MS_DRIVER_GO_ON:
    break;
  }
  return '.';
}

static void
test_decisions(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    MsDriverState state = {0};
    g_autoptr(GString) actions = g_string_new(NULL);
    for (const char *e = rows[i].events; *e; e++) {
      const MsDriverAction action = ms_driver_decide(&state, rows[i].rules, event_of(*e));
      g_string_append_c(actions, letter_of(action, &state));
    }
    g_test_message("%s", rows[i].name);
    g_assert_cmpstr(actions->str, ==, rows[i].actions);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/driver/decisions", test_decisions);
  return g_test_run();
}
