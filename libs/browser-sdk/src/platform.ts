import { URL_CHARACTERS, TITLE_CHARACTERS, AGENT_CHARACTERS } from './limits.js';
import { attempt, type Backing } from './store.js';

/** Taken when the script is loaded, as all of it below. */
export const Native = Promise;

/** What the SDK uses of a browser. */
export interface Platform {
  clock(): number;
  /** 0 ≤ n < 1. */
  chance(): number;
  /** 128 random bits, as text. */
  newId(): string;
  toJson(value: unknown): string;
  fromJson(text: string | null): unknown;
  ask(url: string, request: RequestInit): Promise<Response>;
  /** True when the browser takes it; undefined where it knows none. */
  readonly beacon: ((url: string, text: string) => boolean) | undefined;
  setTimer(run: () => void, ms: number): void;
  /** Resolves when the time is over. */
  pass(ms: number): Promise<undefined>;
  /** Undefined where the browser refuses storage. */
  readonly backing: Backing | undefined;
  /** One at a time over all tabs, where the browser can tell. */
  withLock(name: string, run: () => Promise<void>): Promise<unknown>;
  /** Calls back when another tab has changed the storage; without a key when it has cleared all of it. */
  hear(listen: (change: Pick<StorageEvent, 'key' | 'newValue'>) => void): void;
  /** Whether no site can list the page: a sandboxed frame, or a file. */
  readonly isNameless: boolean;
  /** The address at which the script was loaded. */
  readonly landing: string;
  /** The page as it is now: `context` of an event. */
  pageContext(): Readonly<Record<string, unknown>> & {
    readonly page_url: string;
    readonly language: string;
  };
  /** Whether nobody sees the page yet, and perhaps nobody ever will: the browser has opened it in advance. */
  isAhead(): boolean | undefined;
  /** Calls back when the page goes, when it is seen (again), and when the network is back. */
  watch(going: () => void, back: () => void, online: () => void): void;
}

/**
 * The browser's own functions, taken when the script is loaded: a page that replaces them afterwards, by a wrapper or
 * by mistake, does not change what the SDK does. Without a window (on a server) nothing is touched.
 */
export function browserPlatform(): Platform {
  const { stringify, parse } = JSON;
  const { now } = Date;
  const { random } = Math;
  const setTimer = setTimeout.bind(window);
  return {
    clock: now,
    chance: random,
    toJson: (value) => stringify(value, whole),
    fromJson: parse as Platform['fromJson'],
    newId() {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      return [...bytes].map((byte) => (byte + 256).toString(16).slice(1)).join('');
    },
    ask: fetch.bind(window),
    // A text is sent as text/plain, which needs no preflight.
    beacon: navigator.sendBeacon?.bind(navigator),
    setTimer,
    pass: (ms) => new Native((resolve) => setTimer(resolve as () => void, ms)),
    // Access to it throws where the user has forbidden it.
    backing: attempt(() => localStorage),
    // Without Web Locks (a page without TLS) two tabs may send the same: the service knows events by their ids.
    withLock: (name, run) => attempt(() => navigator.locks.request(name, run).catch(run)) ?? run(),
    hear(listen) {
      // A page in the back/forward cache hears nothing, and stays there.
      addEventListener('storage', listen);
    },
    isNameless: origin === 'null',
    landing: location.href,
    pageContext: () => ({
      // Of a frame without an address (`srcdoc`) it is that of the page around it.
      page_url: (location.host ? location.href : document.baseURI).slice(0, URL_CHARACTERS),
      user_agent: navigator.userAgent.slice(0, AGENT_CHARACTERS),
      referrer: document.referrer.slice(0, URL_CHARACTERS) || undefined,
      page_title: document.title.slice(0, TITLE_CHARACTERS) || undefined,
      screen: { width: screen.width, height: screen.height },
      language: navigator.language,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    isAhead: () => (document as { readonly prerendering?: boolean }).prerendering,
    watch(going, back, online) {
      // Never `unload`: it keeps a page out of the back/forward cache, and phones do not call it.
      addEventListener('pagehide', going);
      addEventListener('pageshow', back);
      addEventListener('online', online);
      document.addEventListener('visibilitychange', () => (document.hidden ? going() : back()));
      document.addEventListener('prerenderingchange', back);
    },
  };
}

/** Leaves a list what it is: some libraries give lists a `toJSON`, which makes a text of them. */
function whole(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const own = this[key];
  return Array.isArray(own) ? own : value;
}
