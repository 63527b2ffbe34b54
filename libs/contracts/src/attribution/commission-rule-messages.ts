import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import {
  COMMISSION_RULE_TYPES,
  type CommissionRuleFields,
  type CommissionRuleResource,
  type CreateCommissionRule,
  type ListCommissionRules,
} from './commission-rule.js';

/** `data` of `GET /partner-attribution/commission-rules`. */
export interface CommissionRulePage {
  readonly items: readonly CommissionRuleResource[];
  readonly next_cursor: string | null;
}

/** The service's answer to a new rule. */
export interface CreatedCommissionRule {
  readonly rule: CommissionRuleResource;
  /** False when the same rule existed before. */
  readonly is_new: boolean;
}

/** The message on `attribution-ledger.commands/create-commission-rule`. */
export function encodeCreateCommissionRule(request: CreateCommissionRule): string {
  return JSON.stringify(request);
}

/** Reads the parsed message back; never throws. */
export function readCreateCommissionRuleMessage(message: unknown): Result<CreateCommissionRule, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const request = {
    request_id: reader.text('request_id'),
    workspace_id: reader.text('workspace_id'),
    actor: reader.text('actor'),
    ...readFields(reader),
  };
  return resultOf(request, reader);
}

/** The message on `attribution-ledger.queries/list-commission-rules`. */
export function encodeListCommissionRules(request: ListCommissionRules): string {
  return JSON.stringify(request);
}

/** Reads the parsed message back; never throws. */
export function readListCommissionRulesMessage(message: unknown): Result<ListCommissionRules, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const request = {
    site_id: reader.text('site_id'),
    limit: reader.integer('limit'),
    cursor: reader.textOrNull('cursor'),
  };
  return resultOf(request, reader);
}

/** Reads the content of `ok` in a `CreateCommissionRuleReply`; never throws. */
export function readCreatedCommissionRule(ok: unknown): Result<CreatedCommissionRule, string> {
  const reader = RecordReader.from(ok);
  if (reader === undefined) return fail('not an object');
  const rule = reader.object('rule');
  return resultOf({ rule: readRule(rule), is_new: reader.flag('is_new') }, reader, rule);
}

/** Reads the content of `ok` in a `ListCommissionRulesReply`; never throws. */
export function readCommissionRulePage(ok: unknown): Result<CommissionRulePage, string> {
  const reader = RecordReader.from(ok);
  if (reader === undefined) return fail('not an object');
  const rows = reader.objects('items');
  const page = { items: rows.map(readRule), next_cursor: reader.textOrNull('next_cursor') };
  return resultOf(page, reader, ...rows);
}

function resultOf<T>(
  value: T,
  ...[outer, ...inner]: readonly [RecordReader, ...RecordReader[]]
): Result<T, string> {
  const faults = outer.faultsWith(...inner);
  return faults.length === 0 ? succeed(value) : fail(`unreadable: ${[...new Set(faults)].join(', ')}`);
}

function readRule(reader: RecordReader): CommissionRuleResource {
  return { id: reader.text('id'), ...readFields(reader), created_at: reader.text('created_at') };
}

function readFields(reader: RecordReader): CommissionRuleFields {
  return {
    website_id: reader.text('website_id'),
    provider: reader.text('provider'),
    partner_id: reader.textOrNull('partner_id'),
    type: reader.oneOf('type', COMMISSION_RULE_TYPES) ?? 'percentage',
    rate: reader.textOrNull('rate'),
    amount: reader.textOrNull('amount'),
    currency: reader.textOrNull('currency'),
    effective_from: reader.text('effective_from'),
  };
}
