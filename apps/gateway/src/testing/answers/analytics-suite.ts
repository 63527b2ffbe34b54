import { describe, it } from '@jest/globals';
import { Publisher } from '../publisher/publisher.js';
import { type AnswerWalk, membersHeaders } from './answer-walk.js';

/** Reports over events and revenue. */
export function analyticsAnswers(walk: () => AnswerWalk): void {
  describe('analytics', () => {
    it('every report of a site', async () => {
      const { owner, site } = await Publisher.open(walk().product);
      const headers = membersHeaders(owner);
      for (const report of [
        'overview?',
        'timeseries?interval=hour&',
        'funnel?steps=page_view,purchase&breakdown=device&',
        'events?limit=1&',
        'events/trail?request_id=none-such&',
        'revenue?',
        'revenue/items?part=adjustments&currency=EUR&',
      ]) {
        await walk().succeed('GET', `analytics/${report}site_id=${site.id}`, { headers });
      }
      await walk().succeed('GET', `partner-experiments/eligible-sessions?site_id=${site.id}`, { headers });
    });
  });
}
