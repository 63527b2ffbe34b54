import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { logged } from '../audit-log/logged.js';
import { beginWorkflowReplay } from './begin-workflow-replay.js';
import { createWorkflow } from './create-workflow.js';
import { deleteWorkflow } from './delete-workflow.js';
import { listWorkflows, readWorkflow } from './read-workflow.js';
import { recordWorkflowOutcome } from './record-workflow-outcome.js';
import { updateWorkflow } from './update-workflow.js';

export const workflowsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createWorkflow: command(logged(createWorkflow)),
  listWorkflows: query(listWorkflows),
  readWorkflow: query(readWorkflow),
  updateWorkflow: command(logged(updateWorkflow)),
  deleteWorkflow: command(deleteWorkflow),
  beginWorkflowReplay: command(beginWorkflowReplay),
  recordWorkflowOutcome: command(recordWorkflowOutcome),
});
