import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import { REPLAY_DELIVERIES, type ReplayRange, replayRangeIn } from '@truetally/contracts/outbound';
import { failure, type Reply, UUID } from '@truetally/kernel';
import { stepOnce } from '@truetally/persistence';
import { erasureReport as report, whileAvailable } from '@truetally/service';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import type { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { refusals } from '../domain/refusals.js';
import { countUntried, nextReplayable, queueAgain, type ReplayPlace } from '../storage/delivery.store.js';
import { lockQueues, refreshQueues } from '../storage/queue.store.js';

/**
 * Replays of a workflow that wait for their first attempt, at most: what a cancelled job has queued is sent still, and more than
 * this would be no cancellation.
 */
const WINDOW = 200;
const WAIT_FOR_ROOM_MS = 2_000;
const POLL_MS = 50;

interface Replay {
  readonly workflowId: string;
  readonly range: ReplayRange;
  readonly after: ReplayPlace | null;
  readonly matched: number;
}

/** Runs one piece of a replay for management's jobs: queues some deliveries again, oldest first. */
export class ReplaySteps {
  constructor(
    private readonly pool: Pool,
    private readonly directory: WorkflowDirectory,
  ) {}

  async handle(step: JobStep): Promise<Reply<JobStepReport>> {
    // From a newer version than this replica: a replica that is updated can do it.
    if (step.step !== REPLAY_DELIVERIES)
      return failure('UNAVAILABLE', `The step ${step.step} is not known here.`);
    const replay = replayOf(step);
    if (replay === undefined) return failure('VALIDATION_ERROR', 'The step breaks a rule.');
    const workflow = this.directory.index.get(replay.workflowId);
    if (workflow === undefined) return refusals.noWorkflow();
    if (!workflow.enabled) return refusals.workflowDisabled();
    return whileAvailable(() => this.queueSome(step, replay));
  }

  private async queueSome(step: JobStep, replay: Replay): Promise<Reply<JobStepReport>> {
    const room = await this.waitForRoom(replay.workflowId);
    const place = cursorAt(replay.after);
    if (room === 0) return { ok: report({ cursor: place }) };
    // By its place: the first piece is the same one whether it has waited for room or not.
    const name = `${step.job_id}/${place}`;
    const done = await stepOnce(this.pool, { name, cursor: step.cursor }, (client) =>
      queueNext(client, replay, room),
    );
    return { ok: done };
  }

  /** How many more may be queued; 0 when the endpoint has not taken the earlier ones meanwhile. */
  private async waitForRoom(workflowId: string): Promise<number> {
    const endsAt = performance.now() + WAIT_FOR_ROOM_MS;
    for (;;) {
      const room = WINDOW - (await countUntried(this.pool, workflowId, WINDOW));
      if (room > 0 || performance.now() > endsAt) return room;
      await delay(POLL_MS);
    }
  }
}

async function queueNext(client: ClientBase, replay: Replay, room: number): Promise<JobStepReport> {
  const { workflowId, after, matched } = replay;
  await lockQueues(client, [workflowId]);
  const places = await nextReplayable(client, replay, after, room);
  await queueAgain(
    client,
    places.map(({ id }) => id),
  );
  await refreshQueues(client, [workflowId]);
  const last = places.at(-1);
  const cursor = last === undefined || places.length < room ? null : cursorAt(last);
  // All that were counted are found at first, so that a member sees how far it is.
  const found = after === null ? Math.max(matched, places.length) : 0;
  return report({ cursor, found, done: places.length, stored: places.length });
}

/** A cursor is never null while the step goes on. */
function cursorAt(place: ReplayPlace | null): string {
  return place === null ? BEGINNING : `${place.at}/${place.id}`;
}

const BEGINNING = 'beginning';
const CURSOR = /^([^/]+)\/([0-9a-f-]{36})$/;

function replayOf({ params, cursor }: JobStep): Replay | undefined {
  const range = replayRangeIn(params);
  const workflowId = params['workflow_id'] ?? '';
  if (range === undefined || !UUID.test(workflowId)) return undefined;
  const matched = Number(params['matched'] ?? 0);
  if (cursor === null || cursor === BEGINNING) return { workflowId, range, matched, after: null };
  const [, at, id] = CURSOR.exec(cursor) ?? [];
  if (at === undefined || id === undefined) return undefined;
  return { workflowId, range, matched, after: { at, id } };
}
