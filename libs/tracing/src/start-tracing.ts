import { type SamplerName, type Tracing } from './tracing.js';

export interface TracingOptions {
  readonly service: string;
  readonly instance: string;
  /** Of the collector, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it; without one nothing is traced, and nothing loaded. */
  readonly endpoint: string | undefined;
  /** Of each export. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The part of traces that is kept, from 0 to 1, by samplers that go by it. */
  readonly ratio: number;
  /** Spans could not be handed over, and are lost. */
  readonly onError: (error: Error) => void;
}

/** @returns undefined where no collector is named: the packages cost memory that a service without traces must not pay */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing({ ...options, endpoint });
}
