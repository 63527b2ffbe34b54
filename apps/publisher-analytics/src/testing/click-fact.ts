import type { ClickFact } from '../domain/report-changes.js';

/** A click on a link to a partner, of a person, without the names that a shop may give it. */
export function clickFact(
  given: Pick<ClickFact, 'eventId' | 'occurredAt' | 'receivedAt' | 'siteId'> & Partial<ClickFact>,
): ClickFact {
  return {
    provider: 'awin',
    isBot: false,
    partnerId: null,
    campaignId: null,
    contentId: null,
    placementId: null,
    creativeId: null,
    destinationHost: 'partner.example',
    destinationPath: '/a',
    ...given,
  };
}
