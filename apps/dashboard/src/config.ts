import {
  BUILD_SETTINGS,
  type Configuration,
  integer,
  list,
  port,
  readConfig,
  type Setting,
  text,
} from '@truetally/platform';

const HTTP_PROTOCOLS = new Set(['http:', 'https:']);
const DEFAULT_SHUTDOWN_TIMEOUT_MS = 10_000;
const MAX_SHUTDOWN_TIMEOUT_MS = 600_000;

const SETTINGS = {
  HTTP_HOST: text({ default: '127.0.0.1' }),
  HTTP_PORT: port(),
  OPERATIONS_HOST: text({ default: '127.0.0.1' }),
  OPERATIONS_PORT: port(),
  LOG_LEVEL: text({
    default: 'info',
    pattern: /^(trace|debug|info|warn|error|fatal)$/,
    rule: 'trace, debug, info, warn, error or fatal',
  }),
  INSTANCE_ID: text({ default: 'dashboard' }),
  SHUTDOWN_TIMEOUT_MS: integer({
    min: 0,
    max: MAX_SHUTDOWN_TIMEOUT_MS,
    default: DEFAULT_SHUTDOWN_TIMEOUT_MS,
  }),
  ...BUILD_SETTINGS,
  /** Where the page asks: a path of its own host, or another host's URL. */
  DASHBOARD_API_BASE_URL: apiBaseUrl(),
  /** The `iss` of the ID tokens, exactly as its discovery document says it. */
  OIDC_ISSUER: issuer(),
  /** The public client, and the `aud` of the ID tokens. */
  OIDC_AUDIENCE: text(),
  DASHBOARD_SCOPE: text({ default: 'openid email profile offline_access' }),
  /** Where pictures are, if not on the page's own host. */
  MEDIA_BASE_URL: optional(httpUrl()),
  /** Further origins that the page may ask: a provider whose token endpoint is elsewhere. */
  DASHBOARD_CONNECT_ORIGINS: origins(),
};

export type DashboardConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming each bad variable */
export function readDashboardConfig(
  environment: Readonly<Record<string, string | undefined>>,
): DashboardConfig {
  return readConfig(environment, SETTINGS);
}

function apiBaseUrl(): Setting<string> {
  return {
    rule: 'a path such as /api/v1, or an http(s) URL that ends with /api/v1',
    fallback: () => '/api/v1',
    parse: (raw) => (raw.startsWith('/') && !raw.startsWith('//') ? pathOf(raw) : absolute(raw)),
  };
}

function httpUrl(): Setting<string> {
  return { rule: 'an http(s) URL', parse: absolute };
}

/** Its last slash is a part of its name. */
function issuer(): Setting<string> {
  return {
    rule: 'an http(s) URL',
    parse: (raw) => {
      absolute(raw);
      return raw;
    },
  };
}

function optional(setting: Setting<string>): Setting<string | undefined> {
  return { ...setting, fallback: () => undefined };
}

function origins(): Setting<readonly string[]> {
  const read = list({ default: [] });
  return {
    rule: 'http(s) origins, separated by commas',
    fallback: () => [],
    parse: (raw) => read.parse(raw).map((one) => new URL(absolute(one)).origin),
  };
}

function pathOf(raw: string): string {
  if (!/^(\/[\w.-]+)+\/?$/.test(raw)) throw new Error('not a path');
  return raw.replace(/\/$/, '');
}

function absolute(raw: string): string {
  const { protocol, username, password } = new URL(raw);
  if (!HTTP_PROTOCOLS.has(protocol) || username !== '' || password !== '')
    throw new Error('not an http(s) URL');
  return raw.replace(/\/$/, '');
}
