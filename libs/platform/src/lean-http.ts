/**
 * `node:http` also offers what belongs to its fetch client, each by a getter that loads the whole of it. An ES module that
 * imports `node:http` reads every one of them, used or not, and Nest does: 3.4 MiB resident in each service
 * (docs/benchmarks.md). The global `fetch` and `WebSocket` are others, and stay.
 *
 * Works only for what is imported later: an ES module's imports are loaded before its first line runs. So a service's
 * `main.ts` imports this, and then the service by `await import`.
 */
const OF_THE_FETCH_CLIENT = ['WebSocket', 'CloseEvent', 'MessageEvent'];

const http = process.getBuiltinModule('node:http');
for (const name of OF_THE_FETCH_CLIENT) {
  Object.defineProperty(http, name, {
    value: undefined,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

export {};
