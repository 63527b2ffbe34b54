import type { DashboardConfig } from './config.js';

/** `GET /dashboard/config.json` (interface page, section 12): public, never a secret. */
export interface PageConfiguration {
  readonly api_base_url: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly scope: string;
  readonly version: string;
}

export function pageConfiguration(config: DashboardConfig, version: string): PageConfiguration {
  return {
    api_base_url: config.DASHBOARD_API_BASE_URL,
    issuer: config.OIDC_ISSUER,
    client_id: config.OIDC_AUDIENCE,
    scope: config.DASHBOARD_SCOPE,
    version,
  };
}
