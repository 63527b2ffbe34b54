import type { ArmSample, ArmSamples, Share } from '../domain/statistics/moments.js';
import { requiredPerArm, type SamplePlan } from '../domain/statistics/power.js';
import { binomialOf, gapOf, MEAN_ORDER_VALUE, orderValue, type Random } from './random.js';

export const METRICS = ['conversion', 'revenue per session'] as const;
export type SimulatedMetric = (typeof METRICS)[number];

/** One simulated experiment. */
export interface Scenario {
  readonly metric: SimulatedMetric;
  /** Conversion rate of control. */
  readonly rate: number;
  readonly controlShare: number;
  /** True relative effect of treatment. */
  readonly effect: number;
}

/** Sessions that arrive between two looks. */
export const LOOK_EVERY = 10;
export const ALPHA = 0.05;

/** The plan of a shop that knows its conversion rate. */
export function planOf({ rate }: Scenario): SamplePlan {
  return { baselineRate: rate, minimumDetectableEffect: DETECTABLE_EFFECT, alpha: ALPHA, power: 0.8 };
}

const DETECTABLE_EFFECT = 0.2;

/** The planned sessions of both arms as if they were equal: the former plan of unequal ones. */
export function evenPlanOf(scenario: Scenario): number | null {
  const { perArm } = requiredPerArm(planOf(scenario));
  return perArm === null ? null : 2 * perArm;
}

/** True means of the arms. */
export function truthOf({ metric, rate, effect }: Scenario): { control: number; treatment: number } {
  const value = metric === 'conversion' ? 1 : MEAN_ORDER_VALUE;
  return { control: rate * value, treatment: rate * (1 + effect) * value };
}

/** Sessions of both arms as they arrive. */
export class Traffic implements ArmSamples {
  readonly control: SimulatedArm;
  readonly treatment: SimulatedArm;
  private readonly controlSessions: (random: Random) => number;

  constructor(
    { metric, rate, effect, controlShare }: Scenario,
    private readonly random: Random,
  ) {
    const value = metric === 'conversion' ? () => 1 : orderValue;
    this.control = new SimulatedArm(rate, value, random);
    this.treatment = new SimulatedArm(rate * (1 + effect), value, random);
    this.controlSessions = binomialOf(LOOK_EVERY, controlShare);
  }

  /** The sessions until the next look. */
  arrive(): void {
    const control = this.controlSessions(this.random);
    this.control.visit(control);
    this.treatment.visit(LOOK_EVERY - control);
  }
}

/**
 * The moments of an arm whose sessions mostly bring nothing. It draws the sessions that do, and counts those in
 * between.
 */
class SimulatedArm implements ArmSample {
  count = 0;
  conversions = 0;
  /** Of all values. */
  total = 0;
  private squares = 0;
  private cubes = 0;
  private untilNext: number;

  constructor(
    private readonly rate: number,
    private readonly value: (random: Random) => number,
    private readonly random: Random,
  ) {
    this.untilNext = gapOf(rate, random);
  }

  visit(sessions: number): void {
    this.count += sessions;
    this.untilNext -= sessions;
    while (this.untilNext <= 0) {
      this.untilNext += gapOf(this.rate, this.random);
      this.convert(this.value(this.random));
    }
  }

  private convert(value: number): void {
    this.conversions += 1;
    this.total += value;
    this.squares += value * value;
    this.cubes += value * value * value;
  }

  get share(): Share {
    return { successes: this.conversions, count: this.count };
  }

  /** Not a number before the first session. */
  get varianceOfMean(): number {
    const mean = this.total / this.count;
    return (this.squares / this.count - mean * mean) / this.count;
  }

  get mean(): number | null {
    return this.count === 0 ? null : this.total / this.count;
  }

  get variance(): number | null {
    return this.count < 2 ? null : (this.squares - this.total ** 2 / this.count) / (this.count - 1);
  }

  get skewness(): number | null {
    const mean = this.total / this.count;
    const spread = this.squares / this.count - mean ** 2;
    if (this.count < 3 || spread <= 0) return null;
    const third = this.cubes / this.count - (3 * mean * this.squares) / this.count + 2 * mean ** 3;
    return third / spread ** 1.5;
  }
}
