export { activeSpans, type ActiveSpans, whileActive } from './active-spans.js';
export { startTracing, type TracingOptions } from './start-tracing.js';
export {
  type Attributes,
  SAMPLER_NAMES,
  type SamplerName,
  type ServedSpan,
  type Span,
  type SpanKind,
  type Tracing,
} from './tracing.js';
