import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { clickSealContext } from '@truetally/contracts/attribution';
import { Keyring, readKeyringFile } from '@truetally/keyring';
import { eventually, request } from '@truetally/testing';
import type { LaunchedProduct } from '@truetally/testing-product';
import type pg from 'pg';
import { clickReferences } from './click-references-suite.js';
import { type ClickPage, clickTouch, openClickPage, TouchLoad } from './click-page.js';
import type { LoudProduct } from './loud-product.js';
import { formsOf } from './search-files.js';

/** Part of every click value of this run, and of nothing else. */
const SECRET = `Click${randomBytes(12).toString('hex')}`;
/** Public text: it shows that the search would find the secret. */
const PLAIN = `partner${randomBytes(12).toString('hex')}`;

const PAGES = 6;
/** Some of each page. */
const SOME_TOUCHES = 24;

export function clickValues(launched: () => LoudProduct): void {
  let loud: LoudProduct;
  let product: LaunchedProduct;
  let owner: pg.Client;
  let page: ClickPage;

  beforeAll(async () => {
    loud = launched();
    ({ product, owner } = loud);
    page = await openClickPage(product);
  });

  const settle = (): Promise<void> => loud.settle();
  const expectNowhere = (secret: string): void => loud.expectNowhere([secret], page.answers);

  describe('interface page, section 5: raw click values', () => {
    it('raw click values are in no log segment, table, log line and answer, whatever was sent', async () => {
      let n = 0;
      const secret = (): string => `${SECRET}${(n += 1)}`;
      const statuses: number[] = [];
      const send = async (...parameters: Parameters<ClickPage['send']>): Promise<void> => {
        statuses.push((await page.send(...parameters)).status);
      };
      const marked = { partner_id: PLAIN };
      const first = clickTouch(secret(), {
        ...marked,
        landing_path: `/shoes?awc=${SECRET}&x=1#${SECRET}`,
        [SECRET]: SECRET,
        properties: { nested: SECRET },
      });
      await send({ touches: [first] });
      await send({ touches: [first] });
      await send({ touches: [clickTouch(SECRET.repeat(30), marked)] });
      await send({ runtime_token: page.token, touches: [clickTouch(secret(), marked)] }, { isBeacon: true });
      expect(statuses.splice(0)).toEqual([201, 200, 201, 201]);
      await send({ touches: [{ ...first, provider_click_id: secret() }] });
      expect(statuses.splice(0)).toEqual([409]);
      await send({ touches: [clickTouch({ [SECRET]: SECRET }), clickTouch(SECRET.repeat(40))] });
      await send({ touches: [clickTouch(`${SECRET}\0`), clickTouch(secret(), { provider: SECRET })] });
      await send({ touches: [clickTouch(secret()), { ...first, occurred_at: SECRET, direction: SECRET }] });
      await send(`{"touches":[{"provider_click_id":"${SECRET}"`);
      await send(`{"touches":[{"provider_click_id":"${SECRET}","provider_click_id":"${SECRET}"}]}`);
      await send({ touches: SECRET });
      await send({ touches: [clickTouch(secret())] }, { query: `?awc=${SECRET}` });
      expect(statuses.splice(0)).toEqual([400, 400, 400, 400, 400, 400, 400]);
      await send({ touches: [clickTouch(secret())] }, { headers: { authorization: 'Bearer nonsense' } });
      await send({ touches: [clickTouch(secret())] }, { headers: { 'content-type': 'text/csv' } });
      await send({ touches: [clickTouch(SECRET.repeat(50_000))] });
      expect(statuses.splice(0)).toEqual([401, 415, 413]);
      await settle();
      // The readable value is found, so that the secret would be found, too.
      const found = loud.holding(PLAIN);
      expect(found.some((file) => /record-touches-\d+.*\.log$/.test(file))).toBe(true);
      expect(found.some((file) => /touches\.recorded\.v1-\d+.*\.log$/.test(file))).toBe(true);
      expect(found.some((file) => file.includes('/pg_wal/'))).toBe(true);
      expect(found.some((file) => file.includes('/base/'))).toBe(true);
      expect(found).toContain(join(loud.folder, 'postgres.log'));
      expect(loud.processLogs()).toContain('The keyring was read.');
      expectNowhere(SECRET);
    });

    it('raw click values are not in answers to reads', async () => {
      const { key } = await product.createApiKey(page.site, { scopes: ['partner_attribution:read'] });
      const url = `${product.baseUrl}/partner-attribution/touches?website_id=${page.site.id}`;
      const listed = await request(url, { headers: { 'x-api-key': key } });
      expect(listed.status).toBe(200);
      expect(listed.text).toContain(PLAIN);
      for (const form of formsOf(SECRET)) expect(listed.text.includes(form.toString('latin1'))).toBe(false);
      expect(listed.text).not.toMatch(/click|hash|sealed|key_id|fingerprint/);
    });
  });

  const references = clickReferences(() => loud);
  references.areNowhere();

  it('click values and references are nowhere while their services are down, nor after these have handled what waited', async () => {
    const touch = clickTouch(`${SECRET}-late`, { partner_id: PLAIN });
    // Publisher analytics is in the same process.
    await Promise.all(product.processes('attribution-ledger').map((ledger) => ledger.kill()));
    expect((await page.send({ touches: [touch] })).status).toBe(503);
    const untilTakenIn = await references.upload();
    expectNowhere(SECRET);
    references.expectNowhere();
    await Promise.all(product.processes('attribution-ledger').map((ledger) => ledger.restart()));
    const again = await eventually(
      async () => {
        const answer = await page.send({ touches: [touch] });
        return answer.status < 500 && answer;
      },
      { message: 'the ledger to answer again' },
    );
    expect(again.status).toBe(200);
    await untilTakenIn();
    await settle();
    expectNowhere(SECRET);
    references.expectNowhere();
  });

  describe('a rotation of the running product', () => {
    it('disturbs no page, knows every replay, and leaves everything under the new key alone', async () => {
      const { keyringFile } = product.installation;
      const before = readKeyringFile(keyringFile);
      const load = new TouchLoad(page, `${SECRET}-load`, PAGES, product.gateways.length);
      await load.more(SOME_TOUCHES);
      const tool = await loud.startRotation();
      const { code } = await tool.exited;
      await load.more(SOME_TOUCHES);
      await load.stop();
      expect([code, load.unexpected]).toEqual([0, []]);
      const { current, keys, matching_key } = readKeyringFile(keyringFile);
      expect(current).not.toBe(before.current);
      const alone = new Keyring({ current, keys: { [current]: String(keys[current]) }, matching_key });
      const { rows } = await owner.query<{ touch_id: string; key_id: string; sealed: Buffer }>(
        'select t.touch_id, c.key_id, c.sealed from click_values c join touches t on t.id = c.touch_row_id',
      );
      const opened = new Map(
        rows.map(({ touch_id, key_id: keyId, sealed }) => {
          const value = alone.open({ keyId, sealed }, clickSealContext(page.site.id, touch_id));
          return [touch_id, value.ok ? value.value : value.error] as const;
        }),
      );
      expect([...opened.values()].filter((value) => !value.startsWith(SECRET))).toEqual([]);
      expect([...load.values].filter(([touchId, value]) => opened.get(touchId) !== value)).toEqual([]);
      await settle();
      expectNowhere(SECRET);
      expect(tool.output()).not.toContain(SECRET);
    });

    references.areUnderTheCurrentKey();
  });
}
