import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiKeyResource } from '@truetally/node';
import { cursors, type Page } from '../api/pages.js';
import type { Api } from '../api/request.js';

export const apiKeysQuery = (api: Api, workspaceId: string, siteId: string) =>
  infiniteQueryOptions({
    queryKey: ['w', workspaceId, 'api-keys', siteId],
    queryFn: ({ signal, pageParam }) =>
      api<Page<ApiKeyResource>>({
        path: `/sites/${siteId}/api-keys`,
        query: { cursor: pageParam },
        workspaceId,
        signal,
      }),
    ...cursors,
  });
