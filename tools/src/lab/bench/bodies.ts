// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- it searches as a property test does
import fc from 'fast-check';
import { readJson } from '@truetally/kernel';
import { type Row } from './report.js';

/** Maximum size of a body. */
const BODY_BYTES = 1_048_576;
const SHAPES = 400;
const SEED = 20_261_122;
/** The fastest of several runs, because the garbage collector and other processes only add time. */
const TRIES = 5;
const MAX_RATIO = 4;
const NS_PER_US = 1_000;

/** An event as a shop sends it. */
const ORDINARY = JSON.stringify({
  event_type: 'product_view',
  client_event_id: '0b0c7a52-7b1a-4a51-9c6e-0d8b6f6e6d0a',
  session_id: '6f1f2f0c-8f6d-4a0e-9f63-0a6c9c1f4b1e',
  occurred_at: '2026-11-22T10:00:00.000Z',
  properties: {
    product_id: 'shoe-42',
    name: 'Running shoe, light, blue',
    price_minor: 8_990,
    currency: 'EUR',
    position: 3,
    list: 'Search results for “running shoe”',
  },
  context: {
    page_url:
      'https://shop.example/de/shoes/running-shoe-light-blue?size=42&color=blue&utm_source=newsletter',
    referrer: 'https://shop.example/de/search?q=running+shoe',
    locale: 'de-DE',
    viewport: '1440x900',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  },
});

/** The repeated content of a body: any nested values that a client may write. */
const leaf = fc.oneof(
  fc.constantFrom('0', '-0', '-0.0', '1e5', '0.1', '12345678901234567890', 'true', 'null', '""', '[]', '{}'),
  fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text)),
  fc
    .string({ unit: fc.constantFrom('\\u0041', '\\n', '\\"', '[', '{', '":', 'é'), maxLength: 12 })
    .map((text) => `"${text}"`),
);
const { fragment } = fc.letrec<{ fragment: string }>((tie) => ({
  fragment: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('fragment'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .tuple(tie('fragment'), fc.nat(200))
      .map(([inner, depth]) => '['.repeat(depth) + inner + ']'.repeat(depth)),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b c', '\\u0061b', '__proto__', '0', '17'), tie('fragment')), {
        maxLength: 4,
      })
      .map((members) => `{${members.map(([name, value], index) => `"${name}${index}":${value}`).join()}}`),
  ),
}));
/** One repeated value, or members of one object with new names. */
const body = fc
  .tuple(fragment, fc.constantFrom('items', 'members', 'spaced members'))
  .map(([piece, kind]) => {
    if (kind === 'items') return `[${filled(() => piece).join()}]`;
    const colon = kind === 'members' ? ':' : ' :';
    return `{${filled((index) => `"${index}"${colon}${piece}`).join()}}`;
  });

function filled(pieceOf: (index: number) => string): readonly string[] {
  const pieces: string[] = [];
  for (let bytes = 2; ;) {
    const piece = pieceOf(pieces.length);
    bytes += piece.length + 1;
    if (bytes > BODY_BYTES) return pieces;
    pieces.push(piece);
  }
}

/**
 * The cost of reading a body relative to its length, also when it is refused: the processor time of the worst
 * of some hundred shapes of the maximum size, compared with an ordinary batch of events of that size.
 */
export function bodyRows(): Row[] {
  const ordinary = costOf(`[${filled(() => ORDINARY).join()}]`);
  let worst = { cost: 0, text: '' };
  for (const text of fc.sample(body, { numRuns: SHAPES, seed: SEED })) {
    const cost = costOf(text);
    if (cost > worst.cost) worst = { cost, text };
  }
  const ratio = worst.cost / ordinary;
  return [
    { name: 'reading an ordinary body of 1 MiB', figure: `${ordinary.toFixed(1)} ns a byte` },
    {
      name: `reading the worst of ${SHAPES} shapes (\`${worst.text.slice(0, 24)}…\`)`,
      figure: `${worst.cost.toFixed(1)} ns a byte`,
      ratio,
      target: `≤ ${MAX_RATIO}`,
      isMet: ratio <= MAX_RATIO,
    },
  ];
}

/** Nanoseconds of processor time per byte. */
function costOf(text: string): number {
  let soonest = Infinity;
  for (let left = TRIES; left > 0; left -= 1) {
    const before = process.cpuUsage();
    readJson(text);
    const { user, system } = process.cpuUsage(before);
    soonest = Math.min(soonest, user + system);
  }
  return (soonest * NS_PER_US) / text.length;
}
