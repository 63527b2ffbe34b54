import type { DashboardConfig } from './config.js';

/** Nothing that a page could ask of a device. */
const PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'xr-spatial-tracking',
];

/** Headers of every answer, whatever its status (interface page, section 12). */
export function pageHeaders(config: DashboardConfig): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policyOf(config),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': PERMISSIONS.map((name) => `${name}=()`).join(', '),
  };
}

/** Of the preview's frame alone: a hostile text in it has no origin, asks nobody and is framed by our page only. */
export function previewHeaders(config: DashboardConfig): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    'sandbox allow-scripts',
  ];
  return { ...pageHeaders(config), 'Content-Security-Policy': policy.join('; ') };
}

function policyOf(config: DashboardConfig): string {
  const { DASHBOARD_API_BASE_URL: api, OIDC_ISSUER: issuer, MEDIA_BASE_URL: media } = config;
  const asked = ["'self'", ...originsOf(api), ...originsOf(issuer), ...config.DASHBOARD_CONNECT_ORIGINS];
  const pictures = ["'self'", ...(media === undefined ? originsOf(api) : originsOf(media))];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${unique(pictures)}`,
    `connect-src ${unique(asked)}`,
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** None for a path: that is the page's own origin. */
function originsOf(url: string): readonly string[] {
  return url.startsWith('/') ? [] : [new URL(url).origin];
}

function unique(sources: readonly string[]): string {
  return [...new Set(sources)].join(' ');
}
