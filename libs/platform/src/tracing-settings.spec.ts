import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';
import { tracingSettings } from './tracing-settings.js';

describe('the variables of OpenTelemetry', () => {
  it('trace nothing where none is given', () => {
    expect(readConfig({}, tracingSettings())).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
      OTEL_EXPORTER_OTLP_HEADERS: {},
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
    });
  });

  it('tracing settings are read as OpenTelemetry writes them', () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-tenant=shop=1',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    };
    expect(readConfig(environment, tracingSettings())).toEqual({
      ...environment,
      OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer abc', 'x-tenant': 'shop=1' },
      OTEL_TRACES_SAMPLER_ARG: 0.01,
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/v1/traces'],
    ['OTEL_EXPORTER_OTLP_HEADERS', '=secret-value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api key=secret-value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=secret-value%0a'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('stop the start when %s is %s', (name, value) => {
    let message = '';
    try {
      readConfig({ [name]: value }, tracingSettings());
    } catch (error) {
      message = error instanceof ConfigError ? error.message : '';
    }
    expect(message).toContain(name);
    expect(message).not.toContain('secret-value');
  });
});
