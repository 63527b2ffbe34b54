import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { clickSealContext } from '@truetally/contracts/attribution';
import { Keyring, readKeyringFile } from '@truetally/keyring';
import { type Answer, eventually, untilHourLasts } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';
import { UUID } from '@truetally/kernel';
import { BASE_TOUCH, idOf, Page, type Recorded, storedTouches, touch } from '../touch-page.js';

const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Needs two gateways and two ledgers, and breaks their keyring. */
export function whatIsATouch(launched: () => LaunchedProduct): void {
  describe('interface page, section 5: partner touches', () => {
    let product: LaunchedProduct;
    let page: Page;

    beforeAll(async () => {
      product = launched();
      page = await Page.open(product);
    });

    it('new: 201, in the order of the request, one row each', async () => {
      const sent = [
        touch({ landing_path: '/shoes?awc=1#x' }),
        touch({ direction: 'outbound', provider_click_id: null }),
      ];
      const { status, body } = await page.post(sent);
      expect(status).toBe(201);
      expect(body.data).toEqual({
        touches: sent.map((one) => ({
          touch_id: one['touch_id'],
          id: expect.stringMatching(UUID),
          status: 'created',
          recorded_at: expect.stringMatching(ISO_MS),
        })),
      });
      const rows = await storedTouches(product, sent);
      expect(rows.length).toBe(2);
      const row = rows.find((found) => found['touch_id'] === sent[0]?.['touch_id']);
      expect(row).toMatchObject({
        id: body.data?.touches[0]?.id,
        site_id: page.site.id,
        provider: 'awin',
        direction: 'inbound',
        partner_id: 'partner-1',
        landing_path: '/shoes',
        occurred_at: new Date(BASE_TOUCH.occurred_at),
        provenance: 'browser_sdk',
        session_id: 'session-1',
        recorded_at: new Date(String(body.data?.touches[0]?.recorded_at)),
      });
    });

    it('its click value is sealed, and opens with the ring, for its site and touch alone', async () => {
      const sent = touch({ provider_click_id: 'click-\u{1f600}' });
      await page.post([sent]);
      const [row] = await storedTouches(product, [sent]);
      const ring = new Keyring(readKeyringFile(product.installation.keyringFile));
      const sealed = { keyId: String(row?.['key_id']), sealed: row?.['sealed'] as Buffer };
      expect(ring.open(sealed, clickSealContext(page.site.id, idOf(sent)))).toEqual({
        ok: true,
        value: 'click-\u{1f600}',
      });
      expect(ring.open(sealed, clickSealContext(page.site.id, 'another')).ok).toBe(false);
      expect(row?.['click_hash']).toMatch(/^[0-9a-f]{64}$/);
    });

    it('an unchanged replay: 200 with the ids and times of the first acceptance, however it is spelled', async () => {
      const sent = touch();
      const first = await page.post([sent]);
      const again = await page.post([
        { ...sent, occurred_at: '2026-01-31T10:30:00+01:00', landing_path: '/shoes?other=1', unknown: true },
      ]);
      expect(again.status).toBe(200);
      expect(again.body.data).toEqual({ touches: [{ ...first.body.data?.touches[0], status: 'unchanged' }] });
    });

    it('new ones among replays: 201, each with its own status', async () => {
      const [known, added] = [touch(), touch()];
      await page.post([known]);
      const { status, body } = await page.post([added, known]);
      expect(status).toBe(201);
      expect(body.data?.touches.map((one) => [one.touch_id, one.status])).toEqual([
        [added['touch_id'], 'created'],
        [known['touch_id'], 'unchanged'],
      ]);
    });

    it('the same touch twice in one request: equal is created then unchanged, different is 400', async () => {
      const [sent, other] = [touch(), touch()];
      const { status, body } = await page.post([sent, other, { ...sent, landing_path: '/shoes?b' }]);
      expect(status).toBe(201);
      expect(body.data?.touches.map((one) => one.status)).toEqual(['created', 'created', 'unchanged']);
      expect(body.data?.touches[2]).toEqual({ ...body.data?.touches[0], status: 'unchanged' });
      const fresh = touch();
      const refused = await page.post([fresh, { ...fresh, partner_id: 'other' }]);
      expect(refused.status).toBe(400);
      expect(refused.body.error).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'touches.1.touch_id': ['names the same touch as touches.0, with other content'] },
      });
      expect(await storedTouches(product, [fresh])).toEqual([]);
    });

    it.each(
      Object.entries({
        provider_click_id: 'other',
        landing_path: '/boots',
        session_id: null,
        provider: 'cj',
      }),
    )(
      'other content (%s): 409 naming each at its place, and nothing of the request is stored',
      async (name, value) => {
        const [first, second, fresh] = [touch(), touch(), touch()];
        await page.post([first, second]);
        const changed = [fresh, fresh, { ...first, [name]: value }, { ...second, [name]: value }];
        const { status, body } = await page.post(changed);
        expect(status).toBe(409);
        expect(body.error).toMatchObject({ code: 'CONFLICT' });
        expect(body.error?.details).toEqual({
          'touches.2.touch_id': ['exists with other content'],
          'touches.3.touch_id': ['exists with other content'],
        });
        expect(await storedTouches(product, [fresh])).toEqual([]);
        expect((await page.post([fresh])).status).toBe(201);
      },
    );

    it('a 400 stores nothing, and names every broken rule', async () => {
      const sent = touch();
      const { status, body } = await page.post([
        sent,
        { ...touch(), provider: 'unknown', landing_path: 'x' },
      ]);
      expect(status).toBe(400);
      expect(Object.keys(body.error?.details ?? {}).sort()).toEqual([
        'touches.1.landing_path',
        'touches.1.provider',
      ]);
      expect(await storedTouches(product, [sent])).toEqual([]);
    });

    it('the same touches at once, over two gateways and two ledgers: each is created once', async () => {
      const touches = Array.from({ length: 5 }, () => touch());
      const orders = Array.from({ length: 24 }, (_, n) => [
        ...touches.slice(n % 5),
        ...touches.slice(0, n % 5),
      ]);
      const answers = await Promise.all(
        orders.map((order, n) => page.post(order, product.gateways[n % product.gateways.length])),
      );
      expect(answers.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
      const verdicts = answers.flatMap(({ body }) => body.data?.touches ?? []);
      for (const { touch_id } of touches) {
        const ofTouch = verdicts.filter((verdict) => verdict.touch_id === touch_id);
        expect(ofTouch.filter(({ status }) => status === 'created').length).toBe(1);
        expect(new Set(ofTouch.map(({ id, recorded_at }) => `${id} ${recorded_at}`)).size).toBe(1);
      }
    });

    it('the same touch with two contents at once: one is stored, the request of the other is refused whole', async () => {
      const races = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const [contested, ...others] = [touch(), touch(), touch()];
          const answers = await Promise.all(
            // Each begins with another touch, so that they arrive on different partitions.
            others.map((other, n) =>
              page.post([other, { ...contested, partner_id: `partner-${n}` }], product.gateways[n]),
            ),
          );
          const stored = await storedTouches(product, [contested, ...others]);
          return { answers, contested, stored };
        }),
      );
      for (const { answers, contested, stored } of races) {
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
        const winner = answers.findIndex(({ status }) => status === 201);
        const refused = answers[1 - winner]?.body.error?.details;
        expect(refused).toEqual({ 'touches.1.touch_id': ['exists with other content'] });
        expect(stored.length).toBe(2);
        const row = stored.find((one) => one['touch_id'] === contested?.['touch_id']);
        expect(row?.['partner_id']).toBe(`partner-${winner}`);
      }
    });

    it("the same touch_id of another site is another touch, under the site's own settings", async () => {
      const other = await Page.open(product, { partner: { providers: ['tradedoubler'], touch_limit: 1 } });
      const sent = touch();
      const first = await page.post([sent]);
      const second = await other.post([{ ...sent, provider: 'tradedoubler' }]);
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body.data?.touches[0]?.id).not.toBe(first.body.data?.touches[0]?.id);
      const refused = await other.post([touch(), touch()]);
      expect(refused.status).toBe(400);
      expect(refused.body.error?.details).toMatchObject({
        touches: ["must be at most 1 touches, the site's limit; got 2"],
        'touches.0.provider': ['must be a provider that the site allows: tradedoubler'],
      });
    });

    it("costs one request of the site's hour, a 400 too, and reports the remaining limit", async () => {
      await untilHourLasts();
      const limited = await Page.open(product, { runtime_hourly_limit: 2 });
      const answers: Answer<Recorded>[] = [];
      for (const touches of [[touch(), touch()], [], [touch()]]) answers.push(await limited.post(touches));
      expect(answers.map(({ status }) => status)).toEqual([201, 400, 429]);
      expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['1', '0', '0']);
      expect(answers.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(['2', '2', '2']);
      expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    /** Each gateway has such a line: those in one process share what it has put out. */
    const haveAllSaid = (what: string): boolean => {
      const outputs = new Set(product.gateways.map((gateway) => gateway.output()));
      const lines = [...outputs].flatMap((output) => output.split('\n'));
      const said = lines.filter((line) => line.includes('"service":"gateway"') && line.includes(what));
      return said.length >= product.gateways.length;
    };

    it('a keyring that breaks stops nothing: the one before stays in force, and a good one follows', async () => {
      const file = product.installation.keyringFile;
      const good = readFileSync(file, 'utf8');
      try {
        writeFileSync(file, '{"keys":{');
        await eventually(() => haveAllSaid('keyring is refused'), {
          message: 'each gateway to refuse the broken ring',
        });
        expect((await page.post([touch()])).status).toBe(201);
      } finally {
        writeFileSync(file, good);
      }
      await eventually(() => haveAllSaid('keyring was read again'), {
        message: 'each gateway to read the good ring',
      });
      expect((await page.post([touch()])).status).toBe(201);
    });
  });
}
