import { describe, expect, it } from '@jest/globals';
import type { ReadRecommendations, RecommendedIds } from '@truetally/contracts/analytics';
import { failure, type Reply } from '@truetally/kernel';
import type { Asker } from '../ask/ask.js';
import { KnownProducts } from './known-products.js';

const TRACE = { requestId: 'request', traceparent: '' };
const QUESTION = { session_id: 's', product_id: 'shown', strategy: 'co_view' } as const;

/** Analytics, as far as a gateway asks it, and a clock. */
class Analytics {
  nowMs = 0;
  isAway = false;
  readonly asked: ReadRecommendations[] = [];
  knows: RecommendedIds = { related: [], bought: [], popular: [] };
  readonly products = new KnownProducts({ ask: this.ask.bind(this) as Asker['ask'] }, () => this.nowMs);

  async found(siteId = 'site'): Promise<readonly string[] | string> {
    const found = await this.products.find(TRACE, { ...QUESTION, site_id: siteId });
    return found.ok ? found.value.all : found.error.code;
  }

  askedForPopular(): readonly boolean[] {
    return this.asked.map(({ with_popular }) => with_popular);
  }

  private ask(_trace: object, _to: object, asked: ReadRecommendations): Promise<Reply<RecommendedIds>> {
    this.asked.push(asked);
    if (this.isAway) return Promise.resolve(failure('UNAVAILABLE', 'away'));
    return Promise.resolve({ ok: asked.with_popular ? this.knows : { ...this.knows, popular: [] } });
  }
}

describe('products that a gateway knows', () => {
  it('popular products come behind related ones, without the shown one and what the session has bought', async () => {
    const analytics = new Analytics();
    analytics.knows = { related: ['r'], bought: ['b'], popular: ['b', 'p', 'shown', 'r', 'q'] };
    expect(await analytics.found()).toEqual(['r', 'p', 'q']);
    expect(await analytics.found()).toEqual(['r', 'p', 'q']);
    expect(analytics.askedForPopular()).toEqual([true, false]);
  });

  it('popular products of a site are asked for by one of its visitors every two seconds', async () => {
    const analytics = new Analytics();
    analytics.knows = { related: [], bought: [], popular: ['old'] };
    await analytics.found();
    analytics.knows = { ...analytics.knows, popular: ['new'] };
    analytics.nowMs = 1_999;
    expect(await analytics.found()).toEqual(['old']);
    analytics.nowMs = 2_000;
    expect(await Promise.all([analytics.found(), analytics.found()])).toEqual([['new'], ['old']]);
    expect(await analytics.found()).toEqual(['new']);
    expect(analytics.askedForPopular()).toEqual([true, false, true, false, false]);
    analytics.knows = { ...analytics.knows, popular: ['elsewhere'] };
    expect(await analytics.found('other')).toEqual(['elsewhere']);
  });

  it('popular products that are too old are not shown, and nothing is without an answer', async () => {
    const analytics = new Analytics();
    analytics.knows = { related: [], bought: [], popular: ['old'] };
    await analytics.found();
    analytics.isAway = true;
    analytics.nowMs = 3_999;
    expect(await analytics.found()).toBe('UNAVAILABLE');
    analytics.isAway = false;
    expect(await analytics.found()).toEqual(['old']);
    analytics.knows = { ...analytics.knows, popular: ['new'] };
    analytics.nowMs = 4_000;
    expect(await analytics.found()).toEqual(['new']);
  });

  it('popular products of a thousand sites are known at most', async () => {
    const analytics = new Analytics();
    for (let site = 0; site <= 1_000; site += 1) await analytics.found(`site ${site}`);
    const before = analytics.asked.length;
    await analytics.found('site 1000');
    await analytics.found('site 0');
    expect(analytics.askedForPopular().slice(before)).toEqual([false, true]);
  });
});
