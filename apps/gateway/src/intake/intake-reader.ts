import { Injectable } from '@nestjs/common';
import type { IntakeAllowance } from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Calendar, formatInstant, UUID } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import type { MemberCaller } from '../credentials/caller.js';
import { type ApiKey, KeyDirectory } from '../credentials/key-directory.js';
import { siteRefusal } from '../credentials/site-access.js';
import { type Site, SiteDirectory } from '../credentials/site-directory.js';
import { HourlyLimiter } from '../limits/hourly-limiter.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse } from '../http/respond.js';
import { intakeWindow, readIntakeQuery } from './intake-window.js';

const OK = 200;
const MS_PER_SECOND = 1_000;

/**
 * What came in of a site and what was refused, hour by hour (interface page, section 9). Ingestion has the counters,
 * management the time zone, and this process asks the counters of the limits itself.
 */
@Injectable()
export class IntakeReader {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly keys: KeyDirectory,
    private readonly limiter: HourlyLimiter,
    private readonly asker: Asker,
  ) {}

  async read(exchange: Exchange, siteId: string): Promise<void> {
    const caller = memberOf(exchange);
    const asked = readIntakeQuery(exchange.query);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const known = UUID.test(siteId) ? this.sites.find(siteId) : undefined;
    if (known === undefined || siteRefusal(caller, siteId, this.sites) !== undefined) {
      return refuse(exchange, 'site-unknown');
    }
    const site = await this.asker.find(exchange, OPERATIONS.readSite, questionOf(caller, siteId));
    if (site === undefined) return;
    const { timezone } = site;
    const window = intakeWindow(asked.value, new Calendar(timezone), Date.now());
    if (!window.ok) return refuse(exchange, 'broken-rules', window.error);
    const [from, to] = [formatInstant(window.value.fromMs), formatInstant(window.value.toMs)];
    const counts = await this.asker.find(exchange, OPERATIONS.readIntake, { site_id: siteId, from, to });
    if (counts === undefined) return;
    const allowances = await this.allowancesOf(known, caller);
    if (allowances === undefined) return refuse(exchange, 'unavailable');
    answer(exchange, OK, JSON.stringify({ site_id: siteId, timezone, ...counts, allowances }));
  }

  /** @returns undefined while the counters are unreachable */
  private async allowancesOf(
    { siteId, runtimeLimit }: Site,
    caller: MemberCaller,
  ): Promise<readonly IntakeAllowance[] | undefined> {
    const keys = this.keys.inForceOf(siteId, Date.now());
    const holders: readonly Holder[] = [
      ...keys.map((key) => ({ kind: 'api_key' as const, key })),
      { kind: 'runtime', key: null },
      { kind: 'workspace', key: null },
    ];
    const limits = [...keys.map(({ limit }) => limit), runtimeLimit, caller.limit];
    const used = await this.limiter.usageOf(limits).catch(() => undefined);
    return used?.map(({ resetSeconds, ...amounts }, index) => {
      const { kind, key } = holders[index] ?? { kind: 'workspace', key: null };
      const resets_at = formatInstant(resetSeconds * MS_PER_SECOND);
      const { limit, used: spent, remaining } = amounts;
      return {
        kind,
        key_id: key?.keyId ?? null,
        prefix: key?.prefix ?? null,
        limit,
        used: spent,
        remaining,
        resets_at,
      };
    });
  }
}

interface Holder {
  readonly kind: IntakeAllowance['kind'];
  readonly key: ApiKey | null;
}

/** @throws Error on a route that admits others: its rule does not match its controller */
function memberOf(exchange: Exchange): MemberCaller {
  const caller = exchange.callerWithLimit();
  if (caller.kind !== 'member') throw new Error('Intake is for members alone.');
  return caller;
}

function questionOf({ workspaceId }: MemberCaller, siteId: string) {
  const params = { site_id: siteId };
  return { workspace_id: workspaceId, actor: null, params, filters: {}, limit: 1, cursor: null };
}
