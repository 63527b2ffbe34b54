/** What `@jest/globals` is for suites that run in the worker's own realm: of the suite that runs now. */
let current;

/** @param globals of the suite that begins */
export function begin(globals) {
  current = globals;
}

/** Modules that suites share import these once. */
function now(name) {
  return new Proxy(() => undefined, {
    apply: (_, self, parameters) => Reflect.apply(current[name], self, parameters),
    get: (_, key) => Reflect.get(current[name], key),
  });
}

export const afterAll = now('afterAll');
export const afterEach = now('afterEach');
export const beforeAll = now('beforeAll');
export const beforeEach = now('beforeEach');
export const describe = now('describe');
export const expect = now('expect');
export const it = now('it');
export const jest = now('jest');
export const test = now('test');
