import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import { ApiError } from '../api/api-error.js';
import { Field } from '../elements/field.js';
import { Problem } from '../elements/problem.js';
import { usePage } from '../session/page-context.js';
import { workspacesQuery } from '../workspaces/workspaces.queries.js';
import { Known, Screen } from './screen.js';
import { Invitation } from './invitation.js';
import shell from './shell.module.css';

/** The page's home: leads to the reader's workspace, or makes the first one. */
export function Start() {
  const { api, session } = usePage();
  const workspaces = useQuery(workspacesQuery(api));
  const own = workspaces.data?.find(({ membership }) => membership === 'accepted');
  if (own !== undefined)
    return <Navigate to="/w/$workspaceId/sites" params={{ workspaceId: own.id }} replace />;
  if (workspaces.isPending) return null;
  return (
    <>
      <header className={shell['bar']}>
        <span className={shell['brand']}>Truetally</span>
        {session.name}
        <button type="button" onClick={() => session.signOut()}>
          Sign out
        </button>
      </header>
      <main className={shell['main']}>
        <Screen title="Your workspace">
          <Known query={workspaces}>
            {(items) => (
              <>
                {items.map((item) => (
                  <Invitation key={item.id} workspace={item} />
                ))}
                <NewWorkspace />
              </>
            )}
          </Known>
        </Screen>
      </main>
    </>
  );
}

function NewWorkspace() {
  const { api } = usePage();
  const cache = useQueryClient();
  const [name, setName] = useState('');
  // The same for each press of the button, and another for another name.
  const key = useMemo(() => ({ of: name, id: crypto.randomUUID() }), [name]).id;
  const create = useMutation({
    mutationFn: () => api({ method: 'POST', path: '/workspaces', body: { name }, idempotencyKey: key }),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['workspaces'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const refused = create.error instanceof ApiError ? create.error.details['name']?.join('; ') : undefined;
  return (
    <form onSubmit={submit}>
      <h2>Make a workspace</h2>
      {create.error !== null && refused === undefined && <Problem error={create.error} />}
      <Field label="Name" error={refused}>
        <input
          value={name}
          onChange={({ target }) => setName(target.value)}
          required
          autoComplete="organization"
        />
      </Field>
      <button type="submit" disabled={create.isPending}>
        Make it
      </button>
    </form>
  );
}
