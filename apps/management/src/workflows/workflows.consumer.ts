import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { TOPICS } from '@truetally/contracts/topics';
import { refusals } from '../domain/refusals.js';
import { deleting, listing, reading } from '../resource-work.js';
import { findWorkflow, pageOfWorkflows, WORKFLOWS } from '../storage/workflow.store.js';
import { logged } from '../audit-log/logged.js';
import { beginWorkflowReplay } from './begin-workflow-replay.js';
import { createWorkflow } from './create-workflow.js';
import { recordWorkflowOutcome } from './record-workflow-outcome.js';
import { updateWorkflow } from './update-workflow.js';

export const workflowsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createWorkflow: command(logged(createWorkflow)),
  listWorkflows: query(listing(pageOfWorkflows)),
  readWorkflow: query(reading('id', findWorkflow, refusals.noWorkflow)),
  updateWorkflow: command(logged(updateWorkflow)),
  /** Its deliveries go in the background: the second program learns of it by the tombstone. */
  deleteWorkflow: command(deleting('workflow', WORKFLOWS, refusals.noWorkflow, TOPICS.workflows.name)),
  beginWorkflowReplay: command(beginWorkflowReplay),
  recordWorkflowOutcome: command(recordWorkflowOutcome),
});
