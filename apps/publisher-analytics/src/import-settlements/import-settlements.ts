import type { JobError, JobStep, JobStepReport } from '@truetally/contracts/jobs';
import { referenceMatchFields, SETTLEMENT_FIELDS, type UploadRow } from '@truetally/contracts/publisher';
import { failure, type FieldErrors, type Reply } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import { type OutboxRelay, stepOnce } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { versionOf } from '../domain/decide-settlement.js';
import { settlementIdOf } from '../domain/names.js';
import { type RawRow, readSettlementRow, type SettlementRow } from '../domain/read-settlement-row.js';
import type { Kept, OfferedSettlement, SettlementStore } from '../storage/settlement.store.js';
import type { UploadPlace, Uploads } from './read-upload.js';

/** Of 1,000 rows each: one transaction. */
const PIECES_PER_STEP = 4;

/** The site and network of settlements. */
export interface SettlementSource {
  readonly siteId: string;
  readonly provider: string;
}

/** A validated row: stored as a settlement, or refused by its fields. */
export type JudgedRow =
  | { readonly row: number; readonly settlement: SettlementRow }
  | { readonly row: number; readonly errors: FieldErrors };

export interface ImportParts {
  readonly pool: Pool;
  readonly uploads: Uploads;
  readonly settlements: SettlementStore;
  readonly keys: Pick<KeyringFile, 'keyring'>;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly nowMs: () => number;
}

/** Imports settlements, uploaded or pulled: a refused row never stops the others. */
export class SettlementImport {
  constructor(private readonly parts: ImportParts) {}

  /** One step of an upload's job: some pieces, in one transaction with its report. */
  async step(step: JobStep): Promise<Reply<JobStepReport>> {
    const { pool, uploads, relay } = this.parts;
    const { site_id: siteId = '', provider = '', upload_id: uploadId = '', rows = '0' } = step.params;
    const from = readPlace(step.cursor);
    const asked = { name: `${step.job_id}/${step.step}/${step.cursor ?? ''}`, cursor: step.cursor };
    const report: ImportReport = await stepOnce<ImportReport>(pool, asked, async (client) => {
      const part = await uploads.read(uploadId, from, PIECES_PER_STEP);
      if (part === undefined) return GONE;
      const judged = part.pieces.flatMap((piece) =>
        piece.rows.map((row) => this.judge(row, piece.isChangeTimed)),
      );
      const taken = await this.take(client, { siteId, provider }, judged);
      const cursor = part.next === undefined ? null : writePlace(part.next);
      return { ...taken, cursor, found: from.piece === 0 ? Number(rows) : 0 };
    });
    if (report.isGone === true) return failure('CONFLICT', 'The upload is gone; it has to be sent again.');
    relay.wake();
    if (report.cursor === null) await uploads.remove(uploadId);
    return { ok: report };
  }

  /** Stores the valid rows, in the caller's transaction; wake the outbox after it. */
  async take(
    client: ClientBase,
    source: SettlementSource,
    judged: readonly JudgedRow[],
  ): Promise<Omit<JobStepReport, 'cursor' | 'found'>> {
    const sound = judged.filter((one) => 'settlement' in one);
    const offered = sound.map(({ settlement }) => this.offer(settlement, source));
    const kept = await this.parts.settlements.record(client, source.siteId, offered);
    const errors: JobError[] = judged.flatMap((one) =>
      'errors' in one ? errorsOf(one.row, one.errors) : [],
    );
    sound.forEach(({ row }, index) => errors.push(...errorOfKept(row, kept[index] ?? 'kept')));
    const failed = new Set(errors.map(({ row }) => row)).size;
    errors.sort((left, right) => (left.row ?? 0) - (right.row ?? 0));
    return { done: judged.length, stored: judged.length - failed, failed, errors };
  }

  private judge(row: UploadRow, isChangeTimed: boolean): JudgedRow {
    if ('fault' in row) return { row: row.row, errors: { '': [row.fault] } };
    const raw = Object.fromEntries(
      SETTLEMENT_FIELDS.map((name, index) => [name, row.values[index]]),
    ) as RawRow;
    const read = readSettlementRow(raw, this.parts.nowMs(), isChangeTimed);
    return read.ok ? { row: row.row, settlement: read.value } : { row: row.row, errors: read.error };
  }

  private offer(row: SettlementRow, { siteId, provider }: SettlementSource): OfferedSettlement {
    const { clickReference, isChangeTimed, providerTransactionId } = row;
    const referenceHash =
      clickReference === null
        ? null
        : this.parts.keys.keyring.match(referenceMatchFields(siteId, clickReference));
    const settlementId = settlementIdOf(siteId, provider, providerTransactionId);
    return { version: versionOf(row, { siteId, provider, settlementId, referenceHash }), isChangeTimed };
  }
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

/** A step's report, or that there is nothing to read. */
type ImportReport = JobStepReport & { readonly isGone?: true };

const GONE: ImportReport = {
  cursor: null,
  found: 0,
  done: 0,
  stored: 0,
  failed: 0,
  errors: [],
  isGone: true,
};

function errorsOf(row: number, errors: FieldErrors): readonly JobError[] {
  return Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => ({ row, field: field === '' ? null : field, message })),
  );
}

function errorOfKept(row: number, kept: Kept): readonly JobError[] {
  switch (kept) {
    case 'kept':
      return [];
    case 'erased':
      return [{ row, field: null, message: 'belongs to a site that has been deleted' }];
    case 'contradicts': {
      const message = 'must be newer: another state of this transaction has the same updated_at and differs';
      return [{ row, field: 'updated_at', message }];
    }
  }
}
