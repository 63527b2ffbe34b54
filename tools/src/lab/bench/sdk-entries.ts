/** A browser SDK under measurement: what its page runs. */
export interface Measured {
  readonly name: string;
  /** The npm package; undefined for our own, whose served files are measured. */
  readonly packageName?: string;
  /** A module that sets `window.capture(number)`; `RECEIVER` is the receiver's address. */
  readonly entry: string;
}

/**
 * Each SDK with what a shop needs to send its own events, and without what it does besides where that can be switched off.
 * Each event names its number as `event-<number>.`, in clear text.
 */
export const MEASURED: readonly Measured[] = [
  { name: 'nothing', entry: 'window.capture = () => undefined;' },
  {
    name: 'Truetally',
    entry: `truetally.init({ siteId: 'site', endpoint: RECEIVER + '/api/v1' });
      window.capture = (n) => truetally.track('product_view', { product_id: 'event-' + n + '.' });`,
  },
  {
    name: 'RudderStack',
    packageName: '@rudderstack/analytics-js@3.34.1',
    entry: `import { RudderAnalytics } from '@rudderstack/analytics-js/bundled';
      const analytics = new RudderAnalytics();
      analytics.load('rudder-write-key-000000000', RECEIVER, { configUrl: RECEIVER, polyfillIfRequired: false });
      window.capture = (n) => analytics.track('product_view', { product_id: 'event-' + n + '.' });`,
  },
  {
    name: 'Segment',
    packageName: '@segment/analytics-next@1.84.3',
    entry: `import { AnalyticsBrowser } from '@segment/analytics-next';
      const apiHost = RECEIVER.replace('http://', '') + '/v1';
      const settings = { apiKey: 'key', apiHost, protocol: 'http' };
      const analytics = AnalyticsBrowser.load(
        { writeKey: 'key', cdnSettings: { integrations: { 'Segment.io': settings } } },
        { integrations: { 'Segment.io': settings } },
      );
      window.capture = (n) => analytics.track('product_view', { product_id: 'event-' + n + '.' });`,
  },
  {
    name: 'PostHog',
    packageName: 'posthog-js@1.449.2',
    entry: `import posthog from 'posthog-js';
      posthog.init('key', {
        api_host: RECEIVER, autocapture: false, capture_pageview: false, capture_pageleave: false,
        disable_session_recording: true, disable_surveys: true, disable_compression: true,
        disable_external_dependency_loading: true, advanced_disable_flags: true, opt_out_useragent_filter: true,
      });
      window.capture = (n) => posthog.capture('product_view', { product_id: 'event-' + n + '.' });`,
  },
  {
    name: 'Snowplow',
    packageName: '@snowplow/browser-tracker@4.10.1',
    entry: `import { newTracker, trackStructEvent } from '@snowplow/browser-tracker';
      newTracker('sp', RECEIVER, { appId: 'shop', encodeBase64: false });
      window.capture = (n) => trackStructEvent({ category: 'shop', action: 'product_view', label: 'event-' + n + '.' });`,
  },
];
