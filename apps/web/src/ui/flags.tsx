import type { Swap } from '@dexfeed/client'
import { Badge } from './badge.tsx'

type Flag = Swap['flags'][number]

export const FLAG_TEXTS: Readonly<Record<Flag, string>> = {
  depegged: 'A stablecoin that sets the value trades off its peg.',
  disagreement: 'The sources of the value differ by more than a tenth.',
  capped: 'The value is limited to the money that the pools held, or that did not go round.',
  partial: 'The account gave or got something else, too, or nothing shows what that is worth.',
  'jit-liquidity': 'The transaction added the liquidity that it swapped with, and removed it after.',
  'amounts-differ': 'The amounts of the account and of the pools differ by more than a fifth.',
  'old-price': 'The pools that give the price had no trade for half an hour.',
  unconfirmed: 'The transfers do not confirm what the event of the pool says.',
  'closed-loop': 'All value went round: nobody outside of the pools gave or got more than 1 % of it.',
  settlement: 'The event of a settlement tells this order; no pool moved it, or not all of it.',
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
