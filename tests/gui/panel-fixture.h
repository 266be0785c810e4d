/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of panels: an engine with a filtered document, a window around a panel, waiting, finding widgets
 * and reading pixels.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

typedef struct {
  MsWindowEngine *engine;
  MsDocument *document;
  GtkWidget *window;
  GtkWidget *panel;
} PanelFixture;

gboolean panel_fixture_set_up(PanelFixture *self, GType panel_type);
void panel_fixture_show_empty(GType panel_type);
void panel_fixture_tear_down(PanelFixture *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PanelFixture, panel_fixture_tear_down)
MsRun *panel_fixture_filter(PanelFixture *self, const char *option, const char *value);
void panel_fixture_check(PanelFixture *self, const char *name, gboolean checked);
void panel_fixture_set_number(PanelFixture *self, const char *name, double number);
void panel_fixture_remove_folder(const char *path);
void panel_fixture_screenshot(PanelFixture *self, const char *name);

/** SET_UP_PANEL: declares @fixture, a panel that is closed at the end of the test; otherwise as SET_UP(). */
#define SET_UP_PANEL(fixture, panel_type)                                                                              \
  g_auto(PanelFixture) fixture = {NULL};                                                                               \
  if (!panel_fixture_set_up(&fixture, panel_type))                                                                     \
  return

/** wait_for: runs the main loop until @condition is true; a machine that is busy gets ten times @seconds. */
#define wait_for(seconds, condition)                                                                                   \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    gint64 give_up_at_ = g_get_monotonic_time() + 10 * (gint64)((seconds)*G_USEC_PER_SEC);                             \
    while (!(condition)) {                                                                                             \
      if (g_get_monotonic_time() > give_up_at_)                                                                        \
        g_error("%s:%d: %s did not come true within %d s", __FILE__, __LINE__, #condition, (int)(10 * (seconds)));     \
      panel_fixture_iterate();                                                                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  G_STMT_END

void panel_fixture_iterate(void);
void panel_fixture_settle(void);
GtkWidget *find_by_type(GtkWidget *root, GType type);
GtkWidget *find_by_name(GtkWidget *root, const char *name);
GtkWidget *find_button(GtkWidget *root, const char *label);
GtkWidget *find_label_with(GtkWidget *root, const char *part);
GtkWidget *find_named(GtkWidget *root, const char *name);
char *tree_cell(GtkTreeView *tree, int row, int column);
int tree_rows(GtkTreeView *tree);
void assert_accessible_names(GtkWidget *root);
double contrast(guint32 one, guint32 other);
