import { describe, expect, it } from '@jest/globals';
import { TransientError, UnreadableError } from '@truetally/messaging';
import { whileAvailable } from './while-available.js';

const failing = (error: unknown) => (): Promise<never> => Promise.reject(error as Error);

describe('a handler that needs Postgres', () => {
  it.each([
    ['a session that was ended', Object.assign(new Error('Ended.'), { code: '57P01' })],
    ['a Postgres that only reads', Object.assign(new Error('Read-only.'), { code: '25006' })],
    ['what nobody has heard of', new Error('New.')],
  ])('a handler that needs Postgres has its message wait for %s', async (_, error) => {
    await expect(whileAvailable(failing(error))).rejects.toBeInstanceOf(TransientError);
  });

  it('never has a message wait that cannot be read: it would be tried for ever, and all behind it', async () => {
    const unreadable = new UnreadableError('Not the fact of a site.');
    await expect(whileAvailable(failing(unreadable))).rejects.toBe(unreadable);
  });

  it.each([
    ['a value that Postgres refuses', Object.assign(new Error('A value.'), { code: '22P02' })],
    ['a text that is no JSON', new SyntaxError('No JSON.')],
  ])('leaves %s to whoever finds the message that is to blame', async (_, error) => {
    await expect(whileAvailable(failing(error))).rejects.toBe(error);
  });

  it('returns the result of its work', async () => {
    expect(await whileAvailable(() => Promise.resolve(1))).toBe(1);
  });
});
