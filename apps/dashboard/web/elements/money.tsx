import { readableAmount } from '../domain/amounts.js';

/** Every digit that the service gives, with its currency and a sign that is not a colour. */
export function Money({ amount, currency }: { readonly amount: string; readonly currency: string }) {
  return (
    <span>
      {readableAmount(amount)} {currency}
    </span>
  );
}
