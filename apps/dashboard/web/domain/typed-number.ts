/** As the screens write thousands: a comma here is no decimal one. */
const GROUPED = /^\s*[1-9]\d{0,2}(,\d{3})+\s*$/;

/** What is no number goes as it is typed: the service says at the field what it expects. `10,000` may be ten as well. */
export function typedNumber(text: string): number | string {
  const value = Number(text.replace(',', '.'));
  return text.trim() === '' || GROUPED.test(text) || !Number.isFinite(value) ? text : value;
}
