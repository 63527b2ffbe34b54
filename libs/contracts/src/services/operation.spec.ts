import { describe, expect, it } from '@jest/globals';
import { DeletedResource } from '../resource/index.js';
import { Matching, Nested, NestedList, OrNull, Text, WholeNumber } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { accessOf } from './access.js';
import { SERVICE_NAMES, SERVICES } from './catalogue.js';
import { askedBy, command, one, ownTopic, pageOf, query, resourceCommand } from './operation.js';
import { operationsOf, type ServiceEntry, sharedTopicsOf } from './service-entry.js';

const NAME = { max: 20 };

class Part {
  @Text(NAME) readonly name!: string;
}

class Whole {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @OrNull() @WholeNumber({ min: 0, max: 9 }) readonly size!: number | null;
  @Nested(() => Part) readonly part!: Part;
  @NestedList(() => Part, { min: 0, max: 9 }) readonly parts!: readonly Part[];
}

const WHOLE: Whole = {
  id: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01',
  size: 3,
  part: { name: 'a' },
  parts: [{ name: 'b' }],
};

const entryWith = (operations: ServiceEntry['operations']): ServiceEntry => ({
  name: 'shop',
  role: 'behind',
  operations,
  facts: {},
  follows: [],
  holds: [],
  isAskedToEraseSites: false,
  knowsPeopleBy: 'nothing',
  hasOutbox: false,
  localOperationsPort: 1,
});

describe('who may ask an operation', () => {
  const shop = entryWith({
    ...askedBy(['gateway'], { createThing: resourceCommand(DeletedResource) }),
    forgottenQuery: query({ asks: Part, answers: one(Whole) }),
    forgottenCommand: ownTopic(1, command({ asks: Part, answers: one(Whole) })),
  });

  it('an operation without an asker is granted to nobody, nor is its topic', () => {
    const asking = SERVICES.map((service) => ({
      name: service.name,
      topics: accessOf(service, [shop]).asks.map(({ name }) => name),
    }));
    expect(asking.filter(({ topics }) => topics.length > 0)).toEqual([
      { name: 'gateway', topics: ['shop.commands'] },
    ]);
    expect(sharedTopicsOf(shop).map(({ name }) => name)).toEqual(['shop.commands', 'shop.queries']);
  });

  it('every operation of the product names services as its askers, and at least one', () => {
    for (const [key, operation] of SERVICES.flatMap(operationsOf)) {
      expect([key, operation.askedBy.length]).toEqual([key, 1]);
      expect(SERVICE_NAMES).toEqual(expect.arrayContaining([...operation.askedBy]));
    }
  });

  it('an operation on a topic that is shared is asked by the gateway alone, because rights end at topics', () => {
    for (const [key, { partitions, askedBy: askers }] of SERVICES.flatMap(operationsOf)) {
      if (partitions === undefined) expect([key, askers]).toEqual([key, ['gateway']]);
    }
  });
});

describe('the answer of an operation', () => {
  const asked = { name: 'a' };
  const answers = {
    lenient: query({ asks: Part, answers: one(Whole) }).answerReader(asked),
    complete: query({ asks: Part, answers: one(Whole, 'complete') }).answerReader(asked),
    page: query({ asks: Part, answers: pageOf(Whole) }).answerReader(asked),
  };

  it('the answer of an operation loses what its class does not know, at every depth', () => {
    const told = {
      secret: 1,
      ...WHOLE,
      part: { name: 'a', secret: 1 },
      parts: [{ secret: 1, name: 'b' }],
    };
    expect(answers.lenient(told)).toEqual({ ok: true, value: WHOLE });
    const page = { items: [told], next_cursor: null, secret: 1 };
    expect(answers.page(page)).toEqual({ ok: true, value: { items: [WHOLE], next_cursor: null } });
  });

  it('the answer of an operation keeps the order of its fields and every digit', () => {
    const told = { parts: [], size: JSON.rawJSON('1.000000000000000000001'), id: WHOLE.id, part: WHOLE.part };
    const read = answers.lenient(told);
    expect(JSON.stringify(read.ok && read.value)).toBe(JSON.stringify(told));
  });

  it.each([
    [{ ...WHOLE, size: '3' }, 'unreadable: size'],
    [{ ...WHOLE, part: 'a' }, 'unreadable: part'],
    [{ ...WHOLE, parts: [{ name: 'b' }, 7] }, 'unreadable: parts.1'],
    [[WHOLE], 'not an object'],
  ])('the answer %j is refused, and the error names the field', (told, error) => {
    expect(answers.lenient(told)).toEqual({ ok: false, error });
    expect(answers.complete(told)).toEqual({ ok: false, error });
  });

  it('the answer of an older service may lack a field, unless code here computes with it', () => {
    const older = { id: WHOLE.id, part: WHOLE.part, parts: WHOLE.parts };
    expect(answers.lenient(older)).toEqual({ ok: true, value: older });
    expect(answers.complete(older)).toEqual({ ok: false, error: 'unreadable: size' });
  });
});

describe('the message of an operation', () => {
  it('the message of an operation is refused by the names of the fields that break a rule', () => {
    const { read } = command({ asks: Whole, answers: one(Part) });
    expect(read(WHOLE)).toEqual({ ok: true, value: WHOLE });
    expect(read({ ...WHOLE, size: 10, part: {} })).toEqual({
      ok: false,
      error: 'unreadable: size, part.name',
    });
    expect(read(7)).toMatchObject({ ok: false });
  });
});
