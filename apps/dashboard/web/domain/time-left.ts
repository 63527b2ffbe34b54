import { counted } from './counted.js';

const SECOND_MS = 1000;
const DAY_S = 86_400;
const HOUR_S = 3_600;
const MINUTE_S = 60;

/** How long it is until then, as a clock that counts down: `59:01`, `23:59:01`, `6 days 23:59:01`. */
export function timeLeft(leftMs: number): string {
  const seconds = Math.max(Math.ceil(leftMs / SECOND_MS), 0);
  const days = Math.floor(seconds / DAY_S);
  const hours = Math.floor((seconds % DAY_S) / HOUR_S);
  const parts = [Math.floor((seconds % HOUR_S) / MINUTE_S), seconds % MINUTE_S];
  const clock = (days > 0 || hours > 0 ? [hours, ...parts] : parts)
    .map((part, place) => (place === 0 ? String(part) : String(part).padStart(2, '0')))
    .join(':');
  return days === 0 ? clock : `${counted(days, 'day')} ${clock}`;
}
