import { describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobResource } from '@truetally/contracts/jobs';
import type { IntegrationResource } from '@truetally/contracts/management';
import {
  FRAME_HEADER,
  referenceSealContext,
  UPLOADS_FOLDER,
  uploadSealContext,
} from '@truetally/contracts/publisher';
import { Keyring, readKeyringFile } from '@truetally/keyring';
import { type Answer, eventually, request, uniqueName } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import type { LoudProduct } from './loud-product.js';
import { formsOf } from './search-files.js';

/** Part of every click reference of this run, and of nothing else. */
const SECRET = `Reference${randomBytes(12).toString('hex')}`;
/** A readable value: it shows that the search works. */
const PLAIN = `content${randomBytes(12).toString('hex')}`;
const TIMES = '2026-03-10T12:00:00Z';
const LATER = '2026-03-11T12:00:00Z';
const HEADER =
  'provider_transaction_id,click_reference,status,commissionable_amount,commission_amount,currency,' +
  'transaction_at,updated_at';

interface Asked {
  readonly method?: string;
  readonly json?: unknown;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A publisher's backend and its owner, who keep every answer. */
class ReferencePublisher {
  readonly answers: string[] = [];

  private constructor(
    private readonly product: Product,
    readonly siteId: string,
    readonly key: Readonly<Record<string, string>>,
    readonly bearer: Readonly<Record<string, string>>,
  ) {}

  static async open(product: Product): Promise<ReferencePublisher> {
    const sub = uniqueName('publisher');
    const workspace = await product.asks.createWorkspace({ name: 'Magazine', owner_sub: sub });
    const site = await product.asks.createSite({
      workspace_id: workspace.id,
      name: 'Magazine',
      domain: 'magazine.example',
      allowed_origins: ['https://magazine.example'],
      publisher_mode: 'active',
    });
    const { key } = await product.createApiKey(site);
    const bearer = { authorization: `Bearer ${await product.idToken({ sub })}` };
    return new ReferencePublisher(product, site.id, { 'x-api-key': key }, bearer);
  }

  async ask<T>(path: string, asked: Asked = {}): Promise<Answer<T>> {
    const answer = await request<T>(`${this.product.baseUrl}/${path}`, asked);
    this.answers.push(`${JSON.stringify([...answer.headers])} ${answer.text}`);
    return answer;
  }

  async finished(jobId: string): Promise<JobResource> {
    return eventually(
      async () => {
        const { body } = await this.ask<JobResource>(`jobs/${jobId}`, { headers: this.bearer });
        return body.data?.finished_at == null ? undefined : body.data;
      },
      { message: 'the upload to be taken in' },
    );
  }
}

function click(properties: object = {}, changes: object = {}): Readonly<Record<string, unknown>> {
  return {
    event_type: 'partner_link_click',
    session_id: 'session-1',
    client_event_id: randomUUID(),
    occurred_at: TIMES,
    properties: {
      provider: 'awin',
      click_reference: SECRET,
      destination_url: `https://partner.example/shoes?clickref=${SECRET}#${SECRET}`,
      content_id: PLAIN,
      ...properties,
    },
    context: { page_url: 'https://magazine.example/guide', user_agent: 'Mozilla/5.0' },
    ...changes,
  };
}

/** Interface page, section 8: a reference is only in its table, sealed with the current key. */
export function clickReferences(loud: () => LoudProduct): {
  readonly areNowhere: () => void;
  /** Without publisher analytics: the upload waits, sealed. @returns to be called when the service is back: it takes the upload in */
  readonly upload: () => Promise<() => Promise<void>>;
  readonly expectNowhere: () => void;
  readonly areUnderTheCurrentKey: () => void;
} {
  let publisher: ReferencePublisher;

  const sendClicks = async (): Promise<void> => {
    const headers = publisher.key;
    const send = async (json: unknown, path = 'events/track'): Promise<number> =>
      (await publisher.ask(path, { json, headers })).status;
    const first = click();
    expect([await send(first), await send(first)]).toEqual([201, 200]);
    expect(await send({ events: [click({ click_reference: `${SECRET}-2` })] }, 'events/batch')).toBeLessThan(
      300,
    );
    for (const properties of [
      { click_reference: SECRET.repeat(40) },
      { click_reference: { [SECRET]: SECRET } },
      { click_reference: `${SECRET}\0` },
      { provider: { [SECRET]: SECRET } },
      { destination_url: SECRET },
    ]) {
      expect([properties, await send(click(properties))]).toEqual([properties, 400]);
    }
    const cut = `{"event_type":"partner_link_click","properties":{"click_reference":"${SECRET}"`;
    const broken = { method: 'POST', body: cut, headers: { ...headers, 'content-type': 'application/json' } };
    expect((await publisher.ask('events/track', broken)).status).toBe(400);
    const stranger = { json: click(), headers: { 'x-api-key': 'nonsense' } };
    expect((await publisher.ask('events/track', stranger)).status).toBe(401);
  };

  const uploadSettlements = async (): Promise<void> => {
    const { bearer } = publisher;
    const path = await settlementsPath();
    const csv = { ...bearer, 'content-type': 'text/csv' };
    const upload = async (line: string, headers = csv): Promise<JobResource> => {
      const body = headers === csv ? `${HEADER}\n${line}\n` : line;
      const taken = await publisher.ask<{ job_id: string }>(path, { method: 'POST', body, headers });
      expect(taken.status).toBe(202);
      return publisher.finished(taken.body.data?.job_id ?? '');
    };
    const good = await upload(`t-1,${SECRET},pending,10.00,1.00,EUR,${TIMES},${TIMES}`);
    expect(good).toMatchObject({ state: 'completed', stored: 1, failed: 0 });
    const newer = await upload(`t-1,${SECRET},approved,10.00,1.00,EUR,${TIMES},${LATER}`);
    expect(newer).toMatchObject({ state: 'completed', stored: 1, failed: 0 });
    const bad = await upload(`t-2,${SECRET.repeat(40)},pending,10.00,1.00,EUR,${TIMES},${TIMES}`);
    expect(bad).toMatchObject({ state: 'completed', stored: 0, failed: 1 });
    const row = { provider_transaction_id: 't-3', click_reference: `${SECRET}-2`, status: SECRET };
    const odd = { ...bearer, 'content-type': 'application/json' };
    expect(await upload(JSON.stringify({ rows: [row] }), odd)).toMatchObject({ failed: 1 });
    expect((await publisher.ask(path, { headers: bearer })).status).toBe(200);
  };

  const settlementsPath = async (): Promise<string> => {
    const json = {
      site_id: publisher.siteId,
      provider: 'awin',
      credentials: { publisher_id: '1', api_token: 'token' },
    };
    const headers = publisher.bearer;
    const made = await publisher.ask<IntegrationResource>('integrations', { json, headers });
    return `integrations/${made.body.data?.id ?? ''}/settlements`;
  };

  const readBack = async (): Promise<void> => {
    const { bearer: headers, siteId } = publisher;
    const report = `analytics/publishers?site_id=${siteId}&from=2026-03-01&to=2026-04-01`;
    const settled = { message: 'the click and its settlement to be matched' };
    await eventually(
      async () => (await publisher.ask(report, { headers })).text.includes('"matched":1'),
      settled,
    );
    const found = await publisher.ask(`analytics/publishers/clicks?reference=${SECRET}`, { headers });
    expect([found.status, found.text.includes(PLAIN)]).toEqual([200, true]);
  };

  const areNowhere = (): void => {
    describe('interface page, section 8: click references', () => {
      it('click references are in no log segment, other table, log line and answer, whatever was sent', async () => {
        publisher = await ReferencePublisher.open(loud().product);
        await sendClicks();
        await uploadSettlements();
        await readBack();
        await loud().settle();
        const found = loud().holding(PLAIN);
        expect(found.some((file) => /events\.stored\.v1-\d+.*\.log$/.test(file))).toBe(true);
        expect(found.some((file) => file.includes('/base/'))).toBe(true);
        expect(found.some((file) => /record-references-\d+.*\.log$/.test(file))).toBe(false);
        expect(
          loud()
            .holding(publisher.siteId)
            .some((file) => file.includes('record-references-')),
        ).toBe(true);
        loud().expectNowhere([SECRET], publisher.answers);
      });

      it('click references are in no table of a backup, and their keyed hashes in their own two alone', async () => {
        const backup = await loud().backup();
        const holding = (text: string): readonly string[] =>
          [...backup].filter(([, rows]) => rows.includes(text)).map(([table]) => table);
        for (const form of formsOf(SECRET)) expect(holding(form.toString('latin1'))).toEqual([]);
        const schema = loud().product.schema('publisher-analytics');
        expect(holding(PLAIN)).toContain(`${schema}.clicks`);
        const { rows } = await loud().owner.query<{ hash: string }>(
          `select encode(hash, 'hex') as hash from ${schema}.click_references`,
        );
        expect(rows).toHaveLength(2);
        const places = rows.flatMap(({ hash }) => holding(hash));
        expect([...new Set(places)].sort()).toEqual(
          ['click_references', 'settlement_states', 'settlements'].map((table) => `${schema}.${table}`),
        );
      });
    });
  };

  const expectNowhere = (): void => loud().expectNowhere([SECRET], publisher.answers);

  const upload = async (): Promise<() => Promise<void>> => {
    const { installation } = loud().product;
    const folder = join(installation.mediaDirectory, UPLOADS_FOLDER);
    const headers = { ...publisher.bearer, 'content-type': 'text/csv' };
    const body = `${HEADER}\nwaits-1,${SECRET}-waits,pending,10.00,1.00,EUR,${TIMES},${TIMES}\n`;
    const path = await settlementsPath();
    const taken = await publisher.ask<{ job_id: string }>(path, { method: 'POST', body, headers });
    expect(taken.status).toBe(202);
    const [uploadId = ''] = readdirSync(folder);
    const stored = readFileSync(join(folder, uploadId));
    const headerEnd = stored.indexOf('\n');
    const [, keyId = ''] = FRAME_HEADER.exec(stored.toString('latin1', 0, headerEnd)) ?? [];
    const keyring = new Keyring(readKeyringFile(installation.keyringFile));
    const value = { keyId, sealed: stored.subarray(headerEnd + 1) };
    const opened = keyring.open(value, uploadSealContext(uploadId, 0));
    expect(opened).toMatchObject({ ok: true, value: expect.stringContaining(`${SECRET}-waits`) });
    return async () => {
      expect(await publisher.finished(taken.body.data?.job_id ?? '')).toMatchObject({ stored: 1, failed: 0 });
      await eventually(() => readdirSync(folder).length === 0, { message: 'the upload to be removed' });
    };
  };

  const areUnderTheCurrentKey = (): void => {
    it('takes the click references along', async () => {
      const { product, owner } = loud();
      const ring = readKeyringFile(product.installation.keyringFile);
      const keyring = new Keyring(ring);
      const { rows } = await owner.query<{ event_id: string; key_id: string; sealed: Buffer }>(
        `select event_id, key_id, sealed from ${product.schema('publisher-analytics')}.click_references`,
      );
      expect(rows.map(({ key_id }) => key_id)).toEqual([ring.current, ring.current]);
      const opened = rows.map(({ event_id, key_id: keyId, sealed }) => {
        const value = keyring.open({ keyId, sealed }, referenceSealContext(publisher.siteId, event_id));
        return value.ok ? value.value : value.error;
      });
      expect(opened.sort()).toEqual([SECRET, `${SECRET}-2`]);
    });
  };

  return { areNowhere, upload, expectNowhere, areUnderTheCurrentKey };
}
