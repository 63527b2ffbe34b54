import { type INestMicroservice } from '@nestjs/common';
import { type Reply } from '@truetally/kernel';
import { type AskContext, type BatchLimits, type BatchOutcome, type IncomingRequest, type KafkaServerOptions, type Messaging } from '@truetally/messaging';
/** A service with one ordinary handler, as an application would write it. */
export declare function serve(messaging: Messaging, topic: string, handle: (body: unknown, context: AskContext) => Promise<Reply<unknown>>, options?: Partial<KafkaServerOptions>): Promise<INestMicroservice>;
/** A service with one handler of batches. */
export declare function serveBatches(messaging: Messaging, topic: string, handle: (requests: readonly IncomingRequest[]) => Promise<readonly BatchOutcome[]>, limits?: Partial<BatchLimits>, options?: Partial<KafkaServerOptions>): Promise<INestMicroservice>;
//# sourceMappingURL=services.d.ts.map