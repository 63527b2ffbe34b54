import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  DeadLetterResource,
  MemberResource,
  SiteResource,
  WorkspaceResource,
} from '@truetally/contracts/management';
import type { Page } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { DAY_MS, readAddress, type Reply, REPLAY_AGE_LIMIT_DAYS } from '@truetally/kernel';
import { commandHeaders, DEAD_LETTER_HEADER, DEAD_LETTERS } from '@truetally/messaging';
import { eventually, testStack, writeRecord } from '@truetally/testing';
import type pg from 'pg';
import { commandOf } from './management-replicas.js';
import { accepted, type ManagementAtWork, type ManagementService } from './service.js';

const HOUR_MS = 3_600_000;
/** Longer than a replay reads, which Kafka may let wait. */
const PATIENT_MS = 240_000;

let owner: pg.Pool;
let management: ManagementService;
let workspace: WorkspaceResource;

interface Given {
  readonly fields: object;
  /** How long ago the command was written, and given up. */
  readonly writtenAgoMs?: number;
  readonly givenUpAgoMs?: number;
}

/** A command that a service has given up, and its dead letter. */
async function letterOf(
  operation: keyof typeof OPERATIONS,
  { fields, writtenAgoMs = 0, givenUpAgoMs = 0 }: Given,
): Promise<string> {
  const { topic, operation: name } = readAddress(OPERATIONS[operation].address);
  const requestId = randomUUID();
  await writeRecord({
    brokers: testStack().kafkaBrokers,
    topic: management.prefix + DEAD_LETTERS.name,
    key: workspace.id,
    value: JSON.stringify(commandOf(fields)),
    headers: {
      ...commandHeaders(randomUUID(), name),
      'request-id': requestId,
      [DEAD_LETTER_HEADER.reason]: 'given up',
      [DEAD_LETTER_HEADER.attempts]: '3',
      [DEAD_LETTER_HEADER.topic]: topic,
      [DEAD_LETTER_HEADER.partition]: '0',
      [DEAD_LETTER_HEADER.offset]: String(letters++),
      [DEAD_LETTER_HEADER.timestamp]: String(Date.now() - writtenAgoMs),
      [DEAD_LETTER_HEADER.group]: `management.${topic}`,
    },
    timestampMs: Date.now() - givenUpAgoMs,
  });
  return eventually(
    async () => {
      const query = { workspace_id: workspace.id, actor: null, params: {}, limit: 10, cursor: null };
      const value = JSON.stringify({ ...query, filters: { request_id: requestId } });
      const to = OPERATIONS.listDeadLetters.address;
      const reply = await management.client.ask({ to, key: requestId, value, kind: 'query' });
      return accepted<Page<DeadLetterResource>>(reply).items[0]?.id;
    },
    { timeoutMs: PATIENT_MS, message: 'the dead letter' },
  );
}

let letters = 1_000;

const replay = (id: string, force = false): Promise<Reply<unknown>> =>
  management.ask('replayDeadLetter', id, { id, body: { force } });

const REPLAYED = { ok: expect.objectContaining({ state: 'replayed' }) };
const conflict = (field: string, text: string): object => ({
  error: {
    code: 'CONFLICT',
    message: expect.any(String),
    details: { [field]: [expect.stringContaining(text)] },
  },
});

const siteFields = (name: string): object => ({
  workspace_id: workspace.id,
  name,
  domain: 'shop.example',
  allowed_origins: ['https://shop.example'],
});

async function sitesNamed(name: string): Promise<number> {
  const { rowCount } = await owner.query('select from sites where name = $1', [name]);
  return rowCount ?? 0;
}

/** Needs one replica at work, and starts another instead. */
export function whatAReplayDoes(given: () => ManagementAtWork): void {
  describe('a replay', () => {
    beforeAll(async () => {
      ({ management, owner } = given());
      workspace = await management.makeWorkspace();
    });

    it('refuses a letter whose place on the topic, after the topic was made anew, has another one', async () => {
      // Each topic begins with a letter at offset 0.
      const buried = await letterOf('createSite', { fields: siteFields('Buried') });
      const { messaging } = management;
      const topic = messaging.prefixed(DEAD_LETTERS.name);
      // A reader that runs through this would wait at offset 1, where the new topic ends after its first letter.
      await Promise.all(management.running().map((replica) => replica.stop()));
      await messaging.administer((admin) => admin.deleteTopics({ topics: [topic] }));
      await eventually(async () => {
        const names = await messaging.administer((admin) => admin.listTopics());
        return !names.includes(topic);
      });
      await messaging.ensureTopics([DEAD_LETTERS]);
      await management.addReplica();
      const other = await letterOf('createSite', { fields: siteFields('Other') });
      const { rows } = await owner.query<{ offset: string }>(
        'select letter_offset as offset from dead_letters where dead_letter_id = any($1)',
        [[buried, other]],
      );
      expect(rows).toEqual([{ offset: '0' }, { offset: '0' }]);
      expect(await replay(buried)).toEqual(conflict('id', 'cannot be replayed'));
      expect(await replay(other)).toEqual(REPLAYED);
      await eventually(async () => (await sitesNamed('Other')) === 1);
      expect(await sitesNamed('Buried')).toBe(0);
    });

    it('undoes nothing newer unless it is forced, and names what is newer', async () => {
      const site: SiteResource = await management.makeSite(workspace.id);
      const nameOf = async (): Promise<string | undefined> => {
        const { rows } = await owner.query<{ name: string }>('select name from sites where site_id = $1', [
          site.id,
        ]);
        return rows[0]?.name;
      };
      const scope = { workspace_id: workspace.id, site_id: site.id };
      const older = { fields: { ...scope, name: 'Older' }, writtenAgoMs: HOUR_MS };
      const letter = await letterOf('updateSite', older);
      const newer = accepted<SiteResource>(
        await management.ask('updateSite', 'k', { ...scope, name: 'Newer' }),
      );
      expect(await replay(letter)).toEqual(
        conflict('force', `the update of the site ${site.id} at ${newer.updated_at}`),
      );
      expect(await nameOf()).toBe('Newer');
      expect(await replay(letter, true)).toEqual(REPLAYED);
      await eventually(async () => (await nameOf()) === 'Older');
      const { rows } = await owner.query('select action from dead_letter_actions where dead_letter_id = $1', [
        letter,
      ]);
      expect(rows).toEqual([{ action: 'forced-replay' }]);
      // One that was written after all of that undoes nothing.
      const latest = await letterOf('updateSite', { fields: { ...scope, name: 'Latest' } });
      expect(await replay(latest)).toEqual(REPLAYED);
      await eventually(async () => (await nameOf()) === 'Latest');
    });

    it('promotes nobody again who was demoted since', async () => {
      const scope = { workspace_id: workspace.id, actor: 'auth0|owner' };
      const invited = { ...scope, sub: 'auth0|promoted', role: 'analyst' };
      const member = accepted<MemberResource>(await management.ask('createMember', 'k', invited));
      const promotion = { ...scope, member_id: member.id, role: 'admin' };
      const letter = await letterOf('updateMember', { fields: promotion, writtenAgoMs: HOUR_MS });
      accepted(await management.ask('updateMember', 'k', { ...promotion, role: 'analyst' }));
      expect(await replay(letter)).toEqual(conflict('force', `the update of the member ${member.id}`));
    });

    it('refuses a message that is older than what recognises it, also by force', async () => {
      const oldMs = REPLAY_AGE_LIMIT_DAYS * DAY_MS + HOUR_MS;
      // It was given up in time, and replayed too late.
      const ages = { writtenAgoMs: oldMs, givenUpAgoMs: oldMs - 7 * DAY_MS };
      const letter = await letterOf('createSite', { fields: siteFields('Old'), ...ages });
      expect(await replay(letter, true)).toEqual(conflict('id', 'cannot be replayed'));
      const young = { writtenAgoMs: oldMs - 2 * HOUR_MS, givenUpAgoMs: oldMs - 7 * DAY_MS };
      expect(await replay(await letterOf('createSite', { fields: siteFields('Young'), ...young }))).toEqual(
        REPLAYED,
      );
      await eventually(async () => (await sitesNamed('Young')) === 1);
      expect(await sitesNamed('Old')).toBe(0);
    });
  });
}
