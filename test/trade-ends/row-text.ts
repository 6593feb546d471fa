import { nameOf } from './made-world.ts'

interface Ends {
  sell: { token: string; amount: bigint; native?: boolean }
  buy: { token: string; amount: bigint; native?: boolean }
}

export interface Row extends Ends {
  through: Ends
  routes?: readonly {
    ends: Ends
    isPassedOn?: boolean | undefined
    hops: readonly { logIndex: number; amountIn: bigint; amountOut: bigint }[]
  }[]
  settledFor: string | null
  isPartial: boolean
  endsToCompare?: readonly string[]
  accountEnds?: readonly string[]
  isOwn: boolean
  differs: boolean
  isUnconfirmed: boolean
  hops: readonly { logIndex: number; amountIn: bigint; amountOut: bigint }[]
}

export function textOfRow(row: Row): string {
  const { through, routes, settledFor, isPartial, endsToCompare = [], accountEnds = [] } = row
  const { isOwn, differs, isUnconfirmed, hops } = row
  return [
    endsText(row),
    `(pools: ${endsText(withoutForms(through))})`,
    `by logs ${hops.map(({ logIndex }) => logIndex).join(' ')}`,
    ...(settledFor === null ? [] : [`settled for ${nameOf(settledFor)}`]),
    ...(isPartial ? ['partial'] : []),
    ...(endsToCompare.length > 0 ? [`compares ${endsToCompare.join(' and ')}`] : []),
    ...(accountEnds.length > 0 ? [`account shown by ${accountEnds.join(' and ')}`] : []),
    ...(isOwn ? ['own'] : []),
    ...(differs ? ['amounts differ'] : []),
    ...(isUnconfirmed ? ['unconfirmed'] : []),
    ...(routes ?? [{ ends: through, hops, isPassedOn: false }]).map((route) => {
      const parts = route.hops.map(({ logIndex, amountIn, amountOut }) => `${logIndex}: ${amountIn} for ${amountOut}`)
      return `${route.isPassedOn ? 'passes on' : 'worth'} ${endsText(withoutForms(route.ends))} by ${parts.join('; ')}`
    }),
  ].join(', ')
}

function endsText({ sell, buy }: Ends): string {
  const end = ({ token, amount, native }: Ends['sell']) => `${amount} ${native === true ? 'coin' : nameOf(token)}`
  return `${end(sell)} for ${end(buy)}`
}

function withoutForms({ sell, buy }: Ends): Ends {
  return { sell: { ...sell, native: false }, buy: { ...buy, native: false } }
}
