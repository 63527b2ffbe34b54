import { fail, type Result, succeed } from '@truetally/kernel';
import {
  type CommandAnswer,
  type Page,
  RESOURCE_COMMAND,
  RESOURCE_QUERY,
  type ResourceCommand,
  type ResourceQuery,
} from '../resource/request.js';
import type { DtoClass } from '../validation/compile-fields.js';
import { type Completeness, compilePicker } from '../validation/compile-picker.js';
import { compileReader } from '../validation/compile-validator.js';
import { isJsonObject } from '../validation/shape.js';

/**
 * What one service asks of another, declared once by the service that answers: its topic, the access lists, the readers
 * of message and answer, and the permission to ask follow from it (docs/how-to-add.md).
 */
export interface OperationSpec<Message, Answer> {
  /** A command changes something, and is executed however late; a query that comes late is skipped. */
  readonly kind: OperationKind;
  /** Names of the services that may ask; nobody else can. */
  readonly askedBy: readonly string[];
  /** Partitions of a topic of its own; undefined: it shares its service's topic with others. */
  readonly partitions?: number;
  /** The class of the answer, or of the items of a page; undefined for an answer without one. */
  readonly answers?: DtoClass<object>;
  /**
   * Kafka's key: messages with one key are executed in sequence. A new id spreads them, and nobody can choose it. Null only
   * for a batch handler: all of one send go to one partition.
   */
  key(message: Message, newId: () => string): string | null;
  /** The message's weight against the server's bounds; default 1. */
  weight?(message: Message): number;
  encode(message: Message): string;
  /** Reads the content of `ok` in the reply to this message; never throws. It must not hold the message. */
  answerReader(message: Message): AnswerReader<Answer>;
}

export type OperationKind = 'command' | 'query';

export type AnswerReader<Answer> = (ok: unknown) => Result<Answer, string>;

/** One whose messages are read by their class; those of a hot operation are read by its service, many at a time. */
export interface ColdOperationSpec<Message, Answer> extends OperationSpec<Message, Answer> {
  /** Reads a parsed message; never throws. */
  read(received: unknown): Result<Message, string>;
}

/** Where an operation is: its service and its name give it an address. */
export interface Placed {
  /** The service that answers. */
  readonly owner: string;
  /** `management.commands/create-site`, or a topic of its own: `ingestion.track-event`. */
  readonly address: string;
}

export type Operation<Message, Answer> = OperationSpec<Message, Answer> & Placed;
export type ColdOperation<Message, Answer> = ColdOperationSpec<Message, Answer> & Placed;

/** How the answer of a cold operation is read. */
export interface AnswerForm<Answer> {
  /** Undefined for an answer that nobody reads. */
  readonly of?: DtoClass<object>;
  readonly read: AnswerReader<Answer>;
}

/** An operation whose messages and answers are read by their classes. */
export interface ColdSpec<Message extends object, Answer> {
  readonly asks: DtoClass<Message>;
  readonly answers: AnswerForm<Answer>;
  /** Default: each request has its own, because nothing is in sequence with it. */
  readonly key?: (message: Message) => string;
}

/** An operation with a wire format of its own, because it is hot; specs hold the format byte by byte. */
export type HotSpec<Message, Answer> = Pick<
  OperationSpec<Message, Answer>,
  'answerReader' | 'encode' | 'key'
> &
  Pick<OperationSpec<Message, Answer>, 'weight'>;

export function command<Message extends object, Answer>(spec: ColdSpec<Message, Answer>) {
  return cold('command', spec);
}

export function query<Message extends object, Answer>(spec: ColdSpec<Message, Answer>) {
  return cold('query', spec);
}

export function hotCommand<Message, Answer>(spec: HotSpec<Message, Answer>): OperationSpec<Message, Answer> {
  return { ...spec, kind: 'command', askedBy: [] };
}

export function hotQuery<Message, Answer>(spec: HotSpec<Message, Answer>): OperationSpec<Message, Answer> {
  return { ...spec, kind: 'query', askedBy: [] };
}

/** A command without a reply that anybody would wait for. */
export function told<Message extends object>(
  asks: DtoClass<Message>,
  key?: (message: Message) => string,
): ColdOperationSpec<Message, null> {
  const answers = { read: () => succeed(null) };
  return cold('command', { asks, answers, ...(key === undefined ? {} : { key }) });
}

/** A change of a resource: changes of one resource are executed in sequence; others do not wait for them. */
export function resourceCommand<Data extends object>(
  answers: DtoClass<Data>,
): ColdOperationSpec<ResourceCommand, CommandAnswer<Data>> {
  const read = changed(answers);
  return {
    kind: 'command',
    askedBy: [],
    answers,
    key: ({ params }, newId) => {
      const ids = Object.values(params);
      return ids.length === 0 ? newId() : ids.join(':');
    },
    encode: JSON.stringify,
    read: RESOURCE_COMMAND.read,
    answerReader: () => read,
  };
}

export function resourceQuery<Data extends object>(
  answers: DtoClass<Data>,
): ColdOperationSpec<ResourceQuery, Data> {
  return ofResources(one(answers));
}

export function resourceList<Item extends object>(
  items: DtoClass<Item>,
): ColdOperationSpec<ResourceQuery, Page<Item>> {
  return ofResources(pageOf(items));
}

/**
 * The operation gets a topic of its own: it is hot or slow, goes through an outbox, or others than the gateway ask it,
 * whose rights end at topics.
 */
export function ownTopic<Spec extends OperationSpec<never, unknown>>(
  partitions: number,
  spec: Spec,
): Spec & { readonly partitions: number } {
  return { ...spec, partitions };
}

/** Who may ask these operations. An operation outside of such a group is granted to nobody. */
export function askedBy<Group extends Readonly<Record<string, OperationSpec<never, unknown>>>>(
  services: readonly string[],
  group: Group,
): Group {
  const granted = Object.entries(group).map(([key, spec]) => [key, { ...spec, askedBy: services }]);
  return Object.fromEntries(granted) as Group;
}

/** One instance of the class. */
export function one<Data extends object>(
  of: DtoClass<Data>,
  completeness: Completeness = 'lenient',
): AnswerForm<Data> {
  return { of, read: compilePicker(of, completeness) };
}

/** A page whose items are of the class. */
export function pageOf<Item extends object>(of: DtoClass<Item>): AnswerForm<Page<Item>> {
  const pick = compilePicker(of, 'lenient');
  return {
    of,
    read: (ok) => {
      if (!isJsonObject(ok)) return fail('not an object');
      const { items, next_cursor } = ok;
      if (!Array.isArray(items)) return fail('unreadable: items');
      if (next_cursor !== null && typeof next_cursor !== 'string') return fail('unreadable: next_cursor');
      const picked: Item[] = [];
      for (const item of items) {
        const read = pick(item);
        if (!read.ok) return read;
        picked.push(read.value);
      }
      return succeed({ items: picked, next_cursor });
    },
  };
}

function changed<Data extends object>(of: DtoClass<Data>): AnswerReader<CommandAnswer<Data>> {
  const pick = compilePicker(of, 'lenient');
  return (ok) => {
    const { data, replayed } = isJsonObject(ok) ? ok : {};
    if (typeof replayed !== 'boolean') return fail('unreadable: replayed');
    const read = pick(data);
    return read.ok ? succeed({ data: read.value, replayed }) : read;
  };
}

function ofResources<Answer>(answers: AnswerForm<Answer>): ColdOperationSpec<ResourceQuery, Answer> {
  return {
    kind: 'query',
    askedBy: [],
    ...(answers.of === undefined ? {} : { answers: answers.of }),
    key: (_, newId) => newId(),
    encode: JSON.stringify,
    read: RESOURCE_QUERY.read,
    answerReader: () => answers.read,
  };
}

function cold<Message extends object, Answer>(
  kind: OperationKind,
  { asks, answers, key }: ColdSpec<Message, Answer>,
): ColdOperationSpec<Message, Answer> {
  let readMessage: ReturnType<typeof compileReader<Message>> | undefined;
  return {
    kind,
    askedBy: [],
    ...(answers.of === undefined ? {} : { answers: answers.of }),
    key: (message, newId) => key?.(message) ?? newId(),
    encode: JSON.stringify,
    read: (received) => {
      // Compiled at its first use: a process uses few of all classes.
      readMessage ??= compileReader(asks);
      const read = readMessage(received);
      return read.ok ? read : fail(`unreadable: ${Object.keys(read.error).join(', ')}`);
    },
    answerReader: () => answers.read,
  };
}
