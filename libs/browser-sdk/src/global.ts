import { createClient, type Tools } from './client.js';
import { browserPlatform } from './platform.js';
import type { Options } from './types.js';

/** Name and integrity of the file of what only some pages need, set when the files are bundled. */
declare const ONSITE_FILE: string;
declare const ONSITE_INTEGRITY: string;

/** Loads a file that stands beside this one. @returns what it puts into `truetallyPart` */
export type LoadFile = <Part>(file: string, integrity: string) => Promise<Part>;

interface Queue {
  /** Calls from before this file was loaded: method, arguments, and who waits for the result. */
  readonly q?: readonly (readonly [string, ArrayLike<unknown>, (result: unknown) => void])[];
}

interface UrlPolicy {
  readonly createScriptURL: (url: string) => string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: UrlPolicy): UrlPolicy;
}

declare global {
  var truetally: unknown;
  /** What the file that was loaded last is for. */
  var truetallyPart: unknown;
}

/** This file's own element; null where it is loaded in another way. */
const script = document.currentScript as HTMLScriptElement | null;
let policy: UrlPolicy | undefined;
const client = createClient(browserPlatform(), async () => {
  const start = await loadFile<(tools: Tools, load: LoadFile) => () => void>(ONSITE_FILE, ONSITE_INTEGRITY);
  return (tools) => start(tools, loadFile);
});
const queued = (globalThis.truetally as Queue | undefined)?.q ?? [];
globalThis.truetally = client;
beginByAttributes();
for (const [method, parameters, resolve] of queued) {
  const call = client[method as keyof typeof client] as ((...all: unknown[]) => unknown) | undefined;
  resolve(call?.(...Array.from(parameters)));
}

/** `<script async src="…/sdk/v1/truetally.js" data-site-id="…">`: a page whose policy allows no inline script. */
function beginByAttributes(): void {
  const { siteId, endpoint, consent, decorateLinks, campaigns } = script?.dataset ?? {};
  if (siteId === undefined || script === null) return;
  client.init({
    siteId,
    endpoint: endpoint ?? new URL('/api/v1', script.src).href,
    consent: consent as NonNullable<Options['consent']>,
    decorateLinks: decorateLinks !== undefined,
    campaigns: campaigns !== undefined,
  });
}

function loadFile<Part>(file: string, integrity: string): Promise<Part> {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = trusted(new URL(file, script?.src ?? location.href).href);
    element.integrity = integrity;
    element.crossOrigin = 'anonymous';
    element.nonce = script?.nonce ?? '';
    // Nothing else runs between a script and its own event.
    element.onload = () => resolve(globalThis.truetallyPart as Part);
    element.onerror = reject;
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
