import { expect, it } from '@jest/globals';
import { sampleFact } from './sample-fact.js';

it('a sample of an entry names the entry and its order by two ids, as the ledger does', () => {
  const ids = { id: 'entry', conversionId: 'order' };
  const { data } = sampleFact({ siteId: 'site', type: 'conversion.adjustment', ...ids, nowMs: 0 });
  expect(data).toMatchObject({ record_id: 'entry', conversion_id: 'order' });
});
