import { InvalidRequest, type QuoteQuestion, type WithAddresses } from '@dexfeed/contract'
import { type Hex, isIdAlone, isIdentifiedBy, type NetworkName, type QuotablePool } from '@dexfeed/dex'
import { HttpFailure } from '../../http/http-failure.ts'
import type { CatalogToken } from '../../token-catalog.ts'
import { resolveToken, type TokenScope } from '../resolve-token.ts'

export interface AskedQuote {
  network: NetworkName
  sell: CatalogToken
  buy: CatalogToken
  /** Base units of `sell`, or of `buy` if the side is `out`. */
  amount: bigint
  side: 'in' | 'out'
  maxHops: 1 | 2 | 3
  maxSplits: 1 | 2 | 3 | 4
  allows: ((pool: QuotablePool) => boolean) | null
  slippageBps: number | null
}

export interface QuestionScope extends TokenScope {
  protocols: (network: NetworkName) => Promise<ReadonlySet<string>>
}

/** @throws InvalidRequest, HttpFailure */
export async function readQuestion(question: WithAddresses<QuoteQuestion>, scope: QuestionScope): Promise<AskedQuote> {
  const { network } = scope
  const given = givenAmount(question)
  const sell = await resolveToken('sell', question.sell, scope)
  const buy = await resolveToken('buy', question.buy, scope)
  if (sell.address === buy.address && sell.native === buy.native) {
    throw new HttpFailure(400, 'sell and buy are the same token', {}, 'invalid_parameter')
  }
  const side = question.side ?? 'in'
  return {
    network,
    sell,
    buy,
    side,
    amount: given.unit === 'raw' ? BigInt(given.text) : baseUnits(given.text, (side === 'in' ? sell : buy).decimals),
    maxHops: (question.max_hops ?? 3) as AskedQuote['maxHops'],
    maxSplits: (question.max_splits ?? 4) as AskedQuote['maxSplits'],
    allows: await allowed(question, scope),
    slippageBps: question.slippage_bps ?? null,
  }
}

function givenAmount({ amount, amount_raw: raw }: Pick<QuoteQuestion, 'amount' | 'amount_raw'>): {
  unit: 'whole' | 'raw'
  text: string
} {
  if (amount !== undefined && raw === undefined) return { unit: 'whole', text: amount }
  if (amount === undefined && raw !== undefined) return { unit: 'raw', text: raw }
  throw new InvalidRequest('exactly one of amount and amount_raw must be given')
}

function baseUnits(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction.length > decimals && /[1-9]/.test(fraction.slice(decimals))) {
    throw new InvalidRequest(`amount has more fractional digits than the ${decimals} decimals of its token`)
  }
  const amount = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  if (amount >> 256n > 0n) throw new InvalidRequest('amount is 2^256 base units or more')
  return amount
}

async function allowed(
  { protocols, exclude_pools: excluded = [] }: Pick<QuoteQuestion, 'protocols' | 'exclude_pools'>,
  scope: QuestionScope,
): Promise<AskedQuote['allows']> {
  if (protocols === undefined && excluded.length === 0) return null
  if (protocols !== undefined) {
    const stored = await scope.protocols(scope.network)
    const unknown = protocols.findIndex((name) => !stored.has(name))
    if (unknown >= 0) {
      throw new InvalidRequest(`protocols[${unknown}] is not a name that /v1/protocols lists for this network`)
    }
  }
  const names = protocols && new Set(protocols)
  const without = new Set(excluded.map((pool) => pool.toLowerCase() as Hex))
  const ids = [...without].filter(isIdAlone)
  return ({ address, protocol }) =>
    !without.has(address) &&
    !ids.some((id) => isIdentifiedBy(address, id)) &&
    (names === undefined || (protocol !== undefined && names.has(protocol)))
}
