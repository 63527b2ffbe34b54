import type { OwnWorkspace, SiteResource } from '@truetally/node';
import { createContext, useContext } from 'react';

/** The workspace of the address, and its site that the search names. */
export interface WorkspaceContext {
  readonly workspace: OwnWorkspace;
  readonly sites: readonly SiteResource[];
  readonly site: SiteResource | undefined;
  /** The site's time zone; UTC without a site. */
  readonly zone: string;
  /** Whether the role may change things. */
  readonly mayWrite: boolean;
}

const Context = createContext<WorkspaceContext | undefined>(undefined);

export const WorkspaceContextProvider = Context.Provider;

/** The site of what an address names, which may be another one than is chosen: its currency and zone are those of its site. */
export function useSiteOf(chosen: SiteResource): (resource: { readonly site_id: string }) => SiteResource {
  const { sites } = useWorkspace();
  return ({ site_id: own }) => sites.find(({ id }) => id === own) ?? chosen;
}

export function useWorkspace(): WorkspaceContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error('The workspace context is missing.');
  return context;
}
