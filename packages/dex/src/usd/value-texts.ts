import { absolute } from '../maths/integers.ts'
import {
  FLAG_AMOUNTS_DIFFER,
  FLAG_CAPPED,
  FLAG_CLOSED_LOOP,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  FLAG_JIT_LIQUIDITY,
  FLAG_OLD_PRICE,
  FLAG_PARTIAL,
  FLAG_SETTLEMENT,
  FLAG_UNCONFIRMED,
  type UsdSource,
} from '../trades/trade.ts'

export const USD_SOURCE_TEXTS: Readonly<Record<UsdSource, string>> = {
  stablecoin: 'the stablecoin leg',
  'route-stablecoin': 'the stablecoin that the whole route passes through',
  native: 'the native coin at its reference price',
  anchor: 'an anchor at its reference price',
}

/** Every bit of `UsdValue.flags`, with its name in the API. */
export const VALUE_FLAGS = [
  { bit: FLAG_DEPEGGED, name: 'depegged', text: 'a stablecoin is off its peg' },
  { bit: FLAG_DISAGREEMENT, name: 'disagreement', text: 'the legs disagree by more than 5 %' },
  { bit: FLAG_CAPPED, name: 'capped', text: 'capped at what the pools held, or at what did not go round' },
  {
    bit: FLAG_PARTIAL,
    name: 'partial',
    text: 'the trader gave or got another token, and nothing but that token shows it or what it is worth; or the value is that of a part',
  },
  {
    bit: FLAG_JIT_LIQUIDITY,
    name: 'jit-liquidity',
    text: 'the transaction itself put liquidity there before and took it out after',
  },
  {
    bit: FLAG_AMOUNTS_DIFFER,
    name: 'amounts-differ',
    text: 'the amounts, or their price, are more than a fifth off what went through the pools',
  },
  {
    bit: FLAG_OLD_PRICE,
    name: 'old-price',
    text: 'the pools that give the price had no trade for half an hour',
  },
  {
    bit: FLAG_UNCONFIRMED,
    name: 'unconfirmed',
    text: 'the transfers do not confirm what the pool’s event says',
  },
  {
    bit: FLAG_CLOSED_LOOP,
    name: 'closed-loop',
    text: 'all value went round: nobody outside of the pools gave or got more than 1 % of it in the transaction',
  },
  {
    bit: FLAG_SETTLEMENT,
    name: 'settlement',
    text: 'an order that a settlement’s event tells; no pool that is read moved it, or not all of it',
  },
] as const

export function flagsOf(bits: number): (typeof VALUE_FLAGS)[number][] {
  return VALUE_FLAGS.filter(({ bit }) => (bits & bit) !== 0)
}

const DIGITS = 8

/** Returns USD scaled by 1e8 as a decimal with exactly eight fractional digits. */
export function usdText(usdE8: bigint): string {
  return fixedText(usdE8, DIGITS)
}

/** Returns a number scaled by 10^`digits` as a decimal with exactly that many fractional digits. */
export function fixedText(scaled: bigint, digits: number): string {
  const text = absolute(scaled)
    .toString()
    .padStart(digits + 1, '0')
  return `${scaled < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** The inverse of `usdText`. @throws RangeError for more than eight fractional digits */
export function usdE8Of(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  if (fraction.length > DIGITS) throw new RangeError(`${text} has more than ${DIGITS} fractional digits`)
  return BigInt(whole + fraction.padEnd(DIGITS, '0'))
}
