/** Attributes of a span. Never a credential, a click value or a body. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The role of a span in its trace, as in OpenTelemetry. */
export type SpanKind = 'client' | 'consumer' | 'internal';

/** Values of `OTEL_TRACES_SAMPLER`. */
export const SAMPLER_NAMES = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
/** One of `SAMPLER_NAMES`. */
export type SamplerName = (typeof SAMPLER_NAMES)[number];

/** A part of the work of one trace, from its creation to its end. */
export interface Span {
  /** W3C Trace Context, for child spans in other processes. */
  readonly traceparent: string;
  /** @param error short description of a failure */
  end(attributes?: Attributes, error?: string): void;
}

/** Records spans. A process without tracing has no instance. */
export interface Tracing {
  /**
   * A request from outside: continues its caller's trace, or begins a new one. The sampling decision is made
   * here and passed on by the span's `traceparent`.
   */
  serve(traceparent: string | undefined): ServedSpan;
  /** A child of the span in the header; undefined if its trace is not sampled. */
  below(
    kind: SpanKind,
    name: string,
    traceparent: string | undefined,
    attributes?: Attributes,
  ): Span | undefined;
  /** Exports the remaining spans, within a time limit. */
  close(): Promise<void>;
}

/** The root span of a request from outside. */
export interface ServedSpan {
  readonly traceparent: string;
  /** The name is known only at the end. */
  end(name: string, attributes: Attributes, error?: string): void;
}

/** Where spans go, who sends them, and which traces are sampled. */
export interface TracingOptions {
  readonly service: string;
  readonly instance: string;
  /** The collector, as in `OTEL_EXPORTER_OTLP_ENDPOINT`; without it nothing is traced or loaded. */
  readonly endpoint: string | undefined;
  /** Of each export. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** Sampling ratio from 0 to 1, for samplers that use it. */
  readonly ratio: number;
  /** Spans could not be exported and are lost. */
  readonly onError: (error: Error) => void;
}
