import { randomUUID } from 'node:crypto';
import type { ErasePerson } from '@truetally/contracts/jobs';
import { fingerprintHex, uuidFromFingerprintHex } from '@truetally/kernel';
import { inTransaction } from '@truetally/persistence';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { settlementIdOf } from '../domain/names.js';
import { ClickStore } from '../storage/click.store.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { SettlementStore } from '../storage/settlement.store.js';
import { SiteScopes } from '../storage/site-scope.js';
import type { Told } from './publisher-model.js';

/** A separate migrated schema, on the test run's Postgres. */
export function openPublisherDatabase(): Promise<ServiceDatabase> {
  return openServiceDatabase({ name: 'publisher', migrations: MIGRATIONS, pipeline: true });
}

/** The writes of one process of the service. */
export class PublisherReplica {
  private readonly clicks: ClickStore;
  private readonly settlements: SettlementStore;

  constructor(
    private readonly pool: Pool,
    timeZone: string,
  ) {
    const scopes = new SiteScopes(() => timeZone);
    this.clicks = PublisherReplica.clicksOf(pool, timeZone);
    this.settlements = new SettlementStore(scopes);
  }

  static clicksOf(pool: Pool, timeZone: string): ClickStore {
    return new ClickStore(pool, new SiteScopes(() => timeZone));
  }

  /** Facts of one site, as two transactions. */
  async tell(siteId: string, told: readonly Told[]): Promise<void> {
    const counted = told.flatMap((one) => (one.kind === 'click' ? [one.counted] : []));
    const areParked = await this.clicks.record({
      clicks: counted.map(({ click }) => click),
      references: counted.map(({ click: { eventId }, hash }) => {
        return { eventId, siteId, hash, keyId: 'test', sealed: Buffer.alloc(1) };
      }),
    });
    if (areParked) await this.clicks.countParked(siteId);
    const offered = told.flatMap((one) =>
      one.kind === 'settlement' ? [{ version: one.version, isChangeTimed: true }] : [],
    );
    await inTransaction(this.pool, async (client) => {
      const recording = await this.settlements.begin(client, siteId);
      // A step of an import records several parts.
      await recording.record(offered.slice(0, offered.length / 2));
      await recording.record(offered.slice(offered.length / 2));
      await recording.finish();
    });
  }
}

/** A fact as stored: of a site, with ids and hashes in the tables' format. */
export function ofSite(told: Told, siteId: string): Told {
  if (told.kind === 'click') {
    const { click, hash } = told.counted;
    const eventId = eventIdOf(siteId, click.eventId);
    return { kind: 'click', counted: { click: { ...click, siteId, eventId }, hash: hashOf(siteId, hash) } };
  }
  const { version } = told;
  const settlementId = settlementIdOf(siteId, version.provider, version.providerTransactionId);
  const referenceHash = version.referenceHash === null ? null : hashOf(siteId, version.referenceHash);
  return { kind: 'settlement', version: { ...version, siteId, settlementId, referenceHash } };
}

/** A click's id as stored, by its name. */
export function eventIdOf(siteId: string, name: string): string {
  return uuidFromFingerprintHex(fingerprintHex([siteId, name]));
}

/** The question that erases the person of these clicks. */
export function erasureOf(siteId: string, eventIds: readonly string[]): ErasePerson {
  const subjects = { sessionIds: [], eventIds };
  const ids = { name: randomUUID(), jobId: randomUUID(), erasureId: randomUUID() };
  return { ...ids, siteId, userId: null, subjects, cursor: null };
}

function hashOf(siteId: string, name: string): string {
  return fingerprintHex([siteId, name]);
}
