import { Controller, type INestMicroservice, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { type Reply } from '@truetally/kernel';
import {
  type AskContext,
  type BatchLimits,
  type BatchOutcome,
  BatchPattern,
  HandlerErrorFilter,
  type IncomingRequest,
  KafkaServer,
  type KafkaServerOptions,
  type Messaging,
} from '@truetally/messaging';

/** A service with one ordinary handler, as an application would write it. */
export function serve(
  messaging: Messaging,
  topic: string,
  handle: (body: unknown, context: AskContext) => Promise<Reply<unknown>>,
  options: Partial<KafkaServerOptions> = {},
): Promise<INestMicroservice> {
  @Controller()
  class OrdinaryController {
    @MessagePattern(topic)
    handle(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown>> {
      return handle(body, context);
    }
  }
  return listen(messaging, OrdinaryController, options);
}

/** A service with one handler of batches. */
export function serveBatches(
  messaging: Messaging,
  topic: string,
  handle: (requests: readonly IncomingRequest[]) => Promise<readonly BatchOutcome[]>,
  limits: Partial<BatchLimits> = {},
  options: Partial<KafkaServerOptions> = {},
): Promise<INestMicroservice> {
  @Controller()
  class BatchController {
    @BatchPattern(topic, { rows: 1_024, transactions: 3, unstored: 8_192, ...limits })
    handle(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
      return handle(requests);
    }
  }
  return listen(messaging, BatchController, options);
}

async function listen(
  messaging: Messaging,
  controller: Type,
  options: Partial<KafkaServerOptions>,
): Promise<INestMicroservice> {
  @Module({ controllers: [controller] })
  class TestModule {}
  const service = await NestFactory.createMicroservice(TestModule, {
    strategy: new KafkaServer(messaging, { group: 'served', ...options }),
    logger: false,
  });
  service.useGlobalFilters(new HandlerErrorFilter());
  await service.listen();
  return service;
}
