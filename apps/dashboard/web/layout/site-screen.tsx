import { Link } from '@tanstack/react-router';
import type { OwnWorkspace, SiteResource } from '@truetally/node';
import type { ReactNode } from 'react';
import style from '../elements/elements.module.css';
import { Notice } from '../elements/problem.js';
import { ForRoles } from './for-roles.js';
import { Screen } from './screen.js';
import { useWorkspace } from './workspace-context.js';

/** A screen of one site: says so where there is none, and which role it takes where the reader has another. */
export function SiteScreen({
  title,
  part,
  roles = ['owner', 'admin', 'analyst'],
  children,
}: {
  readonly title: string;
  /** As of `Screen`. */
  readonly part?: string | undefined;
  /** All of them when it is left out. */
  readonly roles?: readonly OwnWorkspace['role'][];
  readonly children: (site: SiteResource) => ReactNode;
}) {
  return (
    <Screen title={title} part={part}>
      <ForRoles roles={roles}>
        <OfSite>{children}</OfSite>
      </ForRoles>
    </Screen>
  );
}

function OfSite({ children }: { readonly children: (site: SiteResource) => ReactNode }) {
  const { site, workspace, mayWrite } = useWorkspace();
  if (site !== undefined) {
    return (
      <>
        {/* The header, which names it, is not printed. */}
        <p className={style['on-paper']}>
          <bdi>{site.name}</bdi>, {site.domain}
        </p>
        {children(site)}
      </>
    );
  }
  return (
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
  );
}
