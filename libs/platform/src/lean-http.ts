/**
 * `node:http` also exports parts of its fetch client, each by a getter that loads the whole client. An ES
 * module that imports `node:http` reads all of them, used or not, and Nest does: 3.2 MiB resident in each
 * service (docs/benchmarks.md). The global `fetch` and `WebSocket` are separate, and stay.
 *
 * Works only for later imports: an ES module's imports are loaded before its first line runs. So a service's
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
