import { Controller, type Type } from '@nestjs/common';
import type {
  HandleSetAsideFact,
  ListSetAsideFacts,
  SetAsideFactList,
  SetAsideFactResource,
} from '@truetally/contracts/operations';
import type { SetAsideOperations } from '@truetally/contracts/services';
import { failure, type Reply } from '@truetally/kernel';
import { type AskContext, Handles } from '@truetally/messaging';
import {
  commandOnce,
  discardSetAside,
  type HandledSetAside,
  listSetAside,
  type OutboxRelay,
  replaySetAside,
  type SetAsideFact,
} from '@truetally/persistence';
import type { Pool } from 'pg';
import { whileAvailable } from './while-available.js';

export interface SetAsideParts {
  /** The service's name in lists of its facts. */
  readonly service: string;
  readonly pool: Pool;
  readonly relay: Pick<OutboxRelay, 'wake'>;
}

/** Any holder of the admin secret: the platform has a single one. */
const ACTOR = 'admin';

/** Lists facts that Kafka refused to operators, and executes their decisions (docs/decisions/outbox.md). */
export function setAsideConsumer(operations: SetAsideOperations, parts: SetAsideParts): Type {
  const { service, pool, relay } = parts;

  @Controller()
  class SetAsideConsumer {
    @Handles(operations.listSetAsideFacts)
    async list({ after, limit }: ListSetAsideFacts): Promise<Reply<SetAsideFactList>> {
      const facts = await whileAvailable(() => listSetAside(pool, after, limit));
      return { ok: { items: facts.map((fact) => present(service, fact)) } };
    }

    @Handles(operations.handleSetAsideFact)
    async handle(
      { id, action }: HandleSetAsideFact,
      { correlationId, requestId }: AskContext,
    ): Promise<Reply<SetAsideFactResource>> {
      const work = action === 'replay' ? replaySetAside : discardSetAside;
      const reply = await whileAvailable(() =>
        commandOnce(pool, correlationId, async (client) => ({
          reply: replyOf(service, action, await work(client, id, { actor: ACTOR, requestId })),
          writes: [],
        })),
      );
      relay.wake();
      return reply;
    }
  }
  return SetAsideConsumer;
}

function replyOf(
  service: string,
  action: HandleSetAsideFact['action'],
  outcome: HandledSetAside,
): Reply<SetAsideFactResource> {
  if (outcome.kind === 'unknown') return failure('NOT_FOUND', 'There is no such fact, or it was handled');
  if (outcome.kind === 'superseded') {
    const { newerId } = outcome;
    return failure('CONFLICT', 'A newer state of its key exists', {
      state: [
        newerId === undefined
          ? 'is superseded: a replay would undo newer changes'
          : `is superseded by fact ${newerId}, which is set aside, too: replay that one`,
      ],
    });
  }
  const state = action === 'replay' ? 'replayed' : 'discarded';
  return { ok: { ...present(service, outcome.fact), state } };
}

function present(service: string, fact: SetAsideFact): SetAsideFactResource {
  const { id, topic, key, bytes, reason, isSuperseded, setAsideAt } = fact;
  const state = isSuperseded ? 'superseded' : 'waiting';
  return { service, id, topic, key, bytes, reason, at: setAsideAt.toISOString(), state };
}
