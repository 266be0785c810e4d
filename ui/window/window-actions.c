/* SPDX-License-Identifier: MIT */

#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/common/format.h"

/* An action without parameter that calls one function of the window. */
#define WINDOW_ACTION(name, call)                                                                                      \
  static void on_##name(GSimpleAction *action, GVariant *parameter, gpointer data)                                     \
  {                                                                                                                    \
    MsWindow *self = data;                                                                                             \
    call;                                                                                                              \
  }

/* Without a state, which would be a radio mark in the menu. */
WINDOW_ACTION(filter_folder, ms_window_show_workspace(self, "batch"))
WINDOW_ACTION(menu, gtk_button_clicked(GTK_BUTTON(self->menu_button)))
WINDOW_ACTION(open, ms_window_choose_files(self))
WINDOW_ACTION(open_sample, ms_window_open_sample(self))
WINDOW_ACTION(paste, ms_window_paste(self))
WINDOW_ACTION(save, ms_window_save(self))
WINDOW_ACTION(save_as, ms_window_save_as(self))
WINDOW_ACTION(copy, ms_window_copy_picture(self))
WINDOW_ACTION(copy_command, ms_window_copy_command(self))
WINDOW_ACTION(print, ms_window_print(self))
WINDOW_ACTION(close_tab, ms_window_close_tab(self))
WINDOW_ACTION(undo, ms_document_undo(self->document))
WINDOW_ACTION(redo, ms_document_redo(self->document))
WINDOW_ACTION(filter, ms_document_request_filter(self->document))
WINDOW_ACTION(zoom_in, ms_image_view_zoom_in(ms_window_get_view(self)))
WINDOW_ACTION(zoom_out, ms_image_view_zoom_out(ms_window_get_view(self)))
WINDOW_ACTION(zoom_fit, ms_image_view_fit(ms_window_get_view(self)))
WINDOW_ACTION(next_tab, gtk_notebook_next_page(GTK_NOTEBOOK(self->notebook)))
WINDOW_ACTION(previous_tab, gtk_notebook_prev_page(GTK_NOTEBOOK(self->notebook)))

/* A measurement is stopped before a request that waits for its end. */
static void
on_cancel(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  MsWindow *self = data;

  if (ms_window_engine_is_held(self->engine))
    ms_window_engine_cancel_holders(self->engine);
  else if (self->document)
    ms_document_cancel(self->document);
}

static void
on_reset(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  MsWindow *self = data;
  MsSettings settings = ms_settings_default();

  ms_document_set_settings(self->document, &settings);
}

static void
on_zoom_to(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ms_image_view_set_zoom(ms_window_get_view(data), g_variant_get_double(parameter));
}

static void
on_use_processor(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  MsWindow *self = data;
  MsDevice *device = ms_window_engine_get_device(self->engine);
  gboolean was_processor = device && device->limits.type == MS_DEVICE_TYPE_CPU;
  gboolean failed_already = g_str_equal(ms_window_engine_get_device_selector(self->engine), "cpu") ||
                            g_error_matches(ms_window_engine_get_problem(self->engine), MS_ERROR, MS_ERROR_NO_DEVICE);

  /* Without an OpenCL processor the serial reference is used. */
  ms_window_engine_choose(self->engine, was_processor || failed_already ? MS_ENGINE_REFERENCE : "cpu");
}

static void
on_repeat(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  MsWindow *self = data;

  ms_document_repeat_run(self->document, ms_document_get_current_run(self->document),
                         (guint)g_variant_get_int32(parameter));
}

static void
on_view_mode(GSimpleAction *action, GVariant *state, gpointer data)
{
  MsWindow *self = data;
  MsImageView *view = ms_window_get_view(self);
  const char *name = g_variant_get_string(state, NULL);

  for (int i = 0; view && ms_view_mode_names[i]; i++)
    if (strcmp(name, ms_view_mode_names[i]) == 0) {
      ms_image_view_set_mode(view, i);
      g_settings_set_string(self->settings, "view-mode", name);
    }
  ms_window_update_actions(self);
}

static void
on_workspace(GSimpleAction *action, GVariant *state, gpointer data)
{
  ms_window_show_workspace(data, g_variant_get_string(state, NULL));
}

static void
on_fullscreen(GSimpleAction *action, GVariant *state, gpointer data)
{
  ms_window_show_only_picture(data, g_variant_get_boolean(state));
}

static void
on_side_panel(GSimpleAction *action, GVariant *state, gpointer data)
{
  MsWindow *self = data;

  ms_window_show_side(self, self->side_panel, "side-panel", g_variant_get_boolean(state));
}

static void
on_left_panel(GSimpleAction *action, GVariant *state, gpointer data)
{
  MsWindow *self = data;

  ms_window_show_side(self, self->left_panel, "left-panel", g_variant_get_boolean(state));
}

/* A panel has saved a file. */
static void
on_announce_file(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *path, *losses;

  g_variant_get(parameter, "(^&ay&s)", &path, &losses);
  ms_window_toast_saved(data, path, losses);
}

static const GActionEntry entries[] = {
  {"announce-file", on_announce_file, "(ays)"},
  {"filter-folder", on_filter_folder},
  {"menu", on_menu},
  {"open", on_open},
  {"open-sample", on_open_sample},
  {"paste", on_paste},
  {"save", on_save},
  {"save-as", on_save_as},
  {"copy", on_copy},
  {"copy-command", on_copy_command},
  {"print", on_print},
  {"close-tab", on_close_tab},
  {"undo", on_undo},
  {"redo", on_redo},
  {"reset", on_reset},
  {"filter", on_filter},
  {"cancel", on_cancel},
  {"repeat", on_repeat, "i"},
  {"zoom-in", on_zoom_in},
  {"zoom-out", on_zoom_out},
  {"zoom-fit", on_zoom_fit},
  {"zoom-to", on_zoom_to, "d"},
  {"next-tab", on_next_tab},
  {"previous-tab", on_previous_tab},
  {"use-processor", on_use_processor},
  {"view-mode", NULL, "s", "'split'", on_view_mode},
  {"workspace", NULL, "s", "'picture'", on_workspace},
  {"fullscreen", NULL, NULL, "false", on_fullscreen},
  {"side-panel", NULL, NULL, "true", on_side_panel},
  {"left-panel", NULL, NULL, "true", on_left_panel},
};

/* Actions that need an open picture. */
static const char *const need_document[] = {"save-as",  "copy-command", "close-tab", "reset",   "filter",
                                            "zoom-in",  "zoom-out",     "zoom-fit",  "zoom-to", "view-mode",
                                            "next-tab", "previous-tab", NULL};

static GSimpleAction *
lookup(MsWindow *self, const char *name)
{
  return G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(self), name));
}

static void
enable(MsWindow *self, const char *name, gboolean enabled)
{
  g_simple_action_set_enabled(lookup(self, name), enabled);
}

static void
update_mode(MsWindow *self)
{
  MsImageView *view = ms_window_get_view(self);

  if (!view)
    return;
  g_simple_action_set_state(lookup(self, "view-mode"),
                            g_variant_new_string(ms_view_mode_names[ms_image_view_get_mode(view)]));
  gtk_widget_set_visible(self->gain_box, ms_image_view_get_mode(view) == MS_VIEW_DIFFERENCE);
  gtk_widget_set_visible(self->region_picture, ms_image_view_get_mode(view) == MS_VIEW_REGIONS);
}

/* (transfer full): the label of @option (nullable) without its mnemonic, in the window's language. */
static char *
plain_label(const char *option)
{
  const MsOptionInfo *info = option ? ms_option_find(option) : NULL;

  return ms_format_plain(info ? _(info->label) : "");
}

/* Sets the tooltip of an undo or redo button, which names its option; @text (transfer full). */
static void
name_step(GtkWidget *button, char *text)
{
  gtk_widget_set_tooltip_text(button, text);
  atk_object_set_description(gtk_widget_get_accessible(button), text);
  g_free(text);
}

static void
name_steps(MsWindow *self)
{
  g_autofree char *undo = plain_label(self->document ? ms_document_get_undo_name(self->document) : NULL);
  g_autofree char *redo = plain_label(self->document ? ms_document_get_redo_name(self->document) : NULL);

  name_step(self->undo, *undo ? g_strdup_printf(_("Undo %s (%s)"), undo, "Ctrl+Z") : g_strdup(_("Undo (Ctrl+Z)")));
  name_step(self->redo,
            *redo ? g_strdup_printf(_("Redo %s (%s)"), redo, "Ctrl+Shift+Z") : g_strdup(_("Redo (Ctrl+Shift+Z)")));
}

/** ms_window_update_actions: updates which actions are enabled. */
void
ms_window_update_actions(MsWindow *self)
{
  MsDocument *document = self->document;
  gboolean filtered = document && ms_document_get_picture_b(document);

  if (!lookup(self, "save"))
    return;
  for (guint i = 0; need_document[i]; i++)
    enable(self, need_document[i], document != NULL);
  enable(self, "save", filtered);
  enable(self, "save-as", filtered);
  enable(self, "copy", filtered);
  enable(self, "print", filtered);
  enable(self, "undo", document && ms_document_can_undo(document));
  enable(self, "redo", document && ms_document_can_redo(document));
  name_steps(self);
  enable(self, "repeat", document && ms_document_can_repeat_run(document, ms_document_get_current_run(document)));
  enable(self, "cancel",
         (document && ms_document_is_busy(document)) || (self->engine && ms_window_engine_is_held(self->engine)));
  g_simple_action_set_state(lookup(self, "fullscreen"), g_variant_new_boolean(self->only_picture));
  update_mode(self);
}

void
ms_window_add_actions(MsWindow *self)
{
  g_autoptr(GAction) folder = g_settings_create_action(self->settings, "folder-strip");
  g_autoptr(GAction) details = g_settings_create_action(self->settings, "details");

  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
  g_action_map_add_action(G_ACTION_MAP(self), folder);
  g_action_map_add_action(G_ACTION_MAP(self), details);
  ms_window_update_actions(self);
}
