import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import { failure, type Reply } from '@truetally/kernel';
import { type OutboxRelay, stepOnce } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import type { SettlementRecording, SettlementStore } from '../storage/settlement.store.js';
import type { JudgedRow, RowJudge, SettlementSource } from './judge-rows.js';
import type { OtherWork } from './other-work.js';
import type { UploadPlace, Uploads } from './read-upload.js';
import { added, NO_ROWS, recordRows, type TakenRows } from './take-rows.js';

/** Of 1,000 rows or 256 KiB each; twice as many are in memory. A larger part would occupy the process for longer at a time. */
const PIECES_AT_ONCE = 1;
/** A step is one transaction: each has its fixed costs, and its facts are written at a time. */
const PIECES_PER_STEP = 4;
const STEP_MS = 1_000;
/** Judged between two turns of others: some milliseconds. */
const ROWS_PER_TURN = 100;
/** Recorded at a time, where others are there. */
const ROWS_PER_RECORDING = 250;
const MOST_PAUSE_MS = 50;

export interface ImportParts {
  readonly pool: Pool;
  readonly uploads: Uploads;
  readonly settlements: SettlementStore;
  readonly judge: RowJudge;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly others: Pick<OtherWork, 'isThere'>;
  readonly nowMs: () => number;
}

/** It no longer exists, or its key was retired: its step is rolled back, whose sums and facts are written last. */
class UploadGoneError extends Error {
  override readonly name = 'UploadGoneError';
}

/** Imports uploaded settlements: a refused row never stops the others. */
export class SettlementImport {
  constructor(private readonly parts: ImportParts) {}

  /** One step of an upload's job: some pieces, in one transaction with its report. */
  async step(step: JobStep): Promise<Reply<JobStepReport>> {
    try {
      return { ok: await this.import(step) };
    } catch (error) {
      if (!(error instanceof UploadGoneError)) throw error;
      return failure('CONFLICT', 'The upload is gone; it has to be sent again.');
    }
  }

  private async import(step: JobStep): Promise<JobStepReport> {
    const { pool, uploads, relay } = this.parts;
    const { upload_id: uploadId = '', rows = '0' } = step.params;
    const from = readPlace(step.cursor);
    const asked = { name: `${step.job_id}/${step.step}/${step.cursor ?? ''}`, cursor: step.cursor };
    const report = await stepOnce<JobStepReport>(pool, asked, async (client) => {
      const taken = await this.takePieces(client, step.params, from);
      return { ...taken, found: from.piece === 0 ? Number(rows) : 0 };
    });
    relay.wake();
    if (report.cursor === null) await uploads.remove(uploadId);
    return report;
  }

  private async takePieces(
    client: ClientBase,
    { site_id: siteId = '', provider = '', upload_id: uploadId = '' }: JobStep['params'],
    from: UploadPlace,
  ): Promise<TakenRows & Pick<JobStepReport, 'cursor'>> {
    const { nowMs, settlements, others } = this.parts;
    const source = { siteId, provider };
    const endMs = nowMs() + STEP_MS;
    const recording = await settlements.begin(client, siteId);
    const record = (await others.isThere(client)) ? recordMakingWay : recordRows;
    let taken = NO_ROWS;
    let part = await this.readPart(uploadId, from, source);
    // Terminates: each part begins behind the one before it, and a step has a limited number of pieces.
    for (;;) {
      const { next } = part;
      const isLast = next === undefined || next.piece - from.piece >= PIECES_PER_STEP || nowMs() > endMs;
      // Postgres works on one part while the next one is read.
      const [kept, following] = await Promise.allSettled([
        record(recording, part.judged),
        isLast ? undefined : this.readPart(uploadId, next, source),
      ]);
      taken = added(taken, valueOf(kept));
      const read = valueOf(following);
      if (read === undefined) {
        await recording.finish();
        return { ...taken, cursor: next === undefined ? null : writePlace(next) };
      }
      part = read;
    }
  }

  private async readPart(
    uploadId: string,
    from: UploadPlace,
    source: SettlementSource,
  ): Promise<{ readonly judged: readonly JudgedRow[]; readonly next: UploadPlace | undefined }> {
    const { uploads, judge } = this.parts;
    const part = await uploads.read(uploadId, from, PIECES_AT_ONCE);
    if (part === undefined) throw new UploadGoneError();
    const judged: JudgedRow[] = [];
    for (const piece of part.pieces) {
      for (let from = 0; from < piece.rows.length; from += ROWS_PER_TURN) {
        const rows = piece.rows.slice(from, from + ROWS_PER_TURN);
        judged.push(...judge.piece({ ...piece, rows }, source));
        // Yields, so that others' requests and answers of Postgres are handled.
        await setImmediate();
      }
    }
    return { judged, next: part.next };
  }
}

/**
 * Records some rows at a time, and pauses for as long as they took: half of a processor, and of Postgres, is left to requests. The
 * site stays locked meanwhile, for which its clicks alone wait.
 */
async function recordMakingWay(
  recording: SettlementRecording,
  judged: readonly JudgedRow[],
): Promise<TakenRows> {
  let taken = NO_ROWS;
  for (let from = 0; from < judged.length; from += ROWS_PER_RECORDING) {
    const begunAt = performance.now();
    taken = added(taken, await recordRows(recording, judged.slice(from, from + ROWS_PER_RECORDING)));
    await delay(Math.min(performance.now() - begunAt, MOST_PAUSE_MS));
  }
  return taken;
}

/** Waits for both before it throws an error, so that nothing is written after the end of the transaction. */
function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'fulfilled') return settled.value;
  throw settled.reason;
}

/**
 * A job's cursor: imported pieces and bytes, so that each step starts reading where the previous one ended.
 */
function writePlace({ piece, byte }: UploadPlace): string {
  return `${piece}/${byte}`;
}

function readPlace(cursor: string | null): UploadPlace {
  if (cursor === null) return { piece: 0, byte: 0 };
  const [, piece, byte] = /^(\d+)\/(\d+)$/.exec(cursor) ?? [];
  if (piece === undefined || byte === undefined) throw new Error('The cursor is none of these steps’.');
  return { piece: Number(piece), byte: Number(byte) };
}
