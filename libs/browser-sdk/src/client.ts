import { OUTBOX_LIMIT, EVENT_BYTES, CAPTURE_DELAY_MS, FLUSH_TIMEOUT_MS } from './limits.js';
import type { EventProperties, EventType } from './event-types.js';
import { objectOf } from './judge-answer.js';
import { bytesOf, openOutbox, type Outbox } from './outbox.js';
import type { Platform } from './platform.js';
import { openRequests, type Requests } from './requests.js';
import { createSender, type Sender } from './sender.js';
import { openVisitor, type Visitor } from './session.js';
import { openStore, type Store } from './store.js';
import type { ErrorListener, EventProof, Options, SdkError, Truetally } from './types.js';

/** The version of the published file. */
export const VERSION = '0.1.0';

/** What the parts that are loaded later use of the client. */
export interface Tools extends Site {
  readonly client: Truetally;
  readonly platform: Platform;
  readonly report: (error: SdkError) => void;
}

/** Starts what only some pages need: touches, links, campaigns; the result ends it. */
export type StartParts = (tools: Tools) => () => void;

/** What a partner network adds to the address of a landing (docs/networks.md). */
const CLICK = /[?&](awc|cjevent)=./;

const DENIED = 'denied';

/** What exists once the page has named its site. */
export interface Site {
  readonly options: Options;
  readonly prefix: string;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly requests: Requests;
  readonly visitor: Visitor;
  sender: Sender;
}

/** Keys of landings whose touch is not recorded yet; then comes the address. */
export const LANDING = 'l.';

/**
 * One client for a page. No method throws into the page: what is wrong goes to the error listeners.
 */
export function createClient(platform: Platform, loadParts: () => Promise<StartParts>): Truetally {
  let site: Site | undefined;
  let consent: 'granted' | 'required' | 'denied' = 'required';
  let dropped = 0;
  /** Whether the storage knew the visitor at the page's last moment in front. */
  let wasKnown = false;
  /** What the page has asked for before its site, or its visitor's consent, is known: in memory alone. */
  let held: (() => void)[] = [];
  let endParts: (() => void) | undefined;
  const listeners = new Set<ErrorListener>();
  const unsettled = new Set<string>();
  const proofs = new Map<string, EventProof>();
  let waiters: (() => void)[] = [];
  let tell: (message: unknown) => void = () => undefined;

  function report(error: SdkError): void {
    for (const listener of listeners) {
      try {
        listener(error);
      } catch {
        // A listener's own error is not an event's.
      }
    }
  }

  function changed(): void {
    const woken = waiters;
    waiters = [];
    for (const wakeUp of woken) wakeUp();
  }

  function settle(proof: EventProof): void {
    unsettled.delete(proof.client_event_id);
    proofs.set(proof.client_event_id, proof);
    for (const oldest of proofs.keys()) {
      if (proofs.size <= OUTBOX_LIMIT) break;
      proofs.delete(oldest);
    }
    changed();
  }

  function whenAllowed(act: () => void): void {
    if (consent === DENIED) return;
    if (site && consent === 'granted') return act();
    held.push(act);
    if (held.length > OUTBOX_LIMIT) {
      held.shift();
      dropped += 1;
    }
  }

  function openSender(opened: Omit<Site, 'sender'>): Sender {
    return createSender({
      ...opened,
      platform,
      report,
      rested: changed,
      settle: (proof) => {
        settle(proof);
        // The tab that captured it may be another.
        tell(proof);
      },
    });
  }

  function begin(options: Options): void {
    const endpoint = String(options.endpoint).replace(/\/+$/, '');
    const prefix = `truetally:${options.siteId}:`;
    const store = openStore(platform.storage);
    const opened = {
      options: { ...options, endpoint },
      prefix,
      store,
      outbox: openOutbox(store, `${prefix}e.`),
      requests: openRequests(platform, endpoint),
      visitor: openVisitor(platform, store, prefix),
    };
    site = { ...opened, sender: openSender(opened) };
    tell = platform.openChannel(prefix, (message) => {
      if (message === DENIED) return withdraw();
      const { client_event_id: id } = objectOf(message);
      if (unsettled.has(String(id))) settle(message as EventProof);
    });
    platform.watch(
      () => {
        wasKnown = opened.visitor.isKnown();
        if (consent === 'granted') site?.sender.sendBeacons();
      },
      () => {
        // Another tab has withdrawn the consent while this one heard nothing.
        if (wasKnown && !opened.visitor.isKnown()) withdraw();
        if (consent === 'granted') site?.sender.wake(0);
      },
      // Its failures have been the network's: nothing speaks for waiting longer.
      () => void (consent === 'granted' && site?.sender.sendNow()),
    );
  }

  /** What waits from earlier visits goes with what this page has held. */
  function release(): void {
    if (!site || consent !== 'granted') return;
    const acts = held;
    held = [];
    for (const act of acts) act();
    site.sender.wake(0);
    startParts(site);
  }

  function startParts(opened: Site): void {
    const { options, store, prefix } = opened;
    // Stored at once: the visitor may leave before the part is loaded that sends it.
    if (CLICK.test(platform.landing))
      store.set(`${prefix}${LANDING}${platform.landing}`, String(platform.now()));
    const isNeeded =
      options.decorateLinks === true || options.campaigns === true || store.keys(prefix + LANDING).length > 0;
    if (!isNeeded || endParts !== undefined) return;
    const starting = (): void => undefined;
    endParts = starting;
    loadParts().then(
      (start) => {
        if (endParts === starting) endParts = start({ ...opened, client, platform, report });
      },
      () => report({ code: 'CHUNK_NOT_LOADED', message: 'Touches, links and campaigns are left out.' }),
    );
  }

  function withdraw(): void {
    consent = DENIED;
    wasKnown = false;
    held = [];
    unsettled.clear();
    proofs.clear();
    endParts?.();
    endParts = undefined;
    changed();
    if (!site) return;
    site.sender.close();
    for (const key of site.store.keys(site.prefix)) site.store.remove(key);
    site.sender = openSender(site);
  }

  function capture(type: EventType, properties: unknown): string | undefined {
    if (consent === DENIED) return undefined;
    const id = platform.newId();
    let text: string;
    try {
      // Of this moment: the page may change the object, or leave.
      text = platform.toJson({
        event_type: type,
        client_event_id: id,
        occurred_at: new Date(platform.now()).toISOString(),
        context: platform.pageContext(),
        properties,
      });
      if (bytesOf(text) > EVENT_BYTES) throw new Error('The event is larger than 64 KiB.');
    } catch (error) {
      report({ code: 'INVALID_EVENT', message: String(error), client_event_id: id });
      return undefined;
    }
    unsettled.add(id);
    whenAllowed(() => keep(id, text));
    return id;
  }

  function keep(id: string, text: string): void {
    if (!site) return;
    const { outbox, visitor, sender } = site;
    const identity = platform.toJson(visitor.identity());
    for (const lost of outbox.add(id, `${identity.slice(0, -1)},${text.slice(1)}`, platform.now())) {
      dropped += 1;
      const error = {
        code: 'OUTBOX_FULL',
        message: `More than ${OUTBOX_LIMIT} events wait.`,
        client_event_id: lost,
      };
      settle({ client_event_id: lost, status: 'failed', error });
      report(error);
    }
    sender.wake(CAPTURE_DELAY_MS);
  }

  async function flush(timeoutMs = FLUSH_TIMEOUT_MS): Promise<readonly EventProof[]> {
    if (site && consent === 'granted') {
      const { sender, outbox } = site;
      let isLate = false;
      const timer = platform.setTimer(() => {
        isLate = true;
        changed();
      }, timeoutMs);
      void sender.sendNow();
      const isDone = (): boolean =>
        isLate || consent !== 'granted' || (unsettled.size === 0 && outbox.size() === 0) || sender.isStuck();
      while (!isDone()) await new Promise<void>((resolve) => waiters.push(resolve));
      platform.clearTimer(timer);
    }
    const pending = [...unsettled].map((id): EventProof => ({ client_event_id: id, status: 'pending' }));
    const settled = [...proofs.values()];
    proofs.clear();
    return [...settled, ...pending];
  }

  const client: Truetally = {
    init(options) {
      const { siteId, endpoint, onError } = objectOf(options);
      if (typeof onError === 'function') listeners.add(onError as ErrorListener);
      if (typeof siteId !== 'string' || typeof endpoint !== 'string' || site)
        return report({ code: 'INVALID_OPTIONS', message: 'init is called once, with siteId and endpoint.' });
      begin(options);
      if (options.consent !== 'required' && consent === 'required') consent = 'granted';
      release();
    },
    track: (type, ...[properties]) => capture(type, properties),
    page: (properties?: EventProperties<'page_view'>) => capture('page_view', properties),
    identify: (userId) => whenAllowed(() => site?.visitor.identify(userId ?? undefined)),
    setConsent(choice) {
      if (choice === consent) return;
      if (choice === 'granted') {
        consent = choice;
        release();
      } else {
        withdraw();
        // A tab that goes on would store what this one has just removed.
        tell(DENIED);
      }
    },
    flush,
    onError(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    diagnostics: () => ({
      version: VERSION,
      site_id: site?.options.siteId,
      endpoint: site?.options.endpoint,
      consent,
      storage: site?.store.isLasting() ? 'local' : 'memory',
      waiting: (consent === 'granted' && site?.outbox.size()) || held.length,
      dropped,
      paused_until: site?.sender.pausedUntil() ?? 0,
      requests: [...(site?.requests.records ?? [])],
    }),
  };
  return client;
}
