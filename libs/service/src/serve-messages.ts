import type { DynamicModule, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  HandlerErrorFilter,
  KafkaServer,
  type KafkaServerOptions,
  type Messaging,
} from '@truetally/messaging';

/** Connects a module's handlers to Kafka. Resolves when they are listening. */
export async function serveMessages(
  module: DynamicModule,
  messaging: Messaging,
  options: KafkaServerOptions,
): Promise<INestMicroservice> {
  const application = await NestFactory.createMicroservice(module, {
    strategy: new KafkaServer(messaging, options),
    logger: false,
    abortOnError: false,
  });
  application.useGlobalFilters(new HandlerErrorFilter());
  await application.listen();
  return application;
}
