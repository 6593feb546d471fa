import type { DevnetChain } from '@dexfeed/devnet'
import { getAddress, parseUnits } from 'ethers'
import fc from 'fast-check'
import { bestOutputs } from './expected/brute-force.ts'
import type { ChainFacts } from './expected/chain-facts.ts'
import { openMarginalPrices } from './expected/marginal-prices.ts'
import type { Programs, Reply } from './programs.ts'

/** For an output of fewer base units, the rounding error is too large. */
const COARSE = 1000n
const MAX_HOPS = 3

export interface ComparedPrices {
  wrong: string[]
  seen: { exact: number; marginal: number; noRoute: number }
}

export interface Comparison {
  chain: DevnetChain
  facts: ChainFacts
  get: Programs['get']
  count: number
  seed: number
}

/** Compares prices of random pairs with the best of all routes on the chain at the same block. */
export async function comparePrices({ chain, facts, get, count, seed }: Comparison): Promise<ComparedPrices> {
  const pairs = randomPairs([...facts.tokens.keys()], count, seed)
  const block = facts.blocks.at(-1)?.number ?? 0
  const pools = [...facts.pools.values()]
  const decimals = (token: string) => facts.tokens.get(token)?.decimals ?? 0
  const requests = pairs.map(([sell, buy]) => ({
    sell,
    buy,
    amountIn: 10n ** BigInt(decimals(sell)),
    maxHops: MAX_HOPS,
  }))
  const [outputs, marginalPrice] = await Promise.all([
    bestOutputs(chain, pools, requests, block),
    openMarginalPrices(chain, pools, block),
  ])
  const compared: ComparedPrices = { wrong: [], seen: { exact: 0, marginal: 0, noRoute: 0 } }
  for (const [at, [sell, buy]] of pairs.entries()) {
    const { amountOut, routes } = outputs[at] ?? { amountOut: null, routes: [] }
    const path = `/api/quote?network=${facts.network}&sellToken=${written(sell, at, facts)}&buyToken=${written(buy, at + 1, facts)}`
    const reply = await get(path)
    const kind = amountOut === null ? 'noRoute' : amountOut < COARSE ? 'marginal' : 'exact'
    compared.seen[kind]++
    const expected =
      kind === 'exact'
        ? String(amountOut)
        : kind === 'marginal'
          ? marginalPrice(routes, decimals(sell), decimals(buy))
          : ''
    const problem =
      kind === 'noRoute'
        ? refusalProblem(reply)
        : priceProblem(reply, { kind, expected, decimals: decimals(buy), block, sell, buy, facts })
    if (problem) compared.wrong.push(`${path} at block ${block}, seed ${seed}: ${problem}`)
  }
  return compared
}

function randomPairs(tokens: readonly string[], count: number, seed: number): [string, string][] {
  const all = tokens.flatMap((sell) => tokens.filter((buy) => buy !== sell).map((buy): [string, string] => [sell, buy]))
  const some = Math.min(count, all.length)
  return fc.sample(fc.shuffledSubarray(all, { minLength: some, maxLength: some }), { seed, numRuns: 1 })[0] ?? []
}

/** Returns a token in a spelling that the API accepts. */
function written(token: string, at: number, { tokens }: ChainFacts): string {
  return [tokens.get(token)?.symbol ?? '', token, getAddress(token)][at % 3] ?? token
}

interface Required {
  kind: 'exact' | 'marginal'
  expected: string
  decimals: number
  block: number
  sell: string
  buy: string
  facts: ChainFacts
}

function priceProblem({ status, headers, body, text }: Reply, required: Required): string | null {
  const { kind, expected, decimals, block, sell, buy, facts } = required
  if (status !== 200) return `${status} ${text}`
  const basis = headers.get('x-price-basis')
  if (basis !== kind) return `the basis is ${basis}, not ${kind}`
  if (headers.get('x-indexed-block') !== `${facts.network}=${block}`) return `block ${headers.get('x-indexed-block')}`
  const { price, ...names } = body.result
  const metadata = { network: facts.network, sell_token: metadataOf(sell, facts), buy_token: metadataOf(buy, facts) }
  if (JSON.stringify(names) !== JSON.stringify(metadata)) return `${text} is not about ${JSON.stringify(metadata)}`
  if (!/^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(price)) return `${price} is not a plain decimal`
  const value = kind === 'marginal' ? price : String(parseUnits(price, decimals))
  return value === expected ? null : `${value} but the chain pays ${expected}`
}

function refusalProblem({ status, body, text }: Reply): string | null {
  const isRefusal = status === 404 && typeof body?.error === 'string' && Object.keys(body).length === 1
  return isRefusal ? null : `no route, but ${status} ${text}`
}

function metadataOf(token: string, { tokens }: ChainFacts) {
  const { name, symbol, decimals } = tokens.get(token) ?? {}
  return { name, symbol, decimals: String(decimals), address: getAddress(token) }
}
