import { sampleRatio, sampleRatioOfPart } from '../domain/statistics/sample-ratio.js';
import { CONTROL_SHARES } from './peeking.js';
import { binomialOf, randomOf } from './random.js';
import { LOOK_EVERY } from './traffic.js';

/** Runs of an experiment that divides its sessions as planned, in which a look found a mismatch. */
export interface FalseMismatches {
  readonly controlShare: number;
  readonly runs: number;
  /** Of all sessions, by Pearson's p-value. */
  readonly whole: number;
  /** Of all sessions, by the always-valid p-value. */
  readonly wholeAlwaysValid: number;
  /** Of any part, by Pearson's p-value. */
  readonly parts: number;
  /** Of any part, by its state. */
  readonly partStates: number;
}

/** Maximum share of runs in which the state of a part is a mismatch. */
export const MOST_FALSE_MISMATCHES = 0.01;

const RUNS = 1_000;
const DAYS = 60;
const SESSIONS_PER_DAY = 300;
const PROVIDERS = 4;
const DEVICES = 3;
const LEVEL = 0.001;
const SEED = 20_260_401;

/** Sixty days with four partners and three classes of devices, looked at after every tenth session. */
export function simulateSampleRatios(): readonly FalseMismatches[] {
  return CONTROL_SHARES.map((controlShare) => falseMismatches(controlShare, RUNS));
}

export function falseMismatches(controlShare: number, runs: number): FalseMismatches {
  const totals = { whole: 0, wholeAlwaysValid: 0, parts: 0, partStates: 0 };
  for (let run = 0; run < runs; run += 1) {
    const found = look(controlShare, SEED + run);
    totals.whole += Number(found.whole);
    totals.wholeAlwaysValid += Number(found.wholeAlwaysValid);
    totals.parts += Number(found.parts);
    totals.partStates += Number(found.partStates);
  }
  return { controlShare, runs, ...totals };
}

function look(controlShare: number, seed: number) {
  const random = randomOf(seed);
  const allocation = { control: controlShare, treatment: 1 - controlShare };
  const controlSessions = binomialOf(LOOK_EVERY, controlShare);
  const whole = { control: 0, treatment: 0 };
  const parts = new Map<string, { control: number; treatment: number }>();
  const found = { whole: false, wholeAlwaysValid: false, parts: false, partStates: false };
  for (let seen = 0; seen < DAYS * SESSIONS_PER_DAY; seen += LOOK_EVERY) {
    const control = controlSessions(random);
    const names = [
      `day ${Math.floor(seen / SESSIONS_PER_DAY)}`,
      `provider ${Math.floor(random() * PROVIDERS)}`,
      `device ${Math.floor(random() * DEVICES)}`,
    ];
    const changed = [whole, ...names.map((name) => parts.get(name) ?? { control: 0, treatment: 0 })];
    for (const counts of changed) {
      counts.control += control;
      counts.treatment += LOOK_EVERY - control;
    }
    names.forEach((name, place) => parts.set(name, changed[place + 1] ?? whole));
    const ratio = sampleRatio(whole, allocation);
    found.whole ||= ratio.state === 'mismatch';
    found.wholeAlwaysValid ||= ratio.state !== 'insufficient' && (ratio.always_valid_p_value ?? 1) < LEVEL;
    for (const counts of changed.slice(1)) {
      const part = sampleRatioOfPart(counts, allocation, parts.size);
      found.parts ||= part.state !== 'insufficient' && (part.p_value ?? 1) < LEVEL;
      found.partStates ||= part.state === 'mismatch';
    }
  }
  return found;
}
