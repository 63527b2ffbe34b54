import { type SamplerName, type Tracing } from './tracing.js';

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

/**
 * @returns undefined without a collector: the packages cost memory that a service without traces must not pay
 */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing({ ...options, endpoint });
}
