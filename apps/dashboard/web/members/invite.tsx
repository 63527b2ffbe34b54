import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { type Role, rolesGivenBy } from '../domain/member-rules.js';
import { Dialog } from '../elements/dialog.js';
import { DialogActions } from '../elements/dialog-actions.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { useDraft } from '../session/use-draft.js';

interface Invited {
  readonly email: string;
  readonly role: Role;
}

const MEANINGS: Readonly<Record<Role, string>> = {
  owner: 'owner: everything, also owners, the audit log and the publisher’s report',
  admin: 'admin: everything but owners’ matters',
  analyst: 'analyst: sees, and changes nothing',
};

/** Invites by e-mail: that person sees the invitation after signing in with this address. */
export function Invite() {
  const { workspace } = useWorkspace();
  const draft = useDraft<Invited>(`invite:${workspace.id}`);
  const [isOpen, setOpen] = useState(draft.kept !== undefined);
  const close = (): void => {
    draft.forget();
    setOpen(false);
  };
  return (
    <div className={style['actions']}>
      <button type="button" onClick={() => setOpen(true)}>
        Invite somebody
      </button>
      {isOpen && <InviteDialog draft={draft} onClose={close} />}
    </div>
  );
}

function InviteDialog({
  draft,
  onClose,
}: {
  readonly draft: ReturnType<typeof useDraft<Invited>>;
  readonly onClose: () => void;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [typed, setTyped] = useState<Invited>({ email: '', role: 'analyst', ...draft.kept });
  const change = (changed: Partial<Invited>): void => {
    setTyped({ ...typed, ...changed });
    draft.keep({ ...typed, ...changed });
  };
  const invite = useMutation({
    mutationFn: () =>
      api({
        method: 'POST',
        path: `/workspaces/${workspace.id}/members`,
        idempotencyKey,
        body: typed,
      }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ['w', workspace.id, 'members'] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!invite.isPending) invite.mutate();
  };
  const refused = fieldErrors(invite.error, ['email', 'role']);
  return (
    <Dialog title={`Invite somebody to ${workspace.name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <FormProblem error={invite.error} refused={refused} />
        <Field
          label="E-mail"
          hint="As the sign-in knows it: the invitation waits there, no letter is sent"
          error={refused.byField('email')}
        >
          <input
            type="email"
            value={typed.email}
            onChange={({ target }) => change({ email: target.value })}
            autoComplete="off"
          />
        </Field>
        <Field label="Role" error={refused.byField('role')}>
          <select value={typed.role} onChange={({ target }) => change({ role: target.value as Role })}>
            {rolesGivenBy(workspace.role).map((role) => (
              <option key={role} value={role}>
                {MEANINGS[role]}
              </option>
            ))}
          </select>
        </Field>
        <DialogActions verb="Invite" isBusy={invite.isPending} onKeep={onClose} />
      </form>
    </Dialog>
  );
}
