import { contractCall } from '../../abi/contract-call.ts'
import { addressTopic, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { ExchangeEvent, PoolEvent } from '../../pool-event.ts'
import { idOf, managedPlace } from '../managed-pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol } from '../protocol.ts'

const SWAP =
  'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)'
/** Reverts for an id that is not registered. */
const GET_POOL = contractCall<[pool: Address, specialization: bigint]>(
  'function getPool(bytes32 poolId) view returns (address, uint8)',
)
const GET_POOL_TOKENS = contractCall<[tokens: readonly Address[], balances: readonly bigint[], lastChange: bigint]>(
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
)

const ADDRESS_DIGITS = ZERO_ADDRESS.length - 2
const ID_LENGTH = 66

/**
 * Balancer V2: pools inside the vault, which emits their swaps and lists their tokens. A pool's address is the vault's
 * followed by the pool's id. The first 20 bytes of the id are the pool's contract, the token of its shares.
 */
export const balancerV2: Protocol = {
  kind: 'balancer-v2',
  family: 'managed',
  events: { [SWAP]: decodeSwap },
  identity: { by: 'proof', prove: proveVaultPool },
  sharesOf: ({ address }) => ({ token: contractIn(address), isWrapper: false }),
  state: null,
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

/** The vault returns the pool's contract and tokens. If it no longer lists the tokens, its events contain them. */
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

/** Returns the contract of a pool inside a Balancer vault, which is the token of its shares. */
export function contractIn(pool: PoolAddress): Address {
  return `0x${pool.slice(ZERO_ADDRESS.length, ZERO_ADDRESS.length + ADDRESS_DIGITS)}`
}

/** Returns the tokens that exchanges contain as addresses. */
export function tokensNamed(events: readonly PoolEvent[]): Address[] {
  return events.flatMap((event) =>
    event.type === 'exchange'
      ? [event.sold, event.bought].flatMap((coin) => ('token' in coin ? [coin.token] : []))
      : [],
  )
}
