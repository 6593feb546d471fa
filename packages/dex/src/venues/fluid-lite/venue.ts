import { keccak256 } from 'ethers'
import { contractCall } from '../../abi/contract-abi.ts'
import { uintWord, wordOf, wordText } from '../../abi/words.ts'
import type { Address, Log } from '../../chain.ts'
import type { Dex, PoolAddress } from '../../pool.ts'
import type { ExchangeEvent, TouchEvent } from '../../pool-event.ts'
import { asToken, exchangeOf } from '../exchange.ts'
import { idOf, managedPlace } from '../managed-pool.ts'
import { NO_REFERENCES, type PoolCandidate, type PoolProof, type Protocol, type Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }
import { fluidLiteFormula } from './quote.ts'
import { FLUID_LITE_STATE, poolIdOf } from './state.ts'

const SWAP = 'event LogSwap(uint256 swapData, uint256 dexVariables)'
const KEY = 'tuple(address token0, address token1, bytes32 salt) dexKey, bytes8 dexId'
const CHANGES = [
  `event LogDeposit(${KEY}, uint256 dexVariables, uint256 token0Amount, uint256 token1Amount)`,
  `event LogWithdraw(${KEY}, uint256 dexVariables, uint256 token0Amount, uint256 token1Amount)`,
  `event LogUpdateFeeAndRevenueCut(${KEY}, uint256 dexVariables, uint256 fee, uint256 revenueCut)`,
  `event LogUpdateRebalancingStatus(${KEY}, uint256 dexVariables, bool rebalancingStatus)`,
  `event LogUpdateRangePercents(${KEY}, uint256 dexVariables, uint256 rangeShift, uint256 upperPercent, uint256 lowerPercent, uint256 shiftTime)`,
  `event LogUpdateShiftTime(${KEY}, uint256 centerPriceShift, uint256 shiftTime)`,
  `event LogUpdateCenterPriceLimits(${KEY}, uint256 centerPriceShift, uint256 maxCenterPrice, uint256 minCenterPrice)`,
  `event LogUpdateCenterPriceAddress(${KEY}, uint256 dexVariables, uint256 centerPriceShift, uint256 centerPriceContract, uint256 percent, uint256 time)`,
]
const ID_WORD = 3
const READ_STORAGE = contractCall<[bigint]>('function readFromStorage(bytes32 slot) view returns (uint256 result)')

/** Bits of swapData: the pool id, whether token0 is sold, both amounts. */
const ID_BITS = 64
const ID_DIGITS = ID_BITS / 4
const AMOUNT_BITS = 60
const AMOUNTS = { sold: 65n, bought: 125n }
/** Bits of dexVariables: each token's decimals. */
const DECIMALS = [126n, 131n] as const
const DECIMALS_BITS = 5
const REPORTED_DECIMALS = 9

/** Storage slot of the list of keys. A key takes three slots: token0, token1, salt. */
const LIST_SLOT = 1n
const SLOTS_A_KEY = 3n
/** Far above the number of pools in the contract; a longer list is not read. */
const MAX_POOLS = 500n

/**
 * One contract holds all pools. A pool's id is the first eight bytes of its key's hash, here padded with zeros to 32.
 * Events truncate amounts to nine decimals, so they can differ from the transfers in the last digits.
 */
const fluidLite: Protocol = {
  kind: 'fluid-lite',
  about: {
    name: 'Fluid DEX Lite',
    verifiedBy: "the configured contract is the emitter, and a key in its storage hashes to the pool's id",
    notCovered: 'quotes without a configured `resolver`, and of pools with a salt',
  },
  family: 'managed',
  entry: { verifying: 'exchange', others: ['resolver'] },
  events: { [SWAP]: decodeSwap, ...Object.fromEntries(CHANGES.map((event) => [event, decodeChange])) },
  identity: { by: 'proof', prove: provePool },
  state: FLUID_LITE_STATE,
  formulas: [fluidLiteFormula],
  ...NO_REFERENCES,
}

function decodeSwap(log: Log): ExchangeEvent {
  const { data } = log
  const swap = uintWord(data, 0)
  const variables = uintWord(data, 1)
  const isFirstSold = ((swap >> BigInt(ID_BITS)) & 1n) === 1n
  const decimals = DECIMALS.map((shift) => Number(BigInt.asUintN(DECIMALS_BITS, variables >> shift)))
  const amountOf = (shift: bigint, coin: number) => {
    return inUnits(BigInt.asUintN(AMOUNT_BITS, swap >> shift), decimals[coin] ?? REPORTED_DECIMALS)
  }
  const id = wordOf(BigInt.asUintN(ID_BITS, swap)).slice(-ID_DIGITS)
  const soldAmount = amountOf(AMOUNTS.sold, isFirstSold ? 0 : 1)
  const boughtAmount = amountOf(AMOUNTS.bought, isFirstSold ? 1 : 0)
  const place = managedPlace(log, `0x${filled(id)}`)
  return { type: 'exchange', ...place, ...exchangeOf(isFirstSold, soldAmount, boughtAmount) }
}

function decodeChange(log: Log): TouchEvent {
  const id = wordText(log.data, ID_WORD).slice(2, 2 + ID_DIGITS)
  return { type: 'touch', ...managedPlace(log, `0x${filled(id)}`) }
}

/** Converts an amount from nine decimals to base units, rounded down. */
function inUnits(amount: bigint, decimals: number): bigint {
  const digits = BigInt(decimals - REPORTED_DECIMALS)
  return digits >= 0n ? amount * 10n ** digits : amount / 10n ** -digits
}

function* provePool({ pool }: PoolCandidate, dex: Dex): PoolProof {
  const slot = (index: bigint) => ({ to: dex.factory, data: READ_STORAGE.data(`0x${wordOf(index)}`) })
  const [length] = yield [slot(LIST_SLOT)]
  const [count = 0n] = READ_STORAGE.read(length) ?? []
  if (count === 0n || count > MAX_POOLS) return null
  const first = BigInt(keccak256(`0x${wordOf(LIST_SLOT)}`))
  const results = yield Array.from({ length: Number(count * SLOTS_A_KEY) }, (_, index) => slot(first + BigInt(index)))
  const words = results.flatMap((answer) => READ_STORAGE.read(answer) ?? [])
  if (words.length < results.length) return null
  for (let index = 0; index < words.length; index += Number(SLOTS_A_KEY)) {
    const key = words.slice(index, index + Number(SLOTS_A_KEY))
    if (!isKeyOf(pool, key)) continue
    const [token0, token1] = key.slice(0, 2).map((word): Address => asToken(`0x${wordOf(word).slice(24)}`))
    if (token0 === undefined || token1 === undefined || token0 === token1) return null
    return { address: pool, dex, token0, token1, fee: 0, tickSpacing: null, coins: [token0, token1] }
  }
  return null
}

function isKeyOf(pool: PoolAddress, [token0 = 0n, token1 = 0n, salt = 0n]: readonly bigint[]): boolean {
  return poolIdOf([token0, token1, salt]) === idOf(pool)
}

function filled(id: string): string {
  return id.padEnd(wordOf(0n).length, '0')
}

export const venue: Venue = { protocols: [fluidLite], deployments }
