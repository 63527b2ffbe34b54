/** What a span says of itself. Never a credential, a click value or a body. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'client' | 'consumer' | 'internal';

/** As `OTEL_TRACES_SAMPLER` names them. */
export const SAMPLER_NAMES = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLER_NAMES)[number];

/** A part of the work of one trace, from when it is made until its end. */
export interface Span {
  /** W3C Trace Context: for whoever does a part of this part. */
  readonly traceparent: string;
  /** @param error in a few words, where it failed */
  end(attributes?: Attributes, error?: string): void;
}

/** Where traces are kept; a process that keeps none has none of these. */
export interface Tracing {
  /**
   * A request from outside: its caller's trace goes on, or a new one begins. Whether it is kept is decided here, and
   * everybody below is told by the span's `traceparent`.
   */
  serve(traceparent: string | undefined): ServedSpan;
  /** A part of the work of the span that the header names; undefined where its trace is not kept. */
  below(
    kind: SpanKind,
    name: string,
    traceparent: string | undefined,
    attributes?: Attributes,
  ): Span | undefined;
  /** Lets go out what is kept, for a bounded time. */
  close(): Promise<void>;
}

export interface ServedSpan {
  readonly traceparent: string;
  /** Its name is known when it is over. */
  end(name: string, attributes: Attributes, error?: string): void;
}
