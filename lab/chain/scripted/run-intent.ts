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
import { liquidityAt, type Swapped, swapPair, swapRange } from '../pool-math.ts'
import { addressOf, digest } from './digest.ts'
import type { Intent } from './intents.ts'
import {
  firstState,
  type ScriptedMarket,
  type ScriptedPool,
  type ScriptedState,
  unitsWorth,
} from './scripted-market.ts'

const NO_AMOUNTS = [0n, 0n] as const

export interface ScriptedTransaction {
  hash: Hex
  from: Address | null
  value: bigint
  logs: readonly DraftLog[]
}

export type OpenStates = Map<Address, ScriptedState>

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
  const edge = [...state.ticks.values()][0]?.gross ?? 0n
  if (share > 0) {
    const delta = (edge * BigInt(share)) / 1000n
    states.set(pool.address, moveLiquidity(state, lower, upper, delta))
    return [mintLog(pool.address, { owner: router, lower, upper }, delta, NO_AMOUNTS)]
  }
  const atLower = state.ticks.get(lower)
  const atUpper = state.ticks.get(upper)
  // Burn only liquidity that was minted for exactly this range.
  if (!atLower || !atUpper || atLower.gross !== atLower.net || atUpper.gross !== -atUpper.net) return []
  const held = atLower.net < atUpper.gross ? atLower.net : atUpper.gross
  states.set(pool.address, moveLiquidity(state, lower, upper, -held))
  return [burnLog(pool.address, { owner: router, lower, upper }, held, NO_AMOUNTS)]
}

/** Returns null if the pool would pay nothing. */
function swapIn(
  { fee }: ScriptedPool,
  state: ScriptedState,
  zeroForOne: boolean,
  amountIn: bigint,
): Swapped<ScriptedState> | null {
  const outcome =
    state.kind === 'pair' ? swapPair(state, zeroForOne, amountIn, fee) : swapTicks(state, zeroForOne, amountIn)
  return outcome.amountOut > 0n && amountIn > 0n ? outcome : null
}

/** Takes no fee: events only have to agree with the pool's state. */
function swapTicks(state: Extract<ScriptedState, { kind: 'concentrated' }>, zeroForOne: boolean, amountIn: bigint) {
  const { after, ...swapped } = swapRange(state, zeroForOne, amountIn, 0)
  const { ticks } = state
  return { ...swapped, after: { ...after, liquidity: liquidityAt(ticks, after.tick), ticks } }
}

function moveLiquidity(
  state: Extract<ScriptedState, { kind: 'concentrated' }>,
  lower: number,
  upper: number,
  delta: bigint,
): ScriptedState {
  const ticks = new Map(state.ticks)
  for (const [tick, net] of [
    [lower, delta],
    [upper, -delta],
  ] as const) {
    const before = ticks.get(tick) ?? { gross: 0n, net: 0n }
    const after = { gross: before.gross + delta, net: before.net + net }
    if (after.gross === 0n) ticks.delete(tick)
    else ticks.set(tick, after)
  }
  return { ...state, ticks, liquidity: liquidityAt(ticks, state.tick) }
}
