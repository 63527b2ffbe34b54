import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { uniqueName } from '@truetally/testing';
import { DEAD_LETTER_HEADER, DEAD_LETTERS } from './dead-letters.js';
import { findDeadLetter, type FoundMessage, replayDeadLetter } from './replay-dead-letter.js';
import { Closing, openBus, type TestBus } from './testing/bus.js';
import { produceRaw, readAll } from './testing/raw.js';
import { commandHeaders, HEADER } from './wire.js';

let closing: Closing;
let bus: TestBus;
let topic: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('commands');
  await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }, DEAD_LETTERS]);
});

afterEach(() => closing.closeAll());

/** Writes a letter of a message of `topic`, and finds it. */
async function bury(
  headers: Readonly<Record<string, string>>,
  value: string,
  key: string = uniqueName('key'),
): Promise<FoundMessage | 'gone' | 'state'> {
  await bus.messaging.publish([{ topic: DEAD_LETTERS.name, key, value, headers }]);
  const letters = await readAll(bus.messaging, DEAD_LETTERS.name);
  const letter = letters.findLast((each) => each.key === key);
  if (letter === undefined) throw new Error('The letter is not there.');
  const place = { partition: letter.partition, offset: Number(letter.offset) };
  return findDeadLetter(bus.messaging, { to: `${topic}/create`, letter: place, isIt: () => true });
}

describe('the message of a dead letter', () => {
  it('the message of a dead letter is written back without its asker, as one no release has met yet', async () => {
    const headers = {
      ...commandHeaders('correlation', 'create'),
      [HEADER.requestId]: 'request',
      [HEADER.replyTopic]: 'replies',
      [HEADER.deadline]: '1',
      [HEADER.timeout]: '1',
      [HEADER.unknownSince]: '1',
      [DEAD_LETTER_HEADER.topic]: topic,
      [DEAD_LETTER_HEADER.reason]: 'unknown',
    };
    const found = await bury(headers, 'bytes');
    if (found === 'gone' || found === 'state') throw new Error(found);
    await replayDeadLetter(bus.messaging, found);
    const [written] = await readAll(bus.messaging, topic);
    expect(written).toMatchObject({ value: 'bytes' });
    expect(written?.headers).toEqual({
      ...commandHeaders('correlation', 'create'),
      [HEADER.requestId]: 'request',
    });
  });

  it('the message of a dead letter is read from its own topic only where that still has it', async () => {
    const timestamp = String(Date.now());
    const origin = { key: 'k', timestamp, headers: commandHeaders('correlation', 'create') };
    await produceRaw(bus.messaging, topic, [
      { ...origin, value: 'itself' },
      { ...origin, value: 'another key', key: 'other' },
      { ...origin, value: 'another time', timestamp: '1' },
      { ...origin, value: 'another command', headers: commandHeaders('other', 'create') },
    ]);
    const headers = (offset: number): Readonly<Record<string, string>> => ({
      ...origin.headers,
      [DEAD_LETTER_HEADER.valueLeftOut]: 'true',
      [DEAD_LETTER_HEADER.topic]: topic,
      [DEAD_LETTER_HEADER.partition]: '0',
      [DEAD_LETTER_HEADER.offset]: String(offset),
      [DEAD_LETTER_HEADER.timestamp]: timestamp,
    });
    const found = await bury(headers(0), '', 'k');
    expect(found).toMatchObject({ value: Buffer.from('itself') });
    for (const offset of [1, 2, 3, 4]) expect(await bury(headers(offset), '', 'k')).toBe('gone');
  });
});
