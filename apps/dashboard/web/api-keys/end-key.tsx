import { useMutation } from '@tanstack/react-query';
import type { ApiKeyResource, NewApiKeyResource, SiteResource } from '@truetally/node';
import { useState } from 'react';
import { ConfirmDialog } from '../elements/confirm-dialog.js';
import { Field } from '../elements/field.js';
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
    <ConfirmDialog title={`Rotate ${apiKey.name}?`} change={rotate} verb="Rotate it" onClose={onClose}>
      <p>
        A new key takes over its name, scopes and limit. Until the overlap ends both are taken, and share the
        limit; a rotated key cannot be prolonged.
      </p>
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
    </ConfirmDialog>
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
    <ConfirmDialog title={`Revoke ${apiKey.name}?`} change={revoke} verb="Revoke it" onClose={onClose}>
      <p>
        Requests with <code>{apiKey.prefix}…</code> are refused within a second. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
