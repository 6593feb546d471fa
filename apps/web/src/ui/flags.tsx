import type { Swap } from '@dexfeed/client'
import { Badge } from './badge.tsx'

type Flag = Swap['flags'][number]

export const FLAG_TEXTS: Readonly<Record<Flag, string>> = {
  depegged: 'A stablecoin that sets the value is off its peg.',
  disagreement: 'The values of the two legs differ by more than 5 %.',
  capped: 'The value is limited to what the pools held, or to what did not go round within the transaction.',
  partial: 'The account also gave or got something else, or only part of the trade has a value.',
  'jit-liquidity': 'The transaction added the liquidity that it swapped with, and removed it afterwards.',
  'amounts-differ': 'The amounts differ by more than a fifth from what went through the pools.',
  'old-price': 'The pools that set the price had not traded for half an hour.',
  unconfirmed: 'The transfers do not confirm the event of the pool.',
  'closed-loop': 'All value went round: nobody outside the pools gave or got more than 1 % of it.',
  settlement: 'The event of a settlement states this order; pools filled only a part of it, or nothing.',
}

/** Shows flags, each with its meaning as the title. */
export function Flags({ flags }: { flags: readonly Flag[] }) {
  return (
    <>
      {flags.map((flag) => (
        <Badge key={flag} tone="warning" title={FLAG_TEXTS[flag]}>
          {flag}
        </Badge>
      ))}
    </>
  )
}
