import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_TOPICS, SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { eventually, type FoundRecord, readRecords } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';
import { applicationRoutes } from '../application-routes.js';
import { MarkedWorkspace } from '../marked-workspace.js';
import { queryProduct } from '../query-product.js';

/** Routes that store no text of their caller, and why. */
const WITHOUT_TEXT: Readonly<Record<string, string>> = {
  'POST /api/v1/runtime/tokens': 'takes a site’s id',
  'POST /api/v1/media': 'takes a picture, which is encoded anew',
  'POST /api/v1/jobs/{}/cancel': 'has no body',
  'POST /api/v1/workflows/{}/test': 'takes a type of event',
  'POST /api/v1/workflows/{}/deliveries/replay': 'takes times',
  'POST /api/v1/workflows/{}/deliveries/{}/replay': 'has no body',
  'POST /api/v1/integrations/jobs/{}': 'takes ids; of the platform, signed',
  'POST /api/v1/sites/{}/api-keys/{}/rotate': 'takes a number of hours',
  'POST /api/v1/partner-attribution/chain/verifications': 'takes a site and a position',
  'PATCH /api/v1/workspaces/{}/members/{}': 'takes a role',
  'POST /api/v1/workspaces/{}/members/accept': 'has no body',
  'POST /api/v1/workspaces/{}/members/decline': 'has no body',
  'PATCH /api/v1/partner-experiments/{}/exclusions': 'takes a number',
  'POST /api/v1/partner-experiments/{}/start': 'has no body',
  'POST /api/v1/partner-experiments/{}/pause': 'has no body',
  'POST /api/v1/partner-experiments/{}/resume': 'has no body',
  'POST /api/v1/partner-experiments/{}/stop': 'has no body',
  'PATCH /api/admin/workspaces/{}': 'takes limits',
  'POST /api/admin/dead-letters/{}/replay': 'has no body',
  'POST /api/admin/dead-letters/{}/discard': 'has no body',
  'POST /api/admin/set-aside-facts/{}/{}/replay': 'has no body',
  'POST /api/admin/set-aside-facts/{}/{}/discard': 'has no body',
};

/** What may remain in tables; docs/operations/erasure.md says why, and for how long. */
const LEFT_IN_TABLES = [
  'attribution-ledger.commission_rules',
  'attribution-ledger.inbox',
  'attribution-ledger.order_terms',
  'attribution-ledger.orders',
  'attribution-ledger.records',
  'experiments.idempotent_replies',
  'experiments.inbox',
  'management.audit_log',
  'management.idempotent_replies',
  'management.inbox',
  'management.jobs',
  'publisher-analytics.inbox',
];
const PAGE = readFileSync(new URL('../../../../../docs/operations/erasure.md', import.meta.url), 'utf8');

let product: LaunchedProduct;
let workspace: MarkedWorkspace;
let before: readonly string[];

async function tablesOf(service: ServiceName): Promise<readonly string[]> {
  const rows = await queryProduct<{ name: string }>(
    product,
    service,
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname !~ '^events_'`,
  );
  return rows.map(({ name }) => name);
}

/** Every row of every table as text; bytes as text, too. */
async function tablesWithMark(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const service of SERVICE_NAMES) {
    for (const table of await tablesOf(service)) {
      const rows = await queryProduct(
        product,
        service,
        `select from ${table} as kept where strpos(kept::text, $1) > 0 or strpos(kept::text, $2) > 0 limit 1`,
        [workspace.mark, Buffer.from(workspace.mark).toString('hex')],
      );
      if (rows.length > 0) found.push(`${service}.${table}`);
    }
  }
  return found;
}

const isMarked = (record: FoundRecord): boolean =>
  [record.key, record.value, record.headers].some((text) => text?.includes(workspace.mark) === true);

/** What a compacted topic holds after its compaction: the last record of each key, without tombstones. */
function compacted(records: readonly FoundRecord[]): readonly FoundRecord[] {
  const last = new Map(records.map((record) => [`${record.topic} ${record.key}`, record]));
  return [...last.values()].filter(({ value }) => value !== null);
}

/** Needs a product whose object store is empty, and which reaches this machine, so that no real network is pulled from. */
export function whatAnErasureLeaves(launched: () => LaunchedProduct): void {
  describe('an erased workspace', () => {
    beforeAll(async () => {
      product = launched();
      workspace = new MarkedWorkspace(product);
      await workspace.fill();
      before = await tablesWithMark();
      expect(await workspace.erase()).toBe('completed');
    });

    describe('a workspace with one mark in every text, after its deletion', () => {
      it('the mark of the deleted workspace had been sent to every route that takes a text', async () => {
        const { routes } = await applicationRoutes();
        const changing = routes.filter(({ method }) =>
          ['POST', 'PUT', 'PATCH'].includes(method.toUpperCase()),
        );
        const names = changing.map(
          ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/:\w+|\{\w+\}/g, '{}')}`,
        );
        expect(names.filter((name) => !workspace.marked.has(name) && !(name in WITHOUT_TEXT))).toEqual([]);
        expect(before.length).toBeGreaterThan(20);
      });

      it('the mark of the deleted workspace is in no table but those that the page of erasures names', async () => {
        const left = await tablesWithMark();
        expect(left.filter((table) => !LEFT_IN_TABLES.includes(table))).toEqual([]);
      });

      it('the mark of the deleted workspace is in no topic that is kept for ever, once it is compacted', async () => {
        const { kafkaBrokers, topicPrefix } = product.installation;
        const records = await readRecords(kafkaBrokers, topicPrefix);
        expect(records.filter(isMarked).length).toBeGreaterThan(20);
        const expiring = ALL_TOPICS.filter(({ config = {} }) => Number(config['retention.ms'] ?? -1) > 0);
        const expires = new Set(expiring.map(({ name }) => `${topicPrefix}${name}`));
        const kept = records.filter(({ topic }) => !expires.has(topic) && !topic.includes('replies.'));
        expect(compacted(kept).filter(isMarked)).toEqual([]);
      });

      it('the mark of the deleted workspace is in no file of the object store, and in no line of a log', async () => {
        const files = readdirSync(product.installation.mediaDirectory, {
          recursive: true,
          withFileTypes: true,
        })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
        expect(files.filter((content) => content.includes(workspace.mark))).toEqual([]);
        const logs = SERVICE_NAMES.flatMap((name) => product.processes(name)).map((service) =>
          service.output(),
        );
        expect(
          logs.flatMap((log) => log.split('\n')).filter((text) => text.includes(workspace.mark)),
        ).toEqual([]);
      });

      it('the deleted workspace has no picture in the object store soon after', async () => {
        const files = () =>
          readdirSync(product.installation.mediaDirectory, { recursive: true, withFileTypes: true }).filter(
            (entry) => entry.isFile(),
          );
        await eventually(() => files().length === 0, {
          message: 'the files to be deleted',
          timeoutMs: 240_000,
        });
      });
    });

    describe('docs/operations/erasure.md', () => {
      it('says what becomes of every table and every topic', async () => {
        const missing: string[] = [];
        for (const service of SERVICE_NAMES) {
          for (const table of await tablesOf(service)) {
            if (!PAGE.includes(`\`${service}.${table}\``) && !PAGE.includes(`\`*.${table}\``))
              missing.push(`${service}.${table}`);
          }
        }
        const topics = ALL_TOPICS.map(({ name }) => name).filter((name) => !isOnPage(name));
        expect({ missing, topics }).toEqual({ missing: [], topics: [] });
      });

      it('names every table that may keep something', () => {
        expect(
          LEFT_IN_TABLES.filter((table) => !PAGE.includes(`\`${table.replace(/^.*\.inbox$/, '*.inbox')}\``)),
        ).toEqual([]);
      });
    });
  });
}

/** Requests are on the page by the form of their names. */
function isOnPage(topic: string): boolean {
  const isRequest = SERVICE_NAMES.some((service) => topic.startsWith(`${service}.`));
  return PAGE.includes(isRequest ? '`<service>.<request>`' : `\`${topic}\``);
}
