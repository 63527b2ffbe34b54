import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceName } from '@truetally/contracts/services';
import { eventually, request } from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from '../index.js';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.js';
import { plainPurchase } from '../plain-purchase.js';

const TRACED = ['gateway', 'ingestion', 'attribution-ledger'] as const;
const UNTRACED = ['management'] as const;
const SERVICES = [...TRACED, ...UNTRACED];
/**
 * Prints what a process loads of OpenTelemetry except its API, which the metrics registry loads for itself. A bundle names
 * the files that it was made of.
 */
const TELL_LOADED = `import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    const loaded = next(url, context);
    const text = url + Buffer.from(loaded.source ?? '');
    if (/node_modules.@opentelemetry.(sdk|exporter|otlp|resources)/.test(text)) process.stderr.write('LOADED ' + url + '\\n');
    return loaded;
  } });`;
const TELLING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL_LOADED)}` };

let receiver: OtlpReceiver;
let product: LaunchedProduct;
let apiKey: string;
let siteId: string;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const traced = {
    ...TELLING,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector=secret-of-the-collector',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  };
  const env = Object.fromEntries([
    ...TRACED.map((name) => [name, traced] as const),
    ...UNTRACED.map((name) => [name, TELLING] as const),
  ]);
  product = await launchProduct({ services: SERVICES, env });
  const site = await product.createSite();
  siteId = site.id;
  apiKey = (await product.createApiKey(site)).key;
});

afterAll(async () => {
  await product.stop();
  await receiver.close();
});

function newTrace(flags: '00' | '01'): {
  readonly traceId: string;
  readonly caller: string;
  readonly traceparent: string;
} {
  const [traceId, caller] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, caller, traceparent: `00-${traceId}-${caller}-${flags}` };
}

async function track(traceparent: string): Promise<void> {
  const json = {
    event_type: 'page_view',
    session_id: 'traced',
    context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
  };
  const headers = { 'x-api-key': apiKey, traceparent };
  expect((await request(`${product.baseUrl}/events/track`, { json, headers })).status).toBe(201);
}

async function buy(traceparent: string): Promise<void> {
  const json = plainPurchase({ siteId, orderId: 'traced-order', occurredAt: new Date().toISOString() });
  const url = `${product.baseUrl}/partner-attribution/conversions`;
  const headers = { 'x-api-key': apiKey, traceparent };
  const answer = await request(url, { json, headers });
  expect(answer.status).toBe(201);
}

const spansOf = (traceId: string): readonly ReceivedSpan[] =>
  receiver.spans.filter((span) => span.traceId === traceId);

/**
 * From the outermost to the innermost span, each a child of the previous one; processes export at different
 * times.
 */
function chainOf(traceId: string, caller: string, length: number): Promise<readonly string[]> {
  return eventually(
    () => {
      const names = chainSoFar(traceId, caller);
      return names.length >= length && names;
    },
    { message: () => `${length} spans, one below the other, of ${JSON.stringify(spansOf(traceId))}` },
  );
}

function chainSoFar(traceId: string, caller: string): readonly string[] {
  const names: string[] = [];
  let parent: ReceivedSpan | undefined;
  for (;;) {
    const above: string = parent?.spanId ?? caller;
    const next = spansOf(traceId).filter(({ parentSpanId }) => parentSpanId === above);
    [parent] = next;
    if (parent === undefined) return names;
    // A transaction that lost a race is repeated, which is another span.
    const found = new Set(next.map(({ service, name }) => `${service}: ${name}`));
    expect(found.size).toBe(1);
    names.push(...found);
  }
}

const outputOf = (name: ServiceName): string =>
  product
    .processes(name)
    .map((one) => one.output())
    .join('\n');

describe('traces over OTLP', () => {
  it('show one request from its caller through Kafka to the transaction that stored its row', async () => {
    const { traceId, caller, traceparent } = newTrace('01');
    await track(traceparent);
    expect(await chainOf(traceId, caller, 4)).toEqual([
      'gateway: POST /api/v1/events/track',
      'gateway: ask ingestion.track-event',
      'ingestion: handle ingestion.track-event',
      'ingestion: postgres transaction',
    ]);
    const [served] = spansOf(traceId).filter(({ parentSpanId }) => parentSpanId === caller);
    expect(served?.attributes).toMatchObject({ 'http.route': '/api/v1/events/track' });
    expect(Number(served?.attributes['http.response.status_code'])).toBe(201);
  });

  it('show a purchase on its way into the ledger', async () => {
    const { traceId, caller, traceparent } = newTrace('01');
    await buy(traceparent);
    expect(await chainOf(traceId, caller, 4)).toEqual([
      'gateway: POST /api/v1/partner-attribution/conversions',
      'gateway: ask attribution-ledger.record-conversion',
      'attribution-ledger: handle attribution-ledger.record-conversion',
      'attribution-ledger: postgres transaction',
    ]);
  });

  it('hold nothing of a request whose caller keeps no trace, nor of one that names none', async () => {
    const [unkept, kept] = [newTrace('00'), newTrace('01')];
    await track(unkept.traceparent);
    await track('no traceparent');
    await track(kept.traceparent);
    await chainOf(kept.traceId, kept.caller, 4);
    expect(spansOf(unkept.traceId)).toEqual([]);
    expect(receiver.spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toEqual([]);
  });

  it('hold no credential', () => {
    expect(receiver.bodies.join('\n')).not.toContain(apiKey);
    for (const name of SERVICES) expect(outputOf(name)).not.toContain('secret-of-the-collector');
  });

  it('cost nothing where they are off: no package of OpenTelemetry is loaded', async () => {
    for (const name of UNTRACED) expect(outputOf(name)).not.toContain('LOADED');
    for (const name of TRACED) expect(outputOf(name)).toContain('LOADED');
    const untraced = await product.addGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: '' });
    expect(untraced.output()).not.toContain('LOADED');
  });

  it('traces that no collector accepts delay neither answers nor the end of a process', async () => {
    await receiver.close();
    await track(newTrace('01').traceparent);
    await product.gateway.kill('SIGTERM');
    expect(await product.gateway.exited).toMatchObject({ code: 0 });
  });
});
