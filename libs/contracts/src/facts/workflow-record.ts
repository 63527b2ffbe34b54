import { recordCodec } from './record-codec.js';
import { RecordReader } from './record-reader.js';

/** Operators of conditions (interface page, section 10). */
export const CONDITION_OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'in',
  'exists',
] as const;
/** One of `CONDITION_OPERATORS`. */
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** What a condition compares a field with. */
export type ConditionScalar = string | number | boolean;

/** A validated condition: each operator has a value that it takes. */
export interface WorkflowCondition {
  /** `properties.total` */
  readonly field: string;
  readonly operator: ConditionOperator;
  readonly value: ConditionScalar | readonly ConditionScalar[];
}

/** A sealed text: only the keyring opens it. */
export interface SealedText {
  readonly key_id: string;
  /** Base64. */
  readonly sealed: string;
}

/** A replaced secret: it signs, too, until then. */
export interface FormerSecret extends SealedText {
  readonly until: string;
}

/** The value of `workflows.v1`, key `workflow_id`; a null value means that the workflow is deleted. */
export interface WorkflowRecord {
  readonly workflow_id: string;
  readonly workspace_id: string;
  readonly site_id: string;
  readonly enabled: boolean;
  readonly event_types: readonly string[];
  readonly match: 'all' | 'any';
  readonly conditions: readonly WorkflowCondition[];
  readonly url: string;
  readonly secret: SealedText;
  /** The newest first. */
  readonly former_secrets: readonly FormerSecret[];
  readonly version: number;
  /** Facts from before it trigger nothing. ISO 8601 UTC with milliseconds. */
  readonly effective_from: string;
  /** When it became this version: facts from before it were matched with the one before. */
  readonly updated_at: string;
}

/** Writes and reads the value of `workflows.v1`. */
export const WORKFLOW_RECORD = recordCodec((reader): WorkflowRecord => {
  const secret = reader.object('secret');
  return {
    workflow_id: reader.text('workflow_id'),
    workspace_id: reader.text('workspace_id'),
    site_id: reader.text('site_id'),
    enabled: reader.flag('enabled'),
    event_types: reader.texts('event_types'),
    match: reader.oneOf('match', ['all', 'any']) ?? 'all',
    conditions: reader.list('conditions', readCondition),
    url: reader.text('url'),
    secret: sealedIn(secret),
    former_secrets: reader
      .objects('former_secrets')
      .map((former) => ({ ...sealedIn(former), until: former.instant('until') })),
    version: reader.integer('version'),
    effective_from: reader.instant('effective_from'),
    updated_at: reader.instant('updated_at'),
  };
});

function sealedIn(reader: RecordReader): SealedText {
  return { key_id: reader.text('key_id'), sealed: reader.text('sealed') };
}

function readCondition(item: unknown): WorkflowCondition | undefined {
  const reader = RecordReader.from(item);
  if (reader === undefined) return undefined;
  const field = reader.text('field');
  const operator = reader.oneOf('operator', CONDITION_OPERATORS);
  const value = reader.anything('value');
  if (operator === undefined || reader.faults.length > 0) return undefined;
  if (isScalar(value)) return { field, operator, value };
  return Array.isArray(value) && value.every(isScalar) ? { field, operator, value } : undefined;
}

function isScalar(value: unknown): value is ConditionScalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
