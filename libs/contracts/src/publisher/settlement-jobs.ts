import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import { type SealedCredentials } from '../management/integration-messages.js';
import { type IntegrationProvider, INTEGRATION_PROVIDERS } from '../management/integration.js';

/** Types of jobs (interface page, sections 8 and 11). */
export const SETTLEMENTS_IMPORT = 'settlements.import';
/** The job that pulls the settlements of an integration (interface page, section 11). */
export const SETTLEMENTS_PULL = 'settlements.pull';

/** Their steps in the service that stores settlements. */
export const IMPORT_SETTLEMENTS = 'import-settlements';
/** The step that pulls one page of a network's transactions. */
export const PULL_SETTLEMENTS = 'pull-settlements';

/** Uploads are stored below this name until they are imported. */
export const UPLOADS_FOLDER = 'settlement-uploads';

/** Seal context of a piece of an upload: it cannot be moved to another upload or position. */
export function uploadSealContext(uploadId: string, piece: number): readonly string[] {
  return ['settlement-upload', uploadId, String(piece)];
}

/** The body of `management.commands/begin-settlements-import`. */
export interface BeginSettlementsImport {
  readonly upload_id: string;
  readonly rows: number;
}

/** Reads the body; never throws. */
export function readBeginSettlementsImport(body: unknown): Result<BeginSettlementsImport, string> {
  const reader = RecordReader.from(body);
  if (reader === undefined) return fail('not an object');
  const value = { upload_id: reader.text('upload_id'), rows: reader.integer('rows') };
  return resultOf(value, reader.faultsWith());
}

/** The body of `management.commands/begin-worker-job`; the gateway has verified the sender's signature. */
export interface BeginWorkerJob {
  /** The sender's `webhook-id`: accepted a single time. */
  readonly message_id: string;
  readonly type: string;
  readonly site_id: string;
  /** Null for every integration of the site. */
  readonly integration_id: string | null;
}

/** Reads the body; never throws. */
export function readBeginWorkerJob(body: unknown): Result<BeginWorkerJob, string> {
  const reader = RecordReader.from(body);
  if (reader === undefined) return fail('not an object');
  const value = {
    message_id: reader.text('message_id'),
    type: reader.text('type'),
    site_id: reader.text('site_id'),
    integration_id: reader.textOrNull('integration_id'),
  };
  return resultOf(value, reader.faultsWith());
}

/**
 * The reply of `management.read-integration-access`: the input of a pull. For services only, never part of an
 * answer.
 */
export interface IntegrationAccess {
  readonly site_id: string;
  readonly provider: IntegrationProvider;
  readonly base_url: string | null;
  readonly credentials: SealedCredentials;
}

/** Reads the reply; never throws. */
export function readIntegrationAccess(ok: unknown): Result<IntegrationAccess, string> {
  const reader = RecordReader.from(ok);
  if (reader === undefined) return fail('not an object');
  const credentials = reader.object('credentials');
  const access: IntegrationAccess = {
    site_id: reader.text('site_id'),
    provider: reader.oneOf('provider', INTEGRATION_PROVIDERS) ?? 'awin',
    base_url: reader.textOrNull('base_url'),
    credentials: { key_id: credentials.text('key_id'), sealed: credentials.text('sealed') },
  };
  return resultOf(access, reader.faultsWith(credentials));
}

export const SYNC_OUTCOMES = ['synced', 'refused', 'unreachable'] as const;
/** One of `SYNC_OUTCOMES`. */
export type SyncOutcome = (typeof SYNC_OUTCOMES)[number];

/** The message of `management.record-sync`: the outcome of a pull. It has no reply. */
export interface RecordSync {
  readonly integration_id: string;
  readonly outcome: SyncOutcome;
  /** For the merchant, in plain words; null after a success. */
  readonly error: string | null;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

/** Reads a parsed message; never throws. */
export function readRecordSync(message: unknown): Result<RecordSync, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const told = {
    integration_id: reader.text('integration_id'),
    outcome: reader.oneOf('outcome', SYNC_OUTCOMES) ?? 'unreachable',
    error: reader.textOrNull('error'),
    at: reader.instant('at'),
  };
  return resultOf(told, reader.faultsWith());
}

function resultOf<T>(value: T, faults: readonly string[]): Result<T, string> {
  return faults.length === 0 ? succeed(value) : fail(`unreadable: ${faults.join(', ')}`);
}
