import { randomBytes, randomUUID } from 'node:crypto';
import type { SealedText } from '@truetally/contracts/facts';
import {
  type NewWorkflow,
  webhookSecretOf,
  readWorkflow,
  type WorkflowChange,
  workflowPatchFaults,
  workflowSealContext,
} from '@truetally/contracts/management';
import { isJsonObject, plainUrlOf, type ReachableAddresses } from '@truetally/contracts/validation';
import type { FieldErrors } from '@truetally/kernel';
import type { KeyringFile } from '@truetally/keyring';
import { leadsInside } from '@truetally/platform';
import type { Exchange } from '../http/exchange.js';
import type { CommandTarget, JsonObject, Prepared } from '../ask/resource.js';
import { refuse } from '../http/respond.js';

/** How a request with a secret is prepared, and what its answer alone shows. */
export type Sealing = Required<Pick<CommandTarget, 'oneTime' | 'prepare'>>;

const SECRET_BYTES = 32;

/** Seals secrets of webhooks before they reach any topic, and refuses addresses inside of networks. */
export class WorkflowSealer {
  constructor(
    private readonly keys: Pick<KeyringFile, 'keyring'>,
    private readonly reachable: ReachableAddresses,
  ) {}

  /** A new workflow gets its id here, because the id is part of its secret's seal context. */
  create(): Sealing {
    let secret = '';
    const prepare = async (body: unknown, exchange: Exchange): Promise<Prepared> => {
      const read = readWorkflow(body);
      if (!read.ok) return refused(exchange, read.error);
      if (await leadsInside(this.reachable, read.value.action.url)) return refused(exchange, INNER_HOST);
      const given = secretIn(body);
      secret = given ?? newSecret();
      const id = randomUUID();
      const workflow: NewWorkflow = { id, fields: read.value, secret: this.seal(secret, id) };
      return { body: workflow, fingerprinted: { ...read.value, secret: this.match(given) } };
    };
    return { prepare, oneTime: (data) => ({ action: { ...actionIn(data), secret } }) };
  }

  /** A patch changes the secret when it names one; null generates one. */
  change(id: string): Sealing {
    let secret: string | undefined;
    const prepare = async (body: unknown, exchange: Exchange): Promise<Prepared> => {
      const { patch, given } = withoutSecret(body);
      // Refused here, it never reaches management, which would name the other broken rules.
      const mayBeSealed = given === undefined || given === null || isSecret(given);
      const url = urlIn(patch);
      const isInner = url !== undefined && (await leadsInside(this.reachable, url));
      if (!mayBeSealed || isInner)
        return refused(exchange, { ...workflowPatchFaults(body), ...(isInner ? INNER_HOST : {}) });
      if (given !== undefined) secret = isSecret(given) ? given : newSecret();
      const sealed = secret === undefined ? null : this.seal(secret, id.toLowerCase());
      return { body: { patch, secret: sealed } satisfies WorkflowChange };
    };
    const oneTime = (data: object): JsonObject =>
      secret === undefined ? {} : { action: { ...actionIn(data), secret } };
    return { prepare, oneTime };
  }

  private seal(secret: string, id: string): SealedText {
    const { keyId, sealed } = this.keys.keyring.seal(secret, workflowSealContext(id));
    return { key_id: keyId, sealed: sealed.toString('base64') };
  }

  /** Stands for a secret in request fingerprints: without the keyring, guesses cannot be tested against it. */
  private match(secret: string | undefined): string | null {
    return secret === undefined ? null : this.keys.keyring.match(['workflow', secret]);
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

const INNER_HOST: FieldErrors = {
  'action.url': ['must not lead to a private, loopback or link-local address, or to a name inside a network'],
};

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && webhookSecretOf(value) !== undefined;
}

function actionIn(data: object): JsonObject {
  const action: unknown = 'action' in data ? data.action : undefined;
  return isJsonObject(action) ? action : {};
}

function secretIn(body: unknown): string | undefined {
  const given = isJsonObject(body) ? actionIn(body)['secret'] : undefined;
  return isSecret(given) ? given : undefined;
}

function withoutSecret(body: unknown): { readonly patch: unknown; readonly given: unknown } {
  if (!isJsonObject(body) || !isJsonObject(body['action'])) return { patch: body, given: undefined };
  const { secret: given, ...action } = body['action'];
  return { patch: { ...body, action }, given };
}

/** An address that is no webhook's at all is refused with the other rules, and nobody resolves its host. */
function urlIn(patch: unknown): string | undefined {
  const url = isJsonObject(patch) ? actionIn(patch)['url'] : undefined;
  return typeof url === 'string' ? plainUrlOf(url) : undefined;
}

function refused(exchange: Exchange, details: FieldErrors): Prepared {
  refuse(exchange, 'broken-rules', details);
  return { refused: true };
}
