import { queryOptions } from '@tanstack/react-query';
import type { SiteResource } from '@truetally/node';
import { ApiError } from '../api/api-error.js';
import { allItems, type Page } from '../api/pages.js';
import type { Api } from '../api/request.js';

/** A gateway knows a new workspace, or a new member, within seconds. */
const KNOWN_ATTEMPTS = 10;
const KNOWN_PAUSE_MS = 500;

/** All of them: an operator may allow more than a page has. */
export const sitesQuery = (api: Api, workspaceId: string) =>
  queryOptions({
    queryKey: ['w', workspaceId, 'sites'],
    queryFn: ({ signal }): Promise<readonly SiteResource[]> =>
      allItems((cursor) =>
        api<Page<SiteResource>>({ path: '/sites', query: { limit: 200, cursor }, workspaceId, signal }),
      ),
    retry: (failures, error) =>
      error instanceof ApiError && error.status === 404 && failures < KNOWN_ATTEMPTS,
    retryDelay: KNOWN_PAUSE_MS,
  });
