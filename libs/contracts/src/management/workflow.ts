import { fail, type FieldErrors, patchFields, succeed, toStorableText } from '@truetally/kernel';
import { EVENT_TYPES } from '../events/event-catalogue.js';
import { CONDITION_OPERATORS, type WorkflowCondition } from '../facts/workflow-record.js';
import type { BodyReading } from '../resource/request.js';
import { Resource } from '../resource/resource.js';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  Flag,
  ListOf,
  Matching,
  Name,
  Nested,
  NestedList,
  OneOf,
  Optional,
  OrAbsent,
  OrNull,
  Readable,
  ScalarOrList,
  Timestamp,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { MAX_PLAIN_URL, plainUrlOf, toAsciiUrl } from '../validation/http-url.js';
import { matching, oneOf } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';
import { toStoredContent } from './stored-content.js';
import { checkConditions } from './workflow-rules.js';

/** Records of the ledger that trigger a workflow. */
export const LEDGER_TRIGGERS = [
  'conversion.purchase',
  'conversion.adjustment',
  'conversion.cancellation',
] as const;

/** Everything that triggers a workflow: events of the class `server`, and records of the ledger. */
export const TRIGGER_TYPES: readonly string[] = [...EVENT_TYPES, ...LEDGER_TRIGGERS];

const NAME = { max: 120 };
const URL_FORM = `an absolute http(s) URL of at most ${MAX_PLAIN_URL} characters, without user or fragment`;
const SECRET_FORM = 'whsec_ and the base64 of 24 to 64 bytes';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const SECRET_PREFIX = 'whsec_';
/** Every type once. */
const TYPES = { min: 1, max: 100 };
const CONDITIONS = { min: 0, max: 20 };
const MAX_FIELD_LENGTH = 256;
/** Names of members, and places in lists, separated by dots. */
const FIELD = /^(?=.{1,256}$)[^.\s]+(?:\.[^.\s]+){0,9}$/;
const FIELD_FORM = `a dotted path of at most ten names and ${MAX_FIELD_LENGTH} characters, such as properties.total`;

/** A condition as clients write it. Which values an operator takes: `checkConditions`. */
export class WorkflowConditionBody {
  @Matching(FIELD, FIELD_FORM) field!: string;
  @OneOf(CONDITION_OPERATORS) operator!: string;
  @Optional() @ScalarOrList() value?: unknown;
}

export class WorkflowTriggerBody {
  @ListOf(oneOf(TRIGGER_TYPES), TYPES) event_types!: readonly string[];
  @Optional() @OneOf(['all', 'any']) match?: 'all' | 'any' | null;
  @Optional() @NestedList(() => WorkflowConditionBody, CONDITIONS) conditions?:
    readonly WorkflowConditionBody[] | null;
}

export class WorkflowActionBody {
  @OneOf(['webhook']) type!: 'webhook';
  @Readable(plainUrlOf, URL_FORM, 'webhook-url') url!: string;
  /** Generated when it is absent. */
  @Optional() @Readable(webhookSecretOf, SECRET_FORM, 'webhook-secret') secret?: string | null;
}

/** Body of `POST /workflows`, and what a workflow is after a `PATCH` (interface page, section 10). */
export class WorkflowBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @Name(NAME) name!: string;
  @Nested(() => WorkflowTriggerBody) trigger!: WorkflowTriggerBody;
  @Nested(() => WorkflowActionBody) action!: WorkflowActionBody;
  @Optional() @Flag() enabled?: boolean | null;
}

/** A condition as clients read it: `value` is absent only where the operator needs none. */
export class WorkflowConditionResource implements WorkflowCondition {
  @Matching(FIELD, FIELD_FORM) readonly field!: string;
  @OneOf(CONDITION_OPERATORS) readonly operator!: WorkflowCondition['operator'];
  @ScalarOrList() readonly value!: WorkflowCondition['value'];
}

export class WorkflowTriggerResource {
  @ListOf(oneOf(TRIGGER_TYPES), TYPES) readonly event_types!: readonly string[];
  @OneOf(['all', 'any']) readonly match!: 'all' | 'any';
  @NestedList(() => WorkflowConditionResource, CONDITIONS) readonly conditions!: readonly WorkflowCondition[];
}

/** Without its secret. */
export class WorkflowActionResource {
  @OneOf(['webhook']) readonly type!: 'webhook';
  @Readable(plainUrlOf, URL_FORM, 'webhook-url') readonly url!: string;
}

/** A merchant's settings of a workflow, canonical and with defaults, without its secret. */
export interface WorkflowFields {
  readonly site_id: string;
  readonly name: string;
  readonly trigger: WorkflowTriggerResource;
  readonly action: WorkflowActionResource;
  readonly enabled: boolean;
}

/** Why a workflow is disabled: every attempt of three days failed, or a member did it. */
export const DISABLED_REASONS = ['failing', 'member'] as const;
/** One of `DISABLED_REASONS`. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A workflow as clients read it. */
export class WorkflowResource extends Resource implements WorkflowFields {
  @Matching(UUID, UUID_FORM) readonly workspace_id!: string;
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Name(NAME) readonly name!: string;
  @Nested(() => WorkflowTriggerResource) readonly trigger!: WorkflowTriggerResource;
  @Nested(() => WorkflowActionResource) readonly action!: WorkflowActionResource;
  @Flag() readonly enabled!: boolean;
  /** Null while it is enabled. */
  @OrNull() @OneOf(DISABLED_REASONS) readonly disabled_reason!: DisabledReason | null;
  /** Null before the first delivery. At most some seconds old. */
  @OrNull() @Timestamp() readonly last_delivered_at!: string | null;
}

/** With the secret: in the answer that generated or changed it, and never again. */
export class NewWorkflowActionResource extends WorkflowActionResource {
  @OrAbsent() @Readable(webhookSecretOf, SECRET_FORM, 'webhook-secret') readonly secret?: string;
}

/** The answer to a creation or a change. */
export class NewWorkflowResource extends WorkflowResource {
  @Nested(() => NewWorkflowActionResource) declare readonly action: NewWorkflowActionResource;
}

/** Filters of a list of workflows. */
export const WORKFLOW_FILTERS = { site_id: matching(UUID, UUID_FORM) } as const;

const validate = compileValidator(WorkflowBody, { unknownFields: 'refused-everywhere' });

/** Every broken rule, or the workflow in the body, without its secret. */
export function readWorkflow(body: unknown): BodyReading<WorkflowFields> {
  const violations = [...validate(body), ...(isJsonObject(body) ? checkConditions(body['trigger']) : [])];
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { site_id, name, trigger, action, enabled } = body as WorkflowBody;
  return succeed({
    site_id: site_id.toLowerCase(),
    name: toStorableText(name),
    trigger: {
      event_types: [...new Set(trigger.event_types)],
      match: trigger.match ?? 'all',
      conditions: (trigger.conditions ?? []).map(conditionOf),
    },
    action: { type: action.type, url: toAsciiUrl(action.url) },
    enabled: enabled ?? true,
  });
}

/** Replaces fields that a `PATCH` omits: no rule of one field reads another. */
const UNNAMED = {
  site_id: '00000000-0000-0000-0000-000000000000',
  name: '-',
  trigger: { event_types: [LEDGER_TRIGGERS[0]], match: 'all', conditions: [] },
  action: { type: 'webhook', url: 'https://shop.example/' },
  enabled: true,
};

/** Every rule that the fields of a `PATCH` break, whatever the workflow is; with that of its secret. */
export function workflowPatchFaults(patch: unknown): FieldErrors {
  const patched = readWorkflow(patchFields(UNNAMED, patch));
  return patched.ok ? {} : patched.error;
}

function conditionOf({ field, operator, value }: WorkflowConditionBody): WorkflowCondition {
  const isPresence = operator === 'exists';
  return {
    field: toStorableText(field),
    operator: operator as WorkflowCondition['operator'],
    value: isPresence && value == null ? true : (toStoredContent(value) as WorkflowCondition['value']),
  };
}

/** A secret as Standard Webhooks writes it. @returns undefined for any other text */
export function webhookSecretOf(text: string): string | undefined {
  if (!text.startsWith(SECRET_PREFIX)) return undefined;
  const base64 = text.slice(SECRET_PREFIX.length);
  if (!/^[A-Za-z0-9+/]{32,88}={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return undefined;
  return bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES ? text : undefined;
}
