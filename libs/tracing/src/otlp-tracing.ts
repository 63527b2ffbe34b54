import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { exporterTo } from './span-exporter.js';
import { isSampled, readTraceparent, writeTraceparent } from './trace-context.js';
import {
  type Attributes,
  type SamplerName,
  type ServedSpan,
  type Span,
  type SpanKind,
  type Tracing,
  type TracingOptions,
} from './tracing.js';

/**
 * Maximum number of spans that wait for the next export; further ones are dropped, so that an unavailable
 * collector cannot fill the memory.
 */
const QUEUE_SPANS = 2_048;
const EXPORT_SPANS = 512;
const EXPORT_INTERVAL_MS = 2_000;
const EXPORT_TIMEOUT_MS = 5_000;
/** How long a stopping process waits for its last spans: less than its whole shutdown timeout. */
const CLOSE_TIMEOUT_MS = 2_000;

const KINDS = {
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
} as const satisfies Record<SpanKind, OtelKind>;

/**
 * Exports our spans over OTLP/HTTP. Without automatic instrumentation: spans begin only where the code says
 * so.
 */
export class OtlpTracing implements Tracing {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;

  constructor({
    service,
    instance,
    sampler,
    ratio,
    ...where
  }: TracingOptions & { readonly endpoint: string }) {
    this.provider = new TracerProvider({
      sampler: samplerOf(sampler, ratio),
      resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': instance }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: exporterTo({ ...where, timeoutMs: EXPORT_TIMEOUT_MS }),
          maxQueueSize: QUEUE_SPANS,
          maxExportBatchSize: EXPORT_SPANS,
          scheduledDelayMillis: EXPORT_INTERVAL_MS,
          exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        }),
      ],
    });
    this.tracer = this.provider.getTracer('truetally');
  }

  serve(traceparent: string | undefined): ServedSpan {
    const span = this.tracer.startSpan('request', { kind: OtelKind.SERVER }, contextOf(traceparent));
    return {
      traceparent: writeTraceparent(span.spanContext()),
      end: (name, attributes, error) => {
        span.updateName(name);
        end(span, attributes, error);
      },
    };
  }

  below(
    kind: SpanKind,
    name: string,
    traceparent: string | undefined,
    attributes: Attributes = {},
  ): Span | undefined {
    if (!isSampled(traceparent)) return undefined;
    const options = { kind: KINDS[kind], attributes: { ...attributes } };
    const span = this.tracer.startSpan(name, options, contextOf(traceparent));
    if (!span.isRecording()) return undefined;
    return {
      traceparent: writeTraceparent(span.spanContext()),
      end: (more = {}, error) => {
        end(span, more, error);
      },
    };
  }

  async close(): Promise<void> {
    const ended = this.provider.shutdown().catch(() => undefined);
    await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

function end(span: OtelSpan, attributes: Attributes, error: string | undefined): void {
  span.setAttributes({ ...attributes });
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  span.end();
}

function contextOf(traceparent: string | undefined): Context {
  const parent = readTraceparent(traceparent);
  return parent === undefined
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

function samplerOf(name: SamplerName, ratio: number): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}
