import type { Reply } from '@truetally/kernel';
import { recordCodec } from '../facts/record-codec.js';
import type { RecordReader } from '../facts/record-reader.js';
import { compileReader } from '../validation/compile-validator.js';
import {
  Identifier,
  ListOf,
  Matching,
  Optional,
  NestedList,
  OneOf,
  Timestamp,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { identifier, matching } from '../validation/rules.js';

/** The arms of an experiment. */
export const VARIANTS = ['control', 'treatment'] as const;
/** One of `VARIANTS`. */
export type Variant = (typeof VARIANTS)[number];

/** Derived from the user agent; `unknown` where it has none. */
export const DEVICE_CLASSES = ['desktop', 'mobile', 'tablet', 'unknown'] as const;
/** One of `DEVICE_CLASSES`. */
export type DeviceClass = (typeof DEVICE_CLASSES)[number];

const SESSION_ID = { max: 128 };
const TOUCH_ID = { max: 128 };
const EXPERIMENTS = { min: 0, max: 50 };
const TOUCHES = { min: 0, max: 50 };
const CAMPAIGNS = { min: 0, max: 50 };

/** Body of `POST /partner-experiments/assignments` (interface page, section 7). Unknown fields are ignored. */
export class AssignSessionBody {
  @Identifier(SESSION_ID) session_id!: string;
  @Optional() @Matching(UUID, UUID_FORM) campaign_id?: string | null;
  @Optional() @ListOf(matching(UUID, UUID_FORM), EXPERIMENTS) experiment_ids?: readonly string[] | null;
  @Optional() @ListOf(identifier(TOUCH_ID), TOUCHES) touch_ids?: readonly string[] | null;
}

/** Reads and validates the body of an assignment request. */
export const readAssignSessionBody = compileReader(AssignSessionBody);

/** `experiments.assign-session`, keyed by site and session. */
export interface AssignSession {
  readonly site_id: string;
  readonly session_id: string;
  /** Null: assignments of all campaigns. */
  readonly campaign_id: string | null;
  readonly experiment_ids: readonly string[] | null;
  readonly touch_ids: readonly string[];
  readonly device: DeviceClass;
  /** 32 hexadecimal digits: a keyed hash of the visitor's network, which leads to no address. An older gateway sends none. */
  readonly network?: string | null;
}

/** The assignment of a session to an arm of one experiment. */
export class AssignmentResource {
  @Matching(UUID, UUID_FORM) readonly assignment_id!: string;
  @Matching(UUID, UUID_FORM) readonly experiment_id!: string;
  @OneOf(VARIANTS) readonly variant!: Variant;
  @ListOf(matching(UUID, UUID_FORM), CAMPAIGNS) readonly campaign_ids!: readonly string[];
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly assigned_at!: string;
}

/** `data` of `POST /partner-experiments/assignments`. */
export class SessionAssignments {
  /** Ordered by the start of their experiments. */
  @NestedList(() => AssignmentResource, EXPERIMENTS) readonly assignments!: readonly AssignmentResource[];
}

/** Every assignment of a session, as the service replies. */
export interface Assigned extends SessionAssignments {
  /** Whether this request created one of them. */
  readonly is_new: boolean;
}

/** The reply on `experiments.assign-session`. */
export type AssignSessionReply = Reply<Assigned>;

/** The message on `experiments.assign-session`. */
export const ASSIGN_SESSION = recordCodec((reader): AssignSession => {
  const isNarrowed = reader.anything('experiment_ids') !== null;
  return {
    site_id: reader.text('site_id'),
    session_id: reader.text('session_id'),
    campaign_id: reader.textOrNull('campaign_id'),
    experiment_ids: isNarrowed ? reader.texts('experiment_ids') : null,
    touch_ids: reader.texts('touch_ids'),
    device: reader.oneOf('device', DEVICE_CLASSES) ?? 'unknown',
    network: reader.textOrNull('network'),
  };
});

/** The content of `ok` in its reply. */
export const ASSIGNED = recordCodec((reader): Assigned => ({
  assignments: reader.objects('assignments').map(readAssignment),
  is_new: reader.flag('is_new'),
}));

function readAssignment(reader: RecordReader): AssignmentResource {
  return {
    assignment_id: reader.text('assignment_id'),
    experiment_id: reader.text('experiment_id'),
    variant: reader.oneOf('variant', VARIANTS) ?? 'control',
    campaign_ids: reader.texts('campaign_ids'),
    assigned_at: reader.text('assigned_at'),
  };
}
