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

// USD values, sources and flags as `npm run explain`, the API and the page write them.

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
  {
    bit: FLAG_CAPPED,
    name: 'capped',
    text: 'the value is limited to what the pools held, or to what did not go round within the transaction',
  },
  {
    bit: FLAG_PARTIAL,
    name: 'partial',
    text: 'the trader also gave or got a token that nothing else confirms or prices; or only part of the trade has a value',
  },
  {
    bit: FLAG_JIT_LIQUIDITY,
    name: 'jit-liquidity',
    text: 'the transaction itself added the liquidity before the swap and removed it afterwards',
  },
  {
    bit: FLAG_AMOUNTS_DIFFER,
    name: 'amounts-differ',
    text: 'the amounts, or the price they give, differ by more than a fifth from what went through the pools',
  },
  {
    bit: FLAG_OLD_PRICE,
    name: 'old-price',
    text: 'the pools that set the price had not traded for half an hour',
  },
  {
    bit: FLAG_UNCONFIRMED,
    name: 'unconfirmed',
    text: 'the transfers do not confirm the event of the pool',
  },
  {
    bit: FLAG_CLOSED_LOOP,
    name: 'closed-loop',
    text: 'all value went round: nobody outside the pools gave or got more than 1 % of it in the transaction',
  },
  {
    bit: FLAG_SETTLEMENT,
    name: 'settlement',
    text: 'an order that the event of a settlement states; the pools that are read filled only a part of it, or nothing',
  },
] as const

export function flagsOf(bits: number): (typeof VALUE_FLAGS)[number][] {
  return VALUE_FLAGS.filter(({ bit }) => (bits & bit) !== 0)
}

const DIGITS = 8

/** Returns USD scaled by 1e8 as a decimal with exactly eight fractional digits. */
export function usdText(usdE8: bigint): string {
  const digits = absolute(usdE8)
    .toString()
    .padStart(DIGITS + 1, '0')
  return `${usdE8 < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`
}

/** The inverse of `usdText`. @throws RangeError for more than eight fractional digits */
export function usdE8Of(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  if (fraction.length > DIGITS) throw new RangeError(`${text} has more than ${DIGITS} fractional digits`)
  return BigInt(whole + fraction.padEnd(DIGITS, '0'))
}
