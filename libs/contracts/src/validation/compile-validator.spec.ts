import { describe, expect, it } from '@jest/globals';
import { IsString, type ValidationError, validateSync } from 'class-validator';
import fc from 'fast-check';
import { AdjustmentBody, AdjustmentLineBody, CancellationBody } from '../attribution/conversion-body.js';
import { TrackBatch } from '../events/track-batch.js';
import { EventContext, ScreenSize, TrackEvent } from '../events/track-event.js';
import { RuntimeTokenRequest } from '../runtime/create-runtime-token.js';
import { compileReader, compileValidator, toFieldErrors } from './compile-validator.js';
import { Identifier, ListOf, Nested, NestedByKind, NestedList, OneOf, Optional } from './decorators.js';
import { identifier } from './rules.js';
import { isJsonObject } from './shape.js';

type Members = Readonly<Record<string, unknown>>;
/** Also of one called `__proto__`, by which `Object.assign` would replace the prototype. */
const instance = (dto: new () => object, members: Members): object =>
  Object.defineProperties(new dto(), Object.getOwnPropertyDescriptors(members));

/** As class-transformer would make it: objects where the DTO has a class become instances of it. */
function toTrackEvent(body: Members): object {
  const context = body['context'] ?? {};
  if (!isJsonObject(context)) return instance(TrackEvent, body);
  const screen = isJsonObject(context['screen'])
    ? instance(ScreenSize, context['screen'])
    : context['screen'];
  return instance(TrackEvent, { ...body, context: instance(EventContext, { ...context, screen }) });
}

const CASES: readonly [dto: new () => object, toInstance: (body: Members) => object, sample: Members][] = [
  [
    TrackEvent,
    toTrackEvent,
    {
      event_type: 'page_view',
      session_id: 's',
      user_id: 'u',
      device_id: null,
      client_event_id: 'c',
      occurred_at: '2026-01-31T09:30:00Z',
      properties: {},
      context: {
        page_url: 'https://shop.example/',
        user_agent: 'a',
        referrer: '',
        page_title: 't',
        screen: { width: 1, height: 2 },
        device_type: 'd',
        browser: 'b',
        os: 'o',
        language: 'en',
        timezone: 'UTC',
      },
    },
  ],
  [TrackBatch, (body) => instance(TrackBatch, body), { events: [1] }],
  [
    CancellationBody,
    (body) => instance(CancellationBody, body),
    {
      schema_version: 1,
      idempotency_key: 'k',
      website_id: 'w',
      order_id: 'o',
      occurred_at: '2026-01-31T09:30:00Z',
      currency: 'EUR',
      reversed_revenue: '1.5',
      reason: '',
    },
  ],
  [
    RuntimeTokenRequest,
    (body) => instance(RuntimeTokenRequest, body),
    { site_id: '7f6e4b0a-52f7-4a86-9f3e-0123456789ab' },
  ],
];

/** Some members replaced by anything or removed, at the top and one and two levels below. */
function variantsOf(sample: Members): fc.Arbitrary<Members> {
  const members = Object.entries(sample).map(([name, value]) => {
    const same = isJsonObject(value) ? variantsOf(value) : fc.constant(value);
    const other = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(undefined, null, '', -1, 'x'.repeat(130), 'x'.repeat(9000), '\0', '\ud800', [], {}),
    );
    return [name, fc.oneof({ weight: 4, arbitrary: same }, { weight: 1, arbitrary: other })] as const;
  });
  return fc.record(Object.fromEntries(members));
}

describe('compileValidator', () => {
  it.each(CASES)('agrees with class-validator about %p', (dto, toInstance, sample) => {
    const validate = compileValidator(dto);
    expect(validate(sample)).toEqual([]);
    let refused = 0;
    fc.assert(
      fc.property(variantsOf(sample), (body) => {
        const mine = toFieldErrors(
          validate(body).filter(({ path }) => path !== 'context' || body['context'] != null),
        );
        expect(mine).toEqual(messagesOf(validateSync(toInstance(body)), ''));
        refused += Object.keys(mine).length > 0 ? 1 : 0;
      }),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('names every broken rule at once, also those inside a missing object', () => {
    expect(toFieldErrors(compileValidator(TrackEvent)({ session_id: 5, context: null }))).toEqual({
      event_type: [expect.stringMatching(/^must be one of page_view, .*; got nothing$/)],
      session_id: ['must be a non-empty string of at most 128 characters; got a number'],
      context: ['must be an object; got null'],
      'context.page_url': ['must be an absolute http(s) URL; got nothing'],
      'context.user_agent': ['must be a non-empty string of at most 1024 characters; got nothing'],
    });
  });

  it.each([
    [null, 'null'],
    [[], 'an empty array'],
    ['x', '1 character'],
  ])('names the body itself when it is %j', (body, shape) => {
    expect(compileReader(TrackBatch)(body)).toEqual({
      ok: false,
      error: { body: [`must be an object; got ${shape}`] },
    });
  });

  class Labels {
    @Optional() @ListOf(identifier({ max: 3 }), { min: 1, max: 3 }) labels?: readonly string[];
  }

  it('names the items of a list by index, unless the list itself is wrong', () => {
    const validate = compileValidator(Labels);
    expect(validate({ labels: ['a', '', 'toolong'] }).map(({ path }) => path)).toEqual([
      'labels.1',
      'labels.2',
    ]);
    expect(validate({ labels: ['', '', '', ''] }).map(({ path }) => path)).toEqual(['labels']);
    expect(validate({ labels: null })).toEqual([]);
  });

  it('judges each object of a list by its class, as class-validator does', () => {
    const good = { line_id: 'l', quantity_delta: '-1', subtotal_delta: 0.1 };
    const lines = [good, { ...good, line_id: '' }, { ...good, quantity_delta: '1e2', subtotal_delta: null }];
    const mine = toFieldErrors(compileValidator(AdjustmentBody)({ lines }));
    const dto = instance(AdjustmentBody, { lines: lines.map((line) => instance(AdjustmentLineBody, line)) });
    expect(mine).toEqual(messagesOf(validateSync(dto), ''));
    expect(Object.keys(mine).filter((path) => path.startsWith('lines'))).toEqual([
      'lines.1.line_id',
      'lines.2.quantity_delta',
      'lines.2.subtotal_delta',
    ]);
    expect(compileValidator(AdjustmentBody)({ lines: [1, good] })).toContainEqual({
      path: 'lines.0',
      message: 'must be an object; got a number',
    });
  });

  it('refuses unknown fields if configured, drops dangerous names, and bounds its messages', () => {
    const strict = compileValidator(Labels, { unknownFields: 'refused' });
    const body: unknown = JSON.parse('{"labels":["a"],"other":1,"__proto__":2,"constructor":3}');
    expect(toFieldErrors(strict(body))).toEqual({ other: ['is not a known field'] });
    expect(compileValidator(Labels)(body)).toEqual([]);
    const flood = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`${index}${'n'.repeat(999)}`, 1]),
    );
    expect(strict(flood).length).toBeLessThanOrEqual(20);
    expect(strict(flood).every(({ path }) => path.length <= 100)).toBe(true);
  });

  class Item {
    @Identifier({ max: 9 }) id!: string;
    @Optional() @NestedList(() => Labels, { min: 0, max: 2 }) inner?: readonly Labels[];
  }
  class Items {
    @NestedList(() => Item, { min: 1, max: 5, distinctBy: 'id' }) items!: readonly Item[];
  }
  class Either {
    @OneOf(['labels', 'items']) kind!: string;
    @NestedByKind('kind', { labels: () => Labels, items: () => Items }) content!: Labels | Items;
    @Optional() @Nested(() => Labels) beside?: Labels;
  }

  it('judges an object by the class that the field beside it names', () => {
    const validate = compileValidator(Either, { unknownFields: 'refused-everywhere' });
    expect(validate({ kind: 'labels', content: { labels: ['a'] } })).toEqual([]);
    expect(validate({ kind: 'items', content: { items: [{ id: 'a' }] } })).toEqual([]);
    expect(toFieldErrors(validate({ kind: 'items', content: { labels: ['a'] } }))).toEqual({
      'content.items': ['must be an array of 1 to 5 items; got nothing'],
      'content.labels': ['is not a known field'],
    });
    expect(toFieldErrors(validate({ kind: 'items' }))).toEqual({
      content: ['must be an object; got nothing'],
      'content.items': ['must be an array of 1 to 5 items; got nothing'],
    });
    for (const kind of [undefined, null, 7, 'toString', 'other']) {
      expect(validate({ kind, content: { anything: 1 } }).map(({ path }) => path)).toEqual(['kind']);
    }
    expect(validate({ kind: 'items', content: [] }).map(({ path }) => path)).toEqual(['content']);
  });

  it('names texts that repeat an earlier item of their list', () => {
    const validate = compileValidator(Items);
    const ids = (...all: readonly unknown[]) => validate({ items: all.map((id) => ({ id })) });
    expect(ids('a', 'A', 'b')).toEqual([]);
    expect(ids('a', 'b', 'a', 'a', 'b')).toEqual([
      { path: 'items.2.id', message: 'must be unique; items.0 has the same' },
      { path: 'items.3.id', message: 'must be unique; items.0 has the same' },
      { path: 'items.4.id', message: 'must be unique; items.1 has the same' },
    ]);
    expect(ids(7, 7, '', '').every(({ message }) => message.startsWith('must be a non-empty'))).toBe(true);
  });

  it('validates lists in lists, also for unknown fields if configured', () => {
    const body = { items: [{ id: 'a', inner: [{ labels: ['x', ''] }, { label: 'x' }] }] };
    expect(compileValidator(Items)(body).map(({ path }) => path)).toEqual(['items.0.inner.0.labels.1']);
    const strict = compileValidator(Items, { unknownFields: 'refused-everywhere' });
    expect(strict(body).map(({ path }) => path)).toEqual([
      'items.0.inner.0.labels.1',
      'items.0.inner.1.label',
    ]);
    const shallow = compileValidator(Either, { unknownFields: 'refused' });
    expect(shallow({ kind: 'labels', content: { other: 1 }, beside: { other: 1 } })).toEqual([]);
    const flood = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`f${n}`, 1]));
    expect(strict({ items: [{ id: 'a', ...flood }], ...flood })).toHaveLength(20);
  });

  it('stops the start on a decorator that it could not compile', () => {
    class Foreign {
      @IsString() name!: string;
    }
    class Bare {
      name = '';
    }
    class Two extends Either {
      @NestedByKind('kind', { labels: () => Labels }) other!: Labels;
    }
    expect(() => compileValidator(Foreign)).toThrow(
      'Foreign.name has a decorator that is not of this library',
    );
    expect(() => compileValidator(Bare)).toThrow('Bare has no decorated field');
    expect(() => compileValidator(Two)).toThrow('Two has more than one object of several kinds');
  });
});

/** Only our own messages: class-validator adds its "must be either object or array" to our rule. */
function messagesOf(errors: readonly ValidationError[], prefix: string): Record<string, string[]> {
  return Object.assign(
    {},
    ...errors.map((error) => {
      const path = prefix + error.property;
      const { nestedValidation, ...constraints } = error.constraints ?? {};
      const own = Object.values(constraints);
      const isWrongKind = own.length > 0 || nestedValidation !== undefined;
      return {
        ...(own.length > 0 ? { [path]: own } : {}),
        ...(isWrongKind ? {} : messagesOf(error.children ?? [], `${path}.`)),
      };
    }),
  );
}
