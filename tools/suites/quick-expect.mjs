import { equals, iterableEquality } from '@jest/expect-utils';

/** When Jest's matchers of these names hold. */
const HOLDS = {
  toBe: Object.is,
  toEqual: (actual, expected) => equals(actual, expected, [iterableEquality]),
};

/**
 * Jest makes three hundred functions and an error for each `expect`, which was an eighth of the time of the pure suites. Here
 * a comparison that holds costs what it compares; one that does not hold, and whatever else is asked, is Jest's own.
 */
export function quick(expect) {
  const matcherOf = (actual, name) =>
    function matcher(expected) {
      if (HOLDS[name](actual, expected)) {
        expect.getState().assertionCalls += 1;
        return;
      }
      try {
        expect(actual)[name](expected);
      } catch (error) {
        // The test's own line is the first that is shown.
        Error.captureStackTrace(error, matcher);
        throw error;
      }
    };
  return new Proxy(expect, {
    apply: (_expect, _self, [actual]) =>
      new Proxy(HOLDS, {
        get: (_holds, name) => (Object.hasOwn(HOLDS, name) ? matcherOf(actual, name) : expect(actual)[name]),
      }),
  });
}
