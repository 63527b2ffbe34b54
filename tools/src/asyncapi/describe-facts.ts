import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ASSIGNED_SESSION_FACT,
  CAMPAIGN_RECORD,
  CHANGED_SETTLEMENT_FACT,
  CREDENTIAL_RECORD,
  ERASED_SITE,
  EXPERIMENT_RECORD,
  type FieldDescription,
  MEMBER_RECORD,
  type RecordCodec,
  RECORDED_AUDIT_FACT,
  RECORDED_CONVERSION_FACT,
  RECORDED_TOUCH_FACT,
  type RecordDescription,
  SEALED_LEDGER_FACT,
  SITE_RECORD,
  STORED_EVENT_FACT,
  WORKFLOW_RECORD,
} from '@truetally/contracts/facts';
import { ChatbotContent, OverlayContent, RecommendationContent } from '@truetally/contracts/management';
import { SERVICES } from '@truetally/contracts/services';
import type { TopicSpec } from '@truetally/contracts/topics';
import { SchemaCollection } from '@truetally/contracts/validation';
import { REPOSITORY_ROOT } from '@truetally/processes';
import { parse } from 'yaml';

type Json = Readonly<Record<string, unknown>>;

/** What a document of facts has; the words in it are written by hand. */
export interface FactsDocument {
  readonly channels: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> } & Json;
}

export const FACTS_FILE = join(REPOSITORY_ROOT, 'docs', 'asyncapi.yaml');

/** Schemas by the name of their message. */
const RECORDS: Readonly<Record<string, Pick<RecordCodec<unknown>, 'describe'>>> = {
  StoredEvent: STORED_EVENT_FACT,
  Site: SITE_RECORD,
  ErasedSite: ERASED_SITE,
  Credential: CREDENTIAL_RECORD,
  Member: MEMBER_RECORD,
  Workflow: WORKFLOW_RECORD,
  Campaign: CAMPAIGN_RECORD,
  Experiment: EXPERIMENT_RECORD,
  AssignedSession: ASSIGNED_SESSION_FACT,
  RecordedTouch: RECORDED_TOUCH_FACT,
  RecordedConversion: RECORDED_CONVERSION_FACT,
  RecordedAudit: RECORDED_AUDIT_FACT,
  ChangedSettlement: CHANGED_SETTLEMENT_FACT,
  SealedLedger: SEALED_LEDGER_FACT,
};
/** Not a schema of a record: what every state carries beside its value. */
const HEADERS = 'StateHeaders';
/** Of operators, and of no use to a follower. */
const INTERNAL: readonly string[] = ['deadLetters'];

export function readFactsDocument(): FactsDocument {
  return parse(readFileSync(FACTS_FILE, 'utf8')) as FactsDocument;
}

/**
 * The document with every topic, field, type and word of an enumeration as they are declared; descriptions, and limits
 * that no declaration has, stay as they are in `written`.
 * @throws Error when a topic has no channel with its title, key and message yet
 */
export function describeFacts(written: FactsDocument): FactsDocument {
  const { channels, components } = written;
  const topics = Object.entries(publicTopics());
  const unwritten = topics.filter(([key]) => channels[key] === undefined).map(([key]) => key);
  if (unwritten.length > 0) throw new Error(`docs/asyncapi.yaml has no channel ${unwritten.join(', ')}.`);
  const described = Object.entries(RECORDS).map(([name, codec]) => [
    name,
    objectSchema(codec.describe(), components.schemas[name] ?? {}),
  ]);
  const contents = new SchemaCollection('#/components/schemas/');
  for (const content of [OverlayContent, RecommendationContent, ChatbotContent]) contents.refer(content);
  return {
    ...written,
    channels: Object.fromEntries(topics.map(([key, topic]) => [key, channelOf(topic, channels[key] ?? {})])),
    components: {
      ...components,
      schemas: {
        [HEADERS]: components.schemas[HEADERS] ?? {},
        ...(Object.fromEntries(described) as Record<string, Json>),
        ...contents.schemas,
      },
    },
  };
}

/** By the key under which a worker handles them. */
export function publicTopics(): Readonly<Record<string, TopicSpec>> {
  const all = SERVICES.flatMap(({ facts }) => Object.entries(facts));
  return Object.fromEntries(all.filter(([key]) => !INTERNAL.includes(key)));
}

function channelOf({ name, partitions, config = {} }: TopicSpec, written: Json): Json {
  const retention = config['retention.ms'];
  const topicConfiguration = {
    'cleanup.policy': [config['cleanup.policy'] ?? 'delete'],
    ...(retention !== undefined && { 'retention.ms': Number(retention) }),
  };
  return { ...written, address: name, bindings: { kafka: { partitions, topicConfiguration } } };
}

function objectSchema(fields: RecordDescription, written: Json): Json {
  const known = (written['properties'] ?? {}) as Readonly<Record<string, Json>>;
  return {
    type: 'object',
    required: [...fields.keys()],
    properties: Object.fromEntries(
      [...fields].map(([name, field]) => [name, fieldSchema(field, known[name] ?? {})]),
    ),
  };
}

/** A value that depends on another field (`content` by `type`) is written by hand as alternatives. */
function fieldSchema(field: FieldDescription, written: Json): Json {
  if ('oneOf' in written) return written;
  const { properties, required, items, ...words } = written;
  const values = field.enum === undefined ? undefined : [...field.enum, ...(field.isNullable ? [null] : [])];
  const inside = { properties, required } as Json;
  return {
    ...words,
    type: field.isNullable ? [field.type, 'null'] : field.type,
    ...(values !== undefined && { enum: values }),
    ...(field.format !== undefined && { format: field.format }),
    ...(field.type === 'array' && { items: itemsOf(field, (items ?? { type: 'string' }) as Json) }),
    ...(field.type === 'object' && field.fields !== undefined && insideOf(field.fields, inside)),
  };
}

function itemsOf({ fields }: FieldDescription, written: Json): Json {
  return fields === undefined ? written : objectSchema(fields, written);
}

function insideOf(fields: RecordDescription, written: Json): Json {
  const { required, properties } = objectSchema(fields, written);
  return { required, properties };
}
