import type { EventProperties, EventType } from './event-types.js';
import { objectOf } from './judge-answer.js';
import { bytesOf, openOutbox, type Outbox, OUTBOX_LIMIT } from './outbox.js';
import type { Platform } from './platform.js';
import { openRequests, type Requests } from './requests.js';
import { createSender, type Sender } from './sender.js';
import { openVisitor, type Visitor } from './session.js';
import { openStore, type Store } from './store.js';
import type { ErrorListener, EventProof, Options, SdkError, Truetally } from './types.js';

/** The version of the published file. */
export const VERSION = '0.1.0';

/** Decorates the page's marked links; the result ends it. */
export type LinkDecorator = (client: Pick<Truetally, 'track'>, newId: () => string) => () => void;

/** Events close to each other share a request. */
const CAPTURE_DELAY_MS = 300;
const FLUSH_TIMEOUT_MS = 10_000;
/** Interface page, section 4. */
const EVENT_BYTES = 64 * 1024;

/** What exists once the page has named its site. */
interface Site {
  readonly options: Options;
  readonly prefix: string;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly requests: Requests;
  readonly visitor: Visitor;
  sender: Sender;
}

/**
 * One client for a page. No method throws into the page: what is wrong goes to the error listeners.
 * @param platform undefined outside a browser: then every method does nothing
 */
export function createClient(
  platform: Platform | undefined,
  loadDecorator: () => Promise<LinkDecorator>,
): Truetally {
  let site: Site | undefined;
  let consent: 'granted' | 'required' | 'denied' = 'required';
  let dropped = 0;
  /** What the page has asked for before its site, or its visitor's consent, is known: in memory alone. */
  let held: (() => void)[] = [];
  let endDecoration: (() => void) | undefined;
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
    if (consent === 'denied') return;
    if (site !== undefined && consent === 'granted') return act();
    held.push(act);
    if (held.length > OUTBOX_LIMIT) {
      held.shift();
      dropped += 1;
    }
  }

  function openSender(opened: Omit<Site, 'sender'>, used: Platform): Sender {
    const { siteId, endpoint } = opened.options;
    return createSender({
      ...opened,
      platform: used,
      siteId,
      endpoint,
      report,
      rested: changed,
      settle: (proof) => {
        settle(proof);
        // The tab that captured it may be another.
        tell(proof);
      },
    });
  }

  function begin(used: Platform, options: Options): void {
    const endpoint = String(options.endpoint).replace(/\/+$/, '');
    const prefix = `truetally:${options.siteId}:`;
    const store = openStore(used.storage);
    const opened = {
      options: { ...options, endpoint },
      prefix,
      store,
      outbox: openOutbox(store, `${prefix}e.`),
      requests: openRequests(used, endpoint),
      visitor: openVisitor(used, store, prefix),
    };
    site = { ...opened, sender: openSender(opened, used) };
    tell = used.openChannel(prefix, (message) => {
      const { client_event_id: id } = objectOf(message);
      if (unsettled.has(String(id))) settle(message as EventProof);
    });
    used.watch(
      () => consent === 'granted' && site?.sender.sendBeacons(),
      () => consent === 'granted' && site?.sender.wake(0),
      // Its failures have been the network's: nothing speaks for waiting longer.
      () => void (consent === 'granted' && site?.sender.sendNow()),
    );
  }

  /** What waits from earlier visits goes with what this page has held. */
  function release(): void {
    if (site === undefined || consent !== 'granted') return;
    const acts = held;
    held = [];
    for (const act of acts) act();
    site.sender.wake(0);
    if (site.options.decorateLinks !== true || endDecoration !== undefined) return;
    endDecoration = () => undefined;
    loadDecorator().then(
      (decorate) => {
        if (endDecoration !== undefined && platform !== undefined)
          endDecoration = decorate(client, platform.newId);
      },
      () => report({ code: 'CHUNK_NOT_LOADED', message: 'Links are not decorated.' }),
    );
  }

  function withdraw(): void {
    held = [];
    unsettled.clear();
    proofs.clear();
    endDecoration?.();
    endDecoration = undefined;
    changed();
    if (site === undefined || platform === undefined) return;
    site.sender.close();
    for (const key of site.store.keys(site.prefix)) site.store.remove(key);
    site.sender = openSender(site, platform);
  }

  function capture(type: EventType, properties: unknown): string | undefined {
    if (platform === undefined || consent === 'denied') return undefined;
    const id = platform.newId();
    let text: string;
    try {
      // Of this moment: the page may change the object, or leave.
      text = platform.stringify({
        event_type: type,
        client_event_id: id,
        occurred_at: new Date(platform.now()).toISOString(),
        context: platform.context(),
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
    if (site === undefined || platform === undefined) return;
    const { outbox, visitor, sender } = site;
    const identity = platform.stringify(visitor.identity());
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
    if (platform !== undefined && site !== undefined && consent === 'granted') {
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
      if (typeof siteId !== 'string' || typeof endpoint !== 'string' || site !== undefined)
        return report({ code: 'INVALID_OPTIONS', message: 'init is called once, with siteId and endpoint.' });
      if (platform === undefined) return;
      begin(platform, options);
      if (options.consent !== 'required' && consent === 'required') consent = 'granted';
      release();
    },
    track: (type, ...[properties]) => capture(type, properties),
    page: (properties?: EventProperties<'page_view'>) => capture('page_view', properties),
    identify: (userId) => whenAllowed(() => site?.visitor.identify(userId ?? undefined)),
    setConsent(choice) {
      if (choice === consent) return;
      consent = choice === 'granted' ? 'granted' : 'denied';
      if (consent === 'granted') release();
      else withdraw();
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
      storage: site?.store.isLasting() === true ? 'local' : 'memory',
      waiting: (consent === 'granted' && site?.outbox.size()) || held.length,
      dropped,
      paused_until: site?.sender.pausedUntil() ?? 0,
      requests: [...(site?.requests.records ?? [])],
    }),
  };
  return client;
}
