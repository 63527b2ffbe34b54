import { createClient, type LinkDecorator } from './client.js';
import { browserPlatform } from './platform.js';
import type { Options } from './types.js';

/** Name and integrity of the file that decorates links, set when the files are bundled. */
declare const LINKS_FILE: string;
declare const LINKS_INTEGRITY: string;

interface Queue {
  /** Calls from before this file was loaded: method, arguments, and who waits for the result. */
  readonly q?: readonly (readonly [string, ArrayLike<unknown>, (result: unknown) => void])[];
}

declare global {
  var truetally: unknown;
  var truetallyLinks: LinkDecorator | undefined;
}

const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript : undefined;
const client = createClient(browserPlatform(), loadDecorator);
const queued = (globalThis.truetally as Queue | undefined)?.q ?? [];
globalThis.truetally = client;
beginByAttributes();
for (const [method, parameters, resolve] of queued) {
  const call = client[method as keyof typeof client] as ((...all: unknown[]) => unknown) | undefined;
  resolve(call?.(...Array.from(parameters)));
}

/** `<script async src="…/sdk/v1/truetally.js" data-site-id="…">`: a page whose policy allows no inline script. */
function beginByAttributes(): void {
  const { siteId, endpoint, consent, decorateLinks } = script?.dataset ?? {};
  if (siteId === undefined || script === undefined) return;
  client.init({
    siteId,
    endpoint: endpoint ?? new URL('/api/v1', script.src).href,
    consent: consent as NonNullable<Options['consent']>,
    decorateLinks: decorateLinks !== undefined,
  });
}

/** The other file stands beside this one. */
function loadDecorator(): Promise<LinkDecorator> {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = new URL(LINKS_FILE, script?.src ?? location.href).href;
    element.integrity = LINKS_INTEGRITY;
    element.crossOrigin = 'anonymous';
    element.nonce = script?.nonce ?? '';
    element.onload = () =>
      globalThis.truetallyLinks === undefined ? reject() : resolve(globalThis.truetallyLinks);
    element.onerror = reject;
    document.head.append(element);
  });
}
