import { get, type IncomingMessage } from 'node:http';

/** `node stream-readers.js '<ReadersJob as JSON>'`: readers in a process of their own, so that their processor time is separate. */
export interface ReadersJob {
  readonly url: string;
  /** One reader each. */
  readonly keys: readonly string[];
}

/** Printed when all are open, and at the end of the input. */
export interface ReadersResult {
  readonly stored: number;
  readonly missed: number;
  readonly ended: number;
}

const OPENING_AT_ONCE = 50;
const STORED = 'event: stored\n';
const MISSED = 'event: missed\n';

const { url, keys } = JSON.parse(process.argv[2] ?? '') as ReadersJob;
const seen = { stored: 0, missed: 0, ended: 0 };

function timesIn(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function count(answer: IncomingMessage): void {
  let rest = '';
  answer.setEncoding('latin1');
  answer.on('data', (text: string) => {
    const whole = rest + text;
    const end = whole.lastIndexOf('\n') + 1;
    rest = whole.slice(end);
    const lines = whole.slice(0, end);
    seen.stored += timesIn(lines, STORED);
    seen.missed += timesIn(lines, MISSED);
  });
  answer.once('close', () => (seen.ended += 1));
}

function open(key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'x-api-key': key };
    const sent = get(url, { agent: false, headers }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`A stream was refused: ${answer.statusCode}`));
      count(answer);
      resolve();
    });
    sent.once('error', reject);
  });
}

for (let at = 0; at < keys.length; at += OPENING_AT_ONCE) {
  await Promise.all(keys.slice(at, at + OPENING_AT_ONCE).map(open));
}
process.stdout.write(`${JSON.stringify(seen)}\n`);
process.stdin.resume();
process.stdin.once('end', () => {
  process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit());
});
