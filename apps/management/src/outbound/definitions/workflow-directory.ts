import { WORKFLOW_RECORD, type WorkflowRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { CompactedTable, type Messaging } from '@truetally/messaging';
import { inTransaction, isTransient } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type CompiledWorkflow, WorkflowIndex } from '../domain/workflow-index.js';
import { markDeleted, settleQueues } from '../storage/queue.store.js';

const RETRY_MS = 1_000;
const WORKFLOWS_PER_STATEMENT = 500;
const POLL_MS = 10;

interface Parts {
  readonly messaging: Messaging;
  readonly pool: Pool;
  readonly log: Logger;
  /** Default: the topic's. */
  readonly openTable?: typeof CompactedTable.open;
}

/** This process's copy of the workflows, from their compacted topic; their queues follow it. */
export class WorkflowDirectory {
  readonly index = new WorkflowIndex();
  private table: CompactedTable | undefined;
  /** Changes whose queues are not settled yet, by workflow. */
  private readonly unsettled = new Map<string, Change>();
  private settling: Promise<void> | undefined;
  /** Before, workflows may be known by earlier versions, which the log still has: queues are not made as those say. */
  private isOpen = false;
  private isClosed = false;
  private onChanged: (workflow: CompiledWorkflow) => void = () => undefined;
  private onSome: () => void = () => undefined;

  constructor(private readonly parts: Parts) {}

  /** Resolves when every workflow is known. */
  async open(): Promise<void> {
    const { messaging, openTable = CompactedTable.open } = this.parts;
    this.table = await openTable(messaging, {
      topic: TOPICS.workflows.name,
      apply: (id, value, incarnation) => this.apply(id, value, incarnation),
      held: {
        keys: () => this.index.records().map(({ workflow_id }) => workflow_id),
        forget: (id) => this.apply(id, null),
      },
    });
    this.isOpen = true;
    await this.beginSettling();
  }

  /** Calls the listener for each workflow that is new or changed: facts before it may have come already. */
  whenChanged(listener: (workflow: CompiledWorkflow) => void): void {
    this.onChanged = listener;
  }

  /** Resolves as soon as there is a workflow, or at the signal. */
  async untilSome(signal: AbortSignal): Promise<void> {
    if (this.index.size > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.onSome = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** The workflow as soon as it is known in this version or a later one; undefined after the deadline. */
  async atVersion(id: string, version: number, deadlineMs: number): Promise<WorkflowRecord | undefined> {
    const endsAt = performance.now() + deadlineMs;
    for (;;) {
      const known = this.index.get(id);
      if (known !== undefined && known.version >= version && !this.unsettled.has(id)) return known;
      if (performance.now() > endsAt) return undefined;
      await delay(POLL_MS);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.table?.close();
    await this.settling;
  }

  private apply(id: string, value: string | null, incarnation?: number): void {
    if (value === null) {
      this.index.delete(id);
      this.unsettled.set(id, { record: null, incarnation });
    } else {
      const record = WORKFLOW_RECORD.parse(value);
      if (!record.ok) {
        this.parts.log.error({ workflow_id: id, fault: record.error }, 'A workflow cannot be read.');
        return;
      }
      this.unsettled.set(id, { record: record.value, incarnation });
      this.onChanged(this.index.set(record.value));
      this.onSome();
    }
    if (this.isOpen) void this.beginSettling();
  }

  private beginSettling(): Promise<void> {
    this.settling ??= this.settle().finally(() => {
      this.settling = undefined;
    });
    return this.settling;
  }

  /** Repeated while Postgres is away: a workflow that is disabled must come to rest. */
  private async settle(): Promise<void> {
    // Everything that arrives together is settled together.
    await delay(0);
    while (this.unsettled.size > 0 && !this.isClosed) {
      const changes = [...this.unsettled].slice(0, WORKFLOWS_PER_STATEMENT);
      try {
        await this.settleSome(changes);
        for (const [id, change] of changes) if (this.unsettled.get(id) === change) this.unsettled.delete(id);
      } catch (error) {
        if (!isTransient(error))
          this.parts.log.error({ err: error }, 'Queues of workflows cannot be settled.');
        await delay(RETRY_MS);
      }
    }
  }

  private async settleSome(changes: readonly (readonly [string, Change])[]): Promise<void> {
    const { pool } = this.parts;
    const known = changes.flatMap(([, { record, incarnation = 0 }]) =>
      record === null ? [] : [{ ...record, incarnation }],
    );
    await inTransaction(pool, (client) => settleQueues(client, known));
    for (const [id, { record, incarnation }] of changes)
      if (record === null) await markDeleted(pool, id, incarnation);
  }
}

interface Change {
  /** Null for a deletion. */
  readonly record: WorkflowRecord | null;
  /** Undefined where the topic has it no more, and says nothing. */
  readonly incarnation: number | undefined;
}
