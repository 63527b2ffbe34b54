import { OUTBOX_LIMIT, EVENT_BYTES, CAPTURE_DELAY_MS, FLUSH_TIMEOUT_MS } from './limits.js';
import type { EventProperties, EventType } from './event-types.js';
import { objectOf } from './judge-answer.js';
import { bytesOf, openOutbox, type Outbox } from './outbox.js';
import { Native, type Platform } from './platform.js';
import { openRequests, type Requests } from './requests.js';
import { createSender, type Sender } from './sender.js';
import { DEVICE, openVisitor, type Visitor } from './session.js';
import { attempt, openStore, type Store } from './store.js';
import type { ErrorListener, EventProof, Options, SdkError, Truetally } from './types.js';

/** The version of the published file. */
export const VERSION = '0.1.0';

/** What the parts that are loaded later use of the client. */
export interface Tools extends Site {
  readonly client: Truetally;
  readonly platform: Platform;
  readonly report: (error: SdkError) => void;
}

/** Starts what only some pages need: touches, links, campaigns. */
export type StartParts = (tools: Tools) => Promise<void>;

/** What a partner network adds to the address of a landing (docs/networks.md). */
const CLICK = /[?&](awc|cjevent)=./;

const DENIED = 'denied';
const PENDING = 'pending';

/** What exists once the page has named its site. */
export interface Site {
  readonly options: Options;
  readonly prefix: string;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly network: Requests;
  readonly visitor: Visitor;
  sender: Sender;
}

/** Keys of landings whose touch is not recorded yet; then comes the address. */
export const LANDING = 'l.';
/** Keys of what the shop's backend names with an order. */
export const TOUCH_IDS = 'touch_ids';
export const ASSIGNMENT_IDS = 'assignment_ids';
/** Key of the newest proof, by which a tab tells the others. */
const TOLD = 'told';

/**
 * One client for a page. No method throws into the page: what is wrong goes to the error listeners.
 */
export function createClient(platform: Platform, loadParts: () => Promise<StartParts>): Truetally {
  let site: Site | undefined;
  let consent: 'granted' | 'required' | 'denied' = 'required';
  let dropped = 0;
  /** Whether the storage knew the visitor at the page's last moment in front. */
  let wasKnown = false;
  /**
   * What the page has asked for before its site, or its visitor's consent, is known, or somebody sees it: in memory alone. Called
   * without a site when there is no room for it.
   */
  const held: ((opened?: Site) => void)[] = [];
  /** Whose parts are started; the sender ends with the consent. */
  let started: Sender | undefined;
  const listeners = new Set<ErrorListener>();
  /** What has become of each event of this page that no flush has reported as settled. */
  const proofs = new Map<string, EventProof>();
  const waiters: (() => void)[] = [];

  /** Where events may be stored and sent. */
  const active = (): Site | undefined => (consent === 'granted' && !platform.isAhead() ? site : undefined);

  const isPending = (): boolean => [...proofs.values()].some(({ status }) => status === PENDING);

  function report(error: SdkError): void {
    // A listener's own error is not an event's.
    for (const listener of listeners) attempt(() => listener(error));
  }

  function changed(): void {
    for (const wakeUp of waiters.splice(0)) wakeUp();
  }

  function settle(proof: EventProof): void {
    const [oldest = ''] = proofs.set(proof.client_event_id, proof).keys();
    if (proofs.size > OUTBOX_LIMIT) proofs.delete(oldest);
    changed();
  }

  function whenAllowed(act: (opened?: Site) => void): void {
    if (consent === DENIED) return;
    const opened = active();
    if (opened) return act(opened);
    held.push(act);
    if (held.length > OUTBOX_LIMIT) held.shift()?.();
  }

  function lose(id: string): void {
    dropped++;
    const error = { code: 'OUTBOX_FULL', message: 'No room.', client_event_id: id };
    settle({ client_event_id: id, status: 'failed', error });
    report(error);
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
        opened.store.write(TOLD, platform.toJson(proof));
      },
    });
  }

  function begin(options: Options): void {
    const endpoint = String(options.endpoint).replace(/\/+$/, '');
    const prefix = `truetally:${options.siteId}:`;
    const store = openStore(platform.backing, prefix, () => consent === 'granted');
    const opened = {
      options: { ...options, endpoint },
      prefix,
      store,
      outbox: openOutbox(store),
      network: openRequests(platform, endpoint),
      visitor: openVisitor(platform, store),
    };
    site = { ...opened, sender: openSender(opened) };
    platform.hear(({ key, newValue }) => {
      if (key === prefix + DEVICE && !newValue) withdraw();
      // A tab that clears all of it, as for a sign-out of the shop, withdraws nothing.
      if (!key) wasKnown = false;
      if (key !== prefix + TOLD) return;
      // Whatever runs at this origin may have stored it.
      const proof = objectOf(attempt(() => platform.fromJson(newValue))) as unknown as EventProof;
      if (proofs.get(proof.client_event_id)?.status === PENDING) settle(proof);
    });
    platform.watch(
      () => {
        wasKnown = opened.visitor.isKnown();
        active()?.sender.sendBeacons();
      },
      () => {
        // Another tab has withdrawn the consent while this one heard nothing.
        if (wasKnown && !opened.visitor.isKnown()) withdraw();
        release();
      },
      // Its failures have been the network's: nothing speaks for waiting longer.
      () => void active()?.sender.sendNow(),
    );
  }

  /** What waits from earlier visits goes with what this page has held. */
  function release(): void {
    const opened = active();
    if (!opened) return;
    for (const act of held.splice(0)) act(opened);
    opened.sender.wake(0);
    startParts(opened);
  }

  function startParts(opened: Site): void {
    const { options, store } = opened;
    if (started === opened.sender) return;
    const landing = LANDING + platform.landing;
    // Stored at once: the visitor may leave before the part is loaded that sends it. One that is there may be on its way.
    if (CLICK.test(landing)) store.write(landing, store.read(landing) ?? String(platform.clock()));
    const isNeeded = options.decorateLinks || options.campaigns || store.keysWith(LANDING).length;
    if (!isNeeded) return;
    started = opened.sender;
    // Its sender is this one: what comes after the consent has gone finds it ended, and not the next one.
    const tools = { ...opened, client, platform, report };
    loadParts()
      .then((start) => start(tools))
      .catch(() => report({ code: 'CHUNK_NOT_LOADED', message: 'Missing.' }));
  }

  function withdraw(): void {
    consent = DENIED;
    wasKnown = false;
    held.length = 0;
    proofs.clear();
    changed();
    if (!site) return;
    site.sender.stop();
    for (const key of site.store.keysWith('')) site.store.forget(key);
    site.sender = openSender(site);
  }

  function capture(type: EventType, properties: unknown): string | undefined {
    if (consent === DENIED) return undefined;
    const id = platform.newId();
    // Of this moment: the page may change the object, or leave.
    const text = attempt(() =>
      platform.toJson({
        event_type: type,
        client_event_id: id,
        occurred_at: site?.sender.timeNow() ?? platform.clock(),
        context: platform.pageContext(),
        properties,
      }),
    );
    if (!text || bytesOf(text) > EVENT_BYTES)
      return void report({
        code: 'INVALID_EVENT',
        message: 'Not JSON, or too long.',
        client_event_id: id,
      });
    proofs.set(id, { client_event_id: id, status: PENDING });
    whenAllowed((opened) => (opened ? keep(opened, id, text) : lose(id)));
    return id;
  }

  function keep({ outbox, visitor, sender }: Site, id: string, text: string): void {
    const identity = platform.toJson(visitor.identity());
    for (const lost of outbox.keep(id, `${identity.slice(0, -1)},${text.slice(1)}`, platform.clock()))
      lose(lost);
    sender.wake(CAPTURE_DELAY_MS);
  }

  async function flush(timeoutMs = FLUSH_TIMEOUT_MS): Promise<readonly EventProof[]> {
    const opened = active();
    if (opened) {
      const { sender, outbox } = opened;
      let isLate = false as boolean;
      platform.setTimer(() => {
        isLate = true;
        changed();
      }, timeoutMs);
      void sender.sendNow();
      while (!isLate && active() && !sender.isStuck() && (outbox.count() || isPending()))
        await new Native<void>((resolve) => waiters.push(resolve));
    }
    const all = [...proofs.values()];
    for (const { client_event_id, status } of all) if (status !== PENDING) proofs.delete(client_event_id);
    return all;
  }

  const client: Truetally = {
    init(options) {
      const { siteId, endpoint, onError, consent: asked = 'granted' } = objectOf(options);
      if (onError) listeners.add(onError as ErrorListener);
      if (!siteId || !endpoint || site || platform.isNameless)
        return report({ code: 'INVALID_OPTIONS', message: 'siteId, endpoint; once.' });
      begin(options);
      // A choice that is misspelt is no consent.
      if (asked === 'granted' && consent === 'required') consent = asked;
      // It may have been refused before the site was known.
      if (consent === DENIED) withdraw();
      release();
    },
    track: (type, ...[properties]) => capture(type, properties),
    page: (properties?: EventProperties<'page_view'>) => capture('page_view', properties),
    identify: (userId) => whenAllowed((opened) => opened?.visitor.identify(userId)),
    setConsent(choice) {
      if (choice === 'granted') consent = choice;
      else withdraw();
      release();
    },
    flush,
    attribution() {
      const opened = active();
      if (!opened) return undefined;
      const { store, visitor } = opened;
      const { wordsOf } = store;
      return {
        session_id: visitor.identity().session_id,
        touch_ids: wordsOf(TOUCH_IDS),
        experiment_assignment_ids: wordsOf(ASSIGNMENT_IDS),
      };
    },
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
      waiting: active()?.outbox.count() || held.length,
      dropped,
      paused_until: site?.sender.pausedUntil() ?? 0,
      requests: [...(site?.network.records ?? [])],
    }),
  };
  return client;
}
