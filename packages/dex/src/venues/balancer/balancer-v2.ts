import { contractCall, contractEvent, topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, addressWord, hasWords, hasWordsAndLists, intWord, uintWord } from '../../abi/words.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { ExchangeEvent, TouchEvent } from '../../pool-event.ts'
import { tokensNamed } from '../exchange.ts'
import { inManager, type LiquidityChange, placesAt } from '../liquidity-change.ts'
import { contractIn, emitterOf, idOf, managedPlace } from '../managed-pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol } from '../protocol.ts'
import { dependencyTouches, providing } from '../touches.ts'
import { BALANCER_V2_STATE } from './balancer-v2-state.ts'
import { balancerV2Stable, balancerV2Weighted } from './v2-quote.ts'

const SWAP =
  'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)'
const BALANCE_CHANGED =
  'event PoolBalanceChanged(bytes32 indexed poolId, address indexed liquidityProvider, address[] tokens, int256[] deltas, uint256[] protocolFeeAmounts)'
const BALANCE_MANAGED =
  'event PoolBalanceManaged(bytes32 indexed poolId, address indexed assetManager, address indexed token, int256 cashDelta, int256 managedDelta)'
const TOKENS_REGISTERED = 'event TokensRegistered(bytes32 indexed poolId, address[] tokens, address[] assetManagers)'
const TOKENS_DEREGISTERED = 'event TokensDeregistered(bytes32 indexed poolId, address[] tokens)'
const PAUSED_CHANGED = 'event PausedStateChanged(bool paused)'
const FEE_CHANGED = 'event SwapFeePercentageChanged(uint256 swapFeePercentage)'
const RECOVERY_CHANGED = 'event RecoveryModeStateChanged(bool enabled)'
const POOL_REGISTERED = contractEvent(
  'event PoolRegistered(bytes32 indexed poolId, address indexed poolAddress, uint8 specialization)',
  ([id]: [Hex, Address, bigint], vault): PoolAddress => `${vault}${id.slice(2)}`,
)
/** Reverts for an unregistered id. */
const GET_POOL = contractCall<[pool: Address, specialization: bigint]>(
  'function getPool(bytes32 poolId) view returns (address, uint8)',
)
const GET_POOL_TOKENS = contractCall<[tokens: readonly Address[], balances: readonly bigint[], lastChange: bigint]>(
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
)

const ID_LENGTH = 66

const CHANGED = topicOf(BALANCE_CHANGED)
const MANAGED = topicOf(BALANCE_MANAGED)
const LISTS = [0, 1, 2]

/**
 * A pool's address is the vault's followed by the pool id. The id begins with the address of the pool contract, which
 * is also the share token.
 */
export const balancerV2: Protocol = {
  kind: 'balancer-v2',
  about: {
    name: 'Balancer V2, Swaap V2',
    verifiedBy: 'the configured vault is the emitter, and its `getPool(poolId)` returns the contract in the id',
    notCovered:
      'quotes of pools neither weighted nor stable; decimals of tokens registered after the pool was found, until the next start',
  },
  family: 'managed',
  entry: { verifying: 'vault', poolFactories: true, rateProviders: true },
  events: {
    [SWAP]: decodeSwap,
    [BALANCE_CHANGED]: decodeBalances,
    [BALANCE_MANAGED]: decodeTouch,
    [TOKENS_REGISTERED]: decodeTouch,
    [TOKENS_DEREGISTERED]: decodeTouch,
    ...dependencyTouches('managed', PAUSED_CHANGED, FEE_CHANGED, RECOVERY_CHANGED),
  },
  dependsOn: ({ address }) => [emitterOf(address), contractIn(address)],
  identity: { by: 'proof', prove: proveVaultPool },
  created: [POOL_REGISTERED],
  sharesOf: ({ address }) => ({ token: contractIn(address), isWrapper: false }),
  state: BALANCER_V2_STATE,
  formulas: [balancerV2Weighted, balancerV2Stable],
  shareToken: ({ address }) => contractIn(address),
  liquidityLogs: [[CHANGED, readBalances]],
  managed: { balanceChange },
  ...NO_REFERENCES,
}

function decodeSwap(log: Log): ExchangeEvent {
  return {
    type: 'exchange',
    ...managedPlace(log),
    sold: { token: addressTopic(log.topics, 2) },
    soldAmount: uintWord(log.data, 0),
    bought: { token: addressTopic(log.topics, 3) },
    boughtAmount: uintWord(log.data, 1),
  }
}

function balanceChange({ topics, data }: Log, token: Address): bigint {
  if (topics[0] === MANAGED) {
    return topics.length === 4 && addressTopic(topics, 3) === token && hasWords(data, 2) ? intWord(data, 0) : 0n
  }
  if (topics[0] !== CHANGED || !hasWordsAndLists(data, LISTS.length, LISTS)) return 0n
  const count = Number(uintWord(data, LISTS.length))
  let change = 0n
  for (let index = 0; index < count; index++) {
    const tokenPlace = LISTS.length + 1 + index
    if (addressWord(data, tokenPlace) !== token) continue
    const deltaPlace = tokenPlace + count + 1
    change += intWord(data, deltaPlace) - uintWord(data, deltaPlace + count + 1)
  }
  return change
}

function readBalances(log: Log): LiquidityChange[] {
  const deltas = placesAt(log.data, 1)?.map((place) => intWord(log.data, place)) ?? []
  const isAdded = deltas.some((delta) => delta > 0n)
  if (!isAdded && !deltas.some((delta) => delta < 0n)) return []
  return [{ poolKey: inManager(log), bin: null, isAdded, shares: null }]
}

/** The provider's amounts; fees that the protocol takes with them are not part of these. */
function decodeBalances(log: Log): TouchEvent {
  const tokens = placesAt(log.data, 0)?.map((place) => addressWord(log.data, place))
  const deltas = placesAt(log.data, 1)?.map((place) => intWord(log.data, place))
  const touch = decodeTouch(log)
  if (tokens === undefined || deltas === undefined || tokens.length !== deltas.length) return touch
  const isAdded = deltas.some((delta) => delta > 0n)
  if (isAdded === deltas.some((delta) => delta < 0n)) return touch
  return providing(
    touch,
    isAdded,
    deltas.map((delta) => (delta < 0n ? -delta : delta)),
    tokens,
  )
}

function decodeTouch(log: Log): TouchEvent {
  return { type: 'touch', ...managedPlace(log) }
}

/** Adds the tokens of events, because the vault may no longer list them. */
function* proveVaultPool({ pool, events }: PoolCandidate, dex: Dex): PoolProof {
  const id = idOf(pool)
  if (id.length !== ID_LENGTH) return null
  const [contract, listed] = yield [GET_POOL, GET_POOL_TOKENS].map((call) => ({ to: dex.factory, data: call.data(id) }))
  const shares = contractIn(pool)
  if (GET_POOL.read(contract)?.[0] !== shares) return null
  const coins = [...new Set([...(GET_POOL_TOKENS.read(listed)?.[0] ?? []), ...tokensNamed(events)])]
  const [token0, token1] = [...coins.filter((coin) => coin !== shares), shares]
  if (coins.length < 2 || token0 === undefined || token1 === undefined) return null
  return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins }
}
