import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { uniqueName } from '@truetally/testing';
import { BusyPattern, KafkaAskClient, KafkaServer } from '../index.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';

const QUIET = uniqueName('quiet');
const BUSY = uniqueName('busy');
const ALSO_BUSY = uniqueName('busy');

/** Ordinary handlers; two of them return their reply as text. */
@Controller()
class Handlers {
  @MessagePattern(QUIET)
  quiet(@Payload() body: unknown) {
    return { ok: { quiet: body } };
  }

  @BusyPattern(BUSY, 'rush')
  busy(@Payload() body: unknown) {
    return `{"ok":{"busy":${JSON.stringify(body)},"units":90071992547409931}}`;
  }

  @BusyPattern(ALSO_BUSY, 'rush')
  alsoBusy() {
    return '{"error":{"code":"CONFLICT","message":"No","details":{}}}';
  }
}

@Module({ controllers: [Handlers] })
class HandlersModule {}

describe('busy topics', () => {
  let closing: Closing;
  let bus: TestBus;

  beforeEach(async () => {
    closing = new Closing();
    bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
    await bus.messaging.ensureTopics([QUIET, BUSY, ALSO_BUSY].map((name) => ({ name, partitions: 1 })));
  });

  afterEach(() => closing.closeAll());

  it('are read by a group of their own, and answered like the others', async () => {
    const group = uniqueName('served');
    const strategy = new KafkaServer(bus.messaging, { group });
    const service = await NestFactory.createMicroservice(HandlersModule, { strategy, logger: false });
    closing.add(service, (each) => each.close());
    await service.listen();
    const client = closing.add(new KafkaAskClient(bus.messaging), (each) => each.close());
    await client.connect();

    expect(strategy.groups()).toEqual([group, `${group}.rush`]);
    const asking = { key: 'k', value: '1.0' };
    await expect(client.ask({ ...asking, topic: QUIET })).resolves.toEqual({ ok: { quiet: 1 } });
    const bytesOf = async (topic: string): Promise<string> => {
      const reply = await client.askForBytes({ ...asking, topic });
      return 'ok' in reply ? reply.ok.toString() : reply.error.code;
    };
    await expect(bytesOf(QUIET)).resolves.toBe('{"quiet":1}');
    await expect(bytesOf(BUSY)).resolves.toBe('{"busy":1,"units":90071992547409931}');
    const refusal = { error: { code: 'CONFLICT', message: 'No', details: {} } };
    await expect(client.ask({ ...asking, topic: ALSO_BUSY })).resolves.toEqual(refusal);
    await expect(client.askForBytes({ ...asking, topic: ALSO_BUSY })).resolves.toEqual(refusal);
    for (const metric of ['messaging_dead_letters_total', 'messaging_call_retries_total'] as const) {
      expect(bus.total(metric)).toBe(0);
    }
  });
});
