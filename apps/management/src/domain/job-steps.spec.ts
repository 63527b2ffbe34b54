import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterPiece, afterRefusal, hasRefused, isAllDone, type JobProgress, nextStep } from './job-steps.js';

const NEW: JobProgress = { step: null, doneSteps: [], plannedSteps: [] };
const planOf = (...names: readonly string[]) => names.map((name) => ({ name }));

/** Does pieces until the job has ended, with a plan for each; undefined where the plan's release cannot go on. */
function run(plans: readonly (readonly { readonly name: string }[])[], cursors: readonly (string | null)[]) {
  let progress = NEW;
  const done: string[] = [];
  plans.forEach((plan, index) => {
    if (progress !== NEW && isAllDone(progress)) return;
    let next;
    try {
      next = nextStep(plan, progress);
    } catch {
      return;
    }
    const cursor = cursors[index] ?? null;
    if (cursor === null) done.push(next.name);
    progress = afterPiece(progress, plan, { name: next.name, cursor });
  });
  return { progress, done };
}

describe('the steps of a job', () => {
  it('the steps of a job are done once each and all of them, whatever releases take turns with it', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
    const release = fc.tuple(names, names).map(([older, newer]) => [older, newer] as const);
    const turns = fc.array(fc.tuple(fc.boolean(), fc.constantFrom(null, 'more')), { maxLength: 40 });
    fc.assert(
      fc.property(release, turns, ([older, newer], pieces) => {
        const plans = pieces.map(([isNewer]) => planOf(...(isNewer ? newer : older)));
        const cursors = pieces.map(([, cursor]) => cursor);
        // At last each release has as many turns as it needs.
        const rest = Array.from({ length: 20 }, (_, turn) => planOf(...(turn % 2 === 0 ? older : newer)));
        const { progress, done } = run([...plans, ...rest], cursors);
        expect(isAllDone(progress)).toBe(true);
        expect(new Set(done).size).toBe(done.length);
        expect(done.toSorted()).toEqual(progress.plannedSteps.toSorted());
      }),
    );
  });

  it.each(['1', '2', '3'])(
    'a refused step of part %s leaves out what needs it and nothing else, and is known at the end',
    (broken) => {
      const plan = planOf(...['1', '2', '3'].flatMap((part) => [`read ${part}`, `finish ${part}`]));
      const done: string[] = [];
      let progress = NEW;
      do {
        const { name } = nextStep(plan, progress);
        done.push(name);
        progress =
          name === `read ${broken}`
            ? afterRefusal(progress, plan, { name, without: [`finish ${broken}`] })
            : afterPiece(progress, plan, { name, cursor: null });
      } while (!isAllDone(progress));
      expect(done).toEqual(plan.map(({ name }) => name).filter((name) => name !== `finish ${broken}`));
      expect([hasRefused(progress), hasRefused({ doneSteps: done })]).toEqual([true, false]);
    },
  );

  it('go on at their name when a release has added one before them', () => {
    const begun = afterPiece(NEW, planOf('ingestion', 'management'), { name: 'ingestion', cursor: '5' });
    const plan = planOf('added', 'ingestion', 'management');
    expect(nextStep(plan, begun)).toEqual({ name: 'ingestion' });
    const ended = afterPiece(begun, plan, { name: 'ingestion', cursor: null });
    expect(nextStep(plan, ended)).toEqual({ name: 'added' });
  });

  it('the steps of a job of a newer release are left to it', () => {
    const plan = planOf('ingestion', 'added');
    const begun = afterPiece(NEW, plan, { name: 'ingestion', cursor: null });
    expect(() => nextStep(planOf('ingestion'), begun)).toThrow('Another release knows the step added.');
    expect(nextStep(plan, begun)).toEqual({ name: 'added' });
  });
});
