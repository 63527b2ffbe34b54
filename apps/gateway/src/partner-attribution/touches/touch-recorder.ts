import type { TouchVerdict } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { FieldErrors } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import type { Asker } from '../../ask/ask.js';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { answer, refuse, refuseAs } from '../../http/respond.js';
import { type PreparedTouch, prepareTouches } from './prepare-touches.js';
import { sealTouch } from './seal-touch.js';

/**
 * The touches of one request: admitted, validated, sealed, recorded all together or not at all (interface
 * page, section 5).
 */
export class TouchRecorder {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly keys: Pick<KeyringFile, 'keyring'>,
    private readonly asker: Asker,
  ) {}

  async record(exchange: Exchange): Promise<void> {
    const { siteId } = exchange.callerOfSite();
    const site = this.sites.active(siteId);
    // Suspended since its credential was checked.
    if (site === undefined) return refuse(exchange, 'credential-invalid');
    const prepared = prepareTouches({ body: exchange.takeBody(), partner: site.partner, nowMs: Date.now() });
    if (!prepared.ok) return refuse(exchange, 'broken-rules', prepared.error);
    const touches = prepared.value;
    const { keyring } = this.keys;
    const commands = firstOfEach(touches).map((touch) => sealTouch(touch, siteId, keyring));
    const recorded = await this.asker.ask(exchange, OPERATIONS.recordTouches, {
      site_id: siteId,
      request_id: exchange.requestId,
      touches: commands,
    });
    if ('error' in recorded) {
      return refuseAs(exchange, refusalOf(recorded.error), atTheirPlaces(recorded.error.details, touches));
    }
    const status = recorded.ok.some((verdict) => verdict.status === 'created') ? 201 : 200;
    answer(exchange, status, JSON.stringify({ touches: verdictsOf(touches, recorded.ok) }));
  }
}

/** Without repetitions: the ledger gets each touch only once. */
function firstOfEach(touches: readonly PreparedTouch[]): readonly PreparedTouch[] {
  return [...new Map(touches.map((touch) => [touch.touch_id, touch])).values()];
}

/** One per touch of the request, in order; a repetition is a duplicate. */
function verdictsOf(
  touches: readonly PreparedTouch[],
  recorded: readonly TouchVerdict[],
): readonly TouchVerdict[] {
  const byId = new Map(recorded.map((verdict) => [verdict.touch_id, verdict]));
  const answered = new Set<string>();
  return touches.map(({ touch_id }) => {
    const verdict = byId.get(touch_id);
    if (verdict === undefined) throw new Error('Each touch has a verdict.');
    const { id, recorded_at } = verdict;
    const status = answered.has(touch_id) ? 'unchanged' : verdict.status;
    answered.add(touch_id);
    return { touch_id, id, status, recorded_at };
  });
}

const PATH_OF_TOUCH = /^touches\.(\d+)(?=\.|$)/;

/** The ledger numbers the unique touches; the client numbers those that it sent. */
function atTheirPlaces(details: FieldErrors, touches: readonly PreparedTouch[]): FieldErrors {
  const asked = firstOfEach(touches);
  const entries = Object.entries(details).flatMap(([path, messages]) => {
    const touchId = asked[Number(PATH_OF_TOUCH.exec(path)?.[1] ?? Number.NaN)]?.touch_id;
    if (touchId === undefined) return [[path, messages] as const];
    return touches.flatMap(({ touch_id }, index) =>
      touch_id === touchId ? [[path.replace(PATH_OF_TOUCH, `touches.${index}`), messages] as const] : [],
    );
  });
  return Object.fromEntries(entries);
}
