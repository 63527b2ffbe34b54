import { type SealedCredentials } from '../management/integration-messages.js';
import { type IntegrationProvider, INTEGRATION_PROVIDERS } from '../management/integration.js';
import { compileReader } from '../validation/compile-validator.js';
import {
  Nested,
  NonEmptyText,
  OneOf,
  OrAbsent,
  OrNull,
  Text,
  Timestamp,
  WholeNumber,
} from '../validation/decorators.js';
import { MAX_SETTLEMENT_ROWS } from './settlement.js';

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

const ID = { max: 256 };
const TYPE = { max: 100 };
const URL_LENGTH = { max: 2_048 };
const SEALED = { max: 100_000 };
const ERROR = { max: 10_000 };
const VERSION = { min: 1, max: Number.MAX_SAFE_INTEGER };
const ROWS = { min: 0, max: MAX_SETTLEMENT_ROWS };

/** The body of `management.commands/begin-settlements-import`. */
export class BeginSettlementsImport {
  @NonEmptyText(ID) readonly upload_id!: string;
  @WholeNumber(ROWS) readonly rows!: number;
}

/** Reads the body; never throws. */
export const readBeginSettlementsImport = compileReader(BeginSettlementsImport);

/** The body of `management.commands/begin-worker-job`; the gateway has verified the sender's signature. */
export class BeginWorkerJob {
  /** The sender's `webhook-id`: accepted a single time. */
  @NonEmptyText(ID) readonly message_id!: string;
  @NonEmptyText(TYPE) readonly type!: string;
  @NonEmptyText(ID) readonly site_id!: string;
  /** Null for every integration of the site. */
  @OrNull() @NonEmptyText(ID) readonly integration_id!: string | null;
}

/** Reads the body; never throws. */
export const readBeginWorkerJob = compileReader(BeginWorkerJob);

/** The message of `management.read-integration-access`. */
export class ReadIntegrationAccess {
  @NonEmptyText(ID) readonly integration_id!: string;
}

class Sealed implements SealedCredentials {
  @NonEmptyText(ID) readonly key_id!: string;
  @NonEmptyText(SEALED) readonly sealed!: string;
}

/**
 * The reply of `management.read-integration-access`: the input of a pull. For services only, never part of an
 * answer.
 */
export class IntegrationAccess {
  @NonEmptyText(ID) readonly site_id!: string;
  @OneOf(INTEGRATION_PROVIDERS) readonly provider!: IntegrationProvider;
  @OrNull() @NonEmptyText(URL_LENGTH) readonly base_url!: string | null;
  @Nested(() => Sealed) readonly credentials!: SealedCredentials;
  /** Of its settings: with others it may be another account. */
  @WholeNumber(VERSION) readonly version!: number;
}

export const SYNC_OUTCOMES = ['synced', 'refused', 'unreachable'] as const;
/** One of `SYNC_OUTCOMES`. */
export type SyncOutcome = (typeof SYNC_OUTCOMES)[number];

/** The message of `management.record-sync`: the outcome of a pull. Nobody waits for its reply. */
export class RecordSync {
  @NonEmptyText(ID) readonly integration_id!: string;
  /** Of the settings that it is about; absent where they could not be opened. */
  @OrAbsent() @WholeNumber(VERSION) readonly version?: number;
  @OneOf(SYNC_OUTCOMES) readonly outcome!: SyncOutcome;
  /** For the merchant, in plain words; null after a success. */
  @OrNull() @Text(ERROR) readonly error!: string | null;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly at!: string;
}
