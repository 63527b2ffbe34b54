// Imported first by a script without arguments, so that nothing else has begun: one is a misunderstanding.
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const { npm_lifecycle_event: script } = process.env;
  console.error(`Usage: ${script === undefined ? `node ${process.argv[1]}` : `npm run ${script}`}`);
  process.exit(argument === '--help' ? 0 : 2);
}
