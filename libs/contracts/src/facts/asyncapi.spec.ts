import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { encodeStoredEvent } from './index.js';
import { ChatbotContent, OverlayContent, RecommendationContent } from '../management/index.js';
import { TOPICS } from '../topics.js';
import { compileClass } from '../validation/compile-fields.js';
import {
  ASSIGNED_SESSION,
  CAMPAIGN,
  CHANGED_SETTLEMENT,
  CREDENTIAL,
  ERASED_SITE,
  EXPERIMENT,
  MEMBER,
  RECORDED_AUDIT,
  RECORDED_CONVERSION,
  RECORDED_TOUCH,
  SEALED_LEDGER,
  SITE,
  STORED_EVENT,
  WORKFLOW,
} from '../testing/records.js';

const DOCUMENT = readFileSync(new URL('../../../../docs/asyncapi.yaml', import.meta.url), 'utf8');

/** Names at one depth below a schema's key, e.g. its `properties`; the document is indented by two. */
function namesOf(schema: string, part: 'properties' | 'required'): readonly string[] {
  const lines = DOCUMENT.slice(DOCUMENT.indexOf('  schemas:')).split('\n');
  const start = lines.indexOf(`    ${schema}:`);
  const from = lines.indexOf(`      ${part}:`, start) + 1;
  const names: string[] = [];
  for (const line of lines.slice(from)) {
    if (/^ {0,6}\S/.test(line)) break;
    const name = /^ {8}(?:- )?([a-z_]+):?$/.exec(line)?.[1];
    if (name !== undefined) names.push(name);
  }
  return names;
}

describe('docs/asyncapi.yaml', () => {
  const stored: object = JSON.parse(encodeStoredEvent(STORED_EVENT, '{}', '{}'));

  it.each([
    ['StoredEvent', stored],
    ['Site', SITE],
    ['ErasedSite', ERASED_SITE],
    ['Credential', CREDENTIAL],
    ['Member', MEMBER],
    ['Campaign', CAMPAIGN],
    ['Workflow', WORKFLOW],
    ['Experiment', EXPERIMENT],
    ['AssignedSession', ASSIGNED_SESSION],
    ['RecordedTouch', RECORDED_TOUCH],
    ['RecordedConversion', RECORDED_CONVERSION],
    ['ChangedSettlement', CHANGED_SETTLEMENT],
    ['SealedLedger', SEALED_LEDGER],
    ['RecordedAudit', RECORDED_AUDIT],
  ])('names the fields of %s as they are published', (schema, record) => {
    expect(namesOf(schema, 'properties')).toEqual(Object.keys(record));
    expect(namesOf(schema, 'required')).toEqual(Object.keys(record));
  });

  it.each([OverlayContent, RecommendationContent, ChatbotContent])('names the fields of %p', (dto) => {
    const { fields } = compileClass(dto);
    const required = fields.filter(({ isOptional }) => !isOptional);
    expect(namesOf(dto.name, 'properties')).toEqual(fields.map(({ name }) => name));
    expect(namesOf(dto.name, 'required')).toEqual(required.map(({ name }) => name));
  });

  it.each([
    TOPICS.eventsStored,
    TOPICS.clicksStored,
    TOPICS.sites,
    TOPICS.sitesErased,
    TOPICS.credentials,
    TOPICS.members,
    TOPICS.campaigns,
    TOPICS.workflows,
    TOPICS.experiments,
    TOPICS.sessionsAssigned,
    TOPICS.touchesRecorded,
    TOPICS.conversionsRecorded,
    TOPICS.ledgerSealed,
    TOPICS.settlementsChanged,
    TOPICS.auditRecorded,
  ])('docs/asyncapi.yaml has the channel $name', ({ name, partitions, config }) => {
    const [channel = ''] = (DOCUMENT.split(`address: ${name}\n`)[1] ?? '').split('address: ');
    expect(/partitions: (\d+)/.exec(channel)?.[1]).toBe(String(partitions));
    const retention = 'retention.ms' in config ? config['retention.ms'] : undefined;
    expect(/retention\.ms: (-?\d+)/.exec(channel)?.[1]).toBe(retention);
  });
});
