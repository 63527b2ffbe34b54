import type { Tracing, TracingOptions } from './tracing.js';

/**
 * @returns undefined without a collector: the packages cost memory that a service without traces must not pay
 */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing({ ...options, endpoint });
}
