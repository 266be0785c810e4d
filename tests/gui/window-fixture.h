/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of the window: the program without a bus name, a window with a picture, and expected results from
 * core.
 */
#pragma once

#include "tests/gui/panel-fixture.h"
#include "ui/window/application.h"
#include "ui/window/window.h"

typedef struct {
  MsApplication *application;
  MsWindowEngine *engine;
  MsWindow *window;
  char *folder;
} WindowFixture;

int window_fixture_run(void);
gboolean window_fixture_set_up(WindowFixture *self);
void window_fixture_tear_down(WindowFixture *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WindowFixture, window_fixture_tear_down)

/**
 * SET_UP: declares @fixture, a window that is closed at the end of the test; returns from the test, which is skipped or
 * failed, if there is no device.
 */
#define SET_UP(fixture)                                                                                                \
  g_auto(WindowFixture) fixture = {NULL};                                                                              \
  if (!window_fixture_set_up(&fixture))                                                                                \
  return

GFile *window_fixture_write(WindowFixture *self, MsImage *image, const char *name);
void window_fixture_open(WindowFixture *self, GFile *file);
MsDocument *window_fixture_open_scene(WindowFixture *self, int width, int height);
void window_fixture_wait_for_rest(WindowFixture *self);
void window_fixture_wait_idle(WindowFixture *self);
void window_fixture_assert_filtered(WindowFixture *self);
void window_fixture_activate(WindowFixture *self, const char *action);
void window_fixture_dismiss(WindowFixture *self);
GtkWidget *window_fixture_find_dialog(GType type);
GtkWidget *window_fixture_save_as(WindowFixture *self);
void window_fixture_answer_save(WindowFixture *self, GtkWidget *dialog, const char *name, const char *format);
MsImage *window_fixture_opaque_scene(int width, int height);
GtkWidget *window_fixture_row(WindowFixture *self, const char *option);
GtkWidget *window_fixture_spin(WindowFixture *self, const char *option);
cairo_surface_t *window_fixture_render(WindowFixture *self);
gsize window_fixture_resident_bytes(void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(cairo_surface_t, cairo_surface_destroy)
