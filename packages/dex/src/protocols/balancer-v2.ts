import { addressTopic, addressWord, hasWords, uintWord } from '../abi-words.ts'
import { dynamicAddresses } from '../address-list.ts'
import type { Log } from '../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../chain/hex.ts'
import type { Dex, PoolAddress } from '../pool.ts'
import type { ExchangeEvent, PoolEvent } from '../pool-event.ts'
import type { PoolCandidate, PoolProof, Protocol } from './protocol.ts'

/** Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut) */
const SWAP: Hex = '0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b'
/** getPool(bytes32): address, specialization; reverts for an id that is not registered */
const GET_POOL: Hex = '0xf6c00927'
/** getPoolTokens(bytes32): tokens, balances, last change */
const GET_POOL_TOKENS: Hex = '0xf94d4668'

const ADDRESS_DIGITS = ZERO_ADDRESS.length - 2
const ID_DIGITS = 64

/**
 * Balancer V2: pools inside the vault, which emits their swaps and names their tokens. A pool's address is the vault's
 * followed by the pool's id, of which the first 20 bytes are the contract of the pool, the token of its shares.
 */
export const balancerV2: Protocol = {
  kind: 'balancer-v2',
  family: 'managed',
  events: { [SWAP]: decodeSwap },
  identity: { by: 'proof', prove: proveVaultPool },
  sharesOf: ({ address }) => ({ token: contractIn(address), isWrapper: false }),
  state: null,
  priceTopics: [],
  creation: null,
  lookupCalls: () => [],
}

function decodeSwap(log: Log): ExchangeEvent | null {
  const { address: vault, data, topics, transactionIndex, logIndex } = log
  const [, id, tokenIn, tokenOut, more] = topics
  if (id === undefined || tokenIn === undefined || tokenOut === undefined || more !== undefined) return null
  if (!hasWords(data, 2)) return null
  return {
    type: 'exchange',
    family: 'managed',
    pool: `${vault}${id.slice(2)}`,
    transactionIndex,
    logIndex,
    sold: { token: addressTopic(tokenIn) },
    soldAmount: uintWord(data, 0),
    bought: { token: addressTopic(tokenOut) },
    boughtAmount: uintWord(data, 1),
  }
}

/** The vault names the pool's contract and its tokens, and its events do, should it not list the tokens any more. */
function* proveVaultPool({ pool, events }: PoolCandidate, dex: Dex): PoolProof {
  const id = pool.slice(ZERO_ADDRESS.length)
  if (id.length !== ID_DIGITS) return null
  const [contract, listed] = yield [GET_POOL, GET_POOL_TOKENS].map((selector) => ({
    to: dex.factory,
    data: `${selector}${id}` as Hex,
  }))
  const shares = contractIn(pool)
  if (!contract || !hasWords(contract, 2) || addressWord(contract, 0) !== shares) return null
  const coins = [...new Set([...((listed && dynamicAddresses(listed, 0)) ?? []), ...tokensNamed(events)])]
  const [token0, token1] = [...coins.filter((coin) => coin !== shares), shares]
  if (coins.length < 2 || token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}

/** The contract of a pool inside a Balancer vault, which is the token of its shares. */
export function contractIn(pool: PoolAddress): Address {
  return `0x${pool.slice(ZERO_ADDRESS.length, ZERO_ADDRESS.length + ADDRESS_DIGITS)}`
}

/** The tokens that exchanges name by their addresses. */
export function tokensNamed(events: readonly PoolEvent[]): Address[] {
  return events.flatMap((event) =>
    event.type === 'exchange'
      ? [event.sold, event.bought].flatMap((coin) => ('token' in coin ? [coin.token] : []))
      : [],
  )
}
