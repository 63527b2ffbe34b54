/** Active ISO 4217 codes that have a minor unit: no metals, bonds or test codes (interface, section 6). */
const CURRENCIES: ReadonlySet<string> = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF ' +
    'CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP ' +
    'GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT ' +
    'LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR ' +
    'NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
    'SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD ' +
    'XAF XCD XCG XOF XPF YER ZAR ZMW ZWG'
  ).split(' '),
);
const MAX_TIME_ZONE_LENGTH = 64;
/** A region and a place, or one of the old single words; `+01:00` is an offset and no zone with a history. */
const TIME_ZONE_FORM = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

export function readCurrency(text: string): string | undefined {
  return CURRENCIES.has(text) ? text : undefined;
}

/** An IANA time zone name, kept as the merchant wrote it (aliases included). */
export function readTimeZone(text: string): string | undefined {
  if (text.length > MAX_TIME_ZONE_LENGTH || !TIME_ZONE_FORM.test(text)) return undefined;
  try {
    // There is no test without an exception: `supportedValuesOf` leaves out every alias.
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}
