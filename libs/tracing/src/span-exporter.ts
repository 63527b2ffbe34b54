import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { TracingOptions } from './tracing.js';

const EXPORT_FAILED = 1;

interface ExporterOptions extends Pick<TracingOptions, 'headers' | 'onError'> {
  readonly endpoint: string;
  readonly timeoutMs: number;
}

/**
 * Reports failures: the driver's exporter loses spans silently. And one of its exports never ends when the collector answers
 * 101, after thirty of which it takes no more: an export that has not ended in its time has failed, and another exporter
 * follows.
 */
export function exporterTo({ endpoint, headers, onError, timeoutMs }: ExporterOptions): SpanExporter {
  const open = (): OTLPTraceExporter =>
    new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: timeoutMs,
    });
  let exporter = open();
  return {
    export: (spans, done) => {
      const asked = exporter;
      let isEnded = false;
      const late = setTimeout(() => {
        if (exporter === asked) exporter = open();
        end({ code: EXPORT_FAILED, error: new Error('The collector has not answered in time.') });
      }, timeoutMs + LATE_MS);
      const end: typeof done = (result) => {
        if (isEnded) return;
        isEnded = true;
        clearTimeout(late);
        if (result.code === EXPORT_FAILED) onError(result.error ?? new Error('The collector took no spans.'));
        done(result);
      };
      asked.export(spans, end);
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Its own timeout comes first. */
const LATE_MS = 500;
