import { contractCall, topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { CoinReference, ExchangeEvent, TouchEvent } from '../../pool-event.ts'
import { tokensNamed } from '../exchange.ts'
import { addedAndRemoved, wordsAt } from '../liquidity-change.ts'
import { contractIn, emitterOf } from '../managed-pool.ts'
import {
  type CallResults,
  type ManagedChange,
  NO_REFERENCES,
  type PoolCandidate,
  type PoolProof,
  type Protocol,
} from '../protocol.ts'
import { dependencyTouches, providing } from '../touches.ts'
import { BALANCER_V3_STATE } from './balancer-v3-state.ts'
import { balancerV3Buffer } from './v3-buffer.ts'
import { balancerV3Stable, balancerV3Weighted } from './v3-quote.ts'

const SWAP =
  'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)'
const WRAP =
  'event Wrap(address indexed wrappedToken, uint256 depositedUnderlying, uint256 mintedShares, bytes32 bufferBalances)'
const UNWRAP =
  'event Unwrap(address indexed wrappedToken, uint256 burnedShares, uint256 withdrawnUnderlying, bytes32 bufferBalances)'
const LIQUIDITY_ADDED =
  'event LiquidityAdded(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsAddedRaw, uint256[] swapFeeAmountsRaw)'
const LIQUIDITY_REMOVED =
  'event LiquidityRemoved(address indexed pool, address indexed liquidityProvider, uint8 indexed kind, uint256 totalSupply, uint256[] amountsRemovedRaw, uint256[] swapFeeAmountsRaw)'
const POOL_PAUSED = 'event PoolPausedStateChanged(address indexed pool, bool paused)'
const FEE_CHANGED = 'event SwapFeePercentageChanged(address indexed pool, uint256 swapFeePercentage)'
const RECOVERY_CHANGED = 'event PoolRecoveryModeStateChanged(address indexed pool, bool recoveryMode)'
const YIELD_FEE_CHANGED =
  'event AggregateYieldFeePercentageChanged(address indexed pool, uint256 aggregateYieldFeePercentage)'
/** Emitted by pools through the vault, for example when an amplification ramp begins. */
const AUXILIARY = 'event VaultAuxiliary(address indexed pool, bytes32 indexed eventKey, bytes eventData)'
const VAULT_PAUSED = 'event VaultPausedStateChanged(bool paused)'
const BUFFERS_PAUSED = 'event VaultBuffersPausedStateChanged(bool paused)'
const BUFFER_ADDED =
  'event LiquidityAddedToBuffer(address indexed wrappedToken, uint256 amountUnderlying, uint256 amountWrapped, bytes32 bufferBalances)'
const BUFFER_REMOVED =
  'event LiquidityRemovedFromBuffer(address indexed wrappedToken, uint256 amountUnderlying, uint256 amountWrapped, bytes32 bufferBalances)'
const POOL_REGISTERED: Hex = topicOf(
  'event PoolRegistered(address indexed pool, address indexed factory, tuple(address token, uint8 tokenType, address rateProvider, bool paysYieldFees)[] tokenConfig, uint256 swapFeePercentage, uint32 pauseWindowEndTime, tuple(address pauseManager, address swapFeeManager, address poolCreator) roleAccounts, tuple(bool enableHookAdjustedAmounts, bool shouldCallBeforeInitialize, bool shouldCallAfterInitialize, bool shouldCallComputeDynamicSwapFee, bool shouldCallBeforeSwap, bool shouldCallAfterSwap, bool shouldCallBeforeAddLiquidity, bool shouldCallAfterAddLiquidity, bool shouldCallBeforeRemoveLiquidity, bool shouldCallAfterRemoveLiquidity, address hooksContract) hooksConfig, tuple(bool disableUnbalancedLiquidity, bool enableAddLiquidityCustom, bool enableRemoveLiquidityCustom, bool enableDonation) liquidityManagement)',
)
const IS_POOL_REGISTERED = contractCall<[boolean]>('function isPoolRegistered(address pool) view returns (bool)')
const GET_POOL_TOKENS = contractCall<[readonly Address[]]>('function getPoolTokens(address) view returns (address[])')
/** Returns the zero address if the contract has no buffer. */
const GET_BUFFER_ASSET = contractCall<[Address]>('function getERC4626BufferAsset(address) view returns (address)')

const ASSET: CoinReference = { underlying: 0 }

const LIQUIDITY: ReadonlySet<Hex> = new Set([LIQUIDITY_ADDED, LIQUIDITY_REMOVED].map(topicOf))
const COLLECTED = [
  'event ProtocolSwapFeeCollected(address indexed pool, address indexed token, uint256 amount)',
  'event ProtocolYieldFeeCollected(address indexed pool, address indexed token, uint256 amount)',
].map(topicOf)
const ADDRESS_DIGITS = 40

/**
 * A buffer converts tokens to ERC-4626 wrappers and back, before and after a swap of wrappers. The address of a pool or
 * buffer is the vault's followed by that of the pool contract or wrapper, which is also the share token.
 */
export const balancerV3: Protocol = {
  kind: 'balancer-v3',
  about: {
    name: 'Balancer V3 and its buffers',
    verifiedBy: 'the configured vault is the emitter; denied if its `isPoolRegistered` returns false',
    notCovered: 'quotes of pools neither weighted nor stable; nested pools, since joining one is no swap',
  },
  family: 'managed',
  entry: { verifying: 'vault', others: ['router'], poolFactories: true, rateProviders: true },
  events: {
    [SWAP]: decodeSwap,
    [WRAP]: decodeWrap,
    [UNWRAP]: decodeUnwrap,
    [LIQUIDITY_ADDED]: (log) => decodeLiquidity(log, true),
    [LIQUIDITY_REMOVED]: (log) => decodeLiquidity(log, false),
    [POOL_PAUSED]: decodeTouch,
    [FEE_CHANGED]: decodeTouch,
    [RECOVERY_CHANGED]: decodeTouch,
    [YIELD_FEE_CHANGED]: decodeTouch,
    [AUXILIARY]: decodeTouch,
    [BUFFER_ADDED]: decodeTouch,
    [BUFFER_REMOVED]: decodeTouch,
    ...dependencyTouches('managed', VAULT_PAUSED, BUFFERS_PAUSED),
  },
  dependsOn: ({ address }) => [emitterOf(address)],
  identity: { by: 'proof', prove: proveVaultPool },
  created: [{ topic: POOL_REGISTERED, read: readRegistered }],
  sharesOf: ({ address, underlying }) =>
    underlying === undefined ? null : { token: contractIn(address), isWrapper: true },
  state: BALANCER_V3_STATE,
  formulas: [balancerV3Weighted, balancerV3Stable, balancerV3Buffer],
  shareToken: ({ address }) => contractIn(address),
  liquidityLogs: addedAndRemoved(
    LIQUIDITY_ADDED,
    LIQUIDITY_REMOVED,
    ({ address, topics }) => `${address}${topics[1]?.slice(-ADDRESS_DIGITS) ?? ''}`,
  ),
  managed: { largestChange, foreignTopics: COLLECTED },
  ...NO_REFERENCES,
}

/** Any contract may emit these fee events; that lowers only the counted amount of its own transaction. */
function largestChange({ token, wasPaidIn, ofPool, foreign }: ManagedChange): bigint | null {
  if (ofPool.some(({ topics: [topic = '0x'] }) => LIQUIDITY.has(topic))) return null
  let collected = 0n
  if (!wasPaidIn) return collected
  for (const { topics, data } of foreign) {
    if (hasWords(data, 1) && addressTopic(topics, 2) === token) collected += uintWord(data, 0)
  }
  return collected
}

function decodeSwap(log: Log): ExchangeEvent {
  const sold = { token: addressTopic(log.topics, 2) }
  const bought = { token: addressTopic(log.topics, 3) }
  return exchange(log, addressTopic(log.topics, 1), sold, bought)
}

function decodeWrap(log: Log): ExchangeEvent {
  const wrapper = addressTopic(log.topics, 1)
  return exchange(log, wrapper, ASSET, { token: wrapper })
}

function decodeUnwrap(log: Log): ExchangeEvent {
  const wrapper = addressTopic(log.topics, 1)
  return exchange(log, wrapper, { token: wrapper }, ASSET)
}

/** All three events list the sold amount first. */
function exchange(log: Log, contract: Address, sold: CoinReference, bought: CoinReference): ExchangeEvent {
  const { data } = log
  const amounts = { soldAmount: uintWord(data, 0), boughtAmount: uintWord(data, 1) }
  return { type: 'exchange', ...placeOf(log, contract), sold, bought, ...amounts }
}

/** Amounts of the registered tokens, in their order. */
function decodeLiquidity(log: Log, isAdded: boolean): TouchEvent {
  return providing(decodeTouch(log), isAdded, wordsAt(log.data, 1))
}

function decodeTouch(log: Log): TouchEvent {
  return { type: 'touch', ...placeOf(log, addressTopic(log.topics, 1)) }
}

/** The vault is configured, so the shape of its data is not checked: only the indexed pool is read. */
function readRegistered({ address: vault, topics }: Log): PoolAddress | null {
  return topics[0] === POOL_REGISTERED && topics.length === 3 ? `${vault}${addressTopic(topics, 1).slice(2)}` : null
}

function placeOf({ address: vault, transactionIndex, logIndex }: Log, contract: Address) {
  const pool: PoolAddress = `${vault}${contract.slice(2)}`
  return { family: 'managed', pool, transactionIndex, logIndex } as const
}

/**
 * The vault emits swaps only for registered pools and wraps only for initialised buffers, so its event is the proof.
 */
function* proveVaultPool({ pool, events }: PoolCandidate, dex: Dex): PoolProof {
  const contract = contractIn(pool)
  if (pool.length !== 2 * ZERO_ADDRESS.length - 2) return null
  const results = yield [IS_POOL_REGISTERED, GET_POOL_TOKENS, GET_BUFFER_ASSET].map((call) => ({
    to: dex.factory,
    data: call.data(contract),
  }))
  const { isRegistered, tokens, asset } = readResults(results)
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

function readResults([registered, listed, buffer]: CallResults) {
  const [asset] = GET_BUFFER_ASSET.read(buffer) ?? [ZERO_ADDRESS]
  return {
    isRegistered: IS_POOL_REGISTERED.read(registered)?.[0] ?? null,
    tokens: GET_POOL_TOKENS.read(listed)?.[0] ?? [],
    asset: asset === ZERO_ADDRESS ? null : asset,
  }
}
