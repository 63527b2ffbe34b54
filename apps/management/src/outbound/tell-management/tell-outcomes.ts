import { randomUUID } from 'node:crypto';
import type { WorkflowOutcome } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { commandHeaders } from '@truetally/messaging';
import { appendToOutbox, inTransaction, type OutboxRelay, type OutgoingFact } from '@truetally/persistence';
import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Pool } from 'pg';
import type { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { hasNews, type QueueNews, takeNews } from '../storage/queue.store.js';

/** As often as one workflow is told of at most (`takeNews`). */
const TELL_MS = 5_000;

interface Parts {
  readonly pool: Pool;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly directory: WorkflowDirectory;
  readonly log: Logger;
}

/** Tells management how workflows fare: when one was delivered last, and which has only failed for three days. */
export function tellOutcomes(parts: Parts): Repetition {
  const failure = 'Outcomes of workflows cannot be told; it is tried again.';
  return repeatedly({ everyMs: TELL_MS, log: parts.log, failure }, () => tellSome(parts));
}

async function tellSome({ pool, relay, directory }: Parts): Promise<void> {
  if (!(await hasNews(pool))) return;
  await inTransaction(pool, async (client) => {
    const news = await takeNews(client);
    const messages = news.flatMap((one) => messageOf(one, directory));
    if (messages.length > 0) await appendToOutbox(client, messages);
  });
  relay.wake();
}

function messageOf(news: QueueNews, directory: WorkflowDirectory): readonly OutgoingFact[] {
  const workflow = directory.index.get(news.workflow_id);
  if (workflow === undefined) return [];
  const outcome: WorkflowOutcome = {
    workflow_id: news.workflow_id,
    last_delivered_at: news.last_delivered_at?.toISOString() ?? null,
    is_failing: news.is_failing,
    version: news.version,
  };
  const command: ResourceCommand = {
    workspace_id: workflow.workspace_id,
    actor: null,
    params: { id: news.workflow_id },
    version: null,
    idempotency: null,
    body: outcome,
  };
  const topic = TOPICS.recordWorkflowOutcome.name;
  const headers = commandHeaders(randomUUID());
  return [{ topic, key: news.workflow_id, value: JSON.stringify(command), headers }];
}
