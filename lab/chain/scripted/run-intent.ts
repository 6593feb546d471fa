import type { Address, Hex } from '@dexfeed/dex'
import { TOPICS } from '../abi.ts'
import type { DraftLog } from '../commitments/draft.ts'
import {
  burnLog,
  initializeLog,
  mintLog,
  pairCreatedLog,
  pairSwapLog,
  poolCreatedLog,
  rangeSwapLog,
  syncLog,
  transferLog,
  wrapperLog,
} from '../events.ts'
import { addressOf, digest } from './digest.ts'
import type { Intent } from './intents.ts'
import {
  firstState,
  type ScriptedMarket,
  type ScriptedPool,
  type ScriptedState,
  unitsWorth,
} from './scripted-market.ts'
import { moveLiquidity, swapIn } from './scripted-swap.ts'

/** Amounts of a Mint or Burn, which the product does not read. */
const NO_AMOUNTS = [0n, 0n] as const

export interface ScriptedTransaction {
  hash: Hex
  from: Address | null
  value: bigint
  logs: readonly DraftLog[]
}

/** Pool states of the block in progress. Each run updates them. */
export type OpenStates = Map<Address, ScriptedState>

/** Executes an intent against the states. Returns its transaction with the logs. */
export function runIntent(
  market: ScriptedMarket,
  { id, sender, action }: Intent,
  states: OpenStates,
): ScriptedTransaction {
  const done = { hash: digest(market.network, 'transaction', id), from: sender, value: 0n, logs: [] }
  const router = addressOf(market.network, 'router')
  switch (action.kind) {
    case 'nothing':
      return done
    case 'forgery':
      return { ...done, logs: [pairSwapLog(market.impostor, byRouter(router), [10n ** 30n, -1n])] }
    case 'malformed':
      return { ...done, logs: [{ address: action.pool.address, topics: [TOPICS.swapV2], data: '0x01' }] }
    case 'state-sync': {
      const bridge = addressOf(market.network, 'bridge')
      return { ...done, logs: [wrapperLog('deposit', bridge, router, 1n)] }
    }
    case 'liquidity':
      return { ...done, logs: runLiquidity(action, states, router) }
    case 'route':
      return { ...done, ...runRoute(market, action, sender, states) }
  }
}

/** Creates a pool. Returns its events. */
export function createPool(pool: ScriptedPool, states: OpenStates): DraftLog[] {
  const { address, factory: owner, fee, tickSpacing } = pool
  const state = firstState(pool)
  states.set(address, state)
  if (state.kind === 'pair') return [pairCreatedLog(pool, 1), syncLog(address, state)]
  return [
    poolCreatedLog(pool, { fee, tickSpacing: tickSpacing ?? 0 }),
    initializeLog(address, state),
    ...[...state.ticks]
      .slice(0, 1)
      .map(([lower, { gross }]) => mintLog(address, { owner, lower, upper: -lower }, gross, NO_AMOUNTS)),
  ]
}

type Route = Extract<Intent['action'], { kind: 'route' }>

function runRoute(
  { wrapped, network }: ScriptedMarket,
  { pools, sells, milliUsd, coin }: Route,
  sender: Address | null,
  states: OpenStates,
): Pick<ScriptedTransaction, 'value' | 'logs'> {
  const nothing = { value: 0n, logs: [] }
  const router = addressOf(network, 'router')
  const [first] = pools
  if (first === undefined || sender === null) return nothing
  const sold = first.token0.address === sells ? first.token0 : first.token1
  const soldAmount = unitsWorth(sold, milliUsd)
  const terms = termsOf(milliUsd, sender, network)
  const logs: DraftLog[] = []
  const moved: [Address, ScriptedState][] = []
  if (coin === 'sold') logs.push(wrapperLog('deposit', wrapped.address, router, soldAmount))
  else logs.push(transferLog(sells, sender, router, terms.gives(soldAmount)))
  logs.push(transferLog(sells, router, first.address, soldAmount))
  let [token, amount] = [sells, soldAmount]
  for (const [index, pool] of pools.entries()) {
    const state = states.get(pool.address)
    const zeroForOne = pool.token0.address === token
    const outcome = state === undefined ? null : swapIn(pool, state, zeroForOne, amount)
    if (outcome === null) return nothing
    const { amount0, amount1, after } = outcome
    token = zeroForOne ? pool.token1.address : pool.token0.address
    amount = zeroForOne ? -amount1 : -amount0
    logs.push(transferLog(token, pool.address, pools[index + 1]?.address ?? router, amount))
    const [parties, amounts] = [byRouter(router), [amount0, amount1] as const]
    if (after.kind === 'pair') logs.push(syncLog(pool.address, after), pairSwapLog(pool.address, parties, amounts))
    else logs.push(rangeSwapLog(pool.address, parties, amounts, after))
    moved.push([pool.address, after])
  }
  for (const [pool, after] of moved) states.set(pool, after)
  if (coin === 'bought') logs.push(wrapperLog('withdrawal', wrapped.address, router, amount))
  else logs.push(transferLog(token, router, terms.recipient, terms.gets(amount)))
  return { value: coin === 'sold' ? soldAmount : 0n, logs }
}

/**
 * Returns what a router does between a trader and the pools, by the route's value: it may take a fee or pay another
 * recipient.
 */
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
  const most = ([lower, upper] as const).map((tick) => state.ticks.get(tick))
  const edge = [...state.ticks.values()][0]?.gross ?? 0n
  if (share > 0) {
    const delta = (edge * BigInt(share)) / 1000n
    states.set(pool.address, moveLiquidity(state, lower, upper, delta))
    return [mintLog(pool.address, { owner: router, lower, upper }, delta, NO_AMOUNTS)]
  }
  const [atLower, atUpper] = most
  // Only liquidity of exactly this range can be removed: the smaller amount of both ends.
  const held = least(atLower?.net ?? 0n, -(atUpper?.net ?? 0n))
  if (held <= 0n || atLower?.gross !== atLower?.net || atUpper?.gross !== -(atUpper?.net ?? 0n)) return []
  states.set(pool.address, moveLiquidity(state, lower, upper, -held))
  return [burnLog(pool.address, { owner: router, lower, upper }, held, NO_AMOUNTS)]
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
