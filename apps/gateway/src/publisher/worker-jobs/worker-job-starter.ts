import { NO_WORKSPACE, PRODUCTS_SYNC } from '@truetally/contracts/management';
import {
  type BeginWorkerJob,
  readWorkerJobBody,
  SETTLEMENTS_PULL,
  type WorkerJobBody,
} from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { BODY_PATH } from '@truetally/contracts/validation';
import { readJson } from '@truetally/kernel';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import type { BodyBudget, ClientAddresses } from '../../http/shares.js';
import { type BodyRules, readBody } from '../../http/read-body.js';
import { refuse } from '../../http/respond.js';
import type { ResourceApi } from '../../ask/resource.js';
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
const TYPES: readonly string[] = [SETTLEMENTS_PULL, PRODUCTS_SYNC];

/**
 * `POST /integrations/jobs/{type}`: requests of the platform's workers as signed messages (interface page,
 * section 11).
 */
export class WorkerJobStarter {
  constructor(private readonly parts: WorkerJobStarterParts) {}

  async start(exchange: Exchange, type: string): Promise<void> {
    const { key, sites, api, nowMs } = this.parts;
    const received = await readBody(exchange.incoming, this.rulesFor(exchange));
    if (!received.ok) return refuse(exchange, received.error);
    const message =
      key === undefined ? undefined : verifySigned(exchange.request.headers, received.value, key, nowMs());
    if (message === undefined) return refuse(exchange, 'signature-invalid');
    if (!TYPES.includes(type)) return refuse(exchange, 'not-found');
    const json = readJson(received.value);
    if (!json.ok) return refuse(exchange, 'not-json', { [BODY_PATH]: [json.error.message] });
    const body = readWorkerJobBody(json.value.value);
    if (!body.ok) return refuse(exchange, 'broken-rules', body.error);
    if ((body.value.type ?? type) !== type) return refuse(exchange, 'signature-invalid');
    const asked = askedIn(body.value);
    // Of an unknown site, too: whether the message's id was taken is management's to say.
    const workspaceId = sites.find(asked.site_id)?.workspaceId ?? NO_WORKSPACE;
    const command: BeginWorkerJob = { message_id: message.id, type, ...asked };
    await api.acceptReceived(
      exchange,
      { to: OPERATIONS.beginWorkerJob },
      {
        caller: { kind: 'platform', workspaceId, limit: null },
        body: command,
        fingerprinted: '',
      },
    );
  }

  private rulesFor({ request }: Exchange): BodyRules {
    const { budget, addresses } = this.parts;
    return { limitBytes: LIMIT_BYTES, timeoutMs: TIMEOUT_MS, budget, holders: [addresses.of(request)] };
  }
}

/** Ids in their canonical form. */
function askedIn({ site_id, integration_id }: WorkerJobBody) {
  return { site_id: site_id.toLowerCase(), integration_id: integration_id?.toLowerCase() ?? null };
}
