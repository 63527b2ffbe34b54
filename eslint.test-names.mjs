/** Words that cannot begin a sentence which is true by itself; a failing line of a test run shows nothing else. */
const PREPOSITIONS = `about above across after against along amid among around as at before behind below beneath
  beside besides between beyond by despite during except for from in inside into near of off on onto outside over
  past per since through throughout to toward towards under underneath unlike until up upon via with within without`;
const CONJUNCTIONS = `although and because but if lest nor once or so than that though unless when whenever where
  whereas wherever whether which while who whom whose`;
const AUXILIARIES = `am are be been can cannot could did do does had has have is may might must shall should was were
  will would`;
const WORDS = [PREPOSITIONS, CONJUNCTIONS, AUXILIARIES].flatMap((words) => words.split(/\s+/));
const BEGINNING = `/^(${WORDS.join('|')})(?=[\\s,:]|$)/i`;

/** `it(…)`, `it.failing(…)`, `it.each(…)(…)`, `it.failing.each(…)(…)`, with tables as templates too. */
const CALLEES = [
  'callee.name',
  'callee.object.name',
  'callee.callee.object.name',
  'callee.callee.object.object.name',
  'callee.tag.object.name',
  'callee.tag.object.object.name',
];
const TITLES = ['arguments.0.value', 'arguments.0.quasis.0.value.raw'];

/** Options of `no-restricted-syntax`. */
export const TEST_NAMES = CALLEES.flatMap((callee) =>
  TITLES.map((title) => ({
    selector: `CallExpression[${callee}=/^(it|test)$/][${title}=${BEGINNING}]`,
    message: 'The name of a test is true without its describe: begin it with its subject.',
  })),
);
