import { validateHeaderName, validateHeaderValue } from 'node:http';
import { SAMPLER_NAMES, type SamplerName, startTracing, type Tracing } from '@truetally/tracing';
import { type Configuration, type Setting } from './config.js';
import { type Logger } from './logger.js';

const PROTOCOLS = ['http:', 'https:'];
const PATH = '/v1/traces';
/** An unavailable collector fails every export: one warning per interval is enough. */
const WARNING_INTERVAL_MS = 60_000;

/** The supported standard variables of OpenTelemetry. */
export function tracingSettings() {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(),
    OTEL_EXPORTER_OTLP_HEADERS: headers(),
    OTEL_TRACES_SAMPLER: sampler(),
    OTEL_TRACES_SAMPLER_ARG: ratio(),
  };
}

interface TracedService {
  readonly service: string;
  readonly config: Configuration<ReturnType<typeof tracingSettings>> & { readonly INSTANCE_ID: string };
  readonly log: Logger;
}

/** Undefined without a collector in the configuration. */
export function openTracing({ service, config, log }: TracedService): Promise<Tracing | undefined> {
  let toldMs = Number.NEGATIVE_INFINITY;
  return startTracing({
    service,
    instance: config.INSTANCE_ID,
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    onError: (error) => {
      if (performance.now() - toldMs < WARNING_INTERVAL_MS) return;
      toldMs = performance.now();
      log.warn({ err: error }, 'Spans could not be exported, and are lost.');
    },
  });
}

function endpoint(): Setting<string | undefined> {
  return {
    rule: `an absolute http(s) URL, of the collector, without ${PATH}`,
    parse: (raw) => {
      const { protocol, pathname } = new URL(raw);
      if (!PROTOCOLS.includes(protocol)) throw new RangeError('Another protocol.');
      if (pathname.endsWith(PATH)) throw new RangeError('The exporter adds this path.');
      return raw;
    },
    fallback: () => undefined,
  };
}

function headers(): Setting<Readonly<Record<string, string>>> {
  return {
    rule: 'name=value pairs with commas between them, percent-encoded',
    secret: true,
    parse: (raw) => Object.fromEntries(raw.split(',').map(readPair)),
    fallback: () => ({}),
  };
}

function readPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new RangeError('No pair.');
  const [name, value] = [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
  // Else each export would fail, and nothing but that.
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return [name, value];
}

function sampler(): Setting<SamplerName> {
  return {
    rule: `one of ${SAMPLER_NAMES.join(', ')}`,
    parse: (raw) => {
      const name = SAMPLER_NAMES.find((known) => known === raw);
      if (name === undefined) throw new RangeError('No such sampler.');
      return name;
    },
    fallback: () => 'parentbased_always_on',
  };
}

function ratio(): Setting<number> {
  return {
    rule: 'a number from 0 to 1',
    parse: (raw) => {
      const value = Number(raw);
      if (!(value >= 0 && value <= 1)) throw new RangeError('Out of range.');
      return value;
    },
    fallback: () => 1,
  };
}
