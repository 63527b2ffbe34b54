import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { MemberResource } from '@truetally/node';
import { useRef, useState } from 'react';
import { cursors, type Page } from '../api/pages.js';
import { type MemberRights, rightsOver, rolesGivenBy } from '../domain/member-rules.js';
import { ActionButton } from '../elements/action-button.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Problem } from '../elements/problem.js';
import { RowButton } from '../elements/row-button.js';
import { NameFilter } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { Screen } from '../layout/screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { Invite } from './invite.js';
import { RemoveMember } from './remove-member.js';
import { RenameWorkspace } from './rename-workspace.js';

export function MembersScreen() {
  const { api, session } = usePage();
  const { workspace, zone, mayWrite } = useWorkspace();
  const { name: part } = useSearch({ from: '/w/$workspaceId/members' });
  const [asked, setAsked] = useState<MemberResource>();
  const members = useInfiniteQuery({
    queryKey: ['w', workspace.id, 'members'],
    queryFn: ({ signal, pageParam }) =>
      api<Page<MemberResource>>({
        path: `/workspaces/${workspace.id}/members`,
        query: { cursor: pageParam },
        signal,
      }),
    ...cursors,
  });
  const rightsOf = (member: MemberResource, items: readonly MemberResource[]): MemberRights => {
    const rights = rightsOver(member, { sub: session.user, role: workspace.role }, items);
    // An owner could stand on a page that is not read yet.
    return members.hasNextPage ? { ...rights, isLastOwner: false } : rights;
  };
  return (
    <Screen title="Members">
      {rolesGivenBy(workspace.role).length > 0 && <Invite />}
      {mayWrite && <RenameWorkspace />}
      <NameFilter list={members} part={part} label="Who has in the name" />
      <List
        list={members}
        name="members"
        columns={(items) => columnsFor(zone, (member) => rightsOf(member, items), setAsked)}
        keyOf={({ id }) => id}
        find={{ part, nameOf }}
        empty={<p>Nobody belongs to this workspace.</p>}
      />
      {asked !== undefined && (
        <RemoveMember
          member={asked}
          name={nameOf(asked)}
          isOwn={asked.sub === session.user}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Screen>
  );
}

function columnsFor(
  zone: string,
  rightsOf: (member: MemberResource) => MemberRights,
  onRemove: (member: MemberResource) => void,
): readonly Column<MemberResource>[] {
  return [
    {
      title: 'Who',
      cell: (member) => `${nameOf(member)}${rightsOf(member).isOwn ? ' (you)' : ''}`,
    },
    { title: 'Role', cell: (member) => <Role member={member} roles={rightsOf(member).roles} /> },
    { title: 'Membership', cell: ({ membership }) => <span className={style['badge']}>{membership}</span> },
    { title: `Since (${zone})`, cell: ({ created_at: at }) => <Instant at={at} zone={zone} /> },
    {
      title: 'Actions',
      cell: (member) => {
        const { isOwn, isLastOwner, mayRemove } = rightsOf(member);
        if (isLastOwner) return 'the last owner stays: make another member owner first';
        if (!mayRemove) return null;
        const ask = (): void => onRemove(member);
        if (!isOwn) return <RowButton verb="Remove" row={nameOf(member)} onClick={ask} />;
        return (
          <button type="button" onClick={ask}>
            Leave
          </button>
        );
      },
    },
  ];
}

function nameOf({ email, sub }: MemberResource): string {
  return email ?? sub ?? 'not known';
}

/** Chosen first, and given by a button: an arrow key goes through the roles, and each of them is somebody's rights. */
function Role({
  member,
  roles,
}: {
  readonly member: MemberResource;
  readonly roles: readonly MemberResource['role'][];
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const choice = useRef<HTMLSelectElement>(null);
  const [chosen, setChosen] = useState<string>();
  const change = useMutation({
    mutationFn: (role: string) =>
      api({
        method: 'PATCH',
        path: `/workspaces/${workspace.id}/members/${member.id}`,
        body: { role },
        version: member.version,
      }),
    onSettled: async () => {
      await Promise.all([
        cache.invalidateQueries({ queryKey: ['w', workspace.id, 'members'] }),
        // Who changes the own role sees other screens.
        cache.invalidateQueries({ queryKey: ['workspaces'] }),
      ]);
      // The button goes, and gives the focus back.
      if (choice.current?.parentElement?.contains(document.activeElement) === true) choice.current.focus();
      setChosen(undefined);
    },
  });
  if (roles.length < 2) return member.role;
  return (
    <>
      <select
        ref={choice}
        aria-label={`Role of ${nameOf(member)}`}
        value={chosen ?? member.role}
        aria-disabled={change.isPending}
        onChange={({ target }) => change.isPending || setChosen(target.value)}
      >
        {roles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>{' '}
      {chosen !== undefined && chosen !== member.role && (
        <ActionButton isBusy={change.isPending} onClick={() => change.mutate(chosen)}>
          Give this role
        </ActionButton>
      )}
      {change.error !== null && <Problem error={change.error} />}
    </>
  );
}
