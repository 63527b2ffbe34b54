import { createClient, type StartParts } from './client.js';
import { objectOf } from './judge-answer.js';
import { MAX_RELOADS, RELOAD_MS } from './limits.js';
import { browserPlatform, Native } from './platform.js';
import type { Options } from './types.js';

/** Name and integrity of the file of what only some pages need, set when the files are bundled. */
declare const ONSITE_FILE: string;
declare const ONSITE_INTEGRITY: string;

interface Queue {
  /** Calls from before this file was loaded: method, arguments, and who waits for the result. */
  readonly q?: readonly (readonly [string, Iterable<unknown>, (result: unknown) => void])[];
  readonly init?: unknown;
}

interface UrlPolicy {
  readonly createScriptURL: (url: string) => string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: UrlPolicy): UrlPolicy;
}

declare global {
  var truetally: unknown;
  /** What the lazy file is for. */
  var truetallyPart: StartParts;
}

/** This file's own element; null where it is loaded in another way. */
const script = document.currentScript as HTMLScriptElement | null;
let policy: UrlPolicy | undefined;
const client = createClient(browserPlatform(), () => loadParts());
const { q, init } = objectOf(window.truetally) as Queue;
// A page that loads the file twice has one client: a second one would know no site, or send everything twice.
if (q || !init) {
  window.truetally = client;
  beginByAttributes();
  for (const [method, parameters, resolve] of q ?? []) {
    const methods = client as unknown as Readonly<Record<string, (...all: unknown[]) => unknown>>;
    resolve(methods[method]?.(...parameters));
  }
}

/** `<script async src="…/sdk/v1/truetally.js" data-site-id="…">`: a page whose policy allows no inline script. */
function beginByAttributes(): void {
  const { dataset, src } = script ?? {};
  if (!dataset?.['siteId']) return;
  client.init({
    endpoint: new URL('/api/v1', src).href,
    ...dataset,
    decorateLinks: 'decorateLinks' in dataset,
    campaigns: 'campaigns' in dataset,
  } as unknown as Options);
}

/**
 * The file stands beside this one. While servers of two releases serve, the one that is asked may have the file of the other
 * release alone: asked again, another may answer.
 */
function loadParts(attempts = MAX_RELOADS): Promise<StartParts> {
  return new Native((resolve, reject) => {
    const element = document.createElement('script');
    element.src = trusted(new URL(ONSITE_FILE, script?.src ?? location.href).href);
    element.integrity = ONSITE_INTEGRITY;
    element.crossOrigin = '';
    element.nonce = script?.nonce ?? '';
    // Nothing else runs between a script and its own event.
    element.onload = () => resolve(window.truetallyPart);
    element.onerror = () =>
      attempts ? setTimeout(() => resolve(loadParts(attempts - 1)), RELOAD_MS) : reject();
    document.head.append(element);
  });
}

/** Under `require-trusted-types-for 'script'` an address is assigned by a policy; this one allows our own files. */
function trusted(url: string): string {
  // A page may allow a name only once.
  policy ??= (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('truetally', {
    createScriptURL: String,
  });
  return policy?.createScriptURL(url) ?? url;
}
