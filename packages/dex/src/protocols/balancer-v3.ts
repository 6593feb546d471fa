import { addressTopic, addressWord, callData, hasWords, uintWord } from '../abi-words.ts'
import { dynamicAddresses } from '../address-list.ts'
import type { Log } from '../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../chain/hex.ts'
import type { Dex, PoolAddress } from '../pool.ts'
import type { CoinReference, ExchangeEvent } from '../pool-event.ts'
import { contractIn, tokensNamed } from './balancer-v2.ts'
import type { Answers, PoolCandidate, PoolProof, Protocol } from './protocol.ts'

/** Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount) */
const SWAP: Hex = '0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db'
/** Wrap(address indexed wrappedToken, uint256 depositedUnderlying, uint256 mintedShares, bytes32 bufferBalances) */
const WRAP: Hex = '0x3771d13c67011e31e12031c54bb59b0bf544a80b81d280a3711e172aa8b7f47b'
/** Unwrap(address indexed wrappedToken, uint256 burnedShares, uint256 withdrawnUnderlying, bytes32 bufferBalances) */
const UNWRAP: Hex = '0xeeb740c90bf2b18c9532eb7d473137767036d893dff3e009f32718f821b2a4c0'
/** isPoolRegistered(address) */
const IS_POOL_REGISTERED: Hex = '0xc673bdaf'
/** getPoolTokens(address) */
const GET_POOL_TOKENS: Hex = '0xca4f2803'
/** getERC4626BufferAsset(address): zero for what has no buffer */
const GET_BUFFER_ASSET: Hex = '0x4afbaf5a'

/** The token behind a wrapped one. */
const ASSET: CoinReference = { underlying: 0 }

/**
 * Balancer V3: pools inside the vault, and the vault's buffers, which turn tokens into their ERC-4626 wrappers and back
 * on the way through a pool of wrappers. A pool's or buffer's address is the vault's followed by the contract of the
 * pool or of the wrapper, either the token of its shares.
 */
export const balancerV3: Protocol = {
  kind: 'balancer-v3',
  family: 'managed',
  events: { [SWAP]: decodeSwap, [WRAP]: decodeWrap, [UNWRAP]: decodeUnwrap },
  identity: { by: 'proof', prove: proveVaultPool },
  sharesOf: ({ address, underlying }) =>
    underlying === undefined ? null : { token: contractIn(address), isWrapper: true },
  state: null,
  priceTopics: [],
  creation: null,
  lookupCalls: () => [],
}

function decodeSwap(log: Log): ExchangeEvent | null {
  const [, pool, tokenIn, tokenOut, more] = log.topics
  if (pool === undefined || tokenIn === undefined || tokenOut === undefined || more !== undefined) return null
  if (!hasWords(log.data, 4)) return null
  return exchange(log, addressTopic(pool), { token: addressTopic(tokenIn) }, { token: addressTopic(tokenOut) })
}

function decodeWrap(log: Log): ExchangeEvent | null {
  const wrapper = wrapperOf(log)
  return wrapper && exchange(log, wrapper, ASSET, { token: wrapper })
}

function decodeUnwrap(log: Log): ExchangeEvent | null {
  const wrapper = wrapperOf(log)
  return wrapper && exchange(log, wrapper, { token: wrapper }, ASSET)
}

function wrapperOf({ topics, data }: Log): Address | null {
  const [, wrapper, more] = topics
  return wrapper === undefined || more !== undefined || !hasWords(data, 3) ? null : addressTopic(wrapper)
}

/** In all three events what was sold comes first, then what was bought. */
function exchange(log: Log, contract: Address, sold: CoinReference, bought: CoinReference): ExchangeEvent {
  const { address: vault, data, transactionIndex, logIndex } = log
  return {
    type: 'exchange',
    family: 'managed',
    pool: `${vault}${contract.slice(2)}`,
    transactionIndex,
    logIndex,
    sold,
    soldAmount: uintWord(data, 0),
    bought,
    boughtAmount: uintWord(data, 1),
  }
}

/**
 * The vault emits swaps of its registered pools and wraps of its initialised buffers alone, so its event is the proof;
 * it is asked what the tokens are, and believed should it say that it knows no such pool or buffer.
 */
function* proveVaultPool({ pool, events }: PoolCandidate, dex: Dex): PoolProof {
  const contract = contractIn(pool)
  if (pool.length !== 2 * ZERO_ADDRESS.length - 2) return null
  const answers = yield [IS_POOL_REGISTERED, GET_POOL_TOKENS, GET_BUFFER_ASSET].map((selector) => ({
    to: dex.factory,
    data: callData(selector, contract),
  }))
  const { isRegistered, tokens, asset } = readAnswers(answers)
  const coins = [...new Set([...(isRegistered === true ? tokens : []), ...tokensNamed(events)])]
  if (asset !== null) return bufferOf(pool, dex, coins.includes(contract) ? coins : [...coins, contract], asset)
  const [token0, token1] = coins
  if (isRegistered === false || token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}

function bufferOf(address: PoolAddress, dex: Dex, coins: readonly Address[], asset: Address) {
  return {
    address,
    dex,
    token0: contractIn(address),
    token1: asset,
    fee: 0,
    tickSpacing: null,
    coins,
    underlying: [asset],
  }
}

function readAnswers([registered, listed, buffer]: Answers) {
  const asset = buffer && hasWords(buffer, 1) ? addressWord(buffer, 0) : ZERO_ADDRESS
  return {
    isRegistered: registered && hasWords(registered, 1) ? uintWord(registered, 0) !== 0n : null,
    tokens: (listed && dynamicAddresses(listed, 0)) ?? [],
    asset: asset === ZERO_ADDRESS ? null : asset,
  }
}
