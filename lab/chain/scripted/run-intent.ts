import type { Address, Hex } from '@dexfeed/dex'
import { type DraftLog, TOPICS } from '../abi.ts'
import { addressOf, digest } from '../digest.ts'
import { burnLog, mintLog, pairSwapLog, swapLogs, transferLog, wrapperLog } from '../events.ts'
import type { Market, Token } from '../market.ts'
import { moveLiquidity, type PoolState, swapIn } from '../pool-math.ts'
import type { Intent } from './intents.ts'

export interface ScriptedTransaction {
  hash: Hex
  from: Address | null
  value: bigint
  logs: readonly DraftLog[]
}

export type OpenStates = Map<Address, PoolState>

export function runIntent(market: Market, { id, sender, action }: Intent, states: OpenStates): ScriptedTransaction {
  const { network } = market
  const done = { hash: digest(network, 'transaction', id), from: sender, value: 0n, logs: [] }
  const router = addressOf(network, 'router')
  switch (action.kind) {
    case 'nothing':
      return done
    case 'forgery':
      return { ...done, logs: [pairSwapLog(addressOf(network, 'impostor'), byRouter(router), [10n ** 30n, -1n])] }
    case 'malformed':
      return { ...done, logs: [{ address: action.pool.address, topics: [TOPICS.swapV2], data: '0x01' }] }
    case 'state-sync':
      return { ...done, logs: [wrapperLog('deposit', addressOf(network, 'bridge'), router, 1n)] }
    case 'liquidity':
      return { ...done, logs: runLiquidity(action, states, router) }
    case 'route':
      return { ...done, ...runRoute(market, action, sender, states) }
  }
}

type Route = Extract<Intent['action'], { kind: 'route' }>

function runRoute(
  { wrapped, network }: Market,
  { pools, sells, milliUsd, coin }: Route,
  sender: Address | null,
  states: OpenStates,
): Pick<ScriptedTransaction, 'value' | 'logs'> {
  const nothing = { value: 0n, logs: [] }
  const router = addressOf(network, 'router')
  const [first] = pools
  if (first === undefined || sender === null) return nothing
  const soldAmount = unitsWorth(first.token0.address === sells ? first.token0 : first.token1, milliUsd)
  const terms = termsOf(milliUsd, sender, network)
  const logs: DraftLog[] = []
  const moved: [Address, PoolState][] = []
  if (coin === 'sold') logs.push(wrapperLog('deposit', wrapped.address, router, soldAmount))
  else logs.push(transferLog(sells, sender, router, terms.gives(soldAmount)))
  logs.push(transferLog(sells, router, first.address, soldAmount))
  let [token, amount] = [sells, soldAmount]
  for (const [index, pool] of pools.entries()) {
    const state = states.get(pool.address)
    const zeroForOne = pool.token0.address === token
    const swapped = state === undefined ? null : swapIn(state, pool.fee, zeroForOne, amount)
    if (swapped === null) return nothing
    token = zeroForOne ? pool.token1.address : pool.token0.address
    amount = zeroForOne ? -swapped.amount1 : -swapped.amount0
    logs.push(transferLog(token, pool.address, pools[index + 1]?.address ?? router, amount))
    logs.push(...swapLogs(pool, byRouter(router), swapped))
    moved.push([pool.address, swapped.after])
  }
  for (const [pool, after] of moved) states.set(pool, after)
  if (coin === 'bought') logs.push(wrapperLog('withdrawal', wrapped.address, router, amount))
  else logs.push(transferLog(token, router, terms.recipient, terms.gets(amount)))
  return { value: coin === 'sold' ? soldAmount : 0n, logs }
}

/**
 * Converts USD to base units at the initial price.
 *
 * @param milliUsd in thousandths of a USD
 */
function unitsWorth({ decimals, usd }: Token, milliUsd: number): bigint {
  return (BigInt(milliUsd) * 10n ** BigInt(decimals)) / (1000n * BigInt(usd))
}

/** The route's value decides whether the router takes a fee or pays another recipient. */
function termsOf(milliUsd: number, sender: Address, network: string) {
  const fee = (amount: bigint) => amount / 50n
  return {
    gives: (amount: bigint) => (milliUsd % 5 === 1 ? amount + fee(amount) : amount),
    gets: (amount: bigint) => (milliUsd % 5 === 2 ? amount - fee(amount) : amount),
    recipient: milliUsd % 7 === 3 ? addressOf(network, 'recipient') : sender,
  }
}

function byRouter(router: Address) {
  return { sender: router, recipient: router }
}

function runLiquidity(
  { pool, width, offset, share }: Extract<Intent['action'], { kind: 'liquidity' }>,
  states: OpenStates,
  router: Address,
): DraftLog[] {
  const state = states.get(pool.address)
  const spacing = pool.tickSpacing ?? 1
  if (state?.kind !== 'concentrated' || share === 0) return []
  const middle = (Math.floor(state.tick / spacing) + offset) * spacing
  const [lower, upper] = [middle - width * spacing, middle + width * spacing]
  if (share > 0) {
    const edge = [...state.ticks.values()][0]?.gross ?? 0n
    const position = { lower, upper, liquidity: (edge * BigInt(share)) / 1000n }
    states.set(pool.address, moveLiquidity(state, position))
    return [mintLog(pool.address, router, position)]
  }
  const atLower = state.ticks.get(lower)
  const atUpper = state.ticks.get(upper)
  // Burn only liquidity that was minted for exactly this range.
  if (!atLower || !atUpper || atLower.gross !== atLower.net || atUpper.gross !== -atUpper.net) return []
  const liquidity = atLower.net < atUpper.gross ? atLower.net : atUpper.gross
  states.set(pool.address, moveLiquidity(state, { lower, upper, liquidity: -liquidity }))
  return [burnLog(pool.address, router, { lower, upper, liquidity })]
}
