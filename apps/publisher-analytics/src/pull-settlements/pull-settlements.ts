import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import type { RecordSync } from '@truetally/contracts/publisher';
import { failure, formatInstant, type Reply, type Result } from '@truetally/kernel';
import { stepOnce } from '@truetally/persistence';
import { NETWORKS } from '../connectors/networks.js';
import { type AskedPage, askNetwork, type PullFault } from './ask-network.js';
import type { IntegrationAccess, OpenedIntegration } from './integration-access.js';
import type { NetworkClient } from './network-client.js';
import { following, type Place, readPlace, writePlace } from './pull-place.js';
import { OlderAnswerError, PulledParts, type StoringParts } from './pulled-parts.js';

export interface PullParts extends StoringParts {
  readonly access: IntegrationAccess;
  readonly client: NetworkClient;
  readonly nowMs: () => number;
  readonly random: () => number;
}

const NOTHING: JobStepReport = { cursor: null, found: 0, done: 0, stored: 0, failed: 0, errors: [] };

/** Pulls an integration's transactions from its network, one page per job step. */
export class SettlementPull {
  constructor(private readonly parts: PullParts) {}

  /**
   * One page: requested, validated and stored in parts, the last one in one transaction with the next cursor.
   * @param isLast whether a temporary fault ends the job: it is not asked for again
   */
  async step(step: JobStep, isLast: boolean): Promise<Reply<JobStepReport>> {
    const { integration_id: integrationId = '' } = step.params;
    const opened = await this.parts.access.open(integrationId);
    // An integration that was deleted meanwhile has nothing more to pull.
    if (!opened.ok && opened.error === 'gone') return { ok: NOTHING };
    if (!opened.ok) return this.refused(integrationId, { kind: 'refused', message: SEALED });
    try {
      return await this.pull(step, opened.value, isLast);
    } catch (error) {
      if (!(error instanceof OlderAnswerError)) throw error;
      // It is asked again; the other pull got further meanwhile.
      return failure('UNAVAILABLE', 'Another pull of this integration stored its answer first.');
    }
  }

  private async pull(
    step: JobStep,
    integration: OpenedIntegration,
    isLast: boolean,
  ): Promise<Reply<JobStepReport>> {
    const { integration_id: integrationId = '' } = step.params;
    const place = await this.placeOf(step, integration);
    const asked = await this.ask(integrationId, integration, place);
    if (!asked.ok) return this.unread(integrationId, integration, place, asked.error, isLast);
    const next = following(place, asked.value.page.next);
    if (!next.ok)
      return this.refused(integrationId, { kind: 'refused', message: next.error, version: place.version });
    const report = await this.keep(step, place, asked.value, next.value);
    this.parts.relay.wake();
    if (report.cursor === null)
      await this.tell(integrationId, { outcome: 'synced', error: null, version: place.version });
    return { ok: report };
  }

  /** A page that is too large is halved; one that cannot be, and the last attempt at any, end the job. */
  private unread(
    integrationId: string,
    { provider, version }: OpenedIntegration,
    place: Place,
    { kind, message }: PullFault,
    isLast: boolean,
  ): Reply<JobStepReport> | Promise<Reply<JobStepReport>> {
    const isEnd = isLast || kind !== 'unreachable';
    const smaller = kind === 'too-large' ? NETWORKS[provider].narrower(place.page) : null;
    if (smaller !== null) return { ok: { ...NOTHING, cursor: writePlace({ ...place, page: smaller }) } };
    return this.refused(integrationId, { kind: isEnd ? 'refused' : 'unreachable', message, version });
  }

  private async placeOf(
    { cursor, params }: JobStep,
    { siteId, provider, version }: OpenedIntegration,
  ): Promise<Place> {
    if (cursor !== null) return readPlace(cursor);
    const { pulls, nowMs } = this.parts;
    const sinceMs = await pulls.syncedThrough(params['integration_id'] ?? '', siteId, version);
    const untilMs = nowMs();
    return { untilMs, page: NETWORKS[provider].firstPage({ sinceMs, untilMs }), version, pages: 0 };
  }

  private ask(
    integrationId: string,
    integration: OpenedIntegration,
    { page }: Place,
  ): Promise<Result<AskedPage<PulledParts>, PullFault>> {
    const { provider, baseUrl, account } = integration;
    const connector = NETWORKS[provider];
    const { client, pulls, random } = this.parts;
    return askNetwork({
      connector,
      client,
      account,
      page,
      random,
      baseUrl: baseUrl ?? connector.defaultBaseUrl,
      reserve: () => pulls.reserveCall(integrationId, connector.callsPerMinute),
      begin: (before) => new PulledParts(this.parts, { ...integration, integrationId }, before),
    });
  }

  private keep(
    step: JobStep,
    place: Place,
    { page: { rows }, parts }: AskedPage<PulledParts>,
    cursor: string | null,
  ): Promise<JobStepReport> {
    const { pool, pulls } = this.parts;
    const { integration_id: integrationId = '' } = step.params;
    const name = `${step.job_id}/${step.step}/${integrationId}/${step.cursor ?? ''}`;
    return stepOnce(pool, { name, cursor: step.cursor }, async (client) => {
      const taken = await parts.record(client, rows);
      if (cursor === null) await pulls.markSynced(client, integrationId, place);
      return { ...taken, found: taken.done, cursor };
    });
  }

  /** Permanent: the job fails with this message. Temporary: it is retried later. */
  private async refused(
    integrationId: string,
    { kind, message, ...settings }: EndedPull,
  ): Promise<Reply<JobStepReport>> {
    await this.tell(integrationId, { outcome: kind, error: message, ...settings });
    return failure(kind === 'refused' ? 'CONFLICT' : 'UNAVAILABLE', message);
  }

  private tell(integrationId: string, told: Omit<RecordSync, 'integration_id' | 'at'>): Promise<void> {
    const at = formatInstant(this.parts.nowMs());
    return this.parts.access.tell({ integration_id: integrationId, ...told, at });
  }
}

/** How a pull went, as management keeps it. */
interface EndedPull {
  readonly kind: 'refused' | 'unreachable';
  readonly message: string;
  /** Of the settings that were asked with. */
  readonly version?: number;
}

const SEALED = 'The credentials cannot be opened any more; they have to be set again.';
