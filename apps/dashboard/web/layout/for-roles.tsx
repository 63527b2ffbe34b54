import type { OwnWorkspace } from '@truetally/node';
import type { ReactNode } from 'react';
import { Notice } from '../elements/problem.js';
import { useWorkspace } from './workspace-context.js';

/** What only these roles may see; others are told which it takes. */
export function ForRoles({
  roles,
  children,
}: {
  readonly roles: readonly OwnWorkspace['role'][];
  readonly children: ReactNode;
}) {
  const { workspace } = useWorkspace();
  if (roles.includes(workspace.role)) return children;
  return (
    <Notice>
      <p>This screen needs the role {roles.join(' or ')}.</p>
    </Notice>
  );
}
