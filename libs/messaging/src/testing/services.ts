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

type Handle = (body: unknown, context: AskContext) => Promise<Reply<unknown> | string>;

/** A service with one ordinary handler, as an application would write it. */
export function serve(
  messaging: Messaging,
  topic: string,
  handle: Handle,
  options: Partial<KafkaServerOptions> = {},
): Promise<INestMicroservice> {
  return serveEach(messaging, { [topic]: handle }, options);
}

/** The same with a handler for each address. */
export function serveEach(
  messaging: Messaging,
  handlers: Readonly<Record<string, Handle>>,
  options: Partial<KafkaServerOptions> = {},
): Promise<INestMicroservice> {
  const controllers = Object.entries(handlers).map(([address, handle]) => ordinary(address, handle));
  return listen(messaging, controllers, options);
}

function ordinary(address: string, handle: Handle): Type {
  @Controller()
  class OrdinaryController {
    @MessagePattern(address)
    handle(@Payload() body: unknown, @Ctx() context: AskContext): Promise<Reply<unknown> | string> {
      return handle(body, context);
    }
  }
  return OrdinaryController;
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
  return listen(messaging, [BatchController], options);
}

async function listen(
  messaging: Messaging,
  controllers: Type[],
  options: Partial<KafkaServerOptions>,
): Promise<INestMicroservice> {
  @Module({ controllers })
  class TestModule {}
  const service = await NestFactory.createMicroservice(TestModule, {
    strategy: new KafkaServer(messaging, { group: 'served', ...options }),
    logger: false,
  });
  service.useGlobalFilters(new HandlerErrorFilter());
  await service.listen();
  return service;
}
