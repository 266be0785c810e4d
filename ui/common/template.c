/* SPDX-License-Identifier: MIT */
#include "ui/common/template.h"

/** ms_template_bind: called in class_init; @file: (nullable): below ui/; %NULL to add to those of an earlier call */
void
ms_template_bind(gpointer klass, const char *file, const MsTemplatePart *parts, gsize n)
{
  g_autofree char *path = g_strconcat("/io/github/meanshift_lab/MeanshiftLab/ui/", file, NULL);

  if (file)
    gtk_widget_class_set_template_from_resource(klass, path);
  for (gsize i = 0; i < n; i++)
    if (parts[i].function)
      gtk_widget_class_bind_template_callback_full(klass, parts[i].name, parts[i].function);
    else
      gtk_widget_class_bind_template_child_full(klass, parts[i].name, FALSE, parts[i].offset);
}
