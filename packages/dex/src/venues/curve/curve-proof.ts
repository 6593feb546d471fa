import { contractCall } from '../../abi/contract-abi.ts'
import { uintWord } from '../../abi/words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex, Pool } from '../../pool.ts'
import { asToken } from '../exchange.ts'
import type { CallResults, EthCall, PoolCandidate, PoolProof } from '../protocol.ts'

type Coins = readonly Address[]

/** Returns a list or a zero-padded array, depending on the factory's generation; empty for other factories' pools. */
const GET_COINS = contractCall<[Coins]>('function get_coins(address pool) view returns (address[])')
const GET_COINS_ARRAYS = [2, 3, 4, 8].map((count) =>
  contractCall<[Coins]>(`function get_coins(address pool) view returns (address[${count}])`),
)
/** Returns a metapool's coin and then its base pool's coins, or the tokens that a lending pool lends. */
const GET_UNDERLYING_COINS = contractCall<[Coins]>('function get_underlying_coins(address) view returns (address[])')
const GET_ADDRESS = contractCall<[Address]>('function get_address(uint256 id) view returns (address)')
const COINS = contractCall<[Address]>('function coins(uint256) view returns (address)')
const GET_PAIR_INFO = contractCall<[pool: Address, Address, Address, lpToken: Address]>(
  'function getPairInfo(address, address) view returns (address, address, address, address)',
)
const GET_PAIR_INFOS = contractCall<[readonly (readonly [pool: Address, Address, Address, lpToken: Address])[]]>(
  'function getPairInfo(address, address) view returns (tuple(address, address, address, address)[])',
)
const GET_THREE_POOL_PAIR_INFO = contractCall<[pool: Address, Address, Address, Address, lpToken: Address]>(
  'function getThreePoolPairInfo(address, address) view returns (address, address, address, address, address)',
)

/** Ids of the MetaRegistry, the registry of stable pools and the registry of crypto pools. */
const REGISTRY_IDS = [7, 0, 5]
export const FACTORY_FIELDS: readonly string[] = [
  'crvusdFactory',
  'cryptoFactory',
  'stableNgFactory',
  'twocryptoFactory',
  'tricryptoFactory',
]

const LIST_OFFSET = 32n

type Asking<Result> = Generator<readonly EthCall[], Result, CallResults>

interface Verifier {
  address: Address
  coins: Coins
}

export function* proveCurvePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const factories = [dex.factory, ...FACTORY_FIELDS.flatMap((field) => dex.contracts?.[field] ?? [])]
  const verifier = (yield* findVerifier(factories, pool)) ?? (yield* findVerifier(yield* registriesOf(dex), pool))
  if (verifier !== null) return poolOf(pool, dex, verifier.coins, yield* underlyingCoins(verifier, pool))
  const coins = yield* pairCoins(pool, dex.factory)
  return coins === null ? null : poolOf(pool, dex, coins, null)
}

function* registriesOf({ contracts }: Dex): Asking<Address[]> {
  const provider = contracts?.addressProvider
  if (provider === undefined) return []
  const results = yield REGISTRY_IDS.map((id) => ({ to: provider, data: GET_ADDRESS.data(id) }))
  const named = results.flatMap((answer) => GET_ADDRESS.read(answer) ?? [])
  return named.filter((address) => address !== ZERO_ADDRESS)
}

function* findVerifier(contracts: readonly Address[], pool: Address): Asking<Verifier | null> {
  if (contracts.length === 0) return null
  const results = yield contracts.map((to) => ({ to, data: GET_COINS.data(pool) }))
  for (const [index, address] of contracts.entries()) {
    const coins = readCoins(results[index])
    if (coins.length > 1) return { address, coins }
  }
  return null
}

function* underlyingCoins({ address: to, coins }: Verifier, pool: Address): Asking<Coins | null> {
  const [answer] = yield [{ to, data: GET_UNDERLYING_COINS.data(pool) }]
  const underlying = readCoins(answer)
  return underlying.length < coins.length ? null : underlying
}

function* pairCoins(pool: Address, factory: Address): Asking<Coins | null> {
  const claims = yield [0, 1].map((index) => ({ to: pool, data: COINS.data(index) }))
  const [first, second] = claims.map((claim) => COINS.read(claim)?.[0])
  if (!first || !second || first === second) return null
  const [pair, triple] = yield [GET_PAIR_INFO, GET_THREE_POOL_PAIR_INFO].map((call) => ({
    to: factory,
    data: call.data(first, second),
  }))
  const [listedPool, ...coins] = GET_PAIR_INFO.read(pair) ?? []
  if (listedPool === pool) return coins.slice(0, 2)
  const ofSeveral = GET_PAIR_INFOS.read(pair)?.[0].find(([each]) => each === pool)
  if (ofSeveral !== undefined) return ofSeveral.slice(1, 3)
  const [knownTriple, ...three] = GET_THREE_POOL_PAIR_INFO.read(triple) ?? []
  return knownTriple === pool ? three.slice(0, 3) : null
}

function readCoins(answer: Hex | null | undefined): Coins {
  if (!answer || answer.length <= 2) return []
  if (uintWord(answer, 0) === LIST_OFFSET) return GET_COINS.read(answer)?.[0] ?? []
  const coins = GET_COINS_ARRAYS.flatMap((call) => call.read(answer)?.[0] ?? [])
  const end = coins.indexOf(ZERO_ADDRESS)
  return end < 0 ? coins : coins.slice(0, end)
}

/** The pool's fee is in the state, because governance or every trade may change it. */
function poolOf(address: Address, dex: Dex, listed: Coins, listedUnderlying: Coins | null): Pool | null {
  const coins = listed.map(asToken)
  const [token0, token1] = coins
  if (token0 === undefined || token1 === undefined || token0 === token1) return null
  const underlying = listedUnderlying === null ? {} : { underlying: listedUnderlying.map(asToken) }
  return { address, dex, token0, token1, fee: 0, tickSpacing: null, coins, ...underlying }
}
