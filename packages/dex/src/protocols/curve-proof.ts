import { addressWord, callData, hasWords, uintWord } from '../abi-words.ts'
import { dynamicAddresses, fixedAddresses } from '../address-list.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../chain/hex.ts'
import { NATIVE_PLACEHOLDER } from '../chain/network.ts'
import type { AddressField, Dex, Pool } from '../pool.ts'
import type { Answers, PoolCandidate, PoolProof, Question } from './protocol.ts'

/** get_coins(address): address[2], [3], [4], [8] or a list, by the generation of the factory; empty for a foreign pool */
const GET_COINS: Hex = '0x9ac90d3d'
/** get_underlying_coins(address): for a metapool its own coin, then those of its base pool; for a lending pool what is lent */
const GET_UNDERLYING_COINS: Hex = '0xa77576ef'
/** get_address(uint256) of the address provider */
const GET_ADDRESS: Hex = '0x493f4f74'
/** coins(uint256) */
const COINS: Hex = '0xc6610657'
/** getPairInfo(address,address): pool, two tokens, LP token */
const GET_PAIR_INFO: Hex = '0x400f7a1e'
/** getThreePoolPairInfo(address,address): pool, three tokens, LP token */
const GET_THREE_POOL_PAIR_INFO: Hex = '0x923093cb'

/** The address provider's ids of what names pools: the MetaRegistry, the registry of stable pools, that of crypto pools. */
const REGISTRY_IDS = [7, 0, 5]
const FACTORY_FIELDS: readonly AddressField[] = [
  'crvusdFactory',
  'cryptoFactory',
  'stableNgFactory',
  'twocryptoFactory',
  'tricryptoFactory',
]
/** Offset of a list that is the only thing answered. */
const LIST_OFFSET = 32n

/** Questions asked within a proof, and what comes of them. */
type Asking<Result> = Generator<readonly Question[], Result, Answers>

interface Voucher {
  by: Address
  coins: readonly Address[]
}

/**
 * A Curve pool is one whose coins any configured factory knows, or a registry that the address provider names (for the
 * pools older than the factories); a PancakeSwap one is what its factory answers for the coins that the pool claims.
 */
export function* proveCurvePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const voucher = (yield* findVoucher(factoriesOf(dex), pool)) ?? (yield* findVoucher(yield* registriesOf(dex), pool))
  if (voucher !== null) return poolOf(pool, dex, voucher.coins, yield* underlyingCoins(voucher, pool))
  const coins = yield* pairCoins(pool, dex.factory)
  return coins === null ? null : poolOf(pool, dex, coins, null)
}

function factoriesOf({ factory, contracts }: Dex): Address[] {
  return [factory, ...FACTORY_FIELDS.flatMap((field) => contracts?.[field] ?? [])]
}

function* registriesOf({ contracts }: Dex): Asking<Address[]> {
  const provider = contracts?.addressProvider
  if (provider === undefined) return []
  const answers = yield REGISTRY_IDS.map((id) => ({ to: provider, data: callData(GET_ADDRESS, id) }))
  const named = answers.flatMap((answer) => (answer && hasWords(answer, 1) ? [addressWord(answer, 0)] : []))
  return named.filter((address) => address !== ZERO_ADDRESS)
}

/** The first of these contracts that knows the pool's coins. */
function* findVoucher(contracts: readonly Address[], pool: Address): Asking<Voucher | null> {
  if (contracts.length === 0) return null
  const answers = yield contracts.map((to) => ({ to, data: callData(GET_COINS, pool) }))
  for (const [index, by] of contracts.entries()) {
    const coins = readCoins(answers[index])
    if (coins.length > 1) return { by, coins }
  }
  return null
}

/** Null where the contract knows none, or not all of them. */
function* underlyingCoins({ by, coins }: Voucher, pool: Address): Asking<readonly Address[] | null> {
  const [answer] = yield [{ to: by, data: callData(GET_UNDERLYING_COINS, pool) }]
  const underlying = readCoins(answer)
  return underlying.length < coins.length ? null : underlying
}

/** The coins of a PancakeSwap StableSwap pool, as its factory lists them. */
function* pairCoins(pool: Address, factory: Address): Asking<readonly Address[] | null> {
  const claims = yield [0, 1].map((index) => ({ to: pool, data: callData(COINS, index) }))
  const [first, second] = claims.map((claim) => (claim && hasWords(claim, 1) ? addressWord(claim, 0) : null))
  if (!first || !second || first === second) return null
  const [pair, triple] = yield [GET_PAIR_INFO, GET_THREE_POOL_PAIR_INFO].map((selector) => ({
    to: factory,
    data: callData(selector, first, second),
  }))
  if (pair && hasWords(pair, 4) && addressWord(pair, 0) === pool) return [1, 2].map((word) => addressWord(pair, word))
  if (triple && hasWords(triple, 5) && addressWord(triple, 0) === pool) {
    return [1, 2, 3].map((word) => addressWord(triple, word))
  }
  return null
}

function readCoins(answer: Hex | null | undefined): readonly Address[] {
  if (!answer || answer.length <= 2) return []
  const isList = uintWord(answer, 0) === LIST_OFFSET
  return (isList ? dynamicAddresses(answer, 0) : fixedAddresses(answer)) ?? []
}

/** The fee is not kept: it changes with governance or with every trade, and these pools are not quoted. */
function poolOf(
  address: Address,
  dex: Dex,
  listed: readonly Address[],
  listedUnderlying: readonly Address[] | null,
): Pool | null {
  const coins = listed.map(asToken)
  const [token0, token1] = coins
  if (token0 === undefined || token1 === undefined || token0 === token1) return null
  const underlying = listedUnderlying === null ? {} : { underlying: listedUnderlying.map(asToken) }
  return { address, dex, token0, token1, fee: 0, tickSpacing: null, coins, ...underlying }
}

function asToken(coin: Address): Address {
  return coin === NATIVE_PLACEHOLDER ? ZERO_ADDRESS : coin
}
