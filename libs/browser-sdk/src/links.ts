import type { Truetally } from './types.js';

/** The networks whose links are decorated, each with its parameter (interface page, section 8). */
const PARAMETERS: Readonly<Record<string, string>> = { awin: 'clickref', cj: 'sid' };

const PROVIDER = 'data-svc-partner-provider';
const REFERENCE = 'data-svc-click-reference';
const TAXONOMY = ['partner_id', 'campaign_id', 'content_id', 'placement_id', 'creative_id'] as const;
const MARKED = `a[${PROVIDER}][href]`;
const MIDDLE_BUTTON = 1;

/** Decorates the page's marked links; the result ends it. */
export type LinkDecorator = (client: Pick<Truetally, 'track'>, newId: () => string) => () => void;

/**
 * Gives marked links of the allowed networks a click reference, those that come later too, and captures their clicks.
 * Other links are never touched.
 */
export const decorateLinks: LinkDecorator = (client, newId) => {
  const decorateAll = (root: ParentNode): void => {
    for (const link of root.querySelectorAll<HTMLAnchorElement>(MARKED)) decorate(link, newId);
  };
  const observer = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === 'attributes') decorate(target, newId);
      for (const node of addedNodes) {
        decorate(node, newId);
        if (node instanceof Element) decorateAll(node);
      }
    }
  });
  // Enter is a click, too. The capturing phase comes before a page that stops the event.
  const onClick = (event: MouseEvent): void => {
    if (event.type === 'auxclick' && event.button !== MIDDLE_BUTTON) return;
    const link = event.composedPath().find((node) => node instanceof Element && node.matches(MARKED));
    const reference = decorate(link, newId);
    if (reference !== undefined && link instanceof HTMLAnchorElement)
      client.track('partner_link_click', clickOf(link, reference));
  };
  decorateAll(document);
  observer.observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['href', PROVIDER, REFERENCE],
  });
  for (const type of ['click', 'auxclick'] as const) addEventListener(type, onClick, true);
  return () => {
    observer.disconnect();
    for (const type of ['click', 'auxclick'] as const) removeEventListener(type, onClick, true);
  };
};

/** @returns the link's reference; undefined where there is no link that may be decorated */
function decorate(node: unknown, newId: () => string): string | undefined {
  if (!(node instanceof HTMLAnchorElement) || !node.matches(MARKED) || !/^https?:$/.test(node.protocol))
    return undefined;
  const parameter = Object.entries(PARAMETERS).find(([network]) => network === providerOf(node))?.[1];
  if (parameter === undefined) return undefined;
  const present = new URLSearchParams(node.search).get(parameter);
  // What the page has put there itself is what the network will report.
  if (present !== null && present !== '') return present;
  const reference = node.getAttribute(REFERENCE)?.trim() || newId();
  if (present === null) {
    // The other parameters stay as they are written: a parse and a write would change their escapes.
    const [address = '', fragment] = node.href.split(/(?=#)/, 2);
    const separator = address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?';
    node.href = `${address}${separator}${parameter}=${encodeURIComponent(reference)}${fragment ?? ''}`;
  }
  return reference;
}

function clickOf(link: HTMLAnchorElement, reference: string) {
  const taxonomy = TAXONOMY.map((name) => [
    name,
    link.getAttribute(`data-svc-${name.replace('_', '-')}`)?.trim() || undefined,
  ]);
  return {
    provider: providerOf(link),
    click_reference: reference,
    destination_url: link.origin + link.pathname,
    ...(Object.fromEntries(taxonomy) as Readonly<Record<string, string>>),
  };
}

function providerOf(link: Element): string {
  return link.getAttribute(PROVIDER)?.trim() ?? '';
}
