import { queryOptions } from '@tanstack/react-query';
import type { ListSitesResponses, SiteResource } from '@truetally/node';
import { ApiError } from '../api/api-error.js';
import type { Api } from '../api/request.js';

/** A gateway knows a new workspace, or a new member, within seconds. */
const KNOWN_ATTEMPTS = 10;
const KNOWN_PAUSE_MS = 500;

type Answer = ListSitesResponses[200]['data'];

export const sitesQuery = (api: Api, workspaceId: string) =>
  queryOptions({
    queryKey: ['w', workspaceId, 'sites'],
    queryFn: ({ signal }): Promise<readonly SiteResource[]> =>
      api<Answer>({ path: '/sites', query: { limit: 200 }, workspaceId, signal }).then(({ items }) => items),
    retry: (failures, error) =>
      error instanceof ApiError && error.status === 404 && failures < KNOWN_ATTEMPTS,
    retryDelay: KNOWN_PAUSE_MS,
  });
