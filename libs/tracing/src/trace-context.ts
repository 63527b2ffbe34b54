/** Of the W3C header `traceparent`. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** Version 00; ids of zeros only are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const HEADER_CHARACTERS = 55;
const SAMPLED = 1;
const HEX = 16;

/** Undefined for an invalid header. */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, HEX) };
}

export function writeTraceparent({ traceId, spanId, traceFlags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(HEX).padStart(2, '0')}`;
}

/** Checked for every message, so it reads only the last character. */
export function isSampled(header: string | undefined): header is string {
  if (header?.length !== HEADER_CHARACTERS) return false;
  return (Number.parseInt(header.slice(-1), HEX) & SAMPLED) === SAMPLED;
}
