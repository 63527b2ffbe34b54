import { randomUUID } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { commandTopicsOf, SERVICES } from '@truetally/contracts/services';
import { TOPICS } from '@truetally/contracts/topics';
import { type Messaging, REQUEST_ID_HEADER, subscribe } from '@truetally/messaging';
import { eventually } from '@truetally/processes';

/** Commands that no service reads again after a restore. */
const UNREPEATED: readonly string[] = [
  ...SERVICES.flatMap(commandTopicsOf),
  TOPICS.createMedia,
  TOPICS.recordSync,
].map(({ name }) => name);

/** A command may have waited so long in Kafka before it was executed. */
const WAITED_MS = 60_000;
const OPERATION_HEADER = 'operation';
const READ = { timeoutMs: 1_800_000, message: 'all commands to be read' };

interface LostFuture {
  readonly restoredTo: Date;
  /** The first since: what services did under it, before the restore was reported, stands. */
  readonly firstIncarnation: number;
}

/**
 * Writes a line of JSON for each command that was sent around the instant or after it, until services ran again: the restore has
 * undone what it did, unless it was executed before. Their senders repeat them; so do operators, who find them by `request_id` in
 * logs and audit entries.
 * @returns how many
 */
export async function writeUndoneCommands(
  messaging: Messaging,
  file: string,
  { restoredTo, firstIncarnation: untilMs }: LostFuture,
): Promise<number> {
  // An incarnation is the time at which it began, in milliseconds since 1970.
  const sinceMs = restoredTo.getTime() - WAITED_MS;
  const group = `restored-${randomUUID()}`;
  let count = 0;
  writeFileSync(file, '', { mode: 0o600 });
  const reading = await subscribe(messaging, {
    topics: UNREPEATED,
    group,
    handler: (records) => {
      const lines = records
        .filter(({ timestampMs }) => timestampMs >= sinceMs && timestampMs < untilMs)
        .map(({ topic, headers, timestampMs }) => ({
          request_id: headers[REQUEST_ID_HEADER] ?? null,
          topic,
          operation: headers[OPERATION_HEADER] ?? null,
          sent_at: new Date(timestampMs).toISOString(),
        }));
      count += lines.length;
      appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return Promise.resolve();
    },
  });
  try {
    await eventually(async () => {
      const own = (await messaging.lag()).filter((lag) => lag.group === group);
      return own.length > 0 && own.every(({ lag }) => lag === 0);
    }, READ);
  } finally {
    await reading.close();
  }
  return count;
}
