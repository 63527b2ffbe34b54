import { applyDecorators, Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { type Reply } from '@truetally/kernel';
import { MessagePattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { type Fact } from '../messaging.js';

/** How much of a hot topic is handled together. */
export interface BatchLimits {
  /** Weight (the asks' `weight`, events for example) given to the handler in one call. */
  readonly rows: number;
  /** Calls under way at once. */
  readonly transactions: number;
  /** Weight fetched and not yet finished, beyond which fetching waits. */
  readonly unstored: number;
}

/** What became of one request, in the order of the requests. */
export interface BatchOutcome {
  /** A Reply, or its JSON text where the handler has written that already. */
  readonly reply: Reply<unknown> | string;
  /** Published before the request counts as done; the reply does not wait for them. */
  readonly facts?: readonly Fact[];
}

/**
 * A handler of many requests at once, from all partitions of a topic:
 * `handle(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]>`.
 * What it throws has the batch retried until it succeeds, but where a message is at fault (UnreadableError, and what
 * `isPoison` names): then the batch is split until that message is alone.
 */
export function BatchPattern(topic: string, limits: BatchLimits): MethodDecorator {
  return applyDecorators(MessagePattern(topic, { [BATCH_LIMITS]: limits }), UseFilters(HandlerErrorFilter));
}

/** The limits that a handler was decorated with; undefined for an ordinary one. */
export function batchLimitsOf(
  extras: Readonly<Record<string, unknown>> | undefined,
): BatchLimits | undefined {
  const limits = extras?.[BATCH_LIMITS];
  return limits === undefined ? undefined : (limits as BatchLimits);
}

/**
 * An ordinary handler of a busy topic: the consumer group `<group>.<name>` reads it, alone with the topics of the same
 * name. Every fetch costs for each topic that it asks for, also where nothing has come, so that a quiet topic beside a
 * busy one is not free.
 */
export function BusyPattern(topic: string, name: string): MethodDecorator {
  return MessagePattern(topic, { [BUSY_GROUP]: name });
}

/** The name that a handler was decorated with; undefined for one among the quiet. */
export function busyGroupOf(extras: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const name = extras?.[BUSY_GROUP];
  return typeof name === 'string' ? name : undefined;
}

const BUSY_GROUP = 'truetally:busy-group';
const BATCH_LIMITS = 'truetally:batch-limits';

/**
 * Hands a handler's error to the server as it was thrown, instead of Nest's "Internal server error": it never
 * crosses to the asker, but is the reason that the log and the dead letter give. Applications register it for
 * their ordinary handlers with `useGlobalFilters(new HandlerErrorFilter())`.
 */
@Catch()
export class HandlerErrorFilter implements RpcExceptionFilter<unknown> {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}
