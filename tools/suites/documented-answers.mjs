// Around each suite that speaks HTTP (run-suite.mjs): every answer of a gateway, to whatever request of whatever test, is compared
// with docs/openapi.json. A status, a field, a type or a header that is not in the document fails the test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach } from './globals.mjs';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'openapi.json');
const ROOT = 'openapi';
/** Refused before a route is chosen: another method, a malformed head, one that takes too long. */
const WITHOUT_ROUTE = [405, 408, 431];
/** Parts of a schema that narrow it: what they do not name is named beside them. */
const NARROWING = ['allOf', 'if', 'then', 'else', 'not'];
/** Of a class, and not of HTTP or of the page's policy. */
const HEADERS =
  /^(x-ratelimit-.*|x-request-id|retry-after|etag|idempotent-.*|www-authenticate|content-disposition)$/;

export class DocumentedAnswers {
  #document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  #ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false, code: { optimize: false } });
  #operations = operationsOf(this.#document);

  constructor() {
    this.#ajv.addSchema({ ...closed(this.#document), $id: ROOT });
  }

  /** @returns what an answer has that the document has not; nothing where no route of the document is */
  faultsOf(method, path, { status, headers, body }) {
    const segments = path.split('/');
    const known = this.#operations.find((one) => one.method === method && matches(one.segments, segments));
    if (known === undefined || WITHOUT_ROUTE.includes(status)) return [];
    const response = this.#resolved(`${known.pointer}/responses/${status}`);
    if (response === undefined) return [`${status} is not in the document`];
    const names = Object.keys(response.value.headers ?? {}).map((name) => name.toLowerCase());
    const undocumented = headers.filter((name) => HEADERS.test(name) && !names.includes(name));
    const faults = undocumented.map((name) => `the header ${name} is not in the document`);
    if (body === undefined) return faults;
    const pointer = `${response.pointer}/content/application~1json/schema`;
    const validate = this.#ajv.getSchema(ROOT + pointer);
    if (validate === undefined) return [...faults, 'JSON is not in the document'];
    return validate(body) ? faults : [...faults, ...validate.errors.map(wordsOf)];
  }

  #resolved(pointer) {
    const value = pointer
      .split('/')
      .slice(1)
      .reduce((at, part) => at?.[unescaped(part)], this.#document);
    return value?.$ref === undefined ? value && { pointer, value } : this.#resolved(value.$ref);
  }
}

/** The most literal path first: `/jobs/{type}` is not `/{id}/settlements`. */
function operationsOf({ paths }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({
      method: method.toUpperCase(),
      segments: path.split('/'),
      pointer: `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
    })),
  );
  const parameters = ({ segments }) => segments.filter((segment) => segment.startsWith('{')).length;
  return operations.sort((one, other) => parameters(one) - parameters(other));
}

function matches(segments, given) {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => segment.startsWith('{') || segment === given[index])
  );
}

/** The same document, whose objects have no other members than those that they name. */
function closed(node, isNarrowing = false) {
  if (Array.isArray(node)) return node.map((one) => closed(one, isNarrowing));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([name, value]) => [
    name,
    closed(value, isNarrowing || NARROWING.includes(name)),
  ]);
  const isOpen = node.type === 'object' && node.properties !== undefined && !isNarrowing;
  return { ...(isOpen && { additionalProperties: false }), ...Object.fromEntries(entries) };
}

function wordsOf({ instancePath, message, params }) {
  return `${instancePath}: ${message} ${JSON.stringify(params)}`;
}

function unescaped(part) {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

let faults = [];
const reading = new Set();
let answers;

async function compare(method, url, response) {
  const { status, headers } = response;
  // The text of a copy: the test reads the answer itself. A service that is killed breaks its answers off.
  const text = isBounded(headers) ? await response.text().catch(() => undefined) : undefined;
  answers ??= new DocumentedAnswers();
  const body = text === undefined || text === '' ? undefined : JSON.parse(text);
  for (const fault of answers.faultsOf(method, url.pathname, {
    status,
    headers: [...headers.keys()],
    body,
  })) {
    faults.push(`${method} ${url.pathname} was answered with ${status}: ${fault}`);
  }
}

/** JSON that ends by itself: whatever else a test reads, it reads alone and at its own speed. */
function isBounded(headers) {
  return (
    headers.get('content-type')?.startsWith('application/json') === true && headers.has('content-length')
  );
}

/** Stands around `fetch` from now on, in this worker. */
function watch() {
  const originalFetch = globalThis.fetch;
  globalThis.fetch = async (resource, options) => {
    const response = await originalFetch(resource, options);
    const { headers } = response;
    // Only a gateway names the request and the page's policy; a service that a test has written does not.
    if (!headers.has('x-request-id') || !headers.has('x-content-type-options')) return response;
    const request = resource instanceof Request ? resource : undefined;
    const url = new URL(request?.url ?? resource);
    const method = options?.method ?? request?.method ?? 'GET';
    const one = compare(method, url, isBounded(headers) ? response.clone() : response).finally(() =>
      reading.delete(one),
    );
    reading.add(one);
    return response;
  };
}

let isWatching = false;

/** A test, or what comes before all of a suite, fails when it got an answer that the document has not. */
export function expectDocumentedAnswers() {
  if (!isWatching) watch();
  isWatching = true;
  faults = [];
  // Behind the test's own failure, in lines of their own; a suite's end has no such check, which would fail each test.
  afterEach(async () => {
    await Promise.all(reading);
    const found = new Set(faults.splice(0));
    if (found.size === 0) return;
    const error = new Error(
      `docs/openapi.json does not describe what was answered.\n${[...found].join('\n')}`,
    );
    error.stack = error.message;
    throw error;
  });
}
