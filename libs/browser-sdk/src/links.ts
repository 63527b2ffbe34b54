import type { Tools } from './client.js';
import { NETWORKS } from './networks.js';

const PROVIDER = 'data-svc-partner-provider';
const REFERENCE = 'data-svc-click-reference';
const TAXONOMY = ['partner', 'campaign', 'content', 'placement', 'creative'] as const;
const MARKED = `a[${PROVIDER}][href]`;
const MIDDLE_BUTTON = 1;

/**
 * Gives marked links of the allowed networks a click reference, those that come later too, and captures their clicks.
 * Other links are never touched.
 */
export function decorateLinks({ client, platform, sender }: Tools): void {
  const { newId } = platform;
  const { ended } = sender;
  const decorateAll = (root: ParentNode): void => {
    for (const link of root.querySelectorAll(MARKED)) decorate(link, newId);
  };
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      for (const node of [target, ...addedNodes]) decorate(node, newId);
      for (const node of addedNodes) if (node instanceof Element) decorateAll(node);
    }
  });
  // Enter is a click, too. The capturing phase comes before a page that stops the event.
  const onClick = (event: MouseEvent): void => {
    if (event.button > MIDDLE_BUTTON) return;
    const link = event.composedPath().find(isMarked);
    const reference = decorate(link, newId);
    if (link && reference) client.track('partner_link_click', clickOf(link, reference));
  };
  decorateAll(document);
  observer.observe(document, {
    subtree: true,
    childList: true,
    attributeFilter: ['href', PROVIDER, REFERENCE],
  });
  for (const type of ['click', 'auxclick'] as const)
    addEventListener(type, onClick, { capture: true, signal: ended });
  ended.addEventListener('abort', () => observer.disconnect());
}

function isMarked(node: unknown): node is HTMLAnchorElement {
  return node instanceof HTMLAnchorElement && node.matches(MARKED);
}

/** @returns the link's reference; undefined where there is no link that may be decorated */
function decorate(link: unknown, newId: () => string): string | undefined {
  if (!isMarked(link) || !/^https?:/i.test(link.protocol)) return undefined;
  const provider = valueOf(link, PROVIDER);
  const parameter = NETWORKS.find(([name]) => name === provider)?.[1];
  if (!parameter) return undefined;
  const present = new URLSearchParams(link.search).get(parameter);
  // What the page has put there itself is what the network will report.
  if (present) return present;
  const reference = valueOf(link, REFERENCE) ?? newId();
  // The other parameters stay as they are written: a parse and a write would change their escapes.
  if (present === null)
    link.search = `${link.search && `${link.search}&`}${parameter}=${encodeURIComponent(reference)}`;
  return reference;
}

function clickOf(link: HTMLAnchorElement, reference: string) {
  const taxonomy = TAXONOMY.map((name) => [`${name}_id`, valueOf(link, `data-svc-${name}-id`)]);
  return {
    provider: valueOf(link, PROVIDER) ?? '',
    click_reference: reference,
    destination_url: link.origin + link.pathname,
    ...(Object.fromEntries(taxonomy) as Readonly<Record<string, string>>),
  };
}

function valueOf(link: Element, attribute: string): string | undefined {
  return link.getAttribute(attribute)?.trim() || undefined;
}
