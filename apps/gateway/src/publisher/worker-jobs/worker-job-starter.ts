import { type BeginWorkerJob, SETTLEMENTS_PULL } from '@truetally/contracts/publisher';
import { TOPICS } from '@truetally/contracts/topics';
import { BODY_PATH, isJsonObject } from '@truetally/contracts/validation';
import { fail, type FieldErrors, readJson, type Result, succeed, UUID_IN_ANY_CASE } from '@truetally/kernel';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import type { BodyBudget } from '../../http/body-budget.js';
import type { ClientAddresses } from '../../http/client-address.js';
import { type BodyRules, readBody } from '../../http/read-body.js';
import { refuse } from '../../http/respond.js';
import type { ResourceApi } from '../../http/resource-api.js';
import { verifySigned } from './signed-message.js';

export interface WorkerJobStarterParts {
  /** Undefined for a platform without workers. */
  readonly key: Buffer | undefined;
  readonly budget: BodyBudget;
  readonly addresses: ClientAddresses;
  readonly sites: SiteDirectory;
  readonly api: ResourceApi;
  readonly nowMs: () => number;
}

/** Interface page, section 1: the limit before a sender is known. */
const LIMIT_BYTES = 64 * 1024;
const TIMEOUT_MS = 15_000;
const TYPES: readonly string[] = [SETTLEMENTS_PULL];

/**
 * `POST /integrations/jobs/{type}`: requests of the platform's workers as signed messages (interface page,
 * section 11).
 */
export class WorkerJobStarter {
  constructor(private readonly parts: WorkerJobStarterParts) {}

  async start(exchange: Exchange, type: string): Promise<void> {
    const { key, sites, api, nowMs } = this.parts;
    const body = await readBody(exchange.request, this.rulesFor(exchange));
    if (!body.ok) return refuse(exchange, body.error);
    const message =
      key === undefined ? undefined : verifySigned(exchange.request.headers, body.value, key, nowMs());
    if (message === undefined) return refuse(exchange, 'signature-invalid');
    if (!TYPES.includes(type)) return refuse(exchange, 'not-found');
    const json = readJson(body.value);
    if (!json.ok) return refuse(exchange, 'not-json', { [BODY_PATH]: [json.error.message] });
    const asked = readAsked(json.value.value);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const site = sites.find(asked.value.site_id);
    if (site === undefined) return refuse(exchange, 'site-unknown');
    const command: BeginWorkerJob = { message_id: message.id, type, ...asked.value };
    await api.acceptReceived(
      exchange,
      { topic: TOPICS.beginWorkerJob.name },
      {
        caller: { kind: 'platform', workspaceId: site.workspaceId, limit: null },
        body: command,
        fingerprinted: '',
      },
    );
  }

  private rulesFor({ request }: Exchange): BodyRules {
    const { budget, addresses } = this.parts;
    return { limitBytes: LIMIT_BYTES, timeoutMs: TIMEOUT_MS, budget, holder: addresses.of(request) };
  }
}

function readAsked(body: unknown): Result<Pick<BeginWorkerJob, 'integration_id' | 'site_id'>, FieldErrors> {
  if (!isJsonObject(body)) return fail({ [BODY_PATH]: ['must be an object'] });
  const { site_id: siteId, integration_id: integrationId = null } = body;
  const errors: Record<string, string[]> = {};
  if (!isUuid(siteId)) errors['site_id'] = ['must be a UUID'];
  if (integrationId !== null && !isUuid(integrationId)) errors['integration_id'] = ['must be a UUID'];
  if (Object.keys(errors).length > 0 || !isUuid(siteId)) return fail(errors);
  const integration = isUuid(integrationId) ? integrationId.toLowerCase() : null;
  return succeed({ site_id: siteId.toLowerCase(), integration_id: integration });
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID_IN_ANY_CASE.test(value);
}
