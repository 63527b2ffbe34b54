import { applyDecorators, Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { type Reply } from '@truetally/kernel';
import { MessagePattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { type Fact } from '../messaging.js';

/** Batch limits of a hot topic. */
export interface BatchLimits {
  /** Maximum weight (the asks' `weight`, events for example) of one handler call. */
  readonly rows: number;
  /** Maximum number of concurrent calls. */
  readonly transactions: number;
  /** Weight of fetched, unfinished messages at which fetching pauses. */
  readonly unstored: number;
}

/** The outcome of one request, in the order of the requests. */
export interface BatchOutcome {
  /** A Reply, or its JSON text if the handler has already written it. */
  readonly reply: Reply<unknown> | string;
  /** Published before the request counts as finished; the reply does not wait for them. */
  readonly facts?: readonly Fact[];
}

/**
 * A handler of many requests together, from all partitions of a topic: `handle(@Payload() requests: readonly
 * IncomingRequest[]): Promise<readonly BatchOutcome[]>`. When it throws, the batch is retried until it
 * succeeds. Where a message is at fault (UnreadableError, and what `isPoison` names), the batch is split
 * until that message is alone.
 */
export function BatchPattern(topic: string, limits: BatchLimits): MethodDecorator {
  return applyDecorators(MessagePattern(topic, { [BATCH_LIMITS]: limits }), UseFilters(HandlerErrorFilter));
}

/** The limits of a decorated handler; undefined for an ordinary one. */
export function batchLimitsOf(
  extras: Readonly<Record<string, unknown>> | undefined,
): BatchLimits | undefined {
  const limits = extras?.[BATCH_LIMITS];
  return limits === undefined ? undefined : (limits as BatchLimits);
}

const BATCH_LIMITS = 'truetally:batch-limits';

/**
 * Passes a handler's error to the server unchanged, instead of Nest's "Internal server error". It never
 * reaches the asker, but is the reason in the log and the dead letter. Applications register it for their
 * ordinary handlers with `useGlobalFilters(new HandlerErrorFilter())`.
 */
@Catch()
export class HandlerErrorFilter implements RpcExceptionFilter<unknown> {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}
