import { expect, it } from '@jest/globals';
import { following, MOST_PAGES, type Place, readPlace } from './pull-place.js';

const START: Place = { untilMs: 1_767_225_600_000, page: 'a', version: 1, pages: 0 };

it('a pull whose network names the same two pages in turn without an end is ended', () => {
  let [place, ended] = [START, ''];
  for (let page = 0; page <= MOST_PAGES && ended === ''; page += 1) {
    const next = following(place, page % 2 === 0 ? 'b' : 'a');
    if (next.ok && next.value !== null) place = readPlace(next.value);
    else ended = next.ok ? 'at its last page' : next.error;
  }
  expect(ended).toBe("The network's answers had no end after 10000 of them.");
});

it('a pull goes on behind each page, and ends behind the last one', () => {
  const next = following(START, 'b');
  expect(next.ok && next.value !== null && readPlace(next.value)).toEqual({ ...START, page: 'b', pages: 1 });
  expect(following(START, null)).toEqual({ ok: true, value: null });
});
