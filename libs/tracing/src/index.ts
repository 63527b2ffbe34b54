export { activeSpans, type ActiveSpans, whileActive } from './active-spans.js';
export { startTracing } from './start-tracing.js';
export {
  type Attributes,
  SAMPLER_NAMES,
  type SamplerName,
  type ServedSpan,
  type Span,
  type SpanKind,
  type Tracing,
  type TracingOptions,
} from './tracing.js';
