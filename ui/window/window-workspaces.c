/* SPDX-License-Identifier: MIT */
#include "ui/window/window-workspaces.h"

#include "ui/batch/batch-page.h"

#include <glib/gi18n-lib.h>

#include "ui/common/format.h"
#include "ui/document/document-settings.h"
#include "ui/options/options-panel.h"
#include "ui/window/panels.h"
#include "ui/window/window-open.h"
#include "ui/window/window-private.h"

/** ms_window_show_workspace: @name: picture, lab or batch */
void
ms_window_show_workspace(MsWindow *self, const char *name)
{
  gtk_stack_set_visible_child_name(GTK_STACK(self->workspaces), name);
}

/** ms_window_update_lab_settings: shows the current settings in the workspace Lab. */
void
ms_window_update_lab_settings(MsWindow *self)
{
  g_autofree char *text = NULL;

  if (!self->notebook)
    return;
  if (self->document)
    text = ms_settings_text(ms_document_get_settings(self->document), NULL, TRUE);
  gtk_label_set_text(GTK_LABEL(self->lab_settings), text ? text : _("No picture is open."));
  atk_object_set_description(gtk_widget_get_accessible(self->lab_button), text ? text : "");
  gtk_widget_set_sensitive(self->lab_button, text != NULL);
}

/* The controls are created when they are first shown, and are updated only while they are visible. */
static void
lab_settings_shown_cb(MsWindow *self)
{
  if (!gtk_bin_get_child(GTK_BIN(self->lab_popover))) {
    GtkWidget *panel = g_object_new(MS_TYPE_OPTIONS_PANEL, "visible", TRUE, NULL);
    ms_options_panel_put_toggles_first(MS_OPTIONS_PANEL(panel));
    gtk_widget_set_size_request(panel, 340, 400);
    gtk_container_add(GTK_CONTAINER(self->lab_popover), panel);
  }
  g_object_set(gtk_bin_get_child(GTK_BIN(self->lab_popover)), "document", self->document, NULL);
}

static void
lab_settings_hidden_cb(GtkBin *popover)
{
  if (gtk_bin_get_child(popover))
    g_object_set(gtk_bin_get_child(popover), "document", NULL, NULL);
}

static void
open_cb(MsWindow *self, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);

  ms_window_show_workspace(self, "picture");
  ms_window_open(self, file);
}

static void
workspace_changed_cb(MsWindow *self)
{
  GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self), "workspace");
  const char *name = gtk_stack_get_visible_child_name(GTK_STACK(self->workspaces));

  if (name && action)
    g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_string(name));
}

/** ms_window_add_workspaces: fills the workspaces with their panels and restores which one was in use. */
void
ms_window_add_workspaces(MsWindow *self)
{
  ms_panels_add(GTK_STACK(self->bottom_stack), GTK_STACK(self->lab_stack), G_OBJECT(self));
  g_object_bind_property(self, "document", self->run_strip, "document", G_BINDING_SYNC_CREATE);
  ms_batch_page_set_engine(MS_BATCH_PAGE(self->batch), self->engine);
  g_object_bind_property(self, "document", self->batch, "document", G_BINDING_SYNC_CREATE);
  g_signal_connect_object(self->lab_popover, "show", G_CALLBACK(lab_settings_shown_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect(self->lab_popover, "hide", G_CALLBACK(lab_settings_hidden_cb), NULL);
  g_signal_connect_object(self->batch, "open", G_CALLBACK(open_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->workspaces, "notify::visible-child", G_CALLBACK(workspace_changed_cb), self,
                          G_CONNECT_SWAPPED);
  g_settings_bind(self->settings, "bottom-page", self->bottom_stack, "visible-child-name", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "lab-page", self->lab_stack, "visible-child-name", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "workspace", self->workspaces, "visible-child-name", G_SETTINGS_BIND_DEFAULT);
}
