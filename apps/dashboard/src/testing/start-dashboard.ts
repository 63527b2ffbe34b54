import { freePort, type LocalService, spawnService } from '@truetally/testing';

export interface DashboardPlace {
  readonly port: number;
  readonly apiBaseUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Runs the built pages' process. Resolves when it is ready. */
export async function startDashboard(place: DashboardPlace): Promise<LocalService> {
  return spawnService({
    app: 'dashboard',
    env: {
      HTTP_PORT: String(place.port),
      OPERATIONS_PORT: String(await freePort()),
      DASHBOARD_API_BASE_URL: place.apiBaseUrl,
      OIDC_ISSUER: place.issuer,
      OIDC_AUDIENCE: place.audience,
      BUILD_VERSION: '1.2.3',
      // A browser keeps connections open, for which a stop waits half of this.
      SHUTDOWN_TIMEOUT_MS: '2000',
    },
  });
}
