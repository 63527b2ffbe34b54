import { writeFileSync } from 'node:fs';
import type { Example, Examples } from '../../describe-api/examples.js';
import { EXAMPLES } from '../../describe-api/generated/examples.js';
import { operationIdOf } from '../../describe-api/operation-id.js';
import type { RouteRules } from '../../http/exchange.js';

const FILE = new URL('../../describe-api/generated/examples.ts', import.meta.url);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** What is a secret, or of one run, and what stands for it. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\bck_[\w-]{8}_[\w-]+/g, `ck_abcdefgh_${'x'.repeat(43)}`],
  [/\bwhsec_[\w+/=-]+/g, `whsec_${'x'.repeat(32)}`],
  [/\bmsg_[0-9a-f]{32}\b/g, `msg_${'0'.repeat(32)}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'eyJ.a.b'],
  [/\bhttp:\/\/127\.0\.0\.1:\d+/g, 'https://api.example'],
  [/(?<=^[a-z-]+)_[0-9a-f]{10}$/g, '-1'],
];
/** Of a list of resources in an example; the length of another one may be fixed. */
const MOST_ITEMS = 2;

interface Sent {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * The first success of each operation that a test sent to the running product: it becomes the operation's example in
 * docs/openapi.json. Ids are counted, so that examples name each other's resources.
 */
export class ExampleBook {
  private readonly examples = new Map<string, Example>();
  private readonly ids = new Map<string, string>();
  /** Operations whose recorded example is an answer that their declaration does not describe any more. */
  readonly stale = new Set<string>();

  /**
   * @param data of the answer, undefined for a file
   * @param isDescribed whether the route's declaration describes an answer with the same status
   */
  note(
    route: RouteRules,
    { params, query, body }: Sent,
    { status, data }: { readonly status: number; readonly data: unknown },
    isDescribed: (data: unknown) => boolean,
  ): void {
    const id = operationIdOf(route);
    const recorded = EXAMPLES[id]?.answers[status];
    if (recorded !== undefined && !isDescribed(recorded)) this.stale.add(id);
    const known = this.examples.get(id);
    if (known?.answers[status] !== undefined) return;
    const answers = data === undefined ? {} : { [status]: this.shown(data) };
    const request = {
      ...(Object.keys(params).length > 0 && { path: params }),
      ...(Object.keys(query).length > 0 && { query }),
      ...(body !== undefined && { body }),
    };
    const first = known ?? (this.shown(request) as Omit<Example, 'answers'>);
    this.examples.set(id, { ...first, answers: { ...known?.answers, ...answers } });
  }

  get all(): Examples {
    return Object.fromEntries([...this.examples].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Examples that are right stay as they are: times, cursors and hashes of another run are no difference. */
  write(): Examples {
    const kept = Object.entries(this.all).map(([id, found]): [string, Example] => {
      const known = EXAMPLES[id];
      const isRight = known !== undefined && kindOf(known) === kindOf(found) && !this.stale.has(id);
      return [id, isRight ? known : found];
    });
    const examples = Object.fromEntries(kept);
    const text = JSON.stringify(examples, null, 2);
    const head =
      "// Written by `RECORD_EXAMPLES=true npm test -- apps/gateway/src/testing/answers`.\nimport type { Examples } from '../examples.js';\n\n";
    writeFileSync(FILE, `${head}export const EXAMPLES: Examples = ${text};\n`);
    return examples;
  }

  private shown(value: unknown): unknown {
    if (Array.isArray(value)) return shortened(value).map((item) => this.shown(item));
    if (typeof value === 'string') return this.shownText(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.shownText(name), this.shown(one)]),
    );
  }

  private shownText(text: string): string {
    const readable = REPLACED.reduce((all, [found, instead]) => all.replace(found, instead), text);
    return readable.replace(UUID, (id) => this.counted(id));
  }

  private counted(id: string): string {
    const known =
      this.ids.get(id) ?? `00000000-0000-4000-8000-${String(this.ids.size + 1).padStart(12, '0')}`;
    this.ids.set(id, known);
    return known;
  }
}

function shortened(list: readonly unknown[]): readonly unknown[] {
  const isOfResources = list.every((item) => typeof item === 'object' && !Array.isArray(item));
  return isOfResources ? list.slice(0, MOST_ITEMS) : list;
}

/** What makes two examples the same one: the fields of the request, and the statuses of the answers. */
export function kindOf({ path, query, body, answers }: Example): string {
  return JSON.stringify([Object.keys(answers), fieldsWithin({ path, query, body })]);
}

/** Names of all fields within, lists as one item. */
function fieldsWithin(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    return [...new Set(value.flatMap((item) => fieldsWithin(item, `${path}[]`)))].toSorted();
  }
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value)
    .flatMap(([name, one]) => fieldsWithin(one, `${path}.${name}`))
    .toSorted();
}
