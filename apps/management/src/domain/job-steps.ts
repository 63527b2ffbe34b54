/** Which steps of a job are known, and how far it has come, as its row has it. */
export interface JobProgress {
  /** The step that has begun and not ended; null between two steps. */
  readonly step: string | null;
  /** Names of the steps that have ended. */
  readonly doneSteps: readonly string[];
  /** Names of all steps that any release has planned. */
  readonly plannedSteps: readonly string[];
}

/**
 * The step to go on with, by the plan of this release. A step that is under way goes on, whatever is planned
 * before it by now; a step of a newer release is left to that one, and an added one is done, too.
 * @throws Error for a job that only another release can go on with: it is tried again later
 */
export function nextStep<Step extends { readonly name: string }>(
  plan: readonly Step[],
  { step, doneSteps, plannedSteps }: JobProgress,
): Step {
  const done = new Set(doneSteps);
  const next = plan.find(({ name }) => (step === null ? !done.has(name) : name === step));
  if (next !== undefined) return next;
  const unknown = step ?? plannedSteps.find((name) => !done.has(name));
  throw new Error(`Another release knows the step ${unknown ?? 'that is left'}.`);
}

/** The row after a piece: a cursor of null ends the step. */
export function afterPiece(
  { doneSteps, plannedSteps }: JobProgress,
  plan: readonly { readonly name: string }[],
  { name, cursor }: { readonly name: string; readonly cursor: string | null },
): JobProgress {
  const planned = [...new Set([...plannedSteps, ...plan.map((step) => step.name)])];
  if (cursor !== null) return { step: name, doneSteps, plannedSteps: planned };
  return { step: null, doneSteps: [...doneSteps, name], plannedSteps: planned };
}

/** In a job's ended steps, beside the name of a refused one: it is kept there until all others have ended. */
const REFUSED = 'refused: ';

/** The row after a step was refused that others do not need. @param without names of steps that need it, and are left out with it */
export function afterRefusal(
  progress: JobProgress,
  plan: readonly { readonly name: string }[],
  { name, without }: { readonly name: string; readonly without: readonly string[] },
): JobProgress {
  const after = afterPiece(progress, plan, { name, cursor: null });
  return { ...after, doneSteps: [...after.doneSteps, ...without, REFUSED + name] };
}

/** Whether a step was refused: then the job fails at its end. */
export function hasRefused({ doneSteps }: Pick<JobProgress, 'doneSteps'>): boolean {
  return doneSteps.some((name) => name.startsWith(REFUSED));
}

/** Whether nothing is left, by any release's plan. */
export function isAllDone({ doneSteps, plannedSteps }: JobProgress): boolean {
  const done = new Set(doneSteps);
  return plannedSteps.every((name) => done.has(name));
}
