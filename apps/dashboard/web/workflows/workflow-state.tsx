import type { WorkflowResource } from '@truetally/node';
import style from '../elements/elements.module.css';

const BECAUSE = {
  failing: 'every attempt of three days failed',
  member: 'a member disabled it',
} as const;

/** Whether it sends, and why not. */
export function WorkflowState({
  workflow: { enabled, disabled_reason: reason },
}: {
  readonly workflow: WorkflowResource;
}) {
  return (
    <>
      <span className={style['badge']}>{enabled ? 'enabled' : 'disabled'}</span>
      {!enabled && reason !== null && ` because ${BECAUSE[reason]}`}
    </>
  );
}
