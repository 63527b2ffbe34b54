import { fail, type Result, succeed } from '@truetally/kernel';
import { Flag } from '../validation/decorators.js';
import { RecordReader } from '../facts/record-reader.js';
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

/** Reads the body; never throws. */
export function readNewWorkflow(body: unknown): Result<NewWorkflow, string> {
  const reader = RecordReader.from(body);
  if (reader === undefined) return fail('not an object');
  const secret = reader.object('secret');
  const workflow = { id: reader.text('id'), fields: reader.anything('fields'), secret: sealedIn(secret) };
  const faults = reader.faultsWith(secret);
  return faults.length === 0 ? succeed(workflow) : fail(`unreadable: ${faults.join(', ')}`);
}

/** Reads the body; never throws. */
export function readWorkflowChange(body: unknown): Result<WorkflowChange, string> {
  const reader = RecordReader.from(body);
  if (reader === undefined) return fail('not an object');
  const secret = reader.objectOrNull('secret');
  const change = { patch: reader.anything('patch'), secret: secret === null ? null : sealedIn(secret) };
  const faults = reader.faultsWith(...(secret === null ? [] : [secret]));
  return faults.length === 0 ? succeed(change) : fail(`unreadable: ${faults.join(', ')}`);
}

/** Reads the message; never throws. */
export function readWorkflowOutcome(message: unknown): Result<WorkflowOutcome, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const outcome: WorkflowOutcome = {
    workflow_id: reader.text('workflow_id'),
    last_delivered_at: reader.instantOrNull('last_delivered_at'),
    is_failing: reader.flag('is_failing'),
    version: reader.integer('version'),
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(outcome) : fail(`unreadable: ${faults.join(', ')}`);
}

function sealedIn(reader: RecordReader): SealedText {
  return { key_id: reader.text('key_id'), sealed: reader.text('sealed') };
}
