import type { Address, Hex } from '@dexfeed/dex'
import { id } from 'ethers'
import type { Intent } from './intents.ts'
import {
  firstState,
  type ScriptedMarket,
  type ScriptedPool,
  type ScriptedState,
  unitsWorth,
} from './scripted-market.ts'
import { moveLiquidity, swapIn } from './scripted-swap.ts'
import { addressOf, digest, word, words } from './words.ts'

const topicOf = (signature: string) => id(signature) as Hex
const PAIR_SWAP = topicOf('Swap(address,uint256,uint256,uint256,uint256,address)')
const PAIR_SYNC = topicOf('Sync(uint112,uint112)')
const PAIR_CREATED = topicOf('PairCreated(address,address,address,uint256)')
const RANGE_SWAP = topicOf('Swap(address,address,int256,int256,uint160,uint128,int24)')
const RANGE_INITIALIZE = topicOf('Initialize(uint160,int24)')
export const RANGE_MINT = topicOf('Mint(address,address,int24,int24,uint128,uint256,uint256)')
export const RANGE_BURN = topicOf('Burn(address,int24,int24,uint128,uint256,uint256)')
const POOL_CREATED = topicOf('PoolCreated(address,address,uint24,int24,address)')
const TRANSFER = topicOf('Transfer(address,address,uint256)')
const DEPOSIT = topicOf('Deposit(address,uint256)')
const WITHDRAWAL = topicOf('Withdrawal(address,uint256)')
/** What tokens and the wrapper emit. */
export const OF_TOKENS: ReadonlySet<string> = new Set([TRANSFER, DEPOSIT, WITHDRAWAL])

export interface ScriptedLog {
  address: Address
  topics: readonly Hex[]
  data: Hex
}

export interface ScriptedTransaction {
  hash: Hex
  from: Address | null
  value: bigint
  logs: readonly ScriptedLog[]
}

/** Pool states of the block under way; a run moves them on. */
export type OpenStates = Map<Address, ScriptedState>

/** Executes an intent against the states. Gives what it emits. */
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
      return { ...done, logs: [pairSwapLog(market.impostor, router, 10n ** 30n, -1n)] }
    case 'malformed':
      return { ...done, logs: [{ address: action.pool.address, topics: [PAIR_SWAP], data: '0x01' }] }
    case 'state-sync': {
      const bridge = addressOf(market.network, 'bridge')
      return { ...done, logs: [{ address: bridge, topics: [DEPOSIT, `0x${word(router)}`], data: words(1n) }] }
    }
    case 'liquidity':
      return { ...done, logs: runLiquidity(action, states, router) }
    case 'route':
      return { ...done, ...runRoute(market, action, sender, states) }
  }
}

/** The logs of a pool's creation. */
export function createPool(pool: ScriptedPool, states: OpenStates): ScriptedLog[] {
  const { address, factory, token0, token1, fee, tickSpacing } = pool
  const state = firstState(pool)
  states.set(address, state)
  const tokens = [`0x${word(token0.address)}`, `0x${word(token1.address)}`] as const
  if (state.kind === 'pair') {
    const created = { address: factory, topics: [PAIR_CREATED, ...tokens], data: words(address, 1) }
    return [created, syncLog(address, state)]
  }
  const topics = [POOL_CREATED, ...tokens, `0x${word(fee)}`] as const
  const { sqrtPriceX96, tick } = state
  return [
    { address: factory, topics, data: words(tickSpacing ?? 0, address) },
    { address, topics: [RANGE_INITIALIZE], data: words(sqrtPriceX96, tick) },
    ...[...state.ticks].slice(0, 1).map(([lower, { gross }]) => mintLog(address, factory, lower, -lower, gross)),
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
  const logs: ScriptedLog[] = []
  const moved: [Address, ScriptedState][] = []
  const wrapping = (topic: Hex, sum: bigint): ScriptedLog => {
    return { address: wrapped.address, topics: [topic, `0x${word(router)}`], data: words(sum) }
  }
  if (coin === 'sold') logs.push(wrapping(DEPOSIT, soldAmount))
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
    if (after.kind === 'pair')
      logs.push(syncLog(pool.address, after), pairSwapLog(pool.address, router, amount0, amount1))
    else logs.push(rangeSwapLog(pool.address, router, amount0, amount1, after))
    moved.push([pool.address, after])
  }
  for (const [pool, after] of moved) states.set(pool, after)
  if (coin === 'bought') logs.push(wrapping(WITHDRAWAL, amount))
  else logs.push(transferLog(token, router, terms.recipient, terms.gets(amount)))
  return { value: coin === 'sold' ? soldAmount : 0n, logs }
}

/** What stands between a trader and the pools, as a route's value has it: a fee of the router, another recipient. */
function termsOf(milliUsd: number, sender: Address, network: string) {
  const fee = (amount: bigint) => amount / 50n
  return {
    gives: (amount: bigint) => (milliUsd % 5 === 1 ? amount + fee(amount) : amount),
    gets: (amount: bigint) => (milliUsd % 5 === 2 ? amount - fee(amount) : amount),
    recipient: milliUsd % 7 === 3 ? addressOf(network, 'recipient') : sender,
  }
}

function transferLog(token: Address, from: Address, to: Address, amount: bigint): ScriptedLog {
  return { address: token, topics: [TRANSFER, `0x${word(from)}`, `0x${word(to)}`], data: words(amount) }
}

function runLiquidity(
  { pool, width, offset, share }: Extract<Intent['action'], { kind: 'liquidity' }>,
  states: OpenStates,
  router: Address,
): ScriptedLog[] {
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
    return [mintLog(pool.address, router, lower, upper, delta)]
  }
  const [atLower, atUpper] = most
  // Only what somebody put into exactly this range can be taken out: at least what both ends say.
  const held = least(atLower?.net ?? 0n, -(atUpper?.net ?? 0n))
  if (held <= 0n || atLower?.gross !== atLower?.net || atUpper?.gross !== -(atUpper?.net ?? 0n)) return []
  states.set(pool.address, moveLiquidity(state, lower, upper, -held))
  return [burnLog(pool.address, router, lower, upper, held)]
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function syncLog(address: Address, { reserve0, reserve1 }: Extract<ScriptedState, { kind: 'pair' }>): ScriptedLog {
  return { address, topics: [PAIR_SYNC], data: words(reserve0, reserve1) }
}

function pairSwapLog(address: Address, router: Address, amount0: bigint, amount1: bigint): ScriptedLog {
  const positive = (value: bigint) => (value > 0n ? value : 0n)
  const data = words(positive(amount0), positive(amount1), positive(-amount0), positive(-amount1))
  return { address, topics: [PAIR_SWAP, `0x${word(router)}`, `0x${word(router)}`], data }
}

function rangeSwapLog(
  address: Address,
  router: Address,
  amount0: bigint,
  amount1: bigint,
  { sqrtPriceX96, liquidity, tick }: Extract<ScriptedState, { kind: 'concentrated' }>,
): ScriptedLog {
  const topics = [RANGE_SWAP, `0x${word(router)}`, `0x${word(router)}`] as const
  return { address, topics, data: words(amount0, amount1, sqrtPriceX96, liquidity, tick) }
}

function mintLog(address: Address, owner: Address, lower: number, upper: number, amount: bigint): ScriptedLog {
  const topics = [RANGE_MINT, `0x${word(owner)}`, `0x${word(lower)}`, `0x${word(upper)}`] as const
  return { address, topics, data: words(owner, amount, 0, 0) }
}

function burnLog(address: Address, owner: Address, lower: number, upper: number, amount: bigint): ScriptedLog {
  const topics = [RANGE_BURN, `0x${word(owner)}`, `0x${word(lower)}`, `0x${word(upper)}`] as const
  return { address, topics, data: words(amount, 0, 0) }
}
