import { describe, expect, it } from '@jest/globals';
import type { AskOfferedProducts, OfferedProduct } from '@truetally/contracts/management';
import { failure, type Reply } from '@truetally/kernel';
import { eventually } from '@truetally/testing';
import type { Asker } from '../ask/ask.js';
import { OfferedCatalogue } from './offered-catalogue.js';

const TRACE = { requestId: 'request', traceparent: '' };
const productOf = (id: string, title: string): OfferedProduct => ({
  ...{ product_id: id, title, availability: 'in_stock' },
  ...{ url: null, image_url: null, price: null, currency: null },
});

/** Management, as far as a catalogue asks it, and a clock. */
class Management {
  nowMs = 0;
  isAway = false;
  readonly asked: (readonly string[])[] = [];
  readonly titles = new Map<string, string>();
  readonly catalogue = new OfferedCatalogue({ ask: this.ask.bind(this) as Asker['ask'] }, () => this.nowMs);

  /** The titles that a page shows. */
  async shown(...ids: readonly string[]): Promise<readonly string[] | string> {
    const found = await this.catalogue.find(TRACE, 'site', ids);
    return found.ok ? found.value.map(({ title }) => title) : found.error.code;
  }

  private ask(_trace: object, _to: object, { product_ids }: AskOfferedProducts): Promise<Reply<object>> {
    this.asked.push(product_ids);
    if (this.isAway) return Promise.resolve(failure('UNAVAILABLE', 'away'));
    const products = product_ids.flatMap((id) => {
      const title = this.titles.get(id);
      return title === undefined ? [] : [productOf(id, title)];
    });
    return Promise.resolve({ ok: { products } });
  }
}

function managementWith(titles: Readonly<Record<string, string>>): Management {
  const management = new Management();
  for (const [id, title] of Object.entries(titles)) management.titles.set(id, title);
  return management;
}

describe('the catalogue of a gateway', () => {
  it('the catalogue gives what can be bought in the order asked, and asks once for what it knows', async () => {
    const management = managementWith({ a: 'A', b: 'B' });
    expect(await management.shown('b', 'gone', 'a')).toEqual(['B', 'A']);
    expect(await management.shown('a', 'gone')).toEqual(['A']);
    expect(management.asked).toEqual([['b', 'gone', 'a']]);
    await management.shown('a', 'c');
    expect(management.asked.at(-1)).toEqual(['c']);
  });

  it('the catalogue asks once for those who ask at the same time', async () => {
    const management = managementWith({ a: 'A' });
    const all = await Promise.all(Array.from({ length: 20 }, () => management.shown('a')));
    expect([all.flat().length, management.asked.length]).toEqual([20, 1]);
  });

  it('the catalogue shows a change within 4 s, and waits for nobody before', async () => {
    const management = managementWith({ a: 'A' });
    await management.shown('a');
    management.titles.set('a', 'Renamed');
    management.nowMs = 2_999;
    expect(await management.shown('a')).toEqual(['A']);
    expect(management.asked).toHaveLength(1);
    management.nowMs = 3_000;
    expect(await management.shown('a')).toEqual(['A']);
    await eventually(async () => (await management.shown('a')).includes('Renamed'));
    expect(management.asked).toHaveLength(2);
    management.titles.delete('a');
    management.nowMs = 7_000;
    expect(await management.shown('a')).toEqual([]);
  });

  it('the catalogue asks together for what the pages of a site show meanwhile', async () => {
    const management = managementWith({ a: 'A', b: 'B', c: 'C' });
    for (const id of ['a', 'b', 'c']) await management.shown(id);
    management.nowMs = 3_000;
    for (const id of ['a', 'b', 'a', 'c']) await management.shown(id);
    expect(management.asked).toHaveLength(3);
    await eventually(() => management.asked.length > 3);
    expect(management.asked.slice(3)).toEqual([['a', 'b', 'c']]);
  });

  it('the catalogue keeps an answer while management is away, until it is too old', async () => {
    const management = managementWith({ a: 'A' });
    await management.shown('a');
    management.isAway = true;
    management.nowMs = 3_999;
    expect(await management.shown('a')).toEqual(['A']);
    management.nowMs = 4_000;
    expect(await management.shown('a')).toBe('UNAVAILABLE');
    management.isAway = false;
    expect(await management.shown('a')).toEqual(['A']);
  });

  it('the catalogue forgets all beyond 10,000 products', async () => {
    const management = managementWith({ first: 'First' });
    await management.shown('first');
    for (let from = 0; from < 10_000; from += 100) {
      await management.shown(...Array.from({ length: 100 }, (_, index) => `p${from + index}`));
    }
    const before = management.asked.length;
    expect(await management.shown('first')).toEqual(['First']);
    expect(management.asked.length).toBe(before + 1);
  });
});
