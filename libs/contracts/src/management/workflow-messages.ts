import { Flag } from '../validation/decorators.js';
import { recordCodec } from '../facts/record-codec.js';
import type { RecordReader } from '../facts/record-reader.js';
import type { SealedText } from '../facts/workflow-record.js';

/** The body of `create-workflow`: the id is part of the secret's seal context, and so assigned by the gateway. */
export interface NewWorkflow {
  readonly id: string;
  /** The client's body without its secret. */
  readonly fields: unknown;
  readonly secret: SealedText;
}

/** The body of `update-workflow`. */
export interface WorkflowChange {
  /** The client's patch without a secret. */
  readonly patch: unknown;
  /** Null keeps the secret. */
  readonly secret: SealedText | null;
}

/** The message of `management.record-workflow-outcome`: what became of a workflow's deliveries. */
export interface WorkflowOutcome {
  readonly workflow_id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly last_delivered_at: string | null;
  /** Every attempt of three days has failed, with this version of the workflow. */
  readonly is_failing: boolean;
  readonly version: number;
}

/** The reply to it, which nobody waits for. */
export class RecordedOutcome {
  @Flag() readonly disabled!: boolean;
}

/** Seal context of a workflow's secret: it cannot be moved to another workflow. */
export function workflowSealContext(workflowId: string): readonly string[] {
  return ['workflow', workflowId];
}

/** The body of `create-workflow`. */
export const NEW_WORKFLOW = recordCodec((reader): NewWorkflow => ({
  id: reader.text('id'),
  fields: reader.anything('fields'),
  secret: sealedIn(reader.object('secret')),
}));

/** The body of `update-workflow`. */
export const WORKFLOW_CHANGE = recordCodec((reader): WorkflowChange => {
  const secret = reader.objectOrNull('secret');
  return { patch: reader.anything('patch'), secret: secret === null ? null : sealedIn(secret) };
});

/** The message of `management.record-workflow-outcome`. */
export const WORKFLOW_OUTCOME = recordCodec((reader): WorkflowOutcome => ({
  workflow_id: reader.text('workflow_id'),
  last_delivered_at: reader.instantOrNull('last_delivered_at'),
  is_failing: reader.flag('is_failing'),
  version: reader.integer('version'),
}));

function sealedIn(reader: RecordReader): SealedText {
  return { key_id: reader.text('key_id'), sealed: reader.text('sealed') };
}
