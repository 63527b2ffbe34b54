/** Of two questions with two answers each, which point to two results. */
export const QUIZ = {
  quiz_id: 'fit',
  questions: [
    {
      question_id: 'feet',
      text: 'How are your feet?',
      answers: [
        { answer_id: 'narrow', text: 'Narrow' },
        { answer_id: 'wide', text: 'Wide' },
      ],
    },
    {
      question_id: 'use',
      text: 'For what?',
      answers: [
        { answer_id: 'road', text: 'Road' },
        { answer_id: 'trail', text: 'Trail' },
      ],
    },
  ],
  results: [
    { result_id: 'racer', text: 'The racer' },
    { result_id: 'hiker', text: 'The hiker' },
  ],
};
