/* SPDX-License-Identifier: MIT */
/* What the Lab's pages give the program to measure, and the reports that it sends back. */
#pragma once

#include "core/lab/report/report.h"
#include "ui/program/program-job.h"
#include "ui/document/document.h"

void ms_lab_program_add_experiment(MsProgramJob *job, const MsExperiment *experiment);
void ms_lab_program_add_picture(MsProgramJob *job, MsDocument *document);
MsReport *ms_lab_program_read_report(JsonObject *event, const char *input);
