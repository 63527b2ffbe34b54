import { runBench } from './lab/bench/run-bench.js';
import { silenceDriverWarning } from './quiet-warnings.js';

silenceDriverWarning();
process.exit(await runBench(process.argv.slice(2)));
