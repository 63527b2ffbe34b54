import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ExperimentResource, ExperimentResults } from '@truetally/node';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import { typedNumber } from '../domain/typed-number.js';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FormProblem } from '../elements/form-problem.js';
import { Instant } from '../elements/instant.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { useDraft } from '../session/use-draft.js';

interface ExclusionsProps {
  readonly experiment: ExperimentResource;
  readonly excluded: ExperimentResults['exclusions'];
  /** Of the times. */
  readonly zone: string;
}

/** Sessions that count nowhere above, by which rule, and every change of it: who tries rules until one pleases is seen. */
export function Excluded({ experiment, excluded, zone }: ExclusionsProps) {
  const { mayWrite } = useWorkspace();
  const { control, treatment } = excluded.sessions;
  return (
    <>
      <h3>Excluded sessions</h3>
      <p>
        <span className={style['badge']}>{excluded.state}</span> {control.toLocaleString('en')} of control,{' '}
        {treatment.toLocaleString('en')} of treatment
        {experiment.exclusions.sessions_per_network !== null &&
          `: those of networks with more than ${experiment.exclusions.sessions_per_network} sessions`}
      </p>
      {mayWrite && <Rule experiment={experiment} />}
      {excluded.changes.length > 0 && (
        <ol aria-label="Changes of the rule">
          {excluded.changes.map(({ changed_at: at, sessions_per_network: most }) => (
            <li key={at}>
              <Instant at={at} zone={zone} />: {most === null ? 'nobody is excluded' : `more than ${most}`}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function Rule({ experiment }: { readonly experiment: ExperimentResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const draft = useDraft<{ readonly typed: string }>(`exclusions:${experiment.id}`);
  const [typed, setTyped] = useState(draft.kept?.typed);
  const change = (changed: string): void => {
    setTyped(changed);
    draft.keep({ typed: changed });
  };
  const shown = typed ?? String(experiment.exclusions.sessions_per_network ?? '');
  const save = useMutation({
    mutationFn: () =>
      api({
        method: 'PATCH',
        path: `/partner-experiments/${experiment.id}/exclusions`,
        workspaceId: workspace.id,
        version: experiment.version,
        body: { sessions_per_network: shown.trim() === '' ? null : typedNumber(shown) },
      }),
    // Also after a refusal: the next attempt changes what somebody else has made of it.
    onSettled: async (_, error) => {
      await cache.invalidateQueries({ queryKey: ['w', workspace.id] });
      if (error !== null) return;
      draft.forget();
      setTyped(undefined);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  const refused = fieldErrors(save.error, ['sessions_per_network']);
  return (
    <form onSubmit={submit} noValidate>
      <FormProblem error={save.error} refused={refused} />
      <Field
        label="Most sessions of one network"
        hint="All sessions of a network with more are left out of the results, whichever arm they are in; empty: nobody is"
        error={refused.byField('sessions_per_network')}
      >
        <input
          value={shown}
          onChange={({ target }) => change(target.value)}
          inputMode="numeric"
          autoComplete="off"
        />
      </Field>
      <div className={style['actions']}>
        <ActionButton type="submit" isBusy={save.isPending}>
          Set the rule
        </ActionButton>
      </div>
    </form>
  );
}
