import type { Recommendations, Stage } from './campaign-types.js';
import { element, link, openSurface } from './surface.js';

/**
 * Shows products in a place of the page, which need not be visible before: its heading belongs to it.
 * @returns what takes them away
 */
export function showRecommendations(
  { track }: Pick<Stage, 'track'>,
  { campaign_id = '', recommendation_id, items = [] }: Recommendations,
  place: HTMLElement,
): () => void {
  if (!recommendation_id) return () => undefined;
  const ids = { recommendation_id, campaign_id };
  const products = items.map(({ product_id, title, url, image_url, price, currency }) => {
    const follow = (): void => void track('recommendation_click', { ...ids, product_id });
    return element(
      'li',
      {},
      link(
        url,
        follow,
        '',
        image_url ? element('img', { src: image_url, alt: '', loading: 'lazy' }) : '',
        title,
        price && currency ? element('b', {}, priceOf(price, currency)) : '',
      ),
    );
  });
  const list = element('ul', {}, ...products);
  // What is far below the fold has made no impression.
  const observer = new IntersectionObserver((changes) => {
    if (!changes.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    track('recommendation_impression', ids);
  });
  const remove = openSurface(place, list);
  place.hidden = false;
  observer.observe(list);
  return () => {
    observer.disconnect();
    place.hidden = true;
    remove();
  };
}

/** As the visitor writes it. */
function priceOf(price: string, currency: string): string {
  return Number(price).toLocaleString([], { style: 'currency', currency });
}
