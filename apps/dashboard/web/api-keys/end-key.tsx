import { useMutation } from '@tanstack/react-query';
import type { ApiKeyResource, NewApiKeyResource, SiteResource } from '@truetally/node';
import { useState } from 'react';
import { Dialog } from '../elements/dialog.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Problem } from '../elements/problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

interface KeyDialogProps {
  readonly site: SiteResource;
  readonly apiKey: ApiKeyResource;
  readonly onClose: () => void;
}

/** How long both keys are taken, in seconds. */
const OVERLAPS = { '3600': 'an hour', '86400': 'a day', '604800': 'a week', '0': 'not at all' };

/** Makes a key's successor; the old one is taken until the overlap ends. */
export function Rotate({
  site,
  apiKey,
  onClose,
  onMade,
}: KeyDialogProps & { readonly onMade: (secret: string | null | undefined) => void }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [overlap, setOverlap] = useState('3600');
  const rotate = useMutation({
    mutationFn: () =>
      api<NewApiKeyResource>({
        method: 'POST',
        path: `/sites/${site.id}/api-keys/${apiKey.id}/rotate`,
        idempotencyKey,
        body: { overlap_seconds: Number(overlap) },
        workspaceId: workspace.id,
      }),
    onSuccess: ({ key }) => onMade(key),
    // The answer holds the secret: nothing of it stays in the page's memory.
    gcTime: 0,
  });
  return (
    <Dialog title={`Rotate ${apiKey.name}?`} onClose={onClose}>
      <p>
        A new key takes over its name, scopes and limit. Until the overlap ends both are taken, and share the
        limit; a rotated key cannot be prolonged.
      </p>
      {rotate.error !== null && <Problem error={rotate.error} />}
      <Field label="The old one is taken for">
        <select value={overlap} onChange={({ target }) => setOverlap(target.value)}>
          {Object.entries(OVERLAPS)
            .toSorted(([one], [other]) => Number(one) - Number(other))
            .map(([seconds, words]) => (
              <option key={seconds} value={seconds}>
                {words}
              </option>
            ))}
        </select>
      </Field>
      <div className={style['actions']}>
        <button type="button" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate it
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}

export function Revoke({ site, apiKey, onClose, onDone }: KeyDialogProps & { readonly onDone: () => void }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const revoke = useMutation({
    mutationFn: () =>
      api({ method: 'DELETE', path: `/sites/${site.id}/api-keys/${apiKey.id}`, workspaceId: workspace.id }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  return (
    <Dialog title={`Revoke ${apiKey.name}?`} onClose={onClose}>
      <p>
        Requests with <code>{apiKey.prefix}…</code> are refused within a second. This cannot be undone.
      </p>
      {revoke.error !== null && <Problem error={revoke.error} />}
      <div className={style['actions']}>
        <button type="button" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke it
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
