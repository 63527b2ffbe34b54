import type { Quiz, Stage } from './campaign-types.js';
import { element } from './surface.js';

/**
 * The questions, one after the other, and then a result: as many answers as point to each are counted, the first
 * answer of a question to the first result, the second to the second; the earlier result wins a tie.
 */
export function openQuiz(
  track: Stage['track'],
  ids: { readonly overlay_id: string; readonly campaign_id: string },
  { quiz_id, questions, results }: Quiz,
  completed: () => void,
): HTMLElement {
  const properties = { ...ids, quiz_id };
  const area = element('div', { 'aria-live': 'polite' });
  const counts = results.map(() => 0);
  let index = 0;
  const show = (text: string, ...content: readonly Node[]): void => {
    const heading = element('h3', { tabindex: '-1' }, text);
    area.replaceChildren(heading, ...content);
    // The answer that had the focus is gone.
    if (index) heading.focus();
  };
  const ask = (): void => {
    const question = questions[index];
    if (!question) {
      const result = results[counts.indexOf(Math.max(...counts))];
      if (!result) return;
      completed();
      track('quiz_complete', { ...properties, result_id: result.result_id });
      return show(result.text);
    }
    const { question_id } = question;
    const answers = question.answers.map(({ answer_id, text }, place) => {
      const click = ({ detail }: MouseEvent): void => {
        // The second press of a double click: what is under it now is of the next question.
        if (detail > 1) return;
        if (!index) track('quiz_start', properties);
        track('quiz_answer', { ...properties, question_id, answer_id });
        const pointed = place % counts.length;
        counts[pointed] = (counts[pointed] ?? 0) + 1;
        index += 1;
        ask();
      };
      return element('button', { click }, text);
    });
    show(question.text, ...answers);
  };
  ask();
  return area;
}
