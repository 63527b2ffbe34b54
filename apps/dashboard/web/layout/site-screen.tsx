import { Link } from '@tanstack/react-router';
import type { OwnWorkspace, SiteResource } from '@truetally/node';
import type { ReactNode } from 'react';
import { Notice } from '../elements/problem.js';
import { Screen } from './screen.js';
import { useWorkspace } from './workspace-context.js';

/** A screen of one site: says so where there is none, and which role it takes where the reader has another. */
export function SiteScreen({
  title,
  roles,
  children,
}: {
  readonly title: string;
  /** All of them when it is left out. */
  readonly roles?: readonly OwnWorkspace['role'][];
  readonly children: (site: SiteResource) => ReactNode;
}) {
  const { site, workspace, mayWrite } = useWorkspace();
  const isAllowed = roles === undefined || roles.includes(workspace.role);
  return (
    <Screen title={title}>
      {!isAllowed && (
        <Notice>
          <p>This screen needs the role {roles.join(' or ')}.</p>
        </Notice>
      )}
      {isAllowed && site === undefined && (
        <Notice>
          <p>
            No site yet.{' '}
            {mayWrite && (
              <Link to="/w/$workspaceId/sites/new" params={{ workspaceId: workspace.id }}>
                Add a site
              </Link>
            )}
          </p>
        </Notice>
      )}
      {isAllowed && site !== undefined && children(site)}
    </Screen>
  );
}
