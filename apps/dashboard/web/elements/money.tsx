/** An amount exactly as the service gives it: text from there to here, with its currency and a sign that is not a colour. */
export function Money({ amount, currency }: { readonly amount: string; readonly currency: string }) {
  const text = amount.startsWith('-') ? `\u2212${amount.slice(1)}` : amount;
  return (
    <span>
      {text} {currency}
    </span>
  );
}
